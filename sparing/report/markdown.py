"""Tables in Markdown, for documentation."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sparing.report.tables import has_words

BAR = r"\|"


def markdown_table(names: Sequence[str], rows: Sequence[Sequence[str]], left: int | Collection[str] = 1) -> str:
    """A table of cells that are Markdown; the first `left` columns, or those of these names, are words.

    >>> print(markdown_table(["policy", "messages"], [["`wad|live`", "12"]]))
    | policy | messages |
    | --- | ---: |
    | `wad\\|live` | 12 |
    """
    rule = ["---" if has_words(left, at, name) else "---:" for at, name in enumerate(names)]
    return "\n".join(map(_line, (names, rule, *rows)))


def _line(cells: Sequence[str]) -> str:
    """A line of the table; a bar inside a cell would end it, even one in code."""
    return f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |"
