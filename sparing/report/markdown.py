"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sparing.report.tables import is_text_column

BAR = r"\|"


def markdown_table(names: Sequence[str], rows: Sequence[Sequence[str]], left: int | Collection[str] = 1) -> str:
    """Return a table of Markdown cells; the first `left` columns, or those of these names, are text, others numbers.

    >>> print(markdown_table(["policy", "messages"], [["`wad|live`", "12"]]))
    | policy | messages |
    | --- | ---: |
    | `wad\\|live` | 12 |
    """
    rule = ["---" if is_text_column(left, at, name) else "---:" for at, name in enumerate(names)]
    return "\n".join(map(_line, (names, rule, *rows)))


def _line(cells: Sequence[str]) -> str:
    """Return a line of the table; bars in cells are escaped, because they would end the cell even in code."""
    return f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |"
