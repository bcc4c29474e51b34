"""From a deployment to its plan."""

from __future__ import annotations

from sparing.control.plan import Plan, make_plan
from sparing.deployment.deployment import Deployment


def plan_of(deployment: Deployment) -> Plan:
    """The control plane's answer to a deployment."""
    return make_plan(
        deployment.overlay,
        deployment.topics,
        deployment.advertisements,
        deployment.subscribers,
        deployment.subscriptions,
        deployment.policy.decision,
        deployment.bucket,
        deployment.policy.patience,
        deployment.policy.covering,
        deployment.policy.seed,
        deployment.policy.tree,
        deployment.policy.matchmaker,
    )
