"""Matching against what people would use instead: the same events, the same subscriptions, in one run.

Every engine runs single threaded in a process of its own, draws the same workload (see `shapes`) from the same seed,
and must find as many pairs (event, subscription) as Sparing does:

- *Sparing*: `Index.slices`. The clock includes reading the Arrow batch; the index was built before.
- *NumPy*: one subscription after the other, each bound compared with the whole column of events, masks ANDed.
- *DuckDB*: an inner join on the predicates, pairs written to a temporary table; either as DuckDB plans it by itself
  (with an equality a hash join, otherwise a join on ranges), or with all ranges as one filter over the hash join or
  product.
- *Polars*: `join_where` on the predicates, or a hash join (without an equality a product) that is filtered by ranges;
  streaming engine, pairs collected.
- *Spark SQL*: events joined with the broadcast subscriptions on the predicates (with an equality a hash join, otherwise
  nested loops), pairs written to the `noop` sink. Spark broadcasts anew in each query, so this is part of the time.

The peers get events and subscriptions in their own form before the clock starts, with infinite bounds instead of NULL,
because all of them compare those quicker than they test for NULL. Where there are two ways, the quicker counts.

Engines differ by orders of magnitude, so each matches as many events as it can in about the time that is given, at
least 64; the figures are events per second. Repetitions go round the engines in turn, and medians count. Give a
measurement some seconds: a query of Spark's takes half of one before it does anything, which counts against it.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import multiprocessing
import os
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import reduce
from multiprocessing.connection import Connection
from operator import and_
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rich import box
from rich.table import Table

from sparing.bench.shapes import COMMON, RARE, SHAPES, Shape
from sparing.language.parse import parse_filter
from sparing.match import Index
from sparing.model.errors import SparingError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LEAST_EVENTS = 64
MOST_EVENTS = 1 << 19
BATCH = 1 << 16  # the largest batch that Sparing gets; the peers may have more, for what a query costs in any case
PATIENCE = 4  # times the seconds of a measurement that matching a few events may take
LEAST_PATIENCE = 10.0  # seconds; a first query may have to be compiled
STARTING = 600.0  # seconds within which an engine must start, or take subscriptions in
GROWTH = 16  # times as many events as before that an estimate is trusted for

# The goals: at a million subscriptions so many events per second, at ten thousand so many times as fast as a peer.
MILLION, TEN_THOUSAND = 1_000_000, 10_000
RATES = {
    ("a", COMMON): 12_000,
    ("a", RARE): 185_000,
    ("b", COMMON): 5_900,
    ("b", RARE): 93_000,
    ("c", COMMON): 4_300,
    ("c", RARE): 66_000,
    ("d", COMMON): 4_700,
}
RATIOS = {"duckdb": 20, "spark": 100}

Told = Callable[[str], None]  # told of every measurement, as it is made


@dataclass(frozen=True)
class Settings:
    """What to measure, for how long."""

    subscriptions: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)
    shapes: tuple[str, ...] = tuple(SHAPES)
    engines: tuple[str, ...] = ("sparing", "numpy", "duckdb", "polars", "spark")
    seconds: float = 5.0  # of each measurement, about
    repeat: int = 3
    seed: int = 1
    events: int = MOST_EVENTS  # at most, of each measurement

    def check(self) -> None:
        """Say in one sentence what cannot be measured, before anything is."""
        for what, names, known in (("shape", self.shapes, SHAPES), ("engine", self.engines, ENGINES)):
            for name in names:
                if name not in known:
                    raise SparingError(f"There is no {what} {name!r}: choose from {', '.join(known)}.")
            if not names:
                raise SparingError(f"Without any {what} there is nothing to measure: choose from {', '.join(known)}.")
        if "sparing" not in self.engines:
            raise SparingError("Peers are measured beside Sparing: add sparing to the engines.")
        if not self.subscriptions or min(self.subscriptions) < 1 or self.repeat < 1 or not self.seconds > 0:
            raise SparingError("Numbers of subscriptions, repetitions and seconds must be greater than zero.")
        for name in self.engines:
            if ENGINES[name].library:
                must_have(ENGINES[name].library, f"measure {ENGINES[name].title}")


def must_have(library: str, purpose: str) -> None:
    """Say how to install an optional library that is not there."""
    if importlib.util.find_spec(library) is None:
        raise SparingError(f"To {purpose}, {library} must be there: install it with pip install 'sparing[bench]'.")


@dataclass(frozen=True)
class Case:
    """A workload: which shape, how many subscriptions."""

    shape: str
    selectivity: float
    subscriptions: int
    seed: int
    events: int

    def __str__(self) -> str:
        return f"{self.workload}, {self.subscriptions:,} subscriptions"

    @property
    def workload(self) -> str:
        """The shape and selectivity, for people."""
        return _workload(self.shape, self.selectivity)


def _workload(shape: str, selectivity: float) -> str:
    return f"{shape} ({SHAPES[shape].title}), {100 * selectivity:g}%"


# Engines.


class Engine(ABC):
    """Something that finds matching pairs."""

    title: ClassVar[str]
    library: ClassVar[str] = ""
    ways: ClassVar[tuple[str, ...]] = ("",)
    most: ClassVar[int] = MOST_EVENTS

    @abstractmethod
    def load(self, shape: Shape, subscriptions: pa.Table) -> None:
        """Take subscriptions in, in place of earlier ones."""

    @abstractmethod
    def take(self, events: pa.RecordBatch) -> None:
        """Take events in, in place of earlier ones."""

    @abstractmethod
    def match(self, way: str) -> int:
        """Find all pairs, and say how many there are. This is what is measured."""

    @property
    def nbytes(self) -> int | None:
        """Memory that the subscriptions take, if the engine says so."""
        return None

    def close(self) -> None:  # noqa: B027
        """Let go of everything."""


class SparingIndex(Engine):
    """What we measure."""

    title = "Sparing"
    most = BATCH

    def __init__(self) -> None:
        for name in ("a", "b"):  # loads the kernels, or compiles them
            shape = SHAPES[name]
            self.load(shape, shape.subscriptions(1000, COMMON))
            for events in (1, 2000):
                self.take(shape.events(events))
                self.match("")

    def load(self, shape: Shape, subscriptions: pa.Table) -> None:
        """Build the index."""
        self._index = Index(shape.fields)  # lets go of the earlier one before the next is built
        self._index = Index(shape.fields, subscriptions)

    def take(self, events: pa.RecordBatch) -> None:
        """As it is."""
        self._events = events

    def match(self, way: str) -> int:  # noqa: ARG002
        """Match a batch slice by slice."""
        return sum(len(found) for found in self._index.slices(self._events))

    @property
    def nbytes(self) -> int:
        """The size of the index."""
        return self._index.stats().bytes


class NumpyLoop(Engine):
    """A loop over the subscriptions, each compared with all events at once."""

    title = "NumPy"

    def load(self, shape: Shape, subscriptions: pa.Table) -> None:
        """Each subscription as a list of comparisons: a field's number, how to compare, and with what."""
        self._fields = list(shape.fields)
        self._symbols = pa.array([])
        compare = {"=": np.equal, ">=": np.greater_equal, "<=": np.less_equal}
        self._wanted: list[list[tuple[int, np.ufunc, float]]] = [[] for _ in range(len(subscriptions))]
        for name in subscriptions.column_names:
            field_, _, comparison = name.rpartition(" ")
            column = subscriptions[name].combine_chunks()
            if comparison == "=":
                encoded = column.dictionary_encode()
                self._symbols, column = encoded.dictionary, encoded.indices
            number, rows = self._fields.index(field_), np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
            for row, bound in zip(rows.tolist(), column.drop_null().to_pylist(), strict=True):
                self._wanted[row].append((number, compare[comparison], bound))

    def take(self, events: pa.RecordBatch) -> None:
        """One array per field; symbols as numbers."""
        self._columns = []
        for name in self._fields:
            column = events.column(name)
            if pa.types.is_string(column.type):
                column = pc.index_in(column, value_set=self._symbols).fill_null(-1)
            self._columns.append(column.to_numpy())

    def match(self, way: str) -> int:  # noqa: ARG002
        """Compare."""
        found = []
        for wanted in self._wanted:
            masks = [compare(self._columns[number], bound) for number, compare, bound in wanted]
            found.append(np.flatnonzero(reduce(and_, masks)))
        events = np.concatenate(found)
        subscriptions = np.repeat(np.arange(len(found)), [len(rows) for rows in found])
        return len(np.stack([events, subscriptions], axis=1))


