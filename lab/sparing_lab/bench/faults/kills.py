"""Streams that are killed again and again, each start at another moment, until they have read all of their source."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from sparing.model.errors import SparingError
from sparing_lab.bench.faults.crash import DRIVER, EVERYTHING, JAVA, MOMENTS, WORKER, Crash, environment
from sparing_lab.bench.faults.outcome import GOES_ON, RETRIED, Outcome, is_sentence
from sparing_lab.bench.faults.trace import Trace
from sparing_lab.bench.results import Rows

PATIENCE = 900  # seconds for one run
FIVE = (
    Crash(EVERYTHING, "as half of a note is written", 4),
    Crash(JAVA, "as a table is written", 2, 0.1),
    Crash(DRIVER, "in tasks", 1, 0.5),
    Crash(EVERYTHING, "between note and commit", 2),
    Crash(WORKER, "in tasks", 2, 0.3),
)
# How many calls of a moment there are before or in the first micro-batches of a run.
_CALLS = {
    "as Spark starts": 1,
    "as the plan is made": 1,
    "as half of a note is written": 6,
    "before a note is synced": 12,
    "before a note is renamed": 6,
    "after a note is renamed": 6,
    "before a table is written": 5,
    "as a table is written": 5,
    "after a table is written": 5,
}
_BEFORE_JAVA = ("as Spark starts",)
_WITH_WORKERS = ("in tasks", "as a table is written")


def plan(count: int, seed: int) -> Iterator[Crash]:
    """Kills in an order that the seed decides: every moment as often as another, everybody in turn."""
    rnd = random.Random(seed)
    moments: list[str] = []
    for number in range(count):
        if not moments:
            moments = list(MOMENTS)
            rnd.shuffle(moments)
        moment = moments.pop()
        victims = [EVERYTHING, DRIVER]
        if moment not in _BEFORE_JAVA:
            victims.append(JAVA)
        if moment in _WITH_WORKERS:
            victims.append(WORKER)
        call = rnd.randint(1, _CALLS.get(moment, 2))
        yield Crash(victims[(number + rnd.randrange(2)) % len(victims)], moment, call, round(rnd.uniform(0.0, 0.8), 2))


@dataclass
class Killing:
    """A chain of streams; `expected` are the tables of one that was left alone."""

    trace: Trace
    expected: Rows
    options: Sequence[str]
    tell: Callable[[str], None]
    streams: int = 0

    def all(self, crashes: Sequence[Crash]) -> list[Outcome]:
        """Do all kills. One that comes to nothing, because the stream is over before, is done to the next stream."""
        outcomes: list[Outcome] = []
        pending: list[Outcome] = []
        left, missed = list(crashes), 0
        while left:
            crash = left[0]
            status, said = self._run([crash])
            struck = status != 0 or (crash.victim == WORKER and "tried again" in said)
            if struck:
                left.pop(0)
                missed = 0
                pending.append(_struck(crash, status, said))
                self.tell(f"{crash.victim} killed {crash.moment}, call {crash.call}: {len(left)} to go")
            else:
                missed += 1
                if missed > 1:
                    left.pop(0)
                    missed = 0
                    outcomes.append(replace(_outcome(crash), happened="the moment did not come", tried=False))
            if status == 0:
                outcomes += self._compared(pending)
                pending = []
        if pending:
            status, said = self._run([])
            if status != 0:
                return [*outcomes, *(_broken(each, f"the last start failed: {said[-300:]}") for each in pending)]
            outcomes += self._compared(pending)
        return outcomes

    def _name(self) -> str:
        return f"killed{self.streams}"

    def _run(self, crashes: list[Crash]) -> tuple[int, str]:
        path = self.trace.stream(self._name())
        command = [sys.executable, "-m", "sparing_lab.bench.faults.crash", "run", str(path), "--once", *self.options]
        try:
            done = subprocess.run(
                command,
                env=environment(crashes),
                start_new_session=True,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise SparingError(f"The stream did not end within {PATIENCE} seconds: {crashes}.") from None
        return done.returncode, done.stdout + done.stderr

    def _compared(self, pending: list[Outcome]) -> list[Outcome]:
        """The stream is over: whether its tables are as they should be."""
        found = self.trace.results(self._name())
        other = [name for name, rows in found.items() if rows != self.expected[name]]
        self.streams += 1
        return [_broken(each, f"other {' and '.join(other)}") for each in pending] if other else pending


def _outcome(crash: Crash) -> Outcome:
    promised = RETRIED if crash.victim == WORKER else GOES_ON
    return Outcome(f"{crash.victim} is killed", crash.moment, promised, kept=True)


def _struck(crash: Crash, status: int, said: str) -> Outcome:
    outcome = _outcome(crash)
    if crash.victim == JAVA and not is_sentence(said):
        return _broken(outcome, f"more than a sentence: {said[-300:]}")
    if crash.victim == WORKER and status != 0:
        return _broken(outcome, f"the run ended: {said[-300:]}")
    return outcome


def _broken(outcome: Outcome, happened: str) -> Outcome:
    return replace(outcome, kept=False, happened=happened)
