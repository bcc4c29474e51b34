"""Counts of a micro-batch or a replay: rows by table, messages by kind, quarantined rows by reason.

Rows are counted in any case, because an empty table is not written. The same Spark job adds up messages and reasons, so
metrics need no job of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from sparing.control.plan import Plan
from sparing.flow.admit.admission import QuarantineReason
from sparing.flow.packing import unpack
from sparing.model.bill import MessageKind
from sparing.spark.pipeline.parcels import BILL, NOTIFICATIONS, QUARANTINE
from sparing.spark.pipeline.pubsub import Delivered

TABLES = (NOTIFICATIONS, BILL, QUARANTINE)
MOST_LINKS = 200  # directed links whose messages are counted one by one
UNTIMELY = (QuarantineReason.LATE.value, QuarantineReason.FUTURE.value)  # signs of a wrong clock
LinkKind = tuple[str, str, str]  # source, target, kind

_TEXTS, _NUMBERS = ("what", "name", "source", "target"), ("rows", "messages")
_COUNTS = pa.schema([(name, pa.string()) for name in _TEXTS] + [(name, pa.int64()) for name in _NUMBERS])


@dataclass(frozen=True)
class Tally:
    """Rows by table, messages by kind, quarantined rows by reason, messages by link and kind (None: not requested).

    `clocks` has the rows that were late or from the future, by publisher and reason.
    """

    rows: Mapping[str, int]
    messages: Mapping[str, int]
    reasons: Mapping[str, int]
    links: Mapping[LinkKind, int] | None = None
    clocks: Mapping[tuple[str, str], int] = field(default_factory=dict)


def has_few_links(plan: Plan) -> bool:
    """Return whether the overlay is small enough to count messages by link."""
    return 2 * len(plan.links) <= MOST_LINKS


def tally_of(delivered: Delivered, by_link: bool = False) -> Tally:
    """Count the results in one Spark job, and add the bill of the control plane."""
    rows, reasons = Counter[str](), Counter[str]()
    messages, links = Counter[str](), Counter[LinkKind]()
    clocks = Counter[tuple[str, str]]()
    for what, name, source, target, count, sent in _counts(delivered.records).collect():
        rows[what] += count
        if what == QUARANTINE:
            reasons[name] += count
            if source is not None:
                clocks[source, name] += count
        elif what == BILL:
            messages[name] += sent
            if source is not None:
                links[source, target, name] += sent
    rows[BILL] += len(delivered.control_bill)
    for key, count in delivered.control_bill.items():
        messages[key.kind.value] += count
        links[key.source, key.target, key.kind.value] += count
    return Tally(
        rows={name: rows[name] for name in TABLES},
        messages=dict(sorted(messages.items())),
        reasons=dict(sorted(reasons.items())),
        links=dict(sorted(links.items())) if by_link else None,
        clocks=dict(sorted(clocks.items())),
    )


def _counts(records: DataFrame) -> DataFrame:
    """Return the counts of every parcel: notifications; messages by kind and link; quarantined rows by reason."""
    # The number of notifications is known without unpacking them.
    to_unpack = F.when(F.col("what") != NOTIFICATIONS, F.col("parcel")).alias("parcel")
    return (
        records.where(F.col("what").isin(*TABLES))
        .select("what", "rows", to_unpack)
        .mapInArrow(_count_batches, from_arrow_schema(_COUNTS))
    )


def _count_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for row in batch.to_pylist():
            yield from _count_parcel(row["what"], row["rows"], row["parcel"]).to_batches()


def _count_parcel(what: str, rows: int, contents: bytes | None) -> pa.Table:
    if contents is None:
        columns: dict[str, Any] = {"rows": [rows]}
    elif what == QUARANTINE:
        rejected = unpack(contents)
        untimely = pc.is_in(rejected["reason"], value_set=pa.array(UNTIMELY))
        by = pa.table({"reason": rejected["reason"], "by": pc.if_else(untimely, rejected["publisher"], None)})
        found = by.group_by(["reason", "by"]).aggregate([([], "count_all")])
        columns = {"name": found["reason"], "source": found["by"], "rows": found["count_all"]}
    else:
        bill = unpack(contents)
        # The last hop leads to every single subscriber, so it is counted as a whole.
        last = pc.equal(bill["kind"], MessageKind.NOTIFICATION.value)
        ends = {end: pc.if_else(last, None, bill[end]) for end in ("source", "target")}
        parts = pa.table({"name": bill["kind"], **ends, "messages": bill["messages"]})
        found = parts.group_by(["name", *ends]).aggregate([([], "count_all"), ("messages", "sum")])
        columns = {name: found[name] for name in ("name", *ends)}
        columns |= {"rows": found["count_all"], "messages": found["messages_sum"]}
    length = len(columns["rows"])
    columns["what"] = [what] * length
    return pa.table({f.name: columns.get(f.name, pa.nulls(length, f.type)) for f in _COUNTS}, schema=_COUNTS)
