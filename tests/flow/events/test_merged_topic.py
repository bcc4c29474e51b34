"""Merged topics in the whole walk: aggregates see each event once, other topics do not notice, cuts do not matter."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sparing.control.plan import Plan, make_plan
from sparing.flow.walk import Walk
from sparing.model.bill import total
from sparing.model.box import Box
from sparing.model.constraint import one_of
from sparing.model.merge import Merge
from sparing.model.overlay import Link, Overlay
from sparing.model.policy import EventMerging, PlacementRule, Policy
from sparing.model.subscription import Advertisement, Aggregation, Query, Subscription
from sparing.model.types import STRING
from sparing.model.window import CountWindow, TimeWindow
from tests.flow import strategies
from tests.flow.strategies import TOPICS, batches, events_of, results_of
from tests.judges.events import Said
from tests.judges.events import events_of as grouped
from tests.judges.overlay import Publication

WITHIN = 6
POLICIES = [
    Policy(),
    Policy(placement=PlacementRule.REPLAY, partitions=3),
    Policy(placement=1, active_aggregators=1),
    Policy(events=EventMerging.AGELE),
    Policy(events=EventMerging.SIENA, partitions=2),
]
MERGED = {**TOPICS, "t": replace(TOPICS["t"], merge=Merge(("s",), WITHIN, cycle=1))}


@st.composite
def cases(draw: st.DrawFn) -> tuple[Plan, list[Publication]]:
    """A plan in which t is merged by s, and what is published; nothing on t without a key."""
    plan = draw(strategies.plans())
    policy = replace(draw(st.sampled_from(POLICIES)), decision=plan.policy.decision, tree=plan.policy.tree)
    merged = replace(plan, topics=MERGED, policy=policy)
    return merged, [p for p in draw(strategies.published(plan)) if p.topic != "t" or p.s is not None]


def closed(publications: list[Publication]) -> list[Publication]:
    """Every event as a publication of the values that were first reported last, made when it closes."""
    by_id = {p.id: p for p in publications}
    found = []
    for event in grouped([Said(p.time, p.id, p.at, p.s, frozenset()) for p in publications], WITHIN):
        reports = [by_id[said.id] for said in event]
        values: dict[str, list[object]] = {"x": [], "y": []}
        for report in reports:
            for name, seen in values.items():
                value = getattr(report, name)
                if value is not None and value not in seen:
                    seen.append(value)
        latest = {name: seen[-1] if seen else None for name, seen in values.items()}
        first = reports[0]
        found.append(Publication(f"{first.s}{first.time}", first.time + WITHIN, first.at, s=first.s, **latest))
    return found


def aggregates(plan: Plan, results: list) -> list:
    """The results of aggregate subscriptions on t."""
    mine = {s.id for s in plan.subscriptions if s.query.topic == "t" and s.query.aggregation is not None}
    return [result for result in results if result[0] in mine]


@given(cases())
def test_aggregates_see_each_event_once_when_it_closes(case):
    plan, publications = case
    delivered = Walk(plan).feed(batches(plan, publications))
    plain = replace(plan, topics=TOPICS)
    whole = closed([p for p in publications if p.topic == "t"])
    expected = Walk(plain).feed(batches(plain, whole))
    assert aggregates(plan, results_of(plan, [delivered])) == aggregates(plan, results_of(plain, [expected]))


@given(cases())
def test_other_topics_do_not_notice(case):
    plan, publications = case
    delivered = Walk(plan).feed(batches(plan, publications))
    plain = replace(plan, topics=TOPICS)
    expected = Walk(plain).feed(batches(plain, [p for p in publications if p.topic == "u"]))
    mine = {s.id for s in plan.subscriptions if s.query.topic == "u"}
    assert events_of(plan, [delivered]) == events_of(plain, [expected])
    assert [r for r in results_of(plan, [delivered]) if r[0] in mine] == results_of(plain, [expected])


@given(st.data())
def test_cuts_do_not_matter(data):
    plan, publications = data.draw(cases())
    whole = Walk(plan).feed(batches(plan, publications))
    walk = Walk(plan)
    parts = [walk.feed(batches(plan, cut.publications), cut.until) for cut in data.draw(strategies.cuts(publications))]
    assert results_of(plan, parts) == results_of(plan, [whole])
    told = sorted((t.time, t.start, t.subscriptions, t.payload) for part in parts for t in part.merged)
    assert told == sorted((t.time, t.start, t.subscriptions, t.payload) for t in whole.merged)
    assert total(part.bill for part in parts) == whole.bill
    assert not any(part.late_reports for part in parts)


@given(st.data())
def test_late_reports_are_set_aside_and_change_nothing(data):
    plan, publications = data.draw(cases())
    cuts = data.draw(strategies.cuts(publications, late=True))
    walk, parts, kept, time = Walk(plan), [], [], None
    late = set()
    for cut in cuts:
        parts.append(walk.feed(batches(plan, cut.publications), cut.until))
        for p in cut.publications:
            if time is not None and p.time < time:
                late.add(p.id)
            else:
                kept.append(p)
        time = cut.until
    found = {id_ for part in parts for some in part.late_reports for id_ in some.id.tolist()}
    assert found == {p.id for p in publications if p.id in late and p.topic == "t"}
    whole = Walk(plan).feed(batches(plan, kept))
    told = sorted((t.time, t.start, t.subscriptions, t.payload) for part in parts for t in part.merged)
    assert told == sorted((t.time, t.start, t.subscriptions, t.payload) for t in whole.merged)


def test_how_long_links_are_patient_does_not_depend_on_where_events_of_a_batch_were_merged():
    """The first event is counted at a, where it was published; only the second also at c, where nobody publishes."""
    outputs = (strategies.OUTPUTS["n"],)
    at_c = Box.of({"s": one_of(STRING, ["b"])})
    assert at_c is not None
    subscriptions = (
        Subscription("s0", "A", Query("t", Box(), aggregation=Aggregation(outputs, TimeWindow(5, 5)))),
        Subscription("s1", "C", Query("t", at_c, aggregation=Aggregation(outputs, CountWindow(1, 1)))),
    )
    plan = make_plan(
        Overlay(("a", "b", "c"), (Link("a", "b"), Link("b", "c"))),
        MERGED,
        (Advertisement("pa", "a", "t", Box()),),
        {"A": ("a",), "C": ("c",)},
        subscriptions,
        bucket=1,
        policy=Policy(decision="patience", patience=3, events=EventMerging.SIENA),
    )
    first, second = Publication("0", 0, "a", s="a"), Publication("1", 20, "a", s="b")
    whole, walk = Walk(plan).feed(batches(plan, [first, second])), Walk(plan)
    parts = [walk.feed(batches(plan, [first]), 15), walk.feed(batches(plan, [second]))]
    assert total(part.bill for part in parts) == whole.bill
