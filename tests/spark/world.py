"""A small world for Spark tests: publications of every type, and subscriptions of every form, from a seed."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

START = datetime(2026, 1, 1, tzinfo=UTC)
FAR = START + timedelta(days=365)  # when the last publication of a trace is made, to close all windows

FIELDS = {
    "id": "string",
    "road": "string",
    "lane": "int",
    "speed": "double",
    "load": "float",
    "cars": "bigint",
    "fee": "decimal(10,2)",
    "open": "boolean",
    "day": "date",
    "ts": "timestamp",
}
ARROW = {
    "id": pa.string(),
    "road": pa.string(),
    "lane": pa.int32(),
    "speed": pa.float64(),
    "load": pa.float32(),
    "cars": pa.int64(),
    "fee": pa.decimal128(10, 2),
    "open": pa.bool_(),
    "day": pa.date32(),
    "ts": pa.timestamp("us", "UTC"),
}
EDGES = ("e1", "e2", "e3", "e4")


def publications(seed: int, count: int, seconds: float = 40) -> list[dict[str, Any]]:
    """Publications in the order of time, with missing values, NaN, infinities and both zeros among them."""
    rnd = random.Random(seed)
    rows = []
    for number in range(count):
        row = {
            "road": rnd.choice(["401", "404", "QEW", "DVP", ""]),
            "lane": rnd.randrange(6),
            "speed": rnd.choice([rnd.uniform(-20, 140), rnd.uniform(0, 120), float(rnd.randrange(100))]),
            "load": float(rnd.randrange(40)) / 4,
            "cars": rnd.choice([rnd.randrange(100), rnd.randrange(-(10**17), 10**17)]),
            "fee": Decimal(rnd.randrange(-5000, 5000)) / 100,
            "open": rnd.random() < 0.5,
            "day": date(2026, 1, 1) + timedelta(days=rnd.randrange(5)),
        }
        if rnd.random() < 0.03:
            row["speed"] = rnd.choice([float("nan"), float("inf"), float("-inf"), -0.0])
        for name in row:
            if rnd.random() < 0.1:
                row[name] = None
        row["ts"] = START + timedelta(microseconds=int(number * seconds * 1e6 / count))
        if rnd.random() < 0.1:  # on the edge of windows
            row["ts"] = START + timedelta(seconds=int(number * seconds / count))
        row["publisher"] = f"p{rnd.randrange(1, 4)}"
        row["id"] = f"{number:06}"
        rows.append(row)
    return rows


def last_publication() -> dict[str, Any]:
    """A publication far in the future that nobody wants: it only tells that time has passed."""
    return dict.fromkeys(FIELDS) | {"publisher": "p1", "id": "last", "ts": FAR, "lane": 99}


def table(rows: list[dict[str, Any]]) -> pa.Table:
    """Publications as an Arrow table."""
    schema = pa.schema({"publisher": pa.string(), **ARROW})
    return pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema=schema)


CONDITIONS = (
    "speed < 60",
    "speed >= 30.5 AND lane <= 3",
    "speed > 100",
    "speed != 50",
    "road = '401'",
    "road IN ('401', 'QEW')",
    "road LIKE '40%'",
    "road IS NULL",
    "road <> '404' AND open",
    "NOT (lane > 2)",
    "lane BETWEEN 1 AND 3",
    "lane IN (0, 5) OR lane IS NULL",
    "load < 3.3",
    "load >= 0.1",
    "cars > 50",
    "cars < -99999999999",
    "fee > 1.005",
    "fee BETWEEN -10 AND 20.5",
    "day >= '2026-01-03'",
    "day = DATE '2026-01-02' AND speed > 0",
    "ts >= '2026-01-01 00:00:10' AND ts < TIMESTAMP '2026-01-01 00:00:30'",
    "open = false AND speed IS NOT NULL",
    "lane <= 5",
)
CALLS = (
    "count(*)",
    "count(speed), sum(lane)",
    "avg(speed), max(road)",
    "min(load), max(load), avg(load)",
    "sum(fee), avg(fee)",
    "sum(cars), min(cars), max(cars)",
    "var_samp(lane), stddev_pop(fee), stddev(lane)",
    "min(day), max(ts), min(open)",
    "count(DISTINCT road), count(DISTINCT lane)",
    "median(lane), count(*)",
    "min(speed), max(speed)",
    "approx_percentile(lane, 0.5), count(*)",
    "percentile_approx(fee, array(0.1, 0.9)), approx_percentile(day, 0.25)",
)  # not a multiple of three: every third subscription is plain, and would always leave out the same calls
WINDOWS = (
    "window(ts, '10 seconds')",
    "window(ts, '10 seconds', '5 seconds')",
    "window(ts, '7 seconds', '2 seconds')",
    "window(ts, '10 seconds', '10 seconds', '3 seconds')",
    "window(ts, '9 seconds', '4 seconds', '1 second')",
    "window(ts, '2 seconds', '7 seconds')",  # sampling: slide above duration
    "window(ts, '1500 milliseconds', '4 seconds', '500 milliseconds')",
)


def subscriptions(seed: int, count: int) -> list[dict[str, str]]:
    """Every condition, call and window is used, in combinations that the seed decides."""
    rnd = random.Random(seed)
    found = []
    for number in range(count):
        where = CONDITIONS[number % len(CONDITIONS)]
        unwanted = "lane < 90 AND " if "lane" not in where else ""  # leaves out the last publication
        where = f"({where}) AND lane < 90" if "lane" in where else unwanted + where
        if number % 3 == 0:
            sql = f"SELECT * FROM traffic WHERE {where}"
        else:
            window = WINDOWS[rnd.randrange(len(WINDOWS))]
            sql = f"SELECT {CALLS[number % len(CALLS)]} FROM traffic WHERE {where} GROUP BY {window}"
        found.append({"id": f"s{number:03}", "subscriber": f"u{rnd.randrange(8)}", "sql": sql})
    return found


def description(subscribed: list[dict[str, str]], **more: Any) -> dict[str, Any]:
    """A deployment with a ring in its overlay, four edge brokers, and three publishers."""
    return {
        "name": "world",
        "overlay": {
            "brokers": ["c1", "c2", "c3", *EDGES],
            "links": [["c1", "c2"], ["c2", "c3"], ["c3", "c1"], ["c1", "e1"], ["c1", "e2"], ["c2", "e3"], ["c3", "e4"]],
        },
        "topics": {"traffic": {"time": "ts", "fields": FIELDS}},
        "publishers": [{"id": f"p{n}", "at": EDGES[n], "topic": "traffic"} for n in range(1, 4)],
        "subscribers": [{"id": f"u{n}", "at": EDGES[n % 4] if n < 6 else ["e1", "e4"]} for n in range(8)],
        "subscriptions": subscribed,
        "ahead": None,  # the last publication of a trace is in the future on purpose
        **more,
    }