def _closed(subscriptions: pa.Table) -> pa.Table:
    """Subscriptions as the other peers get them: numbered, columns like price_low, infinite bounds instead of NULL."""
    columns: dict[str, Any] = {"subscription": pa.array(np.arange(len(subscriptions), dtype=np.int32))}
    for name in subscriptions.column_names:
        field_, _, comparison = name.rpartition(" ")
        match comparison:
            case "=":
                columns[f"{field_}_is"] = subscriptions[name]
            case ">=":
                columns[f"{field_}_low"] = pc.fill_null(subscriptions[name], -np.inf)
            case _:
                columns[f"{field_}_high"] = pc.fill_null(subscriptions[name], np.inf)
    return pa.table(columns)


def _numbered(events: pa.RecordBatch) -> pa.Table:
    number = pa.array(np.arange(len(events), dtype=np.int32))
    return pa.Table.from_batches([events]).append_column("event", number)


class DuckDbJoin(Engine):
    """DuckDB's join."""

    title = "DuckDB"
    library = "duckdb"
    ways = ("join", "filter")

    def __init__(self) -> None:
        import duckdb

        self._database = duckdb.connect(config={"threads": 1})

    def load(self, shape: Shape, subscriptions: pa.Table) -> None:
        """A table."""
        self._fill("subscriptions", _closed(subscriptions))
        equal = ["symbol = symbol_is"] if "symbol" in shape.fields else []
        ranges = [f'"{name}" >= "{name}_low" AND "{name}" <= "{name}_high"' for name in shape.ranged]
        # DuckDB has no other means against its joins on ranges than a condition that is not a conjunction.
        opaque = f"CASE WHEN {' AND '.join(ranges)} THEN true ELSE false END"
        self._on = {"join": " AND ".join([*equal, *ranges]), "filter": " AND ".join([*equal, opaque])}

    def take(self, events: pa.RecordBatch) -> None:
        """A table."""
        self._fill("events", _numbered(events))

    def _fill(self, name: str, table: pa.Table) -> None:
        self._database.register("given", table)
        self._database.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM given")
        self._database.unregister("given")

    def match(self, way: str) -> int:
        """Join, and keep the pairs in a table."""
        self._database.execute(
            "CREATE OR REPLACE TEMP TABLE pairs AS "
            f"SELECT event, subscription FROM events JOIN subscriptions ON {self._on[way]}"
        )
        (count,) = self._database.execute("SELECT count(*) FROM pairs").fetchall()[0]
        return int(count)


