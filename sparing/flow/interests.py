"""Subscriptions as the data plane needs them: arrays by subscription number, for one plan and one link policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sparing.control.plan import Plan
from sparing.flow.arrival.kernels import HELD, RAW
from sparing.flow.deliver.digest import digest
from sparing.flow.interest_groups import interest_groups
from sparing.flow.links import policy_of
from sparing.flow.links.policy import LinkPolicy
from sparing.model.content import PickledByFields
from sparing.model.errors import SparingError
from sparing.model.subscription import Aggregation, Subscription
from sparing.model.types import BEGINNING, END_OF_TIME
from sparing.model.window import TimeWindow


def aggregation_of(subscription: Subscription, merged: bool) -> Aggregation | None:
    """What a subscription computes: its aggregation, or its digest; None if it is plain, or told of merged events."""
    query = subscription.query
    if query.every is not None and not merged:
        return digest(query)
    return query.aggregation


def group_name(topic: str, first: str) -> str:
    """The name of an interest group: its topic, with no / left in it, and its first member."""
    return f"{topic.replace('%', '%25').replace('/', '%2F')}/{first}"


def topic_in(group: str) -> str:
    """The topic in the name of an interest group.

    >>> topic_in(group_name("rail/north", "s/1"))
    'rail/north'
    """
    return group.partition("/")[0].replace("%2F", "/").replace("%25", "%")


@dataclass(frozen=True, eq=False)
class Interests(PickledByFields):
    """Who waits for windows, and who must get raw publications at once."""

    plan: Plan
    policy: LinkPolicy
    keep_fields: bool = False  # whether held publications bring all their fields, so that a late one can be shown
    known_groups: Mapping[str, str] = field(default_factory=dict)  # subscription id -> name of the group it was in
    bound: bool = False  # whether the fewest possible messages on each link are to be worked out: for whole traces

    @classmethod
    def of(
        cls,
        plan: Plan,
        keep_fields: bool = False,
        known_groups: Mapping[str, str] | None = None,
        bound: bool = False,
    ) -> Interests:
        """The interests under the plan's own link policy."""
        policy = policy_of(plan.policy.decision, plan.policy.patience)
        return cls(plan, policy, keep_fields, known_groups or {}, bound and not policy.at_once)

    @cached_property
    def aggregations(self) -> tuple[Aggregation | None, ...]:
        """By subscription number."""
        merged = {name: topic.merge is not None for name, topic in self.plan.topics.items()}
        return tuple(aggregation_of(s, merged[s.query.topic]) for s in self.plan.subscriptions)

    @cached_property
    def held(self) -> np.ndarray:
        """Whether a subscription's publications are held until something ends (a window, a cycle, a count)."""
        return np.array([a is not None for a in self.aggregations], dtype=bool)

    @cached_property
    def raw(self) -> np.ndarray:
        """Whether publications must reach the subscriber's broker raw, at once, however the links decide."""
        at_once = self.policy.at_once
        return np.array([a is None or at_once or not a.decomposable for a in self.aggregations], dtype=bool)

    @cached_property
    def flags(self) -> np.ndarray:
        """Both of these, as compiled code takes them."""
        return self.held * HELD + self.raw * RAW

    @cached_property
    def timed(self) -> np.ndarray:
        """Whether a subscription has time windows."""
        return np.array([a is not None and isinstance(a.window, TimeWindow) for a in self.aggregations], dtype=bool)

    @cached_property
    def windows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Duration, slide and start of the time windows (1, 1, 0 for subscriptions without)."""
        rows = [
            (a.window.duration, a.window.slide, a.window.start)
            if a is not None and isinstance(a.window, TimeWindow)
            else (1, 1, 0)
            for a in self.aggregations
        ]
        duration, slide, start = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        return duration, slide, start

    @cached_property
    def sampling(self) -> bool:
        """Whether the time windows of any subscription leave gaps."""
        duration, slide, _ = self.windows
        return bool((duration < slide).any())

    def counted(self, subscriptions: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Whether some window of each subscription counts a publication made at each time; without windows, all do."""
        duration, slide, start = (column[subscriptions] for column in self.windows)
        inside: np.ndarray = (times - start) % slide < duration
        return inside

    @cached_property
    def valid(self) -> tuple[np.ndarray, np.ndarray]:
        """From when and until when each subscription is in force."""
        first = [BEGINNING if s.valid_from is None else s.valid_from for s in self.plan.subscriptions]
        last = [END_OF_TIME if s.valid_until is None else s.valid_until for s in self.plan.subscriptions]
        return np.array(first, dtype=np.int64), np.array(last, dtype=np.int64)

    @cached_property
    def changing(self) -> bool:
        """Whether any subscription is not always in force."""
        return any(s.valid_from is not None or s.valid_until is not None for s in self.plan.subscriptions)

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], np.ndarray]:
        """Names of the interest groups of held subscriptions, and each subscription's group (-1: plain).

        A new group is named after its topic and first member. One with members that were in a group before (in
        `known_groups`) keeps that group's name, and members that were together stay together.
        """
        names: list[str] = []
        group_of = np.full(len(self.plan.subscriptions), -1, dtype=np.int64)
        for topic, numbers in self.plan.by_topic.items():
            waiting = numbers[self.held[numbers]] if len(numbers) else numbers
            boxes = [self.plan.subscriptions[n].query.box for n in waiting]
            ids = [self.plan.subscriptions[n].id for n in waiting]
            before = [self.known_groups.get(id_) for id_ in ids]
            apart = [list(range(len(boxes)))] if boxes else []
            for members in apart if self.policy.together else interest_groups(boxes, before):
                group_of[waiting[members]] = len(names)
                names.append(self._group_name(topic, [ids[m] for m in members], names))
        return tuple(names), group_of

    @property
    def named_groups(self) -> dict[str, str]:
        """Subscription id -> interest group, for subscriptions that wait for something."""
        names, group_of = self.groups
        return {s.id: names[g] for s, g in zip(self.plan.subscriptions, group_of.tolist(), strict=True) if g >= 0}

    def _group_name(self, topic: str, ids: list[str], taken: list[str]) -> str:
        known = sorted({self.known_groups[id_] for id_ in ids if id_ in self.known_groups})
        if len(known) > 1:
            newcomers = [id_ for id_ in ids if id_ not in self.known_groups] or ids  # or one that was changed
            raise SparingError(
                f"Subscription {newcomers[0]} ties together subscriptions whose windows are being computed apart "
                f"({known[0]} and {known[1]}): start with a new checkpoint, or leave it out."
            )
        if known:
            return known[0]
        name = group_name(topic, ids[0])
        while name in taken or name in self.known_groups.values():
            name += "'"
        return name

    @cached_property
    def urgent(self) -> np.ndarray:
        """Whether some publications do not wait for a subscription's cycle."""
        given = np.array([s.urgent is not None for s in self.plan.subscriptions], dtype=bool)
        waits: np.ndarray = self.held & given
        return waits

    def partitions(self, topic: str) -> int:
        """How many parts the events of a merged topic are dealt out to: one if somebody computes with all of them."""
        return 1 if self.held[self.plan.by_topic[topic]].any() else self.plan.policy.partitions

    @cached_property
    def fields(self) -> dict[str, tuple[str, ...]]:
        """Topic -> the fields that its held subscriptions compute with."""
        needed: dict[str, set[str]] = {topic: set() for topic in self.plan.topics}
        for subscription, aggregation in zip(self.plan.subscriptions, self.aggregations, strict=True):
            if aggregation is not None:
                needed[subscription.query.topic].update(o.field for o in aggregation.outputs if o.field is not None)
                if subscription.urgent is not None:
                    needed[subscription.query.topic].update(subscription.urgent.fields)
        return {topic: tuple(sorted(found)) for topic, found in needed.items()}

    @cached_property
    def carried(self) -> dict[str, tuple[str, ...]]:
        """Topic -> the columns that held publications bring to their group."""
        if not self.keep_fields:
            return self.fields
        topics = self.plan.topics
        return {topic: tuple(sorted({*topics[topic].fields, *names})) for topic, names in self.fields.items()}
