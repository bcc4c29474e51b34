"""The output of a finished walk: notifications of windows, and items for brokers hosted by other processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sparing.flow.arrival.matched import Matched
from sparing.flow.deliver.notifications import Notifications, Payloads
from sparing.flow.deliver.results import window_payloads
from sparing.flow.interests import Interests
from sparing.flow.windows.items import LinkItem
from sparing.flow.windows.kernels.arrays import APART, DELIVERIES, OUTGOING, RESULTS, WindowArrays
from sparing.flow.windows.kernels.topic_links import TopicLinks
from sparing.flow.windows.participants import Participants
from sparing.flow.windows.remote import merged, payload, raw_item
from sparing.model.functions import State


class RemoteResult(NamedTuple):
    """A partial result from another process, and the broker where it arrived."""

    end: int
    subscription: int
    broker: int
    states: tuple[State, ...]


@dataclass(frozen=True)
class Output:
    """Reads the output from the arrays; partial results of other processes are numbered after the rows."""

    interests: Interests
    rows: Matched
    participants: Participants
    arrays: WindowArrays
    topic_links: TopicLinks
    remote_results: Sequence[RemoteResult]

    @cached_property
    def _delivered(self) -> np.ndarray:
        return self.arrays.delivered[: self.arrays.numbers[DELIVERIES]]

    def notifications(self) -> Notifications | None:
        """Return the notifications of the finished windows, None if there are none."""
        if not len(self._delivered):
            return None
        nwrs = self.arrays.nwrs[self._delivered["nwr"]]
        subscriptions, ends = self.participants.numbers[nwrs["subscription"]], nwrs["end"]
        begun = ends - self.interests.windows[0][subscriptions]
        return Notifications(subscriptions.astype(np.int32), begun, ends, self._payloads(nwrs["subscription"]))

    def times(self) -> np.ndarray:
        """Return the times of the notifications."""
        nwrs = self.arrays.nwrs[self._delivered["nwr"]]
        goals = self.arrays.goals[nwrs["goal"]]
        found: np.ndarray = nwrs["end"] + self.interests.policy.patience * self.arrays.height[goals, goals]
        return found

    def _payloads(self, which: np.ndarray) -> Payloads:
        aggregations = [self.interests.aggregations[number] for number in self.participants.numbers.tolist()]
        rows = self.arrays.contents if self.arrays.numbers[APART] else self.arrays.members
        first, last, columns = self._delivered["first"], self._delivered["last"], self.rows.columns
        if not self.remote_results:
            return window_payloads(aggregations, which, columns, first, last, rows)
        before = np.concatenate([[0], np.cumsum(rows >= len(self.rows))])
        remote = before[last] > before[first]
        own = np.flatnonzero(~remote)
        found = window_payloads(aggregations, which[own], columns, first[own], last[own], rows)
        parts = [(own[numbers], objects) for numbers, objects in found.parts]
        for window in np.flatnonzero(remote).tolist():
            subscription = int(which[window])
            states = self._merged(subscription, rows[first[window] : last[window]])
            parts.append((np.array([window]), payload(aggregations[subscription], states)))
        return Payloads(parts)

    def _merged(self, subscription: int, contents: np.ndarray) -> tuple[State, ...]:
        """Return one state per output of a subscription (its local number) for rows and remote partial results."""
        count, number = len(self.rows), int(self.participants.numbers[subscription])
        partials = [self.remote_results[at - count].states for at in contents[contents >= count].tolist()]
        return merged(self.interests.aggregations[number], self.rows, contents[contents < count], partials)

    def items(self) -> list[LinkItem]:
        """Return the items for brokers hosted by other processes."""
        arrays, plan, items = self.arrays, self.interests.plan, []
        for kind, link, nwr, row, first, last in arrays.sent[: arrays.numbers[OUTGOING]].tolist():
            ends = plan.routes.ends(self.topic_links.links[link])
            end, local = int(arrays.nwrs["end"][nwr]), int(arrays.nwrs["subscription"][nwr])
            owner = plan.subscriptions[int(self.participants.numbers[local])].id
            if kind == RESULTS:
                states = self._merged(local, arrays.contents[first:last])
                items.append(LinkItem(*ends, sent=end, subscription=owner, end=end, states=states))
            else:
                wanted = tuple(plan.subscriptions[number].id for number in self._beyond(link, nwr, row))
                items.append(raw_item(ends, self.rows, row, end, owner, wanted))
        return items

    def _beyond(self, link: int, nwr: int, row: int) -> list[int]:
        """Return the subscriptions beyond a link that count a row for an NWR or later ones."""
        arrays, links = self.arrays, self.topic_links
        pairs = slice(arrays.starts[row], arrays.starts[row + 1])
        timed = arrays.nwr_count[pairs] > 0
        final = arrays.nwrs[(arrays.first_nwr[pairs] + arrays.nwr_count[pairs] - 1)[timed]]
        this = arrays.nwrs[nwr]
        later = final["end"] > this["end"]
        later |= (final["end"] == this["end"]) & (final["subscription"] >= this["subscription"])
        subscriptions = arrays.held[pairs][timed][later]
        goals, source = arrays.goals[arrays.goal_of[subscriptions]], links.source[link]
        beyond = links.link_of[source, goals] == link
        beyond &= self.interests.plan.routes.passes(arrays.at[row], source, goals)
        numbers: list[int] = self.participants.numbers[subscriptions[beyond]].tolist()
        return numbers
