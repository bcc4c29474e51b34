"""The explanation of a top-k choice: ranks and scores of the candidates, and the picks of each broker."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparing.control.plan import Plan
from sparing.control.summary.plan_summary import technique_of
from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.pairs import Pairs
from sparing.flow.rank.choose import Chooser
from sparing.match.explain import explain_codes
from sparing.model.counted import counted
from sparing.model.rank import Fairness
from sparing.model.subscription import Subscription
from sparing.model.types import EPOCH, MICROSECOND, Code, Kind
from sparing.model.window import TimeWindow


@dataclass(frozen=True, slots=True)
class Candidate:
    """A matching subscription; `score` is None without scores, or if the score is NULL or NaN."""

    subscription: str
    subscriber: str
    broker: str
    score: float | None
    chosen: bool


@dataclass(frozen=True, slots=True)
class Hop:
    """A broker's picks beyond the link to a neighbour, or among its own subscriptions (`onward` is None).

    `matching` subscriptions match there, of which the broker knows `known`.
    """

    broker: str
    onward: str | None
    matching: int
    known: int
    picked: int


@dataclass(frozen=True, slots=True)
class Choice:
    """The choice for a publication; candidates are in the order of their rank, drawn ones before equal ones.

    `top_k` is the publisher's limit, `wish` the publication's own, `allowed` the one that applies. All three are None,
    without hops, if all matches receive it. With `asks`, brokers requested numbers of matches from each other.
    """

    publication: str
    publisher: str
    topic: str
    broker: str
    time: int
    top_k: int | None
    wish: int | None
    allowed: int | None
    rank: str | None
    covering: str
    asks: bool
    candidates: tuple[Candidate, ...]
    hops: tuple[Hop, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a subscription gets a publication, and the reason as a sentence."""

    subscription: str
    chosen: bool
    why: str


def choice_of(plan: Plan, publication: Publications, matching: Pairs, chosen: Pairs) -> Choice:
    """Return the choice for one publication, given its matches in force and the chosen ones."""
    assert len(publication) == 1
    assert publication.advertisement is not None
    number = int(publication.advertisement[0])
    advertisement = plan.advertisements[number]
    chooser = Chooser(plan)
    allowed = int(chooser.allowed(publication)[0])
    wish = 0 if publication.top_k is None or advertisement.top_k is None else int(publication.top_k[0])
    technique, _ = technique_of(plan.matching_sets[number], plan.policy.covering)
    ranked, scores, got = _ranked(plan, chooser, number, publication, matching, chosen)
    return Choice(
        publication=str(publication.id[0]),
        publisher=advertisement.publisher,
        topic=advertisement.topic,
        broker=advertisement.broker,
        time=int(publication.time[0]),
        top_k=advertisement.top_k,
        wish=wish or None,
        allowed=None if allowed < 0 else allowed,
        rank=None if advertisement.top_k is None else advertisement.rank.description,
        covering=technique,
        asks=_asks(plan, number),
        candidates=tuple(
            _candidate(plan, subscription, score, taken)
            for subscription, score, taken in zip(ranked.tolist(), scores, got.tolist(), strict=True)
        ),
        hops=() if allowed < 0 else tuple(_hops(plan, number, publication, ranked, got)),
    )


def _ranked(
    plan: Plan, chooser: Chooser, number: int, publication: Publications, matching: Pairs, chosen: Pairs
) -> tuple[np.ndarray, Sequence[float | None], np.ndarray]:
    """Return subscriptions in the order of their rank, their scores, and whether they are chosen."""
    rank, top_k = plan.advertisements[number].rank, plan.advertisements[number].top_k
    found = matching.subscriptions
    got = np.isin(found, chosen.subscriptions)
    if top_k is None or rank.by is None or not len(found):
        order = np.lexsort((found, ~got))
        return found[order], [None] * len(found), got[order]
    scores = np.empty(len(found))
    chooser.scorer(number).score(publication, matching, np.zeros(1, np.int64), np.arange(len(found)), scores)
    drawn = np.zeros(len(found), bool) if rank.fair is Fairness.NONE else ~got
    order = np.lexsort((found, drawn, -scores))
    shown = [None if math.isinf(score) and score < 0 else score for score in scores[order].tolist()]
    return found[order], shown, got[order]


