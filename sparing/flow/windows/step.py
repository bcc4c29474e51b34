"""One step of the walk: sort the rows, move their edges across the overlay, and drop rows that are no longer needed.

The compiled loops are in `kernels`; this module prepares their arrays and converts their output.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from sparing.flow.arrival.matched import Matched, concat
from sparing.flow.deliver.count_windows import CountTail
from sparing.flow.deliver.identity import about_count_window
from sparing.flow.deliver.notifications import Notifications, Payloads
from sparing.flow.deliver.results import window_payloads
from sparing.flow.ledger import Ledger
from sparing.flow.links.static import least_messages
from sparing.flow.windows.edges import Edges, joined, renumbered
from sparing.flow.windows.items import LinkItem
from sparing.flow.windows.kernels.arrays import (
    DELIVERIES,
    HERE,
    MARK,
    MODE_PERIOD,
    NONE,
    NOT_ENTERED,
    OUTGOING,
    PUBLICATIONS,
    RAW,
    RESULTS,
    WindowArrays,
)
from sparing.flow.windows.kernels.build import WalkRows, build_arrays
from sparing.flow.windows.kernels.ranges import WindowRanges, window_edges
from sparing.flow.windows.kernels.run import run
from sparing.flow.windows.kernels.topic_links import TopicLinks
from sparing.flow.windows.remote import from_items, merged, payload, raw_item
from sparing.flow.windows.window_state import Modes, WindowState
from sparing.model.bill import MessageKind
from sparing.model.functions import State
from sparing.model.types import BEGINNING
from sparing.model.window import CountWindow

if TYPE_CHECKING:
    from sparing.flow.windows.window_walk import WindowWalk

KINDS = {PUBLICATIONS: MessageKind.PUBLICATION, RESULTS: MessageKind.RESULT}


class DecisionWatcher(Protocol):
    """Observes the decisions on one NWR."""

    subscription: int
    end: int

    def look(self, arrays: WindowArrays, topic_links: TopicLinks, ranges: WindowRanges, rows: Matched) -> None:
        """Called before the links with `arrays.numbers[DEPTH]` upstream links decide."""

    def over(self, arrays: WindowArrays) -> None:
        """Called when all links have decided."""


class Step:
    """The processing of one advance."""

    def __init__(self, window_walk: WindowWalk, state: WindowState, watcher: DecisionWatcher | None) -> None:
        self.window_walk = window_walk
        self.interests = window_walk.interests
        self.plan = window_walk.interests.plan
        self.routes = self.plan.routes
        self.policy = window_walk.interests.policy
        self.ledger = Ledger(self.plan)
        self.notifications: list[Notifications] = []
        self.sent: list[LinkItem] = []
        self.least: dict[int, int] = {}
        self.seconds = self.bound_seconds = 0.0
        self.watcher = watcher
        self.rows = state.rows
        self.fresh = state.fresh.copy()
        self.edges = state.edges
        self.next_time = state.next_time
        self.tails = {s: CountTail(tail.skip, tail.rows) for s, tail in state.tails.items()}
        self.modes = state.modes
        self.until = BEGINNING
        self.marks: list[tuple[int, int, int]] = []  # end and subscription of the mark, row
        self.remote_results: list[tuple[int, int, int, tuple[State, ...]]] = []  # end, subscription, broker, states

    # Input

    def admit(self, arrivals: Sequence[Matched], late_before: int) -> Matched | None:
        """Add arrivals to the rows, and return late events."""
        if not arrivals:
            return None
        new = concat(arrivals)
        if not len(new):
            return None
        on_time = new.time >= late_before
        late = None if on_time.all() else new.take(np.flatnonzero(~on_time))
        if late is not None:
            new = new.take(np.flatnonzero(on_time))
        self._append(new)
        return late

    def _append(self, new: Matched) -> None:
        if not len(new):
            return
        # Only the columns that the aggregations need; others are for late events.
        new = new.with_columns(self.interests.fields[self.plan.subscriptions[int(new.held[0])].query.topic])
        # Rows of an earlier plan may have other columns.
        self.rows = new if self.rows is None else concat([self.rows.with_columns_of(new), new])
        self.fresh = np.concatenate([self.fresh, np.ones(len(new), dtype=bool)])

    def receive(self, items: Sequence[LinkItem], until: int) -> None:
        """Add items from other processes."""
        if not items:
            return
        number = {subscription.id: n for n, subscription in enumerate(self.plan.subscriptions)}
        raw = []
        for item in items:
            assert item.end <= until, "items are complete up to `until`, and none is from later"
            at = self.routes.number[item.target]
            if item.states is not None:
                self.remote_results.append((item.end, number[item.subscription], at, item.states))
            else:
                raw.append((item, at))
        if not raw:
            return
        first = 0 if self.rows is None else len(self.rows)
        self._append(from_items(raw, number, self.interests))
        for row, (item, _) in enumerate(raw, first):
            self.fresh[row] = False
            self.marks.append((item.end, number[item.subscription], row))

    # Processing in event time

    def moments(self, until: int, whole: bool) -> list[int]:
        """Return the times up to which to run in turn, to limit the memory of one run."""
        if self.rows is None or whole or self.policy.whole_trace:
            return [until]
        due = np.sort(self.rows.time[self.fresh & (self.rows.time < until)])
        most = max(self.window_walk.most_items // max(len(self.routes.source), 1), 1)
        return [*np.unique(due[most::most]).tolist(), until]

    def run(self, until: int, bound: bool) -> None:
        """Process everything before a time."""
        self.until = until
        if self.rows is None and not self.remote_results:
            return
        entered, due = self._sort_rows()
        new = self._new_edges(entered + due)
        edges = joined([self.edges, new])
        if len(edges):
            self._walk_edges(edges, entered, due, bound)
        self._count(np.arange(entered, entered + due))
        self.fresh[: entered + due] = False
        self._drop_rows()

    def _sort_rows(self) -> tuple[int, int]:
        """Sort rows: entered ones, those due, the others; return the numbers of entered and due ones."""
        if self.rows is None:
            return 0, 0
        is_due = self.fresh & (self.rows.time < self.until)
        old, due, later = np.flatnonzero(~self.fresh), np.flatnonzero(is_due), np.flatnonzero(self.fresh & ~is_due)
        if len(due):
            due = due[self.rows.take(due).order()]
        self._renumber(np.concatenate([old, due, later]))
        return len(old), len(due)

    def _renumber(self, kept: np.ndarray) -> None:
        """Keep some rows, in a new order, and update all references to rows."""
        assert self.rows is not None
        if len(kept) == len(self.rows) and (kept[:-1] < kept[1:]).all():
            return
        moved = np.full(len(self.rows), -1, dtype=np.int32)
        moved[kept] = np.arange(len(kept))
        self.rows = self.rows.take(kept)
        self.fresh = self.fresh[kept]
        edges = self.edges
        self.edges = Edges(moved[edges.row], edges.subscription, edges.end, edges.place, edges.part, edges.degree)
        for tail in self.tails.values():
            tail.rows = moved[tail.rows]
        self.marks = [(end, subscription, int(moved[row])) for end, subscription, row in self.marks]

    def _new_edges(self, last: int) -> Edges:
        """Return the edges of rows that are going to enter, and of partial results from other processes."""
        rows = np.arange(len(self.edges) and int(self.edges.row[-1]) + 1, last)
        none = np.zeros(0, np.int32)
        found = (none, none, np.zeros(0, np.int64))
        if self.rows is not None and len(rows):
            held = self.rows.held.astype(np.int32)
            starts, times = self.rows.held_starts, self.rows.time
            marks = self.rows.mark_end, self.rows.mark_subscription
            given = (rows, times, starts, held, self.interests.timed, *self.interests.windows, *marks)
            size = window_edges(*given, *found)
            found = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int64)
            window_edges(*given, *found)
        size, extra = len(found[0]), len(self.remote_results)
        ends, subscriptions = ([entry[at] for entry in self.remote_results] for at in (0, 1))
        return Edges(
            np.concatenate([found[0], last + np.arange(extra, dtype=np.int32)]).astype(np.int32),
            np.concatenate([found[1], np.array(subscriptions, dtype=np.int32)]).astype(np.int32),
            np.concatenate([found[2], np.array(ends, dtype=np.int64)]),
            np.full(size + extra, NOT_ENTERED, dtype=np.int32),
            np.concatenate([np.full(size, RAW, np.int32), size + np.arange(extra, dtype=np.int32)]),
            np.zeros(size + extra, dtype=np.int32),
        )

    def _walk_edges(self, edges: Edges, entered: int, due: int, bound: bool) -> None:
        """Move the edges across the overlay, and collect notifications, items and the bill."""
        rows, last = self.rows, entered + due
        at = np.zeros(0, np.int32) if rows is None else rows.at[:last]
        topic = self.plan.subscriptions[int(edges.subscription[0])].query.topic
        resting = edges.place >= 0
        topic_links = self.window_walk.topic_links(
            topic, at, edges.place[resting], self.plan.broker_of[edges.subscription[resting]]
        )
        ranges = WindowRanges.of_edges(edges.subscription, edges.end, self.interests.windows[1])
        goals = self.plan.broker_of[ranges.subscription]
        edges = self._on_links(edges, topic_links, goals[ranges.of])
        none = np.zeros(0, np.int64)
        walk_rows = WalkRows(
            time=none if rows is None else rows.time[:last],
            at=at,
            goal_starts=np.zeros(1, np.int64) if rows is None else rows.goal_starts[: last + 1],
            goals=none if rows is None else rows.goals[: rows.goal_starts[last]],
            entered=entered,
            marked=self._remote_items(edges, topic_links, ranges, goals),
        )
        arrays, buckets = build_arrays(
            walk_rows,
            edges,
            ranges,
            goals,
            policy=self.policy,
            topic_links=topic_links,
            hosted=self.window_walk.hosted,
            bucket=self.plan.bucket,
            until=self.until,
            modes=self.modes,
            watched=self._watched(ranges),
        )
        if bound:
            began = time.thread_time()
            least = least_messages(arrays)
            self.bound_seconds += time.thread_time() - began
            self.least.update(
                {int(link): int(found) for link, found in zip(topic_links.links, least, strict=True) if found}
            )
        began = time.thread_time()
        table = self.policy.table(arrays, topic_links.links, ranges.subscription)
        if table is not None:
            arrays = arrays._replace(table=table)
        turns = np.zeros(arrays.bucket_of.shape[1], dtype=np.int64)
        while run(arrays, turns):
            assert self.watcher is not None
            assert rows is not None
            self.watcher.look(arrays, topic_links, ranges, rows)
        if self.watcher is not None:
            self.watcher.over(arrays)
        self.seconds += time.thread_time() - began
        self._bill(arrays, topic_links, buckets)
        self._notify(arrays, ranges, last)
        self._send(arrays, topic_links, ranges, last)
        self._keep_edges(arrays, topic_links, ranges, edges)
        self.remote_results, self.marks = [], []

    def _on_links(self, edges: Edges, topic_links: TopicLinks, goals: np.ndarray) -> Edges:
        """Return edges with links as places, instead of the brokers before the links."""
        place = np.where(edges.place >= 0, topic_links.link_of[np.maximum(edges.place, 0), goals], edges.place)
        assert (place[edges.place >= 0] >= 0).all(), "held publications have a path to their goal"
        return Edges(edges.row, edges.subscription, edges.end, place.astype(np.int32), edges.part, edges.degree)

    def _remote_items(
        self, edges: Edges, topic_links: TopicLinks, ranges: WindowRanges, goals: np.ndarray
    ) -> np.ndarray:
        """Return the rows and partial results (the last edges) that decisions of other processes sent, by NWR."""
        found = [(self._nwr(ranges, end, number), row, NONE, NOT_ENTERED) for end, number, row in self.marks]
        for edge, (_, _, broker, _) in enumerate(self.remote_results, len(edges) - len(self.remote_results)):
            nwr = int(ranges.of[edge])
            place = HERE if broker == goals[nwr] else int(topic_links.link_of[broker, goals[nwr]])
            found.append((nwr, int(edges.row[edge]), edge, place))
        return np.array(sorted(found), dtype=MARK)

    @staticmethod
    def _nwr(ranges: WindowRanges, end: int, subscription: int) -> int:
        first, last = np.searchsorted(ranges.end, [end, end + 1])
        return int(first + np.searchsorted(ranges.subscription[first:last], subscription))

    def _watched(self, ranges: WindowRanges) -> int:
        if self.watcher is None:
            return NONE
        nwr = self._nwr(ranges, self.watcher.end, self.watcher.subscription)
        there = nwr < len(ranges.end) and ranges.end[nwr] == self.watcher.end
        return nwr if there and ranges.subscription[nwr] == self.watcher.subscription else NONE

    def _bill(self, arrays: WindowArrays, topic_links: TopicLinks, buckets: np.ndarray) -> None:
        for link, kind, bucket in zip(*(found.tolist() for found in np.nonzero(arrays.messages)), strict=True):
            messages = int(arrays.messages[link, kind, bucket])
            self.ledger.cross_in(int(topic_links.links[link]), KINDS[kind], int(buckets[bucket]), messages)

    def _notify(self, arrays: WindowArrays, ranges: WindowRanges, last: int) -> None:
        """Add notifications of the finished windows."""
        delivered = arrays.delivered[: arrays.numbers[DELIVERIES]]
        if not len(delivered):
            return
        starts = np.concatenate([[0], delivered["last"]])
        rows = arrays.delivered_rows[: starts[-1]]
        subscriptions, ends = ranges.subscription[delivered["nwr"]], ranges.end[delivered["nwr"]]
        goals = arrays.nwrs["goal"][delivered["nwr"]]
        times = ends + self.policy.patience * arrays.height[goals, goals]
        found = self._results(subscriptions, starts, rows, last)
        begun = ends - self.interests.windows[0][subscriptions]
        self.notifications.append(Notifications(subscriptions, begun, ends, found))
        self.ledger.notify_all(subscriptions, times)

    def _results(self, subscriptions: np.ndarray, starts: np.ndarray, rows: np.ndarray, last: int) -> Payloads:
        """Return the payloads of windows over rows, and partial results of other processes (numbered from `last`)."""
        kinds, which = np.unique(subscriptions, return_inverse=True)
        aggregations = [a for a in (self.interests.aggregations[s] for s in kinds.tolist()) if a is not None]
        columns = {} if self.rows is None else self.rows.columns
        remote = np.diff(np.concatenate([[0], np.cumsum(rows >= last)])[starts]) > 0
        own = np.flatnonzero(~remote)
        found = window_payloads(aggregations, which[own], columns, starts[:-1][own], starts[1:][own], rows)
        parts = [(own[numbers], objects) for numbers, objects in found.parts]
        for window in np.flatnonzero(remote).tolist():
            mine = rows[starts[window] : starts[window + 1]]
            states = self._merged(subscriptions[window], mine, last)
            parts.append((np.array([window]), payload(aggregations[which[window]], states)))
        return Payloads(parts)

    def _merged(self, subscription: int, rows: np.ndarray, last: int) -> tuple[State, ...]:
        """Return one state per output for rows and partial results of other processes."""
        partials = [self.remote_results[row - last][3] for row in rows[rows >= last].tolist()]
        return merged(self.interests.aggregations[subscription], self.rows, rows[rows < last], partials)

    def _send(self, arrays: WindowArrays, topic_links: TopicLinks, ranges: WindowRanges, last: int) -> None:
        """Add the items for brokers hosted by other processes."""
        for kind, link, nwr, what in arrays.sent[: arrays.numbers[OUTGOING]].tolist():
            ends = self.routes.ends(topic_links.links[link])
            end, owner = int(ranges.end[nwr]), self.plan.subscriptions[ranges.subscription[nwr]].id
            if kind == RESULTS:
                mine = arrays.edges[arrays.nwr_edges[arrays.nwrs["first"][nwr] : arrays.nwrs["last"][nwr]]]
                rows = mine["row"][mine["part"] == what]
                states = self._merged(int(ranges.subscription[nwr]), rows, last)
                self.sent.append(LinkItem(*ends, sent=end, subscription=owner, end=end, states=states))
                continue
            nwrs = arrays.edges["nwr"][arrays.rows["first"][what] : arrays.rows["last"][what]]
            nwrs = nwrs[nwrs >= nwr]
            goals, at = arrays.nwrs["goal"][nwrs], arrays.rows["at"][what]
            beyond = topic_links.link_of[topic_links.source[link], goals] == link
            beyond &= self.routes.passes(at, topic_links.source[link], goals)
            wanted = np.unique(ranges.subscription[nwrs[beyond]]).tolist()
            assert self.rows is not None
            ids = tuple(self.plan.subscriptions[number].id for number in wanted)
            self.sent.append(raw_item(ends, self.rows, what, end, owner, ids))

    def _keep_edges(self, arrays: WindowArrays, topic_links: TopicLinks, ranges: WindowRanges, edges: Edges) -> None:
        """Keep the edges that are still on links or in open windows."""
        kept = np.flatnonzero(arrays.edges["place"] >= HERE)
        found = arrays.edges[kept]
        goals = arrays.nwrs["goal"][found["nwr"]]
        place, depth, degree = found["place"], topic_links.arrival(goals), np.zeros(len(kept), np.int32)
        resting = np.flatnonzero(place >= 0)
        link = place[resting]
        depth[resting] = topic_links.height[topic_links.source[link], goals[resting]]
        if len(arrays.items):
            rows = found["row"][resting].astype(np.int64)
            degree[resting] = arrays.items["degree"][rows * len(topic_links.links) + link]
        place = place.copy()
        place[resting] = topic_links.source[link]
        part = renumbered(arrays.edges["part"], kept)
        self.edges = Edges(found["row"].copy(), edges.subscription[kept], edges.end[kept], place, part, degree)
        times = ranges.end[found["nwr"]] + self.policy.patience * depth
        self.next_time = int(times.min()) if len(times) else None
        if self.policy.period:
            brokers = arrays.brokers.copy()
            counts = brokers["if_forwarded"], brokers["if_aggregated"]
            self.modes = Modes(brokers["forwards"], *counts, int(arrays.numbers[MODE_PERIOD]))

    def _count(self, due: np.ndarray) -> None:
        """Add rows to the count windows at brokers hosted by this process."""
        if not len(due):
            return
        assert self.rows is not None
        pairs = slice(*self.rows.held_starts[[due[0], due[-1] + 1]])
        counted = ~self.interests.timed[self.rows.held[pairs]]
        if not counted.any():
            return
        rows, subscriptions = self.rows.held_rows[pairs][counted], self.rows.held[pairs][counted]
        here = self.routes.within(self.window_walk.hosted)[self.rows.at[rows], self.plan.broker_of[subscriptions]]
        rows, subscriptions = rows[here], subscriptions[here]
        for subscription in np.unique(subscriptions).tolist():
            aggregation = self.interests.aggregations[subscription]
            assert aggregation is not None
            assert isinstance(aggregation.window, CountWindow)
            tail = self.tails.setdefault(subscription, CountTail())
            full = tail.extend(rows[subscriptions == subscription], aggregation.window)
            if full:
                self._notify_count_windows(subscription, full)

    def _notify_count_windows(self, subscription: int, windows: list[np.ndarray]) -> None:
        assert self.rows is not None
        aggregation = self.interests.aggregations[subscription]
        assert aggregation is not None
        ends = [[window[at] for window in windows] for at in (0, -1)]
        first, last = (self.rows.time[rows] for rows in ends)
        starts = np.cumsum([0, *map(len, windows)])
        which = np.zeros(len(windows), dtype=np.int64)
        found = window_payloads(
            [aggregation], which, self.rows.columns, starts[:-1], starts[1:], np.concatenate(windows)
        )
        owner = np.full(len(windows), subscription, dtype=np.int32)
        about = list(map(about_count_window, *(self._named(rows) for rows in ends)))
        self.notifications.append(Notifications(owner, first, last, found, about))
        self.ledger.notify_all(owner, last)

    def _named(self, rows: list[int]) -> list[tuple[int, str, str]]:
        """Return time, publisher and id of rows."""
        assert self.rows is not None
        columns = (self.rows.time[rows], self.rows.publisher[rows], self.rows.id[rows])
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def _drop_rows(self) -> None:
        """Drop rows that are no longer needed."""
        if self.rows is None:
            return
        last = self.interests.valid[1]
        self.tails = {s: tail for s, tail in self.tails.items() if last[s] > self.until}  # ended ones get no more rows
        needed = self.fresh.copy()
        needed[self.edges.row] = True
        for tail in self.tails.values():
            needed[tail.rows] = True
        self._renumber(np.flatnonzero(needed))
        self.rows = self.rows.without_pairs(~self.fresh) if len(self.rows) else None

    def state(self) -> WindowState:
        """Return the state for the next advance."""
        return WindowState(self.rows, self.fresh, self.edges, self.next_time, self.tails, self.modes)
