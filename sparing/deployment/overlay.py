"""The overlay of a deployment: brokers and links, outages of brokers, and prices of messages."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sparing.deployment.mistakes import Mistakes, check_unique, unknown_name
from sparing.deployment.schema import OutageEntry, OverlayEntry, PricesEntry
from sparing.deployment.sections import Where
from sparing.model.bill import SENT, MessageKind
from sparing.model.merge import Outage
from sparing.model.overlay import Link, Overlay
from sparing.model.prices import Prices, PriceUnit

DEFAULT = "default"  # the size of message kinds that are not listed


def overlay_of(entry: OverlayEntry, place: Where, mistakes: Mistakes) -> Overlay:
    """Return the overlay without invalid links. Cycles and brokers without links are allowed."""
    brokers = check_unique(entry.brokers, lambda index: place(("overlay", "brokers", index)), "Broker", mistakes)
    links: dict[frozenset[str], Link] = {}
    for index, (one, other, settings) in enumerate(entry.links):
        here, link, pair = place(("overlay", "links", index)), f"Link {one} - {other}", frozenset((one, other))
        for end in dict.fromkeys((one, other)):
            if end not in brokers:
                mistakes.add(here, unknown_name(link, "broker", end, brokers))
        if one == other:
            mistakes.add(here, f"{link} connects a broker to itself: remove it")
        elif pair in links:
            mistakes.add(here, f"{link} is defined twice: remove one of them")
        elif pair <= brokers.keys():
            links[pair] = Link(one, other, settings.delay, settings.weight, settings.price)
    return Overlay(tuple(brokers), tuple(links.values()))


def outages_of(
    entries: Sequence[OutageEntry], brokers: Collection[str], place: Where, mistakes: Mistakes
) -> tuple[Outage, ...]:
    """Return the outages in order of time."""
    outages = []
    for index, entry in enumerate(entries):
        who = f"The outage of {entry.broker}"
        if entry.broker not in brokers:
            mistakes.add(place(("outages", index, "broker")), unknown_name(who, "broker", entry.broker, brokers))
        if entry.end is not None and entry.end <= entry.start:
            empty = f"{who} ends before it begins: 'until' must be later than 'from'"
            mistakes.add(place(("outages", index, "until")), empty)
        outages.append(Outage(entry.start, entry.broker, entry.end))
    return tuple(sorted(outages, key=lambda outage: (outage.start, outage.broker)))


def prices_of(entry: PricesEntry | None, overlay: Overlay, place: Where, mistakes: Mistakes) -> Prices | None:
    """Return the prices, or None if neither the file nor a link has one."""
    links = {frozenset((link.one, link.other)): link.price for link in overlay.links if link.price is not None}
    if entry is None and not links:
        return None
    entry, sizes = entry or PricesEntry(), None
    if entry.bytes is not None:
        sizes = _sizes(entry.bytes, place, mistakes)
    elif entry.per != "message":
        missing = f"Prices per {entry.per} require message sizes: add bytes, e.g. bytes: 200"
        mistakes.add(place(("prices", "per")), missing)
        return None
    return Prices(
        currency=entry.currency or "",
        per=PriceUnit(entry.per),
        default=entry.link,
        last_hop=entry.last_hop,
        links=links,
        sizes=sizes,
    )


def _sizes(given: dict[str, int], place: Where, mistakes: Mistakes) -> dict[MessageKind, int]:
    missing = [kind.value for kind in SENT if kind.value not in given]
    if missing and DEFAULT not in given:
        mistakes.add(
            place(("prices", "bytes")),
            f"Messages of kind {missing[0]} have no size: add {missing[0]}, or {DEFAULT} for all kinds not listed",
        )
    return {kind: given.get(kind.value, given.get(DEFAULT, 0)) for kind in SENT}
