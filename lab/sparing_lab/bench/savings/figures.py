"""What was measured, for people, for programs and for documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from sparing.report.amounts import change
from sparing.report.markdown import markdown_table
from sparing.report.tables import figures_table
from sparing_lab.bench.tables import Rows

WORDS = ("", "workload", "what it is", "command")
NOTHING = "no part"  # a technique that cannot make a difference to a workload


@dataclass(frozen=True)
class Saved:
    """Messages of all kinds on links: with all techniques, with none; with each one alone, and without it."""

    name: str
    about: str
    command: str
    publications: int
    subscriptions: int
    ours: int
    naive: int
    techniques: Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class Figures:
    """All of them."""

    cases: Sequence[Saved]

    def tables(self) -> list[Table]:
        """For the terminal."""
        return [
            figures_table("Messages if one technique is left out, against all of them", *self.left_out(), WORDS),
            figures_table("Messages with one technique alone, against none", *self.alone(), WORDS),
        ]

    def markdown(self) -> str:
        """For documentation."""
        parts = (self.left_out(), self.alone(), self.workloads())
        return "\n\n".join(markdown_table(*rows, WORDS) for rows in parts) + "\n"

    def json(self) -> dict[str, Any]:
        """For a file."""
        return {"cases": [asdict(case) for case in self.cases]}

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Figures:
        """The inverse of `json`."""
        pairs = ({name: tuple(pair) for name, pair in case["techniques"].items()} for case in found["cases"])
        return cls([Saved(**case | {"techniques": some}) for case, some in zip(found["cases"], pairs, strict=True)])

    def left_out(self) -> Rows:
        """By technique and case: how many more messages there are without it."""
        first = ["messages with all of them", *(f"{case.ours:,}" for case in self.cases)]
        last = ["without any", *(change(case.naive, case.ours) for case in self.cases)]
        return self._names(), [first, *self._rows(1, [case.ours for case in self.cases], "without "), last]

    def alone(self) -> Rows:
        """By technique and case: how many fewer messages there are with nothing else."""
        first = ["messages with none of them", *(f"{case.naive:,}" for case in self.cases)]
        last = ["all together", *(change(case.ours, case.naive) for case in self.cases)]
        return self._names(), [first, *self._rows(0, [case.naive for case in self.cases], "only "), last]

    def workloads(self) -> Rows:
        """What the cases are."""
        rows = [
            [case.name, case.about, f"{case.publications:,}", f"{case.subscriptions:,}", f"`{case.command}`"]
            for case in self.cases
        ]
        return ("workload", "what it is", "publications", "subscriptions", "command"), rows

    def _names(self) -> tuple[str, ...]:
        return ("", *(case.name for case in self.cases))

    def _rows(self, which: int, against: Sequence[int], word: str) -> list[list[str]]:
        techniques = list(dict.fromkeys(name for case in self.cases for name in case.techniques))
        return [
            [
                f"{word}{name}",
                *(
                    change(case.techniques[name][which], base) if name in case.techniques else NOTHING
                    for case, base in zip(self.cases, against, strict=True)
                ),
            ]
            for name in techniques
        ]
