"""Incidents: events with several partial and redundant reports of different publishers.

An incident has a place (the key), a kind, a severity and so on; each report has the place, the road, its time and some
of the other fields. The reports of an incident agree, and arrive within a time span from publishers in districts of
the road. A place is not used again for some minutes.

The topic is merged: subscribers receive one growing report of each incident, most of them on a cycle.

Paper: caeva (its setting of partial and redundant messages).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import pyarrow as pa

from sparing.model.errors import SparingError
from sparing.workloads.calibrate import draw_with_mean
from sparing.workloads.columns import drop_values, integer_column, only_where, text_column, timestamp_column
from sparing.workloads.interests import GeneratedInterests
from sparing.workloads.overlay import PUBLISHER_EDGES, in_condition, publisher_at
from sparing.workloads.randomness import seeded_rng, weighted_choice
from sparing.workloads.roads import ROADS
from sparing.workloads.sample import Sample
from sparing.workloads.settings import SECOND, WorkloadSettings
from sparing.workloads.subscriptions import SelectLists, subscriptions
from sparing.workloads.trace import CHUNK, SAMPLE, Chunk
from sparing.workloads.workload import Workload, workload

DEFAULTS = WorkloadSettings(rate=20.0, subscriptions=60, aggregate=(0, 1), selectivity=0.05)

FIELDS = {
    "place": "string",
    "road": "string",
    "kind": "string",
    "severity": "int",
    "lanes_blocked": "int",
    "injured": "int",
    "description": "string",
    "ts": "timestamp",
}
MERGE = {"key": "place", "within": "100 seconds", "cycle": "10 seconds"}
KEPT = ("publisher", "place", "road", "ts")
PARTIAL = ("kind", "severity", "lanes_blocked", "injured", "description")
CARRIED = 0.6  # the probability that a report has a field
KINDS = ("collision", "breakdown", "debris", "roadworks", "fire", "flooding")
FREQUENCY = np.array([0.34, 0.3, 0.14, 0.12, 0.05, 0.05])
PLACE_PAUSE = 300 * SECOND  # the approximate time between two incidents at a place
SELECT_LISTS = SelectLists(
    "incidents",
    aggregates=("count(*)", "max(severity), count(*)", "sum(injured)", "max(lanes_blocked)"),
    columns=("place, severity, ts", "road, kind, severity", "place, description AS report, ts"),
)


def incidents(
    settings: WorkloadSettings = DEFAULTS, reports: float = 5.0, span: float = 30.0, cycles: float = 1.0
) -> Workload:
    """Return the workload of incident reports.

    An incident has `reports` on average, within `span` seconds; a share `cycles` of the plain subscriptions is notified
    every 30 seconds.
    """
    if reports < 1:
        raise SparingError(f"The number of reports per incident is {reports:g}: it must be at least 1.")
    if not span > 0:
        raise SparingError(f"The span is {span:g} seconds: it must be greater than 0.")
    if not 0 <= cycles <= 1:
        raise SparingError(f"The share cycles is {cycles:g}: it must be between 0 and 1.")
    log = _ReportLog.of(settings, reports, min(span, settings.duration))
    rng = seeded_rng(settings.seed, "incidents", "subscriptions")
    sample = Sample.of(next(_chunks(settings, log)).table.slice(0, SAMPLE), ["road", "kind", "severity", "injured"])
    candidates = _candidates(sample)
    shares = candidates.selectivities(sample)
    interests = candidates.take(draw_with_mean(shares, settings.subscriptions, settings.selectivity, rng))
    return workload(
        "incidents",
        settings,
        topic={"time": "ts", "fields": dict(FIELDS), "merge": dict(MERGE)},
        advertised=advertisements(),
        subscriptions=subscriptions(settings, SELECT_LISTS, interests.conditions(sample.names), cycles),
        selectivity=interests.selectivity(sample),
        chunks=partial(_chunks, settings, log),
    )


def advertisements() -> list[str]:
    """Return the roads of each district, as a WHERE clause."""
    roads = [[road for n, road in enumerate(ROADS) if district in _DISTRICTS_OF[n]] for district in range(len(_EDGES))]
    return [in_condition("road", names) for names in roads]


_EDGES = PUBLISHER_EDGES
_DISTRICTS_OF = tuple(tuple((road + step) % len(_EDGES) for step in (0, 1, 2, 4)) for road in range(len(ROADS)))


@dataclass(frozen=True)
class _ReportLog:
    """All reports in the order of arrival (times and incident), and the fields of each incident."""

    arrivals: np.ndarray
    times: np.ndarray
    incident: np.ndarray
    road: np.ndarray
    place: np.ndarray
    kind: np.ndarray
    severity: np.ndarray
    lanes_blocked: np.ndarray
    injured: np.ndarray

    @classmethod
    def of(cls, settings: WorkloadSettings, reports: float, span: float) -> _ReportLog:
        rng = seeded_rng(settings.seed, "incidents", "log")
        size, length = settings.size, round(settings.duration * SECOND)
        count = max(1, round(size / reports))
        starts = np.sort(rng.integers(0, max(1, length - round(span * SECOND)), count))
        # The first report of each incident, then further ones for incidents drawn at random.
        incident = np.concatenate([np.arange(count), rng.integers(0, count, max(0, size - count))])[:size]
        later = (rng.random(size) * span * SECOND).astype(np.int64)
        later[:count] = 0
        times = settings.origin + np.minimum(starts[incident] + later, length - 1)
        arrivals = times + (rng.random(size) * settings.disorder * SECOND).astype(np.int64)
        order = np.argsort(arrivals, kind="stable")

        places = max(20 * len(ROADS), int(np.ceil(count * PLACE_PAUSE / length)))
        place = rng.permutation(places)[np.arange(count) % places]
        severity = 1 + weighted_choice(rng, count, np.array([0.35, 0.3, 0.2, 0.1, 0.05]))
        return cls(
            arrivals[order],
            times[order],
            incident[order],
            road=place % len(ROADS),
            place=place,
            kind=weighted_choice(rng, count, FREQUENCY),
            severity=severity,
            lanes_blocked=np.minimum(rng.binomial(severity, 0.5), 4),
            injured=rng.poisson(np.maximum(severity - 2, 0)),
        )

    def table(self, rows: slice, rng: np.random.Generator) -> pa.Table:
        """Return some of the reports, each with some of the fields, at least one."""
        which = self.incident[rows]
        road, place, kind = self.road[which], self.place[which], self.kind[which]
        lanes, injured = self.lanes_blocked[which], self.injured[which]
        edge = np.array(_DISTRICTS_OF)[road, rng.integers(0, len(_DISTRICTS_OF[0]), len(which))]
        carried = rng.random((len(which), len(PARTIAL))) < CARRIED
        carried[np.arange(len(which)), rng.integers(0, len(PARTIAL), len(which))] = True
        descriptions = [f"{name}, lanes blocked: {n}" for name in KINDS for n in range(5)]
        parts = {
            "kind": text_column(KINDS, kind),
            "severity": integer_column(self.severity[which]),
            "lanes_blocked": integer_column(lanes),
            "injured": integer_column(injured),
            "description": text_column(descriptions, kind * 5 + lanes),
        }
        return pa.table(
            {
                "publisher": text_column([publisher_at("incidents", name) for name in _EDGES], edge),
                "place": text_column(
                    [f"{ROADS[n % len(ROADS)]} km {n // len(ROADS)}" for n in range(place.max() + 1)], place
                ),
                "road": text_column(ROADS, road),
                **{name: only_where(values, carried[:, n]) for n, (name, values) in enumerate(parts.items())},
                "ts": timestamp_column(self.times[rows]),
            }
        )


def _chunks(settings: WorkloadSettings, log: _ReportLog) -> Iterator[Chunk]:
    for first in range(0, settings.size, CHUNK):
        rng = seeded_rng(settings.seed, "incidents", "publications", first)
        rows = slice(first, first + CHUNK)
        yield Chunk(log.arrivals[rows], drop_values(log.table(rows, rng), settings.missing, KEPT, rng))


def _candidates(sample: Sample) -> GeneratedInterests:
    """Return all combinations of road, kind, minimum severity and injured, each optional, but at least one."""
    roads, kinds = range(-1, len(sample.names["road"])), range(-1, len(sample.names["kind"]))
    severities, injured = (np.nan, 2.0, 3.0, 4.0, 5.0), (np.nan, 1.0)
    mixes = np.array(list(product(roads, kinds, severities, injured)), dtype=float)[1:]
    low = {"severity": mixes[:, 2], "injured": mixes[:, 3]}
    high = {field: np.where(np.isnan(ends), np.nan, np.inf) for field, ends in low.items()}
    equal = {"road": mixes[:, 0].astype(int), "kind": mixes[:, 1].astype(int)}
    return GeneratedInterests(len(mixes), equal, low, high, {"severity": 0, "injured": 0})
