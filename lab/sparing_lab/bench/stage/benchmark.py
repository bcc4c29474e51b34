"""The benchmark of the pipeline's Python side: options, records, tables, and the figures of an earlier walk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sparing.model.counted import counted
from sparing.model.errors import SparingError
from sparing_lab.bench.benchmark import (
    Benchmark,
    Results,
    Run,
    Show,
    Table,
    count,
    digits,
    each,
    option,
    repetitions,
    text,
    times,
)

ADMISSION, INDEX, ROUTING = "admission", "index", "routing and bill"
PAYLOADS, EVENTS, HELD = "payloads of events", "parcels of events", "parcels of held publications"
UNPACKING, NWRS, ARRAYS = "unpack, concatenate, sort", "NWRs", "arrays of the walk"
DECIDING, WINDOWS = "decisions and movement", "payloads of windows"
MATCH, WALK, TOTAL = "match", "walk", "total"
MATCH_REST, WALK_REST = "match: everything else", "walk: everything else"

MATCH_STEPS = (ADMISSION, INDEX, ROUTING, PAYLOADS, EVENTS, HELD, MATCH_REST)
WALK_STEPS = (UNPACKING, NWRS, ARRAYS, DECIDING, WINDOWS, WALK_REST)
ROWS = (*MATCH_STEPS, MATCH, *WALK_STEPS, WALK, TOTAL)


@dataclass(frozen=True)
class Reference:
    """CPU seconds of some steps together (or of all, TOTAL), by number of subscriptions."""

    steps: tuple[str, ...]
    seconds: Mapping[int, float]

    def __str__(self) -> str:
        return " + ".join(self.steps)


REFERENCE_PUBLICATIONS = 200_000
REFERENCE = (  # the walk with edges, measured on another machine, CPU seconds
    Reference((ADMISSION,), {500: 0.148, 5_000: 0.168}),
    Reference((INDEX,), {500: 0.074, 5_000: 0.206}),
    Reference((ROUTING,), {500: 0.066, 5_000: 0.297}),
    Reference((PAYLOADS, EVENTS), {500: 0.190, 5_000: 0.296}),
    Reference((HELD, UNPACKING), {500: 0.661, 5_000: 1.041}),
    Reference((NWRS, ARRAYS), {500: 0.211, 5_000: 1.638}),
    Reference((DECIDING,), {500: 0.156, 5_000: 0.675}),
    Reference((WINDOWS,), {500: 0.089, 5_000: 0.336}),
    Reference((TOTAL,), {500: 1.45, 5_000: 4.59}),
)


@dataclass(frozen=True)
class StageCase:
    """A workload; a thin one has subscriptions so narrow that a publication matches about one of them."""

    subscriptions: int
    thin: bool

    def __str__(self) -> str:
        return f"{counted(self.subscriptions, 'subscription')}{', thin' if self.thin else ''}"


@dataclass(frozen=True)
class StageTime(StageCase):
    """CPU seconds of each step, and of the two stages; matches per publication; state in the middle of the trace.

    `held` is the number of publications that the stream's state holds, `state` its size in bytes.
    """

    matches: float
    seconds: dict[str, float]
    match: float
    walk: float
    held: int
    state: int

    @property
    def total(self) -> float:
        """CPU seconds of both stages."""
        return self.match + self.walk

    @property
    def state_bytes(self) -> float | None:
        """State bytes per held publication."""
        return self.state / self.held if self.held else None

    def row(self, name: str) -> float:
        """Return the seconds of a step, a stage or all."""
        return {**self.seconds, MATCH: self.match, WALK: self.walk, TOTAL: self.total}[name]


@dataclass(frozen=True)
class BesideReference:
    """CPU seconds of some steps together, and those of the reference."""

    steps: str
    subscriptions: int
    seconds: float
    reference: float


@dataclass(frozen=True)
class Stage(Benchmark):
    """CPU time of the Python side of the pipeline by step, in one process, without Spark jobs.

    The same code runs in Spark's Python workers. The state of a stream is measured in the middle of the trace.

    Example: sparing bench stage --subscriptions 500,5000 --thin 50000 --repeat 5
    """

    subscriptions: tuple[int, ...] = option((500, 5_000), "Numbers of subscriptions that match 2% each.")
    thin: tuple[int, ...] = option((), "Numbers of subscriptions with about one match per publication.")
    publications: int = option(REFERENCE_PUBLICATIONS, "Publications in the trace.", min=1)
    repeat: int = repetitions()

    parts: ClassVar = {"cases": list[StageTime], "reference": list[BesideReference]}

    def __post_init__(self) -> None:
        if min((*self.subscriptions, *self.thin, self.publications, self.repeat)) < 1:
            raise SparingError("Numbers of subscriptions, publications and repetitions must be above zero.")

    def cases(self) -> list[StageCase]:
        """Return the workloads, thin ones last."""
        return [StageCase(n, thin) for thin in (False, True) for n in sorted(self.thin if thin else self.subscriptions)]

    def measure(self, run: Run) -> Results:
        """Measure all steps of both stages, and the size of a stream's state."""
        from sparing_lab.bench.stage.measure import measure

        cases = measure(self, run)
        return {"cases": cases, "reference": beside_reference(cases, self.publications)}

    def tables(self, results: Results) -> list[Table]:
        """Steps, steps beside the reference, and the state."""
        steps: dict[str, Show] = {"step": str}
        steps |= each(results["cases"], lambda row, case: digits(case.row(row)))
        reference: dict[str, Show] = {
            "steps": text("steps"),
            "subscriptions": count("subscriptions"),
            "CPU s": lambda f: digits(f.seconds),
            "reference": lambda f: digits(f.reference),
            "reference / CPU s": lambda f: times(f.reference / f.seconds) if f.seconds else "-",
        }
        state: dict[str, Show] = {
            "workload": str,
            "matches per publication": lambda f: digits(f.matches),
            "held publications": count("held"),
            "state bytes": count("state"),
            "bytes per held publication": lambda f: digits(f.state_bytes),
        }
        trace = counted(self.publications, "publication")
        source = "Reference: the walk with edges, measured on another machine, CPU s."
        return [
            Table(f"CPU seconds for {trace}", ROWS, steps, ("step",)),
            Table("Beside the reference", results["reference"], reference, ("steps",), source),
            Table("State of a stream in the middle of the trace", results["cases"], state, ("workload",)),
        ]


def beside_reference(cases: list[StageTime], publications: int) -> list[BesideReference]:
    """Return the cases that the reference has, group of steps by group of steps."""
    return [
        BesideReference(str(group), case.subscriptions, sum(case.row(step) for step in group.steps), found)
        for group in REFERENCE
        for case in cases
        if publications == REFERENCE_PUBLICATIONS and not case.thin and (found := group.seconds.get(case.subscriptions))
    ]
