"""Reachability: a path of links connects each subscription with all publishers that it overlaps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sparing.deployment.mistakes import Mistakes, Place, listing
from sparing.model.box import Box
from sparing.model.overlay import Overlay
from sparing.model.subscription import Advertisement, Subscription


def check_reach(
    overlay: Overlay,
    advertisements: Sequence[Advertisement],
    subscribers: Mapping[str, tuple[str, ...]],
    subscriptions: Sequence[Subscription],
    place: Callable[[int], Place],
) -> None:
    """Check that a candidate broker of every subscriber is connected to all publishers that its subscriptions overlap.

    A connected overlay needs no check. Otherwise each distinct box is compared with each distinct advertisement of
    its topic from other parts of the overlay.
    """
    mistakes, part = Mistakes(), parts(overlay)
    if len(set(part.values())) <= 1:
        return
    offers: dict[str, dict[tuple[int, Box], Advertisement]] = {}  # topic -> part, box -> the first such advertisement
    for advertisement in advertisements:
        offers.setdefault(advertisement.topic, {}).setdefault(
            (part[advertisement.broker], advertisement.box), advertisement
        )
    overlapping: dict[tuple[str, Box], dict[int, Advertisement]] = {}
    needs: dict[str, dict[int, Advertisement]] = {}  # subscriber -> part -> an overlapping advertisement there
    for index, subscription in enumerate(subscriptions):
        topic, box = subscription.query.topic, subscription.query.box
        candidates = subscribers[subscription.subscriber]
        here = {part[broker] for broker in candidates}
        if all({there} == here for there, _ in offers.get(topic, ())):
            continue
        if (sources := overlapping.get((topic, box))) is None:
            sources = overlapping[topic, box] = {}
            for (there, offered), advertisement in offers[topic].items():
                if there not in sources and offered.overlaps(box):
                    sources[there] = advertisement
        needed = needs.setdefault(subscription.subscriber, {})
        for there, advertisement in sources.items():
            if there not in here:
                mistakes.add(place(index), _no_path(subscription, advertisement, candidates))
                break
            needed.setdefault(there, advertisement)
            if len(needed) == 2:
                mistakes.add(place(index), _no_common_broker(subscription, list(needed.values()), candidates))
                break
    mistakes.stop_if_any()


def parts(overlay: Overlay) -> dict[str, int]:
    """Return broker -> the number of its connected component."""
    part: dict[str, int] = {}
    for number, start in enumerate(overlay.brokers):
        frontier = [start] if start not in part else []
        while frontier:
            broker = frontier.pop()
            if broker not in part:
                part[broker] = number
                frontier.extend(overlay.neighbours[broker])
    return part


def _no_path(subscription: Subscription, advertisement: Advertisement, candidates: Sequence[str]) -> str:
    return (
        f"Subscription {subscription.id} overlaps the advertisement of publisher {advertisement.publisher}, "
        f"but no path connects broker {advertisement.broker} with {listing(candidates)} "
        f"of subscriber {subscription.subscriber}: add a link"
    )


def _no_common_broker(
    subscription: Subscription, advertisements: Sequence[Advertisement], candidates: Sequence[str]
) -> str:
    publishers = listing((f"{a.publisher} at broker {a.broker}" for a in advertisements), "and")
    return (
        f"Subscriptions of {subscription.subscriber}, such as {subscription.id}, overlap the advertisements of "
        f"{publishers}, but no path connects any of its brokers {listing(candidates, 'and')} with both: add a link"
    )
