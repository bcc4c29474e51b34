"""The plan of a running stream, which follows the files that its deployment was read from.

Between two micro-batches the files are looked at. When publishers, subscriptions or links have changed, the next
micro-batch runs under a new plan; the query itself goes on. A change that a running stream cannot follow, or a file
with a mistake in it, is told in one sentence, and the stream goes on as before.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from sparing.control.plan import Plan
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.deployment.reach import parts
from sparing.deployment.tables import version
from sparing.flow.interests import Interests
from sparing.model.errors import SparingError
from sparing.model.overlay import Overlay
from sparing.spark.checkpoint import check_in, known_groups, note_for, parted
from sparing.spark.shipping import run_under, ship_later

FOLLOWED = ("advertisements", "overlay", "outages", "subscribers", "subscriptions")
Tell = Callable[[str], None]


class Following:
    """The plan in force, and what it was made from."""

    def __init__(
        self,
        spark: SparkSession,
        deployment: Deployment,
        plan: Plan,
        checkpoint: str,
        tell: Tell,
        fingerprint: str = "",
    ) -> None:
        """`plan`, with its `fingerprint`, is the one that the query is started with."""
        self._spark, self._checkpoint, self._tell = spark, checkpoint, tell
        self._deployment = deployment
        self._with_top_k = _asks_for_top_k(deployment)  # whether the query reads that column
        self.plan = plan
        self._first = fingerprint
        self._fingerprint: str | None = None  # None: the plan that the query was started with
        self._seen = self._look()
        self._folder = tempfile.TemporaryDirectory(prefix="sparing-plans-")

    def _look(self) -> object:
        file = self._deployment.file
        paths = [*([] if file is None else [str(file)]), *self._deployment.tables]
        return [version(path) for path in paths]

    @property
    def fingerprint(self) -> str:
        """Of the plan in force."""
        return self._fingerprint or self._first

    def catch_up(self) -> None:
        """Before a micro-batch, in the thread that starts its jobs: take notice of changes, and run under the plan."""
        seen = self._look()
        if seen != self._seen:
            self._seen = seen
            try:
                self._change_to(self._reread())
            except SparingError as error:
                self._tell(f"The stream goes on as before: {error}")
        if self._fingerprint is not None:
            run_under(self._spark, self._fingerprint)

    def _reread(self) -> Deployment:
        assert self._deployment.file is not None
        return Deployment.read(self._deployment.file)

    def _change_to(self, new: Deployment) -> None:
        old = self._deployment
        if replace(new, **{part: getattr(old, part) for part in (*FOLLOWED, "tables")}) != old:
            raise SparingError(
                "more than publishers, subscribers, subscriptions, links and outages has changed in the deployment; "
                "stop it and run it again for that."
            )
        if _asks_for_top_k(new) and not self._with_top_k:
            raise SparingError("publishers ask for top_k, and none did when it started; stop it and run it again.")
        _check_publishers(old, new)
        _check_links(old.overlay, new.overlay)
        if all(getattr(new, part) == getattr(old, part) for part in FOLLOWED):
            return
        plan = plan_of(new)
        for topic in plan.topics:
            plan.marking(topic, plan.in_force(None))  # if that cannot be done, better now than under the new plan
        interests = Interests.of(plan, keep_fields=True, known_groups=known_groups(self._spark, self._checkpoint))
        check_in(self._spark, self._checkpoint, note_for(self._spark, new, plan, interests.named_groups))
        self._fingerprint = ship_later(self._spark, interests, Path(self._folder.name))
        self._deployment, self.plan = new, plan
        self._tell(f"The stream follows a change: {_difference(old, new)}.")


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


def _difference(old: Deployment, new: Deployment) -> str:
    told = [
        _counted(
            "publisher", {a.publisher: a for a in old.advertisements}, {a.publisher: a for a in new.advertisements}
        ),
        _counted("subscription", {s.id: s for s in old.subscriptions}, {s.id: s for s in new.subscriptions}),
        _counted("outage", *({(o.broker, o.start): o for o in some.outages} for some in (old, new))),
        _counted("link", *({frozenset((k.one, k.other)): k for k in some.overlay.links} for some in (old, new))),
    ]
    return "; ".join(filter(None, told)) or "subscribers moved"


def _counted(what: str, before: Mapping[Any, Any], after: Mapping[Any, Any]) -> str:
    """How many things are there now, and what is new about them; nothing if nothing is."""
    counts = {
        "new": len(after.keys() - before.keys()),
        "gone": len(before.keys() - after.keys()),
        "changed": sum(before[key] != after[key] for key in before.keys() & after.keys()),
    }
    told = ", ".join(f"{count:,} {how}" for how, count in counts.items() if count)
    return f"{len(after):,} {what}s ({told})" if told else ""
