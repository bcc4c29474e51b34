"""Parcels: the data that Python stages exchange, packed into few large binary values.

Rows through Python are slow in Spark, so a stage emits one parcel per kind and task (or interest group), and only the
last stage unpacks rows. Columns beside a parcel have its kind and its number of rows, so that Spark can select, count
and cache parcels without unpacking them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.pairs import Pairs
from sparing.flow.deliver.notifications import Notifications, Payloads
from sparing.flow.deliver.variant import SCHEMA as VARIANT
from sparing.flow.deliver.variant import variants
from sparing.flow.events.merged_notifications import MergedNotifications
from sparing.flow.packing import pack
from sparing.model.bill import DATA, Bill, MessageKind

HELD = "held"  # matched publications for an interest group
REPORTS = "reports"  # reports on events of a merged topic
NOTIFICATIONS = "notifications"  # one row for all recipients of equal content
BILL = "bill"
METER = "meter"  # CPU time, and the fewest messages that had to cross a link
QUARANTINE = "quarantine"

EVENT, WINDOW, MERGED = "event", "window", "merged"  # kinds of notifications

CPU, LEAST, SIENA = "cpu", "least", "siena"  # kinds of measurements
EVENTS_OF = "events: "  # prefix of the measurements of merged topics' messages, by kind

Link = tuple[str, str]

TIMESTAMP = pa.timestamp("us", "UTC")

SCHEMAS = {
    NOTIFICATIONS: pa.schema(
        {
            "kind": pa.string(),
            "publisher": pa.string(),
            "publication": pa.string(),
            "about": pa.string(),  # identity of the content, if publication or times do not identify it
            "time": TIMESTAMP,
            "start": TIMESTAMP,
            "end": TIMESTAMP,
            "payload": VARIANT,
            "recipients": pa.list_(pa.int32()),
        }
    ),
    BILL: pa.schema(
        {"source": pa.string(), "target": pa.string(), "kind": pa.string(), "messages": pa.int64(), "bucket": TIMESTAMP}
    ),
    METER: pa.schema({"source": pa.string(), "target": pa.string(), "kind": pa.string(), "amount": pa.int64()}),
    QUARANTINE: pa.schema({"row": pa.string(), "reason": pa.string(), "detail": pa.string(), "publisher": pa.string()}),
}


class Parcel(NamedTuple):
    """Kind, number of rows (notifications: one per recipient) and packed contents."""

    what: str
    rows: int
    contents: pa.Buffer


def parcel(what: str, table: pa.Table, rows: int | None = None) -> Parcel:
    """Return a table as a parcel."""
    return Parcel(what, table.num_rows if rows is None else rows, pack(table))


def events(publications: Publications, payloads: pa.StructArray, pairs: Pairs) -> Parcel:
    """Return a parcel of plain deliveries: the publication in row n of the pairs goes to the subscriptions there."""
    rows = pa.array(pairs.events)
    columns = {
        "time": _times(publications.time[pairs.events]),
        "publisher": publications.publisher.take(rows).cast(pa.string()),
        "publication": publications.id.take(rows),
        "payload": payloads,
    }
    return _notifications([_table_of(EVENT, columns, _lists(pairs.starts, pairs.subscriptions))])


def windows(notifications: Iterable[Notifications]) -> Parcel:
    """Return a parcel of the results of windows and digests."""
    tables: list[pa.Table] = []
    for part in notifications:
        starts, ends = _times(part.start), _times(part.end)
        columns = {"time": ends, "start": starts, "end": ends}
        if part.about is not None:
            columns["about"] = pa.array(part.about, pa.string())
        recipients = _lists(np.arange(len(ends) + 1), part.subscription)
        tables += _with_payloads(_table_of(WINDOW, columns, recipients), part.payloads)
    return _notifications(tables)


def merged_events(found: MergedNotifications) -> Parcel:
    """Return a parcel of notifications of merged events."""
    events = [notice.event for notice in found.notices]
    columns = {
        "time": _times([notice.time for notice in found.notices]),
        "start": _times([event.began for event in events]),
        "end": _times([event.closes for event in events]),
        "about": pa.array(found.about, pa.string()),
    }
    members = [notice.audience.members for notice in found.notices]
    recipients = _lists(np.cumsum([0, *map(len, members)]), [number for some in members for number in some])
    return _notifications(_with_payloads(_table_of(MERGED, columns, recipients), found.payloads))


def _table_of(kind: str, columns: dict[str, pa.Array], recipients: pa.ListArray) -> pa.Table:
    """Return notifications of a kind with the given columns; the others are empty."""
    schema, length = SCHEMAS[NOTIFICATIONS], len(recipients)
    filled = {"kind": pa.repeat(kind, length), "recipients": recipients, **columns}
    arrays = [filled[f.name] if f.name in filled else pa.nulls(length, f.type) for f in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def _with_payloads(table: pa.Table, payloads: Payloads) -> Iterator[pa.Table]:
    """Return notifications with payloads, in a table for each shape."""
    place = table.schema.get_field_index("payload")
    for numbers, objects in payloads.parts:
        yield table.take(pa.array(numbers)).set_column(place, table.schema.field(place), variants(objects))


def _notifications(tables: Iterable[pa.Table]) -> Parcel:
    whole = pa.concat_tables(tables)
    return parcel(NOTIFICATIONS, whole, pc.sum(pc.list_value_length(whole["recipients"])).as_py() or 0)


def _times(micros: np.ndarray | Sequence[int | None]) -> pa.Array:
    return pa.array(micros, pa.int64()).cast(TIMESTAMP)


def _lists(offsets: np.ndarray, values: np.ndarray | Sequence[int]) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(values, pa.int32()))


def bill(messages: Bill) -> Parcel:
    """Return a parcel of a part of the bill."""
    rows = [(key.source, key.target, key.kind.value, count, key.bucket) for key, count in messages.items()]
    return parcel(BILL, _table(BILL, list(zip(*rows, strict=True))))


def meter(
    seconds: float, least: Mapping[Link, int], siena: Mapping[Link, int] | None = None, events: Bill | None = None
) -> Parcel:
    """Return a parcel of measurements: microseconds of CPU time (without a link), and messages by link.

    `siena` are the messages of merged topics without merging, `events` those sent, by kind.
    """
    rows = [("", "", CPU, round(1_000_000 * seconds))]
    rows += [(*link, LEAST, messages) for link, messages in least.items()]
    rows += [(*link, SIENA, messages) for link, messages in (siena or {}).items()]
    for kind in (*DATA, MessageKind.COORDINATION):
        sent = (events or Bill()).only(kind).by_link()
        rows += [(*link, f"{EVENTS_OF}{kind.value}", messages) for link, messages in sent.items()]
    return parcel(METER, _table(METER, list(zip(*rows, strict=True))))


def quarantine(rows: Iterable[tuple[str, str, str, str | None]]) -> Parcel:
    """Return a parcel of quarantined rows: row, reason, detail, publisher."""
    return parcel(QUARANTINE, _table(QUARANTINE, list(zip(*rows, strict=True))))


def _table(what: str, columns: list[tuple[Any, ...]]) -> pa.Table:
    schema = SCHEMAS[what]
    if not columns:
        return schema.empty_table()
    arrays = []
    for field, values in zip(schema, columns, strict=True):
        arrays.append(_times(values) if field.type == TIMESTAMP else pa.array(values, field.type))
    return pa.Table.from_arrays(arrays, schema=schema)
