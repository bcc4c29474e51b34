"""Strategies for whole deployments and what is published in them.

Everything is small, so that things meet: a few brokers in cycles, three topics with the same fields, times of half a
minute, values that lie on the bounds of conditions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

from hypothesis import strategies as st

from sparing.deployment.deployment import Deployment
from sparing.model.types import END_OF_TIME, EPOCH, MICROSECOND
from tests.together.policies import CHOICES, policy_of

START = datetime(2026, 1, 1, tzinfo=UTC)
LAST = 40  # seconds in which something is published
FIELDS = {
    "road": "string",
    "lane": "int",
    "speed": "double",
    "fee": "decimal(6,2)",
    "open": "boolean",
    "ts": "timestamp",
}

Description = dict[str, Any]


@dataclass(frozen=True)
class World:
    """A deployment as its file has it, and the lines that are published."""

    description: Description
    lines: tuple[str, ...]

    def under(self, policy: Mapping[str, Any]) -> Deployment:
        """The deployment under a policy."""
        return Deployment.of(self.description | {"policy": dict(policy)})

    def __repr__(self) -> str:
        return "\n".join([json.dumps(self.description, indent=1), *self.lines])


def moment(seconds: float) -> str:
    """A time as files have it."""
    return (START + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


def micros(seconds: float) -> int:
    """The same in microseconds."""
    return (START + timedelta(seconds=seconds) - EPOCH) // MICROSECOND


# Brokers


@st.composite
def overlays(draw: st.DrawFn) -> Description:
    """Two to six brokers, most of them in a cycle; names do not follow places."""
    brokers = draw(st.permutations([f"b{n}" for n in range(draw(st.integers(2, 6)))]))
    links = {(brokers[at], brokers[draw(st.integers(0, at - 1))]) for at in range(1, len(brokers))}
    free = [pair for pair in combinations(brokers, 2) if pair not in links and pair[::-1] not in links]
    if free:
        links.update(draw(st.lists(st.sampled_from(free), max_size=3, unique=True)))
    settings = st.sampled_from([{}, {}, {"delay": 2}, {"weight": 3}, {"delay": 5, "weight": 2}])
    return {"brokers": list(brokers), "links": [[*link, draw(settings)] for link in sorted(links)]}


# What subscriptions want

_CONDITIONS = {
    "road": ["road = '401'", "road IN ('401', 'QEW')", "road LIKE '4%'", "road != '404'"],
    "lane": ["lane <= 2", "lane BETWEEN 1 AND 2", "lane = 3", "lane >= 2", "lane < 4"],
    "speed": ["speed < 50", "speed >= 50", "speed > 49.5", "speed != 50"],
    "fee": ["fee > 1.005", "fee BETWEEN 1 AND 2.5"],
    "open": ["open", "NOT open"],
}
_MISSING = {
    "road": ["road IS NULL OR road = 'QEW'"],
    "lane": ["lane IS NULL", "lane IS NULL OR lane = 1"],
    "speed": ["speed IS NULL OR speed < 1"],
}


@st.composite
def conditions(draw: st.DrawFn, *, missing: bool = True, least: int = 0, most: int = 3) -> str:
    """A conjunction; with `missing`, some conditions hold for a field without a value."""
    fields = draw(
        st.lists(st.sampled_from(["road", "lane", "lane", *_CONDITIONS]), min_size=least, max_size=most, unique=True)
    )
    found = []
    for field in fields:
        some = _CONDITIONS[field] + (_MISSING.get(field, []) if missing else [])
        found.append(f"({draw(st.sampled_from(some))})")
    return " AND ".join(found)


_PIECEWISE = [
    "count(*)",
    "count(speed)",
    "sum(lane)",
    "avg(speed)",
    "sum(fee)",
    "avg(fee)",
    "min(speed)",
    "max(road)",
    "max(ts)",
    "stddev_pop(lane)",
    "var_samp(fee)",
    "approx_count_distinct(road)",
    "approx_percentile(lane, 0.5)",
]
_RAW = ["median(lane)", "count(DISTINCT road)", "median(speed)"]
_WINDOWS = [
    "window(ts, '10 seconds')",
    "window(ts, '10 seconds', '5 seconds')",
    "window(ts, '9 seconds', '3 seconds', '1 second')",
    "window(ts, '12 seconds', '2 seconds')",
    "window(ts, '2 seconds', '7 seconds')",
]
_COUNTED = ["count_window(2)", "count_window(3, 1)", "count_window(2, 3)", "count_window(1)"]
_COLUMNS = ["*", "*", "*", "road, lane AS where_at", "speed", "ts, fee"]


@st.composite
def queries(draw: st.DrawFn, topic: str, merged: bool, missing: bool) -> Description:
    """A query of any kind, perhaps with what is urgent."""
    where = draw(conditions(missing=missing))
    tail = f" FROM {topic}" + (f" WHERE {where}" if where else "")
    kinds = ["plain", "every", "every", "window", "count window"] if merged else [
        "plain", "plain", "window", "window", "sliding", "raw window", "every", "count window"
    ]  # fmt: skip
    match draw(st.sampled_from(kinds)):
        case "plain":
            return {"sql": f"SELECT {draw(st.sampled_from(_COLUMNS))}{tail}"}
        case "every":
            cycle = draw(st.sampled_from([2, 3, 4, 6, 30]))
            found = {"sql": f"SELECT {draw(st.sampled_from(_COLUMNS))}{tail} EVERY '{cycle} seconds'"}
            if draw(st.integers(0, 2)) == 0:
                found["urgent"] = draw(conditions(missing=missing, least=1, most=2))
            return found
        case "sliding":
            return {"sql": f"SELECT count(*), avg(speed){tail} GROUP BY {draw(st.sampled_from(_WINDOWS[1:4]))}"}
        case kind:
            calls = draw(st.lists(st.sampled_from(_PIECEWISE), min_size=1, max_size=3, unique=True))
            if kind == "raw window":
                calls.append(draw(st.sampled_from(_RAW)))
            window = draw(st.sampled_from(_COUNTED if kind == "count window" else _WINDOWS))
            return {"sql": f"SELECT {', '.join(calls)}{tail} GROUP BY {window}"}


@st.composite
def subscriptions(
    draw: st.DrawFn, topics: Mapping[str, Description], who: Sequence[str], *, missing: bool, prefix: str = "s"
) -> list[Description]:
    """One to eight, some of which come or go."""
    found = []
    for n in range(draw(st.integers(1, 8))):
        topic = draw(st.sampled_from(sorted(topics)))
        entry = {
            "id": f"{prefix}{n}",
            "subscriber": draw(st.sampled_from(who)),
            "attributes": {"w": draw(st.integers(1, 3))},
        }
        entry |= draw(queries(topic, "merge" in topics[topic], missing))
        if draw(st.integers(0, 3)) == 0:
            first, last = sorted(draw(st.lists(st.integers(0, LAST), min_size=2, max_size=2, unique=True)))
            ends = {"from": moment(first), "until": moment(last)}
            for end in draw(st.sampled_from([("from",), ("until",), ("from", "until")])):
                entry[end] = ends[end]
        found.append(entry)
    return found


# Publishers

_RANKS = [
    None,
    "area",
    "diverse",
    "subscription.w",
    "subscription.w * 10 - lane",
    {"by": "area", "fair": True},
    {"by": "subscription.w", "fair": "exact"},
    {"fair": True},
    {"fair": "exact"},
]


@st.composite
def publishers(
    draw: st.DrawFn, topics: Mapping[str, Description], brokers: Sequence[str], scored: set[str]
) -> list[Description]:
    """One to four, on a topic or two; on ordinary topics some reach only the best, on `scored` ones by a score."""
    found = []
    for n in range(draw(st.integers(1, 4))):
        for topic in draw(st.lists(st.sampled_from(sorted(topics)), min_size=1, max_size=2, unique=True)):
            entry: Description = {"id": f"p{n}", "at": draw(st.sampled_from(brokers)), "topic": topic}
            if not draw(st.integers(0, 3)):
                entry["where"] = draw(conditions(least=1, most=1))
            if "merge" not in topics[topic] and draw(st.booleans()):
                entry["top_k"] = draw(st.integers(1, 3))
                ranks = [r for r in _RANKS if topic in scored or "subscription" not in str(r)]
                if (rank := draw(st.sampled_from(ranks))) is not None:
                    entry["rank"] = rank
            found.append(entry)
    return found


# Lines

_SAID = {
    "road": ["401", "401", "404", "QEW"],
    "lane": [0, 1, 2, 3, 4],
    "speed": [0.1, 0.2, 0.3, 49.5, 50.0, 50, -0.5, 1e16, "NaN", "Infinity", -0.0],
    "fee": [1, 1.0, 1.01, 2.5, 2.51],
    "open": [True, False],
}
_WRONG = {"road": 401, "lane": "left", "speed": "fast", "fee": "much", "open": "perhaps", "ts": "yesterday"}
_SPOILED = ["malformed", "publisher", "topic", "type", "time", "key", "wish"]


@st.composite
def lines(draw: st.DrawFn, offered: Sequence[Description], ids: Sequence[str]) -> list[str]:
    """One line for every id; some cannot be admitted. Most moments are whole seconds, so that several meet."""
    found = []
    for id_ in ids:
        offer = draw(st.sampled_from(offered))
        row: Description = {"id": id_, "publisher": offer["id"], "topic": offer["topic"]}
        row |= {name: draw(st.sampled_from(said)) for name, said in _SAID.items() if draw(st.integers(0, 7))}
        seconds = draw(st.integers(0, LAST) | st.integers(0, 8))
        row["ts"] = moment(seconds + (0.5 if draw(st.integers(0, 5)) == 0 else 0))
        if offer.get("top_k", 0) > 1 and draw(st.integers(0, 3)) == 0:
            row["top_k"] = draw(st.integers(1, offer["top_k"]))
        if draw(st.integers(0, 11)) == 0:
            row = _spoiled(row, draw(st.sampled_from(_SPOILED)), draw(st.sampled_from(sorted(_WRONG))))
        found.append(json.dumps(row) if "malformed" not in row else row["malformed"])
    return found


def _spoiled(row: Description, how: str, field: str) -> Description:
    match how:
        case "malformed":
            return {"malformed": '{"oops'}
        case "publisher":
            return row | {"publisher": "nobody"}
        case "topic":
            return row | {"topic": "nothing"}
        case "type":
            return row | {field: _WRONG[field]}
        case "time":
            return row | {"ts": None}
        case "key":
            return {name: value for name, value in row.items() if name != "road"}
    return row | {"top_k": 9 if field < "o" else 0}


# Worlds


@st.composite
def worlds(draw: st.DrawFn, *, outages: bool = False, most: int = 40) -> World:
    """Deployments and what is published in them; with `outages` aggregators fail and nobody asks for missing values."""
    overlay = draw(overlays())
    brokers = overlay["brokers"]
    topics: dict[str, Description] = {}
    for name in ("jams", "offers", "traffic")[: draw(st.integers(1, 3))]:
        topics[name] = {"time": "ts", "fields": FIELDS}
        if draw(st.booleans()) or (outages and name == "jams"):
            key = draw(st.sampled_from(["road", ["road", "lane"]]))
            topics[name]["merge"] = {"key": key, "within": draw(st.sampled_from(["5 seconds", "12 seconds"]))}
    homes = st.lists(st.sampled_from(brokers), min_size=1, max_size=3, unique=True)
    who = [{"id": f"u{n}", "at": draw(homes)} for n in range(draw(st.integers(1, 4)))]
    wanted = draw(subscriptions(topics, [u["id"] for u in who], missing=not outages))
    scored = {topic for topic in topics for entry in wanted if f" FROM {topic}" in entry["sql"]}
    offered = draw(publishers(topics, brokers, scored))
    ids = draw(st.permutations([f"i{n:02}" for n in range(draw(st.integers(10, most)))]))
    described = {
        "name": "together",
        "overlay": overlay,
        "topics": topics,
        "publishers": offered,
        "subscribers": who,
        "subscriptions": wanted,
        "bill": {"bucket": "7 seconds"},
    }
    if outages:
        described["outages"] = draw(_outages(brokers, [p["at"] for p in offered if "merge" in topics[p["topic"]]]))
    return World(described, tuple(draw(lines(offered, ids))))


@st.composite
def _outages(draw: st.DrawFn, brokers: Sequence[str], merging: Sequence[str]) -> list[Description]:
    """Aggregators fail, some for good; one at a broker that publishes reports never does."""
    safe = draw(st.sampled_from(merging or brokers))
    found = []
    for broker in draw(st.lists(st.sampled_from(brokers), max_size=4)):
        first = draw(st.integers(0, LAST))
        entry = {"broker": broker, "from": moment(first)}
        if draw(st.booleans()):
            entry["until"] = moment(first + draw(st.integers(1, 15)))
        if broker != safe:
            found.append(entry)
    return found


policies = st.tuples(*(st.integers(0, len(choices) - 1) for choices in CHOICES.values())).map(policy_of)


# Cutting a stream


@st.composite
def cuts(draw: st.DrawFn, some: Sequence[str]) -> list[tuple[list[str], int]]:
    """The lines cut into micro-batches in any order, each with how far time has got after it; none is late."""
    untils = [*sorted(draw(st.lists(st.integers(0, LAST + 15), min_size=1, max_size=4))), None]
    parts: list[list[str]] = [[] for _ in untils]
    for line in draw(st.permutations(some)):
        made = _seconds(line)
        in_time = next(n for n, until in enumerate(untils) if until is None or made < until)
        parts[draw(st.integers(0, in_time))].append(line)
    ends = [END_OF_TIME if until is None else micros(until) for until in untils]
    return list(zip(parts, ends, strict=True))


def _seconds(line: str) -> float:
    """When a line was made; one that does not say is not late."""
    try:
        made = json.loads(line)["ts"]
        return (datetime.fromisoformat(made) - START).total_seconds()
    except (ValueError, TypeError):
        return LAST
