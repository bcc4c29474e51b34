"""Matching on Spark: admitted rows in, parcels out. Keeps no state; starts no Spark job.

Each task processes its rows in large batches: the advertisement check, matching, plain deliveries and their part of the
bill. Publications held for windows go to the key of their interest group (in a batch, of its portion); results go to a
key that bypasses the walk, so that the query has a single stream of parcels.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame

from sparing.flow.admit.admission import NO_NUMBER, Rejected, Rows
from sparing.flow.admit.publications import MOST_ROWS, Publications
from sparing.flow.arrival.at_once import Arrival
from sparing.flow.deliver.nested import Objects
from sparing.flow.deliver.variant import variants
from sparing.flow.events.reports import by_partition
from sparing.match.columns import column, whole
from sparing.model.bill import Bill
from sparing.spark.pipeline import parcels
from sparing.spark.pipeline.admit_stage import FIELD, union_fields
from sparing.spark.pipeline.keys import BYPASS, CLOCK, EventPartition
from sparing.spark.pipeline.parcels import Parcel
from sparing.spark.pipeline.worker_plan import ShippedPlan, WorkerPlan

_SCHEMA = pa.schema(
    {
        "group": pa.string(),
        "what": pa.string(),
        "rows": pa.int64(),
        "parcel": pa.large_binary(),
        "clock": parcels.TIMESTAMP,
    }
)


def match(admitted: DataFrame, shipped: ShippedPlan) -> DataFrame:
    """Return parcels by key, and one row per task without a parcel: its latest event time, for the watermark."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return match_task(batches, shipped.worker_plan())

    return admitted.mapInArrow(run, "group string, what string, rows long, parcel binary, clock timestamp")


def match_task(batches: Iterable[pa.RecordBatch], worker_plan: WorkerPlan) -> Iterator[pa.RecordBatch]:
    """Yield the parcels of one task as rows: by key, then a row with its latest event time."""
    context = TaskContext.get()
    task = context.partitionId() if context is not None else 0
    bypass = f"{BYPASS}{task}"
    latest: int | None = None
    bill, seconds = Bill(), 0.0
    for table in tables(batches):
        for publications, rejected in admitted(table, worker_plan):
            if rejected:
                yield _row(
                    bypass, parcels.quarantine((r.text, r.reason.value, r.detail, r.publisher) for r in rejected)
                )
            if not len(publications):
                continue
            newest = int(publications.time.max())
            latest = newest if latest is None else max(latest, newest)
            topic = worker_plan.interests.plan.topics[publications.topic]
            if topic.merge is not None:
                partitions = worker_plan.interests.partitions(topic.name)
                for partition, reports in by_partition(publications, topic, partitions):
                    parcel = Parcel(parcels.REPORTS, len(reports), reports.pack())
                    yield _row(EventPartition(topic.name, partition).key, parcel)
                continue
            began = time.thread_time()
            for arrival in worker_plan.at_once.arrive(publications):
                seconds += time.thread_time() - began
                bill.update(arrival.bill)
                for parcel in _plain(arrival, worker_plan):
                    yield _row(bypass, parcel)
                for group, matched in arrival.held.items():
                    yield _row(group, Parcel(parcels.HELD, len(matched), matched.pack()))
                began = time.thread_time()
    if bill:
        yield _row(bypass, parcels.bill(bill))
    if latest is not None:
        yield _row(bypass, parcels.meter(seconds, bill.by_overlay_link() if worker_plan.interests.bound else {}))
        yield _row(CLOCK, None, latest)


