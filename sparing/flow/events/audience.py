"""Audiences, which always get the same notifications at the same time, and all audiences of one event."""

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
    """Subscriptions that always get the same notifications at the same time.

    `need` and `urgent` are the bits of the conditions that must hold; `every` is 0 without a cycle. Audiences with the
    same `number` are parts of one audience.
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
        """Return whether an event can match."""
        if (self.valid_from is not None and began < self.valid_from) or (
            self.valid_until is not None and began >= self.valid_until
        ):
            return False
        return all(constraint.admits(key[place]) for place, constraint in self.key)

    @property
    def always(self) -> bool:
        """Whether every event can match."""
        return not self.key and self.valid_from is None and self.valid_until is None


@dataclass(frozen=True, slots=True)
class EventAudience:
    """The audiences that an event can match: their cycles and brokers, and their urgent conditions."""

    cycles: tuple[int, ...] = ()  # without 0
    at_once: bool = False
    goals: frozenset[int] = frozenset()
    hot: int | None = None  # urgent conditions; None without any

    @classmethod
    def of(cls, audiences: Iterable[Audience]) -> EventAudience:
        """Combine audiences."""
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
    """Audiences by their rarest condition, so that few of them are checked when some conditions hold."""

    def __init__(self, needs: Iterable[tuple[Audience, int]]) -> None:
        """Index audiences, each with the conditions that a value must fulfil."""
        found = [(audience, bits_of(need)) for audience, need in needs]
        asked = Counter(bit for _, bits in found for bit in bits)
        self._free = [audience for audience, bits in found if not bits]
        self._by_condition: dict[int, list[Audience]] = {}
        for audience, bits in found:
            if bits:
                self._by_condition.setdefault(min(bits, key=lambda bit: (asked[bit], bit)), []).append(audience)

    def candidates(self, admitted: int) -> Iterator[Audience]:
        """Return the audiences whose conditions may hold if values fulfil some conditions."""
        yield from self._free
        for bit in bits_of(admitted):
            yield from self._by_condition.get(bit, ())
