"""HTML pages from templates. Pages are self-contained: no scripts, no fonts, no external links."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from sparing.model.counted import counted, noun

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> Environment:
    """Return the templates; they escape values that are not marked as HTML, and fail on a missing value."""
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
    """Return the page of a template."""
    return environment().get_template(template).render(values)
