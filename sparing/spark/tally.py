"""What a micro-batch or a replay brought: rows by table, messages by kind, rows set aside by reason.

The rows of each table must be counted anyway, because a table without any is not written. The same Spark job adds up
the bill and the reasons, so nothing extra runs for the sake of metrics.
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
from sparing.model.bill import MessageKind
from sparing.spark.pipeline.parcels import BILL, NOTIFICATIONS, QUARANTINE, unpack
from sparing.spark.pipeline.pubsub import Delivered

TABLES = (NOTIFICATIONS, BILL, QUARANTINE)
MOST_LINKS = 200  # directed links whose messages are counted one by one
UNTIMELY = (QuarantineReason.LATE.value, QuarantineReason.FUTURE.value)  # reasons that tell of a publisher's clock
LinkKind = tuple[str, str, str]  # source, target, kind

_TEXTS, _NUMBERS = ("what", "name", "source", "target"), ("rows", "messages")
_COUNTED = pa.schema([(name, pa.string()) for name in _TEXTS] + [(name, pa.int64()) for name in _NUMBERS])


@dataclass(frozen=True)
class Tally:
    """Rows by table; messages by kind, and on links by link and kind (None: not asked for); rows by reason.

    `clocks` has the rows that were late or from the future, by publisher and reason.
    """

    rows: Mapping[str, int]
    messages: Mapping[str, int]
    reasons: Mapping[str, int]
    links: Mapping[LinkKind, int] | None = None
    clocks: Mapping[tuple[str, str], int] = field(default_factory=dict)


def has_few_links(plan: Plan) -> bool:
    """Whether messages can be counted link by link."""
    return 2 * len(plan.links) <= MOST_LINKS


def tally_of(delivered: Delivered, by_link: bool = False) -> Tally:
    """Count what was delivered. One Spark job; the control plane's part of the bill is counted here."""
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
    rows[BILL] += len(delivered.settled)
    for key, count in delivered.settled.items():
        messages[key.kind.value] += count
        links[key.source, key.target, key.kind.value] += count
    return Tally(
        {name: rows[name] for name in TABLES},
        dict(sorted(messages.items())),
        dict(sorted(reasons.items())),
        dict(sorted(links.items())) if by_link else None,
        dict(sorted(clocks.items())),
    )


def _counts(records: DataFrame) -> DataFrame:
    """Every parcel's part: how many notifications; bills by kind and link; rows set aside by reason."""
    # Notifications are many, and how many is known without opening them.
    opened = F.when(F.col("what") != NOTIFICATIONS, F.col("parcel")).alias("parcel")
    return (
        records.where(F.col("what").isin(*TABLES))
        .select("what", "rows", opened)
        .mapInArrow(_count, from_arrow_schema(_COUNTED))
    )


def _count(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for row in batch.to_pylist():
            yield from _counted(row["what"], row["rows"], row["parcel"]).to_batches()


def _counted(what: str, rows: int, contents: bytes | None) -> pa.Table:
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
        # The last hop has as many ends as there are subscribers, so it is counted as a whole.
        last = pc.equal(bill["kind"], MessageKind.NOTIFICATION.value)
        ends = {end: pc.if_else(last, None, bill[end]) for end in ("source", "target")}
        parts = pa.table({"name": bill["kind"], **ends, "messages": bill["messages"]})
        found = parts.group_by(["name", *ends]).aggregate([([], "count_all"), ("messages", "sum")])
        columns = {name: found[name] for name in ("name", *ends)}
        columns |= {"rows": found["count_all"], "messages": found["messages_sum"]}
    length = len(columns["rows"])
    columns["what"] = [what] * length
    return pa.table({f.name: columns.get(f.name, pa.nulls(length, f.type)) for f in _COUNTED}, schema=_COUNTED)