class PolarsJoin(Engine):
    """Polars' join. Polars fixes its number of threads when it is first imported."""

    title = "Polars"
    library = "polars"
    ways = ("join_where", "filter")

    def __init__(self) -> None:
        os.environ["POLARS_MAX_THREADS"] = "1"
        import polars

        self._polars = polars

    def load(self, shape: Shape, subscriptions: pa.Table) -> None:
        """A DataFrame."""
        self._shape = shape
        self._subscriptions = self._frame(_closed(subscriptions))

    def take(self, events: pa.RecordBatch) -> None:
        """A DataFrame."""
        self._events = self._frame(_numbered(events))

    def _frame(self, table: pa.Table) -> Any:
        return self._polars.from_arrow(table).lazy()  # type: ignore[union-attr]

    def match(self, way: str) -> int:
        """Join."""
        col, shape, events, subscriptions = self._polars.col, self._shape, self._events, self._subscriptions
        equal = "symbol" in shape.fields
        if way == "join_where":
            ranges = [part for f in shape.ranged for part in (col(f) >= col(f"{f}_low"), col(f) <= col(f"{f}_high"))]
            on = [col("symbol") == col("symbol_is")] if equal else []
            joined = events.join_where(subscriptions, *on, *ranges)
        else:
            how = {"left_on": "symbol", "right_on": "symbol_is"} if equal else {"how": "cross"}
            within = [col(f).is_between(col(f"{f}_low"), col(f"{f}_high")) for f in shape.ranged]
            joined = events.join(subscriptions, **how).filter(*within)
        return int(joined.select("event", "subscription").collect(engine="streaming").height)


class SparkJoin(Engine):
    """Spark SQL's join."""

    title = "Spark SQL"

    def __init__(self, spark: SparkSession | None = None) -> None:
        from sparing.spark.session import session

        settings = {"spark.driver.memory": "4g", "spark.driver.maxResultSize": "0"}  # to broadcast a million rows
        self._spark = spark or session("local[1]", "sparing bench", settings)
        self._frames: dict[str, Any] = {}

    def load(self, shape: Shape, subscriptions: pa.Table) -> None:
        """A cached DataFrame."""
        from pyspark.sql import functions as F

        self._cache("subscriptions", _closed(subscriptions))
        parts = [F.col("symbol") == F.col("symbol_is")] if "symbol" in shape.fields else []
        parts += [F.col(name).between(F.col(f"{name}_low"), F.col(f"{name}_high")) for name in shape.ranged]
        self._on = reduce(and_, parts)

    def take(self, events: pa.RecordBatch) -> None:
        """A cached DataFrame."""
        self._cache("events", _numbered(events))

    def _cache(self, name: str, table: pa.Table) -> None:
        if name in self._frames:
            self._frames[name].unpersist()
        self._frames[name] = self._spark.createDataFrame(table).coalesce(1).cache()
        self._frames[name].count()

    def match(self, way: str) -> int:  # noqa: ARG002
        """Join, and count what passes by on its way to nowhere."""
        from pyspark.sql import Observation
        from pyspark.sql import functions as F

        seen = Observation()
        joined = self._frames["events"].join(F.broadcast(self._frames["subscriptions"]), self._on)
        pairs = joined.select("event", "subscription").observe(seen, F.count(F.lit(1)).alias("pairs"))
        pairs.write.format("noop").mode("overwrite").save()
        return int(seen.get["pairs"])

    def close(self) -> None:
        """Stop Spark."""
        self._spark.stop()


