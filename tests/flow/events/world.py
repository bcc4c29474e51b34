"""Small worlds of merged events: trees, subscribers with cycles, reports, outages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sparing.control.merging.policy import CAEVA, EventPolicy
from sparing.control.plan import Plan, make_plan
from sparing.flow.events.downward import Notice
from sparing.flow.events.reports import Report
from sparing.flow.events.scene import Scene, Watcher
from sparing.flow.events.walk import EventOutcome, EventState, EventWalk
from sparing.flow.step import BEGINNING, END_OF_TIME
from sparing.language.parse import parse_filter
from sparing.model.bill import Bill, total
from sparing.model.box import Box
from sparing.model.merge import Compare, Merge, Outage
from sparing.model.overlay import Link, Overlay
from sparing.model.subscription import Advertisement, Query, Subscription
from sparing.model.topic import Topic
from sparing.model.types import INT, STRING, TIMESTAMP
from tests.judges.events import Facts, Heard, Said, Wish

FIELDS = {"k": STRING, "a": INT, "b": INT, "c": INT, "ts": TIMESTAMP}
WITHIN = 20


@dataclass(frozen=True)
class Sub:
    """A subscription: conditions on the fields as SQL."""

    id: str
    at: str
    every: int = 0
    where: str = "true"
    urgent: str | None = None

    def subscription(self) -> Subscription:
        """As the plan takes it."""
        box = _box(self.where)
        urgent = None if self.urgent is None else _box(self.urgent)
        return Subscription(self.id, f"u-{self.id}", Query("t", box, every=self.every or None), urgent=urgent)

    def wish(self) -> Wish:
        """As the judge takes it."""
        return Wish(self.id, self.at, self.every, _holds(self.where), self.urgent and _holds(self.urgent) or None)


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
    policy: EventPolicy = CAEVA,
    outages: Sequence[Outage] = (),
    compare: Compare = Compare.VALUE,
    within: int = WITHIN,
    more: Sequence[Subscription] = (),
    homes: Mapping[str, tuple[str, ...]] | None = None,
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
        "adock",
        1000,
        events=policy,
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


def walk(
    plan: Plan,
    reports: Sequence[Said],
    cuts: Sequence[int] = (),
    watcher: Watcher | None = None,
    last: int = END_OF_TIME,
) -> Walked:
    """Walk through all reports, in batches that end at `cuts`."""
    walker = EventWalk(Scene(plan, "t", watcher))
    state: EventState | None = None
    outcomes, before = [], BEGINNING
    for until in (*sorted(cuts), last):
        now = [report_of(plan, said) for said in reports if before <= said.time < until]
        state, outcome = walker.advance(state, now, until, before)
        outcomes.append(outcome)
        before = until
    assert state is not None
    heard = [h for outcome in outcomes for notice in outcome.notices for h in heard_of(plan, notice)]
    return Walked(heard, total(outcome.bill for outcome in outcomes), outcomes, state)


def heard_of(plan: Plan, notice: Notice) -> list[Heard]:
    """A notice as the judge has it."""
    names = list(FIELDS)
    facts = frozenset((names[f.field], f.code) for f in notice.event.members(notice.new))
    event = notice.event
    who = [plan.subscriptions[number].id for number in notice.circle.members]
    return [Heard(one, str(event.key[0]), event.began, notice.time, facts) for one in who]


def with_own(reports: Sequence[Said]) -> list[Said]:
    """Reports with the facts that the judge must know of: the key, and when the event began."""
    from tests.judges.events import events_of

    return [
        Said(r.time, r.id, r.at, r.key, r.facts | {("k", r.key), ("ts", event[0].time)})
        for event in events_of(reports, WITHIN)
        for r in event
    ]
