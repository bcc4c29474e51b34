"""Publishers: each advertises a box of a topic at a broker, optionally for the k best subscriptions only."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sparing.deployment.mistakes import Mistakes, quoting, unknown_name
from sparing.deployment.schema import PublisherEntry, RankEntry
from sparing.deployment.sections import Section
from sparing.language.errors import LanguageError
from sparing.language.parse import parse_where
from sparing.language.scores import parse_score
from sparing.model.box import Box
from sparing.model.expression import Expression
from sparing.model.rank import UNRANKED, BoxScore, Fairness, Rank
from sparing.model.subscription import Advertisement
from sparing.model.topic import Topic

_MEASURES = {measure.value: measure for measure in BoxScore}
_FAIR = {False: Fairness.NONE, True: Fairness.WEIGHTED, "exact": Fairness.EXACT}


@dataclass(frozen=True)
class PublisherChecks:
    """The names that publishers may refer to. `all_topics` includes invalid topics, `topics` does not.

    `kinds` has the attributes of subscriptions by topic; None (some subscription is invalid) skips scores.
    """

    brokers: Collection[str]
    all_topics: Collection[str]
    topics: Mapping[str, Topic]
    kinds: Mapping[str, Mapping[str, str]] | None
    mistakes: Mistakes
    _boxes: dict[tuple[str, str | None], Box | LanguageError] = field(default_factory=dict)  # a text is parsed once
    _ranks: dict[tuple[str, RankEntry], Rank | LanguageError] = field(default_factory=dict)

    def advertisements(self, publishers: Section[PublisherEntry]) -> list[Advertisement]:
        """Return the valid advertisements."""
        valid: list[Advertisement] = []
        first: dict[tuple[str, str], int] = {}
        for index, entry in enumerate(publishers.entries):
            who, topic = f"Publisher {entry.id}", entry.topic
            if first.setdefault((entry.id, topic), index) != index:
                earlier = publishers.place(first[entry.id, topic]).label
                twice = f"{who} is defined twice for topic {topic} (first at {earlier}): remove one of them"
                self.mistakes.add(publishers.place(index), twice)
            if entry.at not in self.brokers:
                self.mistakes.add(publishers.place(index, "at"), unknown_name(who, "broker", entry.at, self.brokers))
            if topic not in self.all_topics:
                self.mistakes.add(publishers.place(index, "topic"), unknown_name(who, "topic", topic, self.all_topics))
            if topic not in self.topics:
                continue
            box = self._box(entry)
            if isinstance(box, LanguageError):
                self.mistakes.add(publishers.place(index, "where"), quoting(box, who))
                continue
            if entry.top_k is not None and self.topics[topic].merge is not None:
                merged = (
                    f"{who} has top_k, but {topic} is a merged topic, whose events go to all matching subscriptions"
                )
                self.mistakes.add(publishers.place(index, "top_k"), f"{merged}: remove top_k")
            if entry.rank is not None and entry.top_k is None:
                alone = f"{who} has a rank but no top_k: add top_k, the number of subscriptions per publication"
                self.mistakes.add(publishers.place(index, "rank"), alone)
            rank = self._rank(entry)
            if isinstance(rank, LanguageError):
                self.mistakes.add(publishers.place(index, "rank"), quoting(rank, who))
            else:
                valid.append(Advertisement(entry.id, entry.at, topic, box, top_k=entry.top_k, rank=rank))
        return valid

    def _box(self, entry: PublisherEntry) -> Box | LanguageError:
        key = entry.topic, entry.where
        if key not in self._boxes:
            self._boxes[key] = _parse_box(entry.where, self.topics[entry.topic])
        return self._boxes[key]

    def _rank(self, entry: PublisherEntry) -> Rank | LanguageError:
        if entry.rank is None or entry.top_k is None or self.kinds is None:
            return UNRANKED
        key = entry.topic, entry.rank
        if key not in self._ranks:
            self._ranks[key] = _parse_rank(entry.rank, self.topics[entry.topic], self.kinds.get(entry.topic))
        return self._ranks[key]


def _parse_box(where: str | None, topic: Topic) -> Box | LanguageError:
    try:
        return Box() if where is None else parse_where(where, topic)
    except LanguageError as error:
        return error


def _parse_rank(entry: RankEntry, topic: Topic, attributes: Mapping[str, str] | None) -> Rank | LanguageError:
    """Return the rank; `attributes` are the kinds of attributes on the topic, None if there are none."""
    fair = entry.by is None if entry.fair is None else entry.fair
    by: BoxScore | Expression | None = None
    if entry.by is not None:
        by = _MEASURES.get(entry.by.strip().lower())
        if by is None:
            try:
                by = parse_score(entry.by, topic, attributes)
            except LanguageError as error:
                return error
    return Rank(by, _FAIR[fair])
