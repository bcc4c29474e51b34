"""Subscriptions as the data plane needs them: arrays by subscription number, for one plan and link policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sparing.control.plan import Plan
from sparing.flow.deliver.digest import digest
from sparing.flow.interest_groups import interest_groups
from sparing.flow.links import policy_of
from sparing.flow.links.policy import LinkPolicy
from sparing.model.content import PickledByFields
from sparing.model.errors import SparingError
from sparing.model.subscription import Aggregation, Subscription
from sparing.model.topic import Topic
from sparing.model.types import BEGINNING, END_OF_TIME
from sparing.model.window import TimeWindow


def aggregation_of(subscription: Subscription, topic: Topic) -> Aggregation | None:
    """Return a subscription's aggregation or digest; None if it is plain or on a merged topic without aggregates."""
    query = subscription.query
    if query.every is not None and topic.merge is None:
        return digest(query, topic)
    return query.aggregation


def group_name(topic: str, first: str) -> str:
    """Return the name of an interest group: its topic, with `/` escaped, and its first member."""
    return f"{topic.replace('%', '%25').replace('/', '%2F')}/{first}"


def topic_in(group: str) -> str:
    """Return the topic in the name of an interest group.

    >>> topic_in(group_name("rail/north", "s/1"))
    'rail/north'
    """
    return group.partition("/")[0].replace("%2F", "/").replace("%25", "%")


