"""The benchmark of merged events: options, records, tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sparing.model.errors import SparingError
from sparing_lab.bench.benchmark import (
    Benchmark,
    Results,
    Run,
    Show,
    Table,
    count,
    digits,
    option,
    repetitions,
    spark_conf,
    spark_master,
    text,
)


@dataclass(frozen=True)
class OnSpark:
    """The whole pipeline over a trace, from a cached table to its notifications."""

    events: int
    reports: int
    way: str
    seconds: float


@dataclass(frozen=True)
class InFlight:
    """The walk alone; `state` is the size of the state, in bytes, when half of the reports had come.

    `kept` is how many seconds it took to store that and to load it again.
    """

    events: int
    reports: int
    under_way: int
    seconds: float
    state: int
    kept: float | None = None  # which older results do not have


@dataclass(frozen=True)
class Events(Benchmark):
    """Merging events on Spark beside a plain Spark SQL job that only groups reports; growth with events in flight.

    Example: sparing bench events --events 1000 --in-flight 100,1000 --partitions 4 --repeat 5
    """

    events: tuple[int, ...] = option((1_000, 10_000), "Numbers of events to try on Spark.")
    in_flight: tuple[int, ...] = option((100, 1_000, 10_000), "Numbers of events under way at the same time.")
    reports: int = option(10, "Reports of each event, on average.", min=1)
    subscriptions: int = option(60, "Subscriptions to the topic.", min=1)
    partitions: tuple[int, ...] = option((1, 4), "Numbers of partitions to try.")
    repeat: int = repetitions()
    master: str = spark_master()
    conf: tuple[str, ...] = spark_conf()

    parts: ClassVar = {"on_spark": list[OnSpark], "in_flight": list[InFlight]}

    def __post_init__(self) -> None:
        if min((*self.events, *self.in_flight, *self.partitions, self.reports, self.subscriptions, self.repeat)) < 1:
            raise SparingError(
                "Numbers of events, reports, subscriptions, partitions and repetitions must be above zero."
            )

    def measure(self, run: Run) -> Results:
        """The pipeline beside its peer, then the walk alone."""
        from sparing_lab.bench.events.measure import measure

        return measure(self, run)

    def tables(self, results: Results) -> list[Table]:
        """One for Spark, one for the walk alone."""
        on_spark: dict[str, Show] = {
            "events": count("events"),
            "reports": count("reports"),
            "way": text("way"),
            "seconds": lambda f: f"{f.seconds:.2f}",
            "events/s": lambda f: f"{f.events / f.seconds:,.0f}",
            "reports/s": lambda f: f"{f.reports / f.seconds:,.0f}",
        }
        in_flight: dict[str, Show] = {
            "events": count("events"),
            "in flight in the middle": count("under_way"),
            "reports": count("reports"),
            "microseconds per report": lambda f: f"{1e6 * f.seconds / f.reports:.1f}",
            "state bytes per event": lambda f: f"{f.state / max(f.under_way, 1):,.0f}",
            "seconds to store and load it": lambda f: digits(f.kept),
        }
        growth = "Growth with events in flight: the walk alone, one core"
        return [
            Table("Merging on Spark, as a batch", results["on_spark"], on_spark, ("way",)),
            Table(growth, results["in_flight"], in_flight),
        ]
