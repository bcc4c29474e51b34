"""The documentation's pages, and the examples in them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]

_FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"`([\w./-]+\.(?:yaml|jsonl?|csv|py))`")


class Block(NamedTuple):
    """A fenced example. `info` is what stands behind the fence: the language, and how the example is tested."""

    page: str
    info: str
    text: str
    above: str = ""  # the paragraph that leads up to it
    line: int = 0

    @property
    def name(self) -> str:
        return f"{self.page}:{self.line}: {self.text.splitlines()[0][:40]}"

    @property
    def file(self) -> str | None:
        """The file that a reader saves the example as: the last one that the paragraph above names."""
        ending = {"yaml": ".yaml", "json": (".json", ".jsonl"), "csv": ".csv", "python": ".py"}.get(self.info)
        named = [file for file in _FILE.findall(self.above) if ending and file.endswith(ending)]
        return named[-1] if named else None


@cache
def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def flat(page: str) -> str:
    """The text of a page without line breaks, to look for sentences in."""
    return " ".join(text_of(page).split())


def essential(text: str) -> list[str]:
    """The lines of an output, however they are laid out."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip(" ─┄-+")]


def blocks(page: str, info: str | None = None) -> list[Block]:
    found, end, text = [], 0, text_of(page)
    for match in _FENCE.finditer(text):
        above = text[end : match.start()].strip().split("\n\n")[-1]
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(page, match["info"].strip(), match["text"], above, line))
        end = match.end()
    return [block for block in found if info is None or block.info == info]


def only(page: str, info: str, within: str = "") -> str:
    """The only example of a sort on a page that has some text in it."""
    (block,) = (block for block in blocks(page, info) if within in block.text)
    return block.text


def table(page: str, *columns: str) -> list[dict[str, str]]:
    """The rows of every table of a page that has just these columns."""
    found, inside = [], False
    for line in text_of(page).splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")] if line.startswith("|") else None
        if cells is None:
            inside = False
        elif cells == list(columns):
            inside = True
        elif inside and not set(line) <= set("|- "):
            found.append(dict(zip(columns, cells, strict=True)))
    return found
