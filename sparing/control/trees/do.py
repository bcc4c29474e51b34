"""DO: a subscriber that may attach to several brokers is served by the nearest (distance only).

Nearest means the least sum of distances to the brokers whose publishers can match one of its subscriptions; ties go
to the lower broker name. Source: mefa.txt, the baseline of its tree construction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sparing.control.routes import Routes
from sparing.model.subscription import Advertisement, Subscription


def do(
    routes: Routes,
    candidates: Mapping[str, tuple[str, ...]],
    subscriptions: Iterable[Subscription],
    advertisements: Iterable[Advertisement],
) -> dict[str, str]:
    """Subscriber -> the broker that serves it."""
    choosing = {subscriber for subscriber, brokers in candidates.items() if len(brokers) > 1}
    sources: dict[str, list[str]] = {subscriber: [] for subscriber in choosing}
    advertised = list(advertisements)
    for subscription in subscriptions:
        if subscription.subscriber in choosing:
            sources[subscription.subscriber] += [
                ad.broker
                for ad in advertised
                if ad.topic == subscription.query.topic and ad.box.overlaps(subscription.query.box)
            ]
    return {
        subscriber: min(
            brokers,
            key=lambda broker, to=subscriber: (  # type: ignore[misc]
                sum(routes.distance(source, broker) for source in sources.get(to, ())),
                broker,
            ),
        )
        for subscriber, brokers in candidates.items()
    }
