"""The overlay: brokers that differ, and links that join two of them, each pair once."""

from __future__ import annotations

from sparing.deployment.mistakes import Mistakes
from sparing.deployment.references import stranger, unlike
from sparing.deployment.schema import OverlayEntry
from sparing.deployment.sections import Where
from sparing.model.overlay import Link, Overlay


def overlay_of(entry: OverlayEntry, place: Where, mistakes: Mistakes) -> Overlay:
    """The overlay, without links that have a mistake. Cycles, and brokers without links, are fine."""
    brokers = unlike(entry.brokers, lambda index: place(("overlay", "brokers", index)), "Broker", mistakes)
    links: dict[frozenset[str], Link] = {}
    for index, (one, other, settings) in enumerate(entry.links):
        here, link, pair = place(("overlay", "links", index)), f"Link {one} - {other}", frozenset((one, other))
        for end in dict.fromkeys((one, other)):
            if end not in brokers:
                mistakes.add(here, stranger(link, "broker", end, brokers))
        if one == other:
            mistakes.add(here, f"{link} joins a broker to itself: remove it")
        elif pair in links:
            mistakes.add(here, f"{link} is given twice: keep one of them")
        elif pair <= brokers.keys():
            links[pair] = Link(one, other, settings.delay, settings.weight, settings.price)
    return Overlay(tuple(brokers), tuple(links.values()))
