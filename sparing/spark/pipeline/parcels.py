"""Parcels: everything that Python stages hand to each other, packed into few large binary values.

Rows through Python are the slow path of Spark, so a stage gives one parcel per kind and task (or interest group), and
only the last stage turns parcels into rows again. Beside each parcel Spark gets to know what it holds and how many rows
that comes to, so parcels can be told apart, counted and kept without being opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from sparing.flow.deliver.notifications import Notifications
from sparing.flow.deliver.variant import SCHEMA as VARIANT
from sparing.flow.events.merged_notifications import MergedNotification
from sparing.model.bill import DATA, Bill, MessageKind

HELD = "held"  # matched publications for an interest group
REPORTS = "reports"  # reports on events of a merged topic
NOTIFICATIONS = "notifications"  # one entry for all recipients of the same; the payload is a VARIANT or JSON text
BILL = "bill"
METER = "meter"  # CPU time, and the fewest messages that had to cross a link
QUARANTINE = "quarantine"

EVENT, WINDOW, MERGED = "event", "window", "merged"  # kinds of notifications

CPU, LEAST, SIENA = "cpu", "least", "siena"  # kinds of measurements
EVENTS_OF = "events: "  # what starts the names of those of merged topics' messages, by kind

Link = tuple[str, str]
Payloads = Any  # an Arrow array of VARIANT values, or a sequence of JSON texts

TIMESTAMP = pa.timestamp("us", "UTC")

SCHEMAS = {
    NOTIFICATIONS: pa.schema(
        {
            "kind": pa.string(),
            "publisher": pa.string(),
            "publication": pa.string(),
            "about": pa.string(),  # what ids are taken of, where publication or times do not say it
            "time": TIMESTAMP,
            "start": TIMESTAMP,
            "end": TIMESTAMP,
            "text": pa.string(),
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
    """What a parcel holds, how many rows it will come to (notifications: one for every recipient), and its contents."""

    what: str
    rows: int
    contents: bytes


def pack(what: str, table: pa.Table, rows: int | None = None) -> Parcel:
    """A table as a parcel."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return Parcel(what, table.num_rows if rows is None else rows, bytes(sink.getvalue().to_pybytes()))


def unpack(contents: bytes) -> pa.Table:
    """The table that was packed."""
    with pa.ipc.open_stream(contents) as reader:
        return reader.read_all()


def events(
    times: np.ndarray,
    publishers: np.ndarray,
    publications: np.ndarray,
    payloads: pa.StructArray,
    offsets: np.ndarray,
    recipients: np.ndarray,
) -> Parcel:
    """Plain deliveries: publication n goes to recipients[offsets[n]:offsets[n + 1]]."""
    named = {"publisher": publishers, "publication": publications}
    columns = {"time": _times(times), **{name: pa.array(found, pa.string()) for name, found in named.items()}}
    return _notifications([(EVENT, columns, payloads, _lists(offsets, recipients))])


def windows(notifications: Iterable[Notifications]) -> Parcel:
    """Results of windows and digests."""
    parts = []
    for found in notifications:
        starts, ends = _times(found.start), _times(found.end)
        singles = _lists(np.arange(len(ends) + 1), found.subscription)
        columns = {"time": ends, "start": starts, "end": ends}
        if found.about is not None:
            columns["about"] = pa.array(found.about, pa.string())
        parts.append((WINDOW, columns, found.payload, singles))
    return _notifications(parts)


def told(tellings: Sequence[MergedNotification]) -> Parcel:
    """Notifications about merged events."""
    columns = {name: _times([getattr(t, name) for t in tellings]) for name in ("time", "start", "end")}
    columns["about"] = pa.array([t.about for t in tellings], pa.string())
    offsets = np.cumsum([0, *(len(t.subscriptions) for t in tellings)])
    recipients = [number for t in tellings for number in t.subscriptions]
    return _notifications([(MERGED, columns, [t.payload for t in tellings], _lists(offsets, recipients))])


def _notifications(parts: Iterable[tuple[str, dict[str, pa.Array], Payloads, pa.ListArray]]) -> Parcel:
    """Parts: kind, the columns that it has, payloads, recipients."""
    schema = SCHEMAS[NOTIFICATIONS]
    tables, rows = [], 0
    for kind, columns, payloads, recipients in parts:
        length = len(recipients)
        found = {"kind": pa.repeat(kind, length), "recipients": recipients, **columns}
        if isinstance(payloads, pa.StructArray):
            found["payload"] = payloads
        else:
            found["text"] = pa.array(payloads, pa.string())
        arrays = [found[f.name] if f.name in found else pa.nulls(length, f.type) for f in schema]
        tables.append(pa.Table.from_arrays(arrays, schema=schema))
        rows += len(recipients.values)
    return pack(NOTIFICATIONS, pa.concat_tables(tables), rows)


def _times(micros: np.ndarray | Sequence[int | None]) -> pa.Array:
    return pa.array(micros, pa.int64()).cast(TIMESTAMP)


def _lists(offsets: np.ndarray, values: np.ndarray | Sequence[int]) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(values, pa.int32()))


def bill(found: Bill) -> Parcel:
    """A part of the bill."""
    rows = [(key.source, key.target, key.kind.value, messages, key.bucket) for key, messages in found.items()]
    return pack(BILL, _table(BILL, list(zip(*rows, strict=True))))


def meter(
    seconds: float, least: Mapping[Link, int], siena: Mapping[Link, int] | None = None, events: Bill | None = None
) -> Parcel:
    """What was measured: microseconds of CPU time (without a link), and messages by link.

    `siena` is what merged topics would have taken if nobody merged, `events` what they took, by kind.
    """
    rows = [("", "", CPU, round(1_000_000 * seconds))]
    rows += [(*link, LEAST, messages) for link, messages in least.items()]
    rows += [(*link, SIENA, messages) for link, messages in (siena or {}).items()]
    for kind in (*DATA, MessageKind.COORDINATION):
        found = (events or Bill()).only(kind).by_link()
        rows += [(*link, f"{EVENTS_OF}{kind.value}", messages) for link, messages in found.items()]
    return pack(METER, _table(METER, list(zip(*rows, strict=True))))


def quarantine(rows: Iterable[tuple[str, str, str, str | None]]) -> Parcel:
    """Rows as they came, each with reason, detail and the publisher that it names."""
    return pack(QUARANTINE, _table(QUARANTINE, list(zip(*rows, strict=True))))


def _table(what: str, columns: list[tuple[Any, ...]]) -> pa.Table:
    schema = SCHEMAS[what]
    if not columns:
        return schema.empty_table()
    arrays = []
    for field, values in zip(schema, columns, strict=True):
        arrays.append(_times(values) if field.type == TIMESTAMP else pa.array(values, field.type))
    return pa.Table.from_arrays(arrays, schema=schema)
