"""Subscriptions: SQL understood, owned by a subscriber, in force for a while."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta

from sparing.deployment.mistakes import Mistakes, Place, quoting
from sparing.deployment.references import stranger, unlike
from sparing.deployment.schema import SubscriptionEntry
from sparing.deployment.sections import Section
from sparing.language.errors import LanguageError
from sparing.language.parse import parse_query, parse_where
from sparing.model.box import Box
from sparing.model.counted import counted
from sparing.model.subscription import Query, Subscription
from sparing.model.topic import Topic
from sparing.model.window import TimeWindow


def subscriptions_of(
    subscriptions: Section[SubscriptionEntry],
    subscribers: Collection[str],
    topics: Mapping[str, Topic] | None,
    most_windows: int,
    mistakes: Mistakes,
) -> list[Subscription]:
    """The subscriptions. Each text is parsed once; without `topics` (they have mistakes themselves) none is read."""
    unlike([entry.id for entry in subscriptions.entries], subscriptions.place, "Subscription", mistakes)
    found: list[Subscription] = []
    queries: dict[str, Query | LanguageError] = {}
    for index, entry in enumerate(subscriptions.entries):
        who = f"Subscription {entry.id}"
        if entry.subscriber not in subscribers:
            missing = stranger(who, "subscriber", entry.subscriber, subscribers)
            mistakes.add(subscriptions.place(index, "subscriber"), missing)
        begin, end = entry.valid_from, entry.valid_until
        if begin is not None and end is not None and end <= begin:
            never = f"{who} is never in force: 'until' must be later than 'from'"
            mistakes.add(subscriptions.place(index, "until"), never)
        if topics is None:
            continue
        if (query := queries.get(entry.sql)) is None:
            query = queries[entry.sql] = _query(entry.sql, topics)
        if isinstance(query, LanguageError):
            mistakes.add(subscriptions.place(index, "sql"), quoting(query, who))
        else:
            _check_cycle(who, query, topics[query.topic], subscriptions.place(index, "sql"), mistakes)
            _check_windows(who, query, most_windows, subscriptions.place(index, "sql"), mistakes)
            urgent = _urgent(who, entry, query, topics[query.topic], subscriptions.place(index, "urgent"), mistakes)
            found.append(Subscription(entry.id, entry.subscriber, query, begin, end, _attributes(entry), urgent))
    return found


def _check_cycle(who: str, query: Query, topic: Topic, place: Place, mistakes: Mistakes) -> None:
    if topic.merge is not None and query.every is not None and query.every % topic.merge.cycle:
        least = timedelta(microseconds=topic.merge.cycle)
        mistakes.add(
            place,
            f"{who} has a cycle that is no multiple of {least.total_seconds():g} seconds, the cycle of {topic.name}",
        )


def _check_windows(who: str, query: Query, most: int, place: Place, mistakes: Mistakes) -> None:
    window = None if query.aggregation is None else query.aggregation.window
    if isinstance(window, TimeWindow) and window.max_overlap > most:
        mistakes.add(
            place,
            f"{who} has an event count for {counted(window.max_overlap, 'window')}: choose a longer slide, "
            f"or raise limits.windows_per_event (now {most:,})",
        )


def _urgent(
    who: str, entry: SubscriptionEntry, query: Query, topic: Topic, place: Place, mistakes: Mistakes
) -> Box | None:
    """What does not wait for the cycle."""
    if entry.urgent is None:
        return None
    if query.every is None:
        mistakes.add(place, f"{who} has no cycle to wait for: leave urgent out, or add EVERY to its sql")
        return None
    try:
        return parse_where(entry.urgent, topic)
    except LanguageError as error:
        mistakes.add(place, quoting(error, who))
        return None


def _attributes(entry: SubscriptionEntry) -> tuple[tuple[str, float | str | bool], ...]:
    return tuple(sorted((name, value) for name, value in entry.attributes.items() if value is not None))


def _query(sql: str, topics: Mapping[str, Topic]) -> Query | LanguageError:
    try:
        return parse_query(sql, topics)
    except LanguageError as error:
        return error
