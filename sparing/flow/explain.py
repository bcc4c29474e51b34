"""Why a window came out as it did: what every link on the way decided about it, on which items, and for what reason.

The walk stops before each turn of the window (see `journey.run`); the reasons are then read off its arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from sparing.flow.interests import Interests
from sparing.flow.journey.arrays import DEPTH, FREE, RAW, Journey
from sparing.flow.journey.ranges import Ranges
from sparing.flow.journey.ways import Ways
from sparing.flow.links.policy import ADOCK, ALWAYS, BAT, TABLE, WAD, WAD_LIVE
from sparing.flow.matched import Matched
from sparing.model.counted import counted


@dataclass(frozen=True)
class Waiting:
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
    publications: tuple[Waiting, ...]
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

    def look(self, journey: Journey, ways: Ways, ranges: Ranges, rows: Matched) -> None:
        """Note what waits, and why it will be decided as it will; the turn before is over by now."""
        self.over(journey)
        nwr = self._number(ranges)
        mine = journey.nwr_edges[journey.nwrs["first"][nwr] : journey.nwrs["last"][nwr]]
        goal = journey.nwrs["goal"][nwr]
        self.told = self.end + self.interests.policy.patience * int(journey.height[goal, goal])
        depth = int(journey.numbers[DEPTH])
        places = journey.edges["place"][mine]
        for link in np.unique(places[places >= 0]).tolist():
            if journey.height[journey.links["source"][link], goal] == depth:
                self._turns.append(self._turn(journey, ways, ranges, rows, link, mine[places == link], depth))

    def over(self, journey: Journey) -> None:
        """See what was decided in the turns that were noted."""
        for turn in self._turns:
            parts = journey.edges["part"][turn.edges]
            aggregated = bool((parts != RAW).all()) and len(np.unique(parts)) == 1
            self.decisions.append(replace(turn.decision, aggregated=aggregated))
        self._turns = []

    def _number(self, ranges: Ranges) -> int:
        return int(np.flatnonzero((ranges.end == self.end) & (ranges.subscription == self.subscription))[0])

    def _turn(
        self, journey: Journey, ways: Ways, ranges: Ranges, rows: Matched, link: int, edges: np.ndarray, depth: int
    ) -> _Turn:
        routes, policy = self.interests.plan.routes, self.interests.policy
        parts = journey.edges["part"][edges]
        raw = edges[parts == RAW]
        items = journey.edges["row"][raw].astype(np.int64) * len(ways.links) + link
        degrees = journey.items["degree"][items] if len(journey.items) else np.zeros(len(raw), np.int64)
        numbers = journey.edges["row"][raw].tolist()
        waiting = tuple(
            Waiting(str(rows.id[row]), str(rows.publisher[row]), int(rows.time[row]), int(degree))
            for row, degree in zip(numbers, degrees.tolist(), strict=True)
        )
        results = len(np.unique(parts[parts != RAW]))
        decision = Decision(
            *routes.ends(ways.links[link]),
            self.end + policy.patience * depth,
            waiting,
            results,
            len(edges) - len(raw),
            False,
            self._why(journey, ranges, rows, link, raw, results),
        )
        return _Turn(edges, decision)

    def _why(self, journey: Journey, ranges: Ranges, rows: Matched, link: int, raw: np.ndarray, results: int) -> str:
        rule, nwr = self.interests.policy.rule, self._number(ranges)
        if rule == ALWAYS:
            return "this policy always aggregates"
        if rule == TABLE:
            chosen = "in" if journey.table[link, nwr] else "not in"
            return f"the window is {chosen} the minimum vertex cover of the link's complete graph"
        if rule == BAT:
            mode = "forwarding" if journey.brokers["forwards"][journey.links["source"][link]] else "aggregating"
            return f"the broker is in its {mode} mode"
        if rule not in (WAD, WAD_LIVE, ADOCK):
            return f"{self.interests.policy.name} decides so by a rule of its own"
        if results:
            return "a partial result waits, and only this window can use it"
        if rule in (WAD, WAD_LIVE):
            return self._weights(journey, link, raw, live=rule == WAD_LIVE)
        return "; ".join(self._matching(journey, ranges, rows, link, nwr))

    @staticmethod
    def _weights(journey: Journey, link: int, raw: np.ndarray, live: bool) -> str:
        items = journey.edges["row"][raw].astype(np.int64) * len(journey.links) + link
        degrees, counts = np.unique(journey.items["live" if live else "degree"][items], return_counts=True)
        pairs = list(zip(degrees.tolist(), counts.tolist(), strict=True))
        total = sum((Fraction(count, degree) for degree, count in pairs), Fraction(0))
        terms = " + ".join(f"{count} x 1/{degree}" for degree, count in pairs)
        return f"the weights are {terms} = {float(total):.3g}, {'1 or more' if total >= 1 else 'less than 1'}"

    def _matching(self, journey: Journey, ranges: Ranges, rows: Matched, link: int, nwr: int) -> Iterator[str]:
        """The matching, and the alternating path to a free window if there is one."""
        links = len(journey.links)
        here = (journey.edges["place"] == link) & (journey.edges["part"] == RAW)
        items, windows = (len(np.unique(journey.edges[name][here])) for name in ("row", "nwr"))
        matched = int((journey.items["mate"][link::links] != FREE).sum())
        waiting = f"{counted(items, 'publication')} and {counted(windows, 'window')} wait here"
        yield f"{waiting}, {counted(matched, 'pair')} of them matched"
        node = journey.nodes[nwr * links + link]
        if node["saturated"]:
            yield "this window is matched in every maximum matching: an unmatched publication leads to it"
            return
        if node["mate"] == FREE:
            yield "this window is left over by a maximum matching: forwarding costs no more in the end"
            return
        path = self._path(journey, link, nwr)
        if path is None:
            mate = rows.id[journey.edges["row"][node["mate"]]]
            yield f"it is matched in every maximum matching: its publication {mate} cannot be matched to another window"
            return
        names = [f"{rows.id[row]} > {self._name(ranges, other)}" for row, other in path]
        yield "it can be left out of a maximum matching, by the alternating path " + " > ".join(names)

    def _name(self, ranges: Ranges, nwr: int) -> str:
        return self.interests.plan.subscriptions[int(ranges.subscription[nwr])].id

    @staticmethod
    def _path(journey: Journey, link: int, nwr: int) -> list[tuple[int, int]] | None:
        """Publications and windows by turns, from the window's own mate to a free window."""
        links = len(journey.links)
        start = int(journey.edges["row"][journey.nodes["mate"][nwr * links + link]])
        before: dict[int, tuple[int, int]] = {}  # window -> the publication that led there, and the window before
        queue = [(start, nwr)]
        for row, reached in queue:
            for edge in range(journey.rows["first"][row], journey.rows["last"][row]):
                found = journey.edges[edge]
                other = int(found["nwr"])
                node = journey.nodes[other * links + link]
                if (
                    found["place"] != link
                    or found["part"] != RAW
                    or node["saturated"]
                    or other in before
                    or other == nwr
                ):
                    continue
                before[other] = (row, reached)
                if node["mate"] == FREE:
                    path = []
                    while other != nwr:
                        row_before, previous = before[other]
                        path.append((row_before, other))
                        other = previous
                    return path[::-1]
                queue.append((int(journey.edges["row"][node["mate"]]), other))
        return None
