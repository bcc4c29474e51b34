"""All faults, one after the other.

Every fault ends in a comparison of all tables with those of a stream that was left alone.
"""

from __future__ import annotations

import itertools
import random
import shutil
import tempfile
from pathlib import Path

from sparing.deployment.deployment import Deployment
from sparing.spark.run import stream, wait
from sparing_lab.bench.benchmark import Run
from sparing_lab.bench.faults.benchmark import Faults
from sparing_lab.bench.faults.damage import FILES, WAYS, Damaging
from sparing_lab.bench.faults.disks import disks
from sparing_lab.bench.faults.kills import FIVE, Killing, plan
from sparing_lab.bench.faults.outcome import Outcome
from sparing_lab.bench.faults.rows import hostile
from sparing_lab.bench.faults.trace import Trace


def measure(settings: Faults, run: Run) -> list[Outcome]:
    """Do all of it, one after the other. Damage and rows are tried in one Spark session."""
    folder = Path(tempfile.mkdtemp(prefix="sparing-bench-"))
    options = ["--master", settings.master, *(f"--conf={setting}" for setting in settings.conf)]
    try:
        trace = Trace.written(folder / "city", settings.seed)
        found: list[Outcome] = []
        with run.spark() as spark:
            wait(stream(spark, Deployment.read(trace.stream("undisturbed")), once=True))
            expected = trace.results("undisturbed")
            run.tell(", ".join(f"{sum(rows.values()):,} {name}" for name, rows in expected.items()) + " if undisturbed")
            if settings.damages:
                damaging = Damaging(spark, trace, expected, run.tell)
                damaging.prepare()
                found += [damaging.file(*each) for each in chosen(settings.damages, settings.seed)]
                found += [damaging.table(which) for which in ("all micro-batches", "the last micro-batch")]
            if settings.rows:
                found += hostile(spark, trace, expected, run.tell)
        if settings.disks:
            found += disks(trace, expected, options, run.tell)
        crashes = FIVE[: settings.kills] if settings.kills <= len(FIVE) else tuple(plan(settings.kills, settings.seed))
        found += Killing(trace, expected, options, run.tell).all(crashes)
        return found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def chosen(count: int, seed: int) -> list[tuple[str, str]]:
    """Files, and ways to damage them: every file once before one comes twice."""
    rnd = random.Random(seed)
    rounds = []
    for shift in range(len(WAYS)):
        ways = list(WAYS)
        rounds.append([(file, ways[(number + shift) % len(ways)]) for number, file in enumerate(FILES)])
    rnd.shuffle(rounds)
    return list(itertools.islice(itertools.chain.from_iterable(rounds), count))
