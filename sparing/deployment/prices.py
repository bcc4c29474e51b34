"""What messages cost, where the file says so."""

from __future__ import annotations

from sparing.deployment.mistakes import Mistakes
from sparing.deployment.schema import PricesEntry
from sparing.deployment.sections import Where
from sparing.model.bill import SENT, MessageKind
from sparing.model.overlay import Overlay
from sparing.model.prices import Prices, PriceUnit

DEFAULT = "default"  # stands for the kinds that are not named


def prices_of(entry: PricesEntry | None, overlay: Overlay, place: Where, mistakes: Mistakes) -> Prices | None:
    """The prices, if there are any, of links or for all."""
    links = {frozenset((link.one, link.other)): link.price for link in overlay.links if link.price is not None}
    if entry is None and not links:
        return None
    entry, sizes = entry or PricesEntry(), None
    if entry.bytes is not None:
        sizes = _sizes(entry.bytes, place, mistakes)
    elif entry.per != "message":
        told = f"Prices per {entry.per} need the sizes of messages: add bytes, e.g. bytes: 200"
        mistakes.add(place(("prices", "per")), told)
        return None
    return Prices(entry.currency or "", PriceUnit(entry.per), entry.link, entry.last_hop, links, sizes)


def _sizes(given: dict[str, int], place: Where, mistakes: Mistakes) -> dict[MessageKind, int]:
    missing = [kind.value for kind in SENT if kind.value not in given]
    if missing and DEFAULT not in given:
        told = (
            f"Messages of the kind {missing[0]} have no size: add {missing[0]}, or {DEFAULT} for all that are not named"
        )
        mistakes.add(place(("prices", "bytes")), told)
    return {kind: given.get(kind.value, given.get(DEFAULT, 0)) for kind in SENT}
