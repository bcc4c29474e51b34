"""What happens to publications at once, on arrival: match, deliver to plain subscriptions, set the rest aside.

This part of the walk keeps no state and needs no order. A publication travels raw, once per link, to every broker
that has a plain subscription it matches (or one that must be fed raw, if one of its windows counts the publication);
what else it matches is held, by interest group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.false_positives import Crossings, FalsePositives
from sparing.flow.arrival.kernels import HELD, RAW, sort_out
from sparing.flow.arrival.matched import NO_MARK, Matched
from sparing.flow.arrival.pairs import Pairs
from sparing.flow.arrival.topic_index import TopicIndex
from sparing.flow.deliver.digest import PAYLOAD
from sparing.flow.interests import Interests
from sparing.flow.ledger import Ledger
from sparing.flow.rank.choose import Chooser, Chosen
from sparing.flow.windows.items import LinkItem, item_columns, item_values
from sparing.match.boxes import Boxes
from sparing.match.columns import Column
from sparing.model.bill import Bill, MessageKind
from sparing.model.types import STRING

MOST_PAIRS = 1 << 22  # matches that are worked through at once


@dataclass(frozen=True)
class Arrival:
    """What publications gave rise to at once: all of a batch, or so many that there are not too many matches.

    `plain` are the plain deliveries; `held` has what waits, by group; `sent` are the items for brokers that are hosted
    elsewhere.
    """

    publications: Publications
    plain: Pairs
    held: dict[str, Matched]
    bill: Bill
    sent: list[LinkItem]


class AtOnce:
    """Settings and indexes for one plan (or those of its brokers that are hosted here); nothing changes by use."""

    def __init__(self, interests: Interests, hosted: Iterable[str] | None = None, before: AtOnce | None = None) -> None:
        """`before` is for an earlier plan; its indexes are taken over, so it cannot be used any more."""
        self._interests = interests
        self._before = {} if before is None else before.indexes
        self.indexes: dict[str, TopicIndex] = {}  # by topic, those that were asked for so far
        routes = interests.plan.routes
        here = set(routes.brokers if hosted is None else hosted)
        self._hosted = np.array([broker in here for broker in routes.brokers], dtype=bool)
        self._reached = None if self._hosted.all() else routes.within(self._hosted)
        self._apart = bool((routes.hops < 0).any())
        self._chooser = Chooser(interests.plan)
        self._false = FalsePositives(interests)
        self._hurries: dict[str, tuple[Boxes, np.ndarray]] = {}

    def arrive(self, publications: Publications) -> Iterator[Arrival]:
        """Match one batch and work through it."""
        for found in self.matches(publications):
            in_force, chosen = self._choose(publications, found)
            false = self._false.crossings(publications, found, in_force)
            yield self._dispatch(publications, chosen.pairs, chosen.asked, false)

    def arrive_whole(self, publications: Publications, only_here: bool) -> Iterator[Arrival]:
        """Work through merged events, which only those get who compute with them (`only_here`: at the same broker)."""
        held, broker_of = self._interests.held, self._interests.plan.broker_of
        for found in self.matches(publications):
            mine = self._in_force(publications, found.only(held[found.subscriptions]))
            if only_here:
                mine = mine.only(broker_of[mine.subscriptions] == publications.at[mine.rows])
            yield self._dispatch(publications, mine)

    def chosen(self, publications: Publications) -> Iterator[tuple[Pairs, Chosen]]:
        """The matches of one batch that are in force, in parts, and those of them that are chosen."""
        for found in self.matches(publications):
            yield self._choose(publications, found)

    def _choose(self, publications: Publications, found: Pairs) -> tuple[Pairs, Chosen]:
        in_force = self._in_force(publications, found)
        return in_force, self._chooser.choose(publications, in_force)

    def matches(self, publications: Publications) -> Iterator[Pairs]:
        """The matches of one batch, in parts."""
        return self._index(publications.topic).match(publications.columns, len(publications), MOST_PAIRS)

    def _index(self, topic: str) -> TopicIndex:
        if topic not in self.indexes:
            self.indexes[topic] = TopicIndex(self._interests.plan, topic, self._before.pop(topic, None))
        return self.indexes[topic]

    def receive(self, items: Sequence[LinkItem]) -> list[Arrival]:
        """Work through raw publications that crossed a link to a broker here on arrival, by topic."""
        number = {subscription.id: n for n, subscription in enumerate(self._interests.plan.subscriptions)}
        by_topic: dict[str, list[LinkItem]] = {}
        for item in items:
            topic = self._interests.plan.subscriptions[number[item.wanted[0]]].query.topic
            by_topic.setdefault(topic, []).append(item)
        arrivals = []
        for topic, found in by_topic.items():
            wanted = [sorted(number[subscription] for subscription in item.wanted) for item in found]
            rows = np.repeat(np.arange(len(found)), [len(w) for w in wanted])
            subscriptions = np.array([number for w in wanted for number in w], dtype=np.int64)
            arrivals.append(self._dispatch(self._from_items(topic, found), Pairs.of(rows, subscriptions)))
        return arrivals

    def _from_items(self, topic: str, items: Sequence[LinkItem]) -> Publications:
        types = {field: self._interests.plan.topics[topic].fields[field] for field in self._held_fields(topic)}
        return Publications(
            topic,
            np.array([item.time for item in items], dtype=np.int64),
            np.array([item.id for item in items], dtype=object),
            np.array([item.publisher for item in items], dtype=object),
            np.array([self._interests.plan.routes.number[item.target] for item in items], dtype=np.int32),
            item_columns(items, types),
            np.array([item.payload for item in items], dtype=object),
        )

    def _held_fields(self, topic: str) -> list[str]:
        return [field for field in self._interests.fields[topic] if field != PAYLOAD]

    def _dispatch(
        self,
        publications: Publications,
        pairs: Pairs,
        asked: Pairs | None = None,
        false: Crossings | None = None,
    ) -> Arrival:
        """Deliver to plain subscriptions, send raw where it must go, set aside what is held.

        `asked` are the matches that brokers had to count before they could be fair to all; `false` are crossings for
        nobody, which are billed where publications are made.
        """
        plan = self._interests.plan
        ledger = Ledger(plan)
        if asked is not None:
            ledger.ask(asked, publications.at, publications.time)
        if false is not None:
            for kind in (MessageKind.PUBLICATION, MessageKind.FALSE_POSITIVE):
                ledger.cross_many(false.links, kind, publications.time[false.rows])
        (plain, held), goal_rows, goals = self._sorted_out(publications, pairs)
        sent: list[LinkItem] = []
        if self._reached is None:
            ledger.cross_to(goal_rows, goals, publications.at, publications.time)
        else:
            plain = plain.only(self._reached[publications.at[plain.rows], plan.broker_of[plain.subscriptions]])
            crossing_rows, links = plan.routes.crossings(goal_rows, publications.at[goal_rows], goals, self._hosted)
            ledger.cross_many(links, MessageKind.PUBLICATION, publications.time[crossing_rows])
            sent = self._leaving(publications, pairs, crossing_rows, links)
        ledger.notify_many(plain, publications.time)
        waiting = self._by_group(publications, held.without_empty(), goal_rows, goals)
        return Arrival(publications, plain, waiting, ledger.bill(), sent)

    def _sorted_out(
        self, publications: Publications, pairs: Pairs
    ) -> tuple[tuple[Pairs, Pairs], np.ndarray, np.ndarray]:
        """Plain and held pairs, and the rows and brokers that must be reached raw.

        An urgent publication counts as plain. One in a gap between sampling windows is held, but not sent.
        """
        interests, plan = self._interests, self._interests.plan
        flags, broker_of, which = interests.flags, plan.broker_of, pairs.subscriptions
        count = len(flags)
        urgent, idle = self._urgent(publications, pairs), self._idle(publications, pairs)
        if urgent is not None or idle is not None:  # those pairs are with doubles of their subscriptions
            double = np.zeros(len(pairs), dtype=which.dtype)
            if idle is not None:
                double[idle] = 2
            if urgent is not None:
                double[urgent] = 1
            which = which + double * count
            flags = np.concatenate([flags, np.full(count, RAW), flags & HELD]).astype(flags.dtype)
            broker_of = np.tile(broker_of, 3)
        found = sort_out(pairs.events, pairs.starts, which, flags, broker_of, len(plan.routes.brokers))
        plain, held = (Pairs(pairs.events, *part) for part in found[:2])
        if len(flags) > count:
            plain, held = (Pairs(some.events, some.starts, some.subscriptions % count) for some in (plain, held))
        return (plain, held), *found[2]

    def _idle(self, publications: Publications, pairs: Pairs) -> np.ndarray | None:
        """Which pairs no window counts; None if there are none."""
        if not self._interests.sampling:
            return None
        idle = ~self._interests.counted(pairs.subscriptions, publications.time[pairs.rows])
        return idle if idle.any() else None

    def _urgent(self, publications: Publications, pairs: Pairs) -> np.ndarray | None:
        """Which pairs do not wait for the end of a cycle; None if none of them could."""
        waits = self._interests.urgent[pairs.subscriptions]
        if not waits.any():
            return None
        places = np.flatnonzero(waits)
        rows = publications.take(pairs.rows[places])
        urgent = np.zeros(len(pairs), dtype=bool)
        boxes, number = self._hurry(publications.topic)
        urgent[places] = boxes.admit(rows.columns, number[pairs.subscriptions[places]])
        return urgent

    def _hurry(self, topic: str) -> tuple[Boxes, np.ndarray]:
        """What is urgent to a topic's subscriptions, and subscription -> the number of its box."""
        if topic not in self._hurries:
            plan = self._interests.plan
            mine = [n for n in plan.by_topic[topic].tolist() if self._interests.urgent[n]]
            number = np.full(len(plan.subscriptions), -1, dtype=np.int64)
            number[mine] = np.arange(len(mine))
            boxes = [box for n in mine if (box := plan.subscriptions[n].urgent) is not None]
            self._hurries[topic] = Boxes(plan.topics[topic].fields, boxes), number
        return self._hurries[topic]

    def _leaving(
        self,
        publications: Publications,
        pairs: Pairs,
        crossing_rows: np.ndarray,
        links: np.ndarray,
    ) -> list[LinkItem]:
        """The raw publications that cross to brokers hosted elsewhere, with the subscriptions beyond."""
        plan, routes = self._interests.plan, self._interests.plan.routes
        away = ~self._hosted[routes.target[links]]
        items = []
        fields = self._held_fields(publications.topic)
        for row, link in zip(crossing_rows[away].tolist(), links[away].tolist(), strict=True):
            mine = pairs.subscriptions[pairs.rows == row]
            goals, at = plan.broker_of[mine], publications.at[row]
            is_beyond = routes.link_of[routes.source[link], goals] == link
            beyond = mine[is_beyond & routes.passes(at, routes.source[link], goals)]
            items.append(
                LinkItem(
                    *routes.ends(link),
                    sent=int(publications.time[row]),
                    id=publications.id[row],
                    publisher=publications.publisher[row],
                    time=int(publications.time[row]),
                    wanted=tuple(plan.subscriptions[number].id for number in beyond),
                    values=item_values({field: publications.columns[field] for field in fields}, row),
                    payload=publications.texts[row],
                )
            )
        return items

    def _in_force(self, publications: Publications, found: Pairs) -> Pairs:
        """Those pairs that are in force at the publication's time.

        Where the overlay falls apart, subscriptions that no path leads to do not count as matching.
        """
        if self._apart:
            plan = self._interests.plan
            hops = plan.routes.hops[publications.at[found.rows], plan.broker_of[found.subscriptions]]
            found = found.only(hops >= 0)
        if self._interests.changing:
            first, last = self._interests.valid
            times = publications.time[found.rows]
            found = found.only((first[found.subscriptions] <= times) & (times < last[found.subscriptions]))
        return found

    def _by_group(
        self, publications: Publications, held: Pairs, goal_rows: np.ndarray, goals: np.ndarray
    ) -> dict[str, Matched]:
        if not len(held):
            return {}
        names, group_of = self._interests.groups
        everything = _held(publications, self._interests, held, goal_rows, goals)
        # A publication lies in one group only, so its first subscription tells which.
        group_of_row = group_of[held.subscriptions[held.starts[:-1]]]
        return {names[group]: everything.take(held.events[group_of_row == group]) for group in np.unique(group_of_row)}


def _held(
    publications: Publications,
    interests: Interests,
    held: Pairs,
    goal_rows: np.ndarray,
    goals: np.ndarray,
) -> Matched:
    fields = interests.carried[publications.topic]
    columns = {field: publications.columns[field] for field in fields if field != PAYLOAD}
    if PAYLOAD in fields:
        columns[PAYLOAD] = Column(STRING, publications.texts, np.ones(len(publications), dtype=bool))
    none = np.full(len(publications), NO_MARK, dtype=np.int64)
    return Matched(
        publications.time,
        publications.id,
        publications.publisher,
        publications.at,
        columns,
        held.rows,
        held.subscriptions,
        goal_rows,
        goals,
        none,
        none,
    )
