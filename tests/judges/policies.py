"""The link policies as the paper writes them, on sets and fractions: slow, obvious, and free of arrays.

Each answers a `View`: everything that a link knows when it decides an NWR.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

Link = tuple[str, str]


class NWR(NamedTuple):
    """A notification window range. Its tuple order is the global decision order: end, then subscription."""

    end: int
    subscription: str
    start: int


@dataclass(frozen=True)
class View:
    """A link's matching graph at a time.

    `graph` has the undecided NWRs of each publication that waits there, `degree` how many those were at its arrival,
    `results` the number of partial results that wait for each NWR.
    """

    link: Link
    number: int
    time: int
    topic: str
    nwr: NWR
    subscription: int
    graph: Mapping[str, set[NWR]]
    degree: Mapping[str, int]
    results: Mapping[NWR, int]

    @property
    def waiting(self) -> list[str]:
        """The publications that wait for the NWR."""
        return [id_ for id_, nwrs in self.graph.items() if self.nwr in nwrs]


class Judge:
    """What every judge offers."""

    patience = 0

    def arrived(self, link: Link, topic: str, time: int) -> None:
        """A publication has come to rest on a link."""

    def aggregate(self, view: View) -> bool:
        """The decision."""
        raise NotImplementedError


class Always(Judge):
    """Publisher-edge."""

    def aggregate(self, view: View) -> bool:  # noqa: ARG002
        """Always."""
        return True


def maximum_matching(edges: Iterable[tuple[Hashable, Hashable]]) -> int:
    """The size of a maximum matching, by one augmenting path after the other."""
    neighbours: dict[Hashable, list[Hashable]] = defaultdict(list)
    for left, right in edges:
        neighbours[left].append(right)
    mate: dict[Hashable, Hashable] = {}

    def augment(left: Hashable, seen: set[Hashable]) -> bool:
        for right in neighbours[left]:
            if right not in seen:
                seen.add(right)
                if right not in mate or augment(mate[right], seen):
                    mate[right] = left
                    return True
        return False

    return sum(augment(left, set()) for left in neighbours)


@dataclass
class LiteralAdock(Judge):
    """Algorithm 1, with its two matchings and its two dummies."""

    patience: int = 0

    def aggregate(self, view: View) -> bool:
        """Whether two dummy publications leave the size of a maximum matching as it was."""
        edges: list[tuple[Any, NWR]] = [(id_, nwr) for id_, nwrs in view.graph.items() for nwr in nwrs]
        edges += [((nwr, n), nwr) for nwr, count in view.results.items() for n in range(count)]
        return maximum_matching(edges) == maximum_matching([*edges, ("u1", view.nwr), ("u2", view.nwr)])


@dataclass
class LiteralWad(Judge):
    """Algorithm 2 in fractions; `live` takes degrees after pruning."""

    live: bool = False

    def aggregate(self, view: View) -> bool:
        """Whether the weights add up to 1 or more; a partial result weighs 1."""
        weight = Fraction(view.results.get(view.nwr, 0))
        for id_ in view.waiting:
            weight += Fraction(1, len(view.graph[id_]) if self.live else view.degree[id_])
        return weight >= 1


@dataclass
class LiteralBat(Judge):
    """One mode per broker and topic, chosen at the end of each period."""

    period: int
    forwards: dict[tuple[str, str], bool] = field(default_factory=lambda: defaultdict(bool))
    counted: dict[tuple[str, str, int], list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))

    def _choose(self, broker: str, topic: str, time: int) -> None:
        for key in sorted(k for k in self.counted if k[:2] == (broker, topic) and k[2] < time // self.period):
            if_forwarded, if_aggregated = self.counted.pop(key)
            self.forwards[broker, topic] = if_forwarded < if_aggregated

    def arrived(self, link: Link, topic: str, time: int) -> None:
        """Forwarding everything would send it."""
        self._choose(link[0], topic, time)
        self.counted[link[0], topic, time // self.period][0] += 1

    def aggregate(self, view: View) -> bool:
        """By the mode; aggregating everything would send one result."""
        broker = view.link[0]
        self._choose(broker, view.topic, view.time)
        counts = self.counted[broker, view.topic, view.time // self.period]
        counts[0] += view.results.get(view.nwr, 0)
        counts[1] += 1
        return not self.forwards[broker, view.topic]
