"""What was measured, for people, for programs and for documentation; and the goals it is held against."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rich import box
from rich.table import Table

from sparing.bench.covering.settings import Settings

GOALS = {  # seconds, by boxes and dimensions, for k = 10
    (50_000, 1): 0.02,
    (50_000, 2): 0.1,
    (50_000, 3): 0.7,
    (500_000, 1): 0.2,
    (500_000, 2): 1.6,
    (500_000, 3): 35.0,
}
GOAL_CHANGE = 0.001  # seconds
Row = tuple[str, ...]
WHOLE = ("boxes", "dim", "kept", "ours s", "goal s", "NumPy s", "SQL s", "NumPy/ours", "SQL/ours")
CHANGES = ("boxes", "dim", "add ms", "99%", "most", "remove ms", "99%", "most", "goal ms")


@dataclass(frozen=True)
class Figure:
    """One table of boxes: how many are kept, and the seconds that each engine took."""

    boxes: int
    dimensions: int
    kept: int
    sparing: float
    numpy: float | None = None
    spark: float | None = None

    def row(self, k: int) -> Row:
        """For a table."""
        goal = GOALS.get((self.boxes, self.dimensions)) if k == 10 else None
        return (
            f"{self.boxes:,}",
            str(self.dimensions),
            f"{self.kept:,}",
            f"{self.sparing:.3f}",
            "" if goal is None else f"{goal:g}",
            *("" if seconds is None else f"{seconds:.1f}" for seconds in (self.numpy, self.spark)),
            *("" if seconds is None else f"{seconds / self.sparing:,.0f}" for seconds in (self.numpy, self.spark)),
        )


@dataclass(frozen=True)
class Changes:
    """Seconds of single changes: mean, 99th percentile and most."""

    boxes: int
    dimensions: int
    add: tuple[float, ...]
    remove: tuple[float, ...]

    def row(self) -> Row:
        """For a table."""
        found = [f"{1000 * seconds:.2f}" for seconds in (*self.add, *self.remove)]
        return f"{self.boxes:,}", str(self.dimensions), *found, f"{1000 * GOAL_CHANGE:g}"


@dataclass(frozen=True)
class Figures:
    """Everything."""

    settings: Settings
    whole: tuple[Figure, ...]
    changes: tuple[Changes, ...]

    def tables(self) -> tuple[Table, Table]:
        """For people."""
        k = self.settings.k
        return (
            _table(f"Covering a table at once, k = {k}", WHOLE, [figure.row(k) for figure in self.whole]),
            _table("Boxes that come and go", CHANGES, [changes.row() for changes in self.changes]),
        )

    def json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self)

    def markdown(self) -> str:
        """For documentation."""
        k = self.settings.k
        parts = [_markdown(WHOLE, [figure.row(k) for figure in self.whole])]
        parts.append(_markdown(CHANGES, [changes.row() for changes in self.changes]))
        return "\n".join(parts)


def _table(title: str, names: Row, rows: list[Row]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    for name in names:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*row)
    return table


def _markdown(names: Row, rows: list[Row]) -> str:
    lines = [names, tuple("---:" for _ in names), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
