"""Reasons and distances of attachments, shared by DO and DS."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sparing.control.routes import Routes
from sparing.model.subscription import Advertisement, Subscription

DISTANCE = "distance"
SIMILARITY = "similarity"


@dataclass(frozen=True, slots=True)
class AttachmentReason:
    """The attachment of a subscriber (or a leaf broker: `kind`) with several candidate brokers, and its reason.

    `alternatives` are the distances of all candidates. By similarity, the attachment lowered the broker's unique range
    by `range_saved`, and the broker is `hops_more` farther away than the nearest one. Fields are JSON keys.
    """

    who: str
    broker: str
    alternatives: Mapping[str, float]
    by: str = DISTANCE
    range_saved: float = 0.0
    hops_more: float = 0.0
    kind: str = "subscriber"


def sources(subscriptions: Iterable[Subscription], advertisements: Iterable[Advertisement]) -> list[str]:
    """Return the publishers' broker of each pair of a subscription and an overlapping advertisement."""
    advertised = list(advertisements)
    return [
        ad.broker
        for subscription in subscriptions
        for ad in advertised
        if ad.topic == subscription.query.topic and ad.box.overlaps(subscription.query.box)
    ]


def distances(
    routes: Routes,
    candidates: Mapping[str, tuple[str, ...]],
    subscriptions: Iterable[Subscription],
    advertisements: Iterable[Advertisement],
) -> dict[str, dict[str, float]]:
    """Subscriber with several candidates -> candidate -> sum of hops to the brokers of `sources`."""
    own: dict[str, list[Subscription]] = {who: [] for who, brokers in candidates.items() if len(brokers) > 1}
    for subscription in subscriptions:
        if subscription.subscriber in own:
            own[subscription.subscriber].append(subscription)
    advertised = list(advertisements)
    found: dict[str, dict[str, float]] = {}
    for who, mine in own.items():
        goals = sources(mine, advertised)
        found[who] = {
            broker: sum(routes.distance(goal, broker) for goal in goals) for broker in sorted(candidates[who])
        }
    return found


def nearest(far: Mapping[str, float]) -> str:
    """Return the broker with the least distance, then the lowest name."""
    return min(far, key=lambda broker: (far[broker], broker))
