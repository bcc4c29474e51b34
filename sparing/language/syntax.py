"""The tree that the grammar builds. Every node knows where in the text it stands."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple


class LiteralKind(Enum):
    """What a literal is, in words that fit into `... cannot be compared with ...`."""

    NULL = "NULL"
    BOOLEAN = "a boolean"
    EXACT = "a number"  # whole or decimal
    FLOATING = "a floating point number"
    TEXT = "text"
    DATE = "a date"
    TIMESTAMP = "a timestamp"


class Literal(NamedTuple):
    """A constant. Dates are days and timestamps microseconds since the epoch."""

    kind: LiteralKind
    value: Any  # as the kind says
    start: int
    end: int


class Name(NamedTuple):
    """A field, perhaps with the topic or its alias in front; also `window.start`."""

    qualifier: str | None
    name: str
    start: int
    end: int


class Compare(NamedTuple):
    """`left op right`, op one of = != < <= > >= <=>."""

    op: str
    left: Expression
    right: Expression
    start: int
    end: int


class Between(NamedTuple):
    """`operand BETWEEN low AND high`."""

    operand: Expression
    low: Expression
    high: Expression
    start: int
    end: int


class In(NamedTuple):
    """`operand IN (items)`."""

    operand: Expression
    items: list[Expression]
    start: int
    end: int


class Like(NamedTuple):
    """`operand LIKE pattern [ESCAPE escape]`."""

    operand: Expression
    pattern: Expression
    escape: str
    start: int
    end: int


class Is(NamedTuple):
    """`operand IS NULL`, `IS TRUE`, `IS FALSE`: `what` is the truth value, None for NULL and UNKNOWN."""

    operand: Expression
    what: bool | None
    start: int
    end: int


class Not(NamedTuple):
    """`NOT part`."""

    part: Expression
    start: int
    end: int


class And(NamedTuple):
    """Two or more parts joined by AND."""

    parts: list[Expression]
    start: int
    end: int


class Or(NamedTuple):
    """Two or more parts joined by OR."""

    parts: list[Expression]
    start: int
    end: int


class Apply(NamedTuple):
    """An operator or function applied to its arguments: arithmetic, which only scores have."""

    name: str
    arguments: list[Expression]
    start: int
    end: int


Expression = Literal | Name | Compare | Between | In | Like | Is | Not | And | Or | Apply


class Star(NamedTuple):
    """`*`, perhaps with the topic or its alias in front."""

    qualifier: str | None
    start: int
    end: int


class Array(NamedTuple):
    """`array(items)`."""

    items: list[Expression]
    start: int
    end: int


Argument = Expression | Star | Array


class Call(NamedTuple):
    """`name(arguments)` with or without DISTINCT."""

    name: str
    distinct: bool
    arguments: list[Argument]
    start: int
    end: int


class SelectItem(NamedTuple):
    """One entry of the select list."""

    what: Name | Star | Call
    alias: str | None
    start: int
    end: int


class Select(NamedTuple):
    """A whole query."""

    items: list[SelectItem]
    topic: Name
    alias: str | None
    where: Expression | None
    group: list[Name | Call]
    every: Literal | None
    start: int
    end: int
