"""Parcels: everything that Python stages hand to each other, packed into few large binary values.

Rows through Python are the slow path of Spark, so a stage gives one parcel per kind and task (or interest group), and
only the last stage turns parcels into rows again. The first byte tells what a parcel holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa

from sparing.flow.deliver.notifications import Notifications
from sparing.flow.events.telling import Telling
from sparing.model.bill import DATA, Bill, MessageKind

HELD = b"H"  # matched publications for an interest group
EVENTS = b"E"  # plain deliveries: one row per publication, with all its recipients
WINDOWS = b"W"  # window results and digests
REPORTS = b"R"  # reports on events of a merged topic
TOLD = b"T"  # notifications about merged events, with all their recipients
BILL = b"B"
METER = b"M"  # CPU time, and the fewest messages that had to cross a link
QUARANTINE = b"Q"

CPU, LEAST, SIENA = "cpu", "least", "siena"  # kinds of measurements
EVENTS_OF = "events: "  # what starts the names of those of merged topics' messages, by kind

Link = tuple[str, str]

TIMESTAMP = pa.timestamp("us", "UTC")

_SCHEMAS = {
    EVENTS: pa.schema(
        {"topic": pa.string(), "time": TIMESTAMP, "payload": pa.string(), "recipients": pa.list_(pa.int32())}
    ),
    WINDOWS: pa.schema({"recipient": pa.int32(), "start": TIMESTAMP, "end": TIMESTAMP, "payload": pa.string()}),
    TOLD: pa.schema(
        {
            "time": TIMESTAMP,
            "start": TIMESTAMP,
            "end": TIMESTAMP,
            "payload": pa.string(),
            "recipients": pa.list_(pa.int32()),
        }
    ),
    BILL: pa.schema(
        {"source": pa.string(), "target": pa.string(), "kind": pa.string(), "messages": pa.int64(), "bucket": TIMESTAMP}
    ),
    METER: pa.schema({"source": pa.string(), "target": pa.string(), "kind": pa.string(), "messages": pa.int64()}),
    QUARANTINE: pa.schema({"row": pa.string(), "reason": pa.string(), "detail": pa.string()}),
}


def pack(tag: bytes, table: pa.Table) -> bytes:
    """A table as a parcel."""
    sink = pa.BufferOutputStream()
    sink.write(tag)
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def unpack(parcel: bytes) -> tuple[bytes, pa.Table]:
    """What a parcel holds."""
    with pa.ipc.open_stream(pa.py_buffer(parcel)[1:]) as reader:
        return parcel[:1], reader.read_all()


def events(topic: str, times: np.ndarray, payloads: np.ndarray, offsets: np.ndarray, recipients: np.ndarray) -> bytes:
    """Plain deliveries: publication n goes to recipients[offsets[n]:offsets[n + 1]]."""
    lists = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(recipients, pa.int32()))
    columns = [pa.array([topic] * len(times)), pa.array(times).cast(TIMESTAMP), pa.array(payloads, pa.string()), lists]
    return pack(EVENTS, pa.Table.from_arrays(columns, schema=_SCHEMAS[EVENTS]))


def windows(notifications: Iterable[Notifications]) -> bytes:
    """Results of windows and digests."""
    tables = []
    for found in notifications:
        times = (pa.array(column, pa.int64()).cast(TIMESTAMP) for column in (found.start, found.end))
        recipients = pa.array(found.subscription, pa.int32())
        tables.append(
            pa.Table.from_arrays([recipients, *times, pa.array(found.payload, pa.string())], schema=_SCHEMAS[WINDOWS])
        )
    return pack(WINDOWS, pa.concat_tables(tables))


def told(tellings: Iterable[Telling]) -> bytes:
    """Notifications about merged events."""
    rows = [(t.time, t.start, t.end, t.payload, t.subscriptions) for t in tellings]
    return pack(TOLD, _table(TOLD, list(zip(*rows, strict=True))))


def bill(found: Bill) -> bytes:
    """A part of the bill."""
    rows = [(key.source, key.target, key.kind.value, messages, key.bucket) for key, messages in found.items()]
    return pack(BILL, _table(BILL, list(zip(*rows, strict=True))))


def meter(
    seconds: float, least: Mapping[Link, int], siena: Mapping[Link, int] | None = None, events: Bill | None = None
) -> bytes:
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


def quarantine(rows: Iterable[tuple[str, str, str]]) -> bytes:
    """Rows as they came, each with reason and detail."""
    return pack(QUARANTINE, _table(QUARANTINE, list(zip(*rows, strict=True))))


def _table(tag: bytes, columns: list[tuple[object, ...]]) -> pa.Table:
    schema = _SCHEMAS[tag]
    if not columns:
        return schema.empty_table()
    arrays = []
    for field, values in zip(schema, columns, strict=True):
        if field.type == TIMESTAMP:
            arrays.append(pa.array(values, pa.int64()).cast(TIMESTAMP))
        else:
            arrays.append(pa.array(values, field.type))
    return pa.Table.from_arrays(arrays, schema=schema)
