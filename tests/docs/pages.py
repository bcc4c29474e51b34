"""The documentation's pages, and the examples in them."""

from __future__ import annotations

import json
import re
import shlex
from functools import cache
from pathlib import Path
from typing import NamedTuple

import typer

from sparing.cli import build

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

_FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced example. `info` is what stands behind the fence: the language, and how the example is tested."""

    page: str
    info: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.page}: {self.text.splitlines()[0][:40]}"


@cache
def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, info: str | None = None) -> list[Block]:
    found = [Block(page, match["info"].strip(), match["text"]) for match in _FENCE.finditer(text_of(page))]
    return [block for block in found if info is None or block.info == info]


def only(page: str, info: str) -> str:
    (block,) = blocks(page, info)
    return block.text


def rows_of(page: str) -> list[dict]:
    """The JSON lines of a page's only data example."""
    return [json.loads(line) for line in only(page, "json").splitlines()]


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


def check_command(line: str) -> None:
    """Parse a shell command of ours as the command line would, without running it."""
    words = shlex.split(line, comments=True)
    while words and re.fullmatch(r"\w+=.*", words[0]):
        words = words[1:]
    if not words:
        return
    match words[0]:
        case "sparing":
            command, rest = typer.main.get_command(build()), words[1:]
            while commands := getattr(command, "commands", None):
                command, rest = commands[rest[0]], rest[1:]
            command.make_context(command.name, rest)
        case "make":
            targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
            assert words[1] in targets, line
        case other:
            assert other in ("export", "venv-pack", ".venv/bin/pre-commit"), line
