"""The control plane's part of a stream's bill: written down once, however often the stream is stopped and started.

A file beside the checkpoint says what brokers have been told so far, and in which micro-batch the last of it was
billed. That micro-batch, done again after a crash, bills the same again; any other bills only what is new.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import SparkSession

from sparing.control.plan import Plan
from sparing.control.routing.billing import control_bill, start_of
from sparing.control.routing.snapshot import Election, RoutingSnapshot, difference, snapshot_of
from sparing.model.bill import Bill, BillKey, MessageKind
from sparing.spark.stream.durable import read_json, write_json

FILE = "sparing-told.json.gz"
FORMAT = 1


class ControlBill:
    """What has been told and billed."""

    def __init__(self, spark: SparkSession, checkpoint: str) -> None:
        self._spark = spark
        self._path = f"{checkpoint.rstrip('/')}/{FILE}"
        self._page: dict[str, Any] | None = None
        self._plan: Plan | None = None  # the last one that was looked at

    def due(self, plan: Plan, batch: int) -> Bill:
        """What a micro-batch under a plan has to bill."""
        page = self._read()
        if page is not None and page["batch"] == batch:
            return _bill(page["due"])
        if plan is self._plan:
            return Bill()
        self._plan = plan
        start = start_of(plan)
        whole, told = control_bill(plan, start), snapshot_of(start)
        before = (Bill(), RoutingSnapshot()) if page is None else (_bill(page["whole"]), _told(page["told"]))
        due = difference(before, (whole, told))
        if due or page is None:
            self._write({"batch": batch, "due": _rows(due), "whole": _rows(whole), "told": _page(told)})
        return due

    def _read(self) -> dict[str, Any] | None:
        if self._page is None:
            self._page = read_json(self._spark, self._path, FORMAT)
        return self._page

    def _write(self, page: dict[str, Any]) -> None:
        self._page = page
        write_json(self._spark, self._path, page, FORMAT)


def _rows(bill: Bill) -> list[list[Any]]:
    return [[*key, messages] for key, messages in bill.items()]


def _bill(rows: list[list[Any]]) -> Bill:
    return Bill({BillKey(s, t, MessageKind(kind), bucket): messages for s, t, kind, bucket, messages in rows})


def _page(told: RoutingSnapshot) -> dict[str, Any]:
    """What was told as JSON has it, where a link cannot be a key."""
    return {
        "advertisements": _pairs(told.advertisements),
        "subscriptions": _pairs(told.subscriptions),
        "announced": _pairs(told.announced),
        "counts": {topic: _pairs(counts) for topic, counts in told.counts.items()},
        "signalled": {topic: _pairs(sent) for topic, sent in told.signalled.items()},
        "elections": {
            topic: [[e.links, _pairs(e.messages)] for e in elections] for topic, elections in told.elections.items()
        },
        "cycles": {topic: _pairs(factors) for topic, factors in told.cycles.items()},
        "links": told.links,
    }


def _told(page: dict[str, Any]) -> RoutingSnapshot:
    counts = {
        topic: {link: tuple(pair) for link, pair in _table(rows).items()} for topic, rows in page["counts"].items()
    }
    return RoutingSnapshot(
        _table(page["advertisements"]),
        _table(page["subscriptions"]),
        _table(page["announced"]),
        counts,
        {topic: _table(rows) for topic, rows in page["signalled"].items()},
        {
            topic: [Election([(a, b) for a, b in links], _table(rows)) for links, rows in elections]
            for topic, elections in page["elections"].items()
        },
        {topic: _table(rows) for topic, rows in page["cycles"].items()},
        [(a, b) for a, b in page["links"]],
    )


def _pairs(table: Mapping[tuple[str, str], object]) -> list[list[Any]]:
    return [[*link, what] for link, what in table.items()]


def _table(rows: list[list[Any]]) -> dict[tuple[str, str], Any]:
    return {(source, target): what for source, target, what in rows}
