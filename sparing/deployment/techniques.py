"""The five techniques as settings of a policy, to bill a deployment without one of them or with one alone.

The settings without a technique: links forward every publication (aggregate or forward), the cheaper of the two
broadcasts (matchmaker), brokers announce every subscription (covering), every report travels (merged events), no
folding and the nearest broker for each subscriber (folding and trees).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sparing.control.routing.billing import control_bill
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.model.bill import Bill
from sparing.model.policy import Attachment, Covering, DecisionRule, EventMerging, Folding, Matchmaker, Policy

OURS, NAIVE = "ours", "naive"  # bills of the deployment's own policy, and of the policy without techniques


@dataclass(frozen=True)
class Technique:
    """A technique with its usual settings (`on`) and the settings without it (`off`)."""

    name: str
    paper: str
    on: Mapping[str, Any]
    off: Mapping[str, Any]

    def used(self, policy: Policy) -> bool:
        """Whether a policy uses the technique."""
        return any(getattr(policy, key) != value for key, value in self.off.items())

    def taken_from(self, policy: Policy, into: Policy) -> Policy:
        """Return the policy `into` with this technique's settings of `policy`."""
        return replace(into, **{key: getattr(policy, key) for key in self.off})

    def left_out_of(self, policy: Policy) -> Policy:
        """Return the policy without the technique."""
        return replace(policy, **self.off)

    def added_to(self, policy: Policy) -> Policy:
        """Return the policy with the technique in its usual settings."""
        return replace(policy, **self.on)


@dataclass(frozen=True)
class Saving:
    """Bills that show the value of a technique: alone, left out, or added if the policy does not use it."""

    technique: Technique
    alone: Bill | None = None
    without: Bill | None = None
    added: Bill | None = None


def techniques(deployment: Deployment) -> list[Technique]:
    """Return the techniques that can affect a deployment."""
    queries = [subscription.query for subscription in deployment.subscriptions]
    windows = any(query.aggregation is not None and query.aggregation.decomposable for query in queries)
    merged = any(topic.merge is not None for topic in deployment.topics.values())
    applies = {"aggregate or forward": windows, "merged events": merged}
    return [technique for technique in _techniques(_broadcast(deployment)) if applies.get(technique.name, True)]


def _techniques(broadcast: Matchmaker) -> list[Technique]:
    """Return all five; `broadcast` is the setting without the matchmaker."""
    return [
        Technique(
            "aggregate or forward",
            "mna-aggregation",
            {"decision": DecisionRule.ADOCK},
            {"decision": DecisionRule.SUBSCRIBER_EDGE},
        ),
        Technique("matchmaker", "matchmaker", {"matchmaker": Matchmaker.MIN_COST}, {"matchmaker": broadcast}),
        Technique("covering", "topk-covering", {"covering": Covering.ANCESTOR}, {"covering": Covering.NONE}),
        Technique("merged events", "caeva", {"events": EventMerging.CAEVA}, {"events": EventMerging.SIENA}),
        Technique(
            "folding and trees",
            "mefa",
            {"folding": Folding.MEFA, "trees": Attachment.DS},
            {"folding": Folding.NONE, "trees": Attachment.DO},
        ),
    ]


def naive(policy: Policy, left_out: Iterable[Technique]) -> Policy:
    """Return a policy without any of the techniques."""
    for technique in left_out:
        policy = technique.left_out_of(policy)
    return policy


def all_of(policy: Policy) -> Policy:
    """Return a policy with every technique; missing ones are added in their usual settings."""
    for technique in _techniques(broadcast=Matchmaker.PUBLISH_EVERYWHERE):
        policy = policy if technique.used(policy) else technique.added_to(policy)
    return policy


def _broadcast(deployment: Deployment) -> Matchmaker:
    """Return the broadcast with fewer messages without covering, folding and tree construction."""

    def messages(matchmaker: Matchmaker) -> int:
        without = replace(
            deployment.policy,
            matchmaker=matchmaker,
            covering=Covering.NONE,
            folding=Folding.NONE,
            trees=Attachment.DO,
        )
        return control_bill(plan_of(replace(deployment, policy=without))).messages()

    return min((Matchmaker.PUBLISH_EVERYWHERE, Matchmaker.SUBSCRIBE_EVERYWHERE), key=messages)