def tables(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Return the rows of a task in tables of at most MOST_ROWS."""
    collected: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        for start in range(0, batch.num_rows, MOST_ROWS):
            part = batch.slice(start, MOST_ROWS)
            if rows + part.num_rows > MOST_ROWS:
                yield pa.Table.from_batches(collected)
                collected, rows = [], 0
            collected.append(part)
            rows += part.num_rows
    if collected:
        yield pa.Table.from_batches(collected)


def admitted(table: pa.Table, worker_plan: WorkerPlan) -> Iterator[tuple[Publications, list[Rejected]]]:
    """Return the publications of each topic, and the rejected rows (all of them with the first topic)."""
    plan = worker_plan.interests.plan
    columns = {name: column(table[FIELD + name], type_) for name, type_ in union_fields(plan.topics).items()}
    top_k = _top_k(table["top_k"])
    rows = Rows(
        publisher=whole(table["publisher"]).cast(pa.string()).dictionary_encode("encode"),
        topic=whole(table["topic"]).dictionary_encode("encode") if table["topic"].null_count < len(table) else None,
        columns=columns,
        text=table["text"],
        fault=table["fault"].to_numpy(),
        misfit=_misfits(table["misfit"], list(columns)),
        top_k=top_k,
        latest=table["latest"][0].as_py() if len(table) else None,
        size=_by_row(table["size"]),
    )
    checked = worker_plan.admission.admit(rows)
    rejected = checked.rejected
    identity = whole(table["id"]).cast(pa.string())
    names, publisher_of = worker_plan.publishers
    publishers = pa.DictionaryArray.from_arrays(pa.array(publisher_of[checked.advertisement]), names)
    topic_of = worker_plan.topic_of_advertisement[checked.advertisement]
    for number, (name, topic) in enumerate(plan.topics.items()):
        of_topic = np.flatnonzero(topic_of == number)
        publications = Publications(
            topic=name,
            time=columns[topic.time].values,
            id=identity,
            publisher=publishers,
            at=worker_plan.broker_of_advertisement[checked.advertisement],
            columns={field: columns[field] for field in topic.fields},
            advertisement=checked.advertisement,
            top_k=top_k,
        )
        yield publications if len(of_topic) == len(rows) else publications.take(of_topic), rejected
        rejected = []


def _by_row(column: pa.ChunkedArray) -> dict[int, Any]:
    """Return the values of a sparse column, by row."""
    if column.null_count == len(column):
        return {}
    rows = np.flatnonzero(column.is_valid().to_numpy())
    return dict(zip(rows.tolist(), column.take(pa.array(rows)).to_pylist(), strict=True))


def _misfits(column: pa.ChunkedArray, fields: list[str]) -> dict[int, dict[str, str]]:
    """Return the texts of values that cannot be cast to their type, by row and field."""
    return {
        row: {name: text for name, text in zip(fields, texts, strict=True) if text is not None}
        for row, texts in _by_row(column).items()
    }


def _top_k(column: pa.ChunkedArray) -> np.ndarray | None:
    """Return each row's own top_k, 0 for rows without one; None if no row has one."""
    if column.null_count == len(column):
        return None
    numbers = column.to_numpy()  # NaN for NULL
    return np.where(np.isnan(numbers), 0, np.where(numbers > 0, numbers, NO_NUMBER)).astype(np.int64)


def _plain(arrival: Arrival, worker_plan: WorkerPlan) -> Iterator[Parcel]:
    """Return plain deliveries: one parcel per selection of columns, with one row per publication."""
    publications, columns = arrival.publications, arrival.publications.columns
    selections, selection_of = worker_plan.selections
    for number, pairs in arrival.plain.by(selection_of):
        selected = selections[number]
        named = columns if selected is None else {name: columns[field] for name, field in selected}
        delivered = pairs.without_empty()
        yield parcels.events(publications, variants(Objects.of(named, delivered.events)), delivered)


def _row(group: str, parcel: Parcel | None, clock: int | None = None) -> pa.RecordBatch:
    what, rows, contents = parcel or (None, None, None)
    parcels_in_row = pa.nulls(1, pa.large_binary())
    if contents is not None:  # without copying them
        ends = pa.py_buffer(np.array([0, contents.size]))
        parcels_in_row = pa.Array.from_buffers(pa.large_binary(), 1, [None, ends, contents])
    return pa.RecordBatch.from_arrays(
        [
            pa.array([group]),
            pa.array([what], pa.string()),
            pa.array([rows], pa.int64()),
            parcels_in_row,
            pa.array([clock], pa.int64()).cast(parcels.TIMESTAMP),
        ],
        schema=_SCHEMA,
    )
