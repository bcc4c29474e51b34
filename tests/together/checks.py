"""What the tests of whole deployments ask of an outcome."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from sparing.control.plan import Plan
from sparing.flow.links.static import check_order
from sparing.model.errors import SparingError
from tests.judges.everything import Delivery


def in_a_circle(plan: Plan) -> bool:
    """Whether the static optimum cannot be found, since links feed each other; that is told in a sentence."""
    try:
        check_order(plan)
    except SparingError as error:
        if "policy.tree: shared, or another decision" not in str(error):
            raise
        return True
    return False


def told_apart(deliveries: Iterable[Delivery]) -> Counter[tuple[object, ...]]:
    """Deliveries, with those about merged events value by value, whenever these were told."""
    found: Counter[tuple[object, ...]] = Counter()
    for d in deliveries:
        if d.kind == "merged":
            payload = json.loads(d.payload)
            key = json.dumps(payload["key"])
            found.update((d.subscription, key, d.start, json.dumps(new)) for new in payload["new"])
        else:
            found[d] += 1
    return found
