"""Outages: when which broker does not aggregate."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sparing.deployment.mistakes import Mistakes
from sparing.deployment.references import stranger
from sparing.deployment.schema import OutageEntry
from sparing.deployment.sections import Where
from sparing.model.merge import Outage


def outages_of(
    entries: Sequence[OutageEntry], brokers: Collection[str], place: Where, mistakes: Mistakes
) -> tuple[Outage, ...]:
    """The outages, in the order of time."""
    found = []
    for index, entry in enumerate(entries):
        who = f"The outage of {entry.broker}"
        if entry.broker not in brokers:
            mistakes.add(place(("outages", index, "broker")), stranger(who, "broker", entry.broker, brokers))
        if entry.end is not None and entry.end <= entry.start:
            never = f"{who} is over before it begins: 'until' must be later than 'from'"
            mistakes.add(place(("outages", index, "until")), never)
        found.append(Outage(entry.start, entry.broker, entry.end))
    return tuple(sorted(found, key=lambda outage: (outage.start, outage.broker)))
