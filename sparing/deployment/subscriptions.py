"""Subscriptions: SQL understood, owned by a subscriber, in force for a while."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sparing.deployment.mistakes import Mistakes, quoting
from sparing.deployment.references import stranger, unlike
from sparing.deployment.schema import SubscriptionEntry
from sparing.deployment.sections import Section
from sparing.language.errors import LanguageError
from sparing.language.parse import parse_query
from sparing.model.subscription import Query, Subscription
from sparing.model.topic import Topic


def subscriptions_of(
    subscriptions: Section[SubscriptionEntry],
    subscribers: Collection[str],
    topics: Mapping[str, Topic] | None,
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
            found.append(Subscription(entry.id, entry.subscriber, query, begin, end, _attributes(entry)))
    return found


def _attributes(entry: SubscriptionEntry) -> tuple[tuple[str, float | str | bool], ...]:
    return tuple(sorted((name, value) for name, value in entry.attributes.items() if value is not None))


def _query(sql: str, topics: Mapping[str, Topic]) -> Query | LanguageError:
    try:
        return parse_query(sql, topics)
    except LanguageError as error:
        return error
