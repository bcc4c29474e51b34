"""Names in the text -> declared names. Case is ignored, as in Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sparing.language.errors import LanguageError, or_nearest
from sparing.language.syntax import Name, Star
from sparing.model.topic import Topic
from sparing.model.types import FieldType


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that `text` can use: the fields of a topic, with or without `prefix` (its name or alias).

    `time` is the topic's event time; it is empty for a condition without a topic.
    """

    text: str
    topic: str
    fields: Mapping[str, FieldType]
    prefix: str
    time: str = ""

    @classmethod
    def of(cls, text: str, topic: Topic, alias: str | None = None) -> Scope:
        """Return the scope of a text about a topic."""
        return cls(text, topic.name, topic.fields, alias or topic.name, topic.time)

    def field(self, name: Name) -> str:
        """Return the declared field of a name."""
        self.check_prefix(name)
        declared = name.name if name.name in self.fields else _ignoring_case(name.name, self.fields)
        if declared is None:
            raise LanguageError(
                f"Topic {self.topic} has no field {name.name}; {or_nearest(name.name, self.fields)}",
                self.text,
                name.start,
                name.end,
            )
        return declared

    def check_prefix(self, name: Name | Star) -> None:
        """Reject a prefix other than this scope's."""
        qualifier = name.qualifier
        if qualifier is not None and qualifier != self.prefix and qualifier.lower() != self.prefix.lower():
            raise LanguageError(
                f"{qualifier} is not the topic or alias of this query; write {self.prefix} or nothing before the dot.",
                self.text,
                name.start,
                name.end,
            )

    def type(self, field: str) -> FieldType:
        """Return the type of a declared field."""
        return self.fields[field]


def topic_named(text: str, name: Name, topics: Mapping[str, Topic]) -> Topic:
    """Return the declared topic of a name."""
    declared = name.name if name.name in topics else _ignoring_case(name.name, topics)
    if declared is None:
        raise LanguageError(
            f"Topic {name.name} does not exist; {or_nearest(name.name, topics)}", text, name.start, name.end
        )
    return topics[declared]


def _ignoring_case(name: str, declared: Iterable[str]) -> str | None:
    lower = name.lower()
    same = [word for word in declared if word.lower() == lower]
    return same[0] if len(same) == 1 else None
