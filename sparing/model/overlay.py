"""Overlays: brokers and the undirected links between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sparing.model.errors import SparingError


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """An undirected link.

    Trees are built by `delay`, the matchmaker counts each control message `weight` times, and `price` only affects the
    cost on the bill.
    """

    one: str
    other: str
    delay: float = 1.0
    weight: int = 1
    price: float | None = None


@dataclass(frozen=True)
class Overlay:
    """Brokers and links. A link connects two different brokers, at most one link each pair; cycles are allowed."""

    brokers: tuple[str, ...]
    links: tuple[Link, ...] = ()

    def __post_init__(self) -> None:
        if len(set(self.brokers)) != len(self.brokers):
            twice = sorted({b for b in self.brokers if self.brokers.count(b) > 1})
            raise SparingError(f"Broker {twice[0]} is listed twice: broker names must be unique.")
        known, pairs = set(self.brokers), set()
        for link in self.links:
            for end in (link.one, link.other):
                if end not in known:
                    raise SparingError(
                        f"Link {link.one} - {link.other} leads to {end}, which is not a broker: add it to the brokers."
                    )
            if link.one == link.other:
                raise SparingError(f"Link {link.one} - {link.other} connects a broker to itself: remove it.")
            pair = frozenset((link.one, link.other))
            if pair in pairs:
                raise SparingError(f"Link {link.one} - {link.other} is given twice: keep one of them.")
            pairs.add(pair)
            if not link.delay > 0:
                raise SparingError(
                    f"Link {link.one} - {link.other} has delay {link.delay}: a delay must be greater than zero."
                )
            if link.weight < 1:
                raise SparingError(
                    f"Link {link.one} - {link.other} has weight {link.weight}: a weight is a whole number, 1 or more."
                )

    @cached_property
    def neighbours(self) -> dict[str, dict[str, float]]:
        """Broker -> neighbour -> delay, both in the order of names."""
        table: dict[str, dict[str, float]] = {broker: {} for broker in sorted(self.brokers)}
        for link in self.links:
            table[link.one][link.other] = link.delay
            table[link.other][link.one] = link.delay
        return {broker: dict(sorted(ends.items())) for broker, ends in table.items()}
