"""A plan in numbers: what every broker gets to know, what it takes to tell it, and what covering saves of that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from sparing.control.covering.contest import Contest, Covering
from sparing.control.plan import Plan
from sparing.control.routing.billing import away_from, bill_of_changes
from sparing.control.routing.tables import NO_LINK, Table, table_of
from sparing.model.rank import Fairness


@dataclass(frozen=True, slots=True)
class Counts:
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
    told_by_neighbours: Counts
    told_to_neighbours: Counts

    @property
    def holds(self) -> Counts:
        """How many different subscriptions it knows: none of its own comes back from a neighbour."""
        told = self.told_by_neighbours
        return Counts(self.own + told.with_covering, self.own + told.without_covering)


@dataclass(frozen=True, slots=True)
class Share:
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
    known: Counts
    messages: Counts
    brokers: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class LinkSummary:
    """Messages over a directed link."""

    source: str
    target: str
    advertisements: int
    subscriptions: Counts


@dataclass(frozen=True, slots=True)
class Changes:
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
    changes: Changes

    @property
    def advertised(self) -> int:
        """Messages that make advertisements known."""
        return sum(link.advertisements for link in self.links)

    @property
    def subscribed(self) -> Counts:
        """Messages that make subscriptions known."""
        covered = sum(link.subscriptions.with_covering for link in self.links)
        return Counts(covered, sum(link.subscriptions.without_covering for link in self.links))


def summary_of(plan: Plan, time: int | None = None, patient: bool = False) -> Summary:
    """The summary at a time; None is before the first change.

    Unless one is `patient`, messages that follow when subscriptions come and go are only counted if that is quick.
    """
    in_force = plan.in_force(time)
    contests = [plan.contests[number] for number in sorted(set(plan.contest_of))]
    with_covering = [table_of(contest, plan.broker_of, plan.routes, False, in_force) for contest in contests]
    without = [
        table_of(replace(contest, method=Covering.NONE), plan.broker_of, plan.routes, False, in_force)
        for contest in contests
    ]
    told, told_without = _told(with_covering), _told(without)
    return Summary(
        int(in_force.sum()),
        len(plan.subscriptions),
        _brokers(plan, in_force, told, told_without),
        tuple(sorted(_offers(plan, with_covering, without), key=lambda offer: -offer.known.with_covering)),
        _links(plan, told, told_without),
        _changes(plan, with_covering, patient),
    )


Told = dict[int, int]  # link -> how many different subscriptions cross it


def _told(tables: Iterable[Table]) -> Told:
    crossing: dict[int, list[np.ndarray]] = {}
    for table in tables:
        for link, numbers in table.told().items():
            crossing.setdefault(link, []).append(numbers)
    return {link: len(np.unique(np.concatenate(parts))) for link, parts in crossing.items()}


def _brokers(plan: Plan, in_force: np.ndarray, told: Told, without: Told) -> tuple[BrokerSummary, ...]:
    routes = plan.routes
    own = np.bincount(plan.broker_of[in_force], minlength=len(routes.brokers))

    def total(broker: int, ends: np.ndarray) -> Counts:
        """What crosses the links that end, or begin, at a broker; neighbours never tell it of the same subscription."""
        links = np.flatnonzero(ends == broker).tolist()
        return Counts(sum(told.get(link, 0) for link in links), sum(without.get(link, 0) for link in links))

    found = [
        BrokerSummary(name, int(own[broker]), total(broker, routes.target), total(broker, routes.source))
        for broker, name in enumerate(routes.brokers)
    ]
    return tuple(sorted(found, key=lambda broker: -broker.holds.with_covering))


def _offers(plan: Plan, tables: Iterable[Table], without: Iterable[Table]) -> Iterable[OfferSummary]:
    publishers: dict[int, list[str]] = {}
    for first, advertisement in zip(plan.contest_of, plan.advertisements, strict=True):
        publishers.setdefault(first, []).append(advertisement.publisher)
    for (first, names), table, whole in zip(sorted(publishers.items()), tables, without, strict=True):
        advertisement = plan.advertisements[first]
        technique, remark = technique_of(table.contest, plan.covering)
        everybody = _known_at_root(whole)
        yield OfferSummary(
            tuple(names),
            advertisement.topic,
            advertisement.broker,
            advertisement.box.sql(plan.topics[advertisement.topic].fields),
            advertisement.top_k,
            None if advertisement.top_k is None else advertisement.rank.words,
            technique,
            remark,
            everybody,
            Counts(_known_at_root(table), everybody),
            Counts(_messages(table), _messages(whole)),
            tuple(
                Share(plan.routes.brokers[entry.broker], len(entry.numbers), len(entry.forwarded))
                for entry in table.known
            ),
        )


def _known_at_root(table: Table) -> int:
    return sum(len(entry.numbers) for entry in table.known if entry.link == NO_LINK)


def _messages(table: Table) -> int:
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
        case Covering.NONE if rank.needs_everyone:
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


def _links(plan: Plan, told: Told, without: Told) -> tuple[LinkSummary, ...]:
    routes = plan.routes
    advertised = np.zeros(len(routes.source), dtype=np.int64)
    for advertisement in plan.advertisements:
        advertised[away_from(plan, advertisement.broker)] += 1
    found = [
        LinkSummary(
            routes.brokers[routes.source[link]],
            routes.brokers[routes.target[link]],
            int(advertised[link]),
            Counts(told.get(link, 0), without.get(link, 0)),
        )
        for link in range(len(routes.source))
    ]
    return tuple(sorted(found, key=lambda link: -(link.advertisements + link.subscriptions.with_covering)))


MOST_WORK = 100_000  # cover entries that are made or looked at, some seconds in all


def _changes(plan: Plan, tables: Iterable[Table], patient: bool) -> Changes:
    changing = sum(s.valid_from is not None or s.valid_until is not None for s in plan.subscriptions)
    if not changing:
        return Changes(0, 0)
    affordable = patient or sum(_work(table, changing) for table in tables) <= MOST_WORK
    return Changes(changing, sum(bill_of_changes(plan).values()) if affordable else None)


def _work(table: Table, changing: int) -> float:
    """About how much it takes to keep up a table: covers that know no shortcut are worked out again each time."""
    entries = sum(len(entry.numbers) for entry in table.known)
    afresh = table.contest.certain is not None or table.contest.method is Covering.RANK
    return entries + changing * (entries / 5 if afresh else 40)
