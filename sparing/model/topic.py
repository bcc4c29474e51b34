"""Topics: named, typed classes of events with one event-time field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sparing.model.errors import SparingError
from sparing.model.merge import Merge
from sparing.model.types import FieldType, Kind


@dataclass(frozen=True)
class Topic:
    """`time` names the field that holds a publication's event time; with `merge`, its reports are merged to events.

    With a `unit` (s, ms or us), sources give the event time as a number of these since 1970.
    """

    name: str
    time: str
    fields: Mapping[str, FieldType] = field(hash=False)
    merge: Merge | None = None
    unit: str | None = None

    def __post_init__(self) -> None:
        if self.time not in self.fields:
            raise SparingError(f"Topic {self.name} has no field {self.time!r}, which it names as its event time.")
        if self.fields[self.time].kind is not Kind.TIMESTAMP:
            raise SparingError(
                f"Field {self.time} of topic {self.name} is {self.fields[self.time]}, "
                "but an event time must be a timestamp."
            )
