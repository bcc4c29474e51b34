"""The state of an open event: reported facts, the facts at each aggregator, and the notified audiences.

A fact is a value of a field. Facts are numbered in the order of their first reports; a set of facts is an int with a
bit for each. The coordinator's facts only grow, so an audience's knowledge is a version: the number of facts, in the
order in which the coordinator received them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from sparing.flow.events.audience import Audience, EventAudience, Key
from sparing.flow.events.bits import bits_of
from sparing.model.types import Code


class Fact(NamedTuple):
    """A value of a field, with the time and publisher of its first report."""

    field: int
    code: Code
    time: int
    publisher: str


@dataclass(slots=True)
class NotifiedAudience:
    """A notified audience, the version that it has, and whether the event is urgent for it."""

    audience: Audience
    version: int = 0
    urgent: bool = False


@dataclass(slots=True)
class Event:
    """An open event; `seen`, `unsent` and `kept` are sets of facts by broker.

    `seen` are the facts that an aggregator has received, `unsent` those not yet sent to the coordinator. `kept` are
    facts published at a broker, which stores them until the event is over. `order` lists the facts in the order in
    which the coordinator received them; `known` is the version that has crossed each link.
    """

    key: Key
    began: int
    closes: int
    home: int  # the broker at which it was first reported
    tree: int
    hops: int  # between passive and active aggregators
    event_audience: EventAudience  # the audiences that it can match
    gathers: frozenset[int]  # brokers with subscriptions that aggregate whole events
    last: int
    notified: dict[int, list[NotifiedAudience]] = field(default_factory=dict)  # by the numbers of audiences
    facts: list[Fact] = field(default_factory=list)
    number: dict[tuple[int, Code], int] = field(default_factory=dict)
    on_field: dict[int, int] = field(default_factory=dict)  # field -> the facts on it
    seen: dict[int, int] = field(default_factory=dict)
    unsent: dict[int, int] = field(default_factory=dict)
    kept: dict[int, int] = field(default_factory=dict)
    coordinator: int | None = None
    order: list[int] = field(default_factory=list)
    so_far: int = 0  # the facts in `order`
    known: dict[tuple[int, int], int] = field(default_factory=dict)
    admitted: int = 0  # conditions fulfilled by a fact in `order`
    touched: int = 0  # conditions on a field with a fact in `order`
    at_once: bool = False  # whether an audience is notified immediately
    hot: int | None = None  # conditions that make the event urgent for an audience; None without any
    failed: int = 0  # the time up to which failures of aggregators have been processed
    lost: set[int] = field(default_factory=set)  # failed brokers whose facts have not been sent again
    log: list[tuple[int, int, int]] = field(default_factory=list)  # time, broker and facts of reports, for placement
    changed: int | None = None  # the time of the last change of the plan
    tick: int | None = None  # the next time at which an audience is due
    closing: bool = False  # whether reports are no longer accepted

    @property
    def cycles(self) -> tuple[int, ...]:
        """The notification cycles of the audiences that it can match."""
        return self.event_audience.cycles

    @property
    def wanted(self) -> bool:
        """Whether it can match an audience."""
        return bool(self.event_audience.goals)

    @property
    def everything(self) -> int:
        """All facts."""
        return (1 << len(self.facts)) - 1

    @property
    def version(self) -> int:
        """The number of facts that the coordinator has received."""
        return len(self.order)

    def first(self, version: int) -> int:
        """Return the facts of a version."""
        if version == len(self.order):
            return self.so_far
        bits = 0
        for at in self.order[:version]:
            bits |= 1 << at
        return bits

    def add(self, values: Iterable[tuple[int, Code]], time: int, publisher: str) -> int:
        """Add the values of a report, and return their facts."""
        bits, number = 0, self.number
        for value in values:
            at = number.get(value)
            if at is None:
                at = number[value] = len(self.facts)
                self.facts.append(Fact(*value, time, publisher))
                self.on_field[value[0]] = self.on_field.get(value[0], 0) | 1 << at
            bits |= 1 << at
        return bits

    def same_fields(self, facts: int) -> int:
        """Return all facts on the fields of some facts."""
        return sum(on for on in self.on_field.values() if on & facts)

    def of_fields(self, fields: Iterable[int]) -> int:
        """Return all facts on some fields."""
        return sum(self.on_field.get(number, 0) for number in fields)

    def latest(self, facts: int) -> dict[int, Fact]:
        """Return the latest of some facts for each field."""
        return {fact.field: fact for fact in self.members(facts)}

    def members(self, facts: int) -> list[Fact]:
        """Return a set of facts as a list, in the order of their first reports."""
        return [self.facts[at] for at in bits_of(facts)]
