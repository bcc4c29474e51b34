"""The legend of every drawing of a bill: message kinds by name and colour, from a palette for the colour-blind."""

from __future__ import annotations

from dataclasses import dataclass

from sparing.model.bill import CONTROL, Bill, MessageKind


@dataclass(frozen=True)
class LegendEntry:
    """Message kinds that share a name and a colour."""

    name: str
    kinds: tuple[MessageKind, ...]
    colour: str

    def messages(self, bill: Bill) -> Bill:
        """Return the messages of these kinds on a bill."""
        return bill.only(*self.kinds)


DATA_LEGEND = (
    LegendEntry("publication", (MessageKind.PUBLICATION,), "#0072B2"),
    LegendEntry("result", (MessageKind.RESULT,), "#E69F00"),
    LegendEntry("merged", (MessageKind.MERGED,), "#009E73"),
)
LEGEND = (
    *DATA_LEGEND,
    LegendEntry("coordination", (MessageKind.COORDINATION,), "#CC79A7"),
    LegendEntry("control plane", CONTROL, "#8a8a8a"),
)  # all kinds on links
