"""Processes that engines run in, one for each, so that one that takes too long can be ended."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from sparing.model.counted import counted
from sparing.model.errors import SparingError
from sparing_lab.bench.matching.cases import MatchCase
from sparing_lab.bench.matching.engines import ENGINES, Engine
from sparing_lab.bench.matching.shapes import SHAPES

STARTING = 600.0  # seconds within which an engine must start, or take subscriptions in


@dataclass(frozen=True)
class Loaded:
    """The cost of loading subscriptions."""

    seconds: float
    bytes: int | None


@dataclass(frozen=True)
class ProcessRun:
    """The mean time of a pass over the events, and the pairs found."""

    seconds: float
    pairs: int


class Worker:
    """An engine at work on one case after the other."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._drawn: tuple[Any, ...] = ()
        self._taken = 0

    def load(self, case: MatchCase) -> Loaded:
        """Draw a workload, and let the engine take in its subscriptions."""
        shape = SHAPES[case.shape]
        if self._drawn != (case.shape, case.events, case.seed):
            self._drawn = (case.shape, case.events, case.seed)
            self._events = shape.events(case.events, case.seed)
        subscriptions = shape.subscriptions(case.subscriptions, case.selectivity, case.seed)
        begun = time.perf_counter()
        self._engine.load(shape, subscriptions)
        seconds = time.perf_counter() - begun
        self._taken = 0
        return Loaded(seconds, self._engine.nbytes)

    def run(self, events: int, way: str, at_least: float) -> ProcessRun:
        """Match the first events, again and again for at least so many seconds."""
        if self._taken != events:
            self._engine.take(self._events.slice(0, events))
            self._taken = events
        passes = 0
        begun = time.perf_counter()
        while passes == 0 or time.perf_counter() - begun < at_least:
            pairs = self._engine.match(way)
            passes += 1
        return ProcessRun((time.perf_counter() - begun) / passes, pairs)


class Skipped(Exception):  # noqa: N818
    """An engine cannot do a case; the message says why."""


class Process:
    """A worker in a process of its own, which is ended when it takes too long and started again when needed."""

    def __init__(self, name: str, tell: Callable[[str], None]) -> None:
        self.engine = ENGINES[name]
        self.starting: float | None = None  # seconds that the first start took
        self._name, self._tell = name, tell
        self._process: Any = None
        self._pipe: Connection
        self._case: MatchCase | None = None

    def load(self, case: MatchCase) -> Loaded:
        """Take in the subscriptions of a case."""
        self._case = case
        if self._process is None:
            self._start()
        loaded: Loaded = self._ask(STARTING, f"taking {case.subscriptions:,} subscriptions in", "load", case)
        return loaded

    def run(self, events: int, way: str, at_least: float, patience: float) -> ProcessRun:
        """Match the first events for at least so many seconds, but with no more patience than this."""
        if self._process is None:
            assert self._case is not None
            self.load(self._case)
        done: ProcessRun = self._ask(
            at_least + patience, f"matching {counted(events, 'event')}", "run", events, way, at_least
        )
        return done

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._name), daemon=True)
        self._process.start()
        theirs.close()
        try:
            seconds = self._answer(STARTING, "starting")
        except Skipped as reason:
            raise SparingError(f"{self.engine.title} does not start: {reason}.") from None
        if self.starting is None:
            self.starting = seconds
            self._tell(f"{self.engine.title}: {seconds:.1f} s to start and warm up")

    def _ask(self, patience: float, what: str, *order: Any) -> Any:
        self._pipe.send(order)
        return self._answer(patience, what)

    def _answer(self, patience: float, what: str) -> Any:
        try:
            if not self._pipe.poll(patience):
                self._end()
                raise Skipped(f"{what} took more than {patience:.3g} s")
            answer = self._pipe.recv()
        except (EOFError, ConnectionError):
            self._end()
            raise Skipped(f"its process ended while {what}, perhaps for want of memory") from None
        if isinstance(answer, Exception):
            self._end()
            if isinstance(answer, SparingError):
                raise answer
            raise Skipped(f"{what} failed with {answer}")
        return answer

    def close(self) -> None:
        """Let the worker finish."""
        if self._process is not None:
            with suppress(OSError):
                self._pipe.send(None)
            self._process.join(10)
            self._end()

    def _end(self) -> None:
        self._process.kill()
        self._process.join()
        self._pipe.close()
        self._process = None


def _serve(pipe: Connection, name: str) -> None:
    """The main loop of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one ends it
    if name == "spark":
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # Java's chatter
    try:
        begun = time.perf_counter()
        engine = ENGINES[name]()
        worker = Worker(engine)
        pipe.send(time.perf_counter() - begun)
        while (order := pipe.recv()) is not None:
            pipe.send(getattr(worker, order[0])(*order[1:]))
        engine.close()
    except EOFError:
        return
    except SparingError as error:
        pipe.send(error)
    except Exception as error:
        told = str(error).strip() or "no message"
        pipe.send(RuntimeError(f"{type(error).__name__}: {told.splitlines()[0]}"))
