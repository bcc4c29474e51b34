"""The pipeline: publications in, notifications, bill and quarantine out; batch and streaming DataFrames alike.

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
from sparing.spark.pipeline.walk_stage import passing, walk_batch, walk_stream
from sparing.spark.pipeline.worker_plan import ship


@dataclass(frozen=True)
class Delivered:
    """What came of publications: DataFrames, batch or streaming as the publications were.

    `records` has everything in one frame, packed. In a stream, use it in `foreachBatch` with `of`, because two queries
    on parts of it would run the pipeline twice. In a batch it is `kept` once computed; `forget` frees it.

    `control` is what the control plane sent, worked out when the bill is asked for. A batch has it on its bill; a
    stream writes it down once, in the first micro-batch under a plan (`sparing run`). `fingerprint` is the plan's, as
    workers know it.
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
        """source, target, kind, messages, bucket (none for what was settled before the first publication)."""
        bill = unpack_stage.bill(self.records)
        return bill if not self.settled else bill.union(unpack_stage.bill_rows(self.spark, self.settled))

    @cached_property
    def settled(self) -> Bill:
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
        """The same for one micro-batch of `records`."""
        return replace(self, records=records)

    def forget(self) -> None:
        """Free what a batch keeps."""
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
        """`decision` overrides the deployment's link policy.

        `known_groups` (subscription id -> interest group) keeps the groups of a checkpoint that is to be continued.
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
        """Run publications through the overlay. Starts no Spark job by itself.

        With `bound`, a batch also works out the fewest messages that any policy must send over each link (`meter`).
        """
        streaming = publications.isStreaming
        interests = Interests.of(
            self.plan, keep_fields=streaming, known_groups=self._known_groups, bound=bound and not streaming
        )
        if streaming and interests.policy.whole_trace:
            raise SparingError(
                f"The decision {interests.policy.name} must know everything that will be published, so it is for "
                "batches only: choose another one for a stream, e.g. adock, or use sparing replay."
            )
        if interests.policy.whole_trace:
            check_order(self.plan)
        warm_up(ranking=any(ad.top_k is not None for ad in self.plan.advertisements))
        shipped = ship(self.spark, interests)
        ahead = self.deployment.ahead if streaming else None
        parceled = match(admit(publications, interests, self.deployment.limits.row_bytes, ahead), shipped)
        if streaming:
            walked = walk_stream(parceled, shipped, self.deployment.watermark)
            return Delivered(self.spark, self.plan, walked, fingerprint=shipped.fingerprint)
        parceled = parceled.persist()  # read twice: by the walk, and for what goes around it
        walked = walk_batch(parceled, shipped).persist()
        records, control = passing(parceled).union(walked), partial(control_bill, self.plan)
        return Delivered(self.spark, self.plan, records, control, kept=(parceled, walked))

    def groups(self) -> dict[str, str]:
        """Subscription id -> interest group, for subscriptions that wait for something."""
        return Interests.of(self.plan, known_groups=self._known_groups).named_groups
