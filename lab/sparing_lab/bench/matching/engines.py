"""What is measured: Sparing, and what people would use instead, each with one thread.

- *Sparing*: `Index.slices`. The clock includes reading the Arrow batch; the index was built before.
- *NumPy*: one subscription after the other, each bound compared with the whole column of events, masks ANDed.
- *DuckDB*: an inner join on the predicates, pairs written to a temporary table; either as DuckDB plans it by itself
  (with an equality a hash join, otherwise a join on ranges), or with all ranges as one filter over the hash join or
  product.
- *Polars*: `join_where` on the predicates, or a hash join (without an equality a product) that is filtered by ranges;
  streaming engine, pairs collected.
- *Spark SQL*: events joined with the broadcast subscriptions on the predicates (with an equality a hash join, otherwise
  nested loops), pairs written to the `noop` sink. Spark broadcasts anew in each query, so this is part of the time.

The peers get events and subscriptions in their own form before the clock starts, with infinite bounds instead of NULL,
because all of them compare those quicker than they test for NULL. Where there are two ways, the quicker counts.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sparing.match import Index
from sparing_lab.bench.matching.benchmark import COMMON
from sparing_lab.bench.matching.shapes import SHAPES, Shape

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST_EVENTS = 1 << 19
BATCH = 1 << 16  # the largest batch that Sparing gets; the peers may have more, for what a query costs in any case


class Engine(ABC):
    """Something that finds matching pairs."""

    title: ClassVar[str]
    library: ClassVar[str] = ""
    ways: ClassVar[tuple[str, ...]] = ("",)
    most: ClassVar[int] = MOST_EVENTS
    whole: ClassVar[bool] = False  # whether it is measured on whole batches, whatever the time that is to be taken

    @abstractmethod
    def load(self, shape: Shape, subscriptions: pa.Table) -> None:
        """Take subscriptions in, in place of earlier ones."""

    @abstractmethod
    def take(self, events: pa.RecordBatch) -> None:
        """Take events in, in place of earlier ones."""

    @abstractmethod
    def match(self, way: str) -> int:
        """Find all pairs, and say how many there are. This is what is measured."""

    @property
    def nbytes(self) -> int | None:
        """Memory that the subscriptions take, if the engine says so."""
        return None

    def close(self) -> None:  # noqa: B027
        """Let go of everything."""


class SparingIndex(Engine):
    """Sparing's index."""

    title = "Sparing"
    most = BATCH
    whole = True

    def __init__(self) -> None:
        for name in ("a", "b"):  # loads the kernels, or compiles them
            shape = SHAPES[name]
            self.load(shape, shape.subscriptions(1000, COMMON))
            for events in (1, 2000):
                self.take(shape.events(events))
                self.match("")

    def load(self, shape: Shape, subscriptions: pa.Table) -> None:
        """Build the index."""
        self._index = Index(shape.fields)  # lets go of the earlier one before the next is built
        self._index = Index(shape.fields, subscriptions)

    def take(self, events: pa.RecordBatch) -> None:
        """As it is."""
        self._events = events

    def match(self, way: str) -> int:  # noqa: ARG002
        """Match a batch slice by slice."""
        return sum(len(found) for found in self._index.slices(self._events))

    @property
    def nbytes(self) -> int:
        """The size of the index."""
        return self._index.stats().bytes


class NumpyLoop(Engine):
    """A loop over the subscriptions, each compared with all events at once."""

    title = "NumPy"

    def load(self, shape: Shape, subscriptions: pa.Table) -> None:
        """Each subscription as a list of comparisons: a field's number, how to compare, and with what."""
        self._fields = list(shape.fields)
        self._symbols = pa.array([])
        compare = {"=": np.equal, ">=": np.greater_equal, "<=": np.less_equal}
        self._wanted: list[list[tuple[int, np.ufunc, float]]] = [[] for _ in range(len(subscriptions))]
        for name in subscriptions.column_names:
            field_, _, comparison = name.rpartition(" ")
            column = subscriptions[name].combine_chunks()
            if comparison == "=":
                encoded = column.dictionary_encode()
                self._symbols, column = encoded.dictionary, encoded.indices
            number, rows = self._fields.index(field_), np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
            for row, bound in zip(rows.tolist(), column.drop_null().to_pylist(), strict=True):
                self._wanted[row].append((number, compare[comparison], bound))

    def take(self, events: pa.RecordBatch) -> None:
        """One array per field; symbols as numbers."""
        self._columns = []
        for name in self._fields:
            column = events.column(name)
            if pa.types.is_string(column.type):
                column = pc.index_in(column, value_set=self._symbols).fill_null(-1)
            self._columns.append(column.to_numpy())

    def match(self, way: str) -> int:  # noqa: ARG002
        """Compare."""
        found = []
        for wanted in self._wanted:
            masks = [compare(self._columns[number], bound) for number, compare, bound in wanted]
            found.append(np.flatnonzero(reduce(and_, masks)))
        events = np.concatenate(found)
        subscriptions = np.repeat(np.arange(len(found)), [len(rows) for rows in found])
        return len(np.stack([events, subscriptions], axis=1))


def _closed(subscriptions: pa.Table) -> pa.Table:
    """Subscriptions as the other peers get them: numbered, columns like price_low, infinite bounds instead of NULL."""
    columns: dict[str, Any] = {"subscription": pa.array(np.arange(len(subscriptions), dtype=np.int32))}
    for name in subscriptions.column_names:
        field_, _, comparison = name.rpartition(" ")
        match comparison:
            case "=":
                columns[f"{field_}_is"] = subscriptions[name]
            case ">=":
                columns[f"{field_}_low"] = pc.fill_null(subscriptions[name], -np.inf)
            case _:
                columns[f"{field_}_high"] = pc.fill_null(subscriptions[name], np.inf)
    return pa.table(columns)


