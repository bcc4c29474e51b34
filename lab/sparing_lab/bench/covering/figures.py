"""What was measured, for people, for programs and for documentation; and the goals it is held against."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from sparing.report.markdown import markdown_table
from sparing.report.tables import figures_table
from sparing_lab.bench.covering.changes import Change
from sparing_lab.bench.covering.settings import Settings
from sparing_lab.bench.tables import Rows, Target, target_rows, times

# The goals: seconds of one core for so many boxes in so many dimensions with k = 10, and for a change.
GOAL_K = 10
GOALS = {
    (50_000, 1): 0.02,
    (50_000, 2): 0.1,
    (50_000, 3): 0.7,
    (500_000, 1): 0.2,
    (500_000, 2): 1.6,
    (500_000, 3): 35.0,
}
CHANGE_GOAL = 0.001

WHOLE = ("boxes", "dimensions", "kept", "Sparing", "of one core", "NumPy", "Spark SQL")
CHANGES = ("boxes", "dimensions", "add", "remove", "remove one that is forwarded")
WORDS = ("what", "verdict")  # what has words in it, not numbers


@dataclass(frozen=True)
class Figure:
    """One case: seconds by the clock of every engine that took part, and of CPU time for Sparing."""

    boxes: int
    dimensions: int
    kept: int
    sparing: float
    core: float
    numpy: float | None
    spark: float | None

    def ratio(self, peer: float | None) -> float | None:
        """How many times as long as Sparing a peer takes."""
        return None if peer is None else peer / self.sparing


@dataclass(frozen=True)
class Figures:
    """All figures of a run."""

    settings: Settings
    whole: list[Figure]
    changes: list[Change]

    def json(self) -> dict[str, Any]:
        """For programs."""
        found = asdict(self)
        for row, figure in zip(found["whole"], self.whole, strict=True):
            row["ratios"] = {"numpy": figure.ratio(figure.numpy), "spark": figure.ratio(figure.spark)}
        for row, change in zip(found["changes"], self.changes, strict=True):
            for kind in ("add", "remove", "uncover"):
                row[kind] = getattr(change, kind)._asdict()
        found["targets"] = [asdict(target) | {"verdict": target.verdict} for target in self.targets()]
        return found

    def targets(self) -> list[Target]:
        """The goals for what was measured."""
        found = []
        if self.settings.k == GOAL_K:
            for figure in self.whole:
                goal = GOALS.get((figure.boxes, figure.dimensions))
                if goal is not None:
                    what = f"{figure.boxes:,} boxes, {figure.dimensions}-d: seconds of one core"
                    found.append(Target(what, goal, figure.core))
            for change in self.changes:
                if (change.boxes, change.dimensions) in GOALS:
                    for kind, seconds in (("add", change.add), ("remove", change.remove)):
                        what = f"{change.boxes:,} boxes, {change.dimensions}-d: seconds to {kind} one, mean"
                        found.append(Target(what, CHANGE_GOAL, seconds.mean))
        return found

    def tables(self) -> list[Table]:
        """For people."""
        of = self.settings
        title = f"Seconds to find what fewer than {of.k} better boxes cover; median of {of.repeat}"
        found = [figures_table(title, *self._whole(), WORDS)]
        if self.changes:
            changes = "Microseconds for a box that comes or goes: mean / 99% / worst"
            found.append(figures_table(changes, *self._changes(), WORDS))
        if self.targets():
            found.append(figures_table("Goals", *target_rows(self.targets()), WORDS))
        return found

    def markdown(self) -> str:
        """For documentation."""
        parts = [self._whole()]
        if self.changes:
            parts.append(self._changes())
        if self.targets():
            parts.append(target_rows(self.targets()))
        return "\n\n".join(markdown_table(*part, WORDS) for part in parts) + "\n"

    def _whole(self) -> Rows:
        rows = [
            [
                f"{f.boxes:,}",
                str(f.dimensions),
                f"{f.kept:,}",
                _seconds(f.sparing),
                _seconds(f.core),
                *[_beside(peer, f.ratio(peer)) for peer in (f.numpy, f.spark)],
            ]
            for f in self.whole
        ]
        return WHOLE, rows

    def _changes(self) -> Rows:
        rows = [
            [
                f"{c.boxes:,}",
                str(c.dimensions),
                *[" / ".join(f"{1e6 * one:,.0f}" for one in kind) for kind in (c.add, c.remove, c.uncover)],
            ]
            for c in self.changes
        ]
        return CHANGES, rows


def _seconds(number: float) -> str:
    """Three digits.

    >>> _seconds(0.01234), _seconds(12.34), _seconds(1234.5)
    ('0.0123', '12.3', '1,234')
    """
    return f"{number:.3g}" if number < 100 else f"{number:,.0f}"


def _beside(seconds: float | None, ratio: float | None) -> str:
    """What a peer takes, and how many times Sparing's time that is.

    >>> _beside(2.0, 12.34), _beside(2.0, 1.234), _beside(None, None)
    ('2 (12x)', '2 (1.2x)', '-')
    """
    if seconds is None or ratio is None:
        return "-"
    return times(_seconds(seconds), ratio)
