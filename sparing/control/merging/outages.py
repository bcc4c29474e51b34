"""Outages that would leave a merged topic without anybody to merge it."""

from __future__ import annotations

from sparing.control.merging.tree import trees_of
from sparing.control.plan import Plan
from sparing.model.errors import SparingError


def check_outages(plan: Plan) -> None:
    """At any time, some broker of every merged topic's tree must be up."""
    names = plan.routes.brokers
    for name, topic in plan.topics.items():
        if topic.merge is None or not plan.outages or not plan.policy.merges:
            continue
        for tree in trees_of(plan, name, plan.policy.actives):
            brokers = {names[broker] for broker in tree.brokers}
            for outage in plan.outages:
                if brokers <= {other.broker for other in plan.outages if other.holds(outage.start)}:
                    raise SparingError(
                        f"When the outage of {outage.broker} begins, no broker that could merge events of {name} is "
                        f"left ({', '.join(sorted(brokers))}): leave one of them up."
                    )
