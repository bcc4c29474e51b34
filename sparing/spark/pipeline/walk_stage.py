"""The walk on Spark: one operator, whose keys are interest groups (in a batch, portions of them) and event partitions.

A batch walks every key to the end of time. A stream walks each micro-batch up to the watermark and stores the rest as
the key's state. Results of the match stage bypass the operator in a batch; a stream must be a single query, so there
the operator passes them on unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

from sparing.model.types import BEGINNING, END_OF_TIME
from sparing.spark.pipeline.advance import advance
from sparing.spark.pipeline.keys import BYPASS
from sparing.spark.pipeline.parcels import Parcel
from sparing.spark.pipeline.states import load, store
from sparing.spark.pipeline.worker_plan import ShippedPlan

_MILLISECOND = 1_000
PORTIONS = 4
RESULTS = ("what", "rows", "parcel")
SCHEMA = "what string, rows long, parcel binary"


def portions(spark: SparkSession) -> int:
    """Return the number of keys of a topic in a batch: interest groups differ in size, so several per core."""
    return PORTIONS * spark.sparkContext.defaultParallelism


def bypassing(parceled: DataFrame) -> DataFrame:
    """Return the parcels that bypass the walk: results of the match stage."""
    return parceled.where(parceled["group"].startswith(BYPASS) & parceled["parcel"].isNotNull()).select(*RESULTS)


def walk_batch(parceled: DataFrame, shipped: ShippedPlan) -> DataFrame:
    """Return the parcels of results for a whole trace, without those that bypass the walk."""

    def run(key: tuple[Any, ...], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        group = key[0].as_py()
        received = list(batches)
        held = [contents.as_buffer() for batch in received for contents in batch["parcel"]]
        _, results = advance(shipped.worker_plan(), group, None, held, END_OF_TIME, BEGINNING)
        # A session setting decides between Arrow's normal and large types: return the types of the input.
        types = [received[0][name].type for name in RESULTS]
        arrays = [pa.array(*column) for column in zip(_columns(results), types, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, names=list(RESULTS))

    walked = parceled.where(~parceled["group"].startswith(BYPASS))
    groups = walked.repartition(portions(parceled.sparkSession), "group").groupBy("group")
    return groups.applyInArrow(run, SCHEMA)


def walk_stream(parceled: DataFrame, shipped: ShippedPlan, watermark: int) -> DataFrame:
    """Return the parcels of results of a stream; `watermark` is its delay in microseconds."""

    def run(key: tuple[str], parts: Iterable[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
        group = key[0]
        if group.startswith(BYPASS):
            yield from (part.loc[part["parcel"].notna(), list(RESULTS)] for part in parts)
            return
        held = [contents for part in parts for contents in part["parcel"] if contents is not None]
        worker_plan = shipped.worker_plan()
        # Spark's value before the first watermark is 0, which must not make events before 1970 late.
        now = state.getCurrentWatermarkMs() * _MILLISECOND or BEGINNING
        before = load(worker_plan, group, state.get[0]) if state.exists else None
        after, results = advance(worker_plan, group, before, held, now, now)
        wakes = after.wakes()
        if after.empty:
            state.remove()
        else:
            state.update((store(worker_plan, group, after),))
            if wakes is not None:
                # A time-out fires when the watermark is later than it: one less, for a watermark equal to `wakes`.
                state.setTimeoutTimestamp(max(-(-wakes // _MILLISECOND) - 1, now // _MILLISECOND, 1))
        yield pd.DataFrame(dict(zip(RESULTS, _columns(results), strict=True)))

    clocked = parceled.withWatermark("clock", f"{watermark} microseconds")
    return clocked.groupBy("group").applyInPandasWithState(
        run, SCHEMA, "state binary", "append", GroupStateTimeout.EventTimeTimeout
    )


def _columns(results: Sequence[Parcel]) -> tuple[list[str], list[int], list[bytes]]:
    return (
        [parcel.what for parcel in results],
        [parcel.rows for parcel in results],
        [parcel.contents.to_pybytes() for parcel in results],
    )
