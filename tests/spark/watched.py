"""One stream with everything in it that metrics, logs and the inspection of a checkpoint are about."""

from __future__ import annotations

import json
import os
import urllib.request
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml
from pyspark.sql import SparkSession

import sparing
from sparing.spark import run
from sparing.spark.stream.logs import log_to
from sparing.spark.stream.micro_batch import MicroBatch
from sparing.spark.stream.prometheus import Metrics, serve
from tests.spark import files, incidents, world

WATERMARK = timedelta(seconds=5)
BAD = ["this is no JSON", json.dumps({"publisher": "nobody", "ts": str(world.START)})]
SUBSCRIBED = [
    {"id": "plain", "subscriber": "u2", "sql": "SELECT id FROM traffic WHERE lane = 4"},
    {
        "id": "slide",
        "subscriber": "u3",
        "sql": "SELECT count(*) FROM traffic WHERE lane = 1 GROUP BY window(ts, '10 seconds', '5 seconds')",
    },
    {"id": "digest", "subscriber": "u4", "sql": "SELECT id FROM traffic WHERE lane = 2 EVERY '30 seconds'"},
    {
        "id": "count",
        "subscriber": "u1",
        "sql": "SELECT count(*) FROM traffic WHERE lane = 3 GROUP BY count_window(7, 3)",
    },
    *incidents.SUBSCRIBED,
]
COMES = {"id": "comes", "subscriber": "u1", "sql": "SELECT id FROM traffic WHERE lane = 5"}
MISTAKE = {"id": "mistake", "subscriber": "u1", "sql": "SELECT id FROM trafic"}


@dataclass(frozen=True)
class Watched:
    """What was published, and what was heard of the stream. Its files are in `folder`."""

    folder: Path
    deployment: Path
    traffic: list[dict[str, Any]]
    reports: list[dict[str, Any]]
    records: list[MicroBatch]
    log: list[dict[str, Any]]
    metrics: str
    told: list[str]

    @property
    def checkpoint(self) -> str:
        return str(self.folder / "checkpoint")


def watched_run(spark: SparkSession, folder: Path) -> Watched:
    """Run it: a newcomer after the first micro-batch, a mistake after the second, and somebody listens and fails."""
    traffic, reports = world.publications(21, 200), incidents.reports(21, 60)
    rows = sorted([*traffic, *reports], key=lambda row: (row["ts"], row["id"]))
    files.write_trace(folder / "data", rows, files=2)
    first = folder / "data/part-000.json"
    written = first.stat().st_mtime
    first.write_text(first.read_text() + "".join(f"{line}\n" for line in BAD))
    os.utime(first, (written, written))
    path = files.write_deployment(
        folder,
        [],
        topics={"traffic": {"time": "ts", "fields": world.FIELDS}, "incidents": incidents.TOPIC},
        publishers=[*world.description([])["publishers"], *incidents.PUBLISHERS],
        watermark="5 seconds",
        source={"maxFilesPerTrigger": 1},
        checkpoint="checkpoint",
    )
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | {"subscriptions": "table.jsonl"}))
    tables = {0: [*SUBSCRIBED, COMES], 1: [*SUBSCRIBED, COMES, MISTAKE]}
    _write(folder, SUBSCRIBED)
    metrics, records, told = Metrics(), list[MicroBatch](), list[str]()

    def watch(batch: int, _: object) -> None:
        if batch in tables:
            _write(folder, tables[batch])

    def hear(record: MicroBatch) -> None:
        records.append(record)
        metrics.record(record)
        if record.batch == 0:
            raise RuntimeError("somebody who listens fails")

    with log_to(str(folder / "log.jsonl")), serve(metrics, "127.0.0.1", 0) as port:
        deployment = sparing.Deployment.read(path)
        run.wait(run.stream(spark, deployment, once=True, watch=watch, tell=told.append, hear=hear))
        served = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
    _write(folder, [*SUBSCRIBED, COMES])
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return Watched(folder, path, traffic, reports, records, log, served, told)


def _write(folder: Path, subscribed: list[dict[str, str]]) -> None:
    (folder / "table.jsonl").write_text("".join(json.dumps(row) + "\n" for row in subscribed))
