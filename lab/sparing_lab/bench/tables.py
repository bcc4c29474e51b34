"""What benchmarks have in common: goals in seconds, and how many times as long others take."""

from __future__ import annotations

from dataclasses import dataclass

Rows = tuple[tuple[str, ...], list[list[str]]]  # names of columns, and cells

TARGETS = ("what", "goal", "found", "verdict")


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


def target_rows(targets: list[Target]) -> Rows:
    """Goals as a table."""
    return TARGETS, [[t.what, f"{t.goal:g}", f"{t.found:.2g}", t.verdict] for t in targets]


def times(shown: str, ratio: float) -> str:
    """What a peer takes, and how many times Sparing's time that is.

    >>> times("2", 12.34), times("2", 1.234)
    ('2 (12x)', '2 (1.2x)')
    """
    return f"{shown} ({ratio:,.0f}x)" if ratio >= 10 else f"{shown} ({ratio:.1f}x)"
