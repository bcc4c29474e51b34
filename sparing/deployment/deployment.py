"""The deployment: the validated content of a deployment file, as model values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparing.model.errors import SparingError
from sparing.model.merge import Outage
from sparing.model.overlay import Overlay
from sparing.model.policy import SECOND, Policy
from sparing.model.prices import Prices
from sparing.model.subscription import Advertisement, Subscription
from sparing.model.topic import Topic


@dataclass(frozen=True)
class Endpoint:
    """A Spark source or sink: its format, path and options."""

    format: str
    path: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Limits:
    """Limits per row: its size in bytes, and the number of windows of one subscription that count it."""

    row_bytes: int = 1 << 20
    windows_per_event: int = 1_000


@dataclass(frozen=True)
class Deployment:
    """Overlay, topics, publishers, subscriptions, endpoints and policy.

    `subscribers` maps each subscriber to its candidate brokers. Durations are in microseconds: `watermark` is the delay
    of the watermark behind the latest event time, `bucket` the width of the bill's time buckets. A stream quarantines
    rows whose event time is more than `ahead` after the current time (None: no limit).
    """

    name: str
    overlay: Overlay
    topics: Mapping[str, Topic]
    advertisements: tuple[Advertisement, ...]
    subscribers: Mapping[str, tuple[str, ...]]
    subscriptions: tuple[Subscription, ...]
    source: Endpoint | None = None
    sink: Endpoint | None = None
    policy: Policy = field(default_factory=Policy)
    outages: tuple[Outage, ...] = ()
    watermark: int = 10 * SECOND
    ahead: int | None = 600 * SECOND
    bucket: int = 60 * SECOND
    limits: Limits = field(default_factory=Limits)
    prices: Prices | None = None
    checkpoint: str | None = None
    file: Path | None = field(default=None, compare=False)  # the deployment file
    tables: tuple[str, ...] = ()  # paths and URLs of the tables that the file refers to

    @property
    def publishers(self) -> frozenset[str]:
        """The ids of the publishers; a publisher may have several advertisements."""
        return frozenset(advertisement.publisher for advertisement in self.advertisements)

    def needed_source(self) -> Endpoint:
        """Return the source; raise an error if there is none."""
        if self.source is None:
            raise SparingError(
                f"Deployment {self.name} has no source: add one, e.g. source: {{format: json, path: data/}}."
            )
        return self.source

    def needed_sink(self) -> Endpoint:
        """Return the sink; raise an error if there is none."""
        if self.sink is None:
            raise SparingError(
                f"Deployment {self.name} has no sink: add one, e.g. sink: {{format: parquet, path: out/}}."
            )
        return self.sink

    @classmethod
    def read(cls, path: str | Path) -> Deployment:
        """Return the deployment of a file; raise an error that lists its mistakes."""
        from sparing.deployment.reader import read

        return read(Path(path))

    @classmethod
    def of(cls, description: Mapping[str, Any], base: str | Path = ".") -> Deployment:
        """Return the deployment of a mapping with the keys of the file; paths are relative to `base`."""
        from sparing.deployment.reader import from_mapping

        return from_mapping(description, Path(base))
