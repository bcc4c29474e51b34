"""Names in SQL text, with backquotes where needed."""

from __future__ import annotations

import re

# Words that need backquotes as names of fields or topics.
# fmt: off
RESERVED = frozenset({
    "ALL", "AND", "ANTI", "AS", "BETWEEN", "BY", "CLUSTER", "CROSS", "DISTINCT", "DISTRIBUTE", "EXCEPT", "FALSE",
    "FROM", "FULL", "GROUP", "HAVING", "ILIKE", "IN", "INNER", "INTERSECT", "IS", "JOIN", "LATERAL", "LEFT", "LIKE",
    "LIMIT", "MINUS", "NATURAL", "NOT", "NULL", "OFFSET", "ON", "OR", "ORDER", "PIVOT", "QUALIFY", "REGEXP", "RIGHT",
    "RLIKE", "SELECT", "SEMI", "SORT", "TABLESAMPLE", "TRUE", "UNION", "UNPIVOT", "USING", "WHERE", "WITH",
})
# fmt: on


_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def quoted(name: str) -> str:
    """Return a name as it must be written in SQL.

    >>> quoted("speed"), quoted("air speed"), quoted("order")
    ('speed', '`air speed`', '`order`')
    """
    if _PLAIN.fullmatch(name) and name.upper() not in RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"
