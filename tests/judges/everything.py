"""The slow and obvious judge of a whole deployment: everything is sent everywhere, and filtered at the end.

It knows the deployment's model and the lines that were published, and works out who must get what: no brokers, no
links, no policy. Lots are the one thing it cannot know. It is told who was drawn, sees to it that the draw is lawful,
and goes on from there.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, NamedTuple

from sparing.deployment.deployment import Deployment
from sparing.model import functions
from sparing.model.box import Box
from sparing.model.expression import Expression
from sparing.model.rank import BoxScore, Fairness
from sparing.model.sketches import ApproxCountDistinct, ApproxPercentile
from sparing.model.subscription import Advertisement, Output, Subscription
from sparing.model.topic import Topic
from sparing.model.types import EPOCH, MICROSECOND, Code, FieldType, Kind
from sparing.model.window import CountWindow, TimeWindow
from tests.judges.boxes import allowed, lies_in, room, stretches
from tests.judges.events import Facts, Said, Wish, events_of, moments_of
from tests.judges.scores import rank_of, value_of

Drawn = Mapping[str, Iterable[str]]  # publication id -> the subscriptions that it went to
Values = Mapping[str, Any]  # field -> its value; a missing one is not there
Stretches = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Publication:
    """A line that was admitted; `wish` is to how many it wants to go at most, 0 if it does not say."""

    id: str
    time: int
    advertisement: Advertisement
    values: Values
    codes: Mapping[str, Code]
    wish: int = 0

    @property
    def topic(self) -> str:
        """The topic that it is on."""
        return self.advertisement.topic


class Delivery(NamedTuple):
    """A notification: `id` is the publication's if it tells of a single one, `payload` its canonical text."""

    subscription: str
    kind: str
    id: str
    time: int
    start: int | None
    end: int | None
    payload: str


def judged(deployment: Deployment, lines: Sequence[str], drawn: Drawn) -> list[Delivery]:
    """All that subscribers must get, in order."""
    publications, _ = admitted(deployment, lines)
    got = received(deployment, publications, drawn)
    found: list[Delivery] = []
    for subscription in deployment.subscriptions:
        topic = deployment.topics[subscription.query.topic]
        if topic.merge is None:
            found += told(subscription, topic, got[subscription.id])
    for topic in deployment.topics.values():
        if topic.merge is not None:
            reports = [p for p in publications if p.topic == topic.name]
            found += told_of_events(deployment.subscriptions, topic, reports)
    return sorted(found)


# Admission


class MisfitError(Exception):
    """A value does not fit the type of its field."""


def admitted(deployment: Deployment, lines: Sequence[str]) -> tuple[list[Publication], list[tuple[str, str]]]:
    """The publications, and the lines that are set aside with the reason."""
    publications, aside = [], []
    for line in lines:
        found = _checked(deployment, line)
        if isinstance(found, str):
            aside.append((line, found))
        else:
            publications.append(found)
    return publications, aside


