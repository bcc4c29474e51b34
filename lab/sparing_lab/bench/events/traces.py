"""Incidents, made up from a seed."""

from __future__ import annotations

from dataclasses import replace

from sparing.workloads.incidents import DEFAULTS, incidents
from sparing.workloads.workload import Workload
from sparing_lab.bench.events.benchmark import Events

SPAN = 30.0  # seconds within which an incident is reported


def trace(settings: Events, events: int) -> Workload:
    """Return a trace of events, about 300 of them in flight at a time."""
    return _incidents(settings, events, max(60.0, events / 10), SPAN)


def burst(settings: Events, events: int) -> Workload:
    """Return a trace of events that are all in flight at the same time."""
    return _incidents(settings, events, SPAN, SPAN * 0.99)


def _incidents(settings: Events, events: int, duration: float, span: float) -> Workload:
    made = replace(
        DEFAULTS,
        rate=events * settings.reports / duration,
        duration=duration,
        subscriptions=settings.subscriptions,
        disorder=0.0,
        missing=0.0,
        bad=0.0,
    )
    return incidents(made, float(settings.reports), span)