ENGINES: dict[str, type[Engine]] = {
    "sparing": SparingIndex,
    "numpy": NumpyLoop,
    "duckdb": DuckDbJoin,
    "polars": PolarsJoin,
    "spark": SparkJoin,
}


# Processes that engines run in.


@dataclass(frozen=True)
class Loaded:
    """What taking subscriptions in took."""

    seconds: float
    bytes: int | None


@dataclass(frozen=True)
class Run:
    """What one pass over the events took, on average over several, and what it found."""

    seconds: float
    pairs: int


class Worker:
    """An engine at work on one case after the other."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._drawn: tuple[Any, ...] = ()
        self._taken = 0

    def load(self, case: Case) -> Loaded:
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

    def run(self, events: int, way: str, at_least: float) -> Run:
        """Match the first events, again and again for at least so many seconds."""
        if self._taken != events:
            self._engine.take(self._events.slice(0, events))
            self._taken = events
        passes = 0
        begun = time.perf_counter()
        while passes == 0 or time.perf_counter() - begun < at_least:
            pairs = self._engine.match(way)
            passes += 1
        return Run((time.perf_counter() - begun) / passes, pairs)


class Skipped(Exception):  # noqa: N818
    """An engine cannot do a case; the message says why."""


class Process:
    """A worker in a process of its own, which is ended when it takes too long and started again when needed."""

    def __init__(self, name: str, tell: Told) -> None:
        self.engine = ENGINES[name]
        self.starting: float | None = None  # seconds that the first start took
        self._name, self._tell = name, tell
        self._process: Any = None
        self._pipe: Connection
        self._case: Case | None = None

    def load(self, case: Case) -> Loaded:
        """Take in the subscriptions of a case."""
        self._case = case
        if self._process is None:
            self._start()
        loaded: Loaded = self._ask(STARTING, f"taking {case.subscriptions:,} subscriptions in", "load", case)
        return loaded

    def run(self, events: int, way: str, at_least: float, patience: float) -> Run:
        """Match the first events for at least so many seconds, but with no more patience than this."""
        if self._process is None:
            assert self._case is not None
            self.load(self._case)
        done: Run = self._ask(at_least + patience, f"matching {_counted(events)}", "run", events, way, at_least)
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
    """What a worker's process does."""
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


# Measuring.


@dataclass
class Figure:
    """One engine on one workload: events per second of every repetition, or why there are none."""

    shape: str
    selectivity: float
    subscriptions: int
    engine: str
    skipped: str = ""
    way: str = ""  # the quicker one, if there are several
    events: int = 0  # in a batch
    pairs: int = 0  # of that batch
    rates: list[float] = field(default_factory=list)
    load_seconds: float = 0.0  # to take the subscriptions in; for Sparing, to build the index
    bytes: int | None = None  # of the index

    @property
    def workload(self) -> tuple[str, float]:
        """The shape and the selectivity."""
        return self.shape, self.selectivity

    @property
    def rate(self) -> float:
        """Events per second."""
        return median(self.rates)

    @property
    def pairs_rate(self) -> float:
        """Matching pairs per second."""
        return self.rate * self.pairs / self.events


def match(settings: Settings, tell: Told = lambda _: None) -> Figures:
    """Measure all engines in turn on every workload."""
    settings.check()
    processes = {name: Process(name, tell) for name in settings.engines}
    figures: list[Figure] = []
    try:
        for case in _cases(settings):
            figures += _measure(case, processes, settings, figures, tell)
    finally:
        for process in processes.values():
            process.close()
    starting = {name: process.starting for name, process in processes.items() if process.starting is not None}
    return Figures(settings, figures, starting, _versions())


