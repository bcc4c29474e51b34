"""The plan of a running stream, which follows the files that its deployment was read from.

A thread looks at the files every few seconds, so that an edit is accepted or rejected, and told, also while nothing is
published. Whatever takes time (reading, checking, planning, shipping) is done when an edit is noticed. The next
micro-batch looks once more, and only switches to the plan that was prepared; the query itself goes on.
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
from sparing.spark.stream.checkpoint import check_in, known_groups, note_for, parted
from sparing.spark.stream.logs import harmless

LOOK = 1.0  # seconds between two looks at the files
Tell = Callable[[str], None]


@dataclass(frozen=True)
class _Prepared:
    """A plan that the workers can be told to run under."""

    plan: Plan
    fingerprint: str
    difference: str


class Following:
    """The plan in force, and what it was made from."""

    def __init__(
        self,
        spark: SparkSession,
        deployment: Deployment,
        plan: Plan,
        checkpoint: str,
        accepted: Tell,
        refused: Tell,
        fingerprint: str = "",
    ) -> None:
        """`plan`, with its `fingerprint`, is the one that the query is started with."""
        self._spark, self._checkpoint = spark, checkpoint
        self._accepted, self._refused = accepted, refused
        self._lock = RLock()
        self._deployment = deployment  # the last one that was accepted
        self._with_top_k = _asks_for_top_k(deployment)  # whether the query reads that column
        self.plan = plan
        self._first = fingerprint
        self._fingerprint: str | None = None  # None: the plan that the query was started with
        self._next: _Prepared | None = None
        self._seen = self._look()

    def _look(self) -> object:
        file = self._deployment.file
        paths = [*([] if file is None else [str(file)]), *self._deployment.tables]
        return [version(path) for path in paths]

    @property
    def fingerprint(self) -> str:
        """Of the plan in force."""
        return self._fingerprint or self._first

    def watch(self, query: StreamingQuery) -> None:
        """Look at the files every few seconds, in a thread of its own, as long as a query is active."""
        if self._deployment.file is not None:
            Thread(target=self._watch, args=(query,), name="sparing follow", daemon=True).start()

    def _watch(self, query: StreamingQuery) -> None:
        before = self._seen
        while True:
            time.sleep(LOOK)
            try:
                if not query.isActive:
                    return
                found = self._look()
                # A file that is still being written is left alone until it rests.
                if found == before:
                    self.look()
                before = found
            except Exception:  # the session is gone; if it is not, the next micro-batch fails in the same way
                return

    def look(self) -> None:
        """Take notice of an edit: prepare its plan, and say whether it is accepted. The same edit is told once."""
        with self._lock:
            seen = self._look()
            if seen == self._seen:
                return
            try:
                self._change_to(self._reread())
            except SparingError as error:
                with harmless():
                    self._refused(f"Change rejected, the stream keeps its plan: {error}")
            self._seen = seen

    def catch_up(self) -> str | None:
        """Before a micro-batch, in the thread that starts its jobs: run under the newest plan.

        Returns how it differs from the one before, if it is another.
        """
        with self._lock:
            self.look()
            prepared, self._next = self._next, None
            if prepared is not None:
                self.plan, self._fingerprint = prepared.plan, prepared.fingerprint
        if self._fingerprint is not None:
            run_under(self._spark, self._fingerprint)
        return None if prepared is None else prepared.difference

    def _reread(self) -> Deployment:
        assert self._deployment.file is not None
        return Deployment.read(self._deployment.file)

    def _change_to(self, new: Deployment) -> None:
        old = self._deployment
        if changed := others(old, new):
            raise SparingError(
                f"{changed}; a running stream follows publishers, subscribers, subscriptions, links and outages only: "
                "put this back, or stop the stream and run it again."
            )
        if _asks_for_top_k(new) and not self._with_top_k:
            raise SparingError("publishers ask for top_k, and none did when it started; stop it and run it again.")
        _check_publishers(old, new)
        _check_links(old.overlay, new.overlay)
        difference = followed(old, new)
        if not difference:
            return
        plan = plan_of(new)
        for topic in plan.topics:
            plan.marking(topic, plan.in_force(None))  # if that cannot be done, better now than under the new plan
        interests = Interests.of(plan, keep_fields=True, known_groups=known_groups(self._spark, self._checkpoint))
        check_in(self._spark, self._checkpoint, note_for(self._spark, new, plan, interests.named_groups))
        fingerprint = ship_later(self._spark, interests)
        self._deployment = new
        since = difference if self._next is None else f"{self._next.difference}; then {difference}"
        self._next = _Prepared(plan, fingerprint, since)
        with harmless():
            self._accepted(f"Change accepted, in force from the next micro-batch: {difference}.")


def _asks_for_top_k(deployment: Deployment) -> bool:
    return any(advertisement.top_k is not None for advertisement in deployment.advertisements)


def _check_publishers(old: Deployment, new: Deployment) -> None:
    """What a source makes up was settled when the query started."""
    if old.source is not None and old.source.format == "rate" and new.advertisements != old.advertisements:
        raise SparingError("a rate source makes up rows of the publishers it started with; stop it and run it again.")


def _check_links(old: Overlay, new: Overlay) -> None:
    """What is under way must still get to where it was going, from whichever broker it is at."""
    if new.brokers != old.brokers:
        raise SparingError("the brokers have changed; stop it and start with a new checkpoint for that.")
    if (apart := parted(parts(old), parts(new))) is not None:
        raise SparingError(f"no links lead from broker {apart[0]} to {apart[1]} any more; add one.")
