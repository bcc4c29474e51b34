"""A stream that is killed and restarted: its time to continue, and whether its results equal those without a kill.

Runs the command `sparing run FILE --once` in its own process, ends it with SIGKILL during a micro-batch, and runs it
again. A micro-batch counts once Spark has committed it. All files of the trace exist at the start, and each micro-batch
reads one.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import ClassVar

import yaml

from sparing.model.counted import counted
from sparing.model.errors import SparingError
from sparing.workloads.files import write
from sparing.workloads.stock import DEFAULTS, stock
from sparing_lab.bench.benchmark import Benchmark, Results, Run, Show, Table, option, spark_conf, spark_master
from sparing_lab.bench.results import Rows, results

RATE = 500
FILES = 6
KILLED_AFTER = 2  # micro-batches
POLL_SECONDS = 0.02
COMMAND = [sys.executable, "-c", "from sparing.cli import main; main()", "run"]


@dataclass(frozen=True)
class Restarted:
    """One kill: micro-batches committed before it, seconds from the restart to the first commit and to the end."""

    committed: int
    first: float
    end: float
    same: bool


@dataclass(frozen=True)
class Restart(Benchmark):
    """Kill and restart a stream: its time to continue, and whether its results are the same.

    Example: sparing bench restart --repeat 1 --master local[2]
    """

    publications: int = option(30_000, "Publications in the trace.", min=1)
    subscriptions: int = option(200, "Number of subscriptions.", min=1)
    repeat: int = option(3, "Number of kills.", min=1)
    patience: float = option(600.0, "Time limit of a stream, in seconds.")
    master: str = spark_master()
    conf: tuple[str, ...] = spark_conf()

    parts: ClassVar = {"figures": list[Restarted]}

    def measure(self, run: Run) -> Results:
        """Run a stream to its end, then kill and restart others, and compare the results."""
        folder = Path(tempfile.mkdtemp(prefix="sparing-bench-"))
        try:
            made = replace(DEFAULTS, rate=RATE, duration=self.publications / RATE, subscriptions=self.subscriptions)
            written = write(stock(made), folder / "stock", "parquet", FILES).deployment
            with _running(_deployment(written, "undisturbed"), self) as process:
                _finish(process, self)
            expected = results(folder / "stock/undisturbed")
            run.tell(f"undisturbed: {counted(sum(expected['notifications'].values()), 'notification')}")
            figures = []
            for turn in range(self.repeat):
                figures.append(_measure(written, f"killed{turn}", self, expected))
                run.tell(f"killed and restarted: {figures[-1].first:.1f} s to the first micro-batch")
            return {"figures": figures}
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def tables(self, results: Results) -> list[Table]:
        """Return all kills, and the medians."""
        found: list[Restarted] = results["figures"]
        middle = {"first": median(one.first for one in found), "end": median(one.end for one in found)}
        columns: dict[str, Show] = {
            "killed after": lambda f: str(f.committed) if f else "median",
            "of micro-batches": lambda f: str(FILES) if f else "",
            "restarted: first after": lambda f: f"{f.first if f else middle['first']:.1f}",
            "all after": lambda f: f"{f.end if f else middle['end']:.1f}",
            "same results": lambda f: ("yes" if f.same else "NO") if f else "",
        }
        return [Table("A stream is killed and restarted (seconds)", [*found, None], columns, ("killed after",))]


def _deployment(written: Path, name: str) -> Path:
    """Return the deployment with its own sink and checkpoint, and one file per micro-batch."""
    description = yaml.safe_load(written.read_text())
    description["source"]["maxFilesPerTrigger"] = 1
    description |= {"sink": {"format": "parquet", "path": name}, "checkpoint": f"{name}/checkpoint"}
    path = written.with_name(f"{name}.yaml")
    path.write_text(yaml.safe_dump(description, sort_keys=False))
    return path


def _measure(written: Path, name: str, settings: Restart, expected: Rows) -> Restarted:
    deployment, commits = _deployment(written, name), written.parent / name / "checkpoint/commits"
    with _running(deployment, settings) as process:
        _await(process, settings, lambda: len(_committed(commits)) >= KILLED_AFTER)
    before = _committed(commits)
    begun = time.perf_counter()
    with _running(deployment, settings) as process:
        _await(process, settings, lambda: len(_committed(commits)) > len(before))
        first = time.perf_counter() - begun
        _finish(process, settings)
    end = time.perf_counter() - begun
    return Restarted(len(before), first, end, results(written.parent / name) == expected)


@contextmanager
def _running(deployment: Path, settings: Restart) -> Iterator[subprocess.Popen[str]]:
    """Run the stream in its own process group, which is killed at the end, with Java and all workers."""
    options = ["--once", "--master", settings.master, *(f"--conf={setting}" for setting in settings.conf)]
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            [*COMMAND, str(deployment), *options],
            stdout=said,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            yield process
        except SparingError as error:
            said.seek(0)
            raise SparingError(f"{error} Its output: {said.read().strip()[-500:]}") from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _await(process: subprocess.Popen[str], settings: Restart, done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + settings.patience
    while not done():
        if process.poll() is not None:
            raise SparingError("The stream ended before it could be killed: increase --publications.")
        if time.monotonic() > deadline:
            raise SparingError(f"The stream is stuck after {settings.patience:g} seconds: increase --patience.")
        time.sleep(POLL_SECONDS)


def _finish(process: subprocess.Popen[str], settings: Restart) -> None:
    try:
        status = process.wait(settings.patience)
    except subprocess.TimeoutExpired:
        raise SparingError(f"The stream still runs after {settings.patience:g} seconds: increase --patience.") from None
    if status:
        raise SparingError("The stream failed.")


def _committed(commits: Path) -> list[str]:
    return [file.name for file in commits.glob("[0-9]*")]
