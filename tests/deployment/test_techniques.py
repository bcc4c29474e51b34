"""Techniques as settings: what is left out, what is used, and what cannot matter."""

from dataclasses import replace

from sparing.control.routing.billing import control_bill
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.deployment.techniques import naive, techniques
from sparing.model.policy import Policy
from tests.deployment.examples import toronto


def deployment(**changes):
    description = toronto()
    description["policy"] = {}
    return replace(Deployment.of(description), **changes)


def merging():
    description = toronto()
    description["topics"]["incidents"]["merge"] = {"key": "id", "within": "1 minute"}
    description["subscriptions"].append(
        {
            "id": "s3",
            "subscriber": "bob",
            "sql": "SELECT avg(speed) FROM traffic GROUP BY window(ts, '1 minute')",
        }
    )
    return Deployment.of(description)


def test_only_what_can_matter_is_left_out():
    assert [technique.name for technique in techniques(deployment())] == ["matchmaker", "covering", "folding and trees"]
    assert len(techniques(merging())) == 5


def test_leaving_all_out_one_by_one_is_naive():
    some = techniques(merging())
    plain = naive(Policy(), some)
    assert not any(technique.used(plain) for technique in some)
    assert (plain.decision, plain.covering, plain.events, plain.folding, plain.trees) == (
        "subscriber-edge",
        "none",
        "siena",
        "none",
        "do",
    )


def test_all_techniques_taken_into_the_naive_policy_give_ours_again():
    some = techniques(merging())
    ours = Policy(folding="spa", trees="ds", matchmaker="min-cost", decision="wad", seed=7)
    policy = naive(ours, some)
    for technique in some:
        policy = technique.taken_from(ours, policy)
    assert policy == ours


def test_the_naive_matchmaker_is_the_cheaper_broadcast():
    found = deployment()
    (off,) = [technique.off["matchmaker"] for technique in techniques(found) if technique.name == "matchmaker"]
    costs = {
        name: control_bill(plan_of(replace(found, policy=Policy(matchmaker=name, covering="none")))).messages()
        for name in ("publish-everywhere", "subscribe-everywhere")
    }
    assert costs[off] == min(costs.values())
    assert len(set(costs.values())) == 2  # else this says nothing
