"""HTML pages from templates; a page needs no other file: no scripts, no fonts, no links to elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from sparing.model.counted import counted, noun

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> Environment:
    """Templates escape every value that is not marked as HTML, and a missing value is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader("sparing.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"counted": counted, "noun": noun}
    return found


def render(template: str, values: Mapping[str, Any]) -> str:
    """A page from its template."""
    return environment().get_template(template).render(values)


def page(title: str, parts: Sequence[str], style: str = "") -> str:
    """A whole document from parts that are HTML already; `style` adds to the common one."""
    return render("parts_page.html.j2", {"title": title, "parts": parts, "style": style})


def heading(text: str) -> str:
    """The heading of a section."""
    return _part("heading", text)


def paragraph(text: str) -> str:
    """A paragraph of plain text.

    >>> paragraph("a < b")
    '<p>a &lt; b</p>'
    """
    return _part("paragraph", text)


def table(names: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """A table of plain text; the first `left` columns are words, the others numbers."""
    return _part("table", names, rows, left)


def folded(summary: str, part: str) -> str:
    """A part that is HTML already, shown when it is asked for."""
    from markupsafe import Markup

    return _part("folded", summary, Markup(part))


def _part(macro: str, *values: object) -> str:
    return str(getattr(environment().get_template("parts.html.j2").module, macro)(*values)).strip()
