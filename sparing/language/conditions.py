"""Conditions -> boxes, with SQL's three-valued logic.

A condition over one field is true for some of its values, false for others and NULL for the rest (usually for NULL).
`holds` returns the values for which it is true, or those for which it is false, so `NOT` only swaps the two. A box is a
conjunction of such conditions.
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
    """Return the box of the publications for which the condition is true."""
    constraints: dict[str, Constraint] = {}
    for conjunct in _conjuncts(condition):
        field = _only_field(scope, conjunct)
        admitted = _Condition(scope, field).holds(conjunct, True)
        if admitted.empty:
            raise _never(scope, conjunct, "This condition is never true: change or remove it.")
        if field is None:  # a condition without fields, such as `true`
            continue
        if field in constraints:
            admitted = admitted.intersect(constraints[field])
            if admitted.empty:
                raise _never(
                    scope, conjunct, f"This condition and the others on {field} are never true together: change one."
                )
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
    """Return the field of a conjunct, None if it has none."""
    fields = {scope.field(name) for name in _names(node)}
    if len(fields) <= 1:
        return fields.pop() if fields else None
    several = " and ".join(sorted(fields))
    if isinstance(node, Or):
        message = f"OR connects conditions on several fields ({several}): write a subscription for each."
    elif isinstance(node, Not):
        message = f"NOT applies to several fields ({several}): write a subscription for each case."
    else:
        message = f"Fields {several} are compared with each other: compare each with a literal."
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
    """The translation of a condition over one field or none."""

    __slots__ = ("field", "null_values", "scope", "type")

    def __init__(self, scope: Scope, field: str | None) -> None:
        self.scope = scope
        self.field = field or ""
        self.type = BOOLEAN if field is None else scope.type(field)  # without a field, the type does not matter
        self.null_values: dict[int, Constraint] = {}

    def holds(self, node: Expression, truth: bool) -> Constraint:
        """Return the values of the field for which a condition is true (or false, by `truth`)."""
        match node:
            case Compare(op, left, right):
                if isinstance(left, Literal):
                    left, right, op = right, left, _MIRRORED.get(op, op)
                return self.compared(op, self.literal(node, left, right), truth)
            case And(parts) | Or(parts):
                sets = [self.holds(part, truth) for part in parts]
                # AND is true if all parts are true, and false if one is false; OR is the reverse.
                return _combined(sets, Constraint.intersect if isinstance(node, And) is truth else Constraint.union)
            case Not(part):
                return self.holds(part, not truth)
            case Between(operand, low, high):
                sides = ((">=", self.literal(node, operand, low)), ("<=", self.literal(node, operand, high)))
                sets = [self.compared(op, literal, truth) for op, literal in sides]
                return _combined(sets, Constraint.intersect if truth else Constraint.union)
            case In(operand, items):
                return self.one_of([self.literal(node, operand, item) for item in items], truth)
            case Like(operand, pattern, escape):
                return self.like(self.literal(node, operand, pattern), escape, truth)
            case Is(operand, what):
                admitted = self.null(operand) if what is None else self.holds(operand, what)
                return admitted if truth else self.all_but(admitted)
            case Name():
                if self.type.kind is not Kind.BOOLEAN:
                    raise self.no_condition(node, f"a field of type {self.type}")
                return between(self.type, 1, None) if truth else between(self.type, None, 1)
            case Literal(kind, value):
                if kind not in (LiteralKind.BOOLEAN, LiteralKind.NULL):
                    raise self.no_condition(node, kind.value)
                return ANYTHING if value is truth else NOTHING
            case Apply(name):  # not in the grammar of conditions
                raise self.no_condition(node, name)

    def null(self, node: Expression) -> Constraint:
        """Return the values for which a condition, field or literal is NULL."""
        if isinstance(node, Name):
            return IS_NULL
        if isinstance(node, Literal):
            return ANYTHING if node.value is None else NOTHING
        if id(node) not in self.null_values:  # cached: each level of nesting needs it twice
            self.null_values[id(node)] = self.all_but(self.holds(node, True).union(self.holds(node, False)))
        return self.null_values[id(node)]

    def all_but(self, constraint: Constraint) -> Constraint:
        """Return the constraint that admits all other values, including NULL."""
        rest = complement(self.type, constraint)
        return rest if constraint.missing else rest.union(IS_NULL)

    def literal(self, node: Expression, field: Expression, literal: Expression) -> Literal:
        """Return the literal of a comparison, after checking that the other side is a field."""
        if isinstance(field, Name) and isinstance(literal, Literal):
            return literal
        if isinstance(field, Literal) and isinstance(literal, Literal):
            message = "Two literals are compared: replace one with a field."
        elif isinstance(field, Name) and isinstance(literal, Name):
            message = "A field is compared with itself: compare it with a literal."
        else:
            message = "One side of a comparison must be a field, the other a literal."
        raise LanguageError(message, self.scope.text, node.start, node.end)

    def no_condition(self, node: Expression, what: str) -> LanguageError:
        """Return an error about an expression that is not a condition."""
        return LanguageError(f"A condition is expected here, not {what}.", self.scope.text, node.start, node.end)

    def compared(self, op: str, literal: Literal, truth: bool) -> Constraint:
        """Return the values for which `field op literal` is true or false."""
        type_ = self.type
        if literal.kind is LiteralKind.NULL:
            if op != "<=>":
                return NOTHING  # neither true nor false
            return IS_NULL if truth else EXISTS
        low, above = cut(self.scope.text, self.field, type_, literal)
        if op == "<=>":
            return between(type_, low, above) if truth else self.all_but(between(type_, low, above))
        match op if truth else _OPPOSITE[op]:
            case "=":
                return between(type_, low, above)
            case "<":
                return between(type_, None, low)
            case "<=":
                return between(type_, None, above)
            case ">":
                return between(type_, above, None)
            case ">=":
                return between(type_, low, None)
            case _:
                return complement(type_, between(type_, low, above))

    def one_of(self, literals: list[Literal], truth: bool) -> Constraint:
        """Return the values for which `field IN (literals)` is true or false."""
        values = [literal for literal in literals if literal.kind is not LiteralKind.NULL]
        as_double = any(literal.kind is LiteralKind.FLOATING for literal in values)
        if not as_double and len(values) > 1:
            check_list(self.scope.text, self.field, self.type, values)
        cuts = [cut(self.scope.text, self.field, self.type, literal, as_double) for literal in values]
        listed = _combined([between(self.type, low, above) for low, above in cuts] or [NOTHING], Constraint.union)
        if truth:
            return listed
        # With a NULL in the list, IN is never false.
        return complement(self.type, listed) if len(values) == len(literals) else NOTHING

    def like(self, pattern: Literal, escape: str, truth: bool) -> Constraint:
        """Return the values for which `field LIKE pattern` is true or false."""
        if self.type.kind is not Kind.TEXT:
            message = f"{self.field} is {self.type}: use LIKE with text only."
            raise LanguageError(message, self.scope.text, pattern.start, pattern.end)
        if pattern.kind is LiteralKind.NULL:
            return NOTHING
        if pattern.kind is not LiteralKind.TEXT:
            raise LanguageError("LIKE takes text such as 'abc%'.", self.scope.text, pattern.start, pattern.end)
        prefix, open_end = _prefix(self.scope, pattern, escape)
        matched = starts_with(self.type, prefix) if open_end else between(self.type, prefix, successor(prefix))
        return matched if truth else complement(self.type, matched)


def _combined(sets: list[Constraint], combine: Callable[[Constraint, Constraint], Constraint]) -> Constraint:
    """Return all constraints combined, pairwise as in a balanced tree: a long list takes quadratic time otherwise."""
    while len(sets) > 1:
        pairs = [combine(one, other) for one, other in zip(sets[::2], sets[1::2], strict=False)]
        sets = pairs + sets[2 * len(pairs) :]
    return sets[0]


def _prefix(scope: Scope, literal: Literal, escape: str) -> tuple[str, bool]:
    """Return the characters before a final wildcard, and whether there is one; other patterns are rejected."""
    pattern = str(literal.value)
    plain: list[str] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == escape:
            at += 1
            if at == len(pattern) or pattern[at] not in ("%", "_", escape):
                raise LanguageError(
                    f"In a pattern, {escape} must be followed by %, _ or {escape}.",
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
