"""The overlay of the experiments: a chain of four core brokers with three edge brokers each.

Of the twelve edge brokers three have publishers only, three subscribers only, six both. The paper leaves open which
ones: here every kind is spread over the chain.

Paper: mna-aggregation, section VIII.A.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

CORE = tuple(f"c{n}" for n in range(1, 5))
EDGES = tuple(f"e{n}" for n in range(1, 13))
ONLY_PUBLISHERS = ("e1", "e4", "e7")
ONLY_SUBSCRIBERS = ("e6", "e9", "e12")
PUBLISHER_EDGES = tuple(edge for edge in EDGES if edge not in ONLY_SUBSCRIBERS)
SUBSCRIBER_EDGES = tuple(edge for edge in EDGES if edge not in ONLY_PUBLISHERS)
SUBSCRIBERS_PER_EDGE = 10


def overlay() -> dict[str, Any]:
    """Return the overlay in the form of a deployment file.

    >>> overlay()["links"][:4]
    [['c1', 'c2'], ['c2', 'c3'], ['c3', 'c4'], ['c1', 'e1']]
    """
    chain = [[one, other] for one, other in pairwise(CORE)]
    spokes = [[CORE[n // 3], edge] for n, edge in enumerate(EDGES)]
    return {"brokers": [*CORE, *EDGES], "links": chain + spokes}


def publisher_at(topic: str, edge: str) -> str:
    """Return the id of a topic's publisher at an edge broker."""
    return f"{topic}-{edge}"


def publishers(topic: str, where: Sequence[str | None]) -> list[dict[str, Any]]:
    """Return a publisher of the topic with its advertisement for every edge broker with publishers."""
    return [
        {"id": publisher_at(topic, edge), "at": edge, "topic": topic} | ({"where": text} if text else {})
        for edge, text in zip(PUBLISHER_EDGES, where, strict=True)
    ]


def subscribers(subscriptions: int) -> list[dict[str, Any]]:
    """Return at most one subscriber per subscription, up to ten at each edge broker with subscribers, in turn."""
    count = min(subscriptions, SUBSCRIBERS_PER_EDGE * len(SUBSCRIBER_EDGES))
    return [{"id": f"u{n + 1:02}", "at": SUBSCRIBER_EDGES[n % len(SUBSCRIBER_EDGES)]} for n in range(count)]


def in_condition(field: str, names: Sequence[str]) -> str:
    """Return the condition that a field has one of some names.

    >>> in_condition("road", ["401", "DVP"])
    "road IN ('401', 'DVP')"
    """
    return f"{field} IN ({', '.join(repr(name) for name in names)})"
