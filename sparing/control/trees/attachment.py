"""Where somebody is attached, what the alternatives were, and why: what DO and DS have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sparing.control.routes import Routes
from sparing.model.subscription import Advertisement, Subscription

DISTANCE = "distance"
SIMILARITY = "similarity"


@dataclass(frozen=True, slots=True)
class AttachmentReason:
    """Why a subscriber (or a leaf broker: `kind`) with several candidates hangs at a broker.

    `alternatives` are all candidates with their distances, the chosen one too. By similarity, the broker's unique range
    fell by `range_saved` when it came, and it is `hops_more` farther away than by distance only.
    """

    who: str
    broker: str
    alternatives: Mapping[str, float]
    by: str = DISTANCE
    range_saved: float = 0.0
    hops_more: float = 0.0
    kind: str = "subscriber"


def sources(subscriptions: Iterable[Subscription], advertisements: Iterable[Advertisement]) -> list[str]:
    """The brokers whose publishers can match subscriptions, one for each such pair."""
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
    """Subscriber with several candidates -> each of them -> the sum of hops to the brokers that matter."""
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
    """The broker with the least distance, then the lowest name."""
    return min(far, key=lambda broker: (far[broker], broker))
