"""HTML pages that need nothing but themselves: no scripts, no fonts, no links to elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
p { max-width: 55rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.8rem; border-bottom: 1px solid #ddd; text-align: right; vertical-align: top; }
th { border-bottom: 2px solid #888; }
.left { text-align: left; }
svg { max-width: 100%; height: auto; }
summary { cursor: pointer; color: #555; }
.scroll { overflow-x: auto; }
@media (max-width: 40rem) { body { font-size: 14px; margin: 1rem auto; } th, td { padding: 0.2rem 0.4rem; } }
@media print {
  body { font-size: 10pt; margin: 0; max-width: none; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  table { font-size: 7.5pt; } th, td { padding: 0.15rem 0.35rem; }
  h2, h3 { break-after: avoid; } svg, table, tr, figure, .card { break-inside: avoid; } .scroll { overflow: visible; }
  h2 + *, h2 + p + *, h3 + * { break-before: avoid; } p, footer { break-inside: avoid; }
  details::details-content { content-visibility: visible; } summary { display: none; }
}
"""


def page(title: str, parts: Sequence[str], style: str = "") -> str:
    """A whole document from parts that are HTML already; `style` adds to the common one."""
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n"
        f"<body>\n<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def heading(text: str) -> str:
    """The heading of a section."""
    return f"<h2>{escape(text)}</h2>"


def paragraph(text: str) -> str:
    """A paragraph of plain text.

    >>> paragraph("a < b")
    '<p>a &lt; b</p>'
    """
    return f"<p>{escape(text)}</p>"


def table(names: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """A table of plain text; the first `left` columns are words, the others numbers.

    >>> print(table(["policy", "messages"], [["wad", "12"]]))
    <div class="scroll"><table>
    <thead><tr><th class="left">policy</th><th>messages</th></tr></thead>
    <tr><td class="left">wad</td><td>12</td></tr>
    </table></div>
    """
    lines = [f"<thead>{_line('th', names, left)}</thead>", *(_line("td", row, left) for row in rows)]
    return "\n".join(['<div class="scroll"><table>', *lines, "</table></div>"])


def folded(summary: str, part: str) -> str:
    """A part that is shown when it is asked for."""
    return f"<details>\n<summary>{escape(summary)}</summary>\n{part}\n</details>"


def _line(tag: str, cells: Sequence[str], left: int) -> str:
    words = [f'<{tag} class="left">{escape(cell)}</{tag}>' for cell in cells[:left]]
    numbers = [f"<{tag}>{escape(cell)}</{tag}>" for cell in cells[left:]]
    return f"<tr>{''.join(words + numbers)}</tr>"
