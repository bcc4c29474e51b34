"""Folded entries while subscriptions come and go.

An entry is what a cluster's members have in common on one link: it attracts the union of their boxes.

- Who comes and lies in what an entry advertises already joins without a message. Else it must be told, alone or by
  telling an entry anew.
- Who leaves may leave a **false range**: the entry still attracts what only it wanted, and that is dropped where the
  cluster is folded. The ranges of those that left, the entry's **stale_members**, stay until the entry is told anew.
- Leaves are batched by ski rental: a cluster is reconfigured once the false publications that it is expected to have
  attracted are as many as the messages that reconfiguring takes. A report takes time for every hop, so the new
  entries are in force later by the cluster's delay.
- Where folding saves much less of what is possible than planned, the topic is folded further, starting from its
  clusters. A new entry is told in one message and takes the place of old ones, which go a little later.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

import numpy as np

from sparing.control.folding.covered import cost_of_many, quick
from sparing.control.folding.fold import fold_further, reachable
from sparing.control.folding.measures import delay
from sparing.control.folding.uncovered import meet, touching, uncovered, within_hull
from sparing.control.plan import Plan
from sparing.control.routing.folded import Folded, FoldedTopic
from sparing.control.routing.network import Message
from sparing.control.routing.stale_members import StaleMember
from sparing.model.difference import within_union

DRIFT = 0.8  # share of the planned saving below which a topic is folded further
SECOND = 1_000_000
NEVER = 253_402_300_800 * SECOND  # the year 10000: what would be decided later than that is not
LEAST = 0.01  # share of the space that counts if what is attracted in vain has no measure, like single numbers


class SentMessages(NamedTuple):
    """Messages over a link; reconfigurations are `planned` by the control plane, others follow from a change."""

    time: int
    link: int
    messages: int
    planned: bool


@dataclass(slots=True)
class _Entry:
    members: set[int] = field(default_factory=set)
    stale_members: dict[int, int] = field(default_factory=dict)  # number -> since when


@dataclass(slots=True)
class _Account:
    """The ski rental of one cluster: what it owes at a time, and what it comes to owe, in messages."""

    owed: float = 0.0
    at: int = 0
    flow: float = 0.0  # messages a microsecond
    price: int = 0
    version: int = 0
    decided: bool = False  # to reconfigure, which has not taken effect yet


class LiveTopic:
    """The clusters and entries of one topic."""

    def __init__(self, plan: Plan, start: FoldedTopic, told: Mapping[int, np.ndarray]) -> None:
        """`told` has, for links, the numbers of subscriptions that are told there at the start."""
        self._plan, self._ground, self._policy = plan, start.ground, plan.policy
        topic = plan.subscriptions[int(start.ground.numbers[0])].query.topic
        self._types = plan.topics[topic].fields
        self._published = plan.published[topic]
        self._foldable = frozenset(start.ground.numbers[start.ground.foldable].tolist())
        self.cluster_of: dict[int, int] = {}  # subscription -> its cluster, for those that are told somewhere
        self._entries: dict[int, dict[int, _Entry]] = {}  # link -> cluster -> entry
        self._links_of: dict[int, set[int]] = {}  # cluster -> links with an entry of it
        self._there = np.zeros((len(plan.routes.source), len(start.ground.numbers)), dtype=bool)  # who is told, by link
        self._accounts: dict[int, _Account] = {}
        self._clock: list[tuple[int, int, int, bool]] = []  # when, cluster, version, whether it takes effect
        self.stale_members: list[StaleMember] = []  # those that are over
        self._next = len(plan.subscriptions)  # the last name of a cluster
        clusters = start.ground.numbers[start.folds.of].tolist()
        first = dict(zip(start.ground.numbers.tolist(), clusters, strict=True))
        for link, numbers in told.items():
            places = self._ground.places(numbers)
            self._there[link, places] = True
            for number in start.ground.numbers[places].tolist():
                self.cluster_of[number] = first[number]
                self._entry(link, first[number]).members.add(number)
        # How many are told over each link that could be folded; and the entries that folding saves.
        self._told = self._there[:, start.ground.foldable].sum(axis=1)
        self.saved = sum(len(e.members) - 1 for entries in self._entries.values() for e in entries.values())
        self._share = self._shares()

    def _entry(self, link: int, cluster: int) -> _Entry:
        self._links_of.setdefault(cluster, set()).add(link)
        return self._entries.setdefault(link, {}).setdefault(cluster, _Entry())

    def entries(self) -> dict[int, list[set[int]]]:
        """Link -> the members of each entry told over it."""
        return {link: [e.members for e in found.values()] for link, found in self._entries.items() if found}

    def stale(self) -> dict[int, list[tuple[set[int], set[int]]]]:
        """Link -> members and stale_members of each entry that still stands for somebody who is not told any more."""
        found: dict[int, list[tuple[set[int], set[int]]]] = {}
        for link, entries in self._entries.items():
            for entry in entries.values():
                if entry.stale_members:
                    found.setdefault(link, []).append((entry.members, set(entry.stale_members)))
        return found

    # What happens

    def change(self, messages: Iterable[Message], time: int) -> Iterator[SentMessages]:
        """Subscriptions are told over links or withdrawn, all because of one change; what is sent instead."""
        added: dict[int, set[int]] = {}  # link -> numbers
        removed: dict[int, set[int]] = {}
        for message in messages:
            mine, other = (removed, added) if message.withdrawn else (added, removed)
            if message.number in other.get(message.link, ()):
                other[message.link].discard(message.number)
            else:
                mine.setdefault(message.link, set()).add(message.number)
        for number in sorted({n for numbers in added.values() for n in numbers} - self.cluster_of.keys()):
            self.cluster_of[number] = self._cluster_for(number, [link for link in added if number in added[link]])
        touched: set[int] = set()
        for link in sorted(added.keys() | removed.keys()):
            yield from self._change_on(link, added.get(link, set()), removed.get(link, set()), time, touched)
        for cluster in sorted(touched):
            self._reckon(cluster, time)
        yield from self._fold_further(time)

    def _change_on(
        self, link: int, added: set[int], removed: set[int], time: int, touched: set[int]
    ) -> Iterator[SentMessages]:
        before = {cluster: self._entries.get(link, {}).get(cluster) for cluster in self._clusters(added | removed)}
        self._there[link, self._ground.places(removed)] = False
        self._there[link, self._ground.places(added)] = True
        self._told[link] += len(added & self._foldable) - len(removed & self._foldable)
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
                    self._over(number, link, entry.stale_members.pop(number), time)
            if not entry.members or not free:
                self._exorcise(link, entry, time)
                yield SentMessages(time, link, 1, planned=False)
                if not entry.members:
                    self._drop(link, cluster)
            else:
                entry.stale_members |= dict.fromkeys(gone, time)
        # Who is told here may want what an entry of another cluster attracts in vain, or want it no more.
        changed = self._ground.places(added | removed)
        for cluster, entry in self._entries.get(link, {}).items():
            if entry.stale_members and meet(self._ground.problem, changed, self._ground.places(entry.stale_members)):
                touched.add(cluster)
        touched.update(before)

    def _clusters(self, numbers: set[int]) -> set[int]:
        return {self.cluster_of[number] for number in numbers}

    def _cluster_for(self, number: int, links: list[int]) -> int:
        """The cluster that a newcomer joins: one whose entries have room for it, on as many links as can be.

        Clusters come together on their way, so they are looked for where there are most. Without room anywhere it has
        to be told; if the topic saves less than asked for, that is when it joins the most efficient one of those that
        it overlaps, which takes no message more. Else it has a cluster of its own.
        """
        if number in self._foldable:
            most = max(links, key=lambda link: (len(self._entries.get(link, ())), -link))
            there = self._entries.get(most, {})
            rooms = {cluster: 1 for cluster in there if self._has_room(number, most, cluster)}
            for cluster in rooms:
                rooms[cluster] += sum(self._has_room(number, link, cluster) for link in links if link != most)
            if rooms:
                return min(rooms, key=lambda cluster: (-rooms[cluster], cluster))
            wanting = self.saved < self._asked(len(links))
            if wanting and (best := self._most_efficient(number, links, there)) is not None:
                return best
        self._next += 1
        return self._next

    def _most_efficient(self, number: int, links: list[int], there: dict[int, _Entry]) -> int | None:
        """Of the clusters that a newcomer overlaps, the one with the largest benefit for its incremental cost."""
        problem, places = self._ground.problem, self._ground.places
        mine = places([number])
        found = []
        for cluster, entry in there.items():
            if not entry.members <= self._foldable or not meet(problem, mine, places(entry.members)):
                continue
            members = places({n for link in self._links_of[cluster] for n in self._entries[link][cluster].members})
            benefit = sum(cluster in self._entries.get(link, ()) for link in links)
            everybody = np.append(members, mine)
            if not quick(problem, everybody):
                continue
            more = cost_of_many(problem, everybody) - cost_of_many(problem, members)
            found.append((-inf if more <= 0 else -benefit / more, -benefit, cluster))
        return min(found)[2] if found else None

    def _has_room(self, number: int, link: int, cluster: int) -> bool:
        """Whether a newcomer could join a cluster on a link without a message."""
        entry = self._entries.get(link, {}).get(cluster)
        return entry is not None and len(entry.members) + len(entry.stale_members) > 1 and self._fits(number, entry)

    def _fits(self, number: int, entry: _Entry) -> bool:
        """Whether what a subscription wants lies in what an entry advertises."""
        places = self._ground.places(entry.members | entry.stale_members.keys())
        (mine,) = self._ground.places([number]).tolist()
        return within_hull(self._ground.problem, mine, places) and self._lies_in(mine, places)

    def _lies_in(self, place: int, others: np.ndarray) -> bool:
        """Whether what one wants lies in what others want together, by places."""
        near = touching(self._ground.problem, place, others)
        numbers = self._ground.numbers[[place, *near.tolist()]].tolist()
        box, *boxes = (self._plan.subscriptions[number].query.box for number in numbers)
        return within_union(box, boxes, self._types)

    def _over(self, number: int, link: int, since: int, until: int) -> None:
        if since < until:
            self.stale_members.append(StaleMember(number, link, since, until))

    def _exorcise(self, link: int, entry: _Entry, time: int) -> None:
        """The entry is told anew, so its stale_members are gone."""
        for number, since in entry.stale_members.items():
            self._over(number, link, since, time)
        entry.stale_members.clear()

    def _drop(self, link: int, cluster: int) -> None:
        del self._entries[link][cluster]
        self._links_of[cluster].discard(link)
        if not self._links_of[cluster]:
            del self._links_of[cluster]

    # When to reconfigure

    def _stale_links(self, cluster: int) -> list[int]:
        return sorted(link for link in self._links_of.get(cluster, ()) if self._entries[link][cluster].stale_members)

    def _reckon(self, cluster: int, time: int) -> None:
        """Work out anew what a cluster comes to owe, and when that is too much."""
        stale = self._stale_links(cluster)
        account = self._accounts.get(cluster)
        if account is None:
            if not stale:
                return
            account = self._accounts[cluster] = _Account()
        account.owed += account.flow * (time - account.at)
        account.at, account.price = time, len(stale)
        account.flow = sum(self.false_share(link, cluster) * self._expected(link) for link in stale) / SECOND
        account.version += 1
        if not stale:
            del self._accounts[cluster]
        elif account.flow > 0 and not account.decided:
            wait = max(account.price - account.owed, 0.0) / account.flow
            if time + wait < NEVER:
                heapq.heappush(self._clock, (time + int(wait), cluster, account.version, False))

    def false_share(self, link: int, cluster: int) -> float:
        """The share of the topic's space that an entry attracts in vain, though nobody told over the link wants it."""
        stale_members, there = self._entries[link][cluster].stale_members, np.flatnonzero(self._there[link])
        false = uncovered(self._ground.problem, self._ground.places(stale_members), there)
        if false > 0:
            return min(false / self._ground.space, 1.0)
        return (
            0.0 if all(self._lies_in(place, there) for place in self._ground.places(stale_members).tolist()) else LEAST
        )

    def _expected(self, link: int) -> float:
        """Publications a second that come to a link, given in the direction of subscriptions."""
        routes = self._plan.routes
        source = routes.source[link]
        publishers = sum(count for root, count in self._published.items() if routes.link_of[source, root] == link)
        return self._policy.rate * publishers

    def finish(self) -> Iterator[SentMessages]:
        """Reconfigure all that will ever be; other stale_members stay for good."""
        yield from self.until(NEVER)
        for link, entries in self._entries.items():
            for entry in entries.values():
                self._exorcise(link, entry, NEVER)

    def until(self, time: int) -> Iterator[SentMessages]:
        """Reconfigure what is due up to a time."""
        while self._clock and self._clock[0][0] <= time:
            when, cluster, version, takes_effect = heapq.heappop(self._clock)
            if takes_effect:
                yield from self._reconfigure(cluster, version, when)
                continue
            account = self._accounts.get(cluster)
            if account is not None and account.version == version:
                account.decided = True
                heapq.heappush(self._clock, (when + self._delay(cluster), cluster, when, True))

    def _delay(self, cluster: int) -> int:
        """How long it takes until all brokers that fold a cluster know of a change."""
        there = {n for link in self._links_of[cluster] for n in self._entries[link][cluster].members}
        gone = {n for link in self._links_of[cluster] for n in self._entries[link][cluster].stale_members}
        return delay(self._ground.problem, self._ground.places(there | gone)) * self._policy.hop

    def _reconfigure(self, cluster: int, decided: int, time: int) -> Iterator[SentMessages]:
        """Tell the cluster's entries anew, without those that had left when that was decided."""
        for link in self._stale_links(cluster):
            entry = self._entries[link][cluster]
            known = {number: since for number, since in entry.stale_members.items() if since <= decided}
            for number, since in known.items():
                self._over(number, link, since, time)
                del entry.stale_members[number]
            if known:
                yield SentMessages(time, link, 1, planned=True)
        account = self._accounts.pop(cluster, None)
        if account is not None:
            self._reckon(cluster, time)

    # When to fold anew

    def _fold_further(self, time: int) -> Iterator[SentMessages]:
        """Fold the topic further if it saves much less than planned, and than asked for, of what is possible now."""
        if self.saved >= DRIFT * min(self._share * self._possible(), self._asked()):
            return
        numbers = self._ground.numbers
        here = np.flatnonzero(self._there.any(axis=0))
        problem = self._ground.told((link, numbers[there]) for link, there in enumerate(self._there) if there.any())
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
        self._share = self._shares()

    def _possible(self) -> int:
        """The entries that could be saved: every link would carry one."""
        return int(np.maximum(self._told - 1, 0).sum())

    def _asked(self, more: int = 0) -> float:
        """The entries that are to be saved, if so many more are told."""
        return reachable(self._policy, self._possible() + more)

    def _shares(self) -> float:
        """The share of the entries possible that is saved; all, if there are none."""
        return self.saved / possible if (possible := self._possible()) else 1.0

    def _join(self, clusters: list[int], time: int) -> Iterator[SentMessages]:
        """Make some clusters one; where they share a link, the new entry is told before the old ones go."""
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
                    self._over(number, link, since, later)
                entry.stale_members.clear()
                yield SentMessages(time, link, 1, planned=True)  # the new entry takes the place of the others
        for number, cluster in self.cluster_of.items():
            if cluster in others:
                self.cluster_of[number] = keeps
        for cluster in clusters:
            self._accounts.pop(cluster, None)
        self._reckon(keeps, time)


def live_topics(start: Folded) -> dict[str, LiveTopic]:
    """The topics of a plan that are folded, before the first change."""
    told = start.spread.told_over
    return {topic: LiveTopic(start.spread.plan, folded, told) for topic, folded in start.topics.items()}
