"""The tables of a stream for comparison, without order and micro-batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

Rows = dict[str, Counter[tuple[Any, ...]]]


def results(sink: Path) -> Rows:
    """Return counts of equal rows of notifications and quarantine, and the sums of the bill."""
    found = {"notifications": Counter[tuple[Any, ...]](), "bill": Counter[tuple[Any, ...]]()}
    for row in _rows(sink / "notifications"):
        payload = row.pop("payload")
        found["notifications"][*row.values(), payload["value"], payload["metadata"]] += 1
    for row in _rows(sink / "bill"):
        found["bill"][row["source"], row["target"], row["kind"], row["bucket"]] += row["messages"]
    found["quarantine"] = Counter((row["row"], row["reason"]) for row in _rows(sink / "quarantine"))
    return found


def _rows(table: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(table.glob("batch=*/*.parquet")):
        yield from pq.ParquetFile(path).read().to_pylist()
