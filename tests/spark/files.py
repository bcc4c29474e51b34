"""Traces as files, and what a deployment left behind, in a form that can be compared."""

from __future__ import annotations

import json
import math
import os
import random
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml

from tests.spark import world


def disordered(rows: list[dict[str, Any]], seconds: float, seed: int) -> list[dict[str, Any]]:
    """The rows in an order of arrival in which none is later than `seconds` behind a row that came before it."""
    rnd = random.Random(seed)
    return sorted(rows, key=lambda row: row["ts"] + timedelta(seconds=rnd.uniform(0, seconds)))


def line(row: dict[str, Any]) -> str:
    """A publication as a JSON line."""
    return json.dumps({name: _text(value) for name, value in row.items() if value is not None})


def _text(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return {"inf": "Infinity", "-inf": "-Infinity"}.get(str(value), "NaN")
    return value if isinstance(value, str | bool | int | float) else str(value)


def write_trace(folder: Path, rows: list[dict[str, Any]], files: int) -> None:
    """JSON lines in so many files, each one a later part of the order of arrival."""
    folder.mkdir(parents=True)
    size = -(-len(rows) // files)
    written = time.time() - files
    for number in range(files):
        part = rows[number * size : (number + 1) * size]
        path = folder / f"part-{number:03}.json"
        path.write_text("".join(line(row) + "\n" for row in part))
        # A file stream takes files in the order of their modification times, and these are written in one moment.
        os.utime(path, (written + number, written + number))


def write_deployment(folder: Path, subscribed: list[dict[str, str]], **more: Any) -> Path:
    """A deployment file for a trace in `folder`/data."""
    what = world.description(
        subscribed,
        source={"format": "json", "path": "data", **more.pop("source", {})},
        sink={"format": "json", "path": more.pop("out", "out")},
        **more,
    )
    path = folder / f"{more.get('name', 'deployment')}.yaml"
    path.write_text(yaml.safe_dump(what))
    return path


def results(folder: Path) -> dict[str, Counter]:
    """Notifications, bill and quarantine of an output folder: order and micro-batches left aside."""
    notifications = Counter(json.dumps(row, sort_keys=True) for row in rows(folder / "notifications"))
    bill: Counter = Counter()
    for row in rows(folder / "bill"):
        bill[row["source"], row["target"], row["kind"], row.get("bucket")] += row["messages"]
    quarantine = Counter((row["row"], row["reason"]) for row in rows(folder / "quarantine"))
    return {"notifications": notifications, "bill": bill, "quarantine": quarantine}


def rows(folder: Path, batch: int | str = "*") -> list[dict[str, Any]]:
    """The rows of a table, or those of one micro-batch."""
    found = []
    for path in sorted(folder.glob(f"batch={batch}/part-*.json")):
        found += [json.loads(text) for text in path.read_text().splitlines()]
    return found
