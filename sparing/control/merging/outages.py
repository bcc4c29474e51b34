"""Validation of outages: every merged topic needs a broker that is up."""

from __future__ import annotations

from sparing.control.merging.tree import trees_of
from sparing.control.plan import Plan
from sparing.model.errors import SparingError


def check_outages(plan: Plan) -> None:
    """Raise an error if at some time no broker of a merged topic's tree is up."""
    names = plan.routes.brokers
    for name, topic in plan.topics.items():
        if topic.merge is None or not plan.outages or not plan.policy.merges:
            continue
        for tree in trees_of(plan, name, plan.policy.actives):
            brokers = {names[broker] for broker in tree.brokers}
            for outage in plan.outages:
                if brokers <= {other.broker for other in plan.outages if other.holds(outage.start)}:
                    raise SparingError(
                        f"At the start of the outage of {outage.broker}, all brokers that can merge events of {name} "
                        f"({', '.join(sorted(brokers))}) are down: leave one of them up."
                    )
