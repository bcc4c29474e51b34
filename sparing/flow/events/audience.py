"""Circles and event_audiences: who is told the same at the same time, and whom an event may concern in all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sparing.flow.events.bits import bits_of, joined
from sparing.model.constraint import Constraint
from sparing.model.types import Code

Key = tuple[Code, ...]
Columns = tuple[tuple[str, str], ...] | None
OnKey = tuple[tuple[int, Constraint], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Audience:
    """`need` and `urgent` are the bits of the conditions that must hold; `every` is 0 for at once.

    One that has the same `number` as another is a part of it, or the whole.
    """

    number: int
    members: tuple[int, ...]  # numbers of subscriptions
    broker: int
    every: int
    need: int
    urgent: int | None
    columns: Columns
    fields: frozenset[int] | None  # numbers of the selected fields; None: all
    key: OnKey  # conditions on key fields, by their places in the key
    valid_from: int | None
    valid_until: int | None

    def concerns(self, key: Key, began: int) -> bool:
        """Whether an event can be of interest."""
        if (self.valid_from is not None and began < self.valid_from) or (
            self.valid_until is not None and began >= self.valid_until
        ):
            return False
        return all(constraint.admits(key[place]) for place, constraint in self.key)

    @property
    def always(self) -> bool:
        """Whether every event can be of interest."""
        return not self.key and self.valid_from is None and self.valid_until is None


@dataclass(frozen=True, slots=True)
class EventAudience:
    """All those whom an event may concern: their cycles and brokers, and what is urgent to any of them."""

    cycles: tuple[int, ...] = ()  # without at once
    at_once: bool = False
    goals: frozenset[int] = frozenset()
    hot: int | None = None  # None: nobody calls anything urgent

    @classmethod
    def of(cls, audiences: Iterable[Audience]) -> EventAudience:
        """The event_audience of some audiences."""
        some = list(audiences)
        return cls(
            tuple(sorted({audience.every for audience in some if audience.every})),
            any(not audience.every for audience in some),
            frozenset(audience.broker for audience in some),
            joined(audience.urgent for audience in some),
        )

    def __or__(self, other: EventAudience) -> EventAudience:
        if not other.goals:
            return self
        return EventAudience(
            tuple(sorted({*self.cycles, *other.cycles})),
            self.at_once or other.at_once,
            self.goals | other.goals,
            joined((self.hot, other.hot)),
        )


class AudienceIndex:
    """Circles by the rarest of the conditions that they need, so that few are looked at when some are fulfilled."""

    def __init__(self, needs: Iterable[tuple[Audience, int]]) -> None:
        """Circles, each with the conditions that a value must fulfil."""
        found = [(audience, bits_of(need)) for audience, need in needs]
        asked = Counter(bit for _, bits in found for bit in bits)
        self._free = [audience for audience, bits in found if not bits]
        self._by_condition: dict[int, list[Audience]] = {}
        for audience, bits in found:
            if bits:
                self._by_condition.setdefault(min(bits, key=lambda bit: (asked[bit], bit)), []).append(audience)

    def candidates(self, admitted: int) -> Iterator[Audience]:
        """Those whose conditions may hold if some are fulfilled by values."""
        yield from self._free
        for bit in bits_of(admitted):
            yield from self._by_condition.get(bit, ())
