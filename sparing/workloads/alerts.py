"""Alerts: devices in a wide network that publish rarely, and many subscriptions to single devices.

Sites are the stub nodes of a network of transit and stub nodes. A device at a site publishes its level occasionally; a
subscription has one device and a range of levels, and some devices are more popular than others. With so few
publications most messages are subscriptions and advertisements: the case for matchmaker, covering and folding.

Paper: matchmaker (its networks); the rest is ours.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

from sparing.model.errors import SparingError
from sparing.workloads.columns import double_column, text_column, timestamp_column
from sparing.workloads.interests import GeneratedInterests
from sparing.workloads.overlay import subscribers
from sparing.workloads.randomness import random_mask, seeded_rng, weighted_choice
from sparing.workloads.settings import WorkloadSettings
from sparing.workloads.subscriptions import SelectLists, subscriptions
from sparing.workloads.trace import Trace
from sparing.workloads.transit_stub import TransitStub, transit_stub
from sparing.workloads.workload import Workload, description_of, workload_of

DEFAULTS = WorkloadSettings(rate=0.1, duration=3600.0, subscriptions=1500, aggregate=(0, 1))
STUB_NODES = 4  # at each of 12 stubs: 52 brokers with the 4 transit nodes
WIDTH = (10.0, 50.0)  # of the range of levels in a subscription; levels are 0 to 100
FIELDS = {"device": "string", "level": "double", "ts": "timestamp"}
SELECT_LISTS = SelectLists(
    "alerts",
    aggregates=("count(*)", "max(level), count(*)", "avg(level)"),
    columns=("device, level", "level AS alert, ts"),
)


def alerts(settings: WorkloadSettings = DEFAULTS, devices: int = 150, churn: float = 0.0) -> Workload:
    """Return the workload of a number of devices; a share `churn` of the subscriptions joins and leaves meanwhile."""
    if devices < 1:
        raise SparingError(f"The number of devices is {devices}: it must be at least 1.")
    if not 0 <= churn <= 1:
        raise SparingError(f"The share churn is {churn:g}: it must be between 0 and 1.")
    if settings.selectivity is not None:
        raise SparingError(
            "The selectivity of alerts depends on the number of devices: set that number instead (--devices)."
        )
    network = transit_stub(seeded_rng(settings.seed, "alerts", "network"), nodes=STUB_NODES)
    sites = [network.names[node] for node in network.stub_nodes]
    rng = seeded_rng(settings.seed, "alerts", "places")
    names = [f"d{n + 1:0{len(str(devices))}}" for n in range(devices)]

    def batch(times: np.ndarray, rng: np.random.Generator) -> pa.Table:
        who = rng.integers(0, devices, len(times))
        level = rng.random(len(times)) * 100
        return pa.table(
            {
                "publisher": text_column(names, who),
                "device": text_column(names, who),
                "level": double_column(level, 1),
                "ts": timestamp_column(times),
            }
        )

    trace = Trace("alerts", settings, batch, kept=("publisher", "device", "ts"))
    _, seen = trace.samples(["device", "level"])
    interests = _interests(settings, devices)
    asked = subscriptions(settings, SELECT_LISTS, interests.conditions({"device": names}))
    description = description_of(
        "alerts", settings, {"time": "ts", "fields": dict(FIELDS)}, _with_churn(settings, asked, churn)
    )
    description |= {
        "overlay": _overlay(network),
        "publishers": [
            {"id": name, "at": sites[rng.integers(len(sites))], "topic": "alerts", "where": f"device = '{name}'"}
            for name in names
        ],
        "subscribers": [who | {"at": sites[rng.integers(len(sites))]} for who in subscribers(settings.subscriptions)],
    }
    return workload_of(description, settings, interests.selectivity(seen), trace.chunks)


def _overlay(network: TransitStub) -> dict[str, Any]:
    """Return the network in the form of a deployment file."""
    links = [[network.names[one], network.names[other]] for one, other in network.links.tolist()]
    return {"brokers": list(network.names), "links": links}


def _interests(settings: WorkloadSettings, devices: int) -> GeneratedInterests:
    """Return subscriptions to one device each, the first ones more often than the last, and a range of its levels."""
    rng = seeded_rng(settings.seed, "alerts", "subscriptions")
    count = settings.subscriptions
    device = weighted_choice(rng, count, 1 / np.sqrt(np.arange(1, devices + 1)))
    width = rng.uniform(*WIDTH, count)
    low = np.round(rng.random(count) * (100 - width), 1)
    return GeneratedInterests(
        count, {"device": device}, {"level": low}, {"level": np.round(low + width, 1)}, {"level": 1}
    )


def _with_churn(settings: WorkloadSettings, asked: list[dict[str, Any]], churn: float) -> list[dict[str, Any]]:
    """Return the subscriptions, a share of them in force for a part of the time only."""
    rng = seeded_rng(settings.seed, "alerts", "churn")
    start = datetime.fromtimestamp(settings.origin / 1e6, UTC)
    found = []
    for row, moves in zip(asked, random_mask(rng, len(asked), churn).tolist(), strict=True):
        first, last = sorted((rng.random(2) * settings.duration).round(3).tolist())
        ends = {"from": _moment(start, first), "until": _moment(start, last + 0.001)}
        found.append(row | ends if moves else row)
    return found


def _moment(start: datetime, seconds: float) -> str:
    return (start + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
