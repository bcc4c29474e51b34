"""The static optimum: right results, and on every link the fewest messages that any policy could send there."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest
import yaml
from hypothesis import event, given, settings

from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.flow.arrival.at_once import AtOnce
from sparing.flow.interests import Interests
from sparing.flow.links.static import Static, check_order
from sparing.flow.walk import Walk
from sparing.flow.windows.window_walk import WindowWalk
from sparing.model.errors import SparingError
from sparing.model.types import END_OF_TIME
from tests.docs.pages import ROOT
from tests.flow import strategies
from tests.flow.links.graphs import Inputs, complete_graphs, decided_messages, fewest_messages
from tests.flow.links.known import ADOCK, STATIC
from tests.flow.links.seeded import seeded_case
from tests.flow.strategies import batches
from tests.flow.test_walk import cases, check_delivered, sliding_cases
from tests.judges import overlay as judge
from tests.judges.policies import Judge
from tests.messages import refused
from tests.tries import tries

SEEDS = range(6)


@dataclass(frozen=True)
class Noted(Static):
    """Static, with its decisions written down: (link, end, subscription) -> aggregate."""

    name: str = STATIC.name
    rule: int = STATIC.rule
    whole_trace: bool = True
    decisions: dict = field(default_factory=dict)

    def table(self, arrays, links, subscriptions):
        found = super().table(arrays, links, subscriptions)
        for (link, nwr), aggregate in np.ndenumerate(found):
            key = int(links[link]), int(arrays.nwrs["end"][nwr]), int(subscriptions[nwr])
            self.decisions[key] = bool(aggregate)
        return found


class LookedUp(Judge):
    """Takes the decisions that were written down."""

    def __init__(self, decisions):
        self.decisions = decisions

    def aggregate(self, view):
        return self.decisions[view.number, view.nwr.end, view.subscription]


def bound(plan, policy, publications):
    """Link -> the fewest messages that had to be decided on, as the overlay works them out along with a policy."""
    interests = Interests(plan, policy)
    overlay, at_once = WindowWalk(interests), AtOnce(interests)
    held = {}
    for batch in batches(plan, publications):
        for arrival in at_once.arrive(batch):
            for group, matched in arrival.held.items():
                held.setdefault(group, []).append(matched)
    least = Counter()
    for arrivals in held.values():
        least.update(overlay.advance(None, arrivals, END_OF_TIME, bound=True)[1].least)
    names = {number: link for link, number in judge.link_numbers(plan).items()}
    return Counter({names[number]: messages for number, messages in least.items()})


def check_optimal(plan, publications, policies):
    """Static sends on every link what the bound says, and no policy sends less on any link."""
    least = fewest_messages(complete_graphs(plan, publications))
    assert bound(plan, STATIC, publications) == least
    assert bound(plan, ADOCK, publications) == least
    delivered = Walk(plan, STATIC).feed(batches(plan, publications))
    check_delivered(plan, publications, [delivered])
    assert decided_messages(plan, publications, delivered.bill) == least
    for policy in policies:
        bill = Walk(plan, policy).feed(batches(plan, publications)).bill
        assert decided_messages(plan, publications, bill) >= least, policy.name
    return least


def check_own_inputs(plan, publications):
    """On every link static sends a minimum vertex cover of what came to that link under its own decisions upstream."""
    static = Noted()
    delivered = Walk(plan, static).feed(batches(plan, publications))
    inputs = Inputs(LookedUp(static.decisions))
    slow = judge.slow_walk(plan, publications, inputs)
    assert delivered.bill == slow.bill
    assert decided_messages(plan, publications, delivered.bill) == fewest_messages(inputs.graphs)
    return slow


SHARED = cases(tree="shared") | sliding_cases(tree="shared")


@given(SHARED, strategies.policies | strategies.patient)
@settings(max_examples=tries(100))
def test_static_is_the_global_optimum_on_every_link_at_once(case, policy):
    least = check_optimal(*case, [policy])
    event(f"links with something to decide: {min(len(least), 4)}")


@given(cases(tree="per-source") | sliding_cases(tree="per-source"), strategies.policies)
@settings(max_examples=tries(60))
def test_so_it_is_with_a_tree_per_source_unless_links_feed_each_other_in_a_circle(case, policy):
    plan, publications = case
    try:
        check_order(plan)
    except SparingError:
        event("in a circle")
        return
    event("one after the other")
    check_optimal(plan, publications, [policy])


def test_links_that_may_feed_each_other_in_a_circle_are_refused_beforehand():
    what = yaml.safe_load((ROOT / "docs" / "examples" / "ring.yaml").read_text())
    brokers = what["overlay"]["brokers"]
    ring = [[one, other] for one, other in zip(brokers, [*brokers[1:], brokers[0]], strict=True)]
    what["overlay"]["links"] = ring
    what["publishers"] = [{"id": f"p{b}", "at": b, "topic": "alarms"} for b in brokers]
    what["subscribers"] = [{"id": b, "at": b} for b in brokers]
    what["subscriptions"] = [{"id": b, "subscriber": b, "sql": "SELECT * FROM alarms"} for b in brokers]
    with refused("cycle"):
        check_order(plan_of(Deployment.of(what)))
    check_order(plan_of(Deployment.of(what | {"policy": {"tree": "shared"}})))


@given(SHARED)
@settings(max_examples=tries(60))
def test_every_link_sends_a_minimum_vertex_cover_of_what_came_to_it(case):
    slow = check_own_inputs(*case)
    event(f"half settled and forwarded: {min(slow.half_settled, 3)}")


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_on_larger_cases(seed):
    plan, publications = seeded_case(seed)
    check_optimal(plan, publications, strategies.known)
    check_own_inputs(plan, publications)
