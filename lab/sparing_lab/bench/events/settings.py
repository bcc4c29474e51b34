"""What to measure, and the incidents that belong to it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sparing.model.errors import SparingError
from sparing.workloads.incidents import DEFAULTS, incidents
from sparing.workloads.workload import Workload

SPAN = 30.0  # seconds within which an incident is reported


@dataclass(frozen=True)
class Settings:
    """Numbers of events to try on Spark, and of events in flight; reports of each event, subscriptions, lanes."""

    events: tuple[int, ...] = (1_000, 10_000)
    in_flight: tuple[int, ...] = (100, 1_000, 10_000)
    reports: int = 10
    subscriptions: int = 60
    lanes: tuple[int, ...] = (1, 4)
    repeat: int = 3

    def __post_init__(self) -> None:
        if min((*self.events, *self.in_flight, *self.lanes, self.reports, self.subscriptions, self.repeat)) < 1:
            raise SparingError("Numbers of events, reports, subscriptions, lanes and repetitions must be above zero.")

    def trace(self, events: int) -> Workload:
        """So many events, of which about 300 are in flight at a time."""
        duration = max(60.0, events / 10)
        return self._incidents(events, duration, SPAN)

    def burst(self, events: int) -> Workload:
        """So many events that are all in flight at the same time."""
        return self._incidents(events, SPAN, SPAN * 0.99)

    def _incidents(self, events: int, duration: float, span: float) -> Workload:
        settings = replace(
            DEFAULTS,
            rate=events * self.reports / duration,
            duration=duration,
            subscriptions=self.subscriptions,
            disorder=0.0,
            missing=0.0,
            bad=0.0,
        )
        return incidents(settings, float(self.reports), span)
