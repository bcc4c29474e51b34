"""A plan in numbers: known subscriptions by broker, control messages by link, and the savings of covering."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sparing.control.covering.matching_set import MatchingSet
from sparing.control.merging.cycles import cycle_factors
from sparing.control.plan import Plan
from sparing.control.routing.billing import changes_of, start_of
from sparing.control.routing.folded import Folded, folded
from sparing.control.routing.spread import Spread, spread_of
from sparing.control.routing.tables import NO_LINK, RoutingTable
from sparing.control.summary.fold_summary import FoldingSummary, foldings_of
from sparing.control.summary.mark_summary import MarkingSummary, marking_summary
from sparing.control.summary.merge_summary import MergeSummary, merges_of
from sparing.control.trees.attachment import AttachmentReason
from sparing.model.bill import MessageKind
from sparing.model.policy import Covering
from sparing.model.rank import Fairness


@dataclass(frozen=True, slots=True)
class CoveredCount:
    """A number with covering and without."""

    with_covering: int
    without_covering: int

    @property
    def saved(self) -> int:
        """The saving by covering."""
        return self.without_covering - self.with_covering

    @property
    def saved_percent(self) -> float:
        """The saving by covering as a percentage of the number without."""
        return round(100 * self.saved / max(self.without_covering, 1), 1)


@dataclass(frozen=True, slots=True)
class BrokerSummary:
    """Subscriptions of a broker: of its own subscribers, received from neighbours, sent to neighbours."""

    broker: str
    own: int
    told_by_neighbours: CoveredCount
    told_to_neighbours: CoveredCount

    @property
    def holds(self) -> CoveredCount:
        """The number of different subscriptions it knows; neighbours never send its own ones back."""
        received = self.told_by_neighbours
        return CoveredCount(self.own + received.with_covering, self.own + received.without_covering)


@dataclass(frozen=True, slots=True)
class BrokerShare:
    """The subscriptions of a matching set that one broker knows and forwards."""

    broker: str
    holds: int
    forwards: int


@dataclass(frozen=True, slots=True)
class OfferSummary:
    """An advertisement of publishers at one broker, its matching subscriptions, and their forwarding.

    `technique` is the covering in use, `remark` a note about it. `known` are the subscriptions that reach the
    publishers' broker, `messages` those forwarded over links for this advertisement; `brokers` are those that know
    some, the farthest first.
    """

    publishers: tuple[str, ...]
    topic: str
    broker: str
    where: str
    top_k: int | None
    rank: str | None
    technique: str
    remark: str | None
    matching: int
    known: CoveredCount
    messages: CoveredCount
    brokers: tuple[BrokerShare, ...]


@dataclass(frozen=True, slots=True)
class LinkSummary:
    """Control messages over a directed link, and the savings of covering and folding."""

    source: str
    target: str
    advertisements: int
    subscriptions: CoveredCount
    channels: CoveredCount
    coordination: int
    folded_subscriptions: int = 0
    folded_channels: int = 0

    @property
    def folded_away(self) -> int:
        """Messages about subscriptions that folding saves."""
        return self.folded_subscriptions + self.folded_channels

    @property
    def messages(self) -> int:
        """The number of all messages."""
        subscribed = self.subscriptions.with_covering + self.channels.with_covering - self.folded_away
        return self.advertisements + subscribed + self.coordination


@dataclass(frozen=True, slots=True)
class ScheduledChanges:
    """Subscriptions that start or end at some time, and the messages of these changes; None if not counted."""

    subscriptions: int
    messages: int | None


@dataclass(frozen=True, slots=True)
class Summary:
    """A plan at a point in time; brokers and offers with the most known subscriptions come first.

    A subscription crosses a link once for all advertisements, so the sum over offers may exceed the sum over links.
    """

    in_force: int
    subscriptions: int
    brokers: tuple[BrokerSummary, ...]
    offers: tuple[OfferSummary, ...]
    links: tuple[LinkSummary, ...]
    markings: tuple[MarkingSummary, ...]
    changes: ScheduledChanges
    foldings: tuple[FoldingSummary, ...] = ()
    attached: tuple[AttachmentReason, ...] = ()
    merges: tuple[MergeSummary, ...] = ()

    @property
    def folded_subscriptions(self) -> int:
        """Messages that make subscriptions known and are saved by folding."""
        return sum(link.folded_subscriptions for link in self.links)

    @property
    def folded_channels(self) -> int:
        """Messages that set up channels and are saved by folding."""
        return sum(link.folded_channels for link in self.links)

    @property
    def advertised(self) -> int:
        """Messages that make advertisements known."""
        return sum(link.advertisements for link in self.links)

    @property
    def subscribed(self) -> CoveredCount:
        """Messages that make subscriptions known."""
        return _sum(link.subscriptions for link in self.links)

    @property
    def channels(self) -> CoveredCount:
        """Messages that set up channels."""
        return _sum(link.channels for link in self.links)

    @property
    def subscription_messages(self) -> CoveredCount:
        """All messages about subscriptions."""
        return _sum([self.subscribed, self.channels])

    @property
    def coordination(self) -> int:
        """Messages for markings and notification cycles."""
        return sum(link.coordination for link in self.links)


def _sum(counts: Iterable[CoveredCount]) -> CoveredCount:
    found = list(counts)
    return CoveredCount(sum(c.with_covering for c in found), sum(c.without_covering for c in found))


def summary_of(plan: Plan, time: int | None = None, patient: bool = False) -> Summary:
    """Return the summary at a time; None is before the first change.

    The messages of scheduled changes are counted only if that is quick, or if `patient`.
    """
    in_force = plan.in_force(time)
    spread, without = spread_of(plan, in_force), spread_of(plan, in_force, covering=False)
    start = folded(spread)
    return Summary(
        int(in_force.sum()),
        len(plan.subscriptions),
        _brokers(plan, in_force, _told(spread), _told(without)),
        tuple(sorted(_offers(plan, spread.tables, without.tables), key=lambda offer: -offer.known.with_covering)),
        _links(start, without),
        tuple(
            marking_summary(plan, topic, marking) for topic, marking in spread.markings.items() if len(marking.roots)
        ),
        _changes(plan, start if time is None else None, patient),
        foldings_of(start),
        plan.attached,
        tuple(merges_of(plan)),
    )


SubscriptionsByLink = dict[int, int]  # link -> how many different subscriptions cross it


def _told(spread: Spread, *kinds: MessageKind) -> SubscriptionsByLink:
    found: Counter[int] = Counter()
    for (link, kind), numbers in spread.forwarded.items():
        if not kinds or kind in kinds:
            found[link] += len(numbers)
    return found


def _brokers(
    plan: Plan, in_force: np.ndarray, forwarded: SubscriptionsByLink, without: SubscriptionsByLink
) -> tuple[BrokerSummary, ...]:
    routes = plan.routes
    own = np.bincount(plan.broker_of[in_force], minlength=len(routes.brokers))

    def total(broker: int, ends: np.ndarray) -> CoveredCount:
        """Sum over the links of a broker; different neighbours never send it the same subscription."""
        links = np.flatnonzero(ends == broker).tolist()
        return CoveredCount(sum(forwarded.get(link, 0) for link in links), sum(without.get(link, 0) for link in links))

    found = [
        BrokerSummary(name, int(own[broker]), total(broker, routes.target), total(broker, routes.source))
        for broker, name in enumerate(routes.brokers)
    ]
    return tuple(sorted(found, key=lambda broker: -broker.holds.with_covering))


def _offers(plan: Plan, tables: Iterable[RoutingTable], without: Iterable[RoutingTable]) -> Iterable[OfferSummary]:
    publishers: dict[int, list[str]] = {}
    for first, advertisement in zip(plan.matching_set_of, plan.advertisements, strict=True):
        publishers.setdefault(first, []).append(advertisement.publisher)
    for (first, names), table, whole in zip(sorted(publishers.items()), tables, without, strict=True):
        advertisement = plan.advertisements[first]
        technique, remark = technique_of(table.matching_set, plan.policy.covering)
        matching = _known_at_root(whole)
        yield OfferSummary(
            tuple(names),
            advertisement.topic,
            advertisement.broker,
            advertisement.box.sql(plan.topics[advertisement.topic].fields),
            advertisement.top_k,
            None if advertisement.top_k is None else advertisement.rank.description,
            technique,
            remark,
            matching,
            CoveredCount(_known_at_root(table), matching),
            CoveredCount(_messages(table), _messages(whole)),
            tuple(
                BrokerShare(plan.routes.brokers[entry.broker], len(entry.numbers), len(entry.forwarded))
                for entry in table.known
            ),
        )


def _known_at_root(table: RoutingTable) -> int:
    return sum(len(entry.numbers) for entry in table.known if entry.link == NO_LINK)


def _messages(table: RoutingTable) -> int:
    return sum(len(numbers) for numbers in table.forwarded().values())


def technique_of(matching_set: MatchingSet, covering: Covering) -> tuple[str, str | None]:
    """How the subscriptions that can match an advertisement are covered, and a remark.

    `covering` is what the plan asks for, which not every rank allows.
    """
    advertisement = matching_set.advertisement
    rank, chosen = advertisement.rank, advertisement.top_k is not None
    match matching_set.method:
        case Covering.NONE if covering is Covering.NONE:
            return "none", "covering is switched off"
        case Covering.NONE if rank.needs_all_matches:
            return "none", "diverse needs everyone: each subscription is ranked by its distance to all others"
        case Covering.NONE:
            return "none", "covering: regular may drop one of the k best; rank and ancestor do not"
        case Covering.REGULAR if chosen:
            return "RegularCover", "exact fairness asks how many match, so only brokers with a match must be known"
        case Covering.REGULAR:
            return "RegularCover", None
        case Covering.RANK:
            technique = "RankCoverK"
        case Covering.ANCESTOR:
            technique = "AncestorCoverK"
    remarks = []
    if matching_set.forms is not None:
        remarks.append("the score depends on the publication: only provably lower-ranking subscriptions are dropped")
    if rank.fair is Fairness.WEIGHTED:
        remarks.append("with weights, for the lots")
    return technique, "; ".join(remarks) or None


def _links(start: Folded, without: Spread) -> tuple[LinkSummary, ...]:
    spread = start.spread
    routes = spread.plan.routes
    away = {key: len(numbers) - len(start.entries[key]) for key, numbers in spread.forwarded.items()}
    advertised = Counter(link for link, _ in spread.advertised())
    signalled = Counter[int]()
    for sent in spread.signalled.values():
        signalled.update(sent)
    for factors in cycle_factors(spread.plan).values():
        for source, target in factors:
            signalled[int(routes.link_of[routes.number[source], routes.number[target]])] += 1
    subscribed, channels = (
        [_told(some, kind) for some in (spread, without)] for kind in (MessageKind.SUBSCRIPTION, MessageKind.CHANNEL)
    )
    for forwarded, some in zip(channels, (spread, without), strict=True):
        for link, advertised_down in some.announced.items():
            forwarded[link] = forwarded.get(link, 0) + len(advertised_down)
    found = [
        LinkSummary(
            *routes.ends(link),
            advertised[link],
            CoveredCount(*(forwarded.get(link, 0) for forwarded in subscribed)),
            CoveredCount(*(forwarded.get(link, 0) for forwarded in channels)),
            signalled[link],
            away.get((link, MessageKind.SUBSCRIPTION), 0),
            away.get((link, MessageKind.CHANNEL), 0),
        )
        for link in range(len(routes.source))
    ]
    return tuple(sorted(found, key=lambda link: -link.messages))


MOST_WORK = 100_000  # cover entries that are built or visited: some seconds


def _changes(plan: Plan, start: Folded | None, patient: bool) -> ScheduledChanges:
    changing = sum(s.valid_from is not None or s.valid_until is not None for s in plan.subscriptions)
    if not changing:
        return ScheduledChanges(0, 0)
    start = start or start_of(plan)
    if plan.changed is not None:
        return ScheduledChanges(changing, sum(plan.changed.bill.values()))
    affordable = patient or sum(_work(table, changing) for table in start.spread.tables) <= MOST_WORK
    return ScheduledChanges(changing, sum(changes_of(start).bill.values()) if affordable else None)


def _work(table: RoutingTable, changing: int) -> float:
    """Estimate the work of updating a table; covers that are not incremental are recomputed at every change."""
    entries = sum(len(entry.numbers) for entry in table.known)
    recomputed = table.matching_set.forms is not None or table.matching_set.method is Covering.RANK
    return entries + changing * (entries / 5 if recomputed else 40)
