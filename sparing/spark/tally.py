"""What a micro-batch or a replay brought: rows by table, messages by kind, rows set aside by reason.

The rows of each table must be counted anyway, because a table without any is not written. The same Spark job adds up
the bill and the reasons, so nothing extra runs for the sake of metrics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import functions as F

from sparing.control.plan import Plan
from sparing.model.bill import MessageKind
from sparing.spark.pipeline import Delivered
from sparing.spark.unpack_stage import BILL, NOTIFICATION, QUARANTINE

TABLES = {"notifications": NOTIFICATION, "bill": BILL, "quarantine": QUARANTINE}
MOST_LINKS = 200  # directed links whose messages are counted one by one
LinkKind = tuple[str, str, str]  # source, target, kind

# As text, because every call into Java takes its time, and this is done for every micro-batch.
_ROWS = f"sum(if(record = '{NOTIFICATION}', size(recipients), 1)) AS rows"
_WHAT = f"CASE record WHEN '{BILL}' THEN kind WHEN '{QUARANTINE}' THEN reason END AS what"
# The last hop has as many ends as there are subscribers, so it is left out.
_CROSSED = f"record = '{BILL}' AND kind != '{MessageKind.NOTIFICATION.value}'"
_ENDS = tuple(f"if({_CROSSED}, {end}, NULL) AS {end}" for end in ("source", "target"))


@dataclass(frozen=True)
class Tally:
    """Rows by table; messages by kind, and between brokers by link and kind (None: not asked for); rows by reason."""

    rows: Mapping[str, int]
    messages: Mapping[str, int]
    reasons: Mapping[str, int]
    links: Mapping[LinkKind, int] | None = None


def has_few_links(plan: Plan) -> bool:
    """Whether messages can be counted link by link."""
    return 2 * len(plan.links) <= MOST_LINKS


def tally_of(delivered: Delivered, by_link: bool = False) -> Tally:
    """Count what was delivered. One Spark job; the control plane's part of the bill is counted here."""
    keys = [F.expr(text) for text in ("record", _WHAT, *(_ENDS if by_link else ()))]
    counts = F.expr(_ROWS), F.expr("sum(messages) AS messages")
    rows, reasons = Counter[str](), Counter[str]()
    messages, links = Counter[str](), Counter[LinkKind]()
    for found in delivered.records.groupBy(*keys).agg(*counts).collect():
        rows[found["record"]] += int(found["rows"])
        if found["record"] == QUARANTINE:
            reasons[found["what"]] += int(found["rows"])
        elif found["record"] == BILL:
            messages[found["what"]] += int(found["messages"])
            if by_link and found["source"] is not None:
                links[found["source"], found["target"], found["what"]] += int(found["messages"])
    rows[BILL] += len(delivered.settled)
    for key, count in delivered.settled.items():
        messages[key.kind.value] += count
        links[key.source, key.target, key.kind.value] += count
    return Tally(
        {name: rows[record] for name, record in TABLES.items()},
        dict(sorted(messages.items())),
        dict(sorted(reasons.items())),
        dict(sorted(links.items())) if by_link else None,
    )
