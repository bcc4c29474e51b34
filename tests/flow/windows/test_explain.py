"""Explanations say what the judge saw: what waited on each link for a window, and what was decided."""

import re

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from sparing.flow.arrival.at_once import AtOnce
from sparing.flow.interests import Interests
from sparing.flow.links import POLICIES
from sparing.flow.links.adock import Adock
from sparing.flow.links.policy import LinkPolicy
from sparing.flow.windows.explain import Explainer
from sparing.flow.windows.window_walk import WindowWalk
from sparing.model.box import Box
from sparing.model.types import END_OF_TIME
from tests.flow import strategies
from tests.flow.links.known import STATIC
from tests.flow.links.test_families import STEP, nwrs, published
from tests.flow.strategies import batches, judge_of
from tests.flow.test_walk import cases, sliding_cases
from tests.judges import overlay as judge
from tests.tries import tries

REASONS = {
    "publisher-edge": "always aggregates",
    "mixed": "mixed decides so by its own rule",
    "static": "the window is (in|not in) the minimum vertex cover",
    "bat": "(forwarding|aggregating) mode",
    "wad": "holds a partial result|the weights are .* = .*, (1 or more|less than 1)",
    "wad-live": "holds a partial result|the weights are .* = .*, (1 or more|less than 1)",
    "adock": "holds a partial result|every maximum matching|left over by a maximum matching|by the alternating path",
    "patience": "holds a partial result|every maximum matching|left over by a maximum matching|by the alternating path",
}


def explained(plan, policy, publications, subscription, end):
    """The decisions on one window, and when its subscriber is told."""
    interests = Interests(plan, policy)
    names, group_of = interests.groups
    at_once = AtOnce(interests)
    held = [arrival.held for batch in batches(plan, publications) for arrival in at_once.arrive(batch)]
    number = [s.id for s in plan.subscriptions].index(subscription)
    group = names[group_of[number]]
    explainer = Explainer(interests, number, end)
    arrivals = [found[group] for found in held if group in found]
    WindowWalk(interests).advance(None, arrivals, END_OF_TIME, watcher=explainer)
    return explainer


@given(cases() | sliding_cases(), strategies.decided | strategies.patient, st.data())
@settings(max_examples=tries(150))
def test_decisions_are_those_of_the_judge(case, policy, data):
    plan, publications = case
    slow = judge.slow_walk(plan, publications, judge_of(policy))
    if not slow.decided:
        return
    subscription, end = data.draw(st.sampled_from(sorted(slow.decided)))
    found = explained(plan, policy, publications, subscription, end).decisions
    told = [(d.source, d.target, len(d.publications), d.results, d.aggregated) for d in found]
    # Where one result waits alone, aggregating and forwarding are the same message.
    expected = [
        (*link, raw, results, True if (raw, results) == (0, 1) else decided)
        for *link, raw, results, decided in slow.decided[subscription, end]
    ]
    assert sorted(told) == sorted(expected)
    for decision in found:
        event(f"{policy.name}: {'aggregate' if decision.aggregated else 'forward'}")
        assert re.search(REASONS[policy.name], decision.why), decision.why
        if policy.name in ("adock", "patience") and not decision.results:
            essential = "every maximum matching" in decision.why
            assert essential == decision.aggregated
        if policy.name.startswith("wad") and not decision.results:
            assert ("1 or more" in decision.why) == decision.aggregated
        if decision.aggregated:
            assert decision.sent == 1


@given(sliding_cases(), st.data())
@settings(max_examples=tries(40))
def test_static_says_what_its_cover_was(case, data):
    plan, publications = case
    windows = [(s, end) for s, _, end, _ in judge.results(plan, publications)]
    if not windows:
        return
    subscription, end = data.draw(st.sampled_from(sorted(set(windows))))
    number = [s.id for s in plan.subscriptions].index(subscription)
    aggregation = plan.subscriptions[number].query.aggregation
    if aggregation is None or not hasattr(aggregation.window, "slide"):
        return
    for decision in explained(plan, STATIC, publications, subscription, end).decisions:
        assert re.search(REASONS["static"], decision.why)
        alone = not decision.publications and decision.results == 1
        assert alone or decision.aggregated == ("is in the" in decision.why)


@pytest.mark.parametrize("policy", [policy for policy in POLICIES.values() if not policy.at_once])
def test_every_policy_that_decides_has_a_reason(policy):
    assert type(policy).why is not LinkPolicy.why


class Another(Adock):
    """A policy that gives no reason: it decides as adock does."""

    name = "another"
    why = LinkPolicy.why


def test_a_policy_without_a_reason_is_explained_in_general():
    plan = nwrs([Box(), Box()])
    found = explained(plan, Another(), published([2, 1]), "N01", STEP).decisions
    assert [decision.why for decision in found] == ["another decides so by its own rule"]