def _cases(settings: Settings) -> Iterator[Case]:
    for name in settings.shapes:
        for selectivity in SHAPES[name].selectivities:
            for count in sorted(settings.subscriptions):
                yield Case(name, selectivity, count, settings.seed, settings.events)


def _versions() -> dict[str, str]:
    installed = {}
    for name in ("numpy", "numba", "duckdb", "polars", "pyspark"):
        with suppress(importlib.metadata.PackageNotFoundError):
            installed[name] = importlib.metadata.version(name)
    return installed


def _measure(
    case: Case, processes: dict[str, Process], settings: Settings, earlier: Sequence[Figure], tell: Told
) -> list[Figure]:
    """All engines on one workload."""
    figures = []
    for name, process in processes.items():
        figure = Figure(case.shape, case.selectivity, case.subscriptions, name)
        figure.skipped = next((f.skipped for f in earlier if (f.workload, f.engine) == (figure.workload, name)), "")
        figures.append(figure)
        _attempt(figure, tell, lambda f=figure, p=process: _prepare(f, p, case, settings.seconds))  # type: ignore[misc]
    for _ in range(settings.repeat):
        for figure in figures:
            _attempt(figure, tell, lambda f=figure: _repeat(f, processes, case, settings.seconds, tell))  # type: ignore[misc]
    return figures


def _attempt(figure: Figure, tell: Told, work: Callable[[], None]) -> None:
    """Do something that a peer may turn out to be too slow for."""
    if figure.skipped:
        return
    try:
        work()
    except Skipped as reason:
        if figure.engine == "sparing":
            raise SparingError(f"Sparing cannot be measured: {reason}.") from None
        figure.skipped = f"{reason} with {figure.subscriptions:,} subscriptions"
        tell(f"{_workload(*figure.workload)}, {ENGINES[figure.engine].title}: skipped: {figure.skipped}")


def _prepare(figure: Figure, process: Process, case: Case, seconds: float) -> None:
    """Take the subscriptions in, and find the quickest way and how many events it matches in the time."""
    loaded = process.load(case)
    figure.load_seconds, figure.bytes = loaded.seconds, loaded.bytes
    best, reason = 0.0, None
    for way in process.engine.ways:
        try:
            events, rate = _estimate(process, way, min(process.engine.most, case.events), seconds)
        except Skipped as too_slow:
            reason = too_slow
            continue
        if rate > best:
            figure.way, figure.events, best = way, events, rate
    if not figure.events:
        assert reason is not None
        raise reason


def _estimate(process: Process, way: str, most: int, seconds: float) -> tuple[int, float]:
    """How many events to match in about so many seconds, and how many each second, from ever larger batches.

    What a batch costs however small it is does not count, so that a query's overhead never makes up most of the time.
    """

    def run(events: int) -> float:
        return process.run(events, way, 0.0, _patience(process, seconds)).seconds

    events = min(LEAST_EVENTS, most)
    run(events)  # the first time may be extraordinary
    overhead = run(1)
    taken = run(events)
    while events < most and taken - overhead < seconds / 2:
        growth = seconds / max(taken - overhead, seconds / GROWTH)
        events = min(most, int(events * growth))
        taken = run(events)
    return events, events / taken


def _patience(process: Process, seconds: float) -> float:
    """How long to wait for a measurement: for a peer until it is known to be slow, for Sparing to the end."""
    return STARTING if process.engine is SparingIndex else max(PATIENCE * seconds, LEAST_PATIENCE)


def _repeat(figure: Figure, processes: dict[str, Process], case: Case, seconds: float, tell: Told) -> None:
    """One measurement; the first one of a peer is also held against Sparing's pairs."""
    process = processes[figure.engine]
    done = process.run(figure.events, figure.way, seconds / 4, _patience(process, seconds))
    if figure.engine != "sparing" and not figure.rates:
        ours = processes["sparing"].run(figure.events, "", 0.0, STARTING)
        if ours.pairs != done.pairs:
            raise SparingError(
                f"Sparing and {process.engine.title} disagree on {case}: of {figure.events:,} events Sparing finds "
                f"{ours.pairs:,} pairs, {process.engine.title} {done.pairs:,}."
            )
    figure.pairs = done.pairs
    figure.rates.append(figure.events / done.seconds)
    tell(f"{case}, {process.engine.title}: {figure.rates[-1]:,.0f} events/s")


# Small batches, and subscriptions that come and go.


