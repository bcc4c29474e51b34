"""Entry points: queries of subscriptions, conditions of advertisements, and filters of an index."""

from __future__ import annotations

from collections.abc import Mapping

from sparing.language.conditions import box_of
from sparing.language.errors import LanguageError
from sparing.language.grammar import parse_condition, parse_select
from sparing.language.names import Scope, topic_named
from sparing.language.select import columns_of, outputs_of
from sparing.language.syntax import Literal
from sparing.language.windows import duration_of, window_of
from sparing.model.box import Box
from sparing.model.subscription import Aggregation, Query
from sparing.model.topic import Topic
from sparing.model.types import FieldType


def parse_query(text: str, topics: Mapping[str, Topic]) -> Query:
    """Parse the SQL of a subscription; raise a `LanguageError` if it is invalid.

    >>> from sparing.model.types import field_type
    >>> fields = {"ts": field_type("timestamp"), "speed": field_type("double")}
    >>> topics = {"traffic": Topic("traffic", "ts", fields)}
    >>> query = parse_query("SELECT * FROM traffic WHERE speed < 20 EVERY '30 seconds'", topics)
    >>> query.box.sql(fields), query.every
    ('speed < 20.0D', 30000000)
    """
    tree = parse_select(text)
    topic = topic_named(text, tree.topic, topics)
    scope = Scope.of(text, topic, tree.alias)
    box = box_of(scope, tree.where)
    if not tree.group:
        return Query(topic.name, box, columns_of(scope, tree.items), every=_every(text, tree.every))
    window = window_of(scope, tree.group)
    if tree.every is not None:
        raise LanguageError(
            "EVERY is not supported with windows: remove it, or set the window's slide.",
            text,
            tree.every.start,
            tree.every.end,
        )
    return Query(topic.name, box, aggregation=Aggregation(outputs_of(scope, tree.items, window), window))


def parse_where(text: str, topic: Topic) -> Box:
    """Return the box of a condition on a topic; `true` is the whole topic."""
    return box_of(Scope.of(text, topic), parse_condition(text))


def parse_filter(text: str, fields: Mapping[str, FieldType], topic: str = "events") -> Box:
    """Return the box of a condition on fields, without a declared topic."""
    return box_of(Scope(text, topic, fields, topic), parse_condition(text))


def _every(text: str, node: Literal | None) -> int | None:
    if node is None:
        return None
    duration = duration_of(text, node)
    if duration < 0:
        raise LanguageError("A notification cycle must not be negative.", text, node.start, node.end)
    return duration or None
