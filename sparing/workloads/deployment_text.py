"""The readable text of a deployment file: one line per row of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml


class _Quoted(str):
    """Text written in double quotes, so that the quotes of SQL need no doubling."""

    __slots__ = ()


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """PyYAML's dumper, compiled if available."""


_Dumper.add_representer(
    _Quoted, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style='"')
)


def deployment_text(description: Mapping[str, Any], heading: str) -> str:
    """Return the YAML of a description, below a heading.

    >>> print(deployment_text({"name": "tiny", "subscribers": [{"id": "u1", "at": "e1"}]}, "An example."), end="")
    # An example.
    name: tiny
    subscribers:
      - {id: u1, at: e1}
    """
    lines = [f"# {heading}"]
    for key, value in description.items():
        if isinstance(value, list) and value:
            lines += [f"{key}:", *(f"  - {row}" for row in _inline(value))]
        elif isinstance(value, dict) and any(isinstance(part, dict | list) for part in value.values()):
            parts = zip(value, _inline(list(value.values())), strict=True)
            lines += [f"{key}:", *(f"  {name}: {part}" for name, part in parts)]
        else:
            lines += [f"{key}: {part}" for part in _inline([value])]
    return "\n".join(lines) + "\n"


def _inline(values: list[Any]) -> list[str]:
    """Return each value as YAML on one line."""
    text = yaml.dump_all(
        [[_quoted(value)] for value in values],  # in a list, because plain values would get an end mark
        Dumper=_Dumper,
        sort_keys=False,
        width=1 << 30,
        default_flow_style=True,
        explicit_start=True,
    )
    return [line.removeprefix("--- [").removesuffix("]") for line in text.splitlines()]


def _quoted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _Quoted(v) if key in ("sql", "where") else _quoted(v) for key, v in value.items()}
    if isinstance(value, list):
        return [_quoted(item) for item in value]
    return value
