"""Topics: field names and types that one Spark table can hold for all of them together."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sparing.deployment.durations import duration
from sparing.deployment.mistakes import Mistakes
from sparing.deployment.names import hint
from sparing.deployment.schema import MergeEntry, TopicEntry
from sparing.deployment.sections import Where
from sparing.model.errors import SparingError
from sparing.model.merge import Merge, RedundancyRule
from sparing.model.topic import Topic
from sparing.model.types import TIMESTAMP, FieldType, field_type

RESERVED = ("publisher", "topic")
_First = dict[str, tuple[str, str, FieldType]]  # name in lower case -> topic, spelling and type where it came first
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # the pipeline marks keys of its own with such characters


def topics_of(entries: Mapping[str, TopicEntry], place: Where, mistakes: Mistakes) -> dict[str, Topic]:
    """The topics, without those that have a mistake.

    The pipeline reads publications of all topics from one table, and Spark does not tell the case of column names
    apart: so a field has one spelling and one type in all topics, and none is called like a column of the pipeline.
    """
    found: dict[str, Topic] = {}
    first: _First = {}
    spellings: dict[str, str] = {}
    for name, entry in entries.items():
        before = len(mistakes)
        if (other := spellings.setdefault(name.lower(), name)) != name:
            same = f"Topic {name} differs only by case from topic {other}: SQL takes them for one, so rename one"
            mistakes.add(place(("topics", name)), same)
        if not name:
            mistakes.add(place(("topics", name)), "A topic must have a name")
        if _CONTROL.search(name):
            what = f"Topic {name!r} has a control character in its name: leave out tabs, line ends and the like"
            mistakes.add(place(("topics", name)), what)
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
            known = hint(time, entry.fields)
            mistakes.add(here, f"Topic {name} has no field '{time}', its event time{known}")
        elif (kind := fields.get(time, TIMESTAMP)) != TIMESTAMP:
            mistakes.add(here, f"Field '{time}' of topic {name} is {kind}: an event time must be a timestamp")
        if len(mistakes) == before:
            merge = None if entry.merge is None else _merge(name, entry, time, entry.merge, place, mistakes)
            found[name] = Topic(name, time, fields, merge, unit)
    _check_units(found, place, mistakes)
    return found


def _check_units(topics: Mapping[str, Topic], place: Where, mistakes: Mistakes) -> None:
    """A field is one column for all topics that have it, so it is counted in one unit."""
    for topic in topics.values():
        for other in topics.values():
            said = other.unit if other.time == topic.time else None
            if topic.unit is not None and topic.time in other.fields and said != topic.unit:
                mistakes.add(
                    place(("topics", topic.name, "time")),
                    f"Field '{topic.time}' is counted in {topic.unit} in topic {topic.name}, but not in topic "
                    f"{other.name}: give it the same unit there, or rename one",
                )


def _merge(topic: str, entry: TopicEntry, time: str, merge: MergeEntry, place: Where, mistakes: Mistakes) -> Merge:
    """How a topic's publications are merged."""
    here = ("topics", topic, "merge")
    for field in merge.key:
        if field not in entry.fields:
            known = hint(field, [name for name in entry.fields if name != time])
            mistakes.add(place((*here, "key")), f"Topic {topic} has no field '{field}', the key of its events{known}")
        elif field == time:
            mistakes.add(
                place((*here, "key")), f"Field '{field}' is the event time of topic {topic}: it cannot be a key"
            )
    if len(set(merge.key)) < len(merge.key):
        mistakes.add(place((*here, "key")), f"The key of topic {topic} names a field twice: keep one of them")
    return Merge(
        tuple(merge.key),
        duration("within", merge.within, 1, place((*here, "within")), mistakes),
        RedundancyRule(merge.compare),
        duration("cycle", merge.cycle, 1, place((*here, "cycle")), mistakes),
    )


def _field(topic: str, field: str, type_name: str, first: _First) -> FieldType:
    """The type of a field, checked against the field of that name in the topics before."""
    if not _PLAIN.fullmatch(field):
        raise SparingError(f"'{field}' is not a field name: use letters, digits and _, and no digit first.")
    who = f"Field '{field}' of topic {topic}"
    if field.lower() in RESERVED:
        raise SparingError(f"{who} is named like a column that Sparing keeps for itself: rename it.")
    try:
        kind = field_type(type_name)
    except SparingError as error:
        raise SparingError(f"{who}: {error}") from None
    other, spelling, before = first.setdefault(field.lower(), (topic, field, kind))
    if spelling != field:
        raise SparingError(f"{who} differs only by case from '{spelling}' of topic {other}: use one spelling.")
    if kind != before:
        raise SparingError(f"{who} is {kind}, but {before} in topic {other}: give it one type, or rename one.")
    return kind
