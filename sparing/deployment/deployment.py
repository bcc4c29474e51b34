"""What a deployment file says, as model values that have been checked against each other."""

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
    """What one row may ask for: how many bytes it may have, and for how many windows of a subscription it may count."""

    row_bytes: int = 1 << 20
    windows_per_event: int = 1_000


@dataclass(frozen=True)
class Deployment:
    """Overlay, topics, who publishes and who wants what, where data comes from and goes to.

    `subscribers` maps each subscriber to the brokers that it may attach to. `watermark` is how much later than the
    latest event a publication may still arrive, `bucket` the width of the bill's time buckets (microseconds). A
    stream sets rows aside whose event time is more than `ahead` after the clock (microseconds; None: it does not).
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
    file: Path | None = field(default=None, compare=False)  # what it was read from
    tables: tuple[str, ...] = ()  # paths and URLs of the tables that the file names

    @property
    def publishers(self) -> frozenset[str]:
        """The ids of its publishers; one may advertise several things."""
        return frozenset(advertisement.publisher for advertisement in self.advertisements)

    def needed_source(self) -> Endpoint:
        """The source, for work that cannot do without one."""
        if self.source is None:
            raise SparingError(
                f"Deployment {self.name} has no source: add one, e.g. source: {{format: json, path: data/}}."
            )
        return self.source

    def needed_sink(self) -> Endpoint:
        """The sink, for work that cannot do without one."""
        if self.sink is None:
            raise SparingError(
                f"Deployment {self.name} has no sink: add one, e.g. sink: {{format: parquet, path: out/}}."
            )
        return self.sink

    @classmethod
    def read(cls, path: str | Path) -> Deployment:
        """Read and check a deployment file."""
        from sparing.deployment.reader import read

        return read(Path(path))

    @classmethod
    def of(cls, description: Mapping[str, Any], base: str | Path = ".") -> Deployment:
        """The deployment that a mapping describes, as the YAML file would; paths are relative to `base`."""
        from sparing.deployment.reader import from_mapping

        return from_mapping(description, Path(base))