@dataclass(frozen=True)
class Timing:
    """How long something took, in seconds: median, 99th percentile and worst of so many times."""

    shape: str
    selectivity: float
    subscriptions: int
    what: str
    times: int
    median: float
    high: float
    worst: float

    @classmethod
    def of(cls, case: Case, what: str, seconds: Sequence[float]) -> Timing:
        """From what was measured."""
        middle, high, worst = np.percentile(seconds, [50, 99, 100]).tolist()
        return cls(case.shape, case.selectivity, case.subscriptions, what, len(seconds), middle, high, worst)


BATCHES = (1, 10, 100, 1000)
NEWCOMERS = 1000
MOST_TIMES = 1000


def small(settings: Settings, tell: Told = lambda _: None) -> list[Timing]:
    """Latencies of the index with the most subscriptions asked for: small batches, inserts, removes."""
    settings.check()
    SparingIndex()  # loads the kernels
    found: list[Timing] = []
    most = max(settings.subscriptions)
    for case in _cases(settings):
        if case.subscriptions == most:
            tell(f"{case}: small batches, inserts and removes")
            found += _small(case, settings)
    return found


def _small(case: Case, settings: Settings) -> list[Timing]:
    shape = SHAPES[case.shape]
    index = Index(shape.fields, shape.subscriptions(case.subscriptions, case.selectivity, case.seed))
    events = shape.events(MOST_TIMES + max(BATCHES), case.seed)
    found = []

    def note(what: str, seconds: Sequence[float]) -> None:
        found.append(Timing.of(case, what, seconds))

    def match_at(start: int, count: int) -> None:
        for _ in index.slices(events.slice(start, count)):
            pass

    note("first event of all", [_timed(match_at, 0, 1)])
    for count in BATCHES:
        until = time.perf_counter() + settings.seconds
        seconds: list[float] = []
        while len(seconds) < MOST_TIMES and (len(seconds) < settings.repeat or time.perf_counter() < until):
            seconds.append(_timed(match_at, len(seconds), count))
        note(f"match {_counted(count)}", seconds)

    taken, next_id = list(range(case.subscriptions)), case.subscriptions
    firsts, inserts, parsed, removes = [], [], [], []
    rng = np.random.default_rng(case.seed)
    for turn in range(settings.repeat):
        newcomers = shape.subscriptions(NEWCOMERS, case.selectivity, case.seed + 1 + turn)
        for number, where in enumerate(_conditions(newcomers)):
            if number % 2:
                inserts.append(_timed(index.insert, next_id, where))
            else:
                parsed.append(_timed(index.insert, next_id, parse_filter(where, index.fields)))
            taken.append(next_id)
            next_id += 1
        firsts.append(_timed(match_at, turn, 1))
        for at in rng.choice(len(taken), min(NEWCOMERS, len(taken) - 1), replace=False).tolist():
            removes.append(_timed(index.remove, taken[at]))
            taken[at] = -1
        taken = [id_ for id_ in taken if id_ >= 0]
    note("insert a condition", inserts)
    note("insert, parsed before", parsed)
    note("remove", removes)
    note(f"first event after {NEWCOMERS:,} inserts", firsts)
    return found


def _timed(work: Callable[..., object], *arguments: Any) -> float:
    begun = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - begun


def _conditions(subscriptions: pa.Table) -> list[str]:
    """Subscriptions as SQL."""
    return [
        " AND ".join(f"{name} {bound!r}" for name, bound in row.items() if bound is not None)
        for row in subscriptions.to_pylist()
    ]


# Figures.


@dataclass(frozen=True)
class Target:
    """A goal, and what was measured, if it was."""

    what: str
    goal: int
    found: float | None

    @property
    def verdict(self) -> str:
        """Met, missed or not measured."""
        if self.found is None:
            return "not measured"
        return "met" if self.found >= self.goal else "missed"


