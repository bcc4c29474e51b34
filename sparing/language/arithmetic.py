"""Tokens -> tree for scores: conditions as in `grammar`, but over sums, products, functions and CASE.

    operand   product [+|- product] ...
    product   signed [*|/ signed] ...
    signed    [+|-] ... primary
    primary   field | subscription.attribute | literal | function(condition, ...) | CASE ... END | (condition)

Numbers and conditions are told apart later, when the names are known.
"""

from __future__ import annotations

from sparing.language.errors import LanguageError
from sparing.language.grammar import ARITHMETIC, CASTS, Grammar
from sparing.language.syntax import Apply, Compare, Expression, Literal, LiteralKind
from sparing.language.tokens import Token


def parse_arithmetic(text: str) -> Expression:
    """The tree of a score."""
    return _Arithmetic(text).alone()


class _Arithmetic(Grammar):
    """The grammar of conditions with more to compare."""

    __slots__ = ()

    def alone(self) -> Expression:
        if self.next.kind == "end":
            raise self.refuse("There is no score here: write one, such as subscription.weight * 2.")
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
            left = Apply(op, [left, self.product()], start, self.end)
        return left

    def product(self) -> Expression:
        start = self.next.start
        left = self.signed()
        while self.next.kind in ("*", "/"):
            op = self.take().kind
            left = Apply(op, [left, self.signed()], start, self.end)
        return left

    def signed(self) -> Expression:
        start, negative = self.next.start, False
        while self.next.kind in ("+", "-"):
            negative ^= self.take().kind == "-"
        part = super().operand()
        return Apply("negative", [part], start, self.end) if negative else part

    def named(self) -> Expression:
        """A field, an attribute, a function, CASE, or one of the literals that start with a word."""
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
        return Apply(name.text, arguments, name.start, self.end)

    def case(self) -> Expression:
        """`CASE WHEN condition THEN x ... [ELSE y] END`, or `CASE x WHEN value THEN y ...`: a chain of `if`."""
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
            last = Apply("if", [condition, value, last], start, self.end)
        return last._replace(start=opening.start)

    def keyword(self, word: str) -> Token:
        """Read a word that must come here."""
        if not self.word(word):
            self.no_arithmetic("")
            raise self.expected(word)
        return self.take()

    def no_arithmetic(self, message: str) -> None:  # noqa: ARG002 (conditions say something else)
        """Refuse an operator that was not read as a part of a sum or product."""
        if self.next.kind in ARITHMETIC:
            raise LanguageError("Only the operators + - * / are known.", self.text, self.next.start, self.next.end)
