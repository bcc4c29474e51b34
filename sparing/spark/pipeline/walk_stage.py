"""The overlay walk on Spark: one stateful operator, one key per interest group or partition, one packed state per key.

In a batch every group is walked to the end of time. In a stream each micro-batch is walked up to the watermark, and
what is left is the group's state. Parcels that only pass go around the walk in a batch; in a stream, which has to be
one piece, they are handed on as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

from sparing.model.types import BEGINNING, END_OF_TIME
from sparing.spark.pipeline.advance import advance
from sparing.spark.pipeline.keys import BYPASS
from sparing.spark.pipeline.states import load, store
from sparing.spark.pipeline.worker_plan import ShippedPlan

_MILLISECOND = 1_000
PORTIONS = 4
RESULTS = ("what", "rows", "parcel")
SCHEMA = "what string, rows long, parcel binary"


def bypassing(parceled: DataFrame) -> DataFrame:
    """Parcels that need no walk: results already."""
    return parceled.where(parceled["group"].startswith(BYPASS) & parceled["parcel"].isNotNull()).select(*RESULTS)


def walk_batch(parceled: DataFrame, shipped: ShippedPlan) -> DataFrame:
    """Parcels of results for a whole trace, without those that only pass."""

    def run(key: tuple[Any, ...], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        group = key[0].as_py()
        arrived = list(batches)
        found = [contents for batch in arrived for contents in batch["parcel"].to_pylist()]
        _, results = advance(shipped.worker_plan(), group, None, found, END_OF_TIME, BEGINNING)
        # Whether texts and binary values are large ones in Arrow is a setting of the session: give back what came.
        arrays = [pa.array([r[at] for r in results], arrived[0][name].type) for at, name in enumerate(RESULTS)]
        yield pa.RecordBatch.from_arrays(arrays, names=list(RESULTS))

    # Groups differ in size, so there are several portions of them per core.
    portions = PORTIONS * parceled.sparkSession.sparkContext.defaultParallelism
    groups = parceled.where(~parceled["group"].startswith(BYPASS)).repartition(portions, "group").groupBy("group")
    return groups.applyInArrow(run, SCHEMA)


def walk_stream(parceled: DataFrame, shipped: ShippedPlan, watermark: int) -> DataFrame:
    """Parcels of results, micro-batch by micro-batch. `watermark` is how late publications may be (microseconds)."""

    def run(key: tuple[str], parts: Iterable[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
        group = key[0]
        if group.startswith(BYPASS):
            yield from (part.loc[part["parcel"].notna(), list(RESULTS)] for part in parts)
            return
        found = [contents for part in parts for contents in part["parcel"] if contents is not None]
        worker_plan = shipped.worker_plan()
        # Before the first watermark Spark says 0, which must not make events from before 1970 late.
        now = state.getCurrentWatermarkMs() * _MILLISECOND or BEGINNING
        before = load(worker_plan, group, state.get[0]) if state.exists else None
        after, results = advance(worker_plan, group, before, found, now, now)
        wakes = after.wakes()
        if after.empty:
            state.remove()
        else:
            state.update((store(worker_plan, group, after),))
            if wakes is not None:
                # A time-out comes once the watermark is past it: so this one when the watermark reaches `wakes`.
                state.setTimeoutTimestamp(max(-(-wakes // _MILLISECOND) - 1, now // _MILLISECOND, 1))
        yield pd.DataFrame(results, columns=list(RESULTS))

    clocked = parceled.withWatermark("clock", f"{watermark} microseconds")
    return clocked.groupBy("group").applyInPandasWithState(
        run, SCHEMA, "state binary", "append", GroupStateTimeout.EventTimeTimeout
    )
