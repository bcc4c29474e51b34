"""An event under way: what has been reported, who holds what of it, and who has been told what.

Facts, the values of fields, are numbered in the order in which they were first reported; a set of them is an int with a
bit for each. What the coordinator has grows only, so how much somebody has been told is a number: how many of the facts
in the order in which a coordinator got to know them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from sparing.flow.events.audience import Audience, EventAudience, Key
from sparing.flow.events.bits import bits_of
from sparing.model.types import Code


class Fact(NamedTuple):
    """A value of a field: who first reported it, when."""

    field: int
    code: Code
    time: int
    publisher: str


@dataclass(slots=True)
class NotifiedAudience:
    """What a audience has been told whose filter has held, and whether the event has been urgent to it."""

    audience: Audience
    version: int = 0
    roused: bool = False


@dataclass(slots=True)
class Event:
    """`seen`, `unsent` and `kept` are sets of facts by broker.

    `seen` is what an aggregator has had, `unsent` what of that the coordinator has not been sent; `kept` is what was
    published at a broker, which keeps it on disk until the event is over. `order` is the order in which facts got known
    to a coordinator; `known` is how many of them have crossed a link.
    """

    key: Key
    began: int
    closes: int
    home: int  # the broker at which it was first reported
    tree: int
    hops: int  # between passive and active aggregators
    event_audience: EventAudience  # whom it may concern
    gathers: frozenset[int]  # brokers of those who compute with the whole event
    last: int
    told: dict[int, list[NotifiedAudience]] = field(default_factory=dict)  # by the numbers of audiences
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
    admitted: int = 0  # conditions that a fact in `order` fulfils
    touched: int = 0  # conditions on a field with a fact in `order`
    at_once: bool = False  # whether somebody does not wait for a cycle
    hot: int | None = None  # conditions that make the event urgent to somebody; None: it cannot become so
    failed: int = 0  # until when failures of aggregators have been taken into account
    lost: set[int] = field(default_factory=set)  # brokers that failed, and whose loss has not been made good
    log: list[tuple[int, int, int]] = field(default_factory=list)  # time, broker and facts of reports, to learn from
    changed: int | None = None  # when the plan last changed under it
    tick: int | None = None  # when somebody is due next
    closing: bool = False  # whether no report can come any more

    @property
    def cycles(self) -> tuple[int, ...]:
        """The notification cycles of those whom it may concern, without at once."""
        return self.event_audience.cycles

    @property
    def wanted(self) -> bool:
        """Whether it concerns anybody who is to be told."""
        return bool(self.event_audience.goals)

    @property
    def everything(self) -> int:
        """All facts."""
        return (1 << len(self.facts)) - 1

    @property
    def version(self) -> int:
        """How many facts a coordinator has got to know."""
        return len(self.order)

    def first(self, version: int) -> int:
        """The facts that a coordinator got to know first, so many of them."""
        if version == len(self.order):
            return self.so_far
        bits = 0
        for at in self.order[:version]:
            bits |= 1 << at
        return bits

    def add(self, values: Iterable[tuple[int, Code]], time: int, publisher: str) -> int:
        """The facts of a report."""
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
        """All facts on the fields that some facts are on."""
        return sum(on for on in self.on_field.values() if on & facts)

    def of_fields(self, fields: Iterable[int]) -> int:
        """All facts on some fields."""
        return sum(self.on_field.get(number, 0) for number in fields)

    def latest(self, facts: int) -> dict[int, Fact]:
        """Field -> its value that was reported last, among some facts."""
        return {fact.field: fact for fact in self.members(facts)}

    def members(self, facts: int) -> list[Fact]:
        """Some facts, in the order of their first reports."""
        return [self.facts[at] for at in bits_of(facts)]
