"""Whole deployments at random: every subscriber gets what the naive judge says, whatever the policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from sparing.control.routing.billing import control_bill
from sparing.deployment.planning import plan_of
from sparing.flow.links import POLICIES
from sparing.model.errors import SparingError
from sparing.model.types import BEGINNING
from tests.judges import everything
from tests.together import deployments, running
from tests.together.checks import in_a_circle, told_apart
from tests.together.deployments import World
from tests.together.policies import NAIVE
from tests.together.running import Step, without_ids

Policy = Mapping[str, Any]


@given(deployments.worlds(), deployments.policies)
def test_everybody_gets_what_the_judge_says(world: World, policy: Policy) -> None:
    deployment = world.under(policy)
    plan = plan_of(deployment)
    if policy["decision"] == "static" and in_a_circle(plan):
        event("static, in a circle")
        return
    outcome = running.batch(plan, world.lines)
    assert outcome.deliveries == everything.judged(deployment, world.lines, outcome.drawn)
    assert Counter(outcome.aside) == Counter(everything.admitted(deployment, world.lines)[1])
    assert outcome.bill.by_kind().get("notification", 0) == len(outcome.deliveries)
    assert all(messages > 0 for messages in control_bill(plan).values())


@settings(max_examples=settings().max_examples // 2)
@given(deployments.worlds(), deployments.policies, st.data())
def test_cuts_change_neither_deliveries_nor_the_bill(world: World, policy: Policy, data: st.DataObject) -> None:
    """Neither in the walk, nor in the stages of a stream, which keep all that they remember packed."""
    assume(policy["decision"] != "static")  # for whole traces only
    deployment = world.under(policy)
    plan, cuts = plan_of(deployment), data.draw(deployments.cuts(world.lines))
    whole = running.batch(plan, world.lines)
    parts = running.batch(plan, world.lines, cuts)
    assert parts.deliveries == whole.deliveries
    assert parts.bill == whole.bill
    before = [BEGINNING, *(until for _, until in cuts[:-1])]
    streamed = running.stream([Step(deployment, some, now) for (some, _), now in zip(cuts, before, strict=True)])
    assert streamed.deliveries == without_ids(whole.deliveries)
    assert streamed.bill == whole.bill
    assert Counter(streamed.aside) == Counter(whole.aside)


@settings(max_examples=settings().max_examples // 2)
@given(deployments.worlds(outages=True), deployments.policies)
def test_outages_lose_nothing_and_tell_nothing_twice(world: World, policy: Policy) -> None:
    deployment = world.under(policy)
    try:
        plan = plan_of(deployment)
    except SparingError as error:
        if "that can merge events of" not in str(error):
            raise
        event("all would be down at once")
        return
    assume(policy["decision"] != "static" or not in_a_circle(plan))
    outcome = running.batch(plan, world.lines)
    assert told_apart(outcome.deliveries) == told_apart(everything.judged(deployment, world.lines, outcome.drawn))
    assert outcome.bill.by_kind().get("notification", 0) == len(outcome.deliveries)


@settings(max_examples=settings().max_examples // 2)
@given(deployments.worlds(), deployments.policies, st.sampled_from(sorted(POLICIES)))
def test_no_link_carries_less_than_under_static(world: World, policy: Policy, other: str) -> None:
    policy = {key: value for key, value in policy.items() if key != "patience"}
    plan = plan_of(world.under(policy | {"decision": "static"}))
    assume(not in_a_circle(plan))
    least = running.batch(plan, world.lines).bill.by_overlay_link()
    bill = running.batch(plan.with_policy(decision=other), world.lines).bill.by_overlay_link()
    assert all(messages <= bill.get(link, 0) for link, messages in least.items())


@settings(max_examples=settings().max_examples // 2)
@given(deployments.worlds(), deployments.policies)
def test_sending_everything_everywhere_delivers_the_same(world: World, policy: Policy) -> None:
    plan, naive = (plan_of(world.under(some)) for some in (policy, NAIVE))
    assume(policy["decision"] != "static" or not in_a_circle(plan))
    one, other = running.batch(plan, world.lines), running.batch(naive, world.lines)
    # Lots may fall otherwise where other brokers draw them, but as many publications go to as many.
    assert {id_: len(who) for id_, who in one.drawn.items()} == {id_: len(who) for id_, who in other.drawn.items()}
    alike = {s.id for s in plan.subscriptions} - {
        id_ for publication in one.drawn for id_ in one.drawn[publication] ^ other.drawn[publication]
    }
    mine, theirs = ([d for d in some.deliveries if d.subscription in alike] for some in (one, other))
    assert mine == theirs
