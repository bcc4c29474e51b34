"""Traffic: 162 sensors beside the highways of a city, 12 fields; subscriptions with 3 to 6 constraints.

Replaces the highway data of the paper's experiments: the load at each sensor varies, and speed, occupancy and volume
depend on it. Every district's broker publishes for its own sensors.

Paper: mna-aggregation, section VIII.A (its selectivity of 1% is the default).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sparing.workloads.calibrate import anchored, calibrate
from sparing.workloads.columns import double_column, integer_column, text_column, timestamp_column
from sparing.workloads.overlay import PUBLISHER_EDGES, in_condition, publisher_at
from sparing.workloads.randomness import random_subsets, seeded_rng, weighted_choice
from sparing.workloads.roads import DISTRICTS, ROADS, sensors
from sparing.workloads.settings import SECOND, WorkloadSettings
from sparing.workloads.subscriptions import SelectLists, subscriptions
from sparing.workloads.trace import Trace
from sparing.workloads.workload import Workload, workload

DEFAULTS = WorkloadSettings(rate=500.0, selectivity=0.01)

FIELDS = {
    "sensor": "string",
    "road": "string",
    "direction": "string",
    "lane": "int",
    "speed": "double",
    "occupancy": "double",
    "volume": "int",
    "length": "double",
    "temperature": "double",
    "visibility": "double",
    "status": "string",
    "ts": "timestamp",
}
FINE = {"speed": 2, "occupancy": 2, "length": 2, "temperature": 2, "visibility": 2}
COARSE = {"lane": 0, "volume": 0}
DECIMALS = FINE | COARSE
NAMED = ("road", "direction", "status")
STATES = ("ok", "degraded", "fault")
SELECT_LISTS = SelectLists(
    "traffic",
    aggregates=(
        "avg(speed), count(*)",
        "max(occupancy)",
        "sum(volume)",
        "min(speed), max(speed)",
        "avg(speed), stddev(speed)",
        "min(visibility), avg(temperature)",
    ),
    columns=("sensor, speed, ts", "road, direction, lane, speed", "sensor, occupancy AS load, ts"),
)


def traffic(settings: WorkloadSettings = DEFAULTS) -> Workload:
    """Return the workload of traffic readings."""
    highways = _Highways.of(settings.seed)
    trace = Trace("traffic", settings, highways.batch, kept=("publisher", "sensor", "road", "ts"))
    whole, seen = trace.samples([*NAMED, *DECIMALS])
    rng = seeded_rng(settings.seed, "traffic", "subscriptions")
    named = random_subsets(rng, settings.subscriptions, len(NAMED), 1, 2)
    # At least two fields with decimals: with fewer, no range could be narrow enough for a low selectivity.
    fine = random_subsets(rng, settings.subscriptions, len(FINE), 2, 3)
    ranges = np.hstack([fine, random_subsets(rng, settings.subscriptions, len(COARSE), 0, 1)])
    anchored_subscriptions = anchored(
        whole,
        {field: named[:, n] for n, field in enumerate(NAMED)},
        {field: ranges[:, n] for n, field in enumerate(DECIMALS)},
        DECIMALS,
        rng=rng,
    )
    interests = calibrate(anchored_subscriptions, seen, settings.selectivity)
    return workload(
        "traffic",
        settings,
        topic={"time": "ts", "fields": dict(FIELDS)},
        advertised=advertisements(),
        subscriptions=subscriptions(settings, SELECT_LISTS, interests.conditions(whole.names)),
        selectivity=interests.selectivity(seen),
        chunks=trace.chunks,
    )


def advertisements() -> list[str]:
    """Return the roads and sensors of each district, as a WHERE clause."""
    clauses = []
    for district in range(DISTRICTS):
        own = [sensor for sensor in sensors() if sensor.district == district]
        roads = [road for road in ROADS if any(sensor.road == road for sensor in own)]
        clauses.append(f"{in_condition('road', roads)} AND {in_condition('sensor', [sensor.name for sensor in own])}")
    return clauses


@dataclass(frozen=True)
class _Highways:
    """Constants of each sensor: its mean load, and phase and period of its rush hours."""

    load: np.ndarray
    phase: np.ndarray
    period: np.ndarray

    @classmethod
    def of(cls, seed: int) -> _Highways:
        rng = seeded_rng(seed, "traffic", "highways")
        count = len(sensors())
        return cls(rng.beta(2, 3, count), rng.uniform(0, 2 * np.pi, count), rng.uniform(120, 600, count) * SECOND)

    def batch(self, times: np.ndarray, rng: np.random.Generator) -> pa.Table:
        """Return a reading for each time."""
        count, known = len(times), sensors()
        sensor = rng.integers(0, len(known), count)
        rush = np.sin(2 * np.pi * (times % (3600 * SECOND)) / self.period[sensor] + self.phase[sensor])
        load = np.clip(self.load[sensor] + 0.2 * rush + 0.08 * rng.standard_normal(count), 0.0, 1.0)
        lane = 1 + weighted_choice(rng, count, np.array([0.3, 0.3, 0.25, 0.15]))
        speed = np.clip(112 - 95 * load**1.5 - 3 * lane + 5 * rng.standard_normal(count), 2.0, 150.0)
        district = np.array([s.district for s in known])[sensor]
        volume = rng.poisson(2 + 40 * load * (1.4 - load))
        return pa.table(
            {
                "publisher": text_column([publisher_at("traffic", edge) for edge in PUBLISHER_EDGES], district),
                "sensor": text_column([s.name for s in known], sensor),
                "road": text_column([s.road for s in known], sensor),
                "direction": text_column([s.direction for s in known], sensor),
                "lane": integer_column(lane),
                "speed": double_column(speed, 2),
                "occupancy": double_column(100 * np.clip(0.02 + 0.7 * load**2 + 0.02 * rng.random(count), 0, 1), 2),
                "volume": integer_column(volume),
                "length": double_column(4.0 + rng.gamma(1.5, 1.8, count), 2),
                "temperature": double_column(-4.0 + 0.5 * district + rng.standard_normal(count), 2),
                "visibility": double_column(rng.gamma(6.0, 2.0, count), 2),
                "status": text_column(STATES, weighted_choice(rng, count, np.array([0.95, 0.04, 0.01]))),
                "ts": timestamp_column(times),
            }
        )
