"""Topics: field names and types that fit into one Spark table for all topics."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sparing.deployment.mistakes import Mistakes, hint
from sparing.deployment.schema import MergeEntry, TopicEntry
from sparing.deployment.sections import Where
from sparing.deployment.values import duration
from sparing.model.errors import SparingError
from sparing.model.merge import Merge, RedundancyRule
from sparing.model.topic import Topic
from sparing.model.types import TIMESTAMP, FieldType, field_type

RESERVED = ("publisher", "topic")
_First = dict[str, tuple[str, str, FieldType]]  # name in lower case -> topic, spelling and type of its first use
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # reserved: the pipeline prefixes its internal keys with them


def topics_of(entries: Mapping[str, TopicEntry], place: Where, mistakes: Mistakes) -> dict[str, Topic]:
    """Return the valid topics.

    The pipeline reads publications of all topics from one table, and Spark ignores the case of column names. So a
    field has one spelling and one type in all topics, and no name of a column of the pipeline.
    """
    valid: dict[str, Topic] = {}
    first: _First = {}
    spellings: dict[str, str] = {}
    for name, entry in entries.items():
        before = len(mistakes)
        if (other := spellings.setdefault(name.lower(), name)) != name:
            case = f"Topic {name} differs only by case from topic {other}, and SQL ignores case: rename one"
            mistakes.add(place(("topics", name)), case)
        if not name:
            mistakes.add(place(("topics", name)), "A topic has no name: add one")
        if _CONTROL.search(name):
            control = f"The name of topic {name!r} contains a control character: remove tabs, line breaks and the like"
            mistakes.add(place(("topics", name)), control)
        fields: dict[str, FieldType] = {}
        for field, type_name in entry.fields.items():
            here = place(("topics", name, "fields", field))
            try:
                fields[field] = _field(name, field, type_name, first)
            except SparingError as error:
                mistakes.add(here, str(error))
        here = place(("topics", name, "time"))
        time, unit = entry.time.field, entry.time.unit
        if time not in entry.fields:
            mistakes.add(here, f"Topic {name} has no field '{time}', its event time{hint(time, entry.fields)}")
        elif (kind := fields.get(time, TIMESTAMP)) != TIMESTAMP:
            mistakes.add(here, f"Field '{time}' of topic {name} is {kind}: an event time must be a timestamp")
        if len(mistakes) == before:
            merge = None if entry.merge is None else _merge(name, entry, time, entry.merge, place, mistakes)
            valid[name] = Topic(name, time, fields, merge=merge, unit=unit)
    _check_units(valid, place, mistakes)
    return valid


def _check_units(topics: Mapping[str, Topic], place: Where, mistakes: Mistakes) -> None:
    """Check that an event-time field, one column for all topics that have it, has one unit."""
    for topic in topics.values():
        for other in topics.values():
            other_unit = other.unit if other.time == topic.time else None
            if topic.unit is not None and topic.time in other.fields and other_unit != topic.unit:
                mistakes.add(
                    place(("topics", topic.name, "time")),
                    f"Field '{topic.time}' has the unit {topic.unit} in topic {topic.name}, but not in topic "
                    f"{other.name}: use the same unit, or rename one field",
                )


def _merge(topic: str, entry: TopicEntry, time: str, merge: MergeEntry, place: Where, mistakes: Mistakes) -> Merge:
    """Return the merge settings of a topic, after checking its key fields."""
    here = ("topics", topic, "merge")
    for field in merge.key:
        if field not in entry.fields:
            known = hint(field, [name for name in entry.fields if name != time])
            mistakes.add(
                place((*here, "key")), f"Topic {topic} has no field '{field}', which its merge key lists{known}"
            )
        elif field == time:
            mistakes.add(
                place((*here, "key")), f"Field '{field}' is the event time of topic {topic}: it cannot be a key"
            )
    if len(set(merge.key)) < len(merge.key):
        mistakes.add(place((*here, "key")), f"The merge key of topic {topic} lists a field twice: remove one of them")
    return Merge(
        tuple(merge.key),
        duration("within", merge.within, 1, place((*here, "within")), mistakes),
        RedundancyRule(merge.compare),
        duration("cycle", merge.cycle, 1, place((*here, "cycle")), mistakes),
    )


def _field(topic: str, field: str, type_name: str, first: _First) -> FieldType:
    """Return the type of a field, after checking it against the same field of earlier topics."""
    if not _PLAIN.fullmatch(field):
        raise SparingError(f"'{field}' is not a field name: use letters, digits and _, starting with a letter or _.")
    who = f"Field '{field}' of topic {topic}"
    if field.lower() in RESERVED:
        raise SparingError(f"{who} has a reserved name, a column of Sparing: rename it.")
    try:
        kind = field_type(type_name)
    except SparingError as error:
        raise SparingError(f"{who}: {error}") from None
    other, spelling, first_kind = first.setdefault(field.lower(), (topic, field, kind))
    if spelling != field:
        raise SparingError(f"{who} differs only by case from '{spelling}' of topic {other}: use one spelling.")
    if kind != first_kind:
        raise SparingError(f"{who} is {kind}, but {first_kind} in topic {other}: use one type, or rename one field.")
    return kind