@dataclass(frozen=True)
class Figures:
    """All figures of a run."""

    settings: Settings
    figures: list[Figure]
    starting: dict[str, float]  # seconds that engines took to start and warm up; for Sparing, to load its kernels
    versions: dict[str, str]
    small: list[Timing] = field(default_factory=list)

    def json(self) -> dict[str, Any]:
        """For programs."""
        found = asdict(self)
        for row, figure in zip(found["figures"], self.figures, strict=True):
            row["ratio"] = self.ratio(figure)
        found["targets"] = [asdict(target) | {"verdict": target.verdict} for target in self.targets()]
        return found

    @classmethod
    def read(cls, found: dict[str, Any]) -> Figures:
        """From what `json` gave, to print or plot it again."""
        settings: dict[str, Any] = {}
        for name, value in found["settings"].items():
            settings[name] = tuple(value) if isinstance(value, list) else value
        figures = [Figure(**{name: v for name, v in row.items() if name != "ratio"}) for row in found["figures"]]
        small_ = [Timing(**row) for row in found["small"]]
        return cls(Settings(**settings), figures, found["starting"], found["versions"], small_)

    def ratio(self, figure: Figure) -> float | None:
        """How many times as fast as an engine Sparing is."""
        ours = self._find(*figure.workload, figure.subscriptions, "sparing")
        return ours.rate / figure.rate if ours is not None and figure.rates else None

    def _find(self, shape: str, selectivity: float, subscriptions: int, engine: str) -> Figure | None:
        wanted = (shape, selectivity, subscriptions, engine)
        return next((f for f in self.figures if (*f.workload, f.subscriptions, f.engine) == wanted), None)

    def targets(self) -> list[Target]:
        """The goals for what was asked for."""
        asked = self.settings
        found = []
        for (shape, selectivity), goal in RATES.items():
            if shape in asked.shapes and MILLION in asked.subscriptions:
                ours = self._find(shape, selectivity, MILLION, "sparing")
                what = f"{_workload(shape, selectivity)}: events/s at {MILLION:,} subscriptions"
                found.append(Target(what, goal, ours.rate if ours is not None and ours.rates else None))
        for shape, selectivity in RATES:
            for engine, goal in RATIOS.items():
                if shape in asked.shapes and TEN_THOUSAND in asked.subscriptions and engine in asked.engines:
                    peer = self._find(shape, selectivity, TEN_THOUSAND, engine)
                    title = ENGINES[engine].title
                    what = f"{_workload(shape, selectivity)}: times {title} at {TEN_THOUSAND:,} subscriptions"
                    found.append(Target(what, goal, None if peer is None else self.ratio(peer)))
        return found

    def table(self) -> Table:
        """For people: events per second of all engines."""
        of = self.settings
        title = f"Events per second, and how many times as fast Sparing is; one core, median of {of.repeat}"
        return _rich(title, *self._events(), caption="\n".join(self._skipped()))

    def index_table(self) -> Table:
        """For people: more about Sparing's index."""
        return _rich("Sparing's index", *self._index())

    def targets_table(self) -> Table:
        """For people: the goals."""
        return _rich("Goals", *self._targets())

    def small_table(self) -> Table:
        """For people: small batches, inserts and removes."""
        return _rich("Milliseconds for small batches, inserts and removes", *self._small())

    def markdown(self) -> str:
        """For documentation."""
        parts = [_markdown(*self._events()), *self._skipped(), _markdown(*self._index())]
        if self.small:
            parts.append(_markdown(*self._small()))
        if self.targets():
            parts.append(_markdown(*self._targets()))
        return "\n\n".join(parts) + "\n"

    def _events(self) -> tuple[list[str], list[list[str]]]:
        names = self.settings.engines
        rows = []
        for ours in self._ours():
            row = [_workload(*ours.workload), f"{ours.subscriptions:,}"]
            for name in names:
                figure = self._find(*ours.workload, ours.subscriptions, name)
                row.append("" if figure is None else self._cell(figure))
            rows.append(row)
        return ["workload", "subscriptions", *[ENGINES[name].title for name in names]], rows

    def _cell(self, figure: Figure) -> str:
        if figure.skipped:
            return "skipped"
        return f"{figure.rate:,.0f}" + ("" if figure.engine == "sparing" else f" ({_times(self.ratio(figure))})")

    def _skipped(self) -> list[str]:
        """Which engines were skipped, and why."""
        found: dict[tuple[str, str], list[str]] = {}
        for figure in self.figures:
            if figure.skipped:
                workloads = found.setdefault((ENGINES[figure.engine].title, figure.skipped), [])
                if _workload(*figure.workload) not in workloads:
                    workloads.append(_workload(*figure.workload))
        return [f"{title} was skipped: {why}: {'; '.join(on)}." for (title, why), on in found.items()]

    def _index(self) -> tuple[list[str], list[list[str]]]:
        names = [
            "workload",
            "subscriptions",
            "seconds to build",
            "bytes per subscription",
            "pairs per event",
            "pairs/s",
        ]
        rows = [
            [
                _workload(*f.workload), f"{f.subscriptions:,}", f"{f.load_seconds:.3f}",
                f"{(f.bytes or 0) / f.subscriptions:,.0f}", f"{f.pairs / f.events:,.2f}", f"{f.pairs_rate:,.0f}",
            ]
            for f in self._ours()
        ]  # fmt: skip
        return names, rows

    def _targets(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [t.what, f"{t.goal:,}", "" if t.found is None else f"{t.found:,.1f}", t.verdict] for t in self.targets()
        ]
        return ["what", "goal", "found", "verdict"], rows

    def _small(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [
                _workload(t.shape, t.selectivity), f"{t.subscriptions:,}", t.what,
                *[f"{1000 * seconds:,.3f}" for seconds in (t.median, t.high, t.worst)], f"{t.times:,}",
            ]
            for t in self.small
        ]  # fmt: skip
        return ["workload", "subscriptions", "what", "median", "99%", "worst", "times"], rows

    def _ours(self) -> list[Figure]:
        return [figure for figure in self.figures if figure.engine == "sparing"]

    def plot(self, path: Path) -> None:
        """Events per second over the number of subscriptions: a panel for each workload, a line for each engine."""
        must_have("matplotlib", "plot the figures")
        from matplotlib import rc_context
        from matplotlib.figure import Figure as Picture
        from matplotlib.ticker import FuncFormatter

        shapes = list(dict.fromkeys(f.shape for f in self.figures))
        selectivities = sorted({f.selectivity for f in self.figures}, reverse=True)
        picture = Picture(figsize=(max(3.1 * len(shapes), 5.5), 2.7 * len(selectivities) + 0.9), layout="constrained")
        panels = picture.subplots(len(selectivities), len(shapes), sharex=True, sharey=True, squeeze=False)
        for row, selectivity in enumerate(selectivities):
            for column, shape in enumerate(shapes):
                panel = panels[row][column]
                if selectivity not in SHAPES[shape].selectivities:
                    panel.set_visible(False)
                    panels[row - 1][column].tick_params(labelbottom=True)
                    continue
                for name in self.settings.engines:
                    mine = [
                        f for f in self.figures if (f.workload, f.engine) == ((shape, selectivity), name) and f.rates
                    ]
                    colour, marker = LOOKS[name]
                    panel.loglog(
                        [f.subscriptions for f in mine], [f.rate for f in mine], color=colour, marker=marker,
                        markersize=5, linewidth=2.4 if name == "sparing" else 1.4, label=ENGINES[name].title,
                    )  # fmt: skip
                panel.set_title(_workload(shape, selectivity), fontsize=10)
                panel.grid(visible=True, which="major", color="0.9", linewidth=0.8)
                panel.xaxis.set_major_formatter(FuncFormatter(_short))
                panel.yaxis.set_major_formatter(FuncFormatter(_short))
                panel.minorticks_off()
                panel.spines[["top", "right"]].set_visible(False)
        picture.supxlabel("subscriptions", fontsize=10)
        picture.supylabel("events per second", fontsize=10)
        lines, labels = panels[0][0].get_legend_handles_labels()
        picture.legend(lines, labels, loc="outside upper center", ncols=len(labels), frameon=False, fontsize=10)
        try:
            with rc_context({"svg.fonttype": "none", "svg.hashsalt": "match"}):
                picture.savefig(path, dpi=150)
        except (OSError, ValueError) as error:
            raise SparingError(f"{path} cannot be plotted to: {error}.") from None


