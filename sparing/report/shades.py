"""Which kinds of messages are drawn alike, and how; colours that most people can tell apart."""

from __future__ import annotations

from dataclasses import dataclass

from sparing.model.bill import CONTROL, Bill, MessageKind


@dataclass(frozen=True)
class Shade:
    """Some kinds of messages under one name, in one colour."""

    name: str
    kinds: tuple[MessageKind, ...]
    colour: str

    def of(self, bill: Bill) -> Bill:
        """These messages of a bill."""
        return bill.only(*self.kinds)


DATA_SHADES = (
    Shade("publication", (MessageKind.PUBLICATION,), "#0072B2"),
    Shade("result", (MessageKind.RESULT,), "#E69F00"),
    Shade("merged", (MessageKind.MERGED,), "#009E73"),
)
SHADES = (
    *DATA_SHADES,
    Shade("coordination", (MessageKind.COORDINATION,), "#CC79A7"),
    Shade("control plane", CONTROL, "#8a8a8a"),
)  # everything that crosses links
