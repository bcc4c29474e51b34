"""Lines that a publisher should not send, and what becomes of each of them."""

from __future__ import annotations

import json

from tests.spark import world

FIELDS = world.FIELDS | {"seen": "timestamp"}
TOPIC = {"time": "ts", "fields": FIELDS}
GOOD = '{"publisher": "p1", "ts": "2026-01-01T00:00:01Z", "lane": 1, "road": "401"}'
MORE = "not exactly one JSON object"
HALF = "half of a surrogate pair"
RANGE = "(a date in the years 1 to 9999 is expected)"
BEYOND = ("10000-01-01", "+10000-01-01", "0000-01-01", "-0001-01-01", "294247-01-10", "+294247-01-10", "-290308-12-21")
NOT_UTF8 = "the text is not UTF-8"


def _with(field: str, value: str) -> str:
    return GOOD[:-1] + f', "{field}": {value}}}'


def _at(time: str) -> str:
    return GOOD.replace("2026-01-01T00:00:01Z", time)


SENT: list[tuple[str | bytes, str | None, str]] = [  # the line, reason (None: it is published), words of the detail
    (GOOD, None, ""),
    # What Spark's reader takes for JSON and others do not.
    (GOOD.replace('"', "'"), None, ""),
    (GOOD.replace('"', "'").replace(": 1,", ": 'x',"), "wrong type", "lane is not an int: x"),
    (GOOD + GOOD, "malformed", MORE),
    (GOOD + " " + GOOD, "malformed", MORE),
    (GOOD + "," + GOOD, "malformed", MORE),
    (GOOD + "]", "malformed", MORE),
    (GOOD + "}", "malformed", MORE),
    (GOOD + " and more", "malformed", MORE),
    (GOOD + ' {"lane": "x"', "malformed", MORE),
    (GOOD + "\x00", "malformed", MORE),
    (GOOD.replace('"lane": 1', '"lane": "x"') + "}", "malformed", MORE),
    (GOOD.replace("401", "}{"), None, ""),
    (GOOD.replace('"401"', '{"a": {}}'), None, ""),
    (GOOD + "  ", None, ""),
    (GOOD + "\t", None, ""),
    (_with("speed", "+INF"), "wrong type", "speed is not a double"),
    (_with("speed", "NaN"), "wrong type", "speed is not a double"),
    (_with("speed", "1e400"), "wrong type", "speed is not a double"),
    (_with("cars", "1" + "0" * 400), "wrong type", "cars is not a bigint: 1000"),
    (_with("cars", "9" * 1_200), "malformed", "cannot be parsed"),
    (_with("fee", '"1e999999999"'), "wrong type", "fee is not a decimal(10,2)"),
    (_with("fee", "1e-999999999"), None, ""),
    (GOOD.replace("401", "\\ud800"), "malformed", HALF),
    (GOOD.replace("401", "\\uDC00 "), "malformed", HALF),
    (GOOD.replace("401", "\\ud800\\\\\\udc00"), "malformed", HALF),
    (GOOD.replace("401", "\\ud83d\\ude00"), None, ""),
    (GOOD.replace("401", "\\\\ud800"), None, ""),
    (GOOD.replace(": 1,", ": " + "[" * 990 + "]" * 990 + ","), "wrong type", "lane is not an int: [["),
    (GOOD.replace('"401"', "[" * 990 + "]" * 990), None, ""),
    (GOOD.replace('"401"', "[" * 1_200 + "]" * 1_200), "malformed", "cannot be parsed"),
    (GOOD.replace("401", "[" * 5_000), None, ""),
    # What is no object, or a strange one.
    ("null", "malformed", "cannot be parsed"),
    ("[]", "malformed", "cannot be parsed"),
    (f"[{GOOD}]", "malformed", "cannot be parsed"),
    ("5", "malformed", "cannot be parsed"),
    ('"text"', "malformed", "cannot be parsed"),
    ("{}", "unknown publisher", "names no publisher"),
    ("{", "malformed", "cannot be parsed"),
    ("\t", "malformed", MORE),
    ("\x00", "malformed", "cannot be parsed"),
    ("\ufeff" + GOOD, "malformed", "cannot be parsed"),
    (GOOD.replace("401", "4\x001"), "malformed", "cannot be parsed"),
    (GOOD.replace("401", "4\\u00001"), None, ""),
    (_with("lane", "2"), None, ""),
    (_with("lane", '"x"'), "wrong type", "lane is not an int: x"),
    (GOOD.replace("lane", "LANE"), None, ""),
    (GOOD.replace('"p1"', "7"), "unknown publisher", "no publisher has the id 7"),
    (GOOD.replace('"p1"', '{"a": 1}'), "unknown publisher", 'no publisher has the id {"a":1}'),
    (GOOD.replace('"p1"', '["p1"]'), "unknown publisher", 'no publisher has the id ["p1"]'),
    (GOOD.replace('"p1"', "null"), "unknown publisher", "names no publisher"),
    (_with("topic", '["traffic"]'), "unknown topic", 'no topic is called ["traffic"]'),
    (_with("id", '{"a": "\\u0000"}'), None, ""),
    (b'\xff{"a"', "malformed", NOT_UTF8),
    (GOOD.encode().replace(b"401", b"\xed\xa0\x80"), "malformed", NOT_UTF8),
    # Times that depend on when they are read, and times at the edges.
    *((_at(time), "wrong type", RANGE) for time in ("08:00", "T08:00", "08:00:00Z", "now", "today", "epoch", "")),
    *((_at(time), "wrong type", RANGE) for time in BEYOND),
    (_at("1767225601"), "wrong type", RANGE),
    *((_at(time), "wrong type", "not in the years 1700 to 2199") for time in ("0001-01-01", "9999-12-31T23:59:59Z")),
    *((_at(time), "wrong type", "not in the years 1700 to 2199") for time in ("1699-12-31", "2200-01-01")),
    *((_at(time), None, "") for time in ("1700-01-01", "2199-12-31T23:59:59.999999Z", "2026", "2026-01-01 00:00")),
    *((_with("seen", f'"{time}"'), None, "") for time in ("0001-01-01", "9999-12-31T23:59:59.999999Z")),
    *((_with("seen", f'"{time}"'), "wrong type", RANGE) for time in ("10:00", *BEYOND)),
    *((_with("day", f'"{day}"'), None, "") for day in ("0001-01-01", "9999-12-31")),
    *((_with("day", f'"{day}"'), "wrong type", RANGE) for day in ("now", "5881580-07-11", *BEYOND)),
]
LINES = [line if isinstance(line, bytes) else line.encode() for line, _, _ in SENT]


def text(line: bytes) -> str:
    """A line as it is in quarantine."""
    return line.decode(errors="replace")


def aside() -> list[tuple[str, str]]:
    """The rows that have to be in quarantine, with their reasons."""
    return sorted((text(line), reason) for line, (_, reason, _) in zip(LINES, SENT, strict=True) if reason is not None)


def published() -> int:
    """How many of the lines are published."""
    return sum(reason is None for _, reason, _ in SENT)


def good(number: int, **more: object) -> bytes:
    """A good line, unlike all others."""
    return json.dumps(json.loads(GOOD) | {"id": f"good {number}"} | more).encode()
