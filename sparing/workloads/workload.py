"""A workload: the description of a deployment, and its publications."""

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
    """A deployment file's content (`description`) and a trace, determined by the settings.

    `size` is the number of publications, `selectivity` the share that a subscription matches on average, measured with
    a sample; `bad` is the number of additional bad rows in a JSON trace.
    """

    description: dict[str, Any]
    size: int
    selectivity: float
    seed: int
    chunks: Callable[[], Iterator[Chunk]] = field(repr=False)
    bad: int = 0

    def publications(self) -> Iterator[pa.Table]:
        """Yield the publications in the order of arrival: column `publisher`, then the fields of the topic."""
        for chunk in self.chunks():
            yield chunk.table


def workload(
    name: str,
    settings: WorkloadSettings,
    *,
    topic: dict[str, Any],
    advertised: Sequence[str | None],
    subscriptions: list[dict[str, Any]],
    selectivity: float,
    chunks: Callable[[], Iterator[Chunk]],
) -> Workload:
    """Return a workload of one topic over the paper's overlay; `advertised` are the WHERE clauses of its publishers."""
    description = description_of(name, settings, topic, subscriptions) | {
        "overlay": overlay(),
        "publishers": publishers(name, advertised),
        "subscribers": subscribers(settings.subscriptions),
    }
    return workload_of(description, settings, selectivity, chunks)


def description_of(
    name: str, settings: WorkloadSettings, topic: dict[str, Any], subscriptions: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the content of a deployment file for one topic, without overlay, publishers and subscribers."""
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
    """Return a workload with the numbers of publications and bad rows of the settings."""
    bad = round(settings.bad * settings.size)
    return Workload(description, settings.size, selectivity, settings.seed, chunks, bad)
