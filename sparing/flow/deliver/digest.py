"""Digests: `EVERY` on a topic that is not merged gives one notification per cycle with all publications since the last.

A digest is a tumbling window, aligned to the epoch, that collects whole publications. Partial results would not be
smaller, so publications travel raw to the subscriber's broker.
"""

from __future__ import annotations

from sparing.model.subscription import Aggregation, Query
from sparing.model.topic import Topic
from sparing.model.window import TimeWindow


def digest(query: Query, topic: Topic) -> Aggregation:
    """Return the digest of a query with a cycle."""
    assert query.every is not None
    columns = tuple((name, name) for name in topic.fields) if query.columns is None else query.columns
    return Aggregation((), TimeWindow(query.every, query.every), columns)
