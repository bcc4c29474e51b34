"""The plan of a running stream, which follows changes of the deployment's files.

A thread polls the files, so that a change is accepted or rejected even if nothing is published. Slow work (reading,
checking, planning, shipping) is done when a change is noticed. The next micro-batch polls once more and switches to the
prepared plan; the query keeps running.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import RLock, Thread

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from sparing.control.plan import Plan
from sparing.deployment.changes import followed, others
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.deployment.reach import parts
from sparing.deployment.tables import version
from sparing.flow.interests import Interests
from sparing.model.errors import SparingError
from sparing.model.overlay import Overlay
from sparing.spark.pipeline.worker_plan import run_under, ship_later
from sparing.spark.stream.checkpoint import check_note, known_groups, note_for, separated
from sparing.spark.stream.logs import harmless

POLL_SECONDS = 1.0
NoticeHandler = Callable[[str], None]  # gets a sentence for the user


@dataclass(frozen=True)
class _PreparedPlan:
    """A plan that has been shipped to the workers, and its difference from the plan before."""

    plan: Plan
    fingerprint: str
    difference: str


class PlanFollower:
    """The plan in force, and the deployment from which it was made."""

    def __init__(
        self,
        spark: SparkSession,
        deployment: Deployment,
        checkpoint: str,
        *,
        plan: Plan,
        accepted: NoticeHandler,
        rejected: NoticeHandler,
        fingerprint: str = "",
    ) -> None:
        """Follow changes of a deployment; the query starts with `plan`, which has a `fingerprint`."""
        self._spark, self._checkpoint = spark, checkpoint
        self._accepted, self._rejected = accepted, rejected
        self._lock = RLock()
        self._deployment = deployment  # the last accepted one
        self._with_top_k = _asks_for_top_k(deployment)  # whether the query reads that column
        self.plan = plan
        self._first_fingerprint = fingerprint
        self._fingerprint: str | None = None  # None: the plan with which the query started
        self._next: _PreparedPlan | None = None
        self._versions = self._file_versions()

    def _file_versions(self) -> object:
        file = self._deployment.file
        paths = [*([] if file is None else [str(file)]), *self._deployment.tables]
        return [version(path) for path in paths]

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the plan in force."""
        return self._fingerprint or self._first_fingerprint

    def watch(self, query: StreamingQuery) -> None:
        """Poll the files in a thread while a query is active."""
        if self._deployment.file is not None:
            Thread(target=self._watch, args=(query,), name="sparing follow", daemon=True).start()

    def _watch(self, query: StreamingQuery) -> None:
        before = self._versions
        while True:
            time.sleep(POLL_SECONDS)
            try:
                if not query.isActive:
                    return
                versions = self._file_versions()
                # A file may still be being written until two polls see the same version.
                if versions == before:
                    self.poll()
                before = versions
            except Exception:  # the session has ended; otherwise the next micro-batch fails in the same way
                return

    def poll(self) -> None:
        """Prepare the plan of a changed deployment, and report whether the change is accepted, once per change."""
        with self._lock:
            versions = self._file_versions()
            if versions == self._versions:
                return
            try:
                self._prepare(self._reread())
            except SparingError as error:
                with harmless():
                    self._rejected(f"Change rejected, the stream keeps its plan: {error}")
            self._versions = versions

    def switch_plan(self) -> str | None:
        """Run the next micro-batch under the newest plan; call this in the thread that starts its jobs.

        Returns the difference from the plan before, None if the plan is the same.
        """
        with self._lock:
            self.poll()
            prepared, self._next = self._next, None
            if prepared is not None:
                self.plan, self._fingerprint = prepared.plan, prepared.fingerprint
        if self._fingerprint is not None:
            run_under(self._spark, self._fingerprint)
        return None if prepared is None else prepared.difference

    def _reread(self) -> Deployment:
        assert self._deployment.file is not None
        return Deployment.read(self._deployment.file)

    def _prepare(self, new: Deployment) -> None:
        old = self._deployment
        if changed := others(old, new):
            raise SparingError(
                f"{changed}; a running stream follows changes of publishers, subscribers, subscriptions, links and "
                "outages only: undo this change, or stop the stream and run it again."
            )
        if _asks_for_top_k(new) and not self._with_top_k:
            raise SparingError(
                "publishers ask for top_k, and none did when the stream started: stop the stream and run it again."
            )
        _check_publishers(old, new)
        _check_links(old.overlay, new.overlay)
        difference = followed(old, new)
        if not difference:
            return
        plan = plan_of(new)
        for topic in plan.topics:
            plan.marking(topic, plan.in_force(None))  # reject a plan without a marking now, not when it is in force
        interests = Interests.of(plan, keep_fields=True, known_groups=known_groups(self._spark, self._checkpoint))
        check_note(self._spark, self._checkpoint, note_for(self._spark, new, plan, interests.named_groups))
        fingerprint = ship_later(self._spark, interests)
        self._deployment = new
        since = difference if self._next is None else f"{self._next.difference}; then {difference}"
        self._next = _PreparedPlan(plan, fingerprint, since)
        with harmless():
            self._accepted(f"Change accepted, in force from the next micro-batch: {difference}.")


def _asks_for_top_k(deployment: Deployment) -> bool:
    return any(advertisement.top_k is not None for advertisement in deployment.advertisements)


def _check_publishers(old: Deployment, new: Deployment) -> None:
    """Reject changed publishers of a rate source: the query generates rows for those at its start."""
    if old.source is not None and old.source.format == "rate" and new.advertisements != old.advertisements:
        raise SparingError(
            "a rate source generates rows for the publishers at its start only: stop the stream and run it again."
        )


def _check_links(old: Overlay, new: Overlay) -> None:
    """Reject an overlay that disconnects brokers: items in flight could not reach their destination."""
    if new.brokers != old.brokers:
        raise SparingError("the brokers have changed: stop the stream, and start with a new checkpoint.")
    if (pair := separated(parts(old), parts(new))) is not None:
        raise SparingError(f"no links lead from broker {pair[0]} to {pair[1]} any more: add one.")
