"""Explanation of the recipients of a publication, found in a recorded trace with Spark."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparing.deployment.deployment import Deployment
from sparing.flow.admit.admission import Rejected
from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.pairs import Pairs
from sparing.flow.interests import Interests
from sparing.flow.rank.explain import Choice, Verdict, choice_of, verdict
from sparing.flow.warm import warm_up
from sparing.model.errors import SparingError
from sparing.spark.io import sources
from sparing.spark.pipeline.admit_stage import admit
from sparing.spark.pipeline.match_stage import admitted, tables
from sparing.spark.pipeline.pubsub import PubSub
from sparing.spark.pipeline.worker_plan import ShippedPlan, WorkerPlan, ship
from sparing.spark.tools.explain import number_of, one_row

NEAREST = 20  # ids, of which the most similar one is suggested


@dataclass(frozen=True)
class ChoiceExplanation:
    """The recipients of a publication, and the reason for one subscription, if given.

    `others` is the number of further publications with the same id; this is the first one.
    """

    choice: Choice
    verdict: Verdict | None
    others: int


def explain_choice(
    spark: SparkSession, deployment: Deployment, publication: str, subscription: str | None = None
) -> ChoiceExplanation:
    """Explain the recipients of the publication with an id."""
    plan = PubSub(spark, deployment).plan
    number = None if subscription is None else number_of(plan, subscription)
    warm_up(plan)
    interests = Interests.of(plan)
    rows = admit(sources.read(spark, deployment, streaming=False), interests, deployment.limits.row_bytes)
    found, rejected = _choices(rows.where(rows["id"] == publication), ship(spark, interests), number)
    if found:
        choice, why = min(found, key=lambda each: (each[0].time, each[0].publisher))
        return ChoiceExplanation(choice, why, len(found) - 1)
    if rejected:
        why_not = f"{rejected[0].reason.value}: {rejected[0].detail}"
        raise SparingError(
            f"Publication {publication!r} is not delivered, because it is quarantined ({why_not}): correct the row."
        )
    raise SparingError(f"There is no publication {publication!r} in the source: {_hint(rows, publication)}")


Choices = list[tuple[Choice, Verdict | None]]


def _choices(rows: DataFrame, shipped: ShippedPlan, number: int | None) -> tuple[Choices, list[Rejected]]:
    """Return the choices for all admitted rows, and the rejected rows."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        worker_plan = shipped.worker_plan()
        for table in tables(batches):
            for publications, rejected in admitted(table, worker_plan):
                singles = [publications.take(np.array([row])) for row in range(len(publications))]
                yield one_row(([_explained(single, worker_plan, number) for single in singles], rejected))

    parts = [pickle.loads(row["found"]) for row in rows.mapInArrow(run, "found binary").collect()]
    return [each for choices, _ in parts for each in choices], [row for _, rejected in parts for row in rejected]


def _explained(publication: Publications, worker_plan: WorkerPlan, number: int | None) -> tuple[Choice, Verdict | None]:
    plan = worker_plan.interests.plan
    nobody = Pairs.of(np.zeros(0, np.int64), np.zeros(0, np.int32))
    matching, chosen = nobody, nobody
    for in_force, found in worker_plan.at_once.chosen(publication):
        if len(in_force):  # all matches of a publication are in one part
            matching, chosen = in_force, found.pairs
    choice = choice_of(plan, publication, matching, chosen)
    return choice, None if number is None else verdict(plan, publication, choice, number)


def _hint(rows: DataFrame, publication: str) -> str:
    distance = F.levenshtein(F.col("id"), F.lit(publication))
    nearest = [row["id"] for row in rows.select("id").distinct().orderBy(distance, "id").limit(NEAREST).collect()]
    if close := get_close_matches(publication, nearest, 1):
        return f"did you mean {close[0]!r}?"
    return f"ids there look like {nearest[0]!r}." if nearest else "it has no publications."
