"""Conditions -> boxes, by SQL's three-valued logic.

A condition over one field is true for some of its values, false for others and NULL for the rest (for a missing value,
mostly). `holds` works out the values for which it is true, or those for which it is false, so `NOT` merely asks for
the other. A box is what a conjunction of such conditions admits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sparing.language.errors import LanguageError
from sparing.language.literals import check_list, cut
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
from sparing.model.box import Box
from sparing.model.constraint import (
    ANYTHING,
    EXISTS,
    IS_NULL,
    NOTHING,
    Constraint,
    between,
    complement,
    starts_with,
)
from sparing.model.types import BOOLEAN, Kind, successor

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def box_of(scope: Scope, condition: Expression | None) -> Box:
    """The box of the publications for which the condition is true."""
    constraints: dict[str, Constraint] = {}
    for conjunct in _conjuncts(condition):
        field = _only_field(scope, conjunct)
        admitted = _Condition(scope, field).holds(conjunct, True)
        if admitted.empty:
            raise _never(scope, conjunct, "This condition can never hold.")
        if field is None:  # a condition without fields, such as `true`
            continue
        if field in constraints:
            admitted = admitted.intersect(constraints[field])
            if admitted.empty:
                raise _never(scope, conjunct, f"This condition and the others on {field} can never hold together.")
        constraints[field] = admitted
    box = Box.of(constraints)
    assert box is not None  # no constraint is empty
    return box


def _never(scope: Scope, node: Expression, message: str) -> LanguageError:
    return LanguageError(message, scope.text, node.start, node.end)


def _conjuncts(node: Expression | None) -> Iterator[Expression]:
    if isinstance(node, And):
        for part in node.parts:
            yield from _conjuncts(part)
    elif node is not None:
        yield node


def _only_field(scope: Scope, node: Expression) -> str | None:
    """The one field that a conjunct is about, None if there is none."""
    fields = {scope.field(name) for name in _names(node)}
    if len(fields) <= 1:
        return fields.pop() if fields else None
    several = " and ".join(sorted(fields))
    if isinstance(node, Or):
        message = f"OR joins conditions on several fields ({several}): write a subscription for each."
    elif isinstance(node, Not):
        message = f"NOT applies to several fields ({several}) at once: write a subscription for each case."
    else:
        message = f"{several} are compared with each other: compare each with a literal."
    raise LanguageError(message, scope.text, node.start, node.end)


def _names(node: Expression) -> Iterator[Name]:
    match node:
        case Name():
            yield node
        case Compare(_, left, right):
            yield from _names(left)
            yield from _names(right)
        case Between(operand, low, high):
            yield from _names(operand)
            yield from _names(low)
            yield from _names(high)
        case In(operand, items):
            yield from _names(operand)
            for item in items:
                yield from _names(item)
        case Like(operand, pattern):
            yield from _names(operand)
            yield from _names(pattern)
        case Is(part) | Not(part):
            yield from _names(part)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _names(part)
        case _:
            pass


class _Condition:
    """A condition over one field, or over none."""

    __slots__ = ("field", "kind", "scope", "unknown")

    def __init__(self, scope: Scope, field: str | None) -> None:
        self.scope = scope
        self.field = field or ""
        self.kind = BOOLEAN if field is None else scope.type(field)  # without a field, any type will do
        self.unknown: dict[int, Constraint] = {}

    def holds(self, node: Expression, truth: bool) -> Constraint:
        """The values of the field for which a condition is true, or false (`truth`)."""
        match node:
            case Compare(op, left, right):
                if isinstance(left, Literal):
                    left, right, op = right, left, _MIRRORED.get(op, op)
                return self.compared(op, self.literal(node, left, right), truth)
            case And(parts) | Or(parts):
                sets = [self.holds(part, truth) for part in parts]
                # All must be true for AND to be true, one must be false for it to be false; OR is the other way round.
                return _folded(sets, Constraint.intersect if isinstance(node, And) is truth else Constraint.union)
            case Not(part):
                return self.holds(part, not truth)
            case Between(operand, low, high):
                sides = ((">=", self.literal(node, operand, low)), ("<=", self.literal(node, operand, high)))
                sets = [self.compared(op, literal, truth) for op, literal in sides]
                return _folded(sets, Constraint.intersect if truth else Constraint.union)
            case In(operand, items):
                return self.one_of([self.literal(node, operand, item) for item in items], truth)
            case Like(operand, pattern, escape):
                return self.like(self.literal(node, operand, pattern), escape, truth)
            case Is(operand, what):
                found = self.null(operand) if what is None else self.holds(operand, what)
                return found if truth else self.all_but(found)
            case Name():
                if self.kind.kind is not Kind.BOOLEAN:
                    raise self.no_condition(node, f"a field of type {self.kind}")
                return between(self.kind, 1, None) if truth else between(self.kind, None, 1)
            case Literal(kind, value):
                if kind not in (LiteralKind.BOOLEAN, LiteralKind.NULL):
                    raise self.no_condition(node, kind.value)
                return ANYTHING if value is truth else NOTHING
            case Apply(name):  # the grammar of conditions has none
                raise self.no_condition(node, name)

    def null(self, node: Expression) -> Constraint:
        """The values for which a condition, a field or a literal is NULL."""
        if isinstance(node, Name):
            return IS_NULL
        if isinstance(node, Literal):
            return ANYTHING if node.value is None else NOTHING
        if id(node) not in self.unknown:  # asked for twice at every level of nesting
            self.unknown[id(node)] = self.all_but(self.holds(node, True).union(self.holds(node, False)))
        return self.unknown[id(node)]

    def all_but(self, constraint: Constraint) -> Constraint:
        """Every value not admitted, the missing one included."""
        rest = complement(self.kind, constraint)
        return rest if constraint.missing else rest.union(IS_NULL)

    def literal(self, node: Expression, field: Expression, literal: Expression) -> Literal:
        """The literal, once it is clear that a field is compared with it."""
        if isinstance(field, Name) and isinstance(literal, Literal):
            return literal
        if isinstance(field, Literal) and isinstance(literal, Literal):
            message = "Two literals are compared: one side must be a field."
        elif isinstance(field, Name) and isinstance(literal, Name):
            message = "A field is compared with itself: compare it with a literal."
        else:
            message = "One side of a comparison must be a field, the other a literal."
        raise LanguageError(message, self.scope.text, node.start, node.end)

    def no_condition(self, node: Expression, what: str) -> LanguageError:
        """An error about something that is neither true nor false."""
        return LanguageError(f"A condition is expected here, not {what}.", self.scope.text, node.start, node.end)

    def compared(self, op: str, literal: Literal, truth: bool) -> Constraint:
        """`field op literal`."""
        kind = self.kind
        if literal.kind is LiteralKind.NULL:
            if op != "<=>":
                return NOTHING  # neither true nor false
            return IS_NULL if truth else EXISTS
        low, above = cut(self.scope.text, self.field, kind, literal)
        if op == "<=>":
            return between(kind, low, above) if truth else self.all_but(between(kind, low, above))
        match op if truth else _OPPOSITE[op]:
            case "=":
                return between(kind, low, above)
            case "<":
                return between(kind, None, low)
            case "<=":
                return between(kind, None, above)
            case ">":
                return between(kind, above, None)
            case ">=":
                return between(kind, low, None)
            case _:
                return complement(kind, between(kind, low, above))

    def one_of(self, literals: list[Literal], truth: bool) -> Constraint:
        """`field IN (literals)`."""
        values = [literal for literal in literals if literal.kind is not LiteralKind.NULL]
        as_double = any(literal.kind is LiteralKind.FLOATING for literal in values)
        if not as_double and len(values) > 1:
            check_list(self.scope.text, self.field, self.kind, values)
        cuts = [cut(self.scope.text, self.field, self.kind, literal, as_double) for literal in values]
        found = _folded([between(self.kind, low, above) for low, above in cuts] or [NOTHING], Constraint.union)
        if truth:
            return found
        # A NULL in the list might be any value, so nothing is surely not among them.
        return complement(self.kind, found) if len(values) == len(literals) else NOTHING

    def like(self, pattern: Literal, escape: str, truth: bool) -> Constraint:
        """`field LIKE pattern`."""
        if self.kind.kind is not Kind.TEXT:
            message = f"{self.field} is {self.kind}: LIKE is for text."
            raise LanguageError(message, self.scope.text, pattern.start, pattern.end)
        if pattern.kind is LiteralKind.NULL:
            return NOTHING
        if pattern.kind is not LiteralKind.TEXT:
            raise LanguageError("LIKE takes text such as 'abc%'.", self.scope.text, pattern.start, pattern.end)
        prefix, open_end = _prefix(self.scope, pattern, escape)
        found = starts_with(self.kind, prefix) if open_end else between(self.kind, prefix, successor(prefix))
        return found if truth else complement(self.kind, found)


def _folded(sets: list[Constraint], join: Callable[[Constraint, Constraint], Constraint]) -> Constraint:
    """All of them joined, in pairs and pairs of pairs, so that a long list of values is not copied for each."""
    while len(sets) > 1:
        pairs = [join(one, other) for one, other in zip(sets[::2], sets[1::2], strict=False)]
        sets = pairs + sets[2 * len(pairs) :]
    return sets[0]


def _prefix(scope: Scope, literal: Literal, escape: str) -> tuple[str, bool]:
    """The characters before the first wildcard, and whether there is one; any other pattern is refused."""
    pattern = str(literal.value)
    plain: list[str] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == escape:
            at += 1
            if at == len(pattern) or pattern[at] not in ("%", "_", escape):
                raise LanguageError(
                    f"In a pattern, {escape} must stand before %, _ or {escape}.",
                    scope.text,
                    literal.start,
                    literal.end,
                )
            plain.append(pattern[at])
        elif character == "%" and not pattern[at:].strip("%"):
            return "".join(plain), True
        elif character in "%_":
            raise LanguageError(
                "Only patterns of the form 'abc%' are supported: a single wildcard % at the end.",
                scope.text,
                literal.start,
                literal.end,
            )
        else:
            plain.append(character)
        at += 1
    return "".join(plain), False
