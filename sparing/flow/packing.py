"""Tables as Arrow buffers: the one encoding of what stages exchange."""

from __future__ import annotations

import pyarrow as pa


def pack(table: pa.Table) -> pa.Buffer:
    """Return a table as one buffer."""
    size = pa.MockOutputStream()
    _write(table, size)
    buffer = pa.allocate_buffer(size.size())
    _write(table, pa.FixedSizeBufferWriter(buffer))
    return buffer


def _write(table: pa.Table, sink: pa.NativeFile) -> None:
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


def unpack(buffer: pa.Buffer | bytes) -> pa.Table:
    """Return the table in a buffer, without copying it."""
    with pa.ipc.open_stream(buffer) as reader:
        return reader.read_all()
