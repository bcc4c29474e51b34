"""Subscriptions and advertisements."""

from __future__ import annotations

from dataclasses import dataclass

from sparing.model.box import Box
from sparing.model.functions import Function
from sparing.model.rank import UNRANKED, Rank
from sparing.model.window import CountWindow, TimeWindow

Columns = tuple[tuple[str, str], ...]  # names in a payload, each with its field


@dataclass(frozen=True, slots=True)
class Output:
    """One column of an aggregate subscription's result."""

    name: str
    function: Function
    field: str | None  # None: the function counts rows


@dataclass(frozen=True, slots=True)
class Aggregation:
    """The functions of an aggregate subscription and its windows.

    A digest has no functions, but the columns of its events: pairs of a name in the payload and a field.
    """

    outputs: tuple[Output, ...]
    window: TimeWindow | CountWindow
    events: Columns = ()

    @property
    def decomposable(self) -> bool:
        """Whether brokers on the path may compute partial results; otherwise the subscriber's broker needs all data."""
        in_time = isinstance(self.window, TimeWindow) and not self.events
        return in_time and all(o.function.decomposable for o in self.outputs)

    @property
    def fields(self) -> set[str]:
        """The fields that its results need."""
        return {o.field for o in self.outputs if o.field is not None}.union(field for _, field in self.events)


@dataclass(frozen=True, slots=True)
class Query:
    """The parsed SQL of a subscription: a box over one topic, plain or aggregate.

    `columns` of a plain subscription are pairs of a name in the payload and a field; None for all fields. `every` is
    the notification cycle in microseconds, None for immediate delivery.
    """

    topic: str
    box: Box
    columns: Columns | None = None
    aggregation: Aggregation | None = None
    every: int | None = None


@dataclass(frozen=True, slots=True)
class Subscription:
    """A query owned by a subscriber, valid for publications with event times in `[valid_from, valid_until)`.

    `attributes`, in the order of their names, can be used in publishers' scores. Publications in the box `urgent` are
    delivered without waiting for the notification cycle.
    """

    id: str
    subscriber: str
    query: Query
    valid_from: int | None = None
    valid_until: int | None = None
    attributes: tuple[tuple[str, float | str | bool], ...] = ()
    urgent: Box | None = None


@dataclass(frozen=True, slots=True)
class Advertisement:
    """The box in which a publisher at a broker publishes on a topic.

    With `top_k`, each publication is delivered to the k best matching subscriptions, in the order of `rank`.
    """

    publisher: str
    broker: str
    topic: str
    box: Box
    top_k: int | None = None
    rank: Rank = UNRANKED
