"""Expressions over the fields of a publication and the attributes of a subscription, such as a score."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, a text, a truth value, or NULL."""

    value: float | str | bool | None


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the publication."""

    name: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of the subscription; NULL if it has none of that name."""

    name: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator or function by name, applied to its arguments."""

    name: str
    arguments: tuple[Expression, ...]


Expression = Constant | Field | Attribute | Operation
