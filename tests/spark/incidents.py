"""Incidents for Spark tests: a merged topic beside the traffic of `world`, reported in part, with contradictions."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

from tests.spark import world

FIELDS = {"place": "string", "kind": "string", "severity": "int", "blocked": "double", "ts": "timestamp"}
TOPIC = {"time": "ts", "fields": FIELDS, "merge": {"key": "place", "within": "8 seconds"}}
PUBLISHERS = [{"id": f"i{n}", "at": at, "topic": "incidents"} for n, at in enumerate(world.EDGES)]
SUBSCRIBED = [
    {"id": "m0", "subscriber": "u0", "sql": "SELECT * FROM incidents EVERY '4 seconds'"},
    {"id": "m1", "subscriber": "u1", "sql": "SELECT * FROM incidents WHERE severity >= 2 EVERY '6 seconds'"},
    {
        "id": "m2",
        "subscriber": "u2",
        "sql": "SELECT place, kind AS what FROM incidents WHERE kind != 'debris' AND place < 'P4' EVERY '3 seconds'",
    },
    {
        "id": "m3",
        "subscriber": "u3",
        "sql": "SELECT * FROM incidents WHERE blocked > 0.5 EVERY '20 seconds'",
        "urgent": "severity = 4 AND kind = 'fire'",
    },
    {
        "id": "m4",
        "subscriber": "u5",
        "sql": "SELECT count(*), max(severity), avg(blocked) FROM incidents GROUP BY window(ts, '10 seconds')",
    },
]
AT_ONCE = {"id": "m5", "subscriber": "u4", "sql": "SELECT * FROM incidents WHERE place = 'P1'"}


def reports(seed: int, count: int, seconds: float = 40) -> list[dict[str, Any]]:
    """Reports in the order of time; some do not say where, some contradict each other, several come at once."""
    rnd = random.Random(seed)
    rows = []
    for number in range(count):
        said = {
            "place": f"P{rnd.randrange(6)}",
            "kind": rnd.choice(["fire", "debris", "collision"]),
            "severity": rnd.randrange(5),
            "blocked": rnd.choice([0.0, 0.25, 0.5, 1.0, float("nan")]),
        }
        row = {name: value for name, value in said.items() if name == "place" or rnd.random() < 0.4}
        if rnd.random() < 0.03:
            del row["place"]
        row["ts"] = world.START + timedelta(milliseconds=rnd.randrange(int(seconds * 4)) * 250)
        row["publisher"] = f"i{rnd.randrange(4)}"
        row["id"] = f"r{number:05}"
        rows.append(row)
    return sorted(rows, key=lambda row: (row["ts"], row["id"]))
