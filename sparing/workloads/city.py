"""The demo's small city: traffic and incidents in one deployment, with some missing, late and bad rows.

Both topics are in one data folder; the publisher of a row determines its topic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from sparing.workloads.incidents import incidents
from sparing.workloads.overlay import subscribers
from sparing.workloads.settings import WorkloadSettings
from sparing.workloads.trace import CHUNK, Chunk
from sparing.workloads.traffic import traffic
from sparing.workloads.workload import Workload

DEFAULTS = WorkloadSettings(
    rate=320.0,
    duration=90.0,
    subscriptions=300,
    columns=0.1,
    selectivity=0.01,
    missing=0.01,
    disorder=2.0,
    bad=0.001,
)
INCIDENTS = 1 / 16  # of the publications
INCIDENT_SUBSCRIPTIONS = 1 / 6
BUCKET = 5  # seconds: a demo is short


def city(settings: WorkloadSettings = DEFAULTS) -> Workload:
    """Return the workload of the demo. The selectivity is that of traffic subscriptions; incidents have their own."""
    asked_of_incidents = round(settings.subscriptions * INCIDENT_SUBSCRIPTIONS)
    parts = [
        traffic(
            replace(
                settings,
                rate=settings.rate * (1 - INCIDENTS),
                subscriptions=settings.subscriptions - asked_of_incidents,
            )
        ),
        incidents(
            replace(
                settings,
                rate=settings.rate * INCIDENTS,
                subscriptions=asked_of_incidents,
                selectivity=0.05,
                missing=0.0,  # reports are partial already
            )
        ),
    ]
    size = sum(part.size for part in parts)
    asked = [len(part.description["subscriptions"]) for part in parts]
    selectivity = sum(part.selectivity * part.size / size * n for part, n in zip(parts, asked, strict=True))
    return Workload(
        _description(settings, parts),
        size,
        selectivity / max(1, sum(asked)),
        settings.seed,
        partial(_chunks, parts),
        round(settings.bad * size),
    )


def _description(settings: WorkloadSettings, parts: list[Workload]) -> dict[str, Any]:
    joined = dict(parts[0].description)
    for key in ("publishers", "subscriptions"):
        joined[key] = [row for part in parts for row in part.description[key]]
    joined["topics"] = {name: topic for part in parts for name, topic in part.description["topics"].items()}
    # Both parts number their subscribers from 1, so the longer list contains the other.
    joined["subscribers"] = subscribers(settings.subscriptions)
    return joined | {"name": "city", "bill": {"bucket": f"{BUCKET} seconds"}}


def _chunks(parts: list[Workload]) -> Iterator[Chunk]:
    """Yield the publications of both parts in the order of arrival; rows of a topic lack the fields of the other."""
    pieces = [chunk for part in parts for chunk in part.chunks()]
    arrivals = np.concatenate([piece.arrivals for piece in pieces])
    order = np.argsort(arrivals, kind="stable")
    table = pa.concat_tables([piece.table for piece in pieces], promote_options="default").take(pa.array(order))
    for first in range(0, table.num_rows, CHUNK):
        yield Chunk(arrivals[order[first : first + CHUNK]], table.slice(first, CHUNK).combine_chunks())
