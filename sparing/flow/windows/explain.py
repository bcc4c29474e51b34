"""The explanation of a window's result: each link's decision, the items that it held, and the reason.

The walk stops before each decision on the window (`kernels.run`), and the reasons are read from its arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from sparing.flow.arrival.matched import Matched
from sparing.flow.interests import Interests
from sparing.flow.links.policy import DecisionContext
from sparing.flow.windows.kernels.arrays import DEPTH, NOT_ENTERED, PATIENCE, WATCHED, WindowArrays
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
class Explainer:
    """Collects the decisions on one window."""

    interests: Interests
    subscription: int
    end: int
    decisions: list[Decision] = field(default_factory=list)
    notified: int | None = None  # the time of the notification
    _pending: list[tuple[int, Decision]] = field(default_factory=list)  # decisions that links are about to make

    def look(self, arrays: WindowArrays, topic_links: TopicLinks, numbers: np.ndarray, rows: Matched) -> None:
        """Record the held items and reasons of the next decisions; the previous decisions have been made."""
        self.over(arrays)
        nwr, depth = int(arrays.numbers[WATCHED]), int(arrays.numbers[DEPTH])
        found = arrays.nwrs[nwr]
        goal, broker = found["goal"], arrays.goals[found["goal"]]
        self.notified = self.end + self.interests.policy.patience * int(arrays.height[broker, broker])
        members = arrays.members[found["first"] : found["last"]].astype(np.int64)
        raw = _counts(arrays, members, nwr)
        place = arrays.place[members, goal]
        links = len(topic_links.links)
        first = nwr * links if self.interests.policy.patience else 0
        results = arrays.results[first : first + links]
        for link in np.union1d(place[raw & (place >= 0)], np.flatnonzero(results)).tolist():
            source = arrays.links["source"][link]
            if arrays.height[source, broker] != depth:
                continue
            held = members[raw & (place == link)]
            context = DecisionContext(
                arrays=arrays,
                link=link,
                nwr=nwr,
                raw=held,
                degrees=arrays.degree[held, goal],
                results=int(results[link]),
                rows=rows,
                subscriptions=[self.interests.plan.subscriptions[number] for number in numbers.tolist()],
            )
            # Publications whose path leads over the link are in partial results, but for those raw here or beyond.
            passes = self.interests.plan.routes.passes
            before = (place >= 0) & (place != link)
            before &= passes(arrays.links["source"][np.maximum(place, 0)], source, broker)
            inside = (place != NOT_ENTERED) & passes(arrays.at[members], source, broker) & (before | ~raw)
            self._pending.append((link, self._decision(context, topic_links, depth, int(inside.sum()))))

    def over(self, arrays: WindowArrays) -> None:
        """Complete the pending decisions."""
        for link, decision in self._pending:
            alone = not decision.publications and decision.results == 1  # forwarding is the same message
            self.decisions.append(replace(decision, aggregated=alone or bool(arrays.aggregated[link])))
        self._pending = []

    def _decision(self, context: DecisionContext, topic_links: TopicLinks, depth: int, inside: int) -> Decision:
        policy, rows = self.interests.policy, context.rows
        publications = tuple(
            HeldItem(str(rows.id[row]), str(rows.publisher[row]), int(rows.time[row]), degree)
            for row, degree in zip(context.raw.tolist(), context.degrees.tolist(), strict=True)
        )
        source, target = self.interests.plan.routes.ends(topic_links.links[context.link])
        return Decision(
            source=source,
            target=target,
            time=self.end + policy.patience * depth,
            publications=publications,
            results=context.results,
            inside=inside,
            aggregated=False,
            why=policy.why(context),
        )


def _counts(arrays: WindowArrays, rows: np.ndarray, nwr: int) -> np.ndarray:
    """Return which rows are not in a partial result of an NWR by their marks (`kernels.places.counts`)."""
    if not arrays.numbers[PATIENCE]:
        return np.ones(len(rows), dtype=bool)
    found, goal = arrays.nwrs[nwr], arrays.nwrs["goal"][nwr]
    end, subscription = arrays.mark_end[rows, goal], arrays.mark_subscription[rows, goal]
    later: np.ndarray = (found["end"] > end) | ((found["end"] == end) & (found["subscription"] >= subscription))
    return later
