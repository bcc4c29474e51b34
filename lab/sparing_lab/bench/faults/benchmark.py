"""The fault matrix: options and the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sparing.model.errors import SparingError
from sparing_lab.bench.benchmark import Benchmark, Results, Run, Show, Table, option, spark_conf, spark_master
from sparing_lab.bench.faults.outcome import Outcome


@dataclass(frozen=True)
class Faults(Benchmark):
    """The fault matrix: kills, damaged files, bad disks and hostile rows, and whether the results are the same.

    Example: sparing bench faults --master local[2]

    Example: sparing bench faults --kills 100 --damages 40 --markdown faults.md
    """

    kills: int = option(5, "How many kills there are.", min=0)
    damages: int = option(10, "How many files are damaged, one at a time.", min=0, max=40)
    disks: bool = option(True, "Also full and read-only disks.")
    rows: bool = option(True, "Also hostile rows.")
    seed: int = option(0, "The same seed does the same faults.")
    master: str = spark_master()
    conf: tuple[str, ...] = spark_conf()

    parts: ClassVar = {"outcomes": list[Outcome]}

    def measure(self, run: Run) -> Results:
        """All faults, one after the other."""
        from sparing_lab.bench.faults.measure import measure

        return {"outcomes": measure(self, run)}

    def tables(self, results: Results) -> list[Table]:
        """A row for each kind of fault and promise, with all places and moments that were tried."""
        groups: dict[tuple[str, str], list[Outcome]] = {}
        for outcome in results["outcomes"]:
            groups.setdefault((outcome.fault, outcome.promised), []).append(outcome)
        columns: dict[str, Show] = {
            "fault": lambda group: group[0].fault,
            "where or when": lambda group: "; ".join(sorted({each.where for each in group})),
            "promised": lambda group: group[0].promised,
            "tried": lambda group: str(sum(each.tried for each in group)),
            "happened": _happened,
        }
        words = [name for name in columns if name != "tried"]
        return [Table("Faults, promises and what happened", list(groups.values()), columns, words)]

    def conclude(self, results: Results) -> None:
        """Fail if a promise was broken."""
        if not all(outcome.kept for outcome in results["outcomes"]):
            raise SparingError("Not all promises were kept: see NOT KEPT in the table.")


def _happened(group: Sequence[Outcome]) -> str:
    """What happened to all outcomes of a kind, with their number where it differs."""
    said = Counter(("" if each.kept else "NOT KEPT: ") + (each.happened or "as promised") for each in group)
    return "; ".join(text if len(said) == 1 else f"{text} ({count})" for text, count in said.items())
