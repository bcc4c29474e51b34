"""Publishers: each advertises a box of a topic at a broker, and may ask for the best subscriptions only."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sparing.deployment.mistakes import Mistakes, quoting
from sparing.deployment.ranks import rank_of
from sparing.deployment.references import stranger
from sparing.deployment.schema import PublisherEntry, RankEntry
from sparing.deployment.sections import Section
from sparing.language.errors import LanguageError
from sparing.language.parse import parse_where
from sparing.model.box import Box
from sparing.model.rank import UNRANKED, Rank
from sparing.model.subscription import Advertisement
from sparing.model.topic import Topic


def advertisements(
    publishers: Section[PublisherEntry],
    brokers: Collection[str],
    names: Collection[str],
    topics: Mapping[str, Topic],
    kinds: Mapping[str, Mapping[str, str]] | None,
    mistakes: Mistakes,
) -> list[Advertisement]:
    """The advertisements. `names` are all topics of the file, `topics` those without mistakes of their own.

    `kinds` are the attributes of the subscriptions on each topic; None if these have mistakes, so no score is read.
    """
    found: list[Advertisement] = []
    first: dict[tuple[str, str], int] = {}
    boxes: dict[tuple[str, str | None], Box | LanguageError] = {}  # each text is parsed once per topic
    ranks: dict[tuple[str, RankEntry], Rank | LanguageError] = {}
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
            continue
        if entry.top_k is not None and topics[topic].merge is not None:
            merged = f"{who} asks for top_k, but {topic} is merged: an event goes to everybody whom it concerns"
            mistakes.add(publishers.place(index, "top_k"), merged)
        rank: Rank | LanguageError = UNRANKED
        if entry.rank is not None and entry.top_k is None:
            alone = f"{who} has a rank, but no top_k: say how many of the best each publication goes to"
            mistakes.add(publishers.place(index, "rank"), alone)
        elif entry.rank is not None and kinds is not None:
            rank = ranks.get((topic, entry.rank)) or rank_of(entry.rank, topics[topic], kinds.get(topic))
            ranks[topic, entry.rank] = rank
        if isinstance(rank, LanguageError):
            mistakes.add(publishers.place(index, "rank"), quoting(rank, who))
        else:
            found.append(Advertisement(entry.id, entry.at, topic, box, entry.top_k, rank))
    return found


def _box(where: str | None, topic: Topic) -> Box | LanguageError:
    try:
        return Box() if where is None else parse_where(where, topic)
    except LanguageError as error:
        return error
