"""What was measured, for people, for programs and for documentation; and the goals it is held against."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from sparing.report.markdown import markdown_table
from sparing.report.tables import figures_table
from sparing_lab.bench.deciding.literal import Literal
from sparing_lab.bench.deciding.settings import Settings

MEASURED = ("adock", "wad", "wad-live", "bat", "publisher-edge", "patience")
COMPARED = ("adock", "wad")  # by what decisions alone take

# The goals: ADOCK takes at most so many times as long as WAD, and Algorithm 1 at least so many times as long as ADOCK.
TO_WAD, LITERAL, LITERAL_RATE = 1.5, 50, 1860  # the latter from so many publications/s on
NUMBERS = 20  # characters; no number has more, and none is cut
UNCERTAIN = 0.02  # of a walk: a smaller difference of two walks may be due to what disturbed one of them
MET, MISSED, UNKNOWN = "met", "missed", "-"


@dataclass(frozen=True)
class Figure:
    """One cell. Seconds are CPU seconds of all its walks: with everything that moves, and of decisions alone."""

    subscriptions: int
    ratio: float
    duration: float
    decisions: dict[str, int]
    walk: dict[str, float]
    alone: dict[str, float]
    literal: Literal

    def walk_each(self, policy: str) -> float:
        """Seconds of the walk for each of its decisions."""
        return self.walk[policy] / self.decisions[policy]

    def alone_each(self, policy: str) -> float | None:
        """Seconds of a decision alone; None if they are too few to tell."""
        found = self.alone[policy]
        return found / self.decisions[policy] if found > UNCERTAIN * self.walk[policy] else None

    @property
    def to_wad(self) -> float:
        """How many times as long as WAD's walk ADOCK's takes."""
        return self.walk["adock"] / self.walk["wad"]

    @property
    def to_wad_alone(self) -> float | None:
        """The same for decisions alone."""
        adock, wad = self.alone_each("adock"), self.alone_each("wad")
        return None if adock is None or wad is None else adock / wad

    @property
    def literal_to_walk(self) -> float:
        """How many times as long as ADOCK's whole walk the matchings of Algorithm 1 take."""
        return self.literal.seconds / self.walk_each("adock")

    @property
    def literal_to_alone(self) -> float | None:
        """The same against ADOCK's decisions alone."""
        alone = self.alone_each("adock")
        return None if alone is None else self.literal.seconds / alone

    @property
    def net_to_alone(self) -> float | None:
        """The same without what it takes to call SciPy at all."""
        alone = self.alone_each("adock")
        return None if alone is None else (self.literal.seconds - self.literal.calls) / alone


@dataclass(frozen=True)
class Figures:
    """All figures of a run."""

    settings: Settings
    figures: list[Figure]

    def json(self) -> dict[str, Any]:
        """For programs. Seconds are CPU seconds of all walks of a cell, but those of `literal` of one decision."""
        rows = [asdict(figure) | self._ratios(figure) for figure in self.figures]
        goals = {"to_wad": TO_WAD, "literal": LITERAL}
        return {"settings": asdict(self.settings), "goals": goals, "figures": rows}

    def _ratios(self, figure: Figure) -> dict[str, Any]:
        return {
            "to_wad": figure.to_wad,
            "to_wad_alone": figure.to_wad_alone,
            "literal_to_walk": figure.literal_to_walk,
            "literal_to_alone": figure.literal_to_alone,
            "net_to_alone": figure.net_to_alone,
            "verdicts": {
                "to_wad": at_most(figure.to_wad),
                "to_wad_alone": at_most(figure.to_wad_alone),
                "literal_to_walk": self._at_least(figure.literal_to_walk),
                "net_to_alone": self._at_least(figure.net_to_alone),
            },
        }

    def tables(self) -> list[Table]:
        """For people."""
        of = self.settings
        walks = f"Microseconds of the walk per decision; stock, {of.rate:,g} publications/s, median of {of.repeat}"
        alone = f"Microseconds per decision, without what moves; fastest of {of.repeat}"
        literal = "Microseconds per decision of Algorithm 1, and how many times as long as ADOCK that is"
        return [
            figures_table(title, *found, left=0, whole=NUMBERS)
            for title, found in ((walks, self._walks()), (alone, self._alone()), (literal, self._literal()))
        ]

    def markdown(self) -> str:
        """For documentation."""
        tables = (self._walks(), self._alone(), self._literal())
        return "\n\n".join(markdown_table(*found, left=0) for found in tables) + "\n"

    def _walks(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [
                f"{f.decisions['adock']:,}",
                *[_micro(f.walk_each(policy)) for policy in MEASURED],
                _times(f.to_wad),
                at_most(f.to_wad),
            ]
            for f in self.figures
        ]
        return self._table(["decisions", *MEASURED, "ADOCK / WAD", f"at most {TO_WAD}"], rows)

    def _alone(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [
                *[_micro(f.alone_each(policy)) for policy in COMPARED],
                _times(f.to_wad_alone),
                at_most(f.to_wad_alone),
            ]
            for f in self.figures
        ]
        return self._table([*COMPARED, "ADOCK / WAD", f"at most {TO_WAD}"], rows)

    def _literal(self) -> tuple[list[str], list[list[str]]]:
        goal = f"at least {LITERAL}"
        names = ["edges", "literal", "of it calls", "ADOCK's walk", goal, "its decisions", "without calls", goal]
        rows = [
            [
                f"{f.literal.edges:,.0f}",
                _micro(f.literal.seconds),
                _micro(f.literal.calls),
                _times(f.literal_to_walk),
                self._at_least(f.literal_to_walk),
                _times(f.literal_to_alone),
                _times(f.net_to_alone),
                self._at_least(f.net_to_alone),
            ]
            for f in self.figures
        ]
        return self._table(names, rows)

    def _table(self, names: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
        cells = [[f"{figure.subscriptions:,}", f"{figure.ratio:g}"] for figure in self.figures]
        return ["subscriptions", "window / slide", *names], [[*a, *b] for a, b in zip(cells, rows, strict=True)]

    def _at_least(self, found: float | None) -> str:
        """The verdict on Algorithm 1."""
        if found is None or self.settings.rate < LITERAL_RATE:
            return UNKNOWN
        return MET if found >= LITERAL else MISSED


def at_most(found: float | None) -> str:
    """The verdict on ADOCK beside WAD.

    >>> at_most(1.5), at_most(1.6), at_most(None)
    ('met', 'missed', '-')
    """
    if found is None:
        return UNKNOWN
    return MET if found <= TO_WAD else MISSED


def _micro(seconds: float | None) -> str:
    """Microseconds.

    >>> _micro(0.0000123), _micro(None)
    ('12.3', '-')
    """
    return UNKNOWN if seconds is None else f"{1e6 * seconds:,.1f}"


def _times(ratio: float | None) -> str:
    """How many times as long.

    >>> _times(1.234), _times(1234.5), _times(None)
    ('1.23', '1,234', '-')
    """
    if ratio is None:
        return UNKNOWN
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2f}"
