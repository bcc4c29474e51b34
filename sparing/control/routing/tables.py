"""Routing tables: the subscriptions that each broker knows for one advertisement.

A broker knows the subscriptions of its own subscribers and those forwarded by its downstream neighbours. It forwards to
its upstream neighbour the subscriptions that are not covered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sparing.control.covering.contest import Contest
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

    contest: Contest
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
    contest: Contest,
    broker_of: np.ndarray,
    routes: Routes,
    *,
    weighted: bool = False,
    in_force: np.ndarray | None = None,
    met: MetSubscriptions | None = None,
    over: Callable[[int], bool] | None = None,
    done: dict[int, np.ndarray] | None = None,
) -> RoutingTable:
    """Return the routing table of a contest for the subscriptions `in_force` (None: all).

    With `met`, brokers on s-links know and forward the climbing subscriptions. With `over`, subscriptions are forwarded
    only over links for which it returns true. `done` caches forwarded subscriptions by link, for tables that agree on
    them; it is extended.
    """
    climbing = {} if met is None else {entry.broker: entry for entry in met.climbing.known}
    root = routes.number[contest.advertisement.broker]
    homes = broker_of[contest.numbers]
    reachable = routes.hops[homes, root] >= 0
    if in_force is not None:
        reachable &= in_force[contest.numbers]
    # Broker -> positions in the contest, and the weight of each.
    arrived: dict[int, list[tuple[np.ndarray, np.ndarray]]] = {}
    for broker in np.unique(homes[reachable]).tolist():
        own = np.flatnonzero(reachable & (homes == broker))
        arrived[broker] = [(own, np.ones(len(own)))]
    known = []
    for broker in sorted(range(len(routes.brokers)), key=lambda b: (-int(routes.hops[b, root]), b)):
        parts = arrived.pop(broker, None)
        if parts is None:
            continue
        places, mass = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(places)
        places, mass = places[order], mass[order]
        if broker == root:
            known.append(KnownSubscriptions(broker, contest.numbers[places], mass, np.zeros(0, np.int64), NO_LINK))
            continue
        link = int(routes.link_of[broker, root])
        if over is not None and not over(link):
            continue
        if met is not None and met.climbs(link):
            below = climbing[broker]
            places, sent = (_places(contest, part) for part in (below.numbers, below.numbers[below.forwarded]))
            arrived.setdefault(int(routes.target[link]), []).append((sent, np.ones(len(sent))))
            ones = np.ones(len(places))
            known.append(KnownSubscriptions(broker, contest.numbers[places], ones, np.searchsorted(places, sent), link))
            continue
        sent = contest.forwarded(places) if done is None or link not in done else done[link]
        if done is not None:
            done[link] = sent
        weights = contest.stood_for(places, sent, mass) if weighted else np.ones(len(sent))
        arrived.setdefault(int(routes.target[link]), []).append((sent, weights))
        known.append(KnownSubscriptions(broker, contest.numbers[places], mass, np.searchsorted(places, sent), link))
    return RoutingTable(contest, root, tuple(known))


def _places(contest: Contest, numbers: np.ndarray) -> np.ndarray:
    """Return the positions in a contest of those subscriptions that take part in it."""
    return np.flatnonzero(np.isin(contest.numbers, numbers, assume_unique=True))
