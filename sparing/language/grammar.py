"""Tokens -> syntax tree: the grammar of subscriptions, a recursive descent parser.

    query      SELECT item, ... FROM topic [[AS] alias] [WHERE condition] [GROUP BY window] [EVERY 'duration'] [;]
    condition  and OR and ...
    and        not AND not ...
    not        NOT not | predicate
    predicate  compared [[NOT] BETWEEN x AND y | [NOT] IN (x, ...) | [NOT] LIKE x | IS [NOT] ...] ...
    compared   operand [op operand]
    operand    field | literal | (condition)

Precedences are those of Spark SQL. The grammar does not know the fields: it accepts any name.
"""
# ruff: noqa: D102 (the methods of the grammar are its rules, above)

from __future__ import annotations

from sparing.language.errors import LanguageError, nearest
from sparing.language.literals import cast, number, typed
from sparing.language.syntax import (
    And,
    Argument,
    Array,
    Between,
    Call,
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
    Select,
    SelectItem,
    Star,
)
from sparing.language.tokens import Token, tokens, unquoted

MOST_NESTED = 50

_COMPARISONS = {"=": "=", "==": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "<=>": "<=>"}
ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "||", "|", "&", "^", "~"})
CASTS = frozenset({"DOUBLE", "FLOAT", "DATE", "TIMESTAMP"})
_TYPED = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_LTZ"})

