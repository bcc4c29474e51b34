"""Covering as a Spark job, for tables of subscriptions that do not fit one process.

The table is cut into blocks of neighbouring ranks. Each block is reduced by itself; then every block is held against
each better one, two at a time, and what k boxes cover in all is left out. That gives what AncestorCoverK gives of the
whole table: whoever is missing from a block is covered by k others of it, which cover all that it covers.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from sparing.control.covering.ancestor_cover import ancestors, ancestors_among
from sparing.control.covering.boxes import CodedBoxes, dense
from sparing.control.covering.standing import Standing
from sparing.match.encode import Encoder
from sparing.match.tables import read_table
from sparing.model.counted import counted
from sparing.model.errors import SparingError
from sparing.model.types import FieldType

BLOCK = 100_000
Fields = Mapping[str, FieldType]


class _Block(NamedTuple):
    """What is left of a block, best first, and how many of it cover each."""

    rows: bytes
    counts: np.ndarray


def cover(subscriptions: DataFrame, fields: Fields, k: int, block: int = BLOCK) -> DataFrame:
    """The rows that are forwarded: those that fewer than k others contain and outrank.

    Columns are `id`, `score` (higher is better; none is worst), and either `where`, an SQL condition over the fields,
    or columns such as `price >=` and `symbol in`. Runs a Spark job that counts the rows.
    """
    for name in ("id", "score"):
        if name not in subscriptions.columns:
            raise SparingError(f"The subscriptions have no column {name!r} (only {', '.join(subscriptions.columns)}).")
    if k < 1 or block < 1:
        raise SparingError(f"k is {k} and a block {counted(block, 'row')}, but there must be at least one of each.")
    spark = subscriptions.sparkSession
    blocks = max(-(-subscriptions.count() // block), 1)
    order = F.col("score").desc_nulls_last(), F.col("id")
    ranked = subscriptions.repartitionByRange(blocks, *order).sortWithinPartitions(*order)

    def reduce(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = list(batches)
        if found:
            left = pickle.dumps(_reduced(pa.Table.from_batches(found), fields, k))
            yield pa.RecordBatch.from_arrays([pa.array([left], pa.large_binary())], names=["block"])

    def numbered(number: int, rows: Iterable[Row]) -> Iterator[tuple[int, bytes]]:
        return ((number, row["block"]) for row in rows)

    def expand(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for rows in batch["rows"].to_pylist():
                yield from _unpacked(rows).to_batches()

    reduced = ranked.mapInArrow(reduce, "block binary").rdd.mapPartitionsWithIndex(numbered).persist()
    pairs = reduced.cartesian(reduced).filter(lambda pair: pair[0][0] < pair[1][0])
    beyond = pairs.map(lambda pair: (pair[1][0], _counted(pair[0][1], pair[1][1], fields, k))).reduceByKey(np.add)
    left = reduced.leftOuterJoin(beyond).mapValues(lambda both: _forwarded(*both, k)).values()
    kept = spark.createDataFrame(left.map(lambda rows: (bytearray(rows),)), "rows binary")
    return kept.mapInArrow(expand, subscriptions.schema)


def _coded(table: pa.Table, fields: Fields) -> CodedBoxes:
    encoder = Encoder(fields)
    predicates, _ = read_table(table.drop_columns(["score"]), encoder)
    return CodedBoxes(dense(predicates, len(fields)))


def _reduced(table: pa.Table, fields: Fields, k: int) -> _Block:
    """A block, whose rows come best first, without those that k others of it cover."""
    boxes = _coded(table, fields)
    counts = ancestors(Standing(boxes, np.arange(len(boxes))), k)
    kept = counts < k
    return _Block(_packed(table.filter(pa.array(kept))), counts[kept])


def _counted(better: bytes, block: bytes, fields: Fields, k: int) -> np.ndarray:
    """How many of a better block cover each row of a block."""
    tables = [_unpacked(pickle.loads(packed).rows) for packed in (better, block)]
    boxes = _coded(pa.concat_tables(tables), fields)
    first, rest = np.split(np.arange(len(boxes)), [tables[0].num_rows])
    return ancestors_among(first, rest, boxes, k)


def _forwarded(block: bytes, beyond: np.ndarray | None, k: int) -> bytes:
    found: _Block = pickle.loads(block)
    counts = found.counts if beyond is None else found.counts + beyond
    return _packed(_unpacked(found.rows).filter(pa.array(counts < k)))


def _packed(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def _unpacked(rows: bytes) -> pa.Table:
    with pa.ipc.open_stream(rows) as reader:
        return reader.read_all()
