"""Processing on arrival: match publications, deliver them to plain subscriptions, and hold them for windows.

This part of the walk keeps no state and needs no order. A publication travels raw, once per link, to every broker with
a matching plain subscription, or with a window that counts it and needs raw publications. For other matches it is held,
by interest group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.false_positives import Crossings, FalsePositives
from sparing.flow.arrival.kernels import brokers_in, split_matches
from sparing.flow.arrival.matched import Matched
from sparing.flow.arrival.pairs import Pairs
from sparing.flow.arrival.topic_index import TopicIndex
from sparing.flow.interests import Interests
from sparing.flow.ledger import Ledger, no_brokers
from sparing.flow.rank.choose import Chooser, Chosen
from sparing.flow.windows.items import LinkItem, item_columns, item_values
from sparing.match.boxes import Boxes
from sparing.model.bill import Bill, MessageKind

MOST_PAIRS = 1 << 22  # matches processed at a time


@dataclass(frozen=True)
class Arrival:
    """The output for a batch of publications, or for a part of it with at most `MOST_PAIRS` matches.

    `plain` are the plain deliveries, `held` the held publications by key (`Interests.keys`), `sent` the items for
    brokers hosted by other processes.
    """

    publications: Publications
    plain: Pairs
    held: dict[str, Matched]
    bill: Bill
    sent: list[LinkItem]


class AtOnce:
    """Processing on arrival for one plan, at all brokers or those hosted by this process; stateless."""

    def __init__(self, interests: Interests, hosted: Iterable[str] | None = None, before: AtOnce | None = None) -> None:
        """Build it; `before`, of an earlier plan, hands over its indexes and is unusable afterwards."""
        self._interests = interests
        self._before = {} if before is None else before.indexes
        self.indexes: dict[str, TopicIndex] = {}  # by topic, built on first use
        routes = interests.plan.routes
        here = set(routes.brokers if hosted is None else hosted)
        self._hosted = np.array([broker in here for broker in routes.brokers], dtype=bool)
        self._reached = None if self._hosted.all() else routes.within(self._hosted)
        self._disconnected = bool((routes.hops < 0).any())
        self._chooser = Chooser(interests.plan)
        self._false_positives = FalsePositives(interests)
        self._urgent_boxes: dict[str, tuple[Boxes, np.ndarray]] = {}

    def arrive(self, publications: Publications) -> Iterator[Arrival]:
        """Match a batch and process it."""
        for matches in self.matches(publications):
            in_force, chosen = self._choose(publications, matches)
            false = self._false_positives.crossings(publications, matches, in_force)
            yield self._dispatch(publications, chosen.pairs, chosen.count_requests, false)

    def arrive_whole(self, publications: Publications, only_here: bool) -> Iterator[Arrival]:
        """Process closed merged events, which only aggregate subscriptions get (`only_here`: at the same broker)."""
        held, broker_of = self._interests.held, self._interests.plan.broker_of
        for matches in self.matches(publications):
            pairs = self._in_force(publications, matches.only(held[matches.subscriptions]))
            if only_here:
                pairs = pairs.only(broker_of[pairs.subscriptions] == publications.at[pairs.rows])
            yield self._dispatch(publications, pairs)

    def chosen(self, publications: Publications) -> Iterator[tuple[Pairs, Chosen]]:
        """Return the matches of a batch that are in force, in parts, and the chosen ones among them."""
        for matches in self.matches(publications):
            yield self._choose(publications, matches)

    def _choose(self, publications: Publications, matches: Pairs) -> tuple[Pairs, Chosen]:
        in_force = self._in_force(publications, matches)
        return in_force, self._chooser.choose(publications, in_force)

    def matches(self, publications: Publications) -> Iterator[Pairs]:
        """Return the matches of a batch, in parts."""
        return self._index(publications.topic).match(publications.columns, len(publications), MOST_PAIRS)

    def _index(self, topic: str) -> TopicIndex:
        if topic not in self.indexes:
            self.indexes[topic] = TopicIndex(self._interests.plan, topic, self._before.pop(topic, None))
        return self.indexes[topic]

    def receive(self, items: Sequence[LinkItem]) -> list[Arrival]:
        """Process raw publications from other processes, by topic."""
        number = {subscription.id: n for n, subscription in enumerate(self._interests.plan.subscriptions)}
        by_topic: dict[str, list[LinkItem]] = {}
        for item in items:
            topic = self._interests.plan.subscriptions[number[item.wanted[0]]].query.topic
            by_topic.setdefault(topic, []).append(item)
        arrivals = []
        for topic, on_topic in by_topic.items():
            wanted = [sorted(number[subscription] for subscription in item.wanted) for item in on_topic]
            rows = np.repeat(np.arange(len(on_topic)), [len(w) for w in wanted])
            subscriptions = np.array([number for w in wanted for number in w], dtype=np.int64)
            arrivals.append(self._dispatch(self._from_items(topic, on_topic), Pairs.of(rows, subscriptions)))
        return arrivals

    def _from_items(self, topic: str, items: Sequence[LinkItem]) -> Publications:
        return Publications(
            topic=topic,
            time=np.array([item.time for item in items], dtype=np.int64),
            id=[item.id for item in items],
            publisher=[item.publisher for item in items],
            at=np.array([self._interests.plan.routes.number[item.target] for item in items], dtype=np.int32),
            columns=item_columns(items, self._interests.plan.topics[topic].fields),
        )

    def _dispatch(
        self,
        publications: Publications,
        pairs: Pairs,
        count_requests: Pairs | None = None,
        false: Crossings | None = None,
    ) -> Arrival:
        """Deliver to plain subscriptions, send raw publications, and hold the others.

        `count_requests` are the matches that brokers counted for an exactly fair choice. `false` are false positives;
        the process of the publisher's broker bills them.
        """
        plan = self._interests.plan
        ledger = Ledger(plan)
        if count_requests is not None:
            ledger.request_counts(count_requests, publications.at, publications.time)
        if false is not None:
            for kind in (MessageKind.PUBLICATION, MessageKind.FALSE_POSITIVE):
                ledger.cross_many(false.links, kind, publications.time[false.rows])
        plain, held, raw = self._split(publications, pairs)
        sent: list[LinkItem] = []
        if self._reached is None:
            ledger.cross_to(raw, publications.at, publications.time)
        else:
            plain = plain.only(self._reached[publications.at[plain.rows], plan.broker_of[plain.subscriptions]])
            rows, goals = brokers_in(raw)
            crossing_rows, links = plan.routes.crossings(rows, publications.at[rows], goals, self._hosted)
            ledger.cross_many(links, MessageKind.PUBLICATION, publications.time[crossing_rows])
            sent = self._outgoing(publications, pairs, crossing_rows, links)
        ledger.notify_many(plain, publications.time)
        held_by_key = self._by_key(publications, held.without_empty(), raw)
        return Arrival(publications=publications, plain=plain, held=held_by_key, bill=ledger.bill(), sent=sent)

    def _split(self, publications: Publications, pairs: Pairs) -> tuple[Pairs, Pairs, np.ndarray]:
        """Return plain and held pairs, and the brokers to reach with the raw publication, as bits.

        An urgent publication counts as plain. One in a gap between sampling windows is held, but not sent.
        """
        interests, plan = self._interests, self._interests.plan
        held, bits, word, which = interests.held, *interests.raw_bits, pairs.subscriptions
        count = len(held)
        urgent, in_gap = self._urgent(publications, pairs), self._in_gap(publications, pairs)
        if urgent is not None or in_gap is not None:  # such pairs get a copy of their subscription
            copy = np.zeros(len(pairs), dtype=which.dtype)
            if in_gap is not None:
                copy[in_gap] = 2
            if urgent is not None:
                copy[urgent] = 1
            which = which + copy * count
            held, word = np.concatenate([held, np.zeros(count, bool), held]), np.tile(word, 3)
            of_broker = np.uint64(1) << (plan.broker_of % 64).astype(np.uint64)
            bits = np.concatenate([bits, of_broker, np.zeros(count, np.uint64)])
        raw = no_brokers(len(publications), plan)
        split = split_matches(pairs.events, pairs.starts, which, held, bits, word, raw)
        parts = [Pairs(pairs.events, *part) for part in split]
        if len(held) > count:
            parts = [Pairs(part.events, part.starts, part.subscriptions % count) for part in parts]
        return parts[0], parts[1], raw

    def _in_gap(self, publications: Publications, pairs: Pairs) -> np.ndarray | None:
        """Return the pairs that no window counts; None if there are none."""
        if not self._interests.sampling:
            return None
        in_gap = ~self._interests.counted(pairs.subscriptions, publications.time[pairs.rows])
        return in_gap if in_gap.any() else None

    def _urgent(self, publications: Publications, pairs: Pairs) -> np.ndarray | None:
        """Return the pairs of urgent publications; None if no subscription has an urgent condition."""
        if not self._interests.urgent.any():
            return None
        may_be_urgent = self._interests.urgent[pairs.subscriptions]
        places = np.flatnonzero(may_be_urgent)
        rows = publications.take(pairs.rows[places])
        urgent = np.zeros(len(pairs), dtype=bool)
        boxes, number = self._urgent_boxes_of(publications.topic)
        urgent[places] = boxes.admit(rows.columns, number[pairs.subscriptions[places]])
        return urgent

    def _urgent_boxes_of(self, topic: str) -> tuple[Boxes, np.ndarray]:
        """Return the urgent conditions of a topic's subscriptions, and each subscription's box number."""
        if topic not in self._urgent_boxes:
            plan = self._interests.plan
            urgent = [n for n in plan.by_topic[topic].tolist() if self._interests.urgent[n]]
            number = np.full(len(plan.subscriptions), -1, dtype=np.int64)
            number[urgent] = np.arange(len(urgent))
            boxes = [box for n in urgent if (box := plan.subscriptions[n].urgent) is not None]
            self._urgent_boxes[topic] = Boxes(plan.topics[topic].fields, boxes), number
        return self._urgent_boxes[topic]

    def _outgoing(
        self,
        publications: Publications,
        pairs: Pairs,
        crossing_rows: np.ndarray,
        links: np.ndarray,
    ) -> list[LinkItem]:
        """Return the raw publications for brokers hosted by other processes, with the subscriptions beyond the link."""
        plan, routes = self._interests.plan, self._interests.plan.routes
        away = ~self._hosted[routes.target[links]]
        items = []
        for row, link in zip(crossing_rows[away].tolist(), links[away].tolist(), strict=True):
            matching = pairs.subscriptions[pairs.rows == row]
            goals, at = plan.broker_of[matching], publications.at[row]
            is_beyond = routes.link_of[routes.source[link], goals] == link
            beyond = matching[is_beyond & routes.passes(at, routes.source[link], goals)]
            items.append(
                LinkItem(
                    *routes.ends(link),
                    sent=int(publications.time[row]),
                    id=publications.id[row].as_py(),
                    publisher=publications.publisher[row].as_py(),
                    time=int(publications.time[row]),
                    wanted=tuple(plan.subscriptions[number].id for number in beyond),
                    values=item_values(publications.columns, row),
                )
            )
        return items

    def _in_force(self, publications: Publications, pairs: Pairs) -> Pairs:
        """Return the pairs whose subscription is in force at the publication's time.

        In a disconnected overlay, unreachable subscriptions do not match.
        """
        if self._disconnected:
            plan = self._interests.plan
            hops = plan.routes.hops[publications.at[pairs.rows], plan.broker_of[pairs.subscriptions]]
            pairs = pairs.only(hops >= 0)
        if self._interests.changing:
            first, last = self._interests.valid
            times = publications.time[pairs.rows]
            pairs = pairs.only((first[pairs.subscriptions] <= times) & (times < last[pairs.subscriptions]))
        return pairs

    def _by_key(self, publications: Publications, held: Pairs, raw: np.ndarray) -> dict[str, Matched]:
        if not len(held):
            return {}
        names, key_of = self._interests.keys
        matched = _matched(publications, self._interests, held, raw)
        # All held subscriptions of a publication are in one group, so the first one determines its key.
        keys = key_of[held.subscriptions[held.starts[:-1]]]
        order, ends = np.argsort(keys, kind="stable"), np.cumsum(np.bincount(keys, minlength=len(names)))
        if ends[keys[0]] - (ends[keys[0] - 1] if keys[0] else 0) == len(keys):
            return {names[keys[0]]: matched}
        matched = matched.take(order)
        starts = np.concatenate([[0], ends])
        parts = ((name, matched.part(*starts[key : key + 2].tolist())) for key, name in enumerate(names))
        return {name: part for name, part in parts if len(part)}


def _matched(publications: Publications, interests: Interests, held: Pairs, raw: np.ndarray) -> Matched:
    """Return the held publications; `held` has no row without subscriptions."""
    needed = {field: publications.columns[field] for field in interests.held_fields[publications.topic]}
    publications = replace(publications, columns=needed, advertisement=None, top_k=None)
    if len(held.events) < len(publications):
        publications, raw = publications.take(held.events), raw[held.events]
    return Matched(
        topic=publications.topic,
        time=publications.time,
        id=publications.id,
        publisher=publications.publisher,
        at=publications.at,
        columns=publications.columns,
        starts=held.starts,
        held=held.subscriptions,
        raw=raw,
    )
