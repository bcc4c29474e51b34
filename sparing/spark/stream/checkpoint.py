"""A note in a checkpoint with the settings that its state depends on, checked before a stream resumes.

Spark resumes from a checkpoint even if the number of shuffle partitions or the meaning of the state has changed, and
then loses or mixes up state. Between two runs, publishers, subscriptions and links may change, as long as connected
brokers stay connected. Topics, brokers, the query of a subscription, and the policy keys that `sparing.model.policy`
marks may not change.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import SparkSession

from sparing.control.plan import Plan
from sparing.deployment.deployment import Deployment
from sparing.deployment.mistakes import listing
from sparing.deployment.reach import parts
from sparing.flow.links import policy_of
from sparing.model.errors import SparingError
from sparing.model.policy import keys_of_state
from sparing.model.subscription import Subscription
from sparing.spark.io.paths import hadoop_path
from sparing.spark.stream.durable import DamagedError, read_json, write_json

FORMAT = 8
SPARK_FILES = ("offsets", "commits", "metadata")  # in a checkpoint from the first micro-batch on


@dataclass(frozen=True, kw_only=True)
class Note:
    """The settings that a checkpoint's state depends on; interest group, query and broker of each subscription."""

    format: int
    partitions: int
    topics: str
    brokers: list[str]
    parts: dict[str, int]  # broker -> connected part of the overlay
    policy: dict[str, Any]  # policy keys that the state depends on, with their effective values
    groups: dict[str, str]
    queries: dict[str, str]
    homes: dict[str, str]


_CHANGES = {
    "partitions": "was made with another number of shuffle partitions (spark.sql.shuffle.partitions)",
    "topics": "was made with other topics",
    "brokers": "was made with other brokers",
}


def note_for(spark: SparkSession, deployment: Deployment, plan: Plan, groups: dict[str, str]) -> Note:
    """Return the note of a stream that is about to start."""
    return Note(
        format=FORMAT,
        partitions=int(spark.conf.get("spark.sql.shuffle.partitions") or 0),
        topics=_digest(
            {n: [t.time, {f: k.name for f, k in t.fields.items()}, str(t.merge)] for n, t in deployment.topics.items()}
        ),
        brokers=list(deployment.overlay.brokers),
        parts=parts(deployment.overlay),
        policy=_policy(plan),
        groups=groups,
        queries={s.id: _digest(repr(s.query)) for s in plan.subscriptions if s.id in groups or _merged(plan, s)},
        homes={
            s.id: plan.routes.brokers[b]
            for s, b in zip(plan.subscriptions, plan.broker_of, strict=True)
            if s.id in groups
        },
    )


def _merged(plan: Plan, subscription: Subscription) -> bool:
    return plan.topics[subscription.query.topic].merge is not None


def _policy(plan: Plan) -> dict[str, Any]:
    """Return the policy keys that the state depends on, with their effective values."""
    policy = plan.policy
    given = {key: getattr(policy, key) for keys in keys_of_state().values() for key in keys}
    return given | {
        "patience": policy_of(policy.decision, policy.patience).patience,
        "placement": policy.places,
        "active_aggregators": policy.actives,
        "partitions": _partitions(plan),
    }


def _partitions(plan: Plan) -> int | str:
    """Return the number of event partitions, with the topics that have one because aggregates need all their events."""
    partitions = plan.policy.partitions
    computed = {s.query.topic for s in plan.subscriptions if s.query.aggregation is not None}
    whole = sorted(name for name, topic in plan.topics.items() if topic.merge is not None and name in computed)
    return f"{partitions}, but one for {', '.join(whole)}" if whole and partitions > 1 else partitions


def separated(before: Mapping[str, int], after: Mapping[str, int]) -> tuple[str, str] | None:
    """Return two brokers that were connected and no longer are, if there are any."""
    first: dict[int, str] = {}
    for broker, part in before.items():
        other = first.setdefault(part, broker)
        if after[other] != after[broker]:
            return other, broker
    return None


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def known_groups(spark: SparkSession, checkpoint: str) -> dict[str, str]:
    """Return subscription -> interest group of a checkpoint; empty if there is no checkpoint yet."""
    note = read_note(spark, checkpoint)
    return {} if note is None else note.groups


def check_note(spark: SparkSession, checkpoint: str, note: Note) -> None:
    """Check that a stream can resume from a checkpoint, then write its note."""
    before = read_note(spark, checkpoint)
    if before is not None:
        for key, change in _CHANGES.items():
            if getattr(before, key) != getattr(note, key):
                raise _incompatible(checkpoint, change)
        for aspect, keys in keys_of_state().items():
            if any(before.policy[key] != note.policy[key] for key in keys):
                raise _incompatible(checkpoint, f"was made with another {aspect} ({listing(keys)})")
        for id_, query in note.queries.items():
            if before.queries.get(id_, query) != query:
                raise SparingError(
                    f"The query of subscription {id_} has changed since the checkpoint {checkpoint} was made: "
                    "give the new query a new id, or start with a new checkpoint."
                )
        if (pair := separated(before.parts, note.parts)) is not None:
            raise SparingError(
                f"When the checkpoint {checkpoint} was made, links led from {pair[0]} to {pair[1]}, and none do "
                "now, so items in flight would be lost: add a link, or start with a new checkpoint."
            )
        for id_, broker in note.homes.items():
            if before.homes.get(id_, broker) != broker:
                raise SparingError(
                    f"Subscription {id_} was served by {before.homes[id_]} when the checkpoint {checkpoint} was "
                    f"made, and is now by {broker}: undo this change, give it a new id, or start with a new checkpoint."
                )
        note = replace(
            note,
            groups=before.groups | note.groups,
            queries=before.queries | note.queries,
            homes=before.homes | note.homes,
        )
    _write(spark, checkpoint, note)


def is_new(spark: SparkSession, checkpoint: str) -> bool:
    """Return whether no stream has run from a checkpoint yet."""
    return read_note(spark, checkpoint) is None


def read_note(spark: SparkSession, checkpoint: str) -> Note | None:
    """Return the note of a checkpoint, None if there is no checkpoint yet.

    A checkpoint of Spark's without a note is damaged, not new: a new start from it would lose results.
    """
    path = path_of_note(checkpoint)
    found = read_json(spark, path, FORMAT)
    if found is not None:
        return Note(**found)
    for name in SPARK_FILES:
        place, files = hadoop_path(spark, f"{checkpoint.rstrip('/')}/{name}")
        if files.exists(place):
            raise DamagedError(path, f"it is missing, although a stream has run from {checkpoint}")
    return None


def _incompatible(checkpoint: str, change: str) -> SparingError:
    return SparingError(
        f"The checkpoint {checkpoint} {change}: undo this change, or start with a new checkpoint and a new sink path."
    )


def _write(spark: SparkSession, checkpoint: str, note: Note) -> None:
    write_json(spark, path_of_note(checkpoint), vars(note), FORMAT)


def path_of_note(checkpoint: str) -> str:
    """Return the path of a checkpoint's note."""
    return f"{checkpoint.rstrip('/')}/sparing.json"
