"""A plan in numbers: what every broker gets to know, what it takes to tell it, and what is saved of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sparing.control.covering.contest import Contest
from sparing.control.merging.cycles import factors_told
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
    """A number with covering, and what it would be without."""

    with_covering: int
    without_covering: int

    @property
    def saved(self) -> int:
        """What covering saves."""
        return self.without_covering - self.with_covering

    @property
    def saved_percent(self) -> float:
        """The same, of what it would be without."""
        return round(100 * self.saved / max(self.without_covering, 1), 1)


@dataclass(frozen=True, slots=True)
class BrokerSummary:
    """Subscriptions of a broker: of its own subscribers, told by neighbours, told to neighbours (once for each)."""

    broker: str
    own: int
    told_by_neighbours: CoveredCount
    told_to_neighbours: CoveredCount

    @property
    def holds(self) -> CoveredCount:
        """How many different subscriptions it knows: none of its own comes back from a neighbour."""
        told = self.told_by_neighbours
        return CoveredCount(self.own + told.with_covering, self.own + told.without_covering)


@dataclass(frozen=True, slots=True)
class BrokerShare:
    """What one broker holds and forwards of the subscriptions that an advertisement concerns."""

    broker: str
    holds: int
    forwards: int


@dataclass(frozen=True, slots=True)
class OfferSummary:
    """What publishers advertise at one broker, who can match it, and how far these are told of.

    `technique` is the covering that is used, `remark` what there is to say about it. `known` are the subscriptions that
    the publishers' own broker gets to know, `messages` those that the links carry for this advertisement; `brokers` are
    those that know some, the farthest first.
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
    """Messages over a directed link, with covering; some of them are saved by folding."""

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
        """All of them."""
        told = self.subscriptions.with_covering + self.channels.with_covering - self.folded_away
        return self.advertisements + told + self.coordination


@dataclass(frozen=True, slots=True)
class ScheduledChanges:
    """Subscriptions that come or go at some time, and the messages that follow; None if they were not counted."""

    subscriptions: int
    messages: int | None


@dataclass(frozen=True, slots=True)
class Summary:
    """A plan with the subscriptions that are in force at a time: brokers and offers that know most first.

    A subscription crosses a link once, for however many advertisements, so the offers' messages may add up to more than
    the links'.
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
    def told(self) -> CoveredCount:
        """All messages about subscriptions."""
        return _sum([self.subscribed, self.channels])

    @property
    def coordination(self) -> int:
        """Messages by which brokers agree on markings, and tell notification cycles."""
        return sum(link.coordination for link in self.links)


def _sum(counts: Iterable[CoveredCount]) -> CoveredCount:
    found = list(counts)
    return CoveredCount(sum(c.with_covering for c in found), sum(c.without_covering for c in found))


def summary_of(plan: Plan, time: int | None = None, patient: bool = False) -> Summary:
    """The summary at a time; None is before the first change.

    Unless one is `patient`, messages that follow when subscriptions come and go are only counted if that is quick.
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
    for (link, kind), numbers in spread.told.items():
        if not kinds or kind in kinds:
            found[link] += len(numbers)
    return found


def _brokers(
    plan: Plan, in_force: np.ndarray, told: SubscriptionsByLink, without: SubscriptionsByLink
) -> tuple[BrokerSummary, ...]:
    routes = plan.routes
    own = np.bincount(plan.broker_of[in_force], minlength=len(routes.brokers))

    def total(broker: int, ends: np.ndarray) -> CoveredCount:
        """What crosses the links that end, or begin, at a broker; neighbours never tell it of the same subscription."""
        links = np.flatnonzero(ends == broker).tolist()
        return CoveredCount(sum(told.get(link, 0) for link in links), sum(without.get(link, 0) for link in links))

    found = [
        BrokerSummary(name, int(own[broker]), total(broker, routes.target), total(broker, routes.source))
        for broker, name in enumerate(routes.brokers)
    ]
    return tuple(sorted(found, key=lambda broker: -broker.holds.with_covering))


