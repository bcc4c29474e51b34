"""What was measured, for people, for programs and for documentation; and the goals it is held against."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from rich import box
from rich.table import Table

from sparing.bench.covering.changes import ADD, BUILD, REMOVE, Change
from sparing.bench.covering.engines import ENGINES
from sparing.bench.covering.settings import Settings

# The goals: seconds of one core for so many boxes of so many dimensions with k = 10, and for a change.
GOAL_K = 10
GOALS = {
    (1, 50_000): 0.02,
    (2, 50_000): 0.1,
    (3, 50_000): 0.7,
    (1, 500_000): 0.2,
    (2, 500_000): 1.6,
    (3, 500_000): 35.0,
}
CHANGE_GOAL = 0.001
LEFT = ("what", "verdict")


@dataclass
class Figure:
    """One engine on one case: seconds of every repetition, or why there are none."""

    dimensions: int
    boxes: int
    engine: str
    skipped: str = ""
    way: str = ""  # the quicker one, if there are several
    kept: int = 0
    seconds: list[float] = field(default_factory=list)  # of the wall clock
    cpu: list[float] = field(default_factory=list)  # of the thread that asks; Spark works in others

    @property
    def median(self) -> float:
        """Seconds of the wall clock."""
        return median(self.seconds)


@dataclass(frozen=True)
class Target:
    """A goal in seconds, and what was measured."""

    what: str
    goal: float
    found: float

    @property
    def verdict(self) -> str:
        """Met or missed."""
        return "met" if self.found <= self.goal else "missed"


@dataclass(frozen=True)
class Figures:
    """All figures of a run."""

    settings: Settings
    figures: list[Figure]
    changes: list[Change] = field(default_factory=list)

    def json(self) -> dict[str, Any]:
        """For programs."""
        found = asdict(self)
        for row, figure in zip(found["figures"], self.figures, strict=True):
            row["ratio"] = self.ratio(figure)
        found["targets"] = [asdict(target) | {"verdict": target.verdict} for target in self.targets()]
        return found

    def ratio(self, figure: Figure) -> float | None:
        """How many times as long as Sparing an engine takes."""
        ours = self._find(figure.dimensions, figure.boxes, "sparing")
        return figure.median / ours.median if ours is not None and figure.seconds else None

    def targets(self) -> list[Target]:
        """The goals for what was measured."""
        found = []
        for (dimensions, count), goal in GOALS.items():
            ours = self._find(dimensions, count, "sparing")
            if ours is not None and self.settings.k == GOAL_K:
                found.append(Target(f"{count:,} boxes, {dimensions}-d: seconds of one core", goal, median(ours.cpu)))
        for change in self.changes:
            if change.what in (ADD, REMOVE):
                what = f"{change.boxes:,} boxes, {change.dimensions}-d: seconds to {change.what}, mean"
                found.append(Target(what, CHANGE_GOAL, change.mean))
        return found

    def tables(self) -> list[Table]:
        """For people."""
        of = self.settings
        title = f"Seconds to find what fewer than {of.k} better boxes cover; one core, median of {of.repeat}"
        found = [_rich(title, *self._covers(), caption="\n".join(self._skipped()))]
        if self.changes:
            found.append(_rich("Microseconds for a box that comes or goes", *self._changes()))
        if self.targets():
            found.append(_rich("Goals", *self._targets()))
        return found

    def markdown(self) -> str:
        """For documentation."""
        parts = [_markdown(*self._covers()), *self._skipped()]
        if self.changes:
            parts.append(_markdown(*self._changes()))
        if self.targets():
            parts.append(_markdown(*self._targets()))
        return "\n\n".join(parts) + "\n"

    def _find(self, dimensions: int, count: int, engine: str) -> Figure | None:
        wanted = (dimensions, count, engine)
        return next((f for f in self.figures if (f.dimensions, f.boxes, f.engine) == wanted), None)

    def _covers(self) -> tuple[list[str], list[list[str]]]:
        names = self.settings.engines
        rows = []
        for ours in self.figures:
            if ours.engine != "sparing":
                continue
            cells = [self._cell(self._find(ours.dimensions, ours.boxes, name)) for name in names]
            rows.append([str(ours.dimensions), f"{ours.boxes:,}", f"{ours.kept:,}", *cells])
        return ["dimensions", "boxes", "kept", *[ENGINES[name].title for name in names]], rows

    def _cell(self, figure: Figure | None) -> str:
        if figure is None or figure.skipped:
            return "skipped"
        ratio = self.ratio(figure)
        return _seconds(figure.median) + ("" if figure.engine == "sparing" else f" ({_times(ratio)})")

    def _skipped(self) -> list[str]:
        """Which engines were skipped, and why."""
        return [
            f"{ENGINES[f.engine].title} was skipped with {f.boxes:,} boxes, {f.dimensions}-d: it {f.skipped}."
            for f in self.figures
            if f.skipped
        ]

    def _changes(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [c.what, str(c.dimensions), f"{c.boxes:,}", *[_micro(s) for s in (c.mean, c.high, c.worst)], f"{c.times:,}"]
            for c in self.changes
            if c.what != BUILD
        ]
        return ["what", "dimensions", "boxes", "mean", "99%", "worst", "times"], rows

    def _targets(self) -> tuple[list[str], list[list[str]]]:
        rows = [[t.what, f"{t.goal:g}", f"{t.found:.2g}", t.verdict] for t in self.targets()]
        return ["what", "goal", "found", "verdict"], rows


def _seconds(number: float) -> str:
    """Three digits.

    >>> _seconds(0.01234), _seconds(12.34)
    ('0.0123', '12.3')
    """
    return f"{number:.3g}" if number < 100 else f"{number:,.0f}"


def _micro(seconds: float) -> str:
    return f"{1e6 * seconds:,.0f}"


def _times(ratio: float | None) -> str:
    """How many times.

    >>> _times(3.14159), _times(1234.5)
    ('3.1x', '1,234x')
    """
    assert ratio is not None
    return f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.1f}x"


def _rich(title: str, names: list[str], rows: list[list[str]], caption: str = "") -> Table:
    table = Table(
        box=box.SIMPLE_HEAD,
        title=title,
        title_justify="left",
        title_style="bold",
        caption=caption,
        caption_justify="left",
    )
    for name in names:
        table.add_column(name, justify="left" if name in LEFT else "right")
    for row in rows:
        table.add_row(*row)
    return table


def _markdown(names: list[str], rows: list[list[str]]) -> str:
    rule = ["---" if name in LEFT else "---:" for name in names]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [names, rule, *rows])
