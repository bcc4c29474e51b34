"""Routing tables: what every broker knows of the subscriptions that an advertisement concerns.

A broker knows the subscriptions of its own subscribers and what its neighbours away from the publisher told it; it
tells its neighbour towards the publisher what covering leaves of them.
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
    """What one broker knows: subscription numbers, ascending, and how many subscriptions each stands for.

    `forwarded` are the places of those that it tells its neighbour towards the publisher, over `link`.
    """

    broker: int
    numbers: np.ndarray
    weights: np.ndarray
    forwarded: np.ndarray
    link: int  # NO_LINK at the publisher's own broker


NO_LINK = -1


@dataclass(frozen=True, eq=False)
class RoutingTable:
    """The brokers that know something, those farthest from the publisher first."""

    contest: Contest
    at: int  # the publisher's broker
    known: tuple[KnownSubscriptions, ...]

    def told(self) -> dict[int, np.ndarray]:
        """Link -> numbers of the subscriptions that cross it."""
        return {
            entry.link: entry.numbers[entry.forwarded]
            for entry in self.known
            if entry.link != NO_LINK and len(entry.forwarded)
        }


class MetSubscriptions(NamedTuple):
    """What an advertisement meets: subscriptions that climbed without knowing it, and over which links they do."""

    climbing: RoutingTable
    climbs: Callable[[int], bool]


def table_of(
    contest: Contest,
    broker_of: np.ndarray,
    routes: Routes,
    weighted: bool,
    in_force: np.ndarray | None = None,
    met: MetSubscriptions | None = None,
    over: Callable[[int], bool] | None = None,
    done: dict[int, np.ndarray] | None = None,
) -> RoutingTable:
    """The routing table of an advertisement. `in_force` (by subscription number) leaves some subscriptions out.

    With `met`, brokers that do not know the advertisement have what climbs there, and tell that. With `over`, only
    brokers that tell over such links are of interest, and what they tell goes no further than these lead. `done` has
    for links what has been worked out before, if that is known to be the same; it is added to.
    """
    climbing = {} if met is None else {entry.broker: entry for entry in met.climbing.known}
    root = routes.number[contest.advertisement.broker]
    homes = broker_of[contest.numbers]
    there = routes.hops[homes, root] >= 0
    if in_force is not None:
        there &= in_force[contest.numbers]
    # Places in the contest by broker, and the weight of each.
    arrived: dict[int, list[tuple[np.ndarray, np.ndarray]]] = {}
    for broker in np.unique(homes[there]).tolist():
        own = np.flatnonzero(there & (homes == broker))
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
            places, sent = (_places(contest, some) for some in (below.numbers, below.numbers[below.forwarded]))
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
    """The places of those of some subscriptions that can match."""
    return np.flatnonzero(np.isin(contest.numbers, numbers, assume_unique=True))
