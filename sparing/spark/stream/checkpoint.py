"""What a checkpoint belongs to: a note beside it, checked before a stream goes on from it.

Spark goes on from a checkpoint without complaint even if the number of shuffle partitions or the meaning of the state
has changed, and then loses or mixes up state. The note says what the state was made with. Publishers, subscriptions and
links may come and go between two runs, as long as brokers that were linked still are; topics, brokers, the query of a
subscription and the keys of the policy that `sparing.model.policy` marks may not change.
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
from sparing.model.policy import MERGING, keys_of_state
from sparing.model.subscription import Subscription
from sparing.spark.io.paths import located
from sparing.spark.stream.durable import DamagedError, read_json, write_json

FORMAT = 7
SPARKS = ("offsets", "commits", "metadata")  # what Spark keeps in a checkpoint from its first micro-batch on


@dataclass(frozen=True, kw_only=True)
class Note:
    """What the state of a checkpoint was made with; the group, query and broker of each subscription so far."""

    format: int
    partitions: int
    topics: str
    brokers: list[str]
    parts: dict[str, int]  # broker -> the connected part of the overlay that it lies in
    policy: dict[str, str]  # what the state depends on -> the keys and their values
    groups: dict[str, str]
    queries: dict[str, str]
    homes: dict[str, str]


_MEANING = {
    "partitions": "was made with another number of shuffle partitions (spark.sql.shuffle.partitions)",
    "topics": "was made with other topics",
    "brokers": "was made with other brokers",
}


def note_for(spark: SparkSession, deployment: Deployment, plan: Plan, groups: dict[str, str]) -> Note:
    """The note of a stream that is to be started."""
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


def _policy(plan: Plan) -> dict[str, str]:
    """The keys of the policy that the state depends on, with the values that count."""
    policy = plan.policy
    patience = policy_of(policy.decision, policy.patience).patience
    counts = replace(policy, patience=patience, placement=policy.places, active_aggregators=policy.actives)
    found = {what: ", ".join(f"{key} {getattr(counts, key)}" for key in some) for what, some in keys_of_state().items()}
    found[MERGING["state"]] += _one_lane(plan)
    return found


def _one_lane(plan: Plan) -> str:
    """Merged topics with one partition whatever the policy says, because aggregates need all of their events."""
    computed = {s.query.topic for s in plan.subscriptions if s.query.aggregation is not None}
    whole = sorted(name for name, topic in plan.topics.items() if topic.merge is not None and name in computed)
    return f", but one for {', '.join(whole)}" if whole and plan.policy.partitions > 1 else ""


def parted(before: Mapping[str, int], after: Mapping[str, int]) -> tuple[str, str] | None:
    """Two brokers that were linked and are not any more, if there are such."""
    first: dict[int, str] = {}
    for broker, part in before.items():
        other = first.setdefault(part, broker)
        if after[other] != after[broker]:
            return other, broker
    return None


def _digest(thing: Any) -> str:
    return hashlib.sha256(json.dumps(thing, sort_keys=True).encode()).hexdigest()[:16]


def known_groups(spark: SparkSession, checkpoint: str) -> dict[str, str]:
    """The interest groups of a checkpoint, none if there is no such checkpoint yet."""
    note = read_note(spark, checkpoint)
    return {} if note is None else note.groups


def check_in(spark: SparkSession, checkpoint: str, note: Note) -> None:
    """Make sure that a stream may go on from a checkpoint, and leave the note for the next."""
    before = read_note(spark, checkpoint)
    if before is not None:
        for key, meaning in _MEANING.items():
            if getattr(before, key) != getattr(note, key):
                raise _other(checkpoint, meaning)
        for what, some in keys_of_state().items():
            if before.policy[what] != note.policy[what]:
                raise _other(checkpoint, f"was made with another {what} ({listing(some)})")
        for id_, query in note.queries.items():
            if before.queries.get(id_, query) != query:
                raise SparingError(
                    f"Subscription {id_} asks for something else than when the checkpoint {checkpoint} was made: "
                    "give what is new a new id, or start with a new checkpoint."
                )
        if (apart := parted(before.parts, note.parts)) is not None:
            raise SparingError(
                f"When the checkpoint {checkpoint} was made, links led from {apart[0]} to {apart[1]}, and none do "
                "now: what is under way would be lost; add a link, or start with a new checkpoint."
            )
        for id_, broker in note.homes.items():
            if before.homes.get(id_, broker) != broker:
                raise SparingError(
                    f"Subscription {id_} was served by {before.homes[id_]} when the checkpoint {checkpoint} was "
                    f"made, and is now by {broker}: put that back, give it a new id, or start with a new checkpoint."
                )
        note = replace(
            note,
            groups=before.groups | note.groups,
            queries=before.queries | note.queries,
            homes=before.homes | note.homes,
        )
    _write(spark, checkpoint, note)


def is_new(spark: SparkSession, checkpoint: str) -> bool:
    """Whether nothing has run from a checkpoint yet."""
    return read_note(spark, checkpoint) is None


def read_note(spark: SparkSession, checkpoint: str) -> Note | None:
    """The note beside a checkpoint, None if there is no checkpoint yet.

    A checkpoint of Spark's without a note is damaged, not new: to begin anew from it would lose results.
    """
    path = path_of_note(checkpoint)
    found = read_json(spark, path, FORMAT)
    if found is not None:
        return Note(**found)
    for name in SPARKS:
        place, files = located(spark, f"{checkpoint.rstrip('/')}/{name}")
        if files.exists(place):
            raise DamagedError(path, f"it is missing, although a stream has run from {checkpoint}")
    return None


def _other(checkpoint: str, meaning: str) -> SparingError:
    return SparingError(
        f"The checkpoint {checkpoint} {meaning}: put that back as it was, or start with a new checkpoint and a new "
        "sink path."
    )


def _write(spark: SparkSession, checkpoint: str, note: Note) -> None:
    write_json(spark, path_of_note(checkpoint), vars(note), FORMAT)


def path_of_note(checkpoint: str) -> str:
    """Where the note of a checkpoint is."""
    return f"{checkpoint.rstrip('/')}/sparing.json"