def _offers(plan: Plan, tables: Iterable[RoutingTable], without: Iterable[RoutingTable]) -> Iterable[OfferSummary]:
    publishers: dict[int, list[str]] = {}
    for first, advertisement in zip(plan.contest_of, plan.advertisements, strict=True):
        publishers.setdefault(first, []).append(advertisement.publisher)
    for (first, names), table, whole in zip(sorted(publishers.items()), tables, without, strict=True):
        advertisement = plan.advertisements[first]
        technique, remark = technique_of(table.contest, plan.policy.covering)
        everybody = _known_at_root(whole)
        yield OfferSummary(
            tuple(names),
            advertisement.topic,
            advertisement.broker,
            advertisement.box.sql(plan.topics[advertisement.topic].fields),
            advertisement.top_k,
            None if advertisement.top_k is None else advertisement.rank.description,
            technique,
            remark,
            everybody,
            CoveredCount(_known_at_root(table), everybody),
            CoveredCount(_messages(table), _messages(whole)),
            tuple(
                BrokerShare(plan.routes.brokers[entry.broker], len(entry.numbers), len(entry.forwarded))
                for entry in table.known
            ),
        )


def _known_at_root(table: RoutingTable) -> int:
    return sum(len(entry.numbers) for entry in table.known if entry.link == NO_LINK)


def _messages(table: RoutingTable) -> int:
    return sum(len(numbers) for numbers in table.told().values())


def technique_of(contest: Contest, covering: Covering) -> tuple[str, str | None]:
    """How the subscriptions that can match an advertisement are covered, and a remark.

    `covering` is what the plan asks for, which not every rank allows.
    """
    advertisement = contest.advertisement
    rank, chosen = advertisement.rank, advertisement.top_k is not None
    match contest.method:
        case Covering.NONE if covering is Covering.NONE:
            return "none", "covering is switched off"
        case Covering.NONE if rank.needs_all_matches:
            return "none", "diverse needs everyone: each subscription is ranked by its distance to all others"
        case Covering.NONE:
            return "none", "covering: regular leaves out who may be among the k best; rank and ancestor do not"
        case Covering.REGULAR if chosen:
            return "RegularCover", "exact fairness asks how many match, so only where there is a match must be known"
        case Covering.REGULAR:
            return "RegularCover", None
        case Covering.RANK:
            technique = "RankCoverK"
        case Covering.ANCESTOR:
            technique = "AncestorCoverK"
    remarks = []
    if contest.certain is not None:
        remarks.append("the score depends on the publication, so only what provably always ranks lower is left out")
    if rank.fair is Fairness.WEIGHTED:
        remarks.append("with weights, for the lots")
    return technique, "; ".join(remarks) or None


def _links(start: Folded, without: Spread) -> tuple[LinkSummary, ...]:
    spread = start.spread
    routes = spread.plan.routes
    away = {key: len(numbers) - len(start.entries[key]) for key, numbers in spread.told.items()}
    advertised = Counter(link for link, _ in spread.advertised())
    signalled = Counter[int]()
    for sent in spread.signalled.values():
        signalled.update(sent)
    for factors in factors_told(spread.plan).values():
        for source, target in factors:
            signalled[int(routes.link_of[routes.number[source], routes.number[target]])] += 1
    subscribed, channels = (
        [_told(some, kind) for some in (spread, without)] for kind in (MessageKind.SUBSCRIPTION, MessageKind.CHANNEL)
    )
    for told, some in zip(channels, (spread, without), strict=True):
        for link, contests in some.announced.items():
            told[link] = told.get(link, 0) + len(contests)
    found = [
        LinkSummary(
            *routes.ends(link),
            advertised[link],
            CoveredCount(*(told.get(link, 0) for told in subscribed)),
            CoveredCount(*(told.get(link, 0) for told in channels)),
            signalled[link],
            away.get((link, MessageKind.SUBSCRIPTION), 0),
            away.get((link, MessageKind.CHANNEL), 0),
        )
        for link in range(len(routes.source))
    ]
    return tuple(sorted(found, key=lambda link: -link.messages))


MOST_WORK = 100_000  # cover entries that are made or looked at, some seconds in all


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
    """About how much it takes to keep up a table: covers that know no shortcut are worked out again each time."""
    entries = sum(len(entry.numbers) for entry in table.known)
    afresh = table.contest.certain is not None or table.contest.method is Covering.RANK
    return entries + changing * (entries / 5 if afresh else 40)
