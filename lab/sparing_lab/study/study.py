"""The one form of a study: a grid of experiments, a measurement, and claims and exhibits made from its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sparing_lab.study.exhibits import Comparison, Exhibit, TableExhibit
from sparing_lab.study.results import Results
from sparing_lab.study.rows import Row


@dataclass(frozen=True, kw_only=True)
class Study:
    """The experiments of one paper.

    Each element of `cells(scale)` is an independent experiment. `measure` turns one into rows; it runs in a Spark
    task, so it is a function of a module. `results` looks up all rows of a run; claims and exhibits are made from it.
    """

    name: str
    title: str
    paper: str
    introduction: Sequence[str]
    scales: Mapping[str, Any]  # name -> scale, which declares the grid
    row: type[Row]
    results: type[Results[Any, Any]]
    measure: Callable[[Any], list[Any]]
    scale_text: Callable[[Any], str]  # says how much is measured at a scale
    claims: Callable[[Any], list[Comparison]]
    exhibits: Callable[[Any], list[Exhibit]]
    grid: Callable[[Any], Sequence[Any]] = field(default=lambda scale: scale.cells())

    def cells(self, scale: str) -> Sequence[Any]:
        """Return the experiments of a scale, longest first."""
        return self.grid(self.scales[scale])

    def report(self, scale: str, rows: Sequence[Any]) -> StudyReport:
        """Return claims and exhibits for the rows of a run."""
        results = self.results(self.scales[scale], rows)
        return StudyReport(self, self.scale_text(results.scale), self.claims(results), self.exhibits(results))


@dataclass(frozen=True)
class StudyReport:
    """A study's claims with verdicts, and its exhibits."""

    study: Study
    scale: str  # how much was measured
    claims: Sequence[Comparison]
    exhibits: Sequence[Exhibit]

    @property
    def tables(self) -> list[TableExhibit]:
        """The exhibits that the terminal shows."""
        return [exhibit for exhibit in self.exhibits if isinstance(exhibit, TableExhibit)]

    @property
    def findings(self) -> list[str]:
        """The sentences that tables lead to."""
        return [sentence for table in self.tables for sentence in table.findings]
