"""The history of an event: reports, redundant values, coordination and notifications, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sparing.flow.deliver.payload import json_value
from sparing.flow.events.context import EventStep, MergeContext
from sparing.flow.events.event import Event
from sparing.model.constraint import Constraint


@dataclass(frozen=True)
class HistoryLine:
    """One step with names: `facts` as `field = value`, `who` as subscriptions."""

    time: int
    what: str
    broker: str
    target: str
    facts: tuple[str, ...]
    who: tuple[str, ...]


@dataclass(frozen=True)
class EventHistory:
    """The steps of an event in order; `missing` are the conditions of a given subscription that did not hold."""

    topic: str
    key: str
    began: int
    closes: int
    lines: tuple[HistoryLine, ...]
    missing: tuple[str, ...] = ()

    @property
    def ends(self) -> int:
        """The time of the last step, or of the last possible report."""
        return max([self.closes, *(line.time for line in self.lines)])


@dataclass
class HistoryRecorder:
    """Records the histories of the events with one key."""

    context: MergeContext
    key: str
    events: list[Event] = field(default_factory=list)
    steps: dict[int, list[EventStep]] = field(default_factory=dict)

    def see(self, event: Event, step: EventStep) -> None:
        """Record a step."""
        if id(event) not in self.steps:
            if key_text(self.context, event) != self.key:
                return
            self.events.append(event)  # a reference, so that its id is not reused
            self.steps[id(event)] = []
        self.steps[id(event)].append(step)

    def histories(self, subscription: int | None = None) -> list[EventHistory]:
        """Return the histories, ordered by the events' first reports."""
        return [self._history(event, subscription) for event in sorted(self.events, key=lambda event: event.began)]

    def _history(self, event: Event, subscription: int | None) -> EventHistory:
        lines = tuple(self._line(event, step) for step in self.steps[id(event)])
        missing = () if subscription is None else self._missing(event, subscription)
        return EventHistory(self.context.topic.name, self.key, event.began, event.closes, lines, missing)

    def _line(self, event: Event, found: EventStep) -> HistoryLine:
        context = self.context
        facts = tuple(
            f"{context.audiences.fields[fact.field]} = {value_text(context, fact.field, fact.code)}"
            for fact in event.members(found.facts)
            if context.audiences.fields[fact.field] not in (*context.merge.key, context.topic.time)
        )
        broker = context.name(found.broker) if found.broker >= 0 else ""
        target = context.name(found.target) if found.target >= 0 else ""
        who = tuple(context.plan.subscriptions[number].id for number in found.who)
        return HistoryLine(found.time, found.what, broker, target, facts, who)

    def _missing(self, event: Event, number: int) -> tuple[str, ...]:
        """Return the reasons why a subscription was not notified."""
        context, subscription = self.context, self.context.plan.subscriptions[number]
        if any(number in notified.audience.members for some in event.notified.values() for notified in some):
            return ()
        begins, ends = subscription.valid_from, subscription.valid_until
        if (begins is not None and event.began < begins) or (ends is not None and event.began >= ends):
            return ("being in force when the event began",)
        return tuple(
            constraint.sql(name, context.topic.fields[name])
            for name, constraint in subscription.query.box.constraints
            if not _holds(event, context.audiences.number[name], constraint)
        )


def _holds(event: Event, field: int, constraint: Constraint) -> bool:
    values = [fact.code for fact in event.members(event.so_far or event.everything) if fact.field == field]
    return any(map(constraint.admits, values)) if values else constraint.missing


def key_text(context: MergeContext, event: Event) -> str:
    """Return the key of an event as text."""
    fields: Sequence[str] = context.merge.key
    kinds = [context.topic.fields[name] for name in fields]
    return ", ".join(str(kind.value(code)) for kind, code in zip(kinds, event.key, strict=True))


def value_text(context: MergeContext, field: int, code: object) -> str:
    """Return a value in the format of notifications."""
    return json_value(context.topic.fields[context.audiences.fields[field]].value(code))  # type: ignore[arg-type]
