"""Tokens -> tree: the grammar of subscriptions, by recursive descent.

    query      SELECT item, ... FROM topic [[AS] alias] [WHERE condition] [GROUP BY window] [EVERY 'duration'] [;]
    condition  and OR and ...
    and        not AND not ...
    not        NOT not | predicate
    predicate  compared [[NOT] BETWEEN x AND y | [NOT] IN (x, ...) | [NOT] LIKE x | IS [NOT] ...] ...
    compared   operand [op operand]
    operand    field | literal | (condition)

Precedences are those of Spark SQL. What a word means is not known here: any name will do for a field.
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
_ORDER = "Notifications come in event-time order: they cannot be sorted."
_SETS = "A subscription is one SELECT: write a subscription for each."
_REFUSED = {  # clauses of Spark SQL that are left out on purpose
    **dict.fromkeys(
        ("JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "SEMI", "ANTI", "NATURAL", "LATERAL", ","), _JOIN
    ),
    **dict.fromkeys(("ORDER", "SORT", "CLUSTER", "DISTRIBUTE"), _ORDER),
    **dict.fromkeys(("UNION", "EXCEPT", "INTERSECT", "MINUS"), _SETS),
    **dict.fromkeys(("LIMIT", "OFFSET"), "A subscription goes on until it is taken back: it cannot be limited."),
    "HAVING": "HAVING is not supported: filter the notifications where they arrive.",
}


def parse_select(text: str) -> Select:
    """The tree of a whole query."""
    return Grammar(text).query()


def parse_condition(text: str) -> Expression:
    """The tree of a condition that stands alone."""
    return Grammar(text).condition_alone()


class Grammar:
    """One run over the tokens of a text; `next` is the token to be read."""

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
        """Read a token if it is of this kind."""
        if self.next.kind != kind:
            return False
        self.take()
        return True

    def need(self, kind: str) -> Token:
        """Read a token that must be of this kind."""
        if self.next.kind != kind:
            raise self.expected(kind)
        return self.take()

    def word(self, word: str) -> bool:
        """Whether a word that is not reserved comes next, outside backquotes."""
        token = self.next
        return token.kind == "name" and token.text.upper() == word and token.end - token.start == len(word)

    def follows(self, kind: str) -> bool:
        """Whether the token after the next is of this kind."""
        return self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].kind == kind

    @property
    def end(self) -> int:
        """Where what has been read ends."""
        return self.tokens[self.at - 1].end

    # Errors

    def refuse(self, message: str, start: int | None = None, end: int | None = None) -> LanguageError:
        """An error that points at the next token, or at the stretch given."""
        return LanguageError(
            message,
            self.text,
            self.next.start if start is None else start,
            self.next.end if end is None else end,
        )

    def expected(self, what: str) -> LanguageError:
        """An error that says what should have come next."""
        if self.next.kind == "end":
            return self.refuse(f"The text ends where {what} should follow.")
        return self.refuse(f"Expected {what} here, found {self.text[self.next.start : self.next.end]}.")

    # The query and its clauses

    def query(self) -> Select:
        start = self.next.start
        if not self.match("SELECT"):
            if self.next.kind == "end":
                raise self.refuse("There is no query here: write SELECT ... FROM topic.")
            if self.next.kind == "WITH":
                raise self.refuse("WITH is not supported: a subscription is one SELECT over one topic.")
            raise self.refuse("A subscription must start with SELECT.")
        if self.next.kind == "DISTINCT":
            raise self.refuse("SELECT DISTINCT is not supported: every publication is an event of its own.")
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
        return Select(items, topic, alias, where, group, every, start, self.end)

    def leftover(self, where: bool, group: bool, every: bool, alias: Token | None) -> LanguageError:
        """An error that says what is wrong with the text after the query."""
        if self.tokens[self.at - 1].kind == ";":
            return self.refuse("Only one statement may be given.")
        if self.next.kind in _REFUSED:
            return self.refuse(_REFUSED[self.next.kind])
        self.no_arithmetic("Arithmetic is not supported: compare a field with a literal.")
        if alias is not None and not (where or group or every) and self.tokens[self.at - 1] is alias:
            meant = nearest(alias.text, ("WHERE", "GROUP BY", "EVERY"))  # a misspelt word was read as an alias
            if meant is not None:
                return self.refuse(f"Expected {meant} here, found {alias.text}.", alias.start, alias.end)
        ways = [] if every else ["EVERY", "the end"] if group else ["GROUP BY", "EVERY", "the end"]
        if where and not group and not every:
            ways = ["AND", *ways]
        elif not where and not group and not every:
            ways = ["WHERE", *ways]
        return self.expected(", ".join(ways[:-1]) + " or " + ways[-1] if ways else "the end")

    def topic(self) -> Name:
        if self.next.kind == "(":
            raise self.refuse("Subqueries are not supported: name a topic after FROM.")
        token = self.next
        if token.kind != "name":
            raise self.expected("the name of a topic")
        self.take()
        if self.next.kind == ".":
            raise self.refuse("A topic has a plain name, without a catalog or schema.", token.start)
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
        # After a dot only a name can follow, so a reserved word is one, too.
        last = self.take() if self.next.text.isidentifier() else self.need("name")
        if self.next.kind == ".":
            raise self.refuse("A field has at most its topic or alias in front.", first.start)
        return Name(first.text, last.text, first.start, last.end)

    # Conditions

    def condition_alone(self) -> Expression:
        if self.next.kind == "end":
            raise self.refuse("There is no condition here: write one, or true for everything.")
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
            negated = not negated  # NOT NOT takes itself back, also for NULL
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
        raise self.refuse("Too many predicates follow each other: put parentheses around them.", start)

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
        found: Expression
        if self.match("DISTINCT"):
            self.need("FROM")
            right = self.operand()
            found = Compare("<=>", left, right, start, self.end)
            negated = not negated
        elif self.next.kind in ("NULL", "TRUE", "FALSE"):
            what = {"NULL": None, "TRUE": True, "FALSE": False}[self.take().kind]
            found = Is(left, what, start, self.end)
            if what is not None:
                self.boolean(left)
        elif self.word("UNKNOWN"):
            self.take()
            found = Is(left, None, start, self.end)
        else:
            raise self.expected("NULL, TRUE, FALSE or DISTINCT FROM")
        return Not(found, start, self.end) if negated else found

    def boolean(self, operand: Expression) -> None:
        """A literal that is neither true nor false cannot be one of them."""
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
            raise self.refuse("Comparisons cannot be chained: join two of them with AND.")
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
                    raise self.refuse("A sign may stand before a number only.", token.start, token.end)
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
        """Go one level down, if this is not one too many."""
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise self.refuse("Parentheses are nested too deep.", opening.start, opening.end)

    def text_literal(self, token: Token) -> Literal:
        value = unquoted(token.text)
        if value is None:
            raise self.refuse("This text holds half a character (a lone surrogate).", token.start, token.end)
        return Literal(LiteralKind.TEXT, value, token.start, token.end)

    def named(self) -> Expression:
        """A field, or one of the literals that start with a word."""
        token = self.next
        word = token.text.upper()
        if self.follows("text"):
            self.take()
            literal = self.text_literal(self.take())
            if word not in _TYPED:
                raise self.refuse(f"{token.text} cannot stand before text.", token.start, token.end)
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
            raise self.refuse("Only text may be cast here: compare a field with a literal.")
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
        """Refuse an operator that would make an expression of what was just read."""
        if self.next.kind in ARITHMETIC:
            raise self.refuse(message)