def _candidate(plan: Plan, number: int, score: float | None, chosen: bool) -> Candidate:
    subscription = plan.subscriptions[number]
    broker = plan.routes.brokers[plan.broker_of[number]]
    return Candidate(subscription.id, subscription.subscriber, broker, score, chosen)


def _hops(plan: Plan, number: int, publication: Publications, matching: np.ndarray, chosen: np.ndarray) -> list[Hop]:
    """Return the picks of the brokers on the publication's paths, nearest to the publisher first."""
    routes = plan.routes
    known = _known(plan, number, publication, matching)
    hops = []
    root, homes = routes.number[plan.advertisements[number].broker], plan.broker_of[matching]
    ahead = [root]
    for broker in ahead:
        links, comes_by = routes.link_of[broker, homes], routes.passes(root, broker, homes)
        for link in np.unique(links[comes_by]).tolist():
            target = int(routes.target[link]) if link >= 0 else None
            beyond = comes_by & (links == link)
            picked = int(chosen[beyond].sum())
            onward = None if target is None else routes.brokers[target]
            knows = int(known[broker][beyond].sum())
            hops.append(Hop(routes.brokers[broker], onward, int(beyond.sum()), knows, picked))
            if target is not None and picked:
                ahead.append(target)
    return hops


def _asks(plan: Plan, number: int) -> bool:
    """Return whether brokers request numbers of matches from each other."""
    advertisement = plan.advertisements[number]
    return advertisement.top_k is not None and advertisement.rank.counts_matches


def _known(plan: Plan, number: int, publication: Publications, matching: np.ndarray) -> dict[int, np.ndarray]:
    """Return which of the matches each broker knows; with requests it knows all."""
    everywhere = dict.fromkeys(range(len(plan.routes.brokers)), np.ones(len(matching), bool))
    if _asks(plan, number):
        return everywhere
    epoch = int(np.searchsorted(plan.changes, publication.time[0], side="right"))
    table = plan.table(number, epoch)
    return {broker: np.zeros(len(matching), bool) for broker in everywhere} | {
        entry.broker: np.isin(matching, entry.numbers) for entry in table.known
    }


def verdict(plan: Plan, publication: Publications, choice: Choice, number: int) -> Verdict:
    """Return why a subscription gets a publication or not."""
    subscription = plan.subscriptions[number]
    place = next((at for at, c in enumerate(choice.candidates) if c.subscription == subscription.id), None)
    if place is None:
        return Verdict(subscription.id, False, _not_matching(plan, publication, choice, number))
    mine = choice.candidates[place]
    why = _ranking(plan, publication, choice, place)
    aggregation = subscription.query.aggregation
    window = None if aggregation is None else aggregation.window
    if mine.chosen and isinstance(window, TimeWindow) and not window.starts(choice.time):
        why += " None of its windows counts it: it was published between two of them."
    return Verdict(subscription.id, mine.chosen, why)


def _not_matching(plan: Plan, publication: Publications, choice: Choice, number: int) -> str:
    subscription = plan.subscriptions[number]
    name, query = subscription.id, subscription.query
    if query.topic != choice.topic:
        return f"{name} is a subscription on {query.topic}, and the publication is on {choice.topic}."
    fields = plan.topics[choice.topic].fields
    found = explain_codes({field: _code(publication, field) for field in query.box.fields}, query.box, fields)
    if not found.matches:
        return f"{name} does not match: {'; '.join(map(str, found.failures))}."
    if (when := _not_in_force(subscription, choice.time)) is not None:
        return f"{name} matches, but was not in force: {when}."
    home = plan.routes.brokers[plan.broker_of[number]]
    return f"{name} matches, but no links lead from {choice.broker} to {home}."


def _code(publication: Publications, field: str) -> Code | None:
    column = publication.columns[field]
    if not column.valid[0]:
        return None
    return str(column.values[0]) if column.type.kind is Kind.TEXT else int(column.codes()[0])


def _not_in_force(subscription: Subscription, time: int) -> str | None:
    if subscription.valid_from is not None and time < subscription.valid_from:
        return f"it is in force from {_time(subscription.valid_from)}"
    if subscription.valid_until is not None and time >= subscription.valid_until:
        return f"it was in force until {_time(subscription.valid_until)}"
    return None


