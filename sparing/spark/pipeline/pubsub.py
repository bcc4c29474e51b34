"""The pipeline from publications to notifications, bill and quarantine, for batch and streaming DataFrames.

admit (Spark SQL) > match (mapInArrow) > walk (one stateful operator) > unpack (mapInArrow)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

from pyspark.sql import DataFrame, SparkSession

from sparing.control.plan import Plan
from sparing.control.routing.billing import control_bill
from sparing.deployment.deployment import Deployment
from sparing.deployment.mistakes import hint, sentence
from sparing.deployment.planning import plan_of
from sparing.flow.interests import Interests
from sparing.flow.links.static import check_order
from sparing.flow.warm import warm_up
from sparing.model.bill import Bill
from sparing.model.errors import SparingError
from sparing.model.policy import DecisionRule
from sparing.spark.pipeline import unpack_stage
from sparing.spark.pipeline.admit_stage import admit
from sparing.spark.pipeline.match_stage import match
from sparing.spark.pipeline.walk_stage import bypassing, portions, walk_batch, walk_stream
from sparing.spark.pipeline.worker_plan import ship


@dataclass(frozen=True)
class Delivered:
    """Results of publications as DataFrames, batch or streaming like the publications.

    `records` has all results, packed. In a stream, use it in `foreachBatch` with `of`, because two queries on parts of
    it would run the pipeline twice. A batch caches the frames in `kept`; `forget` frees them.

    `control` returns the bill of the control plane, computed when first needed. A batch has it on its bill; a stream
    bills it once, in the first micro-batch under a plan (`sparing run`). `fingerprint` identifies the plan on workers.
    """

    spark: SparkSession
    plan: Plan
    records: DataFrame
    control: Callable[[], Bill] | None = None
    fingerprint: str = ""
    kept: tuple[DataFrame, ...] = ()

    @cached_property
    def notifications(self) -> DataFrame:
        """One row per notification.

        id, subscriber, subscription, topic, publisher, publication, kind, time, window_start, window_end, payload.
        """
        return unpack_stage.notifications(self.spark, self.records, self.plan)

    @cached_property
    def bill(self) -> DataFrame:
        """source, target, kind, messages, bucket (NULL for messages before the first publication)."""
        bill = unpack_stage.bill(self.records)
        return bill if not self.control_bill else bill.union(unpack_stage.bill_rows(self.spark, self.control_bill))

    @cached_property
    def control_bill(self) -> Bill:
        """The control plane's part of the bill."""
        return Bill() if self.control is None else self.control()

    @cached_property
    def meter(self) -> DataFrame:
        """source, target, kind (cpu: microseconds; least: the fewest possible messages), amount; in a batch."""
        return unpack_stage.meter(self.records)

    @cached_property
    def quarantine(self) -> DataFrame:
        """row, reason, detail, publisher."""
        return unpack_stage.quarantine(self.records)

    def of(self, records: DataFrame) -> Delivered:
        """Return the results in one micro-batch of `records`."""
        return replace(self, records=records)

    def forget(self) -> None:
        """Free the cached frames of a batch."""
        for frame in self.kept:
            frame.unpersist()


class PubSub:
    """A deployment on a Spark session."""

    def __init__(
        self,
        spark: SparkSession,
        deployment: Deployment,
        *,
        decision: str | None = None,
        known_groups: Mapping[str, str] | None = None,
    ) -> None:
        """Plan a deployment; `decision` overrides its link policy.

        `known_groups` (subscription id -> interest group) keeps the groups of a checkpoint from which a stream resumes.
        """
        if decision is not None:
            if decision not in list(DecisionRule):
                raise SparingError(sentence(f"{decision!r} is not a link policy{hint(decision, list(DecisionRule))}"))
            deployment = replace(deployment, policy=replace(deployment.policy, decision=DecisionRule(decision)))
        self.spark = spark
        self.deployment = deployment
        self.plan = plan_of(deployment)
        self._known_groups = known_groups or {}

    def deliver(self, publications: DataFrame, bound: bool = False) -> Delivered:
        """Run publications through the overlay. Starts no Spark job.

        With `bound`, a batch also computes the fewest messages that any policy must send over each link (`meter`).
        """
        streaming = publications.isStreaming
        interests = Interests.of(
            self.plan,
            keep_fields=streaming,
            known_groups=self._known_groups,
            bound=bound and not streaming,
            portions=0 if streaming else portions(self.spark),
        )
        if streaming and interests.policy.whole_trace:
            raise SparingError(
                f"The decision {interests.policy.name} needs all future publications, so it works in batches only: "
                "choose another one for a stream, e.g. adock, or use sparing replay."
            )
        if interests.policy.whole_trace:
            check_order(self.plan)
        warm_up(self.plan, interests.bound)
        shipped = ship(self.spark, interests)
        ahead = self.deployment.ahead if streaming else None
        parceled = match(admit(publications, interests, self.deployment.limits.row_bytes, ahead), shipped)
        if streaming:
            walked = walk_stream(parceled, shipped, self.deployment.watermark)
            return Delivered(self.spark, self.plan, walked, fingerprint=shipped.fingerprint)
        parceled = parceled.persist()  # read twice: by the walk, and for parcels that bypass it
        walked = walk_batch(parceled, shipped).persist()
        records, control = bypassing(parceled).union(walked), partial(control_bill, self.plan)
        return Delivered(self.spark, self.plan, records, control, kept=(parceled, walked))

    def groups(self) -> dict[str, str]:
        """Return subscription id -> interest group, for subscriptions with windows or digests."""
        return Interests.of(self.plan, known_groups=self._known_groups).named_groups
