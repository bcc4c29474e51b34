"""Text -> tokens, with the lexical rules of Spark SQL.

One regular expression covers the subset of SQL in subscriptions. It is several times faster than a tokenizer for all of
SQL, which matters for tables of hundreds of thousands of subscriptions.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sparing.language.errors import LanguageError
from sparing.model.names import RESERVED


class Token(NamedTuple):
    """A token at `text[start:end]`. `kind`: `name`, `number`, `text`, `end`, a reserved word (capitals) or a symbol."""

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
    """Return the tokens of a text, without spaces and comments, and a last one of kind `end`.

    >>> [token.kind for token in tokens("SELECT `a b` -- all")]
    ['SELECT', 'name', 'end']
    """
    result = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        assert kind is not None
        piece = match[kind]
        start, end = match.span(kind)
        if kind == "name":
            upper = piece.upper()
            result.append(Token(upper if upper in RESERVED else kind, piece, start, end))
        elif kind == "symbol":
            result.append(Token(piece, piece, start, end))
        elif kind in ("number", "text"):
            result.append(Token(kind, piece, start, end))
        elif kind == "quoted":
            result.append(Token("name", piece[1:-1].replace("``", "`"), start, end))
        elif kind == "wrong":
            raise LanguageError(_error_message(piece), text, start, end)
    result.append(Token("end", "", len(text), len(text)))
    return result


def _error_message(piece: str) -> str:
    if piece in ("'", '"', "`"):
        return f"This {piece} is not closed."
    if piece.startswith("/*"):
        return "This comment is not closed: add */."
    if piece[0].isdigit():
        return f"{piece} is not a number."
    return f"{piece!r} is not allowed here."


_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\([0-3][0-7]{2})|\\(.)|''|\"\"", re.DOTALL)
_ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def unquoted(literal: str) -> str | None:
    r"""Return the value of a text literal, None if it is not valid Unicode.

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
    try:  # the halves of a surrogate pair become one character; a lone half is invalid
        return characters.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return None
