"""Run workloads with all techniques, with none, with one, and with all but one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

from sparing.deployment.deployment import Deployment
from sparing.deployment.techniques import OURS, Saving, all_of
from sparing.model.bill import Bill
from sparing.spark.tools.compare import Comparison
from sparing.workloads.files import write
from sparing_lab.bench.savings.benchmark import Saved
from sparing_lab.bench.savings.cases import SavingsCase


def savings(spark: SparkSession, cases: Mapping[str, SavingsCase], tell: Callable[[str], None]) -> list[Saved]:
    """What each technique saves in every case."""
    return [_measured(spark, name, case, tell) for name, case in cases.items()]


def _measured(spark: SparkSession, name: str, case: SavingsCase, tell: Callable[[str], None]) -> Saved:
    @contextmanager
    def step(what: str) -> Iterator[None]:
        tell(f"{name}: {what}")
        yield

    with TemporaryDirectory(prefix="sparing-") as folder:
        written = write(case.made(), Path(folder) / name.replace(" ", "-"))
        deployment = Deployment.read(written.deployment)
        deployment = replace(deployment, policy=all_of(deployment.policy))
        comparison = Comparison(spark, deployment, step)
        ours = comparison.bill(deployment.policy, OURS)
        naive, found = comparison.savings()
    return Saved(
        name,
        case.about,
        case.command(name.replace(" ", "-")),
        written.publications,
        written.subscriptions,
        _messages(ours),
        _messages(naive),
        {saving.technique.name: _both(saving) for saving in found},
    )


def _both(saving: Saving) -> tuple[int, int]:
    assert saving.alone is not None, "all techniques are used"
    assert saving.without is not None
    return _messages(saving.alone), _messages(saving.without)


def _messages(bill: Bill) -> int:
    return bill.over_links().total()
