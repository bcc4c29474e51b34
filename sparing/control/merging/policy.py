"""How merged events travel: CAEVA, or one of the two that the paper compares it with."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Events(StrEnum):
    """The three ways."""

    CAEVA = "caeva"  # several brokers merge, some of them at places that adapt
    AGELE = "agele"  # the center merges, nobody else
    SIENA = "siena"  # nobody merges: every report travels to every broker that may want it


class Moves(StrEnum):
    """How passive aggregators find their places, if they are not fixed."""

    ADAPTIVE = "adaptive"  # by what each of them counts, one hop at a time
    REPLAY = "replay"  # by going through the finished event again with every distance
    LITERAL = "literal"  # by the paper's formulas as printed; for the study


Placement = Moves | int  # an int is the fixed distance from the active aggregators, in hops


@dataclass(frozen=True, slots=True)
class EventPolicy:
    """`active` is how many brokers are active aggregators.

    `lanes` is how many parts the keys of a topic are dealt out to: each learns its own placement, and they run side by
    side. `delta` is how many messages a move must promise to save.
    """

    events: Events = Events.CAEVA
    placement: Placement = Moves.ADAPTIVE
    active: int = 3
    lanes: int = 1
    delta: float = 1.0

    @property
    def merges(self) -> bool:
        """Whether brokers merge at all."""
        return self.events is not Events.SIENA

    @property
    def actives(self) -> int:
        """How many active aggregators there are."""
        return self.active if self.events is Events.CAEVA else 1

    @property
    def places(self) -> Placement:
        """Where passive aggregators are; at distance 0 there are none."""
        return self.placement if self.events is Events.CAEVA else 0


CAEVA = EventPolicy()
