"""From a deployment to its plan."""

from __future__ import annotations

from sparing.control.folding.policy import Folding, FoldingPolicy
from sparing.control.plan import Plan, make_plan
from sparing.control.routing.billing import with_ghosts
from sparing.deployment.deployment import Deployment


def plan_of(deployment: Deployment) -> Plan:
    """The control plane's answer to a deployment."""
    policy = deployment.policy
    plan = make_plan(
        deployment.overlay,
        deployment.topics,
        deployment.advertisements,
        deployment.subscribers,
        deployment.subscriptions,
        policy.decision,
        deployment.bucket,
        policy.patience,
        policy.covering,
        policy.seed,
        policy.tree,
        policy.matchmaker,
        FoldingPolicy(Folding(policy.folding), policy.theta, policy.delta, policy.hop, policy.rate),
        policy.trees,
        policy.gamma,
    )
    return with_ghosts(plan)