def _time(micros: int) -> str:
    return (EPOCH + micros * MICROSECOND).isoformat().replace("+00:00", "Z")


def _ranking(plan: Plan, publication: Publications, choice: Choice, place: int) -> str:
    """Return why a candidate is chosen or not."""
    candidates, k = choice.candidates, choice.allowed
    mine, name = candidates[place], candidates[place].subscription
    outcome = f"{name} {'receives' if mine.chosen else 'does not receive'} it"
    if k is None:
        return f"{outcome}: {choice.publisher} has no top_k, so all matching subscriptions receive it."
    if len(candidates) <= k:
        matching = counted(len(candidates), "subscription matches", "subscriptions match")
        return f"{outcome}: {matching}, and at most {k:,} receive it."
    last = candidates[k - 1]
    better = sum(_above(c.score, last.score) for c in candidates)
    equal = [at for at, c in enumerate(candidates) if c.score == last.score]
    if _above(last.score, mine.score):
        high, low = _different(last.score, mine.score)
        which = "the best one" if k == 1 else f"the last of the {k:,} best"
        return f"{outcome}: {last.subscription}, {which}, has {high}, and {name} has {low}."
    if _above(mine.score, last.score) or len(equal) <= k - better:
        which = "the best one" if k == 1 else f"number {place + 1:,} of the {k:,} best"
        return f"{outcome}: with {_score(mine.score)} it is {which}."
    assert publication.advertisement is not None
    number = int(publication.advertisement[0])
    unscored = plan.advertisements[number].rank.by is None
    tie = "match and have the same rank" if unscored else f"have {_score(mine.score)}"
    tied = f"{counted(len(equal), 'subscription')} {tie}, for {counted(k - better, 'place')}"
    if plan.advertisements[number].rank.fair is Fairness.NONE:
        return f"{outcome}: {tied}, and the lower id comes first."
    lot = f"and lots were drawn, by the publication's id: {name} was {'' if mine.chosen else 'not '}drawn"
    picks = f" {_picks_on_path(plan, choice, mine)}" if Chooser(plan).by_hops(number) else ""
    return f"{outcome}: {tied}, {lot}.{picks}"


def _above(one: float | None, other: float | None) -> bool:
    """Return whether a score is higher than another; None is the lowest."""
    return (-math.inf if one is None else one) > (-math.inf if other is None else other)


def _picks_on_path(plan: Plan, choice: Choice, mine: Candidate) -> str:
    """Return the picks of the brokers on the path to a subscription."""
    routes, at, goal = plan.routes, plan.routes.number[choice.broker], plan.routes.number[mine.broker]
    wanted, sentences = choice.allowed, []
    while True:
        broker = routes.brokers[at]
        here = [hop for hop in choice.hops if hop.broker == broker]
        knows = sum(hop.known for hop in here)
        onward = None if at == goal else routes.brokers[routes.target[routes.link_of[at, goal]]]
        picked = sum(hop.picked for hop in here if hop.onward == onward)
        where = "of its own" if onward is None else f"beyond {onward}"
        known = f"{wanted:,} of {knows:,} {'matching' if choice.asks else 'known'}"
        sentences.append(f"{broker} had to pick {known}, and picked {picked or 'none'} {where}")
        if onward is None or not picked:
            return "; ".join(sentences) + "."
        wanted, at = picked, int(routes.target[routes.link_of[at, goal]])


def _score(score: float | None) -> str:
    return "no score" if score is None else f"a score of {score_text(score)}"


def _different(high: float | None, low: float | None) -> tuple[str, str]:
    """Return texts of a score and a lower one, with all digits if they are equal otherwise."""
    texts = _score(high), _score(low)
    return texts if texts[0] != texts[1] else (f"a score of {high!r}", f"a score of {low!r}")


def score_text(score: float) -> str:
    """Return a score as text.

    >>> score_text(450.0), score_text(1 / 3)
    ('450', '0.333333')
    """
    return f"{score:,.0f}" if score == round(score, 0) and abs(score) < 1e15 else f"{score:.6g}"
