"""Small worlds of merged events: trees, subscribers with cycles, reports, outages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sparing.control.plan import Plan, make_plan
from sparing.flow.events.context import EventStep, EventWatcher, MergeContext
from sparing.flow.events.downward import Notice
from sparing.flow.events.event import Event
from sparing.flow.events.reports import Report
from sparing.flow.events.walk import EventOutcome, EventState, EventWalk
from sparing.language.parse import parse_filter
from sparing.model.bill import Bill, total
from sparing.model.box import Box
from sparing.model.merge import Merge, Outage, RedundancyRule
from sparing.model.overlay import Link, Overlay
from sparing.model.policy import Policy
from sparing.model.subscription import Advertisement, Query, Subscription
from sparing.model.topic import Topic
from sparing.model.types import BEGINNING, END_OF_TIME, INT, STRING, TIMESTAMP
from tests.judges.events import Facts, Heard, Said, Wish, events_of

FIELDS = {"k": STRING, "a": INT, "b": INT, "c": INT, "ts": TIMESTAMP}
WITHIN = 20
BUCKET = 7


@dataclass(frozen=True)
class Sub:
    """A subscription: conditions on the fields as SQL."""

    id: str
    at: str
    every: int = 0
    where: str = "true"
    urgent: str | None = None
    since: int | None = None
    until: int | None = None
    fields: tuple[str, ...] | None = None

    def subscription(self) -> Subscription:
        """As the plan takes it."""
        box = _box(self.where)
        urgent = None if self.urgent is None else _box(self.urgent)
        columns = None if self.fields is None else tuple((name, name) for name in self.fields)
        query = Query("t", box, columns, every=self.every or None)
        return Subscription(self.id, f"u-{self.id}", query, self.since, self.until, urgent=urgent)

    def wish(self) -> Wish:
        """As the judge takes it."""
        urgent = None if self.urgent is None else _holds(self.urgent)
        fields = None if self.fields is None else frozenset(self.fields)
        on_key = dict(_box(self.where).constraints).get("k")
        wants = None if on_key is None else on_key.admits
        return Wish(self.id, self.at, self.every, _holds(self.where), urgent, self.since, self.until, fields, key=wants)


def _box(where: str) -> Box:
    return parse_filter(where, FIELDS, "t")


def _holds(where: str) -> Any:
    box = _box(where)

    def holds(facts: Facts) -> bool:
        for field, constraint in box.constraints:
            values = [value for name, value in facts if name == field]
            if not (any(constraint.admits(v) for v in values) or (not values and constraint.missing)):
                return False
        return True

    return holds


def plan_for(
    links: Sequence[tuple[str, str]],
    subs: Sequence[Sub],
    publishers: Sequence[str],
    policy: Policy | None = None,
    outages: Sequence[Outage] = (),
    compare: RedundancyRule = RedundancyRule.VALUE,
    within: int = WITHIN,
    more: Sequence[Subscription] = (),
    homes: Mapping[str, tuple[str, ...]] | None = None,
    bucket: int = BUCKET,
) -> Plan:
    """The plan of a tree of brokers."""
    brokers = sorted({end for link in links for end in link} | {s.at for s in subs} | set(publishers))
    topic = Topic("t", "ts", FIELDS, Merge(("k",), within, compare, 1))
    return make_plan(
        Overlay(tuple(brokers), tuple(Link(*link) for link in links)),
        {"t": topic},
        tuple(Advertisement(f"p-{broker}", broker, "t", Box()) for broker in publishers),
        {f"u-{s.id}": (s.at,) for s in subs} | dict(homes or {}),
        tuple(s.subscription() for s in subs) + tuple(more),
        bucket=bucket,
        policy=policy,
        outages=tuple(outages),
    )


def report_of(plan: Plan, said: Said) -> Report:
    """A report as the walk takes it."""
    number = {name: at for at, name in enumerate(FIELDS)}
    values = [
        (number["k"], said.key),
        *((number[name], value) for name, value in said.facts if name not in ("k", "ts")),
    ]
    at = plan.routes.number[said.at]
    return Report(said.time, said.id, f"p-{said.at}", at, (said.key,), tuple(sorted(values)))


@dataclass
class Walked:
    """What came of a walk."""

    heard: list[Heard]
    bill: Bill
    outcomes: list[EventOutcome]
    state: EventState


@dataclass(frozen=True)
class Batch:
    """What arrives in a micro-batch, and how far event time has got after it."""

    reports: tuple[Said, ...]
    until: int


def cut(reports: Sequence[Said], cuts: Sequence[int] = (), last: int = END_OF_TIME) -> list[Batch]:
    """Batches that end at some times; every report is in the first that it can be in."""
    ends = [BEGINNING, *sorted(cuts), last]
    return [Batch(tuple(r for r in reports if before <= r.time < end), end) for before, end in pairwise(ends)]


def walk(
    plan: Plan,
    reports: Sequence[Said],
    cuts: Sequence[int] = (),
    watcher: EventWatcher | None = None,
    last: int = END_OF_TIME,
) -> Walked:
    """Walk through all reports, in batches that end at `cuts`."""
    return walk_batches(plan, cut(reports, cuts, last), watcher)


def walk_batches(
    plan: Plan,
    batches: Sequence[Batch],
    watcher: EventWatcher | None = None,
    between: Callable[[EventState], EventState] = lambda state: state,
) -> Walked:
    """Walk through batches; what is remembered goes through `between` after each."""
    walker = EventWalk(MergeContext(plan, "t", watcher))
    state: EventState | None = None
    outcomes = []
    for batch in batches:
        state, outcome = walker.advance(state, [report_of(plan, said) for said in batch.reports], batch.until)
        outcomes.append(outcome)
        state = between(state)
    assert state is not None
    heard = [h for outcome in outcomes for notice in outcome.notices for h in heard_of(plan, notice)]
    return Walked(heard, total(outcome.bill for outcome in outcomes), outcomes, state)


def heard_of(plan: Plan, notice: Notice) -> list[Heard]:
    """A notice as the judge has it."""
    names = list(FIELDS)
    facts = frozenset((names[f.field], f.code) for f in notice.event.members(notice.new))
    event = notice.event
    who = [plan.subscriptions[number].id for number in notice.audience.members]
    return [Heard(one, str(event.key[0]), event.began, notice.time, facts) for one in who]


def with_own(reports: Sequence[Said], within: int = WITHIN) -> list[Said]:
    """Reports with the facts that the judge must know of: the key, and when the event began."""
    return [
        Said(r.time, r.id, r.at, r.key, r.facts | {("k", r.key), ("ts", event[0].time)})
        for event in events_of(reports, within)
        for r in event
    ]


class Eyes:
    """A watcher that remembers everything, with the names of brokers."""

    def __init__(self, plan: Plan) -> None:
        self.names = (*plan.routes.brokers, "")  # -1 is nobody
        self.seen: list[tuple[int, str, str, str]] = []  # time, what, broker, target
        self.by_event: dict[tuple[str, int], list[tuple[int, str, str, str]]] = {}

    def see(self, event: Event, happening: EventStep) -> None:
        """Something happened."""
        found = (happening.time, happening.what, self.names[happening.broker], self.names[happening.target])
        self.seen.append(found)
        self.by_event.setdefault((str(event.key[0]), event.began), []).append(found)

    def what(self, *kinds: str) -> list[tuple[int, str, str, str]]:
        """All that happened of some kinds."""
        return [found for found in self.seen if found[1] in kinds]
