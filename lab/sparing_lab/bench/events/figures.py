"""What was measured, for people, for programs and for documentation."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from sparing.report.markdown import markdown_table
from sparing.report.tables import figures_table
from sparing_lab.bench.events.settings import Settings
from sparing_lab.bench.tables import Rows

ON_SPARK = ("events", "reports", "way", "seconds", "events/s", "reports/s")
IN_FLIGHT = (
    "events",
    "in flight in the middle",
    "reports",
    "microseconds per report",
    "state bytes per event",
    "seconds to store and load it",
)
WORDS = ("way",)


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
    kept: float


@dataclass(frozen=True)
class Figures:
    """All of them."""

    settings: Settings
    on_spark: list[OnSpark]
    in_flight: list[InFlight]

    def tables(self) -> list[Table]:
        """For the terminal."""
        return [
            figures_table("Merging on Spark, as a batch", *self._on_spark(), WORDS),
            figures_table("Growth with events in flight: the walk alone, one core", *self._in_flight(), WORDS),
        ]

    def markdown(self) -> str:
        """For documentation."""
        return "\n\n".join(markdown_table(*rows, WORDS) for rows in (self._on_spark(), self._in_flight())) + "\n"

    def json(self) -> dict[str, Any]:
        """For a file."""
        return {
            "settings": asdict(self.settings),
            "on_spark": [asdict(figure) for figure in self.on_spark],
            "in_flight": [asdict(figure) for figure in self.in_flight],
        }

    def _on_spark(self) -> Rows:
        rows = [
            [
                f"{f.events:,}",
                f"{f.reports:,}",
                f.way,
                f"{f.seconds:.2f}",
                f"{f.events / f.seconds:,.0f}",
                f"{f.reports / f.seconds:,.0f}",
            ]
            for f in self.on_spark
        ]
        return ON_SPARK, rows

    def _in_flight(self) -> Rows:
        rows = [
            [
                f"{f.events:,}",
                f"{f.under_way:,}",
                f"{f.reports:,}",
                f"{1e6 * f.seconds / f.reports:.1f}",
                f"{f.state / max(f.under_way, 1):,.0f}",
                f"{f.kept:.3f}",
            ]
            for f in self.in_flight
        ]
        return IN_FLIGHT, rows
