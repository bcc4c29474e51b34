"""All audiences of a merged topic.

The subscriptions of an audience are at one broker, with the same filter, cycle, columns and validity. Conditions are
numbered, so that the conditions that facts fulfil are a set of bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from sparing.control.plan import Plan
from sparing.flow.events.audience import Audience, AudienceIndex, Columns, Key, OnKey
from sparing.model.box import Box
from sparing.model.constraint import Constraint
from sparing.model.subscription import Subscription
from sparing.model.types import Code

MOST_KNOWN = 1 << 16  # cached values

Terms = tuple[int, int, int, int | None, Columns, frozenset[int] | None, OnKey, int | None, int | None]


class Audiences:
    """The audiences and conditions of one merged topic."""

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
        self.all = tuple(Audience(at, tuple(members), *terms) for at, (terms, members) in enumerate(like.items()))
        self.urgent = tuple(audience for audience in self.all if audience.urgent is not None)
        self._of = {n: audience for audience in self.all for n in audience.members}
        self.plain = AudienceIndex((audience, audience.need & ~self.missing) for audience in self.all)
        self.hurried = AudienceIndex((c, c.urgent & ~self.missing) for c in self.all if c.urgent is not None)
        self._at_point, self._sometimes = self._by_key()
        self.gathering = tuple(
            (int(plan.broker_of[n]), self._on_key(plan.subscriptions[n].query.box))
            for n in mine
            if plan.subscriptions[n].query.aggregation is not None
        )

    def _terms(self, number: int, broker: int) -> Terms:
        """Return the properties that all subscriptions of an audience share."""
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
        """Return the bits of the conditions that a value fulfils, and of all conditions on its field."""
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

    def _by_key(self) -> tuple[dict[Code, list[Audience]], list[Audience]]:
        """Return the audiences with conditions on the key: by their value of the first key field, and others."""
        at_point: dict[Code, list[Audience]] = {}
        others: list[Audience] = []
        for audience in self.all:
            point = next((constraint.point() for place, constraint in audience.key if place == 0), None)
            if point is not None:
                at_point.setdefault(point, []).append(audience)
            elif not audience.always:
                others.append(audience)
        return at_point, others

    def sometimes(self, key: Key, began: int) -> list[Audience]:
        """Return the audiences that match this event, but not every event."""
        some = [*self._at_point.get(key[0], ()), *self._sometimes]
        return [audience for audience in some if audience.concerns(key, began)]

    def gathers(self, key: Key) -> frozenset[int]:
        """Return the brokers with subscriptions that aggregate whole events and can match this one."""
        return frozenset(
            broker for broker, on in self.gathering if all(constraint.admits(key[place]) for place, constraint in on)
        )

    @cached_property
    def _by_id(self) -> dict[str, int]:
        return {self.subscriptions[n].id: n for n in self._of}

    def made_of(self, ids: Sequence[str]) -> list[Audience]:
        """Return the current audiences of some subscriptions, without other members; unknown ids are ignored."""
        found: dict[int, tuple[Audience, list[int]]] = {}
        for id_ in ids:
            number = self._by_id.get(id_)
            if number is not None:
                audience = self._of[number]
                found.setdefault(id(audience), (audience, []))[1].append(number)
        return [
            audience if audience.members == tuple(members) else replace(audience, members=tuple(members))
            for audience, members in found.values()
        ]
