"""Why a window came out as it did: what every link on the way decided about it, on which items, and for what reason.

The walk stops before each turn of the window (see `arrays.run`); the reasons are then read off its arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from sparing.flow.arrival.matched import Matched
from sparing.flow.interests import Interests
from sparing.flow.links.policy import Turn
from sparing.flow.windows.kernels.arrays import DEPTH, RAW, WindowArrays
from sparing.flow.windows.kernels.ranges import WindowRanges
from sparing.flow.windows.kernels.topic_links import TopicLinks


@dataclass(frozen=True)
class HeldItem:
    """A publication that waited on a link, and how many windows beyond the link counted it when it came there."""

    id: str
    publisher: str
    time: int
    degree: int


@dataclass(frozen=True)
class Decision:
    """What one link did with what waited for the window: `results` partial results, with `inside` publications."""

    source: str
    target: str
    time: int
    publications: tuple[HeldItem, ...]
    results: int
    inside: int
    aggregated: bool
    why: str

    @property
    def sent(self) -> int:
        """Messages that crossed the link."""
        return 1 if self.aggregated else len(self.publications) + self.results


@dataclass
class _Turn:
    """A link that is about to decide."""

    edges: np.ndarray
    decision: Decision


@dataclass
class Explainer:
    """Watches one window."""

    interests: Interests
    subscription: int
    end: int
    decisions: list[Decision] = field(default_factory=list)
    told: int | None = None  # when the subscriber is notified
    _turns: list[_Turn] = field(default_factory=list)

    def look(self, arrays: WindowArrays, ways: TopicLinks, ranges: WindowRanges, rows: Matched) -> None:
        """Note what waits, and why it will be decided as it will; the turn before is over by now."""
        self.over(arrays)
        nwr = self._number(ranges)
        mine = arrays.nwr_edges[arrays.nwrs["first"][nwr] : arrays.nwrs["last"][nwr]]
        goal = arrays.nwrs["goal"][nwr]
        self.told = self.end + self.interests.policy.patience * int(arrays.height[goal, goal])
        depth = int(arrays.numbers[DEPTH])
        places = arrays.edges["place"][mine]
        for link in np.unique(places[places >= 0]).tolist():
            if arrays.height[arrays.links["source"][link], goal] == depth:
                self._turns.append(self._turn(arrays, ways, ranges, rows, link, mine[places == link], depth))

    def over(self, arrays: WindowArrays) -> None:
        """See what was decided in the turns that were noted."""
        for turn in self._turns:
            parts = arrays.edges["part"][turn.edges]
            aggregated = bool((parts != RAW).all()) and len(np.unique(parts)) == 1
            self.decisions.append(replace(turn.decision, aggregated=aggregated))
        self._turns = []

    def _number(self, ranges: WindowRanges) -> int:
        return int(np.flatnonzero((ranges.end == self.end) & (ranges.subscription == self.subscription))[0])

    def _turn(
        self,
        arrays: WindowArrays,
        ways: TopicLinks,
        ranges: WindowRanges,
        rows: Matched,
        link: int,
        edges: np.ndarray,
        depth: int,
    ) -> _Turn:
        routes, policy = self.interests.plan.routes, self.interests.policy
        parts = arrays.edges["part"][edges]
        raw = edges[parts == RAW]
        items = arrays.edges["row"][raw].astype(np.int64) * len(ways.links) + link
        degrees = arrays.items["degree"][items] if len(arrays.items) else np.zeros(len(raw), np.int64)
        numbers = arrays.edges["row"][raw].tolist()
        waiting = tuple(
            HeldItem(str(rows.id[row]), str(rows.publisher[row]), int(rows.time[row]), int(degree))
            for row, degree in zip(numbers, degrees.tolist(), strict=True)
        )
        results = len(np.unique(parts[parts != RAW]))
        source, target = routes.ends(ways.links[link])
        turn = Turn(
            arrays=arrays,
            link=link,
            nwr=self._number(ranges),
            raw=raw,
            results=results,
            ranges=ranges,
            rows=rows,
            subscriptions=self.interests.plan.subscriptions,
        )
        decision = Decision(
            source=source,
            target=target,
            time=self.end + policy.patience * depth,
            publications=waiting,
            results=results,
            inside=len(edges) - len(raw),
            aggregated=False,
            why=policy.why(turn),
        )
        return _Turn(edges, decision)
