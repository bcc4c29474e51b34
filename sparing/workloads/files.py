"""A workload in a folder: part files of publications, and a deployment file ready to run."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from sparing.model.counted import counted
from sparing.model.errors import SparingError
from sparing.workloads.bad_rows import BadRowKind, BadRowMaker, positions
from sparing.workloads.deployment_text import deployment_text
from sparing.workloads.json_lines import Lines
from sparing.workloads.workload import Workload

FORMATS = ("json", "parquet")
MOST_INLINE = 1000  # subscriptions in the deployment file itself; more are in a file beside it
DEPLOYMENT, SUBSCRIPTIONS, DATA = "deployment.yaml", "subscriptions.jsonl", "data"


@dataclass(frozen=True)
class WrittenWorkload:
    """The written files and their content; `bad` counts the bad rows by fault."""

    deployment: Path
    parts: tuple[Path, ...]
    publications: int
    subscriptions: int
    selectivity: float
    bytes: int
    bad: Mapping[str, int] = field(default_factory=dict)


def write(
    workload: Workload,
    folder: str | Path,
    format: str = "json",  # noqa: A002 (the word of deployment files)
    files: int = 8,
    *,
    replace: bool = False,
    progress: Callable[[int], object] | None = None,
) -> WrittenWorkload:
    """Write the workload into a folder that is new or empty, or `replace` what an earlier call wrote there.

    `progress` is called with the number of publications written since its last call.
    """
    folder = Path(folder)
    if format not in FORMATS:
        raise SparingError(f"{format!r} is not a format of a trace: use json or parquet.")
    if files < 1:
        raise SparingError(f"The number of files is {files}: it must be at least 1.")
    if files > workload.size:
        raise SparingError(
            f"{counted(files, 'file')} cannot be filled with {counted(workload.size, 'publication')}: reduce --files."
        )
    if format == "parquet" and workload.bad:
        raise SparingError("Bad rows can be written as JSON only: use the format json, or remove --bad.")
    _clear(folder, replace)
    (folder / DATA).mkdir(parents=True, exist_ok=True)

    writer = _JsonWriter(workload) if format == "json" else _ParquetWriter()
    paths = []
    for number, tables in enumerate(_tables_by_file(workload, files)):
        path = folder / DATA / f"part-{number:04}.{format}"
        writer.write(path, tables)
        paths.append(path)
        if progress is not None:
            progress(sum(table.num_rows for table in tables))
    _set_times(paths)
    _write_deployment(workload, folder, format)
    return WrittenWorkload(
        folder / DEPLOYMENT,
        tuple(paths),
        workload.size,
        len(workload.description["subscriptions"]),
        workload.selectivity,
        sum(path.stat().st_size for path in paths),
        {fault.value: count for fault, count in writer.bad.items()},
    )


def _set_times(paths: list[Path]) -> None:
    """Make each file a second newer than the one before, because a file stream reads files by age."""
    newest = time.time()
    for age, path in enumerate(reversed(paths)):
        os.utime(path, (newest - age, newest - age))


def _clear(folder: Path, replace: bool) -> None:
    """Remove an earlier workload, but no other files."""
    if folder.exists() and not folder.is_dir():
        raise SparingError(f"{folder} is a file: choose a folder.")
    if not folder.exists() or not any(folder.iterdir()):
        return
    if not replace:
        raise SparingError(f"{folder} is not empty: choose another folder, or replace its workload with --force.")
    for old in [folder / DEPLOYMENT, folder / SUBSCRIPTIONS, *(folder / DATA).glob("part-*")]:
        old.unlink(missing_ok=True)


def _write_deployment(workload: Workload, folder: Path, format: str) -> None:  # noqa: A002
    description = workload.description | {"source": workload.description["source"] | {"format": format}}
    rows = description["subscriptions"]
    if len(rows) > MOST_INLINE:
        description["subscriptions"] = SUBSCRIPTIONS
        (folder / SUBSCRIPTIONS).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    heading = (
        f"The workload {description['name']}, seed {workload.seed}: {counted(workload.size, 'publication')}, "
        f"{counted(len(rows), 'subscription that matches', 'subscriptions that match')} "
        f"{workload.selectivity:.2%} of them on average."
    )
    (folder / DEPLOYMENT).write_text(deployment_text(description, heading), encoding="utf-8")


def _tables_by_file(workload: Workload, files: int) -> Iterator[list[pa.Table]]:
    """Yield the publications of each file: equal shares, in order."""
    ends = [workload.size * (n + 1) // files for n in range(files)]
    tables: list[pa.Table] = []
    done = number = 0
    for chunk in workload.publications():
        table = chunk
        while table.num_rows:
            head = table.slice(0, ends[number] - done)
            tables.append(head)
            done += head.num_rows
            table = table.slice(head.num_rows)
            if done == ends[number]:
                yield tables
                tables, number = [], number + 1


class _ParquetWriter:
    """Part files in Parquet."""

    def __init__(self) -> None:
        self.bad: Counter[BadRowKind] = Counter()

    def write(self, path: Path, tables: list[pa.Table]) -> None:
        import pyarrow.parquet as pq

        with pq.ParquetWriter(path, tables[0].schema) as file:
            for table in tables:
                file.write_table(table)


class _JsonWriter:
    """Part files of JSON lines, with the workload's bad rows between the publications."""

    def __init__(self, workload: Workload) -> None:
        self.bad: Counter[BadRowKind] = Counter()
        self._maker = BadRowMaker(workload.description)
        self._positions = positions(workload.seed, workload.bad, workload.size).tolist()
        self._next = self._row = 0  # the next bad row, and the number of written publications

    def write(self, path: Path, tables: list[pa.Table]) -> None:
        with path.open("wb") as file:
            for table in tables:
                lines, start = Lines(table), 0
                while self._next < len(self._positions) and self._positions[self._next] < self._row + table.num_rows:
                    row = self._positions[self._next] - self._row
                    fault = self._maker.faults[self._next % len(self._maker.faults)]
                    file.write(lines.between(start, row + 1))
                    file.write(self._maker.bad_row(bytes(lines.between(row, row + 1)), fault))
                    self.bad[fault] += 1
                    start, self._next = row + 1, self._next + 1
                file.write(lines.between(start, table.num_rows))
                self._row += table.num_rows