_JOIN = "A subscription reads one topic: joins are not supported."
_ORDER = "Sorting is not supported: notifications are in event-time order."
_SETS = "A subscription is one SELECT: write a subscription for each."
_UNSUPPORTED = {  # clauses of Spark SQL
    **dict.fromkeys(
        ("JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "SEMI", "ANTI", "NATURAL", "LATERAL", ","), _JOIN
    ),
    **dict.fromkeys(("ORDER", "SORT", "CLUSTER", "DISTRIBUTE"), _ORDER),
    **dict.fromkeys(("UNION", "EXCEPT", "INTERSECT", "MINUS"), _SETS),
    **dict.fromkeys(("LIMIT", "OFFSET"), "LIMIT and OFFSET are not supported: remove them."),
    "HAVING": "HAVING is not supported: filter the notifications instead.",
}


def parse_select(text: str) -> Select:
    """Return the syntax tree of a query."""
    return Grammar(text).query()


def parse_condition(text: str) -> Expression:
    """Return the syntax tree of a condition without a query."""
    return Grammar(text).condition_alone()


class Grammar:
    """A parser of one text; `next` is the next token."""

    __slots__ = ("at", "depth", "next", "text", "tokens")

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.at = 0
        self.depth = 0
        self.next = self.tokens[0]

    # Reading

    def take(self) -> Token:
        """Read one token."""
        token = self.next
        if token.kind != "end":
            self.at += 1
            self.next = self.tokens[self.at]
        return token

    def match(self, kind: str) -> bool:
        """Read the next token if it has this kind, and return whether it does."""
        if self.next.kind != kind:
            return False
        self.take()
        return True

    def need(self, kind: str) -> Token:
        """Read a token that must have this kind."""
        if self.next.kind != kind:
            raise self.expected(kind)
        return self.take()

    def word(self, word: str) -> bool:
        """Return whether the next token is an unreserved word, without backquotes."""
        token = self.next
        return token.kind == "name" and token.text.upper() == word and token.end - token.start == len(word)

    def follows(self, kind: str) -> bool:
        """Return whether the token after the next has this kind."""
        return self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].kind == kind

    @property
    def end(self) -> int:
        """The end of the last token that was read."""
        return self.tokens[self.at - 1].end

    # Errors

    def refuse(self, message: str, start: int | None = None, end: int | None = None) -> LanguageError:
        """Return an error that points at the next token, or at a given part of the text."""
        return LanguageError(
            message,
            self.text,
            self.next.start if start is None else start,
            self.next.end if end is None else end,
        )

    def expected(self, what: str) -> LanguageError:
        """Return an error about a missing token."""
        if self.next.kind == "end":
            return self.refuse(f"The text ends too early: expected {what}.")
        return self.refuse(f"Expected {what} here, found {self.text[self.next.start : self.next.end]}.")

    # The query and its clauses

    def query(self) -> Select:
        start = self.next.start
        if not self.match("SELECT"):
            if self.next.kind == "end":
                raise self.refuse("The query is empty: write SELECT ... FROM topic.")
            if self.next.kind == "WITH":
                raise self.refuse("WITH is not supported: a subscription is one SELECT over one topic.")
            raise self.refuse("A subscription must start with SELECT.")
        if self.next.kind == "DISTINCT":
            raise self.refuse("SELECT DISTINCT is not supported: remove DISTINCT.")
        items = [self.item()]
        while self.match(","):
            items.append(self.item())
        last = self.tokens[self.at - 1]
        if self.next.kind != "FROM" and items[-1].alias is not None and nearest(last.text, ("FROM",)):
            raise self.refuse(f"Expected FROM here, found {last.text}.", last.start, last.end)  # not an alias
        self.need("FROM")
        topic = self.topic()
        bare_alias = self.next if self.next.kind == "name" and not self.word("EVERY") else None
        alias = self.alias()
        where = self.condition() if self.match("WHERE") else None
        group = self.group()
        every = self.every()
        self.match(";")
        if self.next.kind != "end":
            raise self.leftover(where is not None, bool(group), every is not None, bare_alias)
        return Select(
            items=items,
            topic=topic,
            alias=alias,
            where=where,
            group=group,
            every=every,
            start=start,
            end=self.end,
        )

    def leftover(self, where: bool, group: bool, every: bool, alias: Token | None) -> LanguageError:
        """Return an error about the text after the query."""
        if self.tokens[self.at - 1].kind == ";":
            return self.refuse("Only one statement is allowed: remove the text after the semicolon.")
        if self.next.kind in _UNSUPPORTED:
            return self.refuse(_UNSUPPORTED[self.next.kind])
        self.no_arithmetic("Arithmetic is not supported: compare a field with a literal.")
        if alias is not None and not (where or group or every) and self.tokens[self.at - 1] is alias:
            keyword = nearest(alias.text, ("WHERE", "GROUP BY", "EVERY"))  # a misspelt keyword was read as an alias
            if keyword is not None:
                return self.refuse(f"Expected {keyword} here, found {alias.text}.", alias.start, alias.end)
        options = [] if every else ["EVERY", "the end"] if group else ["GROUP BY", "EVERY", "the end"]
        if where and not group and not every:
            options = ["AND", *options]
        elif not where and not group and not every:
            options = ["WHERE", *options]
        return self.expected(", ".join(options[:-1]) + " or " + options[-1] if options else "the end")

    def topic(self) -> Name:
        if self.next.kind == "(":
            raise self.refuse("Subqueries are not supported: name a topic after FROM.")
        token = self.next
        if token.kind != "name":
            raise self.expected("the name of a topic")
        self.take()
        if self.next.kind == ".":
            raise self.refuse("A topic has no catalog or schema: write its name only.", token.start)
        return Name(None, token.text, token.start, token.end)

    def alias(self) -> str | None:
        if self.match("AS"):
            return self.need("name").text
        if self.next.kind == "name" and not self.word("EVERY"):
            return self.take().text
        return None

    def group(self) -> list[Name | Call]:
        if not self.match("GROUP"):
            return []
        self.need("BY")
        groups = [self.group_item()]
        while self.match(","):
            groups.append(self.group_item())
        return groups

    def group_item(self) -> Name | Call:
        if self.next.kind != "name":
            raise self.expected("window(...) or count_window(...)")
        return self.call() if self.follows("(") else self.name()

    def every(self) -> Literal | None:
        if not self.word("EVERY"):
            return None
        start = self.take().start
        if self.next.kind == "number":
            raise self.refuse("Put the duration in quotes: EVERY '30 seconds'.")
        if self.next.kind != "text":
            raise self.expected("a duration such as '30 seconds'")
        duration = self.operand()
        assert isinstance(duration, Literal)
        if self.next.kind in ("WHERE", "GROUP"):
            raise self.refuse("EVERY must be the last clause.", start, self.end)
        return duration

    # The select list

    def item(self) -> SelectItem:
        start = self.next.start
        what: Name | Star | Call
        if self.next.kind == "*":
            self.take()
            what = Star(None, start, self.end)
        elif self.next.kind == "name" and self.follows("("):
            what = self.call()
            if self.word("FILTER") or self.word("OVER"):
                raise self.refuse(f"{self.next.text.upper()} is not supported.")
        elif self.next.kind == "name":
            what = self.name_or_star()
        elif self.next.kind in ("text", "number", "NULL", "TRUE", "FALSE", "NOT", "(", "-", "+"):
            raise self.refuse("The select list takes fields and aggregate functions, not expressions.")
        else:
            raise self.expected("a field or an aggregate function")
        self.no_arithmetic("The select list takes fields and aggregate functions, not expressions.")
        alias = self.alias() if self.next.kind in ("AS", "name") else None
        return SelectItem(what, alias, start, self.end)

    def call(self) -> Call:
        name = self.take()
        self.need("(")
        distinct = self.match("DISTINCT")
        if not distinct:
            self.match("ALL")
        arguments: list[Argument] = []
        if self.next.kind != ")":
            arguments.append(self.argument())
            while self.match(","):
                arguments.append(self.argument())
        self.no_arithmetic("A function takes a field, not an expression.")
        self.need(")")
        return Call(name.text, distinct, arguments, name.start, self.end)

    def argument(self) -> Argument:
        if self.next.kind == "*":
            token = self.take()
            return Star(None, token.start, token.end)
        if self.next.kind == "name" and self.follows("("):
            if self.word("ARRAY"):
                return self.array()
            raise self.refuse("A function takes a field, not an expression.")
        return self.operand()

    def array(self) -> Array:
        start = self.take().start
        self.need("(")
        items = [self.operand()]
        while self.match(","):
            items.append(self.operand())
        self.need(")")
        return Array(items, start, self.end)

    def name_or_star(self) -> Name | Star:
        first = self.next
        if self.follows(".") and self.tokens[self.at + 2].kind == "*":
            self.take()
            self.take()
            self.take()
            return Star(first.text, first.start, self.end)
        return self.name()

    def name(self) -> Name:
        first = self.need("name")
        if not self.match("."):
            return Name(None, first.text, first.start, first.end)
        # Only a name can follow a dot, so a reserved word is a name here.
        last = self.take() if self.next.text.isidentifier() else self.need("name")
        if self.next.kind == ".":
            raise self.refuse("A field can have one prefix only, its topic or alias.", first.start)
        return Name(first.text, last.text, first.start, last.end)

    # Conditions

    def condition_alone(self) -> Expression:
        if self.next.kind == "end":
            raise self.refuse("The condition is empty: write one, or true for everything.")
        condition = self.condition()
        if self.next.kind != "end":
            self.no_arithmetic("Arithmetic is not supported: compare a field with a literal.")
            raise self.expected("AND or the end")
        return condition

    def condition(self) -> Expression:
        start = self.next.start
        first = self.conjunction()
        if self.next.kind != "OR":
            return first
        parts = [first]
        while self.match("OR"):
            parts.append(self.conjunction())
        return Or(parts, start, self.end)

    def conjunction(self) -> Expression:
        start = self.next.start
        first = self.negation()
        if self.next.kind != "AND":
            return first
        parts = [first]
        while self.match("AND"):
            parts.append(self.negation())
        return And(parts, start, self.end)

    def negation(self) -> Expression:
        start, negated = self.next.start, False
        while self.next.kind in ("NOT", "!"):
            self.take()
            negated = not negated  # NOT NOT x is x, also for NULL
        part = self.predicate()
        return Not(part, start, self.end) if negated else part

    def predicate(self) -> Expression:
        start = self.next.start
        left = self.compared()
        for _ in range(MOST_NESTED):
            negated = self.next.kind == "NOT"
            if negated:
                self.take()
            match self.next.kind:
                case "BETWEEN":
                    self.take()
                    low = self.operand()
                    self.need("AND")
                    left = Between(left, low, self.operand(), start, self.end)
                case "IN":
                    left = self.within(left, start)
                case "LIKE":
                    left = self.like(left, start)
                case "IS" if not negated:
                    left = self.identity(left, start)
                    continue
                case "ILIKE" | "RLIKE" | "REGEXP":
                    raise self.refuse("Only LIKE with a prefix such as 'abc%' is supported.")
                case _ if negated:
                    raise self.expected("BETWEEN, IN or LIKE")
                case _:
                    return left
            if negated:
                left = Not(left, start, self.end)
        raise self.refuse("Too many predicates in sequence: put parentheses around them.", start)

    def within(self, left: Expression, start: int) -> Expression:
        self.take()
        self.need("(")
        if self.next.kind == "SELECT":
            raise self.refuse("Subqueries are not supported: list the values.")
        items = [self.operand()]
        while self.match(","):
            items.append(self.operand())
        self.need(")")
        return In(left, items, start, self.end)

    def like(self, left: Expression, start: int) -> Expression:
        self.take()
        pattern = self.operand()
        escape = "\\"
        if self.word("ESCAPE"):
            self.take()
            token = self.need("text")
            escape = unquoted(token.text) or ""
            if len(escape) != 1:
                raise self.refuse("ESCAPE takes one character.", token.start, token.end)
        return Like(left, pattern, escape, start, self.end)

    def identity(self, left: Expression, start: int) -> Expression:
        self.take()
        negated = self.match("NOT")
        test: Expression
        if self.match("DISTINCT"):
            self.need("FROM")
            right = self.operand()
            test = Compare("<=>", left, right, start, self.end)
            negated = not negated
        elif self.next.kind in ("NULL", "TRUE", "FALSE"):
            what = {"NULL": None, "TRUE": True, "FALSE": False}[self.take().kind]
            test = Is(left, what, start, self.end)
            if what is not None:
                self.boolean(left)
        elif self.word("UNKNOWN"):
            self.take()
            test = Is(left, None, start, self.end)
        else:
            raise self.expected("NULL, TRUE, FALSE or DISTINCT FROM")
        return Not(test, start, self.end) if negated else test

    def boolean(self, operand: Expression) -> None:
        """Reject a literal that is neither boolean nor NULL."""
        if isinstance(operand, Literal) and operand.kind not in (LiteralKind.BOOLEAN, LiteralKind.NULL):
            raise self.refuse(f"A condition is expected here, not {operand.kind.value}.", operand.start, operand.end)

    def compared(self) -> Expression:
        start = self.next.start
        left = self.operand()
        op = _COMPARISONS.get(self.next.kind)
        if op is None:
            return left
        self.take()
        right = self.operand()
        if self.next.kind in _COMPARISONS:
            raise self.refuse("Comparisons cannot be chained: connect them with AND.")
        return Compare(op, left, right, start, self.end)

    def operand(self) -> Expression:
        token = self.next
        match token.kind:
            case "name":
                return self.named()
            case "number":
                self.take()
                return number(self.text, token.text, token.start, token.end)
            case "text":
                self.take()
                return self.text_literal(token)
            case "-" | "+":
                self.take()
                if self.next.kind != "number":
                    raise self.refuse("A sign is allowed before a number only.", token.start, token.end)
                digits = self.take()
                sign = "-" if token.kind == "-" else ""
                return number(self.text, sign + digits.text, token.start, digits.end)
            case "(":
                return self.parenthesis()
            case "NULL" | "TRUE" | "FALSE":
                self.take()
                kind = LiteralKind.NULL if token.kind == "NULL" else LiteralKind.BOOLEAN
                return Literal(kind, None if token.kind == "NULL" else token.kind == "TRUE", token.start, token.end)
        raise self.expected("a field or a literal")

    def parenthesis(self) -> Expression:
        opening = self.take()
        if self.next.kind == "SELECT":
            raise self.refuse("Subqueries are not supported.")
        self.deeper(opening)
        inside = self.condition()
        self.depth -= 1
        self.no_arithmetic("Arithmetic is not supported: compare a field with a literal.")
        self.need(")")
        return inside

    def deeper(self, opening: Token) -> None:
        """Enter a level of nesting, up to the limit."""
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise self.refuse(
                f"Parentheses are nested too deep: use at most {MOST_NESTED} levels.", opening.start, opening.end
            )

    def text_literal(self, token: Token) -> Literal:
        value = unquoted(token.text)
        if value is None:
            raise self.refuse("This text contains half a character (a lone surrogate).", token.start, token.end)
        return Literal(LiteralKind.TEXT, value, token.start, token.end)

    def named(self) -> Expression:
        """Read a field, or a literal that starts with a word."""
        token = self.next
        word = token.text.upper()
        if self.follows("text"):
            self.take()
            literal = self.text_literal(self.take())
            if word not in _TYPED:
                raise self.refuse(
                    f"{token.text} is not allowed before text: use DATE or TIMESTAMP.", token.start, token.end
                )
            return typed(self.text, word, literal, token.start, self.end)
        if not self.follows("("):
            return self.name()
        if word == "EXISTS":
            raise self.refuse("Subqueries are not supported.")
        if word != "CAST" and word not in CASTS:
            raise self.refuse("Functions are not supported here: compare a field with a literal.")
        self.take()
        self.take()
        if self.next.kind != "text":
            raise self.refuse("Only text can be cast here: compare a field with a literal.")
        literal = self.text_literal(self.take())
        if word == "CAST":
            self.need("AS")
            to = self.need("name")
            word = to.text.upper()
            if word not in CASTS:
                raise self.refuse("Only casts to double, float, date and timestamp are supported.", to.start, to.end)
        self.need(")")
        return cast(self.text, word, literal, token.start, self.end)

    def no_arithmetic(self, message: str) -> None:
        """Reject an arithmetic operator."""
        if self.next.kind in ARITHMETIC:
            raise self.refuse(message)
