"""Circles: subscriptions to a merged topic that are always told the same at the same time, worked on as one.

They are at one broker, with the same filter, cycle and columns, in force at the same times. Conditions are numbered, so
that what some facts fulfil is a set of bits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import or_

from sparing.control.plan import Plan
from sparing.model.box import Box
from sparing.model.constraint import Constraint
from sparing.model.subscription import Subscription
from sparing.model.types import Code

MOST_KNOWN = 1 << 16  # values that are remembered

Key = tuple[Code, ...]
Columns = tuple[tuple[str, str], ...] | None
OnKey = tuple[tuple[int, Constraint], ...]
Terms = tuple[int, int, int, int | None, Columns, frozenset[int] | None, OnKey, int | None, int | None]


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


def joined(sets: Iterable[int | None]) -> int | None:
    """All bits of those sets that there are; None if there are none."""
    found = [bits for bits in sets if bits is not None]
    return reduce(or_, found) if found else None


class Circles:
    """All subscriptions to one merged topic."""

    def __init__(self, plan: Plan, topic: str) -> None:
        self.topic = plan.topics[topic]
        assert self.topic.merge is not None
        self.merge = self.topic.merge
        self.fields = tuple(self.topic.fields)
        self.number = {field: number for number, field in enumerate(self.fields)}
        self.subscriptions = plan.subscriptions
        self._bit: dict[tuple[int, Constraint], int] = {}
        self._on: list[list[tuple[int, Constraint]]] = [[] for _ in self.fields]  # field -> bit and constraint
        self.missing = 0  # bits of conditions that hold for a field without a value
        self._known: dict[tuple[int, Code], tuple[int, int]] = {}
        mine = [int(number) for number in plan.by_topic[topic]]
        plain = [n for n in mine if plan.subscriptions[n].query.aggregation is None]
        like: dict[Terms, list[int]] = {}
        for n in plain:
            like.setdefault(self._terms(n, int(plan.broker_of[n])), []).append(n)
        self.all = tuple(Circle(at, tuple(members), *terms) for at, (terms, members) in enumerate(like.items()))
        self.urgent = tuple(circle for circle in self.all if circle.urgent is not None)
        self._of = {n: circle for circle in self.all for n in circle.members}
        self._free, self._by_condition = self._pivots()
        self._at_point, self._sometimes = self._by_key()
        self.gathering = tuple(
            (int(plan.broker_of[n]), self._on_key(plan.subscriptions[n].query.box))
            for n in mine
            if plan.subscriptions[n].query.aggregation is not None
        )

    def _terms(self, number: int, broker: int) -> Terms:
        """What a subscription must have in common with others of its circle."""
        subscription: Subscription = self.subscriptions[number]
        query = subscription.query
        need = self._bits(query.box)
        urgent = None if subscription.urgent is None else need | self._bits(subscription.urgent)
        fields = None if query.columns is None else frozenset(self.number[field] for _, field in query.columns)
        key = self._on_key(query.box)
        when = subscription.valid_from, subscription.valid_until
        return broker, query.every or 0, need, urgent, query.columns, fields, key, *when

    def _bits(self, box: Box) -> int:
        bits = 0
        for field, constraint in box.constraints:
            number = self.number[field]
            at = self._bit.get((number, constraint))
            if at is None:
                at = self._bit[number, constraint] = len(self._bit)
                self._on[number].append((at, constraint))
                if constraint.missing:
                    self.missing |= 1 << at
            bits |= 1 << at
        return bits

    def _on_key(self, box: Box) -> OnKey:
        places = {field: place for place, field in enumerate(self.merge.key)}
        return tuple((places[field], constraint) for field, constraint in box.constraints if field in places)

    def fulfils(self, field: int, code: Code) -> tuple[int, int]:
        """The bits of the conditions that a value fulfils, and of all conditions on its field."""
        found = self._known.get((field, code))
        if found is None:
            on = self._on[field]
            found = (
                sum(1 << at for at, constraint in on if constraint.admits(code)),
                sum(1 << at for at, _ in on),
            )
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[field, code] = found
        return found

    def _pivots(self) -> tuple[tuple[Circle, ...], dict[int, list[Circle]]]:
        """Circles by the rarest of the conditions that they need; those that may need no value at all stand apart."""
        asked: Counter[int] = Counter()
        needs = [bits_of(circle.need & ~self.missing) for circle in self.all]
        for bits in needs:
            asked.update(bits)
        free: list[Circle] = []
        found: dict[int, list[Circle]] = {}
        for circle, bits in zip(self.all, needs, strict=True):
            if bits:
                found.setdefault(min(bits, key=lambda bit: (asked[bit], bit)), []).append(circle)
            else:
                free.append(circle)
        return tuple(free), found

    def _by_key(self) -> tuple[dict[Code, list[Circle]], list[Circle]]:
        """Circles that not every event concerns: by the one value of the first key field that they want, and others."""
        at_point: dict[Code, list[Circle]] = {}
        others: list[Circle] = []
        for circle in self.all:
            point = next((constraint.point() for place, constraint in circle.key if place == 0), None)
            if point is not None:
                at_point.setdefault(point, []).append(circle)
            elif not circle.always:
                others.append(circle)
        return at_point, others

    def candidates(self, admitted: int) -> Iterator[Circle]:
        """Those whose filters may hold if some conditions are fulfilled by values."""
        yield from self._free
        for bit in bits_of(admitted):
            yield from self._by_condition.get(bit, ())

    def sometimes(self, key: Key, began: int) -> list[Circle]:
        """Those that an event can be of interest to, and others not."""
        some = [*self._at_point.get(key[0], ()), *self._sometimes]
        return [circle for circle in some if circle.concerns(key, began)]

    def gathers(self, key: Key) -> frozenset[int]:
        """The brokers of those who compute with whole events and may count this one."""
        return frozenset(
            broker for broker, on in self.gathering if all(constraint.admits(key[place]) for place, constraint in on)
        )

    @cached_property
    def _by_id(self) -> dict[str, int]:
        return {self.subscriptions[n].id: n for n in self._of}

    def made_of(self, ids: Sequence[str]) -> list[Circle]:
        """The circles that some subscriptions are in now, each cut down to them; those that are gone are left out."""
        found: dict[int, tuple[Circle, list[int]]] = {}
        for id_ in ids:
            number = self._by_id.get(id_)
            if number is not None:
                circle = self._of[number]
                found.setdefault(id(circle), (circle, []))[1].append(number)
        return [
            circle if circle.members == tuple(members) else replace(circle, members=tuple(members))
            for circle, members in found.values()
        ]


def bits_of(bits: int) -> list[int]:
    """The places of the bits of a set, ascending.

    >>> bits_of(0b1101)
    [0, 2, 3]
    """
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found
