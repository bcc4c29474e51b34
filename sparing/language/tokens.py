"""Text -> tokens, by the lexical rules of Spark SQL.

The subset that subscriptions are written in needs few of them, so one regular expression does the work: tables hold
hundreds of thousands of subscriptions, and this is several times faster than a tokenizer for all of SQL.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sparing.language.errors import LanguageError
from sparing.model.names import RESERVED


class Token(NamedTuple):
    """`text[start:end]`. `kind` is `name`, `number`, `text`, `end`, a reserved word in capitals or a symbol."""

    kind: str
    text: str
    start: int
    end: int


_TOKEN = re.compile(
    r"""
    \s*+ (?:
      (?P<name> (?!R['"]) [^\W\d]\w*+ )
    | (?P<symbol> <=> | <= | >= | <> | != | == | \|\| | (?!--|/\*|\.[0-9]) [-+*/%(),.;=<>!&|^~?:\[\]] )
    | (?P<number> (?: [0-9]+ (?:\.[0-9]*)? | \.[0-9]+ ) (?:E[+-]?[0-9]+)? (?:BD|[LDFSY])? (?!\w) )
    | (?P<text> R'[^']*' | R"[^"]*" | '(?:[^'\\]|\\.|'')*+' | "(?:[^"\\]|\\.|"")*+" )
    | (?P<quoted> `(?:[^`]|``)++` )
    | (?P<space> --[^\n]* | /\*.*?\*/ | \Z )
    | (?P<wrong> /\*.* | \d\w* | . )
    )
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


def tokens(text: str) -> list[Token]:
    """The tokens of a text, then one of kind `end`. Spaces and comments are left out.

    >>> [token.kind for token in tokens("SELECT `a b` -- all")]
    ['SELECT', 'name', 'end']
    """
    found = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        assert kind is not None
        piece = match[kind]
        start, end = match.span(kind)
        if kind == "name":
            upper = piece.upper()
            found.append(Token(upper if upper in RESERVED else kind, piece, start, end))
        elif kind == "symbol":
            found.append(Token(piece, piece, start, end))
        elif kind in ("number", "text"):
            found.append(Token(kind, piece, start, end))
        elif kind == "quoted":
            found.append(Token("name", piece[1:-1].replace("``", "`"), start, end))
        elif kind == "wrong":
            raise LanguageError(_what_is_wrong(piece), text, start, end)
    found.append(Token("end", "", len(text), len(text)))
    return found


def _what_is_wrong(piece: str) -> str:
    if piece in ("'", '"', "`"):
        return f"This {piece} is never closed."
    if piece.startswith("/*"):
        return "This comment is never closed."
    if piece[0].isdigit():
        return f"{piece} is not a number."
    return f"{piece!r} has no meaning here."


_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\([0-3][0-7]{2})|\\(.)|''|\"\"", re.DOTALL)
_ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def unquoted(literal: str) -> str | None:
    r"""The characters that a text literal stands for, None if they are no valid text.

    >>> unquoted("'it''s'"), unquoted(r"'a\tb'"), unquoted(r"r'a\tb'")
    ("it's", 'a\tb', 'a\\tb')
    """
    if literal[0] in "rR":
        return literal[2:-1]
    quote, inside = literal[0], literal[1:-1]
    if "\\" not in inside and quote not in inside:
        return inside

    def plain(match: re.Match[str]) -> str:
        four, eight, octal, other = match.groups()
        if four or eight:
            point = int(four or eight, 16)
            return chr(point) if point <= 0x10FFFF else "\ud800"
        if octal:
            return chr(int(octal, 8))
        if other is not None:
            return _ESCAPED.get(other, other)
        return quote if match[0][0] == quote else match[0]

    characters = _ESCAPE.sub(plain, inside)
    try:  # two halves of a surrogate pair are one character; one half alone is none
        return characters.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return None
