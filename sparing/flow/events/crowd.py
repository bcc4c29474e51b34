"""Circles and crowds: who is told the same at the same time, and whom an event may concern in all."""

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
class Circle:
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
class Crowd:
    """All those whom an event may concern: their cycles and brokers, and what is urgent to any of them."""

    cycles: tuple[int, ...] = ()  # without at once
    at_once: bool = False
    goals: frozenset[int] = frozenset()
    hot: int | None = None  # None: nobody calls anything urgent

    @classmethod
    def of(cls, circles: Iterable[Circle]) -> Crowd:
        """The crowd of some circles."""
        some = list(circles)
        return cls(
            tuple(sorted({circle.every for circle in some if circle.every})),
            any(not circle.every for circle in some),
            frozenset(circle.broker for circle in some),
            joined(circle.urgent for circle in some),
        )

    def __or__(self, other: Crowd) -> Crowd:
        if not other.goals:
            return self
        return Crowd(
            tuple(sorted({*self.cycles, *other.cycles})),
            self.at_once or other.at_once,
            self.goals | other.goals,
            joined((self.hot, other.hot)),
        )


class Pivots:
    """Circles by the rarest of the conditions that they need, so that few are looked at when some are fulfilled."""

    def __init__(self, needs: Iterable[tuple[Circle, int]]) -> None:
        """Circles, each with the conditions that a value must fulfil."""
        found = [(circle, bits_of(need)) for circle, need in needs]
        asked = Counter(bit for _, bits in found for bit in bits)
        self._free = [circle for circle, bits in found if not bits]
        self._by_condition: dict[int, list[Circle]] = {}
        for circle, bits in found:
            if bits:
                self._by_condition.setdefault(min(bits, key=lambda bit: (asked[bit], bit)), []).append(circle)

    def candidates(self, admitted: int) -> Iterator[Circle]:
        """Those whose conditions may hold if some are fulfilled by values."""
        yield from self._free
        for bit in bits_of(admitted):
            yield from self._by_condition.get(bit, ())