LOOKS = {  # colours that most people can tell apart, and markers for the others
    "sparing": ("#0072B2", "o"),
    "numpy": ("#E69F00", "s"),
    "duckdb": ("#009E73", "^"),
    "polars": ("#D55E00", "D"),
    "spark": ("#CC79A7", "v"),
}


def _short(number: float, _: object = None) -> str:
    """An axis label.

    >>> [_short(number) for number in (0.1, 10, 1000, 1e6)]
    ['0.1', '10', '1k', '1M']
    """
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:g}{unit}"
    return f"{number:g}"


def _counted(events: int) -> str:
    return "1 event" if events == 1 else f"{events:,} events"


def _times(ratio: float | None) -> str:
    """How many times.

    >>> _times(3.14159), _times(1234.5)
    ('3.1x', '1,234x')
    """
    assert ratio is not None
    return f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.1f}x"


def _rich(title: str, names: list[str], rows: list[list[str]], caption: str = "") -> Table:
    table = Table(
        box=box.SIMPLE_HEAD,
        title=title,
        title_justify="left",
        title_style="bold",
        caption=caption,
        caption_justify="left",
    )
    for name in names:
        table.add_column(name, justify="left" if name in LEFT else "right")
    for row in rows:
        table.add_row(*row)
    return table


LEFT = ("workload", "what", "verdict")


def _markdown(names: list[str], rows: list[list[str]]) -> str:
    rule = ["---" if name in LEFT else "---:" for name in names]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [names, rule, *rows])
