"""The walk of held publications through the brokers, in event time.

Every link has a matching graph: publications and partial results that wait on it, and the window ranges (NWRs) beyond
the link that they count for. When an NWR ends, the links that lead to its subscriber decide, upstream first, whether
to send one partial result or to forward what waits; what arrives at the subscriber's broker becomes its result. NWRs
are decided in the order (end, subscription id); at equal times before the publications made at that time.

`advance` is a pure function of state, arrivals and time. So results and bill do not depend on how a stream was cut
into batches, and an overlay may be hosted in several processes: links whose far end is elsewhere give and take items.

Paper: mna-aggregation, sections V-VII; what it leaves open is settled in docs/decisions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sparing.control.routes import HERE, distinct
from sparing.flow.deliver.count_windows import CountTail
from sparing.flow.deliver.payload import json_object
from sparing.flow.interests import ALWAYS, Interests
from sparing.flow.items import Item, column_type, item_columns, item_values
from sparing.flow.ledger import Ledger
from sparing.flow.links.policy import Question
from sparing.flow.matched import NO_MARK, Matched, concat
from sparing.flow.walk_state import Waiting, WalkState
from sparing.model.bill import Bill, MessageKind
from sparing.model.functions import State
from sparing.model.window import CountWindow, window_starts

BEGINNING, END_OF_TIME = ALWAYS
ELSEWHERE = -3  # a place that another process hosts
MOST_ENTRIES = 1 << 26  # in a table of rows by links or brokers


@dataclass(frozen=True, slots=True)
class Notification:
    """A window's result, a digest or a count window, for one subscription."""

    subscription: int
    start: int
    end: int
    payload: str


@dataclass(frozen=True)
class Outcome:
    """What one advance gave rise to. `late` are publications that came too late for their windows."""

    notifications: list[Notification]
    bill: Bill
    late: Matched | None
    sent: list[Item]


class Overlay:
    """The brokers of one plan, or those of them that are hosted here."""

    def __init__(self, interests: Interests, hosted: Iterable[str] | None = None) -> None:
        self.interests = interests
        routes = interests.plan.routes
        here = set(routes.brokers if hosted is None else hosted)
        self.hosted = np.array([broker in here for broker in routes.brokers], dtype=bool)

    def advance(
        self,
        state: WalkState | None,
        arrivals: Sequence[Matched],
        until: int,
        late_before: int = BEGINNING,
        received: Sequence[Item] = (),
    ) -> tuple[WalkState, Outcome]:
        """Take in arrivals, then do everything that falls before `until`.

        Arrivals made before `late_before` are too late. `received` are partial results and forwarded publications
        from brokers hosted elsewhere; they must be complete for the NWRs that end up to `until`.
        """
        step = _Step(self, state or WalkState(), until)
        late = step.admit(arrivals, late_before)
        step.receive(received)
        step.run()
        return step.close(), Outcome(step.notifications, step.ledger.bill(), late, step.sent)


