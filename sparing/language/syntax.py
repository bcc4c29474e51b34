"""The syntax tree. Every node has its position in the text, `start` to `end`."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple


class LiteralKind(Enum):
    """The kind of a literal, as a phrase for `... cannot be compared with ...`."""

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
    value: Any  # type depends on the kind
    start: int
    end: int


class Name(NamedTuple):
    """A field, optionally with the topic or its alias as a prefix; also `window.start`."""

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
    """Two or more parts connected by AND."""

    parts: list[Expression]
    start: int
    end: int


class Or(NamedTuple):
    """Two or more parts connected by OR."""

    parts: list[Expression]
    start: int
    end: int


class Apply(NamedTuple):
    """An operator or function applied to its arguments; in scores only."""

    name: str
    arguments: list[Expression]
    start: int
    end: int


Expression = Literal | Name | Compare | Between | In | Like | Is | Not | And | Or | Apply


class Star(NamedTuple):
    """`*`, optionally with the topic or its alias as a prefix."""

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
    """A query."""

    items: list[SelectItem]
    topic: Name
    alias: str | None
    where: Expression | None
    group: list[Name | Call]
    every: Literal | None
    start: int
    end: int
