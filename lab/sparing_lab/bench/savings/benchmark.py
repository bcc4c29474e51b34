"""The benchmark of techniques: options, records, tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sparing.model.errors import SparingError
from sparing.report.amounts import change
from sparing_lab.bench.benchmark import (
    Benchmark,
    Results,
    Run,
    Show,
    Table,
    count,
    each,
    option,
    spark_conf,
    spark_master,
    text,
)
from sparing_lab.bench.savings.cases import CASES

NOTHING = "no part"  # a technique that cannot make a difference to a workload


@dataclass(frozen=True)
class Saved:
    """Messages of all kinds on links: with all techniques, with none; with each one alone, and without it."""

    name: str
    about: str
    command: str
    publications: int
    subscriptions: int
    ours: int
    naive: int
    techniques: dict[str, tuple[int, int]]


@dataclass(frozen=True)
class Savings(Benchmark):
    """What each technique saves: workloads with all of them, with all but one, with one alone, and with none.

    Example: sparing bench savings --workloads city,alerts --json savings.json
    """

    workloads: tuple[str, ...] = option(tuple(CASES), "Workloads to try.", metavar="W,...")
    master: str = spark_master()
    conf: tuple[str, ...] = spark_conf()

    parts: ClassVar = {"cases": list[Saved]}

    def __post_init__(self) -> None:
        for name in self.workloads:
            if name not in CASES:
                raise SparingError(
                    f"There is no workload {name!r} to leave techniques out of: it is {', '.join(CASES)}."
                )

    def measure(self, run: Run) -> Results:
        """Run every workload with some of the techniques."""
        from sparing_lab.bench.savings.measure import savings

        with run.spark() as spark:
            return {"cases": savings(spark, {name: CASES[name] for name in self.workloads}, run.tell)}

    def tables(self, results: Results) -> list[Table]:
        """Techniques left out, techniques alone, and what the workloads are."""
        cases: list[Saved] = results["cases"]
        workloads: dict[str, Show] = {
            "workload": text("name"),
            "what it is": text("about"),
            "publications": count("publications"),
            "subscriptions": count("subscriptions"),
            "command": lambda case: f"`{case.command}`",
        }
        return [
            left_out(cases),
            alone(cases),
            Table("Workloads", cases, workloads, ("workload", "what it is", "command")),
        ]


def left_out(cases: Sequence[Saved]) -> Table:
    """By technique and case: how many more messages there are without it."""
    title = "Messages if one technique is left out, against all of them"
    ours, naive = [case.ours for case in cases], [case.naive for case in cases]
    first = ["messages with all of them", *(f"{messages:,}" for messages in ours)]
    last = ["without any", *map(change, naive, ours)]
    return _table(title, cases, [first, *_techniques(cases, 1, ours, "without "), last])


def alone(cases: Sequence[Saved]) -> Table:
    """By technique and case: how many fewer messages there are with nothing else."""
    title = "Messages with one technique alone, against none"
    ours, naive = [case.ours for case in cases], [case.naive for case in cases]
    first = ["messages with none of them", *(f"{messages:,}" for messages in naive)]
    last = ["all together", *map(change, ours, naive)]
    return _table(title, cases, [first, *_techniques(cases, 0, naive, "only "), last])


def _table(title: str, cases: Sequence[Saved], rows: Sequence[Sequence[str]]) -> Table:
    names = ["", *(case.name for case in cases)]
    return Table(title, rows, each(names, lambda row, name: row[names.index(name)]), ("",))


def _techniques(cases: Sequence[Saved], which: int, against: Sequence[int], word: str) -> list[list[str]]:
    techniques = list(dict.fromkeys(name for case in cases for name in case.techniques))
    return [
        [
            f"{word}{name}",
            *(
                change(case.techniques[name][which], base) if name in case.techniques else NOTHING
                for case, base in zip(cases, against, strict=True)
            ),
        ]
        for name in techniques
    ]
