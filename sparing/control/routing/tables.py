"""Routing tables: the subscriptions that each broker knows for one advertisement.

A broker knows the subscriptions of its own subscribers and those forwarded by its downstream neighbours. It forwards to
its upstream neighbour the subscriptions that are not covered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sparing.control.covering.matching_set import MatchingSet
from sparing.control.routes import Routes


@dataclass(frozen=True, eq=False)
class KnownSubscriptions:
    """The subscriptions that one broker knows."""

    broker: int
    numbers: np.ndarray  # of subscriptions, ascending
    weights: np.ndarray  # number of subscriptions that each represents
    forwarded: np.ndarray  # positions of those that the broker forwards over `link`
    link: int  # to the upstream neighbour, NO_LINK at the publisher's own broker


NO_LINK = -1


@dataclass(frozen=True, eq=False)
class RoutingTable:
    """The known subscriptions of all brokers that know some, those farthest from the publisher first."""

    matching_set: MatchingSet
    root: int  # the publisher's broker
    known: tuple[KnownSubscriptions, ...]

    def forwarded(self) -> dict[int, np.ndarray]:
        """Link -> numbers of the subscriptions that are forwarded over it."""
        return {
            entry.link: entry.numbers[entry.forwarded]
            for entry in self.known
            if entry.link != NO_LINK and len(entry.forwarded)
        }


class MetSubscriptions(NamedTuple):
    """Subscriptions that travelled s-links without knowledge of the advertisement that they meet."""

    climbing: RoutingTable
    climbs: Callable[[int], bool]  # link -> whether subscriptions travel over it


def table_of(
    matching_set: MatchingSet,
    broker_of: np.ndarray,
    routes: Routes,
    *,
    weighted: bool = False,
    in_force: np.ndarray | None = None,
    met: MetSubscriptions | None = None,
    over: Callable[[int], bool] | None = None,
    done: dict[int, np.ndarray] | None = None,
) -> RoutingTable:
    """Return the routing table of a matching set for the subscriptions `in_force` (None: all).

    With `met`, brokers on s-links know and forward the climbing subscriptions. With `over`, subscriptions are forwarded
    only over links for which it returns true. `done` caches forwarded subscriptions by link, for tables that agree on
    them; it is extended.
    """
    climbing = {} if met is None else {entry.broker: entry for entry in met.climbing.known}
    root = routes.number[matching_set.advertisement.broker]
    numbers = matching_set.numbers
    homes = broker_of[numbers]
    reachable = routes.hops[homes, root] >= 0
    if in_force is not None:
        reachable &= in_force[numbers]
    # Broker -> positions in the matching set, and the weight of each.
    arrived: dict[int, list[tuple[np.ndarray, np.ndarray]]] = {}
    for broker in np.unique(homes[reachable]).tolist():
        own = np.flatnonzero(reachable & (homes == broker))
        arrived[broker] = [(own, np.ones(len(own)))]
    known = []
    for broker in sorted(range(len(routes.brokers)), key=lambda b: (-int(routes.hops[b, root]), b)):
        parts = arrived.pop(broker, None)
        if parts is None:
            continue
        places, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(places)
        places, weight = places[order], weight[order]
        if broker == root:
            known.append(KnownSubscriptions(broker, numbers[places], weight, np.zeros(0, np.int64), NO_LINK))
            continue
        link = int(routes.link_of[broker, root])
        if over is not None and not over(link):
            continue
        if met is not None and met.climbs(link):
            below = climbing[broker]
            places, sent = (_places(matching_set, part) for part in (below.numbers, below.numbers[below.forwarded]))
            arrived.setdefault(int(routes.target[link]), []).append((sent, np.ones(len(sent))))
            ones = np.ones(len(places))
            known.append(KnownSubscriptions(broker, numbers[places], ones, np.searchsorted(places, sent), link))
            continue
        sent = matching_set.forwarded(places) if done is None or link not in done else done[link]
        if done is not None:
            done[link] = sent
        weights = matching_set.weights_of(places, sent, weight) if weighted else np.ones(len(sent))
        arrived.setdefault(int(routes.target[link]), []).append((sent, weights))
        known.append(KnownSubscriptions(broker, numbers[places], weight, np.searchsorted(places, sent), link))
    return RoutingTable(matching_set, root, tuple(known))


def _places(matching_set: MatchingSet, numbers: np.ndarray) -> np.ndarray:
    """Return the positions of those subscriptions that are in a matching set."""
    return np.flatnonzero(np.isin(matching_set.numbers, numbers, assume_unique=True))
