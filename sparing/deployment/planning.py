"""From a deployment to its plan."""

from __future__ import annotations

from sparing.control.folding.policy import Folding, FoldingPolicy
from sparing.control.merging.outages import check_outages
from sparing.control.merging.policy import EventPolicy, Events, Moves
from sparing.control.plan import Plan, make_plan
from sparing.control.routing.billing import with_ghosts
from sparing.deployment.deployment import Deployment, Policy


def plan_of(deployment: Deployment) -> Plan:
    """The control plane's answer to a deployment."""
    policy = deployment.policy
    plan = make_plan(
        deployment.overlay,
        deployment.topics,
        deployment.advertisements,
        deployment.subscribers,
        deployment.subscriptions,
        decision=policy.decision,
        bucket=deployment.bucket,
        patience=policy.patience,
        covering=policy.covering,
        seed=policy.seed,
        tree=policy.tree,
        matchmaker=policy.matchmaker,
        folding=FoldingPolicy(Folding(policy.folding), policy.theta, policy.delta, policy.hop, policy.rate),
        trees=policy.trees,
        gamma=policy.gamma,
        events=events_of(policy),
        outages=deployment.outages,
    )
    check_outages(plan)
    return with_ghosts(plan)


def events_of(policy: Policy) -> EventPolicy:
    """How merged events travel."""
    placement = policy.placement if isinstance(policy.placement, int) else Moves(policy.placement)
    return EventPolicy(Events(policy.events), placement, policy.active_aggregators, policy.lanes)
