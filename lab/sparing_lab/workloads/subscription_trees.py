"""Trees of brokers with subscribers at their ends, and a publisher at the root.

Source: mefa.txt, experiments. The slides take a topology from elsewhere and say of it only that trees have 46 to 96
nodes, 20 to 40 of them subscribers. What we draw: the publisher is node 0. Every further broker hangs below an earlier
one, drawn evenly from those that have fewer than three below them. Brokers with nothing below them are end brokers.
Each end broker has a subscriber, as far as there are enough; the others are spread evenly by chance. As on the slides,
each subscriber has one more connection, to another end broker drawn evenly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparing.model.counted import counted
from sparing.model.errors import SparingError

MOST_BELOW = 3  # brokers below a broker


@dataclass(frozen=True)
class SubscriptionTree:
    """Brokers are numbers; `parents` has the next hop to the publisher, broker 0, which is its own parent."""

    parents: tuple[int, ...]
    connections: tuple[tuple[int, ...], ...]  # subscriber -> the brokers that it may be served by

    @property
    def homes(self) -> tuple[int, ...]:
        """Subscriber -> the first of its brokers."""
        return tuple(brokers[0] for brokers in self.connections)

    @property
    def nodes(self) -> int:
        """The number of nodes: publisher, brokers and subscribers."""
        return len(self.parents) + len(self.connections)


def subscription_tree(rng: np.random.Generator, nodes: int, subscribers: int) -> SubscriptionTree:
    """A tree of so many nodes.

    >>> made = subscription_tree(np.random.default_rng(0), nodes=12, subscribers=6)
    >>> made.parents, made.connections[0]
    ((0, 0, 1, 1, 2, 1), (3, 5))
    """
    brokers = nodes - subscribers
    if subscribers < 1 or brokers < 2:
        raise SparingError(
            "A tree needs a publisher, a broker and a subscriber: "
            f"not {counted(subscribers, 'subscriber')} of {counted(nodes, 'node')}."
        )
    parents, below = [0], [0] * brokers
    for _ in range(1, brokers):
        free = [broker for broker in range(len(parents)) if below[broker] < MOST_BELOW]
        parents.append(free[rng.integers(len(free))])
        below[parents[-1]] += 1
    ends = np.array([broker for broker in range(1, brokers) if not below[broker]])
    homes = np.concatenate([rng.permutation(ends)[:subscribers], rng.choice(ends, max(subscribers - len(ends), 0))])
    connections = tuple((home, *_another(rng, ends, home)) for home in rng.permutation(homes).tolist())
    return SubscriptionTree(tuple(parents), connections)


def depths(parents: Sequence[int]) -> list[int]:
    """Broker -> how many links it is away from the root; brokers may have any order.

    >>> depths((0, 0, 3, 1))
    [0, 1, 3, 2]
    """
    found: list[int] = []
    for broker in range(len(parents)):
        steps = 0
        while parents[broker] != broker:
            broker, steps = parents[broker], steps + 1  # noqa: PLW2901
        found.append(steps)
    return found


def _another(rng: np.random.Generator, ends: np.ndarray, home: int) -> list[int]:
    """One end broker that is not the home, if there is any."""
    others = ends[ends != home]
    return [int(rng.choice(others))] if len(others) else []
