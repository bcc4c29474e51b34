"""Subscribers with their candidate brokers; subscriptions with parsed SQL and typed attributes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sparing.deployment.mistakes import Mistakes, Place, check_unique, quoting, unknown_name
from sparing.deployment.schema import SubscriberEntry, SubscriptionEntry
from sparing.deployment.sections import Section
from sparing.language.errors import LanguageError
from sparing.language.parse import parse_query, parse_where
from sparing.model.box import Box
from sparing.model.counted import counted
from sparing.model.subscription import Query, Subscription
from sparing.model.topic import Topic
from sparing.model.window import TimeWindow

_KINDS = {float: "number", str: "text", bool: "truth"}
_KIND_NOUNS = {"number": "a number", "text": "text", "truth": "a boolean"}


def candidate_brokers(
    subscribers: Section[SubscriberEntry], brokers: Collection[str], mistakes: Mistakes
) -> dict[str, tuple[str, ...]]:
    """Return subscriber -> candidate brokers, in the order of the file."""
    check_unique([entry.id for entry in subscribers.entries], subscribers.place, "Subscriber", mistakes)
    for index, entry in enumerate(subscribers.entries):
        who = f"Subscriber {entry.id}"
        for broker in entry.at:
            if broker not in brokers:
                mistakes.add(subscribers.place(index, "at"), unknown_name(who, "broker", broker, brokers))
        if len(set(entry.at)) < len(entry.at):
            mistakes.add(subscribers.place(index, "at"), f"{who} lists a broker twice: remove one of them")
    return {entry.id: tuple(entry.at) for entry in subscribers.entries}


def subscriptions_of(
    subscriptions: Section[SubscriptionEntry],
    subscribers: Collection[str],
    topics: Mapping[str, Topic] | None,
    most_windows: int,
    mistakes: Mistakes,
) -> list[Subscription]:
    """Return the valid subscriptions. Equal SQL is parsed once; without `topics` (some are invalid) none is parsed."""
    check_unique([entry.id for entry in subscriptions.entries], subscriptions.place, "Subscription", mistakes)
    valid: list[Subscription] = []
    queries: dict[str, Query | LanguageError] = {}
    for index, entry in enumerate(subscriptions.entries):
        who = f"Subscription {entry.id}"
        if entry.subscriber not in subscribers:
            missing = unknown_name(who, "subscriber", entry.subscriber, subscribers)
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
            continue
        check = _QueryCheck(who, query, topics[query.topic], mistakes)
        check.cycle(subscriptions.place(index, "sql"))
        check.windows(most_windows, subscriptions.place(index, "sql"))
        urgent = check.urgent(entry.urgent, subscriptions.place(index, "urgent"))
        valid.append(
            Subscription(
                id=entry.id,
                subscriber=entry.subscriber,
                query=query,
                valid_from=begin,
                valid_until=end,
                attributes=_attributes(entry),
                urgent=urgent,
            )
        )
    return valid


@dataclass(frozen=True)
class _QueryCheck:
    """Checks of a parsed query against its topic and the other keys of its subscription."""

    who: str
    query: Query
    topic: Topic
    mistakes: Mistakes

    def cycle(self, place: Place) -> None:
        """Check that the notification cycle is a multiple of the merged topic's cycle."""
        merge, every = self.topic.merge, self.query.every
        if merge is not None and every is not None and every % merge.cycle:
            seconds = timedelta(microseconds=merge.cycle).total_seconds()
            self.mistakes.add(
                place,
                f"The cycle of {self.who} must be a multiple of {seconds:g} seconds, the cycle of topic "
                f"{self.topic.name}",
            )

    def windows(self, most: int, place: Place) -> None:
        """Check that an event is in at most so many windows."""
        window = None if self.query.aggregation is None else self.query.aggregation.window
        if isinstance(window, TimeWindow) and window.max_overlap > most:
            self.mistakes.add(
                place,
                f"{self.who} assigns each event to {counted(window.max_overlap, 'window')}: use a longer slide, "
                f"or raise limits.windows_per_event (now {most:,})",
            )

    def urgent(self, condition: str | None, place: Place) -> Box | None:
        """Return the box of publications that are delivered without waiting for the cycle."""
        if condition is None:
            return None
        if self.query.every is None:
            self.mistakes.add(place, f"{self.who} has no cycle: remove urgent, or add EVERY to its sql")
            return None
        try:
            return parse_where(condition, self.topic)
        except LanguageError as error:
            self.mistakes.add(place, quoting(error, self.who))
            return None


def attribute_kinds(
    subscriptions: Sequence[Subscription], place: Callable[..., Place], mistakes: Mistakes
) -> dict[str, dict[str, str]]:
    """Return topic -> attribute -> kind (`number`, `text`, `truth`).

    On each topic, an attribute has one spelling and one kind.
    """
    by_topic: dict[str, dict[str, str]] = {}
    first: dict[tuple[str, str], tuple[str, str, str]] = {}  # -> spelling, kind and subscription of the first use
    for index, subscription in enumerate(subscriptions):
        topic = subscription.query.topic
        kinds = by_topic.setdefault(topic, {})
        for name, value in subscription.attributes:
            kind = _KINDS[type(value)]
            if kinds.get(name) == kind:
                continue
            here = name, kind, subscription.id
            spelling, first_kind, other = first.setdefault((topic, name.lower()), here)
            who = f"Attribute '{name}' of subscription {subscription.id}"
            if spelling != name:
                case = f"{who} differs only by case from '{spelling}' of subscription {other}: use one spelling"
                mistakes.add(place(index, "attributes", name), case)
            elif first_kind != kind:
                mixed = (
                    f"{who} is {_KIND_NOUNS[kind]}, but {_KIND_NOUNS[first_kind]} in subscription {other}: use one kind"
                )
                mistakes.add(place(index, "attributes", name), mixed)
            else:
                kinds[name] = kind
    return by_topic


def _attributes(entry: SubscriptionEntry) -> tuple[tuple[str, float | str | bool], ...]:
    return tuple(sorted((name, value) for name, value in entry.attributes.items() if value is not None))


def _query(sql: str, topics: Mapping[str, Topic]) -> Query | LanguageError:
    try:
        return parse_query(sql, topics)
    except LanguageError as error:
        return error
