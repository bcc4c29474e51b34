"""One step of the walk: let rows enter, move them across the overlay, and drop rows that are no longer needed.

The compiled loops are in `kernels`; this module prepares their arrays and converts their output.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa

from sparing.flow.arrival.kernels import take_lists
from sparing.flow.arrival.matched import Matched, concat
from sparing.flow.deliver.count_windows import CountTail
from sparing.flow.deliver.identity import about_count_window
from sparing.flow.deliver.notifications import Notifications
from sparing.flow.deliver.results import window_payloads
from sparing.flow.ledger import Ledger
from sparing.flow.windows.items import LinkItem
from sparing.flow.windows.kernels.arrays import (
    HERE,
    MODE_PERIOD,
    NONE,
    NOT_ENTERED,
    PUBLICATIONS,
    REMOTE_ITEM,
    RESULTS,
    WindowArrays,
)
from sparing.flow.windows.kernels.build import WalkNwrs, WalkRows, build_arrays, first_turns
from sparing.flow.windows.kernels.least import least_messages
from sparing.flow.windows.kernels.nwrs import Numbered, still_open
from sparing.flow.windows.kernels.run import run
from sparing.flow.windows.kernels.topic_links import TopicLinks
from sparing.flow.windows.output import Output, RemoteResult
from sparing.flow.windows.participants import Participants, Turns
from sparing.flow.windows.remote import from_items
from sparing.flow.windows.window_state import FIRST, LAST, NEVER, OWNER, PENDING, Modes, Positions, WindowState
from sparing.model.bill import MessageKind
from sparing.model.types import BEGINNING, END_OF_TIME
from sparing.model.window import CountWindow

if TYPE_CHECKING:
    from sparing.flow.windows.window_walk import WindowWalk

KINDS = {PUBLICATIONS: MessageKind.PUBLICATION, RESULTS: MessageKind.RESULT}
ENTERED, REMOTE, ENTERING = range(3)  # kinds of rows


class DecisionWatcher(Protocol):
    """Observes the decisions on one NWR."""

    subscription: int
    end: int

    def look(self, arrays: WindowArrays, topic_links: TopicLinks, numbers: np.ndarray, rows: Matched) -> None:
        """Called before the links with `arrays.numbers[DEPTH]` upstream links decide.

        `numbers` are the numbers in the plan of the arrays' subscriptions.
        """

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
        words = -(-len(self.routes.brokers) // 64)
        self.rows = Matched.none(words) if state.rows is None else state.rows.part(0, state.entered)
        self.ahead = Matched.none(words) if state.rows is None else state.rows.part(state.entered, len(state.rows))
        self.remote_rows = Matched.none(words)
        self.positions, self.owners, self.pending = state.positions, state.owners, state.pending
        self.next_time = state.next_time
        self.tails = {s: CountTail(tail.skip, tail.rows) for s, tail in state.tails.items()}
        self.modes = state.modes
        self.until = BEGINNING
        self.remote_marks: list[tuple[int, int]] = []  # end and subscription of the mark of each of these rows
        self.remote_results: list[RemoteResult] = []

    # Input

    def admit(self, arrivals: Sequence[Matched], late_before: int) -> Matched | None:
        """Add arrivals to the rows that are ahead of the walk, and return late events."""
        if not arrivals:
            return None
        new = concat(arrivals)
        on_time = new.time >= late_before
        late = None if on_time.all() else new.take(np.flatnonzero(~on_time))
        if late is not None:
            new = new.take(np.flatnonzero(on_time))
        if len(new):
            new = self._with_needed_columns(new)
            self.ahead = concat([self.ahead, new])
            self.ahead = self.ahead.take(self.ahead.order())
        return late

    def _with_needed_columns(self, rows: Matched) -> Matched:
        """Return rows with the columns that the aggregations need; others are for late events."""
        return rows.with_columns(self.interests.fields[self.plan.subscriptions[int(rows.held[0])].query.topic])

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
                self.remote_results.append(RemoteResult(item.end, number[item.subscription], at, item.states))
            else:
                raw.append((item, at))
                self.remote_marks.append((item.end, number[item.subscription]))
        if raw:
            self.remote_rows = self._with_needed_columns(from_items(raw, number, self.interests))

    # Processing in event time

    def moments(self, until: int, whole: bool) -> list[int]:
        """Return the times up to which to run in turn, to limit the memory of one run."""
        if whole or self.policy.whole_trace:
            return [until]
        due = self.ahead.time[: np.searchsorted(self.ahead.time, until)]
        most = max(self.window_walk.most_items // max(len(self.routes.source), 1), 1)
        return [*np.unique(due[most::most]).tolist(), until]

    def run(self, until: int, bound: bool) -> None:
        """Process everything before a time."""
        self.until = until
        enters, remote = self._gather()
        others = [(result.end, result.subscription) for result in self.remote_results]
        participants = Participants.of(self.interests, self.rows, [number for _, number in others], self.owners)
        nwrs, turns = participants.number_nwrs(self.rows, others)
        if len(turns):
            self._walk(participants, nwrs, turns, enters, remote, bound)
        else:
            self._forget()
        self.remote_marks, self.remote_results = [], []

    def _gather(self) -> tuple[np.ndarray, np.ndarray]:
        """Add the rows that are due, and those of other processes, to the rows, in the order of time.

        Return which rows enter at their time, and the positions of the rows of other processes.
        """
        due = int(np.searchsorted(self.ahead.time, self.until))
        parts = [self.rows, self.remote_rows, self.ahead.part(0, due)]
        sizes = [len(part) for part in parts]
        kind = np.repeat([ENTERED, REMOTE, ENTERING], sizes)
        self.rows, self.remote_rows = concat(parts), self.remote_rows.part(0, 0)
        self.ahead = self.ahead.part(due, len(self.ahead))
        self.positions = self.positions.extended(len(kind))
        at = np.arange(len(kind))
        if sizes[REMOTE]:
            order = self.rows.order()
            self.rows, self.positions, kind = self.rows.take(order), self.positions.take(order), kind[order]
            at[order] = np.arange(len(order))
            self._move_tails(at)
        enters = kind == ENTERING
        self._count(np.flatnonzero(enters))
        return enters, at[sizes[ENTERED] : sizes[ENTERED] + sizes[REMOTE]]

    def _move_tails(self, at: np.ndarray) -> None:
        for tail in self.tails.values():
            tail.rows = at[tail.rows]

    def _walk(
        self,
        participants: Participants,
        nwrs: Numbered,
        turns: Turns,
        enters: np.ndarray,
        remote: np.ndarray,
        bound: bool,
    ) -> None:
        """Let rows enter and links decide; collect notifications, items and the bill; keep what is still open."""
        rows = self.rows
        positions = self._positions(participants)
        at, goal = positions.at, np.broadcast_to(participants.goals, positions.at.shape)
        resting = at >= 0
        topic = self.plan.subscriptions[int(participants.numbers[0])].query.topic
        topic_links = self.window_walk.topic_links(topic, rows.at, at[resting], goal[resting])
        place = at.copy()
        place[resting] = _places(at[resting], goal[resting], topic_links)
        arrays, buckets = build_arrays(
            WalkRows(
                time=rows.time,
                at=rows.at,
                starts=rows.starts,
                held=participants.held,
                raw=rows.raw,
                enters=enters,
                place=place,
                degree=positions.degree,
                mark_end=positions.mark_end,
                mark_subscription=positions.mark_subscription,
            ),
            WalkNwrs(
                numbered=nwrs,
                order=turns.order,
                goals=participants.goals,
                goal_of=participants.goal_of,
                results=self._pending_results(participants, nwrs.nwrs, turns, topic_links),
                remote=self._remote_items(participants, turns, topic_links, remote),
            ),
            policy=self.policy,
            topic_links=topic_links,
            hosted=self.window_walk.hosted,
            bucket=self.plan.bucket,
            until=self.until,
            modes=self.modes,
            watched=self._watched(participants, turns),
        )
        arrays = self._run(arrays, participants, topic_links, bound)
        for link, kind, bucket in zip(*(found.tolist() for found in np.nonzero(arrays.messages)), strict=True):
            messages = int(arrays.messages[link, kind, bucket])
            self.ledger.cross_in(int(topic_links.links[link]), KINDS[kind], int(buckets[bucket]), messages)
        output = Output(self.interests, self.rows, participants, arrays, topic_links, self.remote_results)
        if (found := output.notifications()) is not None:
            self.notifications.append(found)
            self.ledger.notify_all(found.subscription, output.times())
        self.sent += output.items()
        self._keep(arrays, topic_links, participants)

    def _run(
        self, arrays: WindowArrays, participants: Participants, topic_links: TopicLinks, bound: bool
    ) -> WindowArrays:
        if bound:
            began = time.thread_time()
            least = least_messages(arrays)
            self.bound_seconds += time.thread_time() - began
            self.least.update(
                {int(link): int(found) for link, found in zip(topic_links.links, least, strict=True) if found}
            )
        began = time.thread_time()
        numbers = participants.numbers[arrays.nwrs["subscription"]]
        table = self.policy.table(arrays, topic_links.links, numbers)
        if table is not None:
            arrays = arrays._replace(table=table)
        next_turn = first_turns(topic_links, participants.goals, not self.policy.patience and self.watcher is None)
        while run(arrays, next_turn):
            assert self.watcher is not None
            self.watcher.look(arrays, topic_links, participants.numbers, self.rows)
        if self.watcher is not None:
            self.watcher.over(arrays)
        self.seconds += time.thread_time() - began
        return arrays

    def _positions(self, participants: Participants) -> Positions:
        """Return where rows are, with a column for each goal of the participants; subscribers may have moved."""
        goals = participants.goals
        positions = self.positions
        local = np.searchsorted(participants.numbers, self.owners["subscription"])
        there = np.flatnonzero(np.isin(self.owners["subscription"], participants.numbers))
        moved = there[goals[participants.goal_of[local[there]]] != self.owners["goal"][there]]
        if len(moved):
            positions = positions.towards(np.union1d(positions.goals, goals))
            which = np.repeat(np.arange(len(self.rows)), np.diff(self.rows.starts))
            for owner in moved.tolist():
                mine = which[self.rows.held == self.owners["subscription"][owner]]
                new = int(goals[participants.goal_of[local[owner]]])
                positions = positions.moved(mine, int(self.owners["goal"][owner]), new)
        degree = self.policy.degrees or self.watcher is not None
        positions = positions.towards(goals).remembering(degree=degree, marks=bool(self.policy.patience))
        if positions.mark_subscription is None:
            return positions
        local_marks = np.searchsorted(participants.numbers, positions.mark_subscription).astype(np.int32)
        return replace(positions, mark_subscription=local_marks)

    def _pending_results(
        self, participants: Participants, nwrs: np.ndarray, turns: Turns, topic_links: TopicLinks
    ) -> np.ndarray:
        """Return the number of partial results that links hold: by node with patience, otherwise none, by link."""
        links = len(topic_links.links)
        found = np.zeros(links * len(turns) if self.policy.patience else links, dtype=np.int32)
        for subscription, at, end, results in self.pending.tolist():
            turn = participants.turn(turns, end, subscription)
            if turn >= 0:
                nwr = int(turns.order[turn])
                link = _place(at, int(participants.goals[nwrs["goal"][nwr]]), topic_links)
                if link >= 0:
                    found[nwr * links + link] += results
        return found

    def _remote_items(
        self,
        participants: Participants,
        turns: Turns,
        topic_links: TopicLinks,
        remote: np.ndarray,
    ) -> np.ndarray:
        """Return the rows and partial results that decisions of other processes sent, by turn (REMOTE_ITEM)."""
        turn_of = [participants.turn(turns, end, number) for end, number in self.remote_marks]
        found = [(turn, row, NONE, NOT_ENTERED) for turn, row in zip(turn_of, remote.tolist(), strict=True)]
        for result, (end, number, broker, _) in enumerate(self.remote_results):
            goal = self.plan.broker_of[number]
            place = _place(broker, int(goal), topic_links)
            found.append((participants.turn(turns, end, number), NONE, result, place))
        return np.array(sorted(found), dtype=REMOTE_ITEM)

    def _watched(self, participants: Participants, turns: Turns) -> int:
        if self.watcher is None:
            return NONE
        turn = participants.turn(turns, self.watcher.end, self.watcher.subscription)
        return int(turns.order[turn]) if turn >= 0 else NONE

    # State

    def _keep(self, arrays: WindowArrays, topic_links: TopicLinks, participants: Participants) -> None:
        """Keep the rows of windows that are still open, and their positions."""
        if self.policy.period:
            brokers = arrays.brokers.copy()
            counts = brokers["if_forwarded"], brokers["if_aggregated"]
            self.modes = Modes(brokers["forwards"], *counts, int(arrays.numbers[MODE_PERIOD]))
        if self.until == END_OF_TIME:
            self._forget()
            return
        patience, goals = self.policy.patience, participants.goals
        # Windows that end up to `until` have been notified; with patience, those that had arrived then.
        now = max(self.until, NEVER) + 1
        least = now - patience * topic_links.arrival(goals)[participants.goal_of].astype(np.int64)
        pairs = arrays.starts, arrays.held, arrays.first_nwr, arrays.nwr_count
        kept, starts, held = still_open(*pairs, arrays.nwrs, least, arrays.place, arrays.goal_of)
        self.owners = np.zeros(len(participants.numbers), dtype=OWNER)
        self.owners["subscription"], self.owners["goal"] = participants.numbers, goals[participants.goal_of]
        for name, column in {**participants.windows._asdict(), "least": least}.items():
            self.owners[name] = column
        self.positions = self._resting(arrays, topic_links, participants, now)
        self.pending = self._pending(arrays, topic_links, participants)
        nwrs = arrays.nwrs[arrays.nwrs["end"] >= least[arrays.nwrs["subscription"]]]
        self.next_time = None
        if len(held):
            ended = np.maximum(now - nwrs["end"], 0)
            self.next_time = int((nwrs["end"] + (patience * -(-ended // patience) if patience else 0)).min())
        self._drop_rows(kept, starts, participants.numbers[held])

    def _forget(self) -> None:
        """Keep only the rows of open count windows."""
        rows = len(self.rows)
        self.owners, self.pending, self.next_time = np.zeros(0, OWNER), np.zeros(0, PENDING), None
        self.positions = Positions.none().extended(rows)
        self._drop_rows(np.zeros(rows, bool), np.zeros(rows + 1, np.int64), np.zeros(0, np.int32))

    def _resting(
        self, arrays: WindowArrays, topic_links: TopicLinks, participants: Participants, now: int
    ) -> Positions:
        """Return the positions of rows from their places, with what the policy remembers."""
        place, goals, patience = arrays.place, participants.goals, self.policy.patience
        source = topic_links.source[np.maximum(place, 0)] if len(topic_links.source) else place
        on_link = place >= 0
        at = np.where(on_link, source, np.where(place == HERE, goals, place)).astype(np.int32)
        positions = Positions(goals, at)
        if self.policy.degrees:
            positions = replace(positions, degree=arrays.degree)
        if patience:
            # A row that a link still holds counts for the windows that the link has not decided yet.
            height = np.where(on_link, topic_links.height[np.maximum(at, 0), goals], 0).astype(np.int64)
            decided = np.where(on_link, now - patience * height, NEVER)
            later = decided > arrays.mark_end
            numbers = np.append(participants.numbers, LAST).astype(np.int32)
            positions = replace(
                positions,
                mark_end=np.where(later, decided, arrays.mark_end),
                mark_subscription=np.where(
                    later, FIRST, numbers[np.minimum(arrays.mark_subscription, len(numbers) - 1)]
                ),
            )
        return positions

    def _pending(self, arrays: WindowArrays, topic_links: TopicLinks, participants: Participants) -> np.ndarray:
        """Return the partial results that links hold, with patience (PENDING)."""
        if not self.policy.patience:
            return np.zeros(0, dtype=PENDING)
        nodes = np.flatnonzero(arrays.results)
        nwrs, links = np.divmod(nodes, max(len(topic_links.links), 1))
        found = np.zeros(len(nodes), dtype=PENDING)
        found["subscription"] = participants.numbers[arrays.nwrs["subscription"][nwrs]]
        found["at"], found["end"] = topic_links.source[links], arrays.nwrs["end"][nwrs]
        found["results"] = arrays.results[nodes]
        return found

    def _drop_rows(self, kept: np.ndarray, starts: np.ndarray, held: np.ndarray) -> None:
        """Keep the rows of open windows, with lists of their subscriptions, and those of open count windows."""
        last = self.interests.valid[1]
        self.tails = {s: tail for s, tail in self.tails.items() if last[s] > self.until}  # ended ones get no more rows
        needed = kept.copy()
        for tail in self.tails.values():
            needed[tail.rows] = True
        if needed.all():
            self.rows = replace(self.rows, starts=starts, held=held)
            return
        at = np.cumsum(needed) - 1
        self._move_tails(at)
        rows = np.flatnonzero(needed)
        self.rows = replace(self.rows, starts=starts, held=held).take(rows)
        self.positions = self.positions.take(rows)

    def _count(self, due: np.ndarray) -> None:
        """Add rows to the count windows at brokers hosted by this process."""
        if self.interests.timed[self.interests.held].all() or not len(due):
            return
        rows = np.repeat(due, np.diff(self.rows.starts)[due])
        _, subscriptions = take_lists(self.rows.starts, self.rows.held, due)
        counted = ~self.interests.timed[subscriptions]
        rows, subscriptions = rows[counted], subscriptions[counted]
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
        aggregation = self.interests.aggregations[subscription]
        ends = [np.array([window[at] for window in windows]) for at in (0, -1)]
        first, last = (self.rows.time[rows] for rows in ends)
        starts = np.cumsum([0, *map(len, windows)])
        which = np.zeros(len(windows), dtype=np.int64)
        columns = self.rows.columns
        found = window_payloads([aggregation], which, columns, starts[:-1], starts[1:], np.concatenate(windows))
        owner = np.full(len(windows), subscription, dtype=np.int32)
        about = list(map(about_count_window, *(self._named(rows) for rows in ends)))
        self.notifications.append(Notifications(owner, first, last, found, about))
        self.ledger.notify_all(owner, last)

    def _named(self, rows: np.ndarray) -> list[tuple[int, str, str]]:
        """Return time, publisher and id of rows."""
        texts = (column.take(pa.array(rows)).tolist() for column in (self.rows.publisher, self.rows.id))
        return list(zip(self.rows.time[rows].tolist(), *texts, strict=True))

    def state(self) -> WindowState:
        """Return the state for the next advance."""
        rows = concat([self.rows, self.ahead])
        return WindowState(
            rows=rows if len(rows) else None,
            entered=len(self.rows),
            positions=self.positions,
            owners=self.owners,
            pending=self.pending,
            next_time=self.next_time,
            tails=self.tails,
            modes=self.modes,
        )


def _places(at: np.ndarray, goal: np.ndarray, topic_links: TopicLinks) -> np.ndarray:
    """Return the places of rows at brokers on their way to goals."""
    link = topic_links.link_of[at, goal]
    return np.where(at == goal, HERE, np.where(link >= 0, link, NOT_ENTERED))


def _place(at: int, goal: int, topic_links: TopicLinks) -> int:
    return int(_places(np.array([at]), np.array([goal]), topic_links)[0])
