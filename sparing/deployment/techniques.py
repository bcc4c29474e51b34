"""The five techniques as settings of a policy: what it takes to leave one out, or to use nothing else.

Left out means: every publication travels as it is (aggregate or forward), the cheaper of the two broadcasts
(matchmaker), every subscription is told (covering), every report travels (merged events), nothing is folded and
everybody hangs at the nearest broker (folding and trees).
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

OURS, NAIVE = "ours", "naive"  # what bills are called that have a deployment's own policy, and none of the techniques


@dataclass(frozen=True)
class Technique:
    """A technique, what it is set to if nothing else is said, and the settings without it."""

    name: str
    paper: str
    on: Mapping[str, Any]
    off: Mapping[str, Any]

    def used(self, policy: Policy) -> bool:
        """Whether a policy makes use of it."""
        return any(getattr(policy, key) != value for key, value in self.off.items())

    def taken_from(self, policy: Policy, into: Policy) -> Policy:
        """A policy with the settings of this technique taken from another."""
        return replace(into, **{key: getattr(policy, key) for key in self.off})

    def left_out_of(self, policy: Policy) -> Policy:
        """A policy without it."""
        return replace(policy, **self.off)

    def added_to(self, policy: Policy) -> Policy:
        """A policy with it, as it is usually set."""
        return replace(policy, **self.on)


@dataclass(frozen=True)
class Saving:
    """The bills that show what a technique is worth: with nothing else, and left out; or added, if it is not used."""

    technique: Technique
    alone: Bill | None = None
    without: Bill | None = None
    added: Bill | None = None


def techniques(deployment: Deployment) -> list[Technique]:
    """Those that can make a difference to a deployment."""
    queries = [subscription.query for subscription in deployment.subscriptions]
    windows = any(query.aggregation is not None and query.aggregation.decomposable for query in queries)
    merged = any(topic.merge is not None for topic in deployment.topics.values())
    found = _techniques(_broadcast(deployment))
    matters = {"aggregate or forward": windows, "merged events": merged}
    return [technique for technique in found if matters.get(technique.name, True)]


def _techniques(broadcast: Matchmaker) -> list[Technique]:
    """All five; `broadcast` is what there is without a matchmaker."""
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


def naive(policy: Policy, some: Iterable[Technique]) -> Policy:
    """A policy without any of the techniques."""
    for technique in some:
        policy = technique.left_out_of(policy)
    return policy


def all_of(policy: Policy) -> Policy:
    """A policy with every technique; what it does not use is added as it is usually set."""
    for technique in _techniques(broadcast=Matchmaker.PUBLISH_EVERYWHERE):
        policy = policy if technique.used(policy) else technique.added_to(policy)
    return policy


def _broadcast(deployment: Deployment) -> Matchmaker:
    """Which of the two broadcasts takes fewer messages if nothing else is done about them."""

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
