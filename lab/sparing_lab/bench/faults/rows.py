"""Hostile rows: lines that are no publications, between those of everybody else."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

from sparing.deployment.deployment import Deployment
from sparing.model.errors import SparingError
from sparing.spark.run import stream, wait
from sparing_lab.bench.faults.outcome import SET_ASIDE, Outcome
from sparing_lab.bench.faults.trace import Trace
from sparing_lab.bench.results import Rows

LONG = 20_000_000  # bytes of a line that is far too long


def _row(publisher: str, **fields: object) -> bytes:
    return json.dumps({"publisher": publisher, "ts": "2026-01-01T00:00:01Z", **fields}).encode()


def _lines(publisher: str) -> dict[str, list[bytes]]:
    """Kind of line -> such lines; the first publisher of the trace is said to have sent them."""
    good = _row(publisher)
    return {
        "no JSON at all": [b"hello", b"\x00\x01\x02", b"{", b'{"publisher": ', b"]", b"'", b"\xff\xfe\xfd"],
        "JSON, but no object": [b"[1, 2]", b'"text"', b"17", b"null", b"true"],
        "more than one object on the line": [good + good, good + b" " + good, good + b" and more"],
        "what Spark reads and Python does not": [
            good.replace(b'"', b"'"),
            good[:-1] + b', "speed": +INF}',
            good[:-1] + b', "speed": {"a": "\\ud800"}}',
            good[:-1] + b', "speed": ' + b"[" * 990 + b"]" * 990 + b"}",
        ],
        "wrong types": [_row(publisher, speed="fast"), _row(publisher, ts="08:00"), _row(publisher, ts="now")],
        "times that no calendar has": [
            _row(publisher, ts=f"{year}-06-01T00:00:00Z") for year in ("10000", "-1", "+294247", "-290308", "0000")
        ],
        "a time far in the future": [_row(publisher, ts=f"{year}-01-01T00:00:00Z") for year in (2099, 9999)],
        "unknown publishers": [_row("nobody"), _row("x" * 10_000), b'{"ts": "2026-01-01T00:00:01Z"}'],
    }


def hostile(spark: SparkSession, trace: Trace, expected: Rows, tell: Callable[[str], None]) -> list[Outcome]:
    """Send them all, a file of them after each file of the trace."""
    lines = _lines(_publisher(trace))
    files = trace.files()
    trace.copy_files(files, "hostile-data")
    folder = trace.folder / "hostile-data"
    for number, after in enumerate(files[: len(lines)]):
        kind = list(lines)[number]
        _write(folder / f"hostile-{number:02}.json", b"".join(line + b"\n" for line in lines[kind]), after)
    # A small file with one long line in it.
    _write(folder / "hostile-long.json.gz", gzip.compress(b'{"publisher": "' + b"x" * LONG + b'"}\n'), files[-2])
    path = trace.stream("hostile", "hostile-data")
    try:
        wait(stream(spark, Deployment.read(path), once=True))
        why = ""
    except SparingError as error:
        why = str(error)
    found = trace.results("hostile")
    other = [name for name in ("notifications", "bill") if found[name] != expected[name]]
    aside = found["quarantine"] - expected["quarantine"]
    outcomes = []
    for kind, sent in {**lines, "a line of 20 MB in a small gzip file": [b'{"publisher": "' + b"x" * 900]}.items():
        missing = [line for line in sent if not _is_aside(line, aside)]
        trouble = (
            why or (f"other {' and '.join(other)}" if other else "") or (f"{missing[0]!r} lost" if missing else "")
        )
        outcomes.append(Outcome("hostile rows", kind, SET_ASIDE, kept=not trouble, happened=trouble))
        tell(f"hostile rows, {kind}: {trouble or 'set aside'}")
    return outcomes


def _publisher(trace: Trace) -> str:
    return str(json.loads(trace.files()[0].read_text().splitlines()[0])["publisher"])


def _write(path: Path, data: bytes, after: Path) -> None:
    path.write_bytes(data)
    written = after.stat().st_mtime + 0.5
    os.utime(path, (written, written))


def _is_aside(line: bytes, aside: Counter[tuple[object, ...]]) -> bool:
    """Return whether a line, or its kept part, is in quarantine."""
    text = line.decode(errors="replace")
    return any(str(row).startswith(text[:900]) for row, _ in aside)
