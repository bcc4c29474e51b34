"""DO (distance only): a subscriber with several candidate brokers is attached to the nearest.

Nearest means the least sum of distances to the brokers whose publishers can match one of its subscriptions; ties go
to the lower broker name. Source: mefa.txt, the baseline of its tree construction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sparing.control.routes import Routes
from sparing.control.trees.attachment import AttachmentReason, distances, nearest
from sparing.model.subscription import Advertisement, Subscription


def do(
    routes: Routes,
    candidates: Mapping[str, tuple[str, ...]],
    subscriptions: Iterable[Subscription],
    advertisements: Iterable[Advertisement],
) -> tuple[dict[str, str], tuple[AttachmentReason, ...]]:
    """Return the broker of each subscriber, and the reasons for those with several candidates, by name."""
    far = distances(routes, candidates, subscriptions, advertisements)
    reasons = tuple(AttachmentReason(who, nearest(far[who]), far[who]) for who in sorted(far))
    homes = {who: brokers[0] for who, brokers in candidates.items()}
    return homes | {reason.who: reason.broker for reason in reasons}, reasons
