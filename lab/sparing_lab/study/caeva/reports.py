"""Reports of each event: publisher, time and fields.

An event lasts up to 100 time units. Each of its publishers makes reports as a Poisson process and tells 1 to 10 of the
19 fields besides the key. A given share of the reports tells nothing new; where there are more others than fields,
those that are left over tell nothing new, either. Events follow one another.

Paper: caeva, section IV-A.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparing.flow.events.reports import Report, Value
from sparing_lab.study.caeva.grid import FIELDS, LONGEST, MOST_VALID
from sparing_lab.study.caeva.overlays import name
from sparing_lab.study.caeva.publishers import EventPublishers

UNIT = 1_000_000  # microseconds of a time unit
APART = 2 * LONGEST  # time units between the beginnings of two events
KEY = 0  # the number of the key field


@dataclass(frozen=True)
class ReportedEvent:
    """The reports of one event, in order; `redundant` of them have no new values, the last new one is at `full`."""

    reports: tuple[Report, ...]
    redundant: int
    full: int


def events_of(publishers: Sequence[EventPublishers], rng: np.random.Generator) -> list[ReportedEvent]:
    """Return all events, one after the other."""
    return [_event(number, one, rng) for number, one in enumerate(publishers)]


def _event(number: int, publishers: EventPublishers, rng: np.random.Generator) -> ReportedEvent:
    times, brokers = _moments(number, publishers, rng)
    fields_of, redundant = report_fields(len(times), publishers.redundancy, rng)
    key = (f"e{number:05}",)
    reports, known, full = [], set[int](), times[0]
    for at, (time, broker, fields) in enumerate(zip(times, brokers, fields_of, strict=True)):
        values: tuple[Value, ...] = ((KEY, key[0]), *((field, field) for field in sorted(fields)))
        reports.append(Report(time, f"{number}-{at:04}", f"p-{name(broker)}", broker, key, values))
        if not fields <= known:
            known |= fields
            full = time
    return ReportedEvent(tuple(reports), redundant, full)


def _moments(number: int, publishers: EventPublishers, rng: np.random.Generator) -> tuple[list[int], list[int]]:
    """Return times in microseconds and brokers of the reports, at least one."""
    lasts = rng.uniform(0, LONGEST)
    rate = publishers.reports / (LONGEST / 2) / len(publishers.brokers)  # of each publisher, for each time unit
    counts = rng.poisson(rate * lasts, len(publishers.brokers))
    if not counts.any():
        counts[rng.integers(len(counts))] = 1
    brokers = np.repeat(publishers.brokers, counts)
    times = np.round((number * APART + rng.uniform(0, lasts, len(brokers))) * UNIT).astype(np.int64)
    order = np.argsort(times, kind="stable")
    return times[order].tolist(), brokers[order].tolist()


def report_fields(count: int, redundancy: float, rng: np.random.Generator) -> tuple[list[frozenset[int]], int]:
    """Return the fields of each report, and the number of reports without new facts."""
    telling = max(1, min(count - round(redundancy * count), FIELDS - 1))
    new = {0, *(1 + rng.choice(count - 1, telling - 1, replace=False)).tolist()} if count > 1 else {0}
    untold = rng.permutation(np.arange(1, FIELDS)).tolist()
    share = _shares(telling, len(untold), rng)
    known: list[int] = []
    found = []
    for at in range(count):
        first = [untold.pop() for _ in range(share.pop())] if at in new else []
        valid = max(int(rng.integers(1, MOST_VALID + 1)), len(first))
        again = rng.permutation(known)[: valid - len(first)].tolist()
        found.append(frozenset([*first, *again]))
        known += first
    return found, count - telling


def _shares(telling: int, fields: int, rng: np.random.Generator) -> list[int]:
    """Return the number of new fields of each report that has any: at least one each, together all fields."""
    share = np.ones(telling, dtype=np.int64)
    for _ in range(fields - telling):
        free = np.flatnonzero(share < MOST_VALID)
        if not len(free):
            break
        share[rng.choice(free)] += 1
    return [int(one) for one in share]
