"""Subscriptions and advertisements: who wants what, and who publishes where in a topic's space."""

from __future__ import annotations

from dataclasses import dataclass

from sparing.model.box import Box
from sparing.model.functions import Function
from sparing.model.rank import ANYONE, Rank
from sparing.model.window import CountWindow, TimeWindow


@dataclass(frozen=True, slots=True)
class Output:
    """One column of an aggregate subscription's result."""

    name: str
    function: Function
    field: str | None  # None: the function counts rows


@dataclass(frozen=True, slots=True)
class Aggregation:
    """What an aggregate subscription computes, over which windows."""

    outputs: tuple[Output, ...]
    window: TimeWindow | CountWindow

    @property
    def decomposable(self) -> bool:
        """Whether partial results may be formed under way; if not, raw publications travel to the last broker."""
        return isinstance(self.window, TimeWindow) and all(o.function.decomposable for o in self.outputs)


@dataclass(frozen=True, slots=True)
class Query:
    """A subscription's SQL, understood: a box over one topic, plain or aggregate.

    `columns` are the fields of a plain one (name in the payload -> field), None for all of them. `every` is the
    notification cycle in microseconds, None for at once.
    """

    topic: str
    box: Box
    columns: tuple[tuple[str, str], ...] | None = None
    aggregation: Aggregation | None = None
    every: int | None = None


@dataclass(frozen=True, slots=True)
class Subscription:
    """A query owned by a subscriber, in force for publications made in `[valid_from, valid_until)`.

    `attributes`, in the order of their names, are what publishers may rank by. What is `urgent` does not wait for the
    notification cycle.
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
    """The part of a topic's space in which a publisher at a broker publishes.

    With `top_k`, each publication goes to the k best of the subscriptions that match it, by `rank`.
    """

    publisher: str
    broker: str
    topic: str
    box: Box
    top_k: int | None = None
    rank: Rank = ANYONE
