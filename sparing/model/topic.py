"""Topics: named, typed classes of events with one event-time field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sparing.model.errors import SparingError
from sparing.model.merge import Merge
from sparing.model.types import FieldType, Kind


@dataclass(frozen=True)
class Topic:
    """A topic. `time` names the field with the event time; with `merge`, reports are merged into events.

    With a `unit` (s, ms or us), the event time in sources is a number of these units since 1970.
    """

    name: str
    time: str
    fields: Mapping[str, FieldType] = field(hash=False)
    merge: Merge | None = None
    unit: str | None = None

    def __post_init__(self) -> None:
        if self.time not in self.fields:
            raise SparingError(
                f"Topic {self.name} has no field {self.time!r}, its event time: add the field or name another."
            )
        if self.fields[self.time].kind is not Kind.TIMESTAMP:
            raise SparingError(
                f"Field {self.time} of topic {self.name} is {self.fields[self.time]}: "
                "an event time must be a timestamp."
            )
