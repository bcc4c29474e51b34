"""Publishers: each advertises a box of a topic at a broker."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sparing.deployment.mistakes import Mistakes, quoting
from sparing.deployment.references import stranger
from sparing.deployment.schema import PublisherEntry
from sparing.deployment.sections import Section
from sparing.language.errors import LanguageError
from sparing.language.parse import parse_where
from sparing.model.box import Box
from sparing.model.subscription import Advertisement
from sparing.model.topic import Topic


def advertisements(
    publishers: Section[PublisherEntry],
    brokers: Collection[str],
    names: Collection[str],
    topics: Mapping[str, Topic],
    mistakes: Mistakes,
) -> list[Advertisement]:
    """The advertisements. `names` are all topics of the file, `topics` those without mistakes of their own."""
    found: list[Advertisement] = []
    first: dict[tuple[str, str], int] = {}
    boxes: dict[tuple[str, str | None], Box | LanguageError] = {}  # each text is parsed once per topic
    for index, entry in enumerate(publishers.entries):
        who, topic = f"Publisher {entry.id}", entry.topic
        if first.setdefault((entry.id, topic), index) != index:
            earlier = publishers.place(first[entry.id, topic]).label
            twice = f"{who} is given twice for topic {topic} (first at {earlier}): keep one of them"
            mistakes.add(publishers.place(index), twice)
        if entry.at not in brokers:
            mistakes.add(publishers.place(index, "at"), stranger(who, "broker", entry.at, brokers))
        if topic not in names:
            mistakes.add(publishers.place(index, "topic"), stranger(who, "topic", topic, names))
        if topic not in topics:
            continue
        if (box := boxes.get((topic, entry.where))) is None:
            box = boxes[topic, entry.where] = _box(entry.where, topics[topic])
        if isinstance(box, LanguageError):
            mistakes.add(publishers.place(index, "where"), quoting(box, who))
        else:
            found.append(Advertisement(entry.id, entry.at, topic, box))
    return found


def _box(where: str | None, topic: Topic) -> Box | LanguageError:
    try:
        return Box() if where is None else parse_where(where, topic)
    except LanguageError as error:
        return error
