"""The control plane's part of a stream's bill: billed once, across stops and restarts of the stream.

A file in the checkpoint has the routing snapshot billed so far, and the micro-batch that was billed last. If that
micro-batch is retried after a crash, it bills the same messages again; any other bills the difference only.
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
    """The messages of the control plane that have been billed."""

    def __init__(self, spark: SparkSession, checkpoint: str) -> None:
        self._spark = spark
        self._path = f"{checkpoint.rstrip('/')}/{FILE}"
        self._note: dict[str, Any] | None = None
        self._plan: Plan | None = None  # the last one billed

    def due(self, plan: Plan, batch: int) -> Bill:
        """Return the control messages that a micro-batch under a plan has to bill."""
        note = self._read()
        if note is not None and note["batch"] == batch:
            return _bill(note["due"])
        if plan is self._plan:
            return Bill()
        self._plan = plan
        start = start_of(plan)
        whole, snapshot = control_bill(plan, start), snapshot_of(start)
        before = (Bill(), RoutingSnapshot()) if note is None else (_bill(note["whole"]), _snapshot(note["told"]))
        due = difference(before, (whole, snapshot))
        if due or note is None:
            self._write({"batch": batch, "due": _rows(due), "whole": _rows(whole), "told": _snapshot_json(snapshot)})
        return due

    def _read(self) -> dict[str, Any] | None:
        if self._note is None:
            self._note = read_json(self._spark, self._path, FORMAT)
        return self._note

    def _write(self, note: dict[str, Any]) -> None:
        self._note = note
        write_json(self._spark, self._path, note, FORMAT)


def _rows(bill: Bill) -> list[list[Any]]:
    return [[*key, messages] for key, messages in bill.items()]


def _bill(rows: list[list[Any]]) -> Bill:
    return Bill({BillKey(s, t, MessageKind(kind), bucket): messages for s, t, kind, bucket, messages in rows})


def _snapshot_json(snapshot: RoutingSnapshot) -> dict[str, Any]:
    """Return a snapshot for JSON, where a link cannot be a key."""
    elections = {
        topic: [[e.links, _link_rows(e.messages)] for e in elections] for topic, elections in snapshot.elections.items()
    }
    return {
        "advertisements": _link_rows(snapshot.advertisements),
        "subscriptions": _link_rows(snapshot.subscriptions),
        "announced": _link_rows(snapshot.announced),
        "counts": {topic: _link_rows(counts) for topic, counts in snapshot.counts.items()},
        "signalled": {topic: _link_rows(sent) for topic, sent in snapshot.signalled.items()},
        "elections": elections,
        "cycles": {topic: _link_rows(factors) for topic, factors in snapshot.cycles.items()},
        "links": snapshot.links,
    }


def _snapshot(content: dict[str, Any]) -> RoutingSnapshot:
    counts = {
        topic: {link: tuple(pair) for link, pair in _by_link(rows).items()} for topic, rows in content["counts"].items()
    }
    return RoutingSnapshot(
        advertisements=_by_link(content["advertisements"]),
        subscriptions=_by_link(content["subscriptions"]),
        announced=_by_link(content["announced"]),
        counts=counts,
        signalled={topic: _by_link(rows) for topic, rows in content["signalled"].items()},
        elections={
            topic: [Election([(a, b) for a, b in links], _by_link(rows)) for links, rows in elections]
            for topic, elections in content["elections"].items()
        },
        cycles={topic: _by_link(rows) for topic, rows in content["cycles"].items()},
        links=[(a, b) for a, b in content["links"]],
    )


def _link_rows(table: Mapping[tuple[str, str], object]) -> list[list[Any]]:
    return [[*link, value] for link, value in table.items()]


def _by_link(rows: list[list[Any]]) -> dict[tuple[str, str], Any]:
    return {(source, target): value for source, target, value in rows}
