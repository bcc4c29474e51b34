"""The plan of a running stream, which follows the files that its deployment was read from.

Between two micro-batches the files are looked at. When the subscriptions have changed, the next micro-batch runs under
a new plan; the query itself goes on. A change that a running stream cannot follow, or a file with a mistake in it, is
told in one sentence, and the stream goes on as before.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pyspark.sql import SparkSession

from sparing.control.plan import Plan
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.deployment.tables import version
from sparing.flow.interests import Interests
from sparing.model.errors import SparingError
from sparing.spark.checkpoint import check_in, known_groups, note_for
from sparing.spark.shipping import run_under, ship_later

FOLLOWED = ("subscribers", "subscriptions")
Tell = Callable[[str], None]


class Following:
    """The plan in force, and what it was made from."""

    def __init__(self, spark: SparkSession, deployment: Deployment, plan: Plan, checkpoint: str, tell: Tell) -> None:
        self._spark, self._checkpoint, self._tell = spark, checkpoint, tell
        self._deployment = deployment
        self.plan = plan
        self._fingerprint: str | None = None  # None: the plan that the query was started with
        self._seen = self._look()
        self._folder = tempfile.TemporaryDirectory(prefix="sparing-plans-")

    def _look(self) -> object:
        file = self._deployment.file
        paths = [*([] if file is None else [str(file)]), *self._deployment.tables]
        return [version(path) for path in paths]

    def catch_up(self) -> None:
        """Before a micro-batch, in the thread that starts its jobs: take notice of changes, and run under the plan."""
        seen = self._look()
        if seen != self._seen:
            self._seen = seen
            try:
                self._change_to(self._reread())
            except SparingError as error:
                self._tell(f"The stream goes on with the subscriptions it has: {error}")
        if self._fingerprint is not None:
            run_under(self._spark, self._fingerprint)

    def _reread(self) -> Deployment:
        assert self._deployment.file is not None
        return Deployment.read(self._deployment.file)

    def _change_to(self, new: Deployment) -> None:
        old = self._deployment
        if replace(new, **{part: getattr(old, part) for part in (*FOLLOWED, "tables")}) != old:
            raise SparingError(
                "more than subscribers and subscriptions has changed in the deployment; "
                "stop it and run it again for that."
            )
        if all(getattr(new, part) == getattr(old, part) for part in FOLLOWED):
            return
        plan = plan_of(new)
        interests = Interests.of(plan, keep_payload=True, known_groups=known_groups(self._spark, self._checkpoint))
        check_in(self._spark, self._checkpoint, note_for(self._spark, new, plan, interests.named_groups))
        self._fingerprint = ship_later(self._spark, interests, Path(self._folder.name))
        self._deployment, self.plan = new, plan
        self._tell(f"The stream follows a change: {_difference(old, new)}.")


def _difference(old: Deployment, new: Deployment) -> str:
    before, after = {s.id: s for s in old.subscriptions}, {s.id: s for s in new.subscriptions}
    counts = {
        "new": len(after.keys() - before.keys()),
        "gone": len(before.keys() - after.keys()),
        "changed": sum(before[id_] != after[id_] for id_ in before.keys() & after.keys()),
    }
    told = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or "subscribers moved"
    return f"{len(after):,} subscriptions ({told})"
