"""The story of an event: who reported what where, what was redundant, who coordinated, who was told what and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sparing.flow.deliver.payload import json_value
from sparing.flow.events.event import Event
from sparing.flow.events.scene import Happening, Scene
from sparing.model.constraint import Constraint


@dataclass(frozen=True)
class Line:
    """Something that happened, in names: `facts` as `field = value`, `who` as subscriptions."""

    time: int
    what: str
    broker: str
    target: str
    facts: tuple[str, ...]
    who: tuple[str, ...]


@dataclass(frozen=True)
class Story:
    """What happened to an event, in order; `missing` is what kept a subscription from being told, if one was asked."""

    topic: str
    key: str
    began: int
    closes: int
    lines: tuple[Line, ...]
    missing: tuple[str, ...] = ()

    @property
    def ends(self) -> int:
        """When the last of it happened, or could have been reported."""
        return max([self.closes, *(line.time for line in self.lines)])


@dataclass
class Chronicler:
    """Writes the stories of the events with a key."""

    scene: Scene
    key: str
    events: list[Event] = field(default_factory=list)
    happenings: dict[int, list[Happening]] = field(default_factory=dict)

    def see(self, event: Event, happening: Happening) -> None:
        """Something happened."""
        if id(event) not in self.happenings:
            if key_text(self.scene, event) != self.key:
                return
            self.events.append(event)  # which also keeps its id from being used again
            self.happenings[id(event)] = []
        self.happenings[id(event)].append(happening)

    def stories(self, subscription: int | None = None) -> list[Story]:
        """All of them, by the times at which events began."""
        return [self._story(event, subscription) for event in sorted(self.events, key=lambda event: event.began)]

    def _story(self, event: Event, subscription: int | None) -> Story:
        lines = tuple(self._line(event, happening) for happening in self.happenings[id(event)])
        missing = () if subscription is None else self._missing(event, subscription)
        return Story(self.scene.topic.name, self.key, event.began, event.closes, lines, missing)

    def _line(self, event: Event, found: Happening) -> Line:
        scene = self.scene
        facts = tuple(
            f"{scene.circles.fields[fact.field]} = {value_text(scene, fact.field, fact.code)}"
            for fact in event.members(found.facts)
            if scene.circles.fields[fact.field] not in (*scene.merge.key, scene.topic.time)
        )
        broker = scene.name(found.broker) if found.broker >= 0 else ""
        target = scene.name(found.target) if found.target >= 0 else ""
        who = tuple(scene.plan.subscriptions[number].id for number in found.who)
        return Line(found.time, found.what, broker, target, facts, who)

    def _missing(self, event: Event, number: int) -> tuple[str, ...]:
        """Why a subscription was told nothing."""
        scene, subscription = self.scene, self.scene.plan.subscriptions[number]
        if any(number in told.circle.members for some in event.told.values() for told in some):
            return ()
        begins, ends = subscription.valid_from, subscription.valid_until
        if (begins is not None and event.began < begins) or (ends is not None and event.began >= ends):
            return ("being in force when the event began",)
        return tuple(
            constraint.sql(name, scene.topic.fields[name])
            for name, constraint in subscription.query.box.constraints
            if not _holds(event, scene.circles.number[name], constraint)
        )


def _holds(event: Event, field: int, constraint: Constraint) -> bool:
    values = [fact.code for fact in event.members(event.so_far or event.everything) if fact.field == field]
    return any(map(constraint.admits, values)) if values else constraint.missing


def key_text(scene: Scene, event: Event) -> str:
    """The key of an event as a person writes it."""
    fields: Sequence[str] = scene.merge.key
    kinds = [scene.topic.fields[name] for name in fields]
    return ", ".join(str(kind.value(code)) for kind, code in zip(kinds, event.key, strict=True))


def value_text(scene: Scene, field: int, code: object) -> str:
    """A value as it is written in notifications."""
    return json_value(scene.topic.fields[scene.circles.fields[field]].value(code))  # type: ignore[arg-type]
