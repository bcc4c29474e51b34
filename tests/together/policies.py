"""All that a policy can say, and small sets of policies in which every two choices occur together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, product
from typing import Any

from sparing.flow.links import POLICIES

Choice = Mapping[str, Any]  # part of a policy, as the file has it

CHOICES: Mapping[str, tuple[Choice, ...]] = {
    "trees": ({"trees": "do"}, {"trees": "ds"}),
    "tree": ({"tree": "shared"}, {"tree": "per-source"}),
    "matchmaker": tuple({"matchmaker": m} for m in ("min-cost", "publish-everywhere", "subscribe-everywhere")),
    "covering": tuple({"covering": c} for c in ("none", "regular", "rank", "ancestor")),
    "folding": tuple({"folding": f} for f in ("none", "mefa", "spa", "aa")),
    "events": (
        {"events": "caeva"},
        {"events": "caeva", "placement": "replay", "active_aggregators": 2},
        {"events": "caeva", "placement": 1, "active_aggregators": 1},
        {"events": "caeva", "placement": 0},
        {"events": "agele"},
        {"events": "siena"},
    ),
    "partitions": ({"partitions": 1}, {"partitions": 3}),
    "decision": (*({"decision": name} for name in POLICIES), {"decision": "patience", "patience": "3 seconds"}),
}
NAIVE: Choice = {
    "trees": "do",
    "tree": "shared",
    "matchmaker": "publish-everywhere",
    "covering": "none",
    "folding": "none",
    "events": "siena",
    "decision": "subscriber-edge",
}

Picked = tuple[int, ...]  # the number of a choice for every key, in the order of CHOICES


def policy_of(picked: Picked) -> dict[str, Any]:
    """A policy as the file has it."""
    policy: dict[str, Any] = {}
    for choices, number in zip(CHOICES.values(), picked, strict=True):
        policy |= choices[number]
    return policy


def every_policy() -> Iterator[Picked]:
    """All combinations."""
    return product(*(range(len(choices)) for choices in CHOICES.values()))


Pair = tuple[tuple[int, int], tuple[int, int]]  # two keys, each with the number of a choice


def pairs(picked: Picked) -> set[Pair]:
    """Every two choices of a policy."""
    return set(combinations(enumerate(picked), 2))


def pairwise_policies() -> list[Picked]:
    """Policies in which every two choices of different keys occur together, few of them.

    Greedily: each next policy begins with a pair that is missing, and takes key by key the choice that makes up most
    of the missing pairs.
    """
    missing = set[Pair]()
    for picked in every_policy():
        missing |= pairs(picked)
    found: list[Picked] = []
    while missing:
        chosen = dict(min(missing))
        for key, choices in enumerate(CHOICES.values()):
            if key not in chosen:
                others = list(chosen.items())
                gains = {n: len(_with(others, (key, n)) & missing) for n in range(len(choices))}
                chosen[key] = max(gains, key=lambda n: (gains[n], -n))
        found.append(tuple(chosen[key] for key in range(len(CHOICES))))
        missing -= pairs(found[-1])
    return found


def _with(others: Iterable[tuple[int, int]], one: tuple[int, int]) -> set[Pair]:
    return {(min(one, other), max(one, other)) for other in others}
