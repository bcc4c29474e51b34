"""The city of `docs/examples/everything.yaml` under policies in which every two choices occur together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, groupby, product

import pytest
import yaml

from sparing.control.plan import Plan
from sparing.control.routing.billing import control_bill
from sparing.deployment.planning import plan_of
from sparing.model.bill import total
from sparing.model.errors import SparingError
from tests.docs.pages import ROOT
from tests.judges import everything
from tests.messages import missing
from tests.together import running
from tests.together.checks import in_a_circle, told_apart
from tests.together.deployments import World
from tests.together.policies import CHOICES, NAIVE, every_policy, pairs, pairwise_policies, policy_of
from tests.tries import thorough_only

EXAMPLES = ROOT / "docs" / "examples"
BY_LOT = ("o03", "o05")
Case = tuple[dict, Plan]  # a policy, and the plan under it


@lru_cache
def city(outages: bool) -> World:
    """The example, as it is or without outages."""
    what = yaml.safe_load((EXAMPLES / "everything.yaml").read_text())
    lines = [line for file in sorted((EXAMPLES / "everything").iterdir()) for line in file.read_text().splitlines()]
    dropped = {"source", "sink", "policy"} | (set() if outages else {"outages"})
    return World({key: value for key, value in what.items() if key not in dropped}, tuple(lines))


def check(world: World, cases: Iterable[Case]) -> None:
    """Under some policies everybody gets what the judge says, and every notification is on the bill."""
    deployment, wanted, sent = world.under({}), {}, set()
    for policy, plan in cases:
        if policy["decision"] == "static" and in_a_circle(plan):
            continue
        outcome = running.batch(plan, world.lines)
        lots = tuple(tuple(sorted(outcome.drawn[id_])) for id_ in BY_LOT)
        if lots not in wanted:
            wanted[lots] = everything.judged(deployment, world.lines, outcome.drawn)
        if deployment.outages:  # something may be told later
            assert told_apart(outcome.deliveries) == told_apart(wanted[lots]), policy
        else:
            assert outcome.deliveries == wanted[lots], policy
        assert outcome.bill.by_kind()["notification"] == len(outcome.deliveries), policy
        sent.add(outcome.bill.between_brokers())
    assert len(sent) > 10, "policies differ in what they cost"


@pytest.mark.parametrize("outages", [False, True], ids=["", "with outages"])
def test_every_two_choices_together(outages):
    world, policies = city(outages), map(policy_of, pairwise_policies())
    check(world, ((policy, plan_of(world.under(policy))) for policy in policies))


def test_the_control_plane_works_under_every_two_choices():
    world = city(outages=False)
    for policy in map(policy_of, pairwise_policies()):
        assert min(control_bill(plan_of(world.under(policy))).values()) > 0, policy


@thorough_only
def test_all_choices_together():
    check(city(outages=False), all_cases(city(outages=False)))


def all_cases(world: World) -> Iterator[Case]:
    """All policies; those that differ in the data plane alone share what the control plane worked out."""
    data = list(CHOICES).index("events")
    for _, some in groupby(every_policy(), key=lambda picked: picked[:data]):
        plan = None
        for policy in map(policy_of, some):
            if plan is None:
                plan = plan_of(world.under(policy))
            yield policy, replace(plan, policy=world.under(policy).policy)


def test_pairwise_policies_leave_no_two_choices_out():
    found = pairwise_policies()
    choices = [[(key, number) for number in range(len(some))] for key, some in enumerate(CHOICES.values())]
    wanted = {pair for one, other in combinations(choices, 2) for pair in product(one, other)}
    assert set().union(*map(pairs, found)) == wanted
    assert len(found) < 70


def test_the_example_has_everything_in_it():
    """Everybody gets something, of every kind; messages of all kinds are sent, fewer than if all were sent raw."""
    what = yaml.safe_load((EXAMPLES / "everything.yaml").read_text())
    world = city(outages=True)
    plan = plan_of(world.under(what["policy"]))
    outcome = running.batch(plan, world.lines)
    assert {d.kind for d in outcome.deliveries} == {"event", "window", "digest", "merged"}
    assert {d.subscription for d in outcome.deliveries} == {s.id for s in plan.subscriptions}
    kinds = total([outcome.bill, control_bill(plan)]).by_kind()
    assert all(kinds.get(kind) for kind in ("publication", "result", "merged", "notification", "coordination"))
    assert [reason for _, reason in outcome.aside] == ["outside the advertisement", "wrong type", "no event key"]
    naive = running.batch(plan_of(world.under(NAIVE)), world.lines)
    assert outcome.bill.between_brokers() < naive.bill.between_brokers()


REFUSED = [
    ({"events": "agele", "placement": 1}, "agele placement"),
    ({"events": "siena", "active_aggregators": 2}, "siena active_aggregators"),
    ({"decision": "adock", "patience": "1 second"}, "adock patience"),
    ({"trees": "do", "gamma": 2.0}, "gamma trees ds"),
    ({"folding": "none", "theta": 3}, "theta folding mefa"),
    ({"folding": "spa", "delta": 0.5}, "spa delta folding mefa"),
]


@pytest.mark.parametrize(("policy", "parts"), REFUSED)
def test_choices_that_do_not_go_together_are_refused(policy, parts):
    with pytest.raises(SparingError) as caught:
        city(outages=False).under(policy)
    assert missing(str(caught.value), parts) == []


def test_static_is_refused_where_links_feed_each_other_in_a_circle():
    """Every other combination of choices works. That static is refused in a stream, too, is tested on Spark."""
    ring = [f"b{n}" for n in range(5)]
    counted = "SELECT count(*) FROM traffic GROUP BY window(ts, '1 minute')"
    what = city(outages=False).description | {
        "overlay": {"brokers": ring, "links": [list(link) for link in zip(ring, [*ring[1:], ring[0]], strict=True)]},
        "publishers": [{"id": broker, "at": broker, "topic": "traffic"} for broker in ring],
        "subscribers": [{"id": broker, "at": broker} for broker in ring],
        "subscriptions": [{"id": broker, "subscriber": broker, "sql": counted} for broker in ring],
    }
    for tree in ("per-source", "shared"):
        plan = plan_of(World(what, ()).under({"tree": tree, "decision": "static"}))
        assert in_a_circle(plan) == (tree == "per-source")