@dataclass(frozen=True, eq=False)
class Interests(PickledByFields):
    """The subscriptions that hold publications for windows, and those that need raw publications on arrival."""

    plan: Plan
    policy: LinkPolicy
    keep_fields: bool = False  # whether held publications carry all fields, to show late events in quarantine
    known_groups: Mapping[str, str] = field(default_factory=dict)  # subscription id -> name of its previous group
    bound: bool = False  # whether to compute the least possible messages per link; only for whole traces
    portions: int = 0  # the most keys per topic, each for several groups; 0: a key for each group

    @classmethod
    def of(
        cls,
        plan: Plan,
        keep_fields: bool = False,
        known_groups: Mapping[str, str] | None = None,
        bound: bool = False,
        portions: int = 0,
    ) -> Interests:
        """Return the interests under the plan's own link policy."""
        policy = policy_of(plan.policy.decision, plan.policy.patience)
        return cls(plan, policy, keep_fields, known_groups or {}, bound and not policy.at_once, portions)

    @cached_property
    def aggregations(self) -> tuple[Aggregation | None, ...]:
        """The aggregation of each subscription, None for plain ones."""
        return tuple(aggregation_of(s, self.plan.topics[s.query.topic]) for s in self.plan.subscriptions)

    @cached_property
    def held(self) -> np.ndarray:
        """Whether publications are held until a window, cycle or count window ends."""
        return np.array([a is not None for a in self.aggregations], dtype=bool)

    @cached_property
    def raw(self) -> np.ndarray:
        """Whether publications must reach the subscriber's broker raw on arrival, under any link policy."""
        at_once = self.policy.at_once
        return np.array([a is None or at_once or not a.decomposable for a in self.aggregations], dtype=bool)

    @cached_property
    def raw_bits(self) -> tuple[np.ndarray, np.ndarray]:
        """The broker of each subscription with `raw` as a bit of a 64-bit word (0: not raw), and the word's number."""
        bit = np.uint64(1) << (self.plan.broker_of % 64).astype(np.uint64)
        return np.where(self.raw, bit, np.uint64(0)), self.plan.broker_of // 64

    @cached_property
    def timed(self) -> np.ndarray:
        """Whether a subscription has time windows."""
        return np.array([a is not None and isinstance(a.window, TimeWindow) for a in self.aggregations], dtype=bool)

    @cached_property
    def windows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Duration, slide and start of each subscription's time windows (1, 1, 0 without)."""
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
        """Whether any subscription has time windows with gaps between them."""
        duration, slide, _ = self.windows
        return bool((duration < slide).any())

    def counted(self, subscriptions: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Return whether a window of each subscription contains each time; always true without time windows."""
        duration, slide, start = (column[subscriptions] for column in self.windows)
        inside: np.ndarray = (times - start) % slide < duration
        return inside

    @cached_property
    def valid(self) -> tuple[np.ndarray, np.ndarray]:
        """The times from which and until which each subscription is in force."""
        first = [BEGINNING if s.valid_from is None else s.valid_from for s in self.plan.subscriptions]
        last = [END_OF_TIME if s.valid_until is None else s.valid_until for s in self.plan.subscriptions]
        return np.array(first, dtype=np.int64), np.array(last, dtype=np.int64)

    @cached_property
    def changing(self) -> bool:
        """Whether any subscription is in force for a limited time."""
        return any(s.valid_from is not None or s.valid_until is not None for s in self.plan.subscriptions)

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], np.ndarray]:
        """Names of the interest groups, and each subscription's group number (-1: plain).

        A new group is named after its topic and first member. A group with members of an earlier group (in
        `known_groups`) keeps that group's name, and the members of an earlier group stay in one group.
        """
        names: list[str] = []
        group_of = np.full(len(self.plan.subscriptions), -1, dtype=np.int64)
        for topic, numbers in self.plan.by_topic.items():
            holding = numbers[self.held[numbers]] if len(numbers) else numbers
            boxes = [self.plan.subscriptions[n].query.box for n in holding]
            ids = [self.plan.subscriptions[n].id for n in holding]
            before = [self.known_groups.get(id_) for id_ in ids]
            whole_topic = [list(range(len(boxes)))] if boxes else []
            for members in whole_topic if self.policy.one_group else interest_groups(boxes, before):
                group_of[holding[members]] = len(names)
                names.append(self._group_name(topic, [ids[m] for m in members], names))
        return tuple(names), group_of

    @cached_property
    def keys(self) -> tuple[tuple[str, ...], np.ndarray]:
        """The keys under which publications are walked, and the number of each subscription's key (-1: plain).

        A key is an interest group, or a portion of a topic's groups. Walking groups together makes no difference, as
        none depends on another, and takes less time than walking one after the other.
        """
        names, group_of = self.groups
        if not self.portions:
            return names, group_of
        sizes = np.bincount(group_of[group_of >= 0], minlength=len(names))
        portions: dict[str, list[int]] = {}  # topic -> keys
        keys, loads, key_of = list[str](), list[int](), np.zeros(len(names) + 1, dtype=np.int64)
        key_of[-1] = -1
        for group in np.argsort(-sizes, kind="stable").tolist():  # largest first, to the key with the least load
            mine = portions.setdefault(topic_in(names[group]), [])
            if len(mine) < self.portions:
                mine.append(len(keys))
                keys.append(names[group])  # named after its first group
                loads.append(0)
            key_of[group] = key = min(mine, key=loads.__getitem__)
            loads[key] += int(sizes[group])
        return tuple(keys), key_of[group_of]

    @property
    def named_groups(self) -> dict[str, str]:
        """Subscription id -> name of its interest group, without plain subscriptions."""
        names, group_of = self.groups
        return {s.id: names[g] for s, g in zip(self.plan.subscriptions, group_of.tolist(), strict=True) if g >= 0}

    def _group_name(self, topic: str, ids: list[str], taken: list[str]) -> str:
        known = sorted({self.known_groups[id_] for id_ in ids if id_ in self.known_groups})
        if len(known) > 1:
            added = [id_ for id_ in ids if id_ not in self.known_groups] or ids  # or one that was changed
            raise SparingError(
                f"Subscription {added[0]} overlaps subscriptions of two interest groups with open windows "
                f"({known[0]} and {known[1]}): start with a new checkpoint, or remove the subscription."
            )
        if known:
            return known[0]
        name = group_name(topic, ids[0])
        while name in taken or name in self.known_groups.values():
            name += "'"
        return name

    @cached_property
    def urgent(self) -> np.ndarray:
        """Whether urgent publications are delivered before the end of the subscription's cycle."""
        declared = np.array([s.urgent is not None for s in self.plan.subscriptions], dtype=bool)
        urgent: np.ndarray = self.held & declared
        return urgent

    def partitions(self, topic: str) -> int:
        """Return the number of event partitions of a merged topic; 1 if a subscription aggregates its events."""
        return 1 if self.held[self.plan.by_topic[topic]].any() else self.plan.policy.partitions

    @cached_property
    def fields(self) -> dict[str, tuple[str, ...]]:
        """Topic -> the fields that its aggregations and digests need."""
        needed: dict[str, set[str]] = {topic: set() for topic in self.plan.topics}
        for subscription, aggregation in zip(self.plan.subscriptions, self.aggregations, strict=True):
            if aggregation is not None:
                needed[subscription.query.topic].update(aggregation.fields)
                if subscription.urgent is not None:
                    needed[subscription.query.topic].update(subscription.urgent.fields)
        return {topic: tuple(sorted(names)) for topic, names in needed.items()}

    @cached_property
    def held_fields(self) -> dict[str, tuple[str, ...]]:
        """Topic -> the fields that held publications carry to the walk of their group."""
        if not self.keep_fields:
            return self.fields
        topics = self.plan.topics
        return {topic: tuple(sorted({*topics[topic].fields, *names})) for topic, names in self.fields.items()}
