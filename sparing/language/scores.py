"""Scores, by which publishers rank subscriptions -> expressions of the model.

Plain names are fields of the topic, `subscription.name` is an attribute of the subscription. Types are checked here, so
every resulting expression can be evaluated.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from sparing.language.arithmetic import MOST_OPERATIONS, parse_arithmetic, too_many
from sparing.language.errors import LanguageError, nearest, or_nearest
from sparing.language.literals import typed
from sparing.language.names import Scope
from sparing.language.syntax import (
    And,
    Apply,
    Between,
    Compare,
    Expression,
    In,
    Is,
    Like,
    Literal,
    LiteralKind,
    Name,
    Not,
    Or,
)
from sparing.model import expression as model
from sparing.model.expression import Attribute, Constant, Field, Operation, evaluate
from sparing.model.topic import Topic
from sparing.model.types import NUMBERS, Kind

SUBSCRIPTION = "subscription"
ANY_NUMBER = 1_000  # of arguments


class _Sort(Enum):
    """The type of an expression, as a phrase for `... is expected here, not ...`."""

    NUMBER = "a number"
    DATE = "a date"
    TIMESTAMP = "a timestamp"
    TEXT = "text"
    TRUTH = "a condition"
    NULL = "NULL"


_NUMERIC = (_Sort.NUMBER, _Sort.DATE, _Sort.TIMESTAMP, _Sort.NULL)
_OF_KIND = {
    **dict.fromkeys(NUMBERS, _Sort.NUMBER),
    Kind.DATE: _Sort.DATE,
    Kind.TIMESTAMP: _Sort.TIMESTAMP,
    Kind.TEXT: _Sort.TEXT,
    Kind.BOOLEAN: _Sort.TRUTH,
}
_OF_ATTRIBUTE = {"number": _Sort.NUMBER, "text": _Sort.TEXT, "truth": _Sort.TRUTH}


class _Function(NamedTuple):
    operation: str
    least: int
    most: int
    usage: str


FUNCTIONS = {
    "abs": _Function("abs", 1, 1, "abs(x)"),
    "sqrt": _Function("sqrt", 1, 1, "sqrt(x)"),
    "ln": _Function("ln", 1, 1, "ln(x)"),
    "exp": _Function("exp", 1, 1, "exp(x)"),
    "power": _Function("power", 2, 2, "power(base, exponent)"),
    "pow": _Function("power", 2, 2, "pow(base, exponent)"),
    "floor": _Function("floor", 1, 1, "floor(x)"),
    "ceil": _Function("ceil", 1, 1, "ceil(x)"),
    "ceiling": _Function("ceil", 1, 1, "ceiling(x)"),
    "least": _Function("least", 2, ANY_NUMBER, "least(x, y, ...)"),
    "greatest": _Function("greatest", 2, ANY_NUMBER, "greatest(x, y, ...)"),
    "coalesce": _Function("coalesce", 1, ANY_NUMBER, "coalesce(x, y, ...)"),
    "if": _Function("if", 3, 3, "if(condition, x, y)"),
    "try_divide": _Function("/", 2, 2, "try_divide(x, y)"),
    "double": _Function("", 1, 1, "double(x)"),  # all numbers are doubles already
}
_OPERATORS = {**{op: _Function(op, 2, 2, "") for op in "+-*/"}, "negative": _Function("negative", 1, 1, "")}


def parse_score(text: str, topic: Topic, attributes: Mapping[str, str] | None) -> model.Expression:
    """Parse a score; raise a `LanguageError` if it is invalid or not a number.

    `attributes` has the type, `number`, `text` or `truth`, of every attribute of the topic's subscriptions; None if
    there is no subscription yet, so that every name is accepted.

    >>> from sparing.model.types import field_type
    >>> topic = Topic("offers", "ts", {"ts": field_type("timestamp"), "price": field_type("decimal(8,2)")})
    >>> model.sql(parse_score("subscription.budget - 2 * 3 * price", topic, {"budget": "number"}))
    '(subscription.budget - (6.0D * price))'
    """
    return _Translation(text, Scope.of(text, topic), attributes).score(parse_arithmetic(text))


class _Typed(NamedTuple):
    """An expression and its type."""

    sort: _Sort
    expression: model.Expression


_NULL = _Typed(_Sort.NULL, Constant(None))


@dataclass(slots=True)
class _Translation:
    """The translation of one syntax tree to an expression."""

    text: str
    scope: Scope
    attributes: Mapping[str, str] | None
    operations: int = 0

    def score(self, node: Expression) -> model.Expression:
        """Translate the whole score, which must be a number."""
        found = self.of(node)
        if found.sort not in _NUMERIC:
            raise self.refuse(f"A score must be a number, but this is {found.sort.value}.", node)
        return found.expression

    def of(self, node: Expression) -> _Typed:
        """Translate an expression."""
        match node:
            case Literal():
                return self.literal(node)
            case Name():
                return self.name(node)
            case Apply():
                return self.applied(node)
            case Compare(op, left, right):
                return self.compared(node, op, left, right)
            case Between(operand, low, high):
                least = self.compared(node, ">=", operand, low)
                return self.joined(node, "and", [least, self.compared(node, "<=", operand, high)])
            case In(operand, items):
                return self.joined(node, "or", [self.compared(node, "=", operand, item) for item in items])
            case And(parts):
                return self.joined(node, "and", [self.condition(part) for part in parts])
            case Or(parts):
                return self.joined(node, "or", [self.condition(part) for part in parts])
            case Not(part):
                return self.joined(node, "not", [self.condition(part)])
            case Is(operand, None):
                return self.joined(node, "is null", [self.of(operand)])
            case Is(operand, what):
                found = self.condition(operand)
                known = self.joined(node, "not", [self.joined(node, "is null", [found])])
                return self.joined(node, "and", [known, found if what else self.joined(node, "not", [found])])
            case Like():
                raise self.refuse("LIKE is not supported in a score: compare with =.", node)

    def number(self, node: Expression) -> _Typed:
        """Translate an expression that must be a number."""
        found = self.of(node)
        if found.sort not in _NUMERIC:
            raise self.unexpected(node, "A number")
        return found

    def condition(self, node: Expression) -> _Typed:
        """Translate an expression that must be a condition."""
        found = self.of(node)
        if found.sort not in (_Sort.TRUTH, _Sort.NULL):
            raise self.unexpected(node, "A condition")
        return found

    def literal(self, node: Literal) -> _Typed:
        match node.kind:
            case LiteralKind.NULL:
                return _NULL
            case LiteralKind.BOOLEAN:
                return _Typed(_Sort.TRUTH, Constant(node.value))
            case LiteralKind.TEXT:
                return _Typed(_Sort.TEXT, Constant(node.value))
            case LiteralKind.DATE:
                return _Typed(_Sort.DATE, Constant(float(node.value)))
            case LiteralKind.TIMESTAMP:
                return _Typed(_Sort.TIMESTAMP, Constant(node.value / 1_000_000))
            case _:
                return _Typed(_Sort.NUMBER, Constant(float(node.value)))

    def name(self, node: Name) -> _Typed:
        qualifier = node.qualifier
        if qualifier is not None and qualifier.lower() == SUBSCRIPTION:
            return self.attribute(node)
        if qualifier is not None and qualifier.lower() != self.scope.prefix.lower():
            prefix = nearest(qualifier, (SUBSCRIPTION, self.scope.prefix)) or SUBSCRIPTION
            raise self.refuse(f"The prefix {qualifier} is unknown; write {prefix} or nothing before the dot.", node)
        field = self.scope.field(node)
        return _Typed(_OF_KIND[self.scope.type(field).kind], Field(field))

    def attribute(self, node: Name) -> _Typed:
        if self.attributes is None:
            return _Typed(_Sort.NULL, Attribute(node.name))
        name = _declared(node.name, self.attributes)
        if name is None:
            raise self.refuse(
                f"No subscription on topic {self.scope.topic} has an attribute {node.name}; "
                f"{or_nearest(node.name, self.attributes)}",
                node,
            )
        return _Typed(_OF_ATTRIBUTE[self.attributes[name]], Attribute(name))

    def applied(self, node: Apply) -> _Typed:
        """Translate arithmetic or a function of numbers; the first argument of `if` is a condition."""
        function = _OPERATORS.get(node.name) or FUNCTIONS.get(node.name.lower())
        if function is None:
            end = node.start + len(node.name)
            message = f"Function {node.name} does not exist; {or_nearest(node.name, FUNCTIONS)}"
            raise LanguageError(message, self.text, node.start, end)
        if not function.least <= len(node.arguments) <= function.most:
            raise self.refuse(f"Wrong number of arguments: write {function.usage}.", node)
        first, *others = node.arguments
        given = [self.condition(first) if function.operation == "if" else self.number(first)]
        given += [self.number(other) for other in others]
        if not function.operation:
            return _Typed(_Sort.NUMBER, given[0].expression)
        return self.joined(node, function.operation, given, _Sort.NUMBER)

    def compared(self, node: Expression, op: str, left: Expression, right: Expression) -> _Typed:
        if op == "<=>":
            raise self.refuse("Scores do not support <=> and IS DISTINCT FROM: use = and IS NULL.", node)
        sides = [self.beside(left, right), self.beside(right, left)]
        sorts = {side.sort for side in sides} - {_Sort.NULL}
        if len(sorts) == 2 and _Sort.NUMBER in sorts and sorts <= set(_NUMERIC):  # dates and timestamps are numbers
            sorts = {_Sort.NUMBER}
        if len(sorts) == 2:
            raise self.unlike(node, left, right)
        if sorts & {_Sort.TEXT, _Sort.TRUTH} and op not in ("=", "!="):
            raise self.refuse("In a score, only numbers can be larger or smaller: compare with = or !=.", node)
        return self.joined(node, op, sides)

    def beside(self, node: Expression, other: Expression) -> _Typed:
        """Translate one side of a comparison; text compared with a date or timestamp is parsed as one."""
        if isinstance(node, Literal) and node.kind is LiteralKind.TEXT and isinstance(other, Name):
            word = {_Sort.DATE: "DATE", _Sort.TIMESTAMP: "TIMESTAMP"}.get(self.of(other).sort)
            if word is not None:
                return self.literal(typed(self.text, word, node, node.start, node.end))
        return self.of(node)

    def joined(
        self, node: Expression, operation: str, arguments: Iterable[_Typed], sort: _Sort = _Sort.TRUTH
    ) -> _Typed:
        """Return an operation; operations on constants are evaluated."""
        self.operations += 1
        if self.operations > MOST_OPERATIONS:
            raise too_many(self.text, node)
        found = Operation(operation, tuple(argument.expression for argument in arguments))
        if all(isinstance(argument, Constant) for argument in found.arguments):
            value = evaluate(found, {}, {}, 1)
            if value.valid[0] and math.isfinite(value.array[0]):  # NaN and infinity have no literal
                return _Typed(sort, Constant(value.array[0].item()))
        return _Typed(sort, found)

    def unlike(self, node: Expression, left: Expression, right: Expression) -> LanguageError:
        """Return an error about a comparison of different types; the subject is a name if there is one."""
        if self.declared(left) is None and self.declared(right) is not None:
            left, right = right, left
        name = self.declared(left)
        subject = self.called(left).capitalize() if name is None else f"{name[0]} is {name[1]} and"
        hint, sorts = "", (self.of(left).sort, self.of(right).sort)
        if isinstance(right, Literal) and sorts == (_Sort.NUMBER, _Sort.TEXT):
            hint = ": remove the quotes"
        elif isinstance(right, Literal) and sorts == (_Sort.TEXT, _Sort.NUMBER):
            hint = ": put it in quotes"
        return self.refuse(f"{subject} cannot be compared with {self.called(right)}{hint}.", node)

    def declared(self, node: Expression) -> tuple[str, str] | None:
        """Return the name and type of a field or attribute, None for other expressions."""
        match self.of(node):
            case _Typed(_, Field(name)):
                return name, str(self.scope.type(name))
            case _Typed(sort, Attribute(name)):
                return f"{SUBSCRIPTION}.{name}", {_Sort.NUMBER: "a number", _Sort.TRUTH: "boolean"}.get(sort, "text")
        return None

    def called(self, node: Expression) -> str:
        """Return the phrase for an expression in a message."""
        if (name := self.declared(node)) is not None:
            return f"{name[0]} ({name[1]})"
        boolean = isinstance(node, Literal) and node.kind is LiteralKind.BOOLEAN
        return "a boolean" if boolean else self.of(node).sort.value

    def unexpected(self, node: Expression, wanted: str) -> LanguageError:
        """Return an error about an expression of the wrong type."""
        return self.refuse(f"{wanted} is expected here, not {self.called(node)}.", node)

    def refuse(self, message: str, node: Expression) -> LanguageError:
        return LanguageError(message, self.text, node.start, node.end)


def _declared(name: str, attributes: Iterable[str]) -> str | None:
    """Return the declared attribute of a name; case is ignored, as with fields."""
    same = [other for other in attributes if other.lower() == name.lower()]
    return name if name in same else same[0] if len(same) == 1 else None
