"""Payloads: the named fields of a notification as JSON text, in the format of Spark's `to_json`."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any


def json_value(value: Any) -> str:
    """Return a value as JSON text.

    >>> json_value(Decimal("1.50")), json_value(float("nan")), json_value("a\\"b")
    ('1.50', '"NaN"', '"a\\\\"b"')
    """
    if type(value) is int:
        return str(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, float) and not math.isfinite(value):
        return '"NaN"' if math.isnan(value) else ('"Infinity"' if value > 0 else '"-Infinity"')
    if isinstance(value, datetime):
        return f'"{value.isoformat(timespec="microseconds").replace("+00:00", "Z")}"'
    if isinstance(value, date):
        return f'"{value.isoformat()}"'
    if isinstance(value, tuple):
        return "[" + ",".join(map(json_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


@lru_cache(maxsize=4096)
def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def json_object(fields: Iterable[tuple[str, Any]]) -> str:
    """Return named values as a JSON object; missing values are omitted, as in Spark.

    >>> json_object([("avg(speed)", 41.5), ("count(1)", 3), ("max(lane)", None)])
    '{"avg(speed)":41.5,"count(1)":3}'
    """
    parts = [f"{_quoted(name)}:{json_value(v)}" for name, v in fields if v is not None]
    return "{" + ",".join(parts) + "}"
