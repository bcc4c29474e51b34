"""The plan of a deployment."""

from __future__ import annotations

from sparing.control.merging.outages import check_outages
from sparing.control.plan import Plan, make_plan
from sparing.control.routing.billing import with_stale_members
from sparing.deployment.deployment import Deployment


def plan_of(deployment: Deployment) -> Plan:
    """Return the plan that the control plane computes for a deployment."""
    plan = make_plan(
        deployment.overlay,
        deployment.topics,
        deployment.advertisements,
        deployment.subscribers,
        deployment.subscriptions,
        bucket=deployment.bucket,
        policy=deployment.policy,
        outages=deployment.outages,
    )
    check_outages(plan)
    return with_stale_members(plan)
