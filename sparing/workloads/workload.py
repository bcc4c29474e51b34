"""A workload: the description of a deployment, and the publications that go with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from sparing.workloads.overlay import overlay, publishers, subscribers
from sparing.workloads.settings import WorkloadSettings
from sparing.workloads.trace import Chunk


@dataclass(frozen=True)
class Workload:
    """`description` is the mapping that a deployment file holds. The same settings always give the same workload.

    `size` counts the publications, `selectivity` is the share of them that a subscription matches on average,
    measured on a sample; `bad` counts the bad rows that a JSON trace gets besides.
    """

    description: dict[str, Any]
    size: int
    selectivity: float
    seed: int
    chunks: Callable[[], Iterator[Chunk]] = field(repr=False)
    bad: int = 0

    def publications(self) -> Iterator[pa.Table]:
        """The publications in the order of writing: column `publisher`, then the fields of the topic."""
        for chunk in self.chunks():
            yield chunk.table


def workload(
    name: str,
    settings: WorkloadSettings,
    topic: dict[str, Any],
    advertised: Sequence[str | None],
    subscriptions: list[dict[str, Any]],
    selectivity: float,
    chunks: Callable[[], Iterator[Chunk]],
) -> Workload:
    """A workload of one topic over the paper's overlay; `advertised` are the WHERE clauses of its publishers."""
    description = description_of(name, settings, topic, subscriptions) | {
        "overlay": overlay(),
        "publishers": publishers(name, advertised),
        "subscribers": subscribers(settings.subscriptions),
    }
    return workload_of(description, settings, selectivity, chunks)


def description_of(
    name: str, settings: WorkloadSettings, topic: dict[str, Any], subscriptions: list[dict[str, Any]]
) -> dict[str, Any]:
    """What a deployment file says of a workload of one topic, but for who is where."""
    return {
        "name": name,
        "overlay": {},
        "topics": {name: topic},
        "publishers": [],
        "subscribers": [],
        "subscriptions": subscriptions,
        "source": {"format": "json", "path": "data/"},
        "sink": {"format": "parquet", "path": "out/"},
        "policy": {"decision": "adock"},
        "watermark": settings.watermark,
    }


def workload_of(
    description: dict[str, Any], settings: WorkloadSettings, selectivity: float, chunks: Callable[[], Iterator[Chunk]]
) -> Workload:
    """A workload with as many publications and bad rows as the settings say."""
    return Workload(description, settings.size, selectivity, settings.seed, chunks, bad_rows(settings, settings.size))


def bad_rows(settings: WorkloadSettings, size: int) -> int:
    """How many bad rows go with so many publications."""
    return round(settings.bad * size)
