"""Sentences about violations of the schema, from the errors of pydantic."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from sparing.deployment.mistakes import hint, listing
from sparing.deployment.schema import Entry, Wants
from sparing.language.errors import nearest

Path = tuple[str | int, ...]
_GUESS = re.compile(r"did you mean '(.*)'\?$")


@dataclass
class _Spot:
    """A position in the models: the innermost entry on the path of keys, the key there, and its type."""

    kind: Any
    wants: str = ""
    entry: type[Entry] | None = None
    key: str = ""

    def unwrap(self) -> None:
        """Resolve annotations and `X | None`."""
        while True:
            origin, inner = get_origin(self.kind), get_args(self.kind)
            if origin is Annotated:
                self.kind = inner[0]
                self.note(inner[1:])
            elif origin in (Union, UnionType):
                self.kind = next(kind for kind in inner if kind is not type(None))
            else:
                break
        if not self.wants and isinstance(self.kind, type) and issubclass(self.kind, Entry):
            needed = needed_keys(self.kind)
            keys = f" with the key{'s'[: len(needed) - 1]} {listing(needed, 'and')}" if needed else ""
            self.wants = f"a mapping{keys}"

    def note(self, metadata: Sequence[Any]) -> None:
        """Read the last `Wants` marker, if any."""
        for mark in metadata:
            if isinstance(mark, Wants):
                self.wants = mark.text

    def step(self, to: str | int) -> None:
        """Move to a key or a position."""
        inner, self.wants = get_args(self.kind), ""
        if isinstance(self.kind, type) and issubclass(self.kind, Entry):
            self.entry, self.key = self.kind, str(to)
            fields = {field.alias or name: field for name, field in self.kind.model_fields.items()}
            if to in fields:
                self.kind = fields[str(to)].annotation
                self.unwrap()
                self.note(fields[str(to)].metadata)
                return
            self.kind, self.wants = str, "text or a number"
        elif get_origin(self.kind) is dict:
            self.key, self.kind = f"{self.key}.{to}", inner[1]
        elif inner and isinstance(to, int):
            self.key = f"{self.key}[{to}]"
            self.kind = inner[to] if get_origin(self.kind) is tuple else inner[0]
        self.unwrap()


def sentence_about(error: ErrorDetails, root: Any, data: Any) -> str:
    """Return the sentence about one error of pydantic; `data` was validated as the type `root`."""
    path, value = error["loc"], error["input"]
    spot = _Spot(root)
    spot.unwrap()
    for step in path:
        spot.step(step)
    noun = spot.entry.noun if spot.entry else "a row"
    if error["type"] == "missing":
        return f"{_capital(noun)} has no key '{spot.key}': add it"
    if error["type"] == "extra_forbidden":
        if spot.entry and (new := spot.entry.renamed.get(spot.key)) is not None:
            return f"The key '{spot.key}' of {noun} is now called '{new}': rename it"
        return unknown_key(spot.key, noun, keys_of(spot.entry), given=_at(data, path[:-1]))
    if error["type"] == "invalid_key":
        return f"{value!r} is not a key of {noun}: keys must be text"
    if allowed := choices(spot.kind):
        if isinstance(value, str):
            return f"'{value}' is not a value of '{spot.key}'{hint(value, allowed)}"
        return f"'{spot.key}' of {noun} must be {listing(allowed)}, not {shown(value)}"
    advice = ""
    if spot.wants == "text" and isinstance(value, int | float):
        advice = ": put it in quotes"
    elif value is None and spot.wants.startswith("a list of"):
        advice = ": write [] for none"
    elif value is None and spot.key.endswith(")"):
        advice = ": put a type with a comma, 'decimal(10,2)', in quotes"
    subject = f"'{spot.key}' of {noun}" if spot.entry else "This row"
    return f"{subject} must be {spot.wants}, not {shown(value)}{advice}"


def choices(kind: Any) -> tuple[str, ...]:
    """Return the values of an enum or literal type; () for other types."""
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return tuple(value.value for value in kind)
    return get_args(kind) if get_origin(kind) is Literal else ()


def wanted(field: FieldInfo) -> str:
    """Return the description of valid values of a field."""
    spot = _Spot(field.annotation)
    spot.unwrap()
    spot.note(field.metadata)
    return spot.wants


def unknown_key(key: str, noun: str, valid: Sequence[str], given: Container[str]) -> str:
    """Return the sentence about an unknown key, with the nearest key that is not `given` already."""
    if (guess := nearest(key, [name for name in valid if name not in given])) is not None:
        return f"'{key}' is not a key of {noun}: did you mean '{guess}'?"
    return f"'{key}' is not a key of {noun}: the keys are {listing(valid, 'and')}"


def keys_of(entry: type[Entry] | None) -> list[str]:
    """Return the keys of an entry as written in the file."""
    return [field.alias or name for name, field in entry.model_fields.items()] if entry else []


def needed_keys(entry: type[Entry]) -> list[str]:
    """Return the required keys of an entry."""
    return [field.alias or name for name, field in entry.model_fields.items() if field.is_required()]


def sentences(error: ValidationError, root: Any, data: Any) -> Iterator[tuple[Path, str]]:
    """Yield the path and sentence of each error of pydantic; a misspelled key is not reported as missing again."""
    details = error.errors(include_url=False, include_context=False)
    texts = [sentence_about(detail, root, data) for detail in details]
    unknown = [(d["loc"][:-1], text) for d, text in zip(details, texts, strict=True) if d["type"] == "extra_forbidden"]
    misspelled = {(place, match[1]) for place, text in unknown if (match := _GUESS.search(text)) is not None}
    for detail, text in zip(details, texts, strict=True):
        *place, key = detail["loc"] or ("",)
        if detail["type"] != "missing" or (tuple(place), key) not in misspelled:
            yield detail["loc"], text


def shown(value: Any) -> str:
    """Return a value for a sentence: short values as they are, others by their type.

    >>> shown(["a"]), shown([1, 2]), shown(None), shown(True), shown("x" * 100)
    ('[a]', 'a list', 'null', 'true', 'long text')
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple | set | frozenset):
        listed = f"[{', '.join(map(str, value))}]" if all(isinstance(item, str) for item in value) else ""
        return listed if 0 < len(listed) <= 40 else "a list"
    if isinstance(value, str):
        return f"'{value}'" if len(value) <= 40 else "long text"
    if isinstance(value, int | float):
        return repr(value) if isinstance(value, float) or abs(value) < 10**30 else "a number this large"
    return f"a value of type {type(value).__name__}"


def _at(data: Any, path: Sequence[str | int]) -> Any:
    """Return the part of the data at a path."""
    for step in path:
        data = data[step]
    return data


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
