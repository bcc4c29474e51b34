"""Attributes of subscriptions: on each topic, a name has one spelling and one kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sparing.deployment.mistakes import Mistakes, Place
from sparing.model.subscription import Subscription

_KINDS = {float: "number", str: "text", bool: "truth"}
_CALLED = {"number": "a number", "text": "text", "truth": "a boolean"}


def kinds_of(
    subscriptions: Sequence[Subscription], place: Callable[..., Place], mistakes: Mistakes
) -> dict[str, dict[str, str]]:
    """The kind (`number`, `text`, `truth`) of every attribute, by the topic of its subscriptions."""
    found: dict[str, dict[str, str]] = {}
    first: dict[tuple[str, str], tuple[str, str, str]] = {}  # spelling, kind and subscription where it came first
    for index, subscription in enumerate(subscriptions):
        topic = subscription.query.topic
        kinds = found.setdefault(topic, {})
        for name, value in subscription.attributes:
            kind = _KINDS[type(value)]
            if kinds.get(name) == kind:
                continue
            here = name, kind, subscription.id
            spelling, before, other = first.setdefault((topic, name.lower()), here)
            who = f"Attribute '{name}' of subscription {subscription.id}"
            if spelling != name:
                same = f"{who} differs only by case from '{spelling}' of subscription {other}: use one spelling"
                mistakes.add(place(index, "attributes", name), same)
            elif before != kind:
                unlike = f"{who} is {_CALLED[kind]}, but {_CALLED[before]} in subscription {other}: give it one kind"
                mistakes.add(place(index, "attributes", name), unlike)
            else:
                kinds[name] = kind
    return found