def parsed(line: str) -> dict[str, Any] | None:
    """The row that a line holds, None if it holds none."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def _checked(deployment: Deployment, line: str) -> Publication | str:
    """A publication, or why it is none: the first reason that applies."""
    row = parsed(line)
    if row is None:
        return "malformed"
    mine = [ad for ad in deployment.advertisements if ad.publisher == row.get("publisher")]
    if not mine:
        return "unknown publisher"
    named = row.get("topic")
    mine = [ad for ad in mine if named is None or ad.topic == named]
    if len(mine) != 1:
        return "unknown topic"
    (advertisement,) = mine
    topic = deployment.topics[advertisement.topic]
    try:
        values = {name: fitting(kind, row[name]) for name, kind in topic.fields.items() if row.get(name) is not None}
    except MisfitError:
        return "wrong type"
    if topic.time not in values:
        return "no event time"
    if topic.merge is not None and any(field not in values for field in topic.merge.key):
        return "no event key"
    wish = row.get("top_k")
    if wish is not None and (type(wish) is not int or wish < 1):
        return "wrong type"
    codes = {name: topic.fields[name].code(value) for name, value in values.items()}
    too_many = wish is not None and advertisement.top_k is not None and wish > advertisement.top_k
    if too_many or not lies_in(advertisement.box, codes):
        return "outside the advertisement"
    time = codes[topic.time]
    assert isinstance(time, int)
    return Publication(row["id"], time, advertisement, values, codes, wish or 0)


def fitting(kind: FieldType, given: Any) -> Any:
    """A JSON value as a value of a type."""
    match kind.kind:
        case Kind.TEXT if isinstance(given, str):
            return given
        case Kind.BOOLEAN if isinstance(given, bool):
            return given
        case Kind.WHOLE if type(given) is int and kind.low <= given <= kind.high:
            return given
        case Kind.FLOATING if given in ("NaN", "Infinity", "-Infinity") or type(given) in (int, float):
            return float(given)
        case Kind.DECIMAL if not isinstance(given, bool):
            try:
                return Decimal(str(given)).quantize(Decimal(1).scaleb(-kind.scale), ROUND_HALF_UP)
            except InvalidOperation:
                raise MisfitError from None
        case Kind.DATE | Kind.TIMESTAMP if isinstance(given, str):
            try:
                moment = datetime.fromisoformat(given)
            except ValueError:
                raise MisfitError from None
            return moment.date() if kind.kind is Kind.DATE else moment.astimezone(UTC)
    raise MisfitError


# Who gets what


def in_force(subscription: Subscription, time: int) -> bool:
    """Whether a subscription is there at a time."""
    first, last = subscription.valid_from, subscription.valid_until
    return (first is None or first <= time) and (last is None or time < last)


def matching(
    subscriptions: Iterable[Subscription], topic: str, time: int, codes: Mapping[str, Code]
) -> list[Subscription]:
    """The subscriptions that want something that is made on a topic at a time."""
    return [s for s in subscriptions if s.query.topic == topic and in_force(s, time) and lies_in(s.query.box, codes)]


def received(deployment: Deployment, publications: Iterable[Publication], drawn: Drawn) -> dict[str, list[Publication]]:
    """Subscription -> the publications of ordinary topics that it sees, by time and id."""
    got: dict[str, list[Publication]] = {s.id: [] for s in deployment.subscriptions}
    for p in sorted(publications, key=lambda p: (p.time, p.id)):
        if deployment.topics[p.topic].merge is None:
            who = matching(deployment.subscriptions, p.topic, p.time, p.codes)
            for subscription in _chosen(deployment, p, who, drawn):
                got[subscription.id].append(p)
    return got


def _chosen(deployment: Deployment, p: Publication, who: list[Subscription], drawn: Drawn) -> list[Subscription]:
    """The k best of those who match."""
    k = p.advertisement.top_k and (p.wish or p.advertisement.top_k)
    if k is None or len(who) <= k:
        return who
    score = _scores(deployment, p, who)
    best = sorted(who, key=lambda s: (-score[s.id], s.id))
    rank = p.advertisement.rank
    if rank.fair is Fairness.NONE and rank.by is not BoxScore.DIVERSE:
        return best[:k]
    # Who is drawn is a matter of luck (and of the last digit of a distance), how well they score is not.
    lucky = [s for s in who if s.id in drawn[p.id]]
    assert len(set(drawn[p.id])) == len(lucky) == k, f"{p.id} goes to {k} of those who match, and to nobody else"
    wanted = [score[s.id] for s in best[:k]]
    reached = sorted((score[s.id] for s in lucky), reverse=True)
    same = [math.isclose(a, b, rel_tol=1e-9) for a, b in zip(wanted, reached, strict=True)]
    assert wanted == reached or (rank.by is BoxScore.DIVERSE and all(same)), f"{p.id} goes to the best"
    return lucky


def _scores(deployment: Deployment, p: Publication, who: Sequence[Subscription]) -> dict[str, float]:
    """What each of those who match scores."""
    by, offered = p.advertisement.rank.by, p.advertisement.box
    topic = deployment.topics[p.topic]
    everybody = [s for s in deployment.subscriptions if s.query.topic == p.topic]
    measured = sorted({field for s in everybody for field in s.query.box.fields})
    wanted = {  # subscription -> for each measured field what it wants of what is offered
        s.id: [stretches(topic.fields[field], [s.query.box.on(field), offered.on(field)]) for field in measured]
        for s in who
    }
    if by is BoxScore.AREA:
        return {id_: math.prod(map(room, mine)) for id_, mine in wanted.items()}
    if by is BoxScore.DIVERSE:
        return {
            id_: math.fsum(_distance(mine, theirs) for other, theirs in wanted.items() if other != id_)
            for id_, mine in wanted.items()
        }
    if isinstance(by, Expression):
        fields = {name: _number(p.values.get(name)) for name in topic.fields}
        return {s.id: rank_of(value_of(by, fields, dict(s.attributes))) for s in who}
    return {s.id: 0.0 for s in who}


def _number(value: Any) -> Any:
    """A value as scores take it."""
    if isinstance(value, datetime):
        return (value - EPOCH) / MICROSECOND / 1e6
    return float(value) if isinstance(value, int | float | Decimal) and not isinstance(value, bool) else value


def _distance(one: Sequence[Stretches], other: Sequence[Stretches]) -> float:
    """How little two boxes have in common, on average over fields."""
    total = 0.0
    for mine, theirs in zip(one, other, strict=True):
        common = sum(max(min(b, d) - max(a, c), 0.0) for a, b in mine for c, d in theirs)
        either = sum(b - a for a, b in mine) + sum(d - c for c, d in theirs) - common
        total += 1.0 - common / either if either > 0.0 else 0.0
    return total / max(len(one), 1)


# What it is told


def told(subscription: Subscription, topic: Topic, got: Sequence[Publication]) -> list[Delivery]:
    """The notifications of a subscription that sees some publications, which are in order."""
    query = subscription.query
    if query.aggregation is not None:
        return _results(subscription, topic, [Seen(p.time, p.values, p.codes) for p in got])
    hurried = [p for p in got if not query.every or (subscription.urgent and lies_in(subscription.urgent, p.codes))]
    found = [
        Delivery(subscription.id, "event", p.id, p.time, None, None, canonical(_shown(subscription, p.values)))
        for p in hurried
    ]
    cycles: dict[int, list[Any]] = defaultdict(list)
    for p in got:
        if query.every and p not in hurried:
            cycles[p.time - p.time % query.every].append(_shown(subscription, p.values))
    for start, events in cycles.items():
        assert query.every is not None
        end = start + query.every
        found.append(Delivery(subscription.id, "digest", "", end, start, end, canonical({"events": events})))
    return found


class Seen(NamedTuple):
    """What a window counts: a publication, or a whole event."""

    time: int
    values: Values
    codes: Mapping[str, Code]


def _results(subscription: Subscription, topic: Topic, seen: Sequence[Seen]) -> list[Delivery]:
    """The results of all windows, from what lies in them."""
    aggregation = subscription.query.aggregation
    assert aggregation is not None
    windows: list[tuple[int, int, list[Seen]]] = []
    if isinstance(aggregation.window, CountWindow):
        size, shift = aggregation.window.size, aggregation.window.shift
        for first in range(0, len(seen) - size + 1, shift):
            inside = list(seen[first : first + size])
            windows.append((inside[0].time, inside[-1].time, inside))
    else:
        window = aggregation.window
        starts = {start for one in seen for start in _starts(window, one.time)}
        for start in starts:
            inside = [one for one in seen if start <= one.time < start + window.duration]
            windows.append((start, start + window.duration, inside))
    found = []
    for start, end, inside in windows:
        results = {o.name: computed(o, topic, inside) for o in aggregation.outputs}
        found.append(Delivery(subscription.id, "window", "", end, start, end, canonical(results)))
    return found


def _starts(window: TimeWindow, time: int) -> list[int]:
    """The starts of the windows that a time lies in."""
    found = []
    start = (time - window.start) // window.slide * window.slide + window.start
    while start + window.duration > time:
        found.append(start)
        start -= window.slide
    return found


def _shown(subscription: Subscription, values: Values) -> dict[str, Any]:
    """The fields that a subscription selects."""
    columns = subscription.query.columns
    return dict(values) if columns is None else {name: values.get(field) for name, field in columns}


def canonical(payload: Any) -> str:
    """A payload in the one spelling that is compared: numbers are numbers, what is missing is not there."""
    return json.dumps(_plain(payload), sort_keys=True)


def _plain(value: Any) -> Any:
    match value:
        case None | bool() | str():
            return value
        case int() | float() | Decimal():
            number = float(value)
            return number if math.isfinite(number) else {"inf": "Infinity", "-inf": "-Infinity"}.get(str(number), "NaN")
        case datetime():
            return value.isoformat(timespec="microseconds").replace("+00:00", "Z")
        case date():
            return value.isoformat()
        case Mapping():
            return {name: _plain(inner) for name, inner in value.items() if inner is not None}
    return [_plain(inner) for inner in value]


# Functions


def computed(output: Output, topic: Topic, seen: Sequence[Seen]) -> Any:
    """The value of an aggregate function, None if there is none."""
    if output.field is None:
        return len(seen)
    kind = topic.fields[output.field]
    values = [one.values[output.field] for one in seen if output.field in one.values]
    codes = sorted(one.codes[output.field] for one in seen if output.field in one.codes)
    match output.function:
        case functions.Count():
            return len(values)
        case functions.CountDistinct() | ApproxCountDistinct():
            return len(set(codes))
        case functions.Extreme(largest=largest):
            return kind.value(codes[-1 if largest else 0]) if codes else None
        case functions.Sum():
            return _sum(kind, values) if values else None
        case functions.Avg():
            return _mean(kind, values) if values else None
        case functions.Variance(sample=sample, root=root):
            return _variance([_exact(v) for v in values], sample, root)
        case functions.Median():
            return _median([float(kind.value(code)) for code in codes])  # type: ignore[arg-type]
        case ApproxPercentile(percentages=float(part)):  # exact for so few values
            return kind.value(codes[max(math.ceil(part * len(codes)) - 1, 0)]) if codes else None
    raise AssertionError(f"the judge does not know {output.function}")


def _exact(value: Any) -> Fraction | None:
    """A number exactly, None if it is none."""
    return Fraction(value) if math.isfinite(value) else None


def _sum(kind: FieldType, values: Sequence[Any]) -> Any:
    if kind.kind is not Kind.FLOATING:
        return sum(values)
    special = [value for value in values if not math.isfinite(value)]
    if special:
        return special[0] if len(set(map(str, special))) == 1 else math.nan
    return math.fsum(values)


def _mean(kind: FieldType, values: Sequence[Any]) -> Any:
    if kind.kind is Kind.DECIMAL:
        places = Decimal(1).scaleb(-kind.scale - 4)
        return (sum(values, Decimal(0)) / len(values)).quantize(places, ROUND_HALF_UP)
    return _sum(kind, values) / len(values)


def _variance(values: Sequence[Fraction | None], sample: bool, root: bool) -> float | None:
    divisor = len(values) - 1 if sample else len(values)
    if divisor <= 0:
        return None
    if None in values:
        return math.nan
    there = [value for value in values if value is not None]
    mean = sum(there) / len(there)
    variance = float(sum((value - mean) ** 2 for value in there) / divisor)
    return math.sqrt(variance) if root else variance


def _median(ordered: Sequence[float]) -> float | None:
    if not ordered:
        return None
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return low if low == high or math.isnan(low) else 0.5 * low + 0.5 * high


# Merged events


@dataclass(frozen=True)
class Report:
    """A report as the judge of events takes it, and what the payload says of it."""

    said: Said
    publication: Publication


def told_of_events(
    subscriptions: Sequence[Subscription], topic: Topic, publications: Sequence[Publication]
) -> list[Delivery]:
    """Everything that subscriptions to a merged topic must get."""
    mine = [s for s in subscriptions if s.query.topic == topic.name]
    found: list[Delivery] = []
    closed: list[Seen] = []
    for event in events(topic, publications):
        closed.append(event.whole(topic))
        found += _growing([s for s in mine if s.query.aggregation is None], topic, event)
    for subscription in mine:
        if subscription.query.aggregation is not None:
            seen = [e for e in closed if matching([subscription], topic.name, e.time, e.codes)]
            found += _results(subscription, topic, seen)
    return found


@dataclass(frozen=True)
class MergedEvent:
    """An event: its reports in order, with everything known of it from the start; and its facts as they came up."""

    key: tuple[Code, ...]
    began: int
    closes: int
    reports: Sequence[Said]
    facts: Mapping[tuple[str, Code], tuple[int, str]]  # fact -> when and by whom it was first reported

    def whole(self, topic: Topic) -> Seen:
        """The closed event as it is counted: the values that came up last, at the time when it closes."""
        codes = dict(self.facts.keys())  # of one field, later values come later
        codes[topic.time] = self.closes
        return Seen(self.closes, {field: topic.fields[field].value(code) for field, code in codes.items()}, codes)


def events(topic: Topic, publications: Sequence[Publication]) -> list[MergedEvent]:
    """The events of a merged topic, in the order in which windows count them: when they close, then by their names."""
    merge = topic.merge
    assert merge is not None
    said, by_id = [], {p.id: p for p in publications}
    for p in publications:
        facts = frozenset((field, code) for field, code in p.codes.items() if field != topic.time)
        said.append(Said(p.time, p.id, "", tuple(p.codes[field] for field in merge.key), facts))  # type: ignore[arg-type]
    found = []
    for reports in events_of(said, merge.within):
        began, own = reports[0].time, (topic.time, reports[0].time)
        facts: dict[tuple[str, Code], tuple[int, str]] = {}
        for report in reports:
            codes = by_id[report.id].codes
            there = [(field, codes[field]) for field in topic.fields if field in codes and field != topic.time]
            for fact in [*there, own]:
                facts.setdefault(fact, (report.time, by_id[report.id].advertisement.publisher))
        everything = [Said(r.time, r.id, r.at, r.key, r.facts | {own}) for r in reports]
        found.append(MergedEvent(reports[0].key, began, began + merge.within, everything, facts))  # type: ignore[arg-type]
    return sorted(found, key=lambda event: (event.closes, f"{event.key!r}@{event.began}"))


def wish_of(subscription: Subscription, topic: Topic) -> Wish:
    """A subscription to a merged topic, as the judge of events takes it."""
    merge, query = topic.merge, subscription.query
    assert merge is not None

    def on_key(key: Any) -> bool:
        return all(allowed(query.box.on(field), code) for field, code in zip(merge.key, key, strict=True))

    fields = None if query.columns is None else frozenset(field for _, field in query.columns)
    return Wish(
        subscription.id,
        "",
        query.every or 0,
        lambda facts: _holds(query.box, facts),
        None if subscription.urgent is None else lambda facts: _holds(subscription.urgent, facts),
        subscription.valid_from,
        subscription.valid_until,
        fields,
        on_key,
    )


def _holds(box: Box | None, facts: Facts) -> bool:
    """Whether each condition holds for some value of its field."""
    assert box is not None
    for field, constraint in box.constraints:
        values = [code for name, code in facts if name == field]
        if not (any(allowed(constraint, code) for code in values) or (not values and constraint.missing)):
            return False
    return True


def _growing(subscriptions: Sequence[Subscription], topic: Topic, event: MergedEvent) -> list[Delivery]:
    """What those are told of an event who do not compute with it."""
    by_id = {s.id: s for s in subscriptions}
    found = []
    for moment in moments_of(event.reports, [wish_of(s, topic) for s in subscriptions]):
        for wish, new in moment.told:
            payload = canonical(_story(by_id[wish.id], topic, event, moment.known, new))
            found.append(Delivery(wish.id, "merged", "", moment.time, event.began, event.closes, payload))
    return found


def _story(subscription: Subscription, topic: Topic, event: MergedEvent, known: Facts, new: Facts) -> dict[str, Any]:
    """The payload of a notification about an event of which some facts are known."""
    merge, columns = topic.merge, subscription.query.columns
    assert merge is not None
    called = {field: field for field in topic.fields} if columns is None else {field: name for name, field in columns}
    values: dict[str, list[Any]] = {}
    added = []
    for fact, (time, publisher) in event.facts.items():
        field, code = fact
        if field not in called or fact not in known:
            continue
        value = topic.fields[field].value(code)
        values.setdefault(called[field], []).append(value)
        if fact in new:
            when = EPOCH + time * MICROSECOND
            added.append({"field": called[field], "value": value, "time": when, "publisher": publisher})
    history = {name: some for name, some in values.items() if len(some) > 1}
    return {
        "key": {field: topic.fields[field].value(code) for field, code in zip(merge.key, event.key, strict=True)},
        "new": added,
        "latest": {name: some[-1] for name, some in values.items()},
        "history": history or None,
    }