class _Step:
    """One advance under way. Works on a copy of the state's containers."""

    def __init__(self, overlay: Overlay, state: WalkState, until: int) -> None:
        self.interests = overlay.interests
        self.plan = overlay.interests.plan
        self.routes = self.plan.routes
        self.policy = overlay.interests.policy
        self.hosted = overlay.hosted
        self.until = until
        self.ledger = Ledger(self.plan)
        self.notifications: list[Notification] = []
        self.sent: list[Item] = []
        self.rows = state.rows
        self.fresh = state.fresh
        self.open = {
            end: {
                subscription: {place: Waiting(list(w.raw), list(w.partials)) for place, w in places.items()}
                for subscription, places in by_subscription.items()
            }
            for end, by_subscription in state.open.items()
        }
        self.gone = {link: set(rows) for link, rows in state.gone.items()}
        self.tails = {s: CountTail(tail.skip, tail.rows) for s, tail in state.tails.items()}
        self.marked: dict[tuple[int, int], list[int]] = {}  # NWR -> rows that came from elsewhere with it as mark

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
        new = new.only(self.interests.fields[self.plan.subscriptions[int(new.held[0])].query.topic])
        # Rows from before a change of the subscription table may have other columns than are needed now.
        self.rows = new if self.rows is None else concat([self.rows.like(new), new])
        self.fresh = np.concatenate([self.fresh, np.ones(len(new), dtype=bool)])

    def receive(self, items: Sequence[Item]) -> None:
        """Take items from brokers that are hosted elsewhere."""
        if not items:
            return
        number = {subscription.id: n for n, subscription in enumerate(self.plan.subscriptions)}
        raw = []
        for item in items:
            at = self.routes.number[item.target]
            if item.states is not None:
                subscription = number[item.subscription]
                place = int(self.routes.link_of[at, self.plan.broker_of[subscription]])
                self._place(item.end, subscription, place).partials.append(item.states)
            else:
                raw.append((item, at))
        if not raw:
            return
        first = 0 if self.rows is None else len(self.rows)
        self._append(_from_items(raw, number, self.interests))
        assert self.rows is not None
        for row, (item, _) in enumerate(raw, first):
            assert item.end <= self.until, "items are complete up to `until`, and none is from later"
            self.fresh[row] = False
            self.marked.setdefault((item.end, number[item.subscription]), []).append(row)
            # The row enters when its mark is settled; until then its NWRs are open, though nothing waits for them.
            pairs, ends = self._ranges(np.array([row]))
            for end, subscription in zip(ends.tolist(), self.rows.held[pairs].tolist(), strict=True):
                self.open.setdefault(end, {}).setdefault(subscription, {})

    # Going through time

    def run(self) -> None:
        """Enter publications and settle NWRs, in the order of event time."""
        due = np.empty(0, dtype=np.int64)
        if self.rows is not None:
            ordered = np.flatnonzero(self.fresh & (self.rows.time < self.until))
            if len(ordered):
                self._sort(ordered)
                due = np.flatnonzero(self.fresh & (self.rows.time < self.until))
        times = self.rows.time[due] if self.rows is not None else due
        pairs, ends = self._ranges(due)
        coming = np.unique(ends).tolist()
        entered = 0
        while (end := self._next_end(coming)) is not None:
            before = int(np.searchsorted(times, end))
            self._enter(due, pairs, ends, entered, before)
            entered = before
            for subscription in sorted(self.open.get(end, ())):
                self._settle(end, subscription)
            self.open.pop(end, None)
        self._enter(due, pairs, ends, entered, len(due))
        self.fresh[due] = False
        self._count(due)

    def _next_end(self, coming: list[int]) -> int | None:
        """The next end of an NWR, among those that something waits for and those of rows still to come."""
        end = min(self.open, default=END_OF_TIME)
        if coming and coming[0] <= end:
            end = coming.pop(0)
        return end if end <= self.until and end != END_OF_TIME else None

    def _sort(self, due: np.ndarray) -> None:
        """Bring the rows that are due into order, behind all the others."""
        assert self.rows is not None
        rest = np.setdiff1d(np.arange(len(self.rows)), due, assume_unique=True)
        ordered = self.rows.take(due).in_order()
        moved = np.full(len(self.rows), -1, dtype=np.int64)
        moved[rest] = np.arange(len(rest))
        # Only rows that nobody refers to yet are moved around; the others keep their order and are renumbered.
        self._renumber(moved)
        self.rows = concat([self.rows.take(rest), ordered])
        self.fresh = np.concatenate([self.fresh[rest], np.ones(len(ordered), dtype=bool)])

    def _ranges(self, due: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The NWRs of rows: index of their (row, held subscription) pair, and their end. Ascending by row."""
        if not len(due):
            return due, due
        assert self.rows is not None
        rows, held = self.rows.held_rows, self.rows.held
        wanted = np.zeros(len(self.rows), dtype=bool)
        wanted[due] = True
        at = np.flatnonzero(wanted[rows] & self.interests.timed[held])
        duration, slide, start = (column[held[at]] for column in self.interests.windows)
        pair, starts = window_starts(self.rows.time[rows[at]], duration, slide, start)
        ends = starts + duration[pair]
        pair = at[pair]
        # A row that was forwarded to us counts for its mark and for later NWRs only.
        mark_end, mark = self.rows.mark_end[rows[pair]], self.rows.mark_subscription[rows[pair]]
        counts = (mark == NO_MARK) | (ends > mark_end) | ((ends == mark_end) & (held[pair] >= mark))
        return pair[counts], ends[counts]

    def _enter(self, due: np.ndarray, pairs: np.ndarray, ends: np.ndarray, first: int, last: int) -> None:
        """Put rows due[first:last] into the graphs of the links (or brokers) where they come to rest."""
        if first == last or not len(pairs):
            return
        assert self.rows is not None
        # Rows that are due stand at the end, in order.
        mine = slice(*np.searchsorted(self.rows.held_rows[pairs], [due[first], due[last - 1] + 1]))
        self._rest(pairs[mine], ends[mine])

    def _rest(self, pairs: np.ndarray, ends: np.ndarray) -> None:
        """Put (row, subscription) pairs, each with an NWR, where their rows come to rest."""
        assert self.rows is not None
        rows, subscriptions = self.rows.held_rows[pairs], self.rows.held[pairs]
        places = self._resting_places(rows, subscriptions)
        self._gather(rows, subscriptions, ends, places)

    def _resting_places(self, rows: np.ndarray, subscriptions: np.ndarray) -> np.ndarray:
        """The link on which each row stops on its way to each subscription, or HERE if it arrives.

        A row passes the links that it crosses at once because someone beyond must have it raw. Rows must ascend.
        """
        assert self.rows is not None
        if not len(rows):
            return rows
        # A portion of the rows at a time, which bounds the tables.
        portion = max(MOST_ENTRIES // max(len(self.routes.source), len(self.routes.brokers)), 1)
        if rows[-1] - rows[0] >= portion:
            middle = int(np.searchsorted(rows, rows[0] + portion))
            parts = slice(None, middle), slice(middle, None)
            return np.concatenate([self._resting_places(rows[part], subscriptions[part]) for part in parts])
        # Subscriptions at one broker share their places, so those of brokers are worked out, in a table.
        goals = self.plan.broker_of[subscriptions]
        brokers = distinct(goals)
        first, last = int(rows[0]), int(rows[-1]) + 1
        table = self._table_of_places(first, last, brokers)
        column = np.zeros(len(self.routes.brokers), dtype=np.int64)
        column[brokers] = np.arange(len(brokers))
        places: np.ndarray = table[rows - first, column[goals]]
        return places

    def _table_of_places(self, first: int, last: int, brokers: np.ndarray) -> np.ndarray:
        """Where each of the rows first..last stops on its way to each of some brokers."""
        assert self.rows is not None
        mine = slice(*np.searchsorted(self.rows.goal_rows, [first, last]))
        goal_rows = self.rows.goal_rows[mine]
        crossed_rows, crossed = self.routes.crossings(goal_rows, self.rows.at[goal_rows], self.rows.goals[mine])
        crosses = np.zeros((last - first, len(self.routes.source)), dtype=bool)
        crosses[crossed_rows - first, crossed] = True

        rows = np.repeat(np.arange(last - first), len(brokers))
        goals = np.tile(brokers, last - first)
        at = self.rows.at[first:last][rows]
        places = self.routes.link_of[at, goals].astype(np.int64)
        moving = np.flatnonzero(places >= 0)
        while len(moving):
            moving = moving[crosses[rows[moving], places[moving]]]
            at[moving] = self.routes.target[places[moving]]
            places[moving] = self.routes.link_of[at[moving], goals[moving]]
            moving = moving[(places[moving] >= 0) & self.hosted[at[moving]]]
        return np.where(self.hosted[at], places, ELSEWHERE).reshape(last - first, len(brokers))

    def _gather(self, rows: np.ndarray, subscriptions: np.ndarray, ends: np.ndarray, places: np.ndarray) -> None:
        """Add rows to what waits, place by place and NWR by NWR."""
        keep = places != ELSEWHERE
        if not keep.all():
            rows, subscriptions, ends, places = rows[keep], subscriptions[keep], ends[keep], places[keep]
        if not len(rows):
            return
        distinct_ends, end_rank = np.unique(ends, return_inverse=True)
        width = len(self.routes.source) + 1
        key = (end_rank * len(self.plan.subscriptions) + subscriptions) * width + (places + 1)
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        for group, first in zip(np.split(rows[order], starts[1:]), order[starts].tolist(), strict=True):
            waiting = self._place(int(distinct_ends[end_rank[first]]), int(subscriptions[first]), int(places[first]))
            waiting.raw.append(group)

    def _place(self, end: int, subscription: int, place: int) -> Waiting:
        return self.open.setdefault(end, {}).setdefault(subscription, {}).setdefault(place, Waiting())

    # Deciding

    def _settle(self, end: int, subscription: int) -> None:
        """An NWR has ended: decide on every link on which something waits for it, upstream first; then notify."""
        for row in self.marked.pop((end, subscription), ()):
            self._rest(*self._ranges(np.array([row])))
        places = self.open[end][subscription]
        goal = int(self.plan.broker_of[subscription])
        while len(places) > (HERE in places):
            link = max(
                (p for p in places if p != HERE), key=lambda p: (self.routes.hops[self.routes.source[p], goal], p)
            )
            self._decide(link, end, subscription, places.pop(link), goal)
        if HERE in places:
            self._notify(end, subscription, places[HERE])

    def _decide(self, link: int, end: int, subscription: int, waiting: Waiting, goal: int) -> None:
        raw = np.concatenate(waiting.raw) if waiting.raw else np.empty(0, dtype=np.int64)
        if link in self.gone and len(raw):
            raw = raw[[row not in self.gone[link] for row in raw.tolist()]]
        if not len(raw) and not waiting.partials:
            return
        target = int(self.routes.target[link])
        if self.policy.aggregate(Question(link, end, subscription, raw, len(waiting.partials))):
            self.ledger.cross(link, MessageKind.RESULT, end)
            self._send_partials(
                link, target, end, subscription, [self._partial(subscription, raw, waiting.partials)], goal
            )
            return
        if waiting.partials:
            self.ledger.cross(link, MessageKind.RESULT, end, len(waiting.partials))
            self._send_partials(link, target, end, subscription, waiting.partials, goal)
        if len(raw):
            self.ledger.cross(link, MessageKind.PUBLICATION, end, len(raw))
            self.gone.setdefault(link, set()).update(raw.tolist())
            self._forward(link, target, end, subscription, raw)

    def _send_partials(
        self, link: int, target: int, end: int, subscription: int, partials: Sequence[tuple[State, ...]], goal: int
    ) -> None:
        if self.hosted[target]:
            self._place(end, subscription, int(self.routes.link_of[target, goal])).partials.extend(partials)
            return
        ends = self._names(link)
        owner = self.plan.subscriptions[subscription].id
        self.sent.extend(Item(*ends, sent=end, subscription=owner, end=end, states=states) for states in partials)

    def _forward(self, link: int, target: int, end: int, subscription: int, raw: np.ndarray) -> None:
        """Rows leave the link's graph for all their NWRs and come to rest again at the far end.

        There they count for this NWR and those that are decided later: earlier ones were settled on this link.
        """
        assert self.rows is not None
        pairs, ends = self._ranges(raw)
        rows, subscriptions = self.rows.held_rows[pairs], self.rows.held[pairs]
        beyond = self.routes.link_of[self.routes.source[link], self.plan.broker_of[subscriptions]] == link
        later = (ends > end) | ((ends == end) & (subscriptions >= subscription))
        mine = beyond & later
        rows, subscriptions, ends = rows[mine], subscriptions[mine], ends[mine]
        if self.hosted[target]:
            places = self.routes.link_of[target, self.plan.broker_of[subscriptions]].astype(np.int64)
            self._gather(rows, subscriptions, ends, places)
            return
        for row in raw.tolist():
            wanted = sorted(set(subscriptions[rows == row].tolist()))
            self.sent.append(self._raw_item(link, row, end, self.plan.subscriptions[subscription].id, wanted))

    def _raw_item(self, link: int, row: int, sent: int, mark: str, wanted: Sequence[int]) -> Item:
        assert self.rows is not None
        values = item_values(self.rows.columns, row)
        ids = tuple(self.plan.subscriptions[number].id for number in wanted)
        identity = {"id": self.rows.id[row], "publisher": self.rows.publisher[row], "time": int(self.rows.time[row])}
        return Item(*self._names(link), sent=sent, subscription=mark, end=sent, wanted=ids, values=values, **identity)

    def _names(self, link: int) -> tuple[str, str]:
        return self.routes.brokers[self.routes.source[link]], self.routes.brokers[self.routes.target[link]]

    def _partial(self, subscription: int, raw: np.ndarray, partials: Sequence[tuple[State, ...]]) -> tuple[State, ...]:
        """One state per output for some rows and partial results."""
        aggregation = self.interests.aggregations[subscription]
        assert aggregation is not None
        assert self.rows is not None or not len(raw)
        states = []
        for at, output in enumerate(aggregation.outputs):
            found = [partial[at] for partial in partials]
            if len(raw):
                assert self.rows is not None
                values = raw[:0] if output.field is None else self.rows.columns[output.field].there(raw)
                found.append(output.function.lift(values, len(raw)))
            states.append(found[0] if len(found) == 1 else output.function.merge(found))
        return tuple(states)

    # Delivering

    def _notify(self, end: int, subscription: int, waiting: Waiting) -> None:
        raw = np.concatenate(waiting.raw) if waiting.raw else np.empty(0, dtype=np.int64)
        duration = int(self.interests.windows[0][subscription])
        self._deliver(subscription, end - duration, end, self._partial(subscription, raw, waiting.partials), end)

    def _deliver(self, subscription: int, start: int, end: int, states: tuple[State, ...], time: int) -> None:
        aggregation = self.interests.aggregations[subscription]
        assert aggregation is not None
        results = ((o.name, o.function.finish(state)) for o, state in zip(aggregation.outputs, states, strict=True))
        self.notifications.append(Notification(subscription, start, end, json_object(results)))
        self.ledger.notify(subscription, time)

    def _count(self, due: np.ndarray) -> None:
        """Feed rows to the count windows at brokers that are hosted here."""
        if not len(due):
            return
        assert self.rows is not None
        wanted = np.zeros(len(self.rows), dtype=bool)
        wanted[due] = True
        at = np.flatnonzero(wanted[self.rows.held_rows] & ~self.interests.timed[self.rows.held])
        rows = self.rows.held_rows[at]
        at = at[self._resting_places(rows, self.rows.held[at]) == HERE]
        for subscription in np.unique(self.rows.held[at]).tolist():
            aggregation = self.interests.aggregations[subscription]
            assert aggregation is not None
            assert isinstance(aggregation.window, CountWindow)
            rows = self.rows.held_rows[at[self.rows.held[at] == subscription]]
            for full in self.tails.setdefault(subscription, CountTail()).extend(rows, aggregation.window):
                first, last = int(self.rows.time[full[0]]), int(self.rows.time[full[-1]])
                self._deliver(subscription, first, last, self._partial(subscription, full, ()), last)

    # Closing

    def close(self) -> WalkState:
        """The state for the next advance, with only the rows that are still needed."""
        last = self.interests.valid[1]
        self.tails = {s: tail for s, tail in self.tails.items() if last[s] > self.until}  # others get no more rows
        needed = self.fresh.copy()
        for by_subscription in self.open.values():
            for places in by_subscription.values():
                for waiting in places.values():
                    for rows in waiting.raw:
                        needed[rows] = True
        for tail in self.tails.values():
            needed[tail.rows] = True
        kept = np.flatnonzero(needed)
        moved = np.full(len(needed), -1, dtype=np.int64)
        moved[kept] = np.arange(len(kept))
        self._renumber(moved)
        remaining = self.rows.take(kept) if self.rows is not None and len(kept) else None
        return WalkState(remaining, self.fresh[kept], self.open, self.gone, self.tails)

    def _renumber(self, moved: np.ndarray) -> None:
        """Rows have new numbers (-1: no longer there); follow them wherever rows are referred to."""
        for by_subscription in self.open.values():
            for places in by_subscription.values():
                for waiting in places.values():
                    waiting.raw = [moved[rows] for rows in waiting.raw]
        self.gone = {link: {int(moved[row]) for row in rows} - {-1} for link, rows in self.gone.items()}
        for tail in self.tails.values():
            tail.rows = moved[tail.rows]
        self.marked = {nwr: [int(moved[row]) for row in rows] for nwr, rows in self.marked.items()}


def _from_items(raw: Sequence[tuple[Item, int]], number: Mapping[str, int], interests: Interests) -> Matched:
    """Raw items that a decision elsewhere forwarded, as rows at the brokers that they arrived at."""
    items = [item for item, _ in raw]
    wanted = [sorted(number[subscription] for subscription in item.wanted) for item in items]
    topic = interests.plan.topics[interests.plan.subscriptions[wanted[0][0]].query.topic]
    none = np.empty(0, dtype=np.int64)
    return Matched(
        np.array([item.time for item in items], dtype=np.int64),
        np.array([item.id for item in items], dtype=object),
        np.array([item.publisher for item in items], dtype=object),
        np.array([at for _, at in raw], dtype=np.int32),
        item_columns(items, {name: column_type(topic, name) for name in interests.fields[topic.name]}),
        np.repeat(np.arange(len(items)), [len(found) for found in wanted]),
        np.array([subscription for found in wanted for subscription in found], dtype=np.int64),
        none,
        none,
        np.array([item.end for item in items], dtype=np.int64),
        np.array([number[item.subscription] for item in items], dtype=np.int64),
    )
