"""The explanation of a window's result: each link's decision, the items that it held, and the reason.

The walk stops before each decision on the window (`kernels.run`), and the reasons are read from its arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from sparing.flow.arrival.matched import Matched
from sparing.flow.interests import Interests
from sparing.flow.links.policy import DecisionContext
from sparing.flow.windows.kernels.arrays import DEPTH, RAW, WindowArrays
from sparing.flow.windows.kernels.ranges import WindowRanges
from sparing.flow.windows.kernels.topic_links import TopicLinks


@dataclass(frozen=True)
class HeldItem:
    """A publication held by a link, and the number of windows beyond the link that counted it at its arrival."""

    id: str
    publisher: str
    time: int
    degree: int


@dataclass(frozen=True)
class Decision:
    """One link's decision; besides `publications` it held `results` partial results of `inside` publications."""

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
        """The number of messages that crossed the link."""
        return 1 if self.aggregated else len(self.publications) + self.results


@dataclass
class _Pending:
    """A decision that a link is about to make."""

    edges: np.ndarray
    decision: Decision


@dataclass
class Explainer:
    """Collects the decisions on one window."""

    interests: Interests
    subscription: int
    end: int
    decisions: list[Decision] = field(default_factory=list)
    notified: int | None = None  # the time of the notification
    _pending: list[_Pending] = field(default_factory=list)

    def look(self, arrays: WindowArrays, topic_links: TopicLinks, ranges: WindowRanges, rows: Matched) -> None:
        """Record the held items and reasons of the next decisions; the previous decisions have been made."""
        self.over(arrays)
        nwr = self._number(ranges)
        edges = arrays.nwr_edges[arrays.nwrs["first"][nwr] : arrays.nwrs["last"][nwr]]
        goal = arrays.nwrs["goal"][nwr]
        self.notified = self.end + self.interests.policy.patience * int(arrays.height[goal, goal])
        depth = int(arrays.numbers[DEPTH])
        places = arrays.edges["place"][edges]
        for link in np.unique(places[places >= 0]).tolist():
            if arrays.height[arrays.links["source"][link], goal] == depth:
                held = edges[places == link]
                parts = arrays.edges["part"][held]
                context = DecisionContext(
                    arrays=arrays,
                    link=link,
                    nwr=nwr,
                    raw=held[parts == RAW],
                    results=len(np.unique(parts[parts != RAW])),
                    ranges=ranges,
                    rows=rows,
                    subscriptions=self.interests.plan.subscriptions,
                )
                self._pending.append(_Pending(held, self._decision(context, topic_links, depth, len(held))))

    def over(self, arrays: WindowArrays) -> None:
        """Complete the pending decisions."""
        for pending in self._pending:
            parts = arrays.edges["part"][pending.edges]
            aggregated = bool((parts != RAW).all()) and len(np.unique(parts)) == 1
            self.decisions.append(replace(pending.decision, aggregated=aggregated))
        self._pending = []

    def _number(self, ranges: WindowRanges) -> int:
        return int(np.flatnonzero((ranges.end == self.end) & (ranges.subscription == self.subscription))[0])

    def _decision(self, context: DecisionContext, topic_links: TopicLinks, depth: int, held: int) -> Decision:
        routes, policy = self.interests.plan.routes, self.interests.policy
        arrays, rows = context.arrays, context.rows
        numbers = arrays.edges["row"][context.raw].astype(np.int64)
        items = numbers * len(topic_links.links) + context.link
        degrees = arrays.items["degree"][items] if len(arrays.items) else np.zeros(len(items), np.int64)
        publications = tuple(
            HeldItem(str(rows.id[row]), str(rows.publisher[row]), int(rows.time[row]), int(degree))
            for row, degree in zip(numbers.tolist(), degrees.tolist(), strict=True)
        )
        source, target = routes.ends(topic_links.links[context.link])
        return Decision(
            source=source,
            target=target,
            time=self.end + policy.patience * depth,
            publications=publications,
            results=context.results,
            inside=held - len(context.raw),
            aggregated=False,
            why=policy.why(context),
        )
