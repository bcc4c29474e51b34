"""What benchmarks have in common: goals in seconds, and tables for people and for documentation."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from rich import box
from rich.table import Table

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


def rich_table(title: str, names: tuple[str, ...], rows: list[list[str]], words: Collection[str]) -> Table:
    """For people; columns with `words` in them are left aligned."""
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    for name in names:
        table.add_column(name, justify="left" if name in words else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def markdown_table(names: tuple[str, ...], rows: list[list[str]], words: Collection[str]) -> str:
    """For documentation."""
    rule = ["---" if name in words else "---:" for name in names]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [names, rule, *rows])


def times(shown: str, ratio: float) -> str:
    """What a peer takes, and how many times Sparing's time that is.

    >>> times("2", 12.34), times("2", 1.234)
    ('2 (12x)', '2 (1.2x)')
    """
    return f"{shown} ({ratio:,.0f}x)" if ratio >= 10 else f"{shown} ({ratio:.1f}x)"
