"""A `sparing` command that kills something of itself at a chosen moment.

It is called as `python -m sparing_lab.bench.faults.crash run FILE`.

What to kill, and when, comes as JSON in the environment. The moments are calls of functions of the product, which this
module wraps from outside: the product itself has no hooks.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import entry_points
from pathlib import Path
from threading import Timer
from typing import Any

VARIABLE = "SPARING_CRASH"
BEFORE, DURING, AFTER, HALF = "before", "during", "after", "half"

EVERYTHING, DRIVER, JAVA, WORKER = "everything", "the Python driver", "Java", "a Python worker"

# Moment -> the function that is called then, and when the kill comes: before, during, after or amid the call.
MOMENTS = {
    "as Spark starts": ("sparing.spark.session:check_java", BEFORE),
    "as the plan is made": ("sparing.spark.run:PubSub.deliver", BEFORE),
    "as half of a note is written": ("sparing.spark.stream.durable:_write_locally", HALF),
    "before a note is synced": ("os:fsync", BEFORE),
    "before a note is renamed": ("pathlib:Path.replace", BEFORE),
    "after a note is renamed": ("pathlib:Path.replace", AFTER),
    "as a micro-batch starts": ("sparing.spark.stream.journal:Journal.switch_plan", BEFORE),
    "in tasks": ("sparing.spark.run:tally_of", DURING),
    "before a table is written": ("sparing.spark.io.sinks:_write", BEFORE),
    "as a table is written": ("sparing.spark.io.sinks:_write", DURING),
    "after a table is written": ("sparing.spark.io.sinks:_write", AFTER),
    "between sink and note": ("sparing.spark.stream.written_files:WrittenFiles.batch_written", BEFORE),
    "between note and commit": ("sparing.spark.stream.written_files:WrittenFiles.batch_written", AFTER),
}


@dataclass(frozen=True)
class Crash:
    """Who is killed at which moment: the number of the call, and for a moment during a call the seconds after it."""

    victim: str
    moment: str
    call: int = 1
    delay: float = 0.0


def environment(crashes: list[Crash]) -> dict[str, str]:
    """The environment of a command that is to crash like this."""
    return {**os.environ, VARIABLE: json.dumps([asdict(crash) for crash in crashes])}


def main() -> None:
    """Run the command line with the crashes in it."""
    for crash in json.loads(os.environ[VARIABLE]):
        _arrange(Crash(**crash))
    (command,) = entry_points(group="console_scripts", name="sparing")
    command.load()()


def _arrange(crash: Crash) -> None:
    where, when = MOMENTS[crash.moment]
    module, _, names = where.partition(":")
    holder: Any = importlib.import_module(module)
    *path, name = names.split(".")
    for part in path:
        holder = getattr(holder, part)
    setattr(holder, name, _wrapped(getattr(holder, name), crash, when))


def _wrapped(function: Callable[..., Any], crash: Crash, when: str) -> Callable[..., Any]:
    calls = 0

    @functools.wraps(function)
    def crashing(*args: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls != crash.call:
            return function(*args, **named)
        if when == HALF:
            path, content = args
            path.parent.mkdir(parents=True, exist_ok=True)
            path.with_name(f".{path.name}.half.tmp").write_bytes(content[: len(content) // 2])
        if when in (BEFORE, HALF):
            _kill(crash.victim)
        if when == DURING:
            Timer(crash.delay, _kill, [crash.victim]).start()
        found = function(*args, **named)
        if when == AFTER:
            _kill(crash.victim)
        return found

    return crashing


def _kill(victim: str) -> None:
    for process, line in _session().items():
        worker = b"pyspark" in line and b"java" not in line.split(b"\0")[0]
        if (
            victim == EVERYTHING
            or (victim == JAVA and b"java" in line.split(b"\0")[0])
            or (victim == WORKER and worker)
        ):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
    if victim in (EVERYTHING, DRIVER):
        os.kill(os.getpid(), signal.SIGKILL)


def _session() -> dict[int, bytes]:
    """The other processes of this session, and how each was called."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        process = int(entry.name)
        try:
            if process != os.getpid() and os.getsid(process) == os.getsid(0):
                found[process] = (entry / "cmdline").read_bytes()
        except OSError:
            continue  # it is gone
    return found


if __name__ == "__main__":
    sys.argv[0] = "sparing"
    main()