def _numbered(events: pa.RecordBatch) -> pa.Table:
    number = pa.array(np.arange(len(events), dtype=np.int32))
    return pa.Table.from_batches([events]).append_column("event", number)


class DuckDbJoin(Engine):
    """DuckDB's join."""

    title = "DuckDB"
    library = "duckdb"
    ways = ("join", "filter")

    def __init__(self) -> None:
        import duckdb

        self._database = duckdb.connect(config={"threads": 1})
        self._database.execute("SET enable_progress_bar = false")

    def load(self, shape: Shape, subscriptions: pa.Table) -> None:
        """A table."""
        self._fill("subscriptions", _closed(subscriptions))
        equal = ["symbol = symbol_is"] if "symbol" in shape.fields else []
        ranges = [f'"{name}" >= "{name}_low" AND "{name}" <= "{name}_high"' for name in shape.ranged]
        # DuckDB has no other means against its joins on ranges than a condition that is not a conjunction.
        opaque = f"CASE WHEN {' AND '.join(ranges)} THEN true ELSE false END"
        self._on = {"join": " AND ".join([*equal, *ranges]), "filter": " AND ".join([*equal, opaque])}

    def take(self, events: pa.RecordBatch) -> None:
        """A table."""
        self._fill("events", _numbered(events))

    def _fill(self, name: str, table: pa.Table) -> None:
        self._database.register("given", table)
        self._database.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM given")
        self._database.unregister("given")

    def match(self, way: str) -> int:
        """Join, and keep the pairs in a table."""
        self._database.execute(
            "CREATE OR REPLACE TEMP TABLE pairs AS "
            f"SELECT event, subscription FROM events JOIN subscriptions ON {self._on[way]}"
        )
        (count,) = self._database.execute("SELECT count(*) FROM pairs").fetchall()[0]
        return int(count)


class PolarsJoin(Engine):
    """Polars' join. Polars fixes its number of threads when it is first imported."""

    title = "Polars"
    library = "polars"
    ways = ("join_where", "filter")

    def __init__(self) -> None:
        os.environ["POLARS_MAX_THREADS"] = "1"
        import polars

        self._polars = polars

    def load(self, shape: Shape, subscriptions: pa.Table) -> None:
        """A DataFrame."""
        self._shape = shape
        self._subscriptions = self._frame(_closed(subscriptions))

    def take(self, events: pa.RecordBatch) -> None:
        """A DataFrame."""
        self._events = self._frame(_numbered(events))

    def _frame(self, table: pa.Table) -> Any:
        return self._polars.from_arrow(table).lazy()  # type: ignore[union-attr]

    def match(self, way: str) -> int:
        """Join."""
        col, shape, events, subscriptions = self._polars.col, self._shape, self._events, self._subscriptions
        equal = "symbol" in shape.fields
        if way == "join_where":
            ranges = [part for f in shape.ranged for part in (col(f) >= col(f"{f}_low"), col(f) <= col(f"{f}_high"))]
            on = [col("symbol") == col("symbol_is")] if equal else []
            joined = events.join_where(subscriptions, *on, *ranges)
        else:
            how = {"left_on": "symbol", "right_on": "symbol_is"} if equal else {"how": "cross"}
            within = [col(f).is_between(col(f"{f}_low"), col(f"{f}_high")) for f in shape.ranged]
            joined = events.join(subscriptions, **how).filter(*within)
        return int(joined.select("event", "subscription").collect(engine="streaming").height)


class SparkJoin(Engine):
    """Spark SQL's join."""

    title = "Spark SQL"

    def __init__(self, spark: SparkSession | None = None) -> None:
        from sparing.spark.session import session

        settings = {"spark.driver.memory": "4g", "spark.driver.maxResultSize": "0"}  # to broadcast a million rows
        self._spark = spark or session("local[1]", "sparing bench", settings)
        self._frames: dict[str, Any] = {}

    def load(self, shape: Shape, subscriptions: pa.Table) -> None:
        """A cached DataFrame."""
        from pyspark.sql import functions as F

        self._cache("subscriptions", _closed(subscriptions))
        parts = [F.col("symbol") == F.col("symbol_is")] if "symbol" in shape.fields else []
        parts += [F.col(name).between(F.col(f"{name}_low"), F.col(f"{name}_high")) for name in shape.ranged]
        self._on = reduce(and_, parts)

    def take(self, events: pa.RecordBatch) -> None:
        """A cached DataFrame."""
        self._cache("events", _numbered(events))

    def _cache(self, name: str, table: pa.Table) -> None:
        if name in self._frames:
            self._frames[name].unpersist()
        self._frames[name] = self._spark.createDataFrame(table).coalesce(1).cache()
        self._frames[name].count()

    def match(self, way: str) -> int:  # noqa: ARG002
        """Join, and count what passes by on its way to nowhere."""
        from pyspark.sql import Observation
        from pyspark.sql import functions as F

        seen = Observation()
        joined = self._frames["events"].join(F.broadcast(self._frames["subscriptions"]), self._on)
        pairs = joined.select("event", "subscription").observe(seen, F.count(F.lit(1)).alias("pairs"))
        pairs.write.format("noop").mode("overwrite").save()
        return int(seen.get["pairs"])

    def close(self) -> None:
        """Stop Spark."""
        self._spark.stop()


ENGINES: dict[str, type[Engine]] = {
    "sparing": SparingIndex,
    "numpy": NumpyLoop,
    "duckdb": DuckDbJoin,
    "polars": PolarsJoin,
    "spark": SparkJoin,
}
