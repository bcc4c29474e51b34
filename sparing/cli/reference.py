"""The reference of all commands, as Markdown, from the commands themselves.

`python -m sparing.cli.reference docs/cli.md` writes the page.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

import typer

from sparing.cli import build

BEGIN = """\
# Commands

<!-- Made by `python -m sparing.cli.reference docs/cli.md`: change the commands instead. -->

All that the command `sparing` can do; `--help` behind any of them tells the same, and `sparing --version` the version.
What was asked for goes to standard output, progress to standard error. A mistake that you can put right is one
sentence, and the exit status is 1. New here? Begin with the [tutorial](tutorial.md).
"""


def reference() -> str:
    """The whole page: a table of contents, then a section for each command."""
    found = list(_commands(typer.main.get_command(build()), "sparing"))
    contents = [f"| [`{name}`](#{name.replace(' ', '-')}) | {_summary(command)} |" for name, command in found]
    rows = "\n".join(["| command | what it does |", "| --- | --- |", *contents])
    return "\n".join([BEGIN, rows, "", *(_section(name, command) for name, command in found)])


def _commands(group: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Every command with its whole name, those of groups in place of the group."""
    for short in group.list_commands(None):
        command = group.get_command(None, short)
        if hasattr(command, "list_commands"):
            yield from _commands(command, f"{name} {short}")
        else:
            yield f"{name} {short}", command


def _paragraphs(command: Any) -> list[str]:
    text = inspect.cleandoc(command.help or "").replace("\f", "")
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def _summary(command: Any) -> str:
    return _paragraphs(command)[0]


def _section(name: str, command: Any) -> str:
    told = _paragraphs(command)
    examples = [text.removeprefix("Example: ") for text in told if text.startswith("Example: ")]
    parts = [f"## {name}", *(text for text in told if not text.startswith("Example: "))]
    parts.append("```sh\n" + "\n".join(examples) + "\n```")
    values = {name: _value(type_) for name, type_ in get_type_hints(inspect.unwrap(command.callback)).items()}
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option"]
    if arguments:
        rows = [f"| `{one.metavar or one.name.upper()}` | {_cell(one.help)} |" for one in arguments]
        parts.append("\n".join(["| argument | meaning |", "| --- | --- |", *rows]))
    if options:
        rows = [f"| {_option(one, values)} | {_default(one)} | {_cell(one.help)} |" for one in options]
        parts.append("\n".join(["| option | if left out | meaning |", "| --- | --- | --- |", *rows]))
    return "\n\n".join(parts) + "\n"


def _value(annotation: Any) -> str:
    """What to write behind an option, by its type: `T`, or `T | None`."""
    (type_,) = [one for one in get_args(annotation) if one is not NoneType] or [annotation]
    if isinstance(type_, type) and issubclass(type_, Enum):
        return " or ".join(_plain(value) for value in type_)
    return {int: "NUMBER", float: "NUMBER", Path: "PATH"}.get(type_, "TEXT")


def _option(option: Any, values: Mapping[str, str]) -> str:
    value = "" if option.is_flag else f" {_cell(option.metavar or values[option.name])}"
    return ", ".join(f"`{name}{value}`" for name in (*option.opts, *option.secondary_opts))


def _default(option: Any) -> str:
    if option.secondary_opts:
        return f"`{(option.opts if option.default else option.secondary_opts)[0]}`"
    if option.is_flag or option.default in (None, "", [], ()):
        return ""
    return f"`{_plain(option.default)}`"


def _plain(value: object) -> str:
    return str(value.value if isinstance(value, Enum) else value)


def _cell(text: str | None) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join((text or "").split()))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(reference(), encoding="utf-8")
