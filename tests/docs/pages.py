"""The documentation's pages, and the examples in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
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


def names(text: str) -> list[str]:
    """What a text marks as code."""
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)


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


class Table(NamedTuple):
    """A table of a page. Tests find columns by their positions or by the code in their headings, never by the words."""

    head: list[str]
    rows: list[list[str]]

    @property
    def keys(self) -> list[str]:
        """What the first column names: its code, else its cells."""
        return [name for row in self.rows for name in names(row[0]) or [row[0]]]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]


@cache
def tables(page: str) -> list[Table]:
    found, above = [], ""
    for line in text_of(page).splitlines():
        if not line.startswith("|"):
            above = ""
        elif not above:
            found.append(Table(_cells(line), []))
            above = line
        elif not set(line) <= set("|-: "):
            found[-1].rows.append(_cells(line))
    return found


def table(
    page: str,
    width: int,
    keys: Iterable[str] | None = None,
    code: Sequence[str] | None = None,
    where: Callable[[Table], bool] = lambda _: True,
) -> Table:
    """The only table of a page with so many columns, with these keys in any order, with this code in its headings."""
    fitting = [one for one in tables(page) if len(one.head) == width and where(one)]
    if keys is not None:
        fitting = [one for one in fitting if set(one.keys) == {str(key) for key in keys}]
    if code is not None:
        fitting = [one for one in fitting if names(" ".join(one.head)) == list(code)]
    assert len(fitting) == 1, f"{page}: {len(fitting)} tables of {width} columns with {keys or code or 'such rows'}"
    return fitting[0]


def same_words(pairs: Iterable[tuple[object, str]]) -> bool:
    """Whether words stand for facts: one word for each fact, and different ones for different facts."""
    told = set(pairs)
    return len(told) == len({fact for fact, _ in told}) == len({word for _, word in told})
