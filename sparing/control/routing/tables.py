"""Routing tables: what every broker knows of the subscriptions that an advertisement concerns.

A broker knows the subscriptions of its own subscribers and what its neighbours away from the publisher told it; it
tells its neighbour towards the publisher what covering leaves of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from sparing.control.covering.contest import Contest
from sparing.control.routes import Routes
from sparing.model.subscription import Advertisement


@dataclass(frozen=True, eq=False)
class Known:
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
class Table:
    """The brokers that know something, those farthest from the publisher first."""

    contest: Contest
    at: int  # the publisher's broker
    known: tuple[Known, ...]

    def told(self) -> dict[int, np.ndarray]:
        """Link -> numbers of the subscriptions that cross it."""
        return {
            entry.link: entry.numbers[entry.forwarded]
            for entry in self.known
            if entry.link != NO_LINK and len(entry.forwarded)
        }


def table_of(
    contest: Contest, broker_of: np.ndarray, routes: Routes, weighted: bool, in_force: np.ndarray | None = None
) -> Table:
    """The routing table of an advertisement. `in_force` (by subscription number) leaves some subscriptions out."""
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
            known.append(Known(broker, contest.numbers[places], mass, np.zeros(0, np.int64), NO_LINK))
            continue
        sent = contest.forwarded(places)
        weights = contest.stood_for(places, sent, mass) if weighted else np.ones(len(sent))
        link = int(routes.link_of[broker, root])
        arrived.setdefault(int(routes.target[link]), []).append((sent, weights))
        known.append(Known(broker, contest.numbers[places], mass, np.searchsorted(places, sent), link))
    return Table(contest, root, tuple(known))


def told(tables: Mapping[Advertisement, Table]) -> dict[int, np.ndarray]:
    """Link -> numbers of the subscriptions that cross it, each once, for whichever advertisement."""
    crossing: dict[int, list[np.ndarray]] = {}
    for table in _different(tables.values()):
        for link, numbers in table.told().items():
            crossing.setdefault(link, []).append(numbers)
    return {link: np.unique(np.concatenate(parts)) for link, parts in sorted(crossing.items())}


def _different(tables: Iterable[Table]) -> Iterable[Table]:
    return {id(table): table for table in tables}.values()
