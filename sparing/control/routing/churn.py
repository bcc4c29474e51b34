"""Folded entries while subscriptions start and end.

An entry represents the members of a cluster on one link: it attracts the union of their boxes.

- A new subscription that the entry covers joins without a message. Otherwise it is sent, alone or as part of a new
  entry.
- A subscription that ends may leave a **false range**: the entry still attracts publications that only it wanted, and
  the folding broker drops them. Ended subscriptions are **stale members** until the entry is sent again.
- Ends are batched by ski rental: a cluster is reconfigured once its expected false positives are as many as the
  messages of a reconfiguration. A report takes time per hop, so new entries take effect after the cluster's delay.
- If folding saves much less of the possible saving than planned, the topic is folded further, starting from its
  clusters. A new entry is one message; it replaces old ones, which are removed after the delay.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

import numpy as np

from sparing.control.folding.covered import cost_of_many, is_feasible
from sparing.control.folding.fold import fold_further, reachable
from sparing.control.folding.measures import delay
from sparing.control.folding.uncovered import may_overlap, overlapping, uncovered, within_hull
from sparing.control.plan import Plan
from sparing.control.routing.folded import Folded, FoldedTopic
from sparing.control.routing.network import Message
from sparing.control.routing.stale_members import StaleMember
from sparing.model.difference import within_union

DRIFT = 0.8  # share of the planned saving below which a topic is folded further
SECOND = 1_000_000
NEVER = 253_402_300_800 * SECOND  # the year 10000: later reconfigurations do not happen
LEAST = 0.01  # share of the space for a false range without measure, such as a single number


class SentMessages(NamedTuple):
    """Messages over a link; `planned` ones reconfigure entries, others follow directly from a change."""

    time: int
    link: int
    messages: int
    planned: bool


@dataclass(slots=True)
class _Entry:
    members: set[int] = field(default_factory=set)
    stale_members: dict[int, int] = field(default_factory=dict)  # number -> time of its end


@dataclass(slots=True)
class _Account:
    """The ski rental account of one cluster."""

    owed: float = 0.0  # expected false positives so far
    at: int = 0  # time of `owed`
    flow: float = 0.0  # expected false positives per microsecond
    price: int = 0  # messages of a reconfiguration
    version: int = 0
    decided: bool = False  # a reconfiguration is under way


class LiveTopic:
    """The clusters and folded entries of one topic."""

    def __init__(self, plan: Plan, start: FoldedTopic, forwarded: Mapping[int, np.ndarray]) -> None:
        """Start with the subscriptions `forwarded` by link."""
        self._plan, self._ranges, self._policy = plan, start.ranges, plan.policy
        topic = plan.subscriptions[int(start.ranges.numbers[0])].query.topic
        self._types = plan.topics[topic].fields
        self._published = plan.published[topic]
        self._foldable = frozenset(start.ranges.numbers[start.ranges.foldable].tolist())
        self.cluster_of: dict[int, int] = {}  # forwarded subscription -> its cluster
        self._entries: dict[int, dict[int, _Entry]] = {}  # link -> cluster -> entry
        self._links_of: dict[int, set[int]] = {}  # cluster -> links with an entry of it
        self._forwarded = np.zeros((len(plan.routes.source), len(start.ranges.numbers)), dtype=bool)  # [link, position]
        self._accounts: dict[int, _Account] = {}
        self._timers: list[tuple[int, int, int, bool]] = []  # time, cluster, version, whether it takes effect
        self.stale_members: list[StaleMember] = []  # of the past
        self._last_cluster = len(plan.subscriptions)
        clusters = start.ranges.numbers[start.folds.of].tolist()
        first = dict(zip(start.ranges.numbers.tolist(), clusters, strict=True))
        for link, numbers in forwarded.items():
            places = self._ranges.places(numbers)
            self._forwarded[link, places] = True
            for number in start.ranges.numbers[places].tolist():
                self.cluster_of[number] = first[number]
                self._entry(link, first[number]).members.add(number)
        # Link -> number of foldable subscriptions that are forwarded over it.
        self._foldable_count = self._forwarded[:, start.ranges.foldable].sum(axis=1)
        self.saved = sum(len(e.members) - 1 for entries in self._entries.values() for e in entries.values())
        self._planned_share = self._saved_share()

    def _entry(self, link: int, cluster: int) -> _Entry:
        self._links_of.setdefault(cluster, set()).add(link)
        return self._entries.setdefault(link, {}).setdefault(cluster, _Entry())

    def entries(self) -> dict[int, list[set[int]]]:
        """Link -> the members of each of its entries."""
        return {link: [e.members for e in found.values()] for link, found in self._entries.items() if found}

    def stale(self) -> dict[int, list[tuple[set[int], set[int]]]]:
        """Link -> members and stale members of each entry with stale members."""
        found: dict[int, list[tuple[set[int], set[int]]]] = {}
        for link, entries in self._entries.items():
            for entry in entries.values():
                if entry.stale_members:
                    found.setdefault(link, []).append((entry.members, set(entry.stale_members)))
        return found

    # Changes of subscriptions

    def change(self, messages: Iterable[Message], time: int) -> Iterator[SentMessages]:
        """Update the entries for the messages of one change, and yield the messages that are sent instead."""
        added: dict[int, set[int]] = {}  # link -> numbers
        removed: dict[int, set[int]] = {}
        for message in messages:
            mine, other = (removed, added) if message.withdrawn else (added, removed)
            if message.number in other.get(message.link, ()):
                other[message.link].discard(message.number)
            else:
                mine.setdefault(message.link, set()).add(message.number)
        for number in sorted({n for numbers in added.values() for n in numbers} - self.cluster_of.keys()):
            self.cluster_of[number] = self._choose_cluster(number, [link for link in added if number in added[link]])
        touched: set[int] = set()
        for link in sorted(added.keys() | removed.keys()):
            yield from self._change_on(link, added.get(link, set()), removed.get(link, set()), time, touched)
        for cluster in sorted(touched):
            self._update_account(cluster, time)
        yield from self._fold_further(time)

    def _change_on(
        self, link: int, added: set[int], removed: set[int], time: int, touched: set[int]
    ) -> Iterator[SentMessages]:
        before = {cluster: self._entries.get(link, {}).get(cluster) for cluster in self._clusters(added | removed)}
        self._forwarded[link, self._ranges.places(removed)] = False
        self._forwarded[link, self._ranges.places(added)] = True
        self._foldable_count[link] += len(added & self._foldable) - len(removed & self._foldable)
        for cluster, entry in sorted(before.items()):
            new = {n for n in added if self.cluster_of[n] == cluster}
            gone = {n for n in removed if self.cluster_of[n] == cluster}
            if entry is None:
                self._entry(link, cluster).members |= new
                self.saved += len(new) - 1
                yield SentMessages(time, link, 1, planned=False)
                continue
            free = all(self._fits(number, entry) for number in new)
            self.saved -= len(entry.members) - 1
            entry.members = (entry.members | new) - gone
            self.saved += max(len(entry.members) - 1, 0)
            for number in new:
                if number in entry.stale_members:
                    self._end_stale(number, link, entry.stale_members.pop(number), time)
            if not entry.members or not free:
                self._drop_stale(link, entry, time)
                yield SentMessages(time, link, 1, planned=False)
                if not entry.members:
                    self._drop(link, cluster)
            else:
                entry.stale_members |= dict.fromkeys(gone, time)
        # The change may shrink or extend the false range of another cluster's entry on the link.
        problem, places = self._ranges.problem, self._ranges.places
        changed = places(added | removed)
        for cluster, entry in self._entries.get(link, {}).items():
            if entry.stale_members and may_overlap(problem, changed, places(entry.stale_members)):
                touched.add(cluster)
        touched.update(before)

    def _clusters(self, numbers: set[int]) -> set[int]:
        return {self.cluster_of[number] for number in numbers}

    def _choose_cluster(self, number: int, links: list[int]) -> int:
        """Return the cluster for a new subscription: the one whose entries cover it on the most links.

        Candidates are the clusters on the link with the most entries. If none covers it, a message is needed anyway:
        if the topic saves less than its target, the subscription joins the most efficient overlapping cluster at no
        extra message. Otherwise it gets a cluster of its own.
        """
        if number in self._foldable:
            most = max(links, key=lambda link: (len(self._entries.get(link, ())), -link))
            entries = self._entries.get(most, {})
            covering = {cluster: 1 for cluster in entries if self._admits(number, most, cluster)}  # -> links
            for cluster in covering:
                covering[cluster] += sum(self._admits(number, link, cluster) for link in links if link != most)
            if covering:
                return min(covering, key=lambda cluster: (-covering[cluster], cluster))
            below_target = self.saved < self._target(len(links))
            if below_target and (best := self._most_efficient(number, links, entries)) is not None:
                return best
        self._last_cluster += 1
        return self._last_cluster

    def _most_efficient(self, number: int, links: list[int], entries: dict[int, _Entry]) -> int | None:
        """Return the overlapping cluster with the largest benefit per added cost."""
        problem, places = self._ranges.problem, self._ranges.places
        mine = places([number])
        found = []
        for cluster, entry in entries.items():
            if not entry.members <= self._foldable or not may_overlap(problem, mine, places(entry.members)):
                continue
            members = places({n for link in self._links_of[cluster] for n in self._entries[link][cluster].members})
            benefit = sum(cluster in self._entries.get(link, ()) for link in links)
            joined = np.append(members, mine)
            if not is_feasible(problem, joined):
                continue
            more = cost_of_many(problem, joined) - cost_of_many(problem, members)
            found.append((-inf if more <= 0 else -benefit / more, -benefit, cluster))
        return min(found)[2] if found else None

    def _admits(self, number: int, link: int, cluster: int) -> bool:
        """Return whether a new subscription can join a cluster on a link without a message."""
        entry = self._entries.get(link, {}).get(cluster)
        return entry is not None and len(entry.members) + len(entry.stale_members) > 1 and self._fits(number, entry)

    def _fits(self, number: int, entry: _Entry) -> bool:
        """Return whether an entry covers a subscription."""
        places = self._ranges.places(entry.members | entry.stale_members.keys())
        (mine,) = self._ranges.places([number]).tolist()
        return within_hull(self._ranges.problem, mine, places) and self._is_covered(mine, places)

    def _is_covered(self, place: int, others: np.ndarray) -> bool:
        """Return whether the union of other subscriptions covers one, by positions."""
        near = overlapping(self._ranges.problem, place, others)
        numbers = self._ranges.numbers[[place, *near.tolist()]].tolist()
        box, *boxes = (self._plan.subscriptions[number].query.box for number in numbers)
        return within_union(box, boxes, self._types)

    def _end_stale(self, number: int, link: int, since: int, until: int) -> None:
        if since < until:
            self.stale_members.append(StaleMember(number, link, since, until))

    def _drop_stale(self, link: int, entry: _Entry, time: int) -> None:
        """Remove the stale members of an entry that is sent again."""
        for number, since in entry.stale_members.items():
            self._end_stale(number, link, since, time)
        entry.stale_members.clear()

    def _drop(self, link: int, cluster: int) -> None:
        del self._entries[link][cluster]
        self._links_of[cluster].discard(link)
        if not self._links_of[cluster]:
            del self._links_of[cluster]

    # Reconfiguration

    def _stale_links(self, cluster: int) -> list[int]:
        return sorted(link for link in self._links_of.get(cluster, ()) if self._entries[link][cluster].stale_members)

    def _update_account(self, cluster: int, time: int) -> None:
        """Update the account of a cluster, and set the timer of its reconfiguration."""
        stale = self._stale_links(cluster)
        account = self._accounts.get(cluster)
        if account is None:
            if not stale:
                return
            account = self._accounts[cluster] = _Account()
        account.owed += account.flow * (time - account.at)
        account.at, account.price = time, len(stale)
        account.flow = sum(self.false_share(link, cluster) * self._publication_rate(link) for link in stale) / SECOND
        account.version += 1
        if not stale:
            del self._accounts[cluster]
        elif account.flow > 0 and not account.decided:
            wait = max(account.price - account.owed, 0.0) / account.flow
            if time + wait < NEVER:
                heapq.heappush(self._timers, (time + int(wait), cluster, account.version, False))

    def false_share(self, link: int, cluster: int) -> float:
        """Return the share of the topic's space that only stale members of an entry want on a link."""
        stale = self._ranges.places(self._entries[link][cluster].stale_members)
        forwarded = np.flatnonzero(self._forwarded[link])
        false = uncovered(self._ranges.problem, stale, forwarded)
        if false > 0:
            return min(false / self._ranges.space, 1.0)
        return 0.0 if all(self._is_covered(place, forwarded) for place in stale.tolist()) else LEAST

    def _publication_rate(self, link: int) -> float:
        """Return the publications per second towards a link, which is given in the direction of subscriptions."""
        routes = self._plan.routes
        source = routes.source[link]
        publishers = sum(count for root, count in self._published.items() if routes.link_of[source, root] == link)
        return self._policy.rate * publishers

    def finish(self) -> Iterator[SentMessages]:
        """Carry out all remaining reconfigurations; other stale members stay for good."""
        yield from self.until(NEVER)
        for link, entries in self._entries.items():
            for entry in entries.values():
                self._drop_stale(link, entry, NEVER)

    def until(self, time: int) -> Iterator[SentMessages]:
        """Carry out the reconfigurations that are due up to a time."""
        while self._timers and self._timers[0][0] <= time:
            when, cluster, version, takes_effect = heapq.heappop(self._timers)
            if takes_effect:
                yield from self._reconfigure(cluster, version, when)
                continue
            account = self._accounts.get(cluster)
            if account is not None and account.version == version:
                account.decided = True
                heapq.heappush(self._timers, (when + self._delay(cluster), cluster, when, True))

    def _delay(self, cluster: int) -> int:
        """Return the time until all brokers that fold a cluster know of a change."""
        members = {n for link in self._links_of[cluster] for n in self._entries[link][cluster].members}
        stale = {n for link in self._links_of[cluster] for n in self._entries[link][cluster].stale_members}
        return delay(self._ranges.problem, self._ranges.places(members | stale)) * self._policy.hop

    def _reconfigure(self, cluster: int, decided: int, time: int) -> Iterator[SentMessages]:
        """Send the cluster's entries again, without members that had ended at the time of the decision."""
        for link in self._stale_links(cluster):
            entry = self._entries[link][cluster]
            known = {number: since for number, since in entry.stale_members.items() if since <= decided}
            for number, since in known.items():
                self._end_stale(number, link, since, time)
                del entry.stale_members[number]
            if known:
                yield SentMessages(time, link, 1, planned=True)
        account = self._accounts.pop(cluster, None)
        if account is not None:
            self._update_account(cluster, time)

    # Further folding

    def _fold_further(self, time: int) -> Iterator[SentMessages]:
        """Fold the topic further if it saves much less than planned and than its target."""
        if self.saved >= DRIFT * min(self._planned_share * self._possible(), self._target()):
            return
        numbers = self._ranges.numbers
        here = np.flatnonzero(self._forwarded.any(axis=0))
        problem = self._ranges.with_links(
            (link, numbers[there]) for link, there in enumerate(self._forwarded) if there.any()
        )
        lowest: dict[int, int] = {}
        first = np.arange(len(numbers))
        for place in here.tolist():
            first[place] = lowest.setdefault(self.cluster_of[int(numbers[place])], place)
        found = fold_further(self._policy, problem, first).of
        joined: dict[int, set[int]] = {}  # new cluster, by lowest place -> the clusters in it
        for place in here.tolist():
            joined.setdefault(int(found[place]), set()).add(self.cluster_of[int(numbers[place])])
        for clusters in joined.values():
            if len(clusters) > 1:
                yield from self._join(sorted(clusters), time)
        self._planned_share = self._saved_share()

    def _possible(self) -> int:
        """Return the number of entries that one cluster of all subscriptions would save."""
        return int(np.maximum(self._foldable_count - 1, 0).sum())

    def _target(self, more: int = 0) -> float:
        """Return the number of entries to save if `more` subscriptions are forwarded."""
        return reachable(self._policy, self._possible() + more)

    def _saved_share(self) -> float:
        """Return the saved share of the possible saving; 1 if nothing can be saved."""
        return self.saved / possible if (possible := self._possible()) else 1.0

    def _join(self, clusters: list[int], time: int) -> Iterator[SentMessages]:
        """Join clusters; on shared links the new entry is sent before the old ones are removed."""
        keeps, *others = clusters
        for link in sorted({link for cluster in clusters for link in self._links_of.get(cluster, ())}):
            there = [cluster for cluster in clusters if cluster in self._entries[link]]
            self.saved += max(len(there) - 1, 0)
            entry = self._entry(link, keeps) if keeps not in there else self._entries[link][keeps]
            for cluster in there:
                if cluster != keeps:
                    entry.members |= self._entries[link][cluster].members
                    entry.stale_members |= self._entries[link][cluster].stale_members
                    self._drop(link, cluster)
            if len(there) > 1:
                later = time + self._delay(keeps)
                for number, since in entry.stale_members.items():
                    self._end_stale(number, link, since, later)
                entry.stale_members.clear()
                yield SentMessages(time, link, 1, planned=True)  # the new entry replaces the others
        for number, cluster in self.cluster_of.items():
            if cluster in others:
                self.cluster_of[number] = keeps
        for cluster in clusters:
            self._accounts.pop(cluster, None)
        self._update_account(keeps, time)


def live_topics(start: Folded) -> dict[str, LiveTopic]:
    """Topic -> its folded entries before the first change."""
    forwarded = start.spread.forwarded_over
    return {topic: LiveTopic(start.spread.plan, folded, forwarded) for topic, folded in start.topics.items()}
