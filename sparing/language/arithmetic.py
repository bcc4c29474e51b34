"""Tokens -> tree for scores: conditions as in `grammar`, but over sums, products, functions and CASE.

    operand   product [+|- product] ...
    product   signed [*|/ signed] ...
    signed    [+|-] ... primary
    primary   field | subscription.attribute | literal | function(condition, ...) | CASE ... END | (condition)

`scores` distinguishes numbers from conditions, because it knows the types of names.
"""

from __future__ import annotations

from sparing.language.errors import LanguageError
from sparing.language.grammar import ARITHMETIC, CASTS, Grammar
from sparing.language.syntax import Apply, Compare, Expression, Literal, LiteralKind
from sparing.language.tokens import Token

MOST_OPERATIONS = 100


def too_many(text: str, node: Expression) -> LanguageError:
    """Return an error about a score with too many operations."""
    return LanguageError(f"A score can have at most {MOST_OPERATIONS} operations.", text, node.start, node.end)


def parse_arithmetic(text: str) -> Expression:
    """Return the syntax tree of a score."""
    return _Arithmetic(text).alone()


class _Arithmetic(Grammar):
    """The grammar of conditions, with arithmetic operands."""

    __slots__ = ("operations",)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.operations = 0

    def alone(self) -> Expression:
        if self.next.kind == "end":
            raise self.refuse("The score is empty: write one, such as subscription.weight * 2.")
        score = self.condition()
        if self.next.kind != "end":
            self.no_arithmetic("")
            raise self.expected("an operator or the end")
        return score

    def operand(self) -> Expression:
        start = self.next.start
        left = self.product()
        while self.next.kind in ("+", "-"):
            op = self.take().kind
            left = self.applied(op, [left, self.product()], start)
        return left

    def product(self) -> Expression:
        start = self.next.start
        left = self.signed()
        while self.next.kind in ("*", "/"):
            op = self.take().kind
            left = self.applied(op, [left, self.signed()], start)
        return left

    def signed(self) -> Expression:
        start, negative = self.next.start, False
        while self.next.kind in ("+", "-"):
            negative ^= self.take().kind == "-"
        part = super().operand()
        return self.applied("negative", [part], start) if negative else part

    def applied(self, name: str, arguments: list[Expression], start: int) -> Expression:
        node = Apply(name, arguments, start, self.end)
        self.operations += 1
        if self.operations > MOST_OPERATIONS:
            raise too_many(self.text, node)
        return node

    def named(self) -> Expression:
        """Read a field, an attribute, a function, CASE, or a literal that starts with a word."""
        token = self.next
        if self.word("CASE"):
            return self.case()
        if not self.follows("("):
            return super().named()
        if token.text.upper() in CASTS and self.tokens[self.at + 2].kind == "text":
            return super().named()
        if self.word("CAST"):
            raise self.refuse("Casts are not supported: all numbers are doubles.")
        return self.function()

    def function(self) -> Expression:
        name = self.take()
        self.deeper(self.need("("))
        arguments = [] if self.next.kind == ")" else [self.condition()]
        while self.match(","):
            arguments.append(self.condition())
        self.no_arithmetic("")
        self.need(")")
        self.depth -= 1
        return self.applied(name.text, arguments, name.start)

    def case(self) -> Expression:
        """Read `CASE WHEN condition THEN x ... [ELSE y] END` or `CASE x WHEN value THEN y ...` as a chain of `if`."""
        opening = self.take()
        self.deeper(opening)
        subject = None if self.word("WHEN") else self.operand()
        branches: list[tuple[int, Expression, Expression]] = []
        while not branches or self.word("WHEN"):
            start = self.keyword("WHEN").start
            condition = self.condition() if subject is None else self.operand()
            if subject is not None:
                condition = Compare("=", subject, condition, condition.start, condition.end)
            self.keyword("THEN")
            branches.append((start, condition, self.condition()))
        last: Expression = Literal(LiteralKind.NULL, None, self.next.start, self.next.end)
        if self.word("ELSE"):
            self.take()
            last = self.condition()
        self.keyword("END")
        self.depth -= 1
        for start, condition, value in reversed(branches):
            last = self.applied("if", [condition, value, last], start)
        return last._replace(start=opening.start)

    def keyword(self, word: str) -> Token:
        """Read a required word."""
        if not self.word(word):
            self.no_arithmetic("")
            raise self.expected(word)
        return self.take()

    def no_arithmetic(self, message: str) -> None:  # noqa: ARG002 (the message is for conditions)
        """Reject an operator that is not part of a sum or product."""
        if self.next.kind in ARITHMETIC:
            raise LanguageError("Only the operators + - * / are supported.", self.text, self.next.start, self.next.end)
