"""The sections of a deployment: validated entries from the file or a table, with the place of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from sparing.deployment.mistakes import Mistakes, Place
from sparing.deployment.schema import Entry, FileEntry, PublisherEntry, SubscriberEntry, SubscriptionEntry
from sparing.deployment.shape import sentences, shown
from sparing.deployment.tables import read_table
from sparing.deployment.values import absolute_path

E = TypeVar("E", bound=Entry)
Where = Callable[[Sequence[str | int]], Place]


@dataclass(frozen=True)
class Section(Generic[E]):
    """A list of entries; `place` returns the place of an entry, or of a key in it."""

    entries: Sequence[E]
    place: Callable[..., Place]


@dataclass(frozen=True)
class Sections:
    """All sections of a deployment; references between them are not checked yet."""

    file: FileEntry
    place: Where
    publishers: Section[PublisherEntry]
    subscribers: Section[SubscriberEntry]
    subscriptions: Section[SubscriptionEntry]
    tables: tuple[str, ...]


def sections(description: Any, place: Where, base: Path) -> Sections:
    """Validate a description against the schema, and read its tables."""
    mistakes = Mistakes()
    if not isinstance(description, Mapping):
        what = "empty" if description is None else shown(description)
        mistakes.add(place(()), f"A deployment must be a mapping with the keys name, overlay and topics, not {what}")
        mistakes.stop_if_any()
    inline = dict(description)
    paths = {
        key: inline.pop(key) for key in ("publishers", "subscribers", "subscriptions") if _is_path(inline.get(key))
    }
    file: FileEntry | None = None
    try:
        file = FileEntry.model_validate(inline)
    except ValidationError as error:
        for path, text in sentences(error, FileEntry, inline):
            mistakes.add(place(path), text)

    def section(key: str, entry: type[E], listed: Sequence[E]) -> Section[E]:
        if key not in paths:
            return Section(listed, lambda index, *keys: place((key, index, *keys)))
        table = read_table(absolute_path(paths[key], base), entry, place((key,)), mistakes)
        entries: list[E] = []
        try:
            entries = TypeAdapter(list[entry]).validate_python(table.rows)  # type: ignore[valid-type]
        except ValidationError as error:
            for path, text in sentences(error, list[entry], table.rows):  # type: ignore[valid-type]
                mistakes.add(table.place(int(path[0])), text)
        return Section(entries, lambda index, *_: table.place(index))

    publishers = section("publishers", PublisherEntry, file.publishers if file else [])
    subscribers = section("subscribers", SubscriberEntry, file.subscribers if file else [])
    subscriptions = section("subscriptions", SubscriptionEntry, file.subscriptions if file else [])
    mistakes.stop_if_any()
    assert file is not None
    tables = tuple(absolute_path(path, base) for path in paths.values())
    return Sections(
        file=file,
        place=place,
        publishers=publishers,
        subscribers=subscribers,
        subscriptions=subscriptions,
        tables=tables,
    )


def _is_path(value: Any) -> bool:
    return isinstance(value, str) and value != ""
