"""One step of the walk: rows are lined up, walked through the overlay as edges, and what is no longer needed is let go.

The walk itself is compiled (`arrays`); here its arrays are prepared, and what came of it gets names again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from sparing.flow.arrival.matched import Matched, concat
from sparing.flow.deliver.count_windows import CountTail
from sparing.flow.deliver.identity import about_count_window
from sparing.flow.deliver.notifications import Notifications
from sparing.flow.deliver.results import window_payloads
from sparing.flow.ledger import Ledger
from sparing.flow.links.static import least_messages
from sparing.flow.windows.edges import Edges, joined, renumbered
from sparing.flow.windows.items import LinkItem
from sparing.flow.windows.kernels.arrays import (
    AHEAD,
    HERE,
    MARK,
    NONE,
    PUBLICATIONS,
    RAW,
    RESULTS,
    SENDING,
    TELLING,
    TURN,
    WindowArrays,
)
from sparing.flow.windows.kernels.build import WalkRows, set_out
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
    """Looks at an NWR whenever links are about to decide it."""

    subscription: int
    end: int

    def look(self, arrays: WindowArrays, ways: TopicLinks, ranges: WindowRanges, rows: Matched) -> None:
        """Links with `arrays.numbers[DEPTH]` links before them are about to decide."""

    def over(self, arrays: WindowArrays) -> None:
        """All have decided."""


class Step:
    """One advance under way."""

    def __init__(self, overlay: WindowWalk, state: WindowState, watcher: DecisionWatcher | None) -> None:
        self.overlay = overlay
        self.interests = overlay.interests
        self.plan = overlay.interests.plan
        self.routes = self.plan.routes
        self.policy = overlay.interests.policy
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
        self.foreign: list[tuple[int, int, int, tuple[State, ...]]] = []  # end, subscription, at, states

    # Taking in

    def admit(self, arrivals: Sequence[Matched], late_before: int) -> Matched | None:
        """Add arrivals to the rows, but for those that are too late."""
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
        # Only the columns that the group computes with; what came along for other purposes is not kept.
        new = new.with_columns(self.interests.fields[self.plan.subscriptions[int(new.held[0])].query.topic])
        # Rows from before a change of the subscription table may have other columns than are needed now.
        self.rows = new if self.rows is None else concat([self.rows.with_columns_of(new), new])
        self.fresh = np.concatenate([self.fresh, np.ones(len(new), dtype=bool)])

    def receive(self, items: Sequence[LinkItem], until: int) -> None:
        """Take items from brokers that are hosted elsewhere."""
        if not items:
            return
        number = {subscription.id: n for n, subscription in enumerate(self.plan.subscriptions)}
        raw = []
        for item in items:
            assert item.end <= until, "items are complete up to `until`, and none is from later"
            at = self.routes.number[item.target]
            if item.states is not None:
                self.foreign.append((item.end, number[item.subscription], at, item.states))
            else:
                raw.append((item, at))
        if not raw:
            return
        first = 0 if self.rows is None else len(self.rows)
        self._append(from_items(raw, number, self.interests))
        for row, (item, _) in enumerate(raw, first):
            self.fresh[row] = False
            self.marks.append((item.end, number[item.subscription], row))

    # Going through time

    def moments(self, until: int, whole: bool) -> list[int]:
        """The times up to which to go in turn, so that not too much is worked on at once."""
        if self.rows is None or whole or self.policy.whole_trace:
            return [until]
        due = np.sort(self.rows.time[self.fresh & (self.rows.time < until)])
        most = max(self.overlay.most_items // max(len(self.routes.source), 1), 1)
        return [*np.unique(due[most::most]).tolist(), until]

    def run(self, until: int, bound: bool) -> None:
        """Do everything that falls before a time."""
        self.until = until
        if self.rows is None and not self.foreign:
            return
        entered, due = self._line_up()
        new = self._new_edges(entered + due)
        edges = joined([self.edges, new])
        if len(edges):
            self._travel(edges, entered, due, bound)
        self._count(np.arange(entered, entered + due))
        self.fresh[: entered + due] = False
        self._let_go()

    def _line_up(self) -> tuple[int, int]:
        """Bring rows into order: those that have entered, those that are due, the others. Returns how many of each."""
        if self.rows is None:
            return 0, 0
        is_due = self.fresh & (self.rows.time < self.until)
        old, due, later = np.flatnonzero(~self.fresh), np.flatnonzero(is_due), np.flatnonzero(self.fresh & ~is_due)
        if len(due):
            due = due[self.rows.take(due).order()]
        self._renumber(np.concatenate([old, due, later]))
        return len(old), len(due)

    def _renumber(self, kept: np.ndarray) -> None:
        """Keep some rows, in a new order, and follow them wherever rows are referred to."""
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
        """Edges of rows that are going to enter (which have none yet), and of partial results from elsewhere."""
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
        size, extra = len(found[0]), len(self.foreign)
        ends, subscriptions = ([entry[at] for entry in self.foreign] for at in (0, 1))
        return Edges(
            np.concatenate([found[0], last + np.arange(extra, dtype=np.int32)]).astype(np.int32),
            np.concatenate([found[1], np.array(subscriptions, dtype=np.int32)]).astype(np.int32),
            np.concatenate([found[2], np.array(ends, dtype=np.int64)]),
            np.full(size + extra, AHEAD, dtype=np.int32),
            np.concatenate([np.full(size, RAW, np.int32), size + np.arange(extra, dtype=np.int32)]),
            np.zeros(size + extra, dtype=np.int32),
        )

    def _travel(self, edges: Edges, entered: int, due: int, bound: bool) -> None:
        """Walk the edges through the overlay, and write down what came of it."""
        rows, last = self.rows, entered + due
        at = np.zeros(0, np.int32) if rows is None else rows.at[:last]
        topic = self.plan.subscriptions[int(edges.subscription[0])].query.topic
        resting = edges.place >= 0
        ways = self.overlay.ways(topic, at, edges.place[resting], self.plan.broker_of[edges.subscription[resting]])
        ranges = WindowRanges.of_edges(edges.subscription, edges.end, self.interests.windows[1])
        goals = self.plan.broker_of[ranges.subscription]
        edges = self._placed(edges, ways, goals[ranges.of])
        none = np.zeros(0, np.int64)
        travellers = WalkRows(
            none if rows is None else rows.time[:last],
            at,
            np.zeros(1, np.int64) if rows is None else rows.goal_starts[: last + 1],
            none if rows is None else rows.goals[: rows.goal_starts[last]],
            entered,
            self._marked(edges, ways, ranges, goals),
        )
        watched = self._watched(ranges)
        arrays, buckets = set_out(
            self.policy,
            ways,
            self.overlay.hosted,
            travellers,
            edges,
            ranges,
            goals,
            self.plan.bucket,
            self.until,
            self.modes,
            watched,
        )
        if bound:
            began = time.thread_time()
            least = least_messages(arrays)
            self.bound_seconds += time.thread_time() - began
            self.least.update({int(link): int(found) for link, found in zip(ways.links, least, strict=True) if found})
        began = time.thread_time()
        table = self.policy.table(arrays, ways.links, ranges.subscription)
        if table is not None:
            arrays = arrays._replace(table=table)
        turns = np.zeros(arrays.bucket_of.shape[1], dtype=np.int64)
        while run(arrays, turns):
            assert self.watcher is not None
            assert rows is not None
            self.watcher.look(arrays, ways, ranges, rows)
        if self.watcher is not None:
            self.watcher.over(arrays)
        self.seconds += time.thread_time() - began
        self._bill(arrays, ways, buckets)
        self._tell(arrays, ranges, last)
        self._send(arrays, ways, ranges, last)
        self._remember(arrays, ways, ranges, edges)
        self.foreign, self.marks = [], []

    def _placed(self, edges: Edges, ways: TopicLinks, goals: np.ndarray) -> Edges:
        """Edges with links in use as places, instead of the brokers at their beginnings."""
        place = np.where(edges.place >= 0, ways.link_of[np.maximum(edges.place, 0), goals], edges.place)
        assert (place[edges.place >= 0] >= 0).all(), "what rests at a broker has a way to go"
        return Edges(edges.row, edges.subscription, edges.end, place.astype(np.int32), edges.part, edges.degree)

    def _marked(self, edges: Edges, ways: TopicLinks, ranges: WindowRanges, goals: np.ndarray) -> np.ndarray:
        """What enters with decisions that were made elsewhere: publications, and partial results (the last edges)."""
        found = [(self._nwr(ranges, end, number), row, NONE, AHEAD) for end, number, row in self.marks]
        for edge, (_, _, broker, _) in enumerate(self.foreign, len(edges) - len(self.foreign)):
            nwr = int(ranges.of[edge])
            place = HERE if broker == goals[nwr] else int(ways.link_of[broker, goals[nwr]])
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

    def _bill(self, arrays: WindowArrays, ways: TopicLinks, buckets: np.ndarray) -> None:
        for link, kind, bucket in zip(*(found.tolist() for found in np.nonzero(arrays.messages)), strict=True):
            messages = int(arrays.messages[link, kind, bucket])
            self.ledger.cross_in(int(ways.links[link]), KINDS[kind], int(buckets[bucket]), messages)

    def _tell(self, arrays: WindowArrays, ranges: WindowRanges, last: int) -> None:
        """Results of the windows that everything has arrived for."""
        told = arrays.told[: arrays.numbers[TELLING]]
        if not len(told):
            return
        starts = np.concatenate([[0], told["last"]])
        rows = arrays.told_rows[: starts[-1]]
        subscriptions, ends = ranges.subscription[told["nwr"]], ranges.end[told["nwr"]]
        goals = arrays.nwrs["goal"][told["nwr"]]
        times = ends + self.policy.patience * arrays.height[goals, goals]
        found = self._results(subscriptions, starts, rows, last)
        begun = ends - self.interests.windows[0][subscriptions]
        self.notifications.append(Notifications(subscriptions, begun, ends, found))
        self.ledger.notify_all(subscriptions, times)

    def _results(self, subscriptions: np.ndarray, starts: np.ndarray, rows: np.ndarray, last: int) -> list[str]:
        """The payloads of windows over rows, and partial results from elsewhere (numbered from `last` on)."""
        kinds, which = np.unique(subscriptions, return_inverse=True)
        aggregations = [a for a in (self.interests.aggregations[s] for s in kinds.tolist()) if a is not None]
        columns = {} if self.rows is None else self.rows.columns
        if not self.foreign:
            return window_payloads(aggregations, which, columns, starts, rows)
        states = []
        for window, subscription in enumerate(subscriptions.tolist()):
            mine = rows[starts[window] : starts[window + 1]]
            states.append(self._merged(subscription, mine, last))
        aggregations_of = (self.interests.aggregations[s] for s in subscriptions.tolist())
        return [payload(a, state) for a, state in zip(aggregations_of, states, strict=True) if a is not None]

    def _merged(self, subscription: int, rows: np.ndarray, last: int) -> tuple[State, ...]:
        """One state per output for some rows and partial results from elsewhere."""
        partials = [self.foreign[row - last][3] for row in rows[rows >= last].tolist()]
        return merged(self.interests.aggregations[subscription], self.rows, rows[rows < last], partials)

    def _send(self, arrays: WindowArrays, ways: TopicLinks, ranges: WindowRanges, last: int) -> None:
        """Items for brokers that are hosted elsewhere."""
        for kind, link, nwr, what in arrays.sent[: arrays.numbers[SENDING]].tolist():
            ends = self.routes.ends(ways.links[link])
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
            beyond = ways.link_of[ways.source[link], goals] == link
            beyond &= self.routes.passes(at, ways.source[link], goals)
            wanted = np.unique(ranges.subscription[nwrs[beyond]]).tolist()
            assert self.rows is not None
            ids = tuple(self.plan.subscriptions[number].id for number in wanted)
            self.sent.append(raw_item(ends, self.rows, what, end, owner, ids))

    def _remember(self, arrays: WindowArrays, ways: TopicLinks, ranges: WindowRanges, edges: Edges) -> None:
        """What is still under way."""
        kept = np.flatnonzero(arrays.edges["place"] >= HERE)
        found = arrays.edges[kept]
        goals = arrays.nwrs["goal"][found["nwr"]]
        place, depth, degree = found["place"], ways.arrival(goals), np.zeros(len(kept), np.int32)
        resting = np.flatnonzero(place >= 0)
        link = place[resting]
        depth[resting] = ways.height[ways.source[link], goals[resting]]
        if len(arrays.items):
            rows = found["row"][resting].astype(np.int64)
            degree[resting] = arrays.items["degree"][rows * len(ways.links) + link]
        place = place.copy()
        place[resting] = ways.source[link]
        part = renumbered(arrays.edges["part"], kept)
        self.edges = Edges(found["row"].copy(), edges.subscription[kept], edges.end[kept], place, part, degree)
        times = ranges.end[found["nwr"]] + self.policy.patience * depth
        self.next_time = int(times.min()) if len(times) else None
        if self.policy.period:
            brokers = arrays.brokers.copy()
            counts = brokers["if_forwarded"], brokers["if_aggregated"]
            self.modes = Modes(brokers["forwards"], *counts, int(arrays.numbers[TURN]))

    def _count(self, due: np.ndarray) -> None:
        """Feed rows to the count windows at brokers that are hosted here."""
        if not len(due):
            return
        assert self.rows is not None
        pairs = slice(*self.rows.held_starts[[due[0], due[-1] + 1]])
        counted = ~self.interests.timed[self.rows.held[pairs]]
        if not counted.any():
            return
        rows, subscriptions = self.rows.held_rows[pairs][counted], self.rows.held[pairs][counted]
        here = self.routes.within(self.overlay.hosted)[self.rows.at[rows], self.plan.broker_of[subscriptions]]
        rows, subscriptions = rows[here], subscriptions[here]
        for subscription in np.unique(subscriptions).tolist():
            aggregation = self.interests.aggregations[subscription]
            assert aggregation is not None
            assert isinstance(aggregation.window, CountWindow)
            tail = self.tails.setdefault(subscription, CountTail())
            full = tail.extend(rows[subscriptions == subscription], aggregation.window)
            if full:
                self._tell_counted(subscription, full)

    def _tell_counted(self, subscription: int, windows: list[np.ndarray]) -> None:
        assert self.rows is not None
        aggregation = self.interests.aggregations[subscription]
        assert aggregation is not None
        ends = [[window[at] for window in windows] for at in (0, -1)]
        first, last = (self.rows.time[rows] for rows in ends)
        starts = np.cumsum([0, *map(len, windows)])
        which = np.zeros(len(windows), dtype=np.int64)
        found = window_payloads([aggregation], which, self.rows.columns, starts, np.concatenate(windows))
        owner = np.full(len(windows), subscription, dtype=np.int32)
        about = list(map(about_count_window, *(self._named(rows) for rows in ends)))
        self.notifications.append(Notifications(owner, first, last, found, about))
        self.ledger.notify_all(owner, last)

    def _named(self, rows: list[int]) -> list[tuple[int, str, str]]:
        """Time, publisher and id of some rows."""
        assert self.rows is not None
        columns = (self.rows.time[rows], self.rows.publisher[rows], self.rows.id[rows])
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def _let_go(self) -> None:
        """Forget the rows that are no longer needed."""
        if self.rows is None:
            return
        last = self.interests.valid[1]
        self.tails = {s: tail for s, tail in self.tails.items() if last[s] > self.until}  # others get no more rows
        needed = self.fresh.copy()
        needed[self.edges.row] = True
        for tail in self.tails.values():
            needed[tail.rows] = True
        self._renumber(np.flatnonzero(needed))
        self.rows = self.rows.without_pairs(~self.fresh) if len(self.rows) else None

    def state(self) -> WindowState:
        """The state for the next advance."""
        return WindowState(self.rows, self.fresh, self.edges, self.next_time, self.tails, self.modes)
