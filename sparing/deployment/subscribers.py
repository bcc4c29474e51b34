"""Subscribers: each with the brokers that it may attach to."""

from __future__ import annotations

from collections.abc import Collection

from sparing.deployment.mistakes import Mistakes
from sparing.deployment.references import stranger, unlike
from sparing.deployment.schema import SubscriberEntry
from sparing.deployment.sections import Section


def candidates(
    subscribers: Section[SubscriberEntry], brokers: Collection[str], mistakes: Mistakes
) -> dict[str, tuple[str, ...]]:
    """Subscriber -> its candidate brokers, in the order given."""
    unlike([entry.id for entry in subscribers.entries], subscribers.place, "Subscriber", mistakes)
    for index, entry in enumerate(subscribers.entries):
        who = f"Subscriber {entry.id}"
        for broker in entry.at:
            if broker not in brokers:
                mistakes.add(subscribers.place(index, "at"), stranger(who, "broker", broker, brokers))
        if len(set(entry.at)) < len(entry.at):
            mistakes.add(subscribers.place(index, "at"), f"{who} names a broker twice: keep one of them")
    return {entry.id: tuple(entry.at) for entry in subscribers.entries}
