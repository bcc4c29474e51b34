"""Matplotlib figures as SVG: deterministic, with text as text, without references to other files."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],  # matplotlib measures with the first
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "svg.fonttype": "none",
}


@contextmanager
def drawing() -> Iterator[None]:
    """Apply the settings under which all figures are made and saved; also a decorator."""
    from matplotlib import rc_context, rcdefaults, rcParams

    with rc_context(), warnings.catch_warnings():
        rcdefaults()  # ignore the user's matplotlibrc
        for key, value in SETTINGS.items():
            rcParams[key] = value
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the reader's fonts may have it
        yield


class Tooltips(list[str]):
    """Texts for the artists of one figure."""

    def gid(self, text: str) -> str:
        """Add a text; return the `gid` for its artists."""
        self.append(text)
        return f"tooltip-{len(self) - 1}"


def save(figure: Figure, path: Path, title: str) -> None:
    """Write a figure in the format of the path's suffix."""
    if path.suffix == ".svg":
        path.write_text(to_svg(figure, title), encoding="utf-8")
    else:
        figure.savefig(path, dpi=150)


def to_svg(
    figure: Figure, title: str, tooltips: Sequence[str] = (), *, inline: bool = False, scale: float = 4 / 3
) -> str:
    """Return a figure as an SVG document, or as a transparent element of a page (`inline`).

    `title` is the text alternative, `scale` the number of pixels per point.
    """
    from matplotlib import rc_context

    text = io.StringIO()
    with rc_context({"svg.hashsalt": title}):  # ids differ between the figures of a page
        figure.savefig(text, format="svg", transparent=inline)
    source = _valid(text.getvalue())
    root, used = ElementTree.fromstring(source), set(re.findall(r"#([\w-]+)", source))
    for element in list(root.iter()):
        element.tag = _local(element.tag)
        attributes = {_local(key): " ".join(value.split()) for key, value in element.items()}
        name = attributes.get("id", "")
        if name.startswith("tooltip-"):
            _insert_title(element, tooltips[int(name.removeprefix("tooltip-"))])
        if name not in used:
            attributes.pop("id", None)
        element.attrib.clear()
        element.attrib.update(attributes)
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag in ("metadata", "style")]:
            parent.remove(child)
    for key, length in zip(("width", "height"), root.attrib["viewBox"].split()[2:], strict=True):
        root.set(key, f"{float(length) * scale:.0f}")
    # These replace the style sheet, which would apply to the whole page.
    for key, value in (("stroke-linejoin", "round"), ("stroke-linecap", "butt"), ("role", "img")):
        root.set(key, value)
    if inline:
        root.set("aria-label", _valid(title))
    else:
        root.set("xmlns", "http://www.w3.org/2000/svg")
        _insert_title(root, title)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _insert_title(element: ElementTree.Element, text: str) -> None:
    title = ElementTree.Element("title")
    title.text = _valid(text)
    element.insert(0, title)


def _local(name: str) -> str:
    """Return a name without its namespace."""
    return name.rpartition("}")[2]


def _valid(text: str) -> str:
    """Return text without characters that are invalid in XML."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", text)
