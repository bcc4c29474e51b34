"""Measure one cell: make its trace, match it, and walk it under every policy. One process, no Spark.

All policies of a cell see the same trace. What happens on arrival is timed apart from the walk of what is held;
making the trace is not timed. Times are CPU times of this process, so tasks beside it hardly matter.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TypeVar

from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.at_once import Arrival, AtOnce
from sparing.flow.arrival.matched import Matched
from sparing.flow.interests import Interests
from sparing.flow.windows.window_walk import WindowWalk
from sparing.model.bill import Bill, MessageKind, total
from sparing.model.policy import DecisionRule
from sparing.model.types import END_OF_TIME
from sparing.workloads.batches import batches
from sparing.workloads.workload import Workload
from sparing_lab.study.mna.grid import MnaCell
from sparing_lab.study.mna.row import MnaRow

# The paper's own, then ours, then the two extremes.
STUDIED = ("adock", "wad", "bat", "static", "wad-live", "patience", "publisher-edge", "subscriber-edge")
HOLDS = "publisher-edge"  # a policy under which only what plain subscriptions want is sent on arrival
ROUNDS = 3  # of walks under all policies in turn, so that what disturbs one hardly favours another; the fastest counts

T = TypeVar("T")


def studied() -> tuple[str, ...]:
    """The policies of the study that there are."""
    return tuple(name for name in STUDIED if name in list(DecisionRule))


def measure(cell: MnaCell, policies: Sequence[str] | None = None) -> list[MnaRow]:
    """A row for each policy (all of the study's, if none are named)."""
    names = studied() if policies is None else tuple(policies)
    _warm_up(cell.workload, names)
    return _measure(cell, names)


@cache
def _warm_up(workload: str, policies: tuple[str, ...]) -> None:
    """Once in a process, so that nobody's time includes compiling."""
    _measure(MnaCell(workload, rate=40, subscriptions=30, window=10, slide=5, duration=30), policies)


def _measure(cell: MnaCell, policies: Sequence[str]) -> list[MnaRow]:
    made = cell.made()
    plan = plan_of(Deployment.of(made.description))
    interests = {name: Interests.of(plan.with_policy(decision=name)) for name in policies}
    entrances: dict[Hashable, _Arrivals] = {}
    holding = Interests.of(plan.with_policy(decision=HOLDS))
    for found in (*interests.values(), holding):
        entrances.setdefault(_kind(found), _Arrivals(AtOnce(found)))
    for publications in batches(made, plan):
        for entrance in entrances.values():
            entrance.take(publications)
    rounds = [
        {name: _timed(partial(_walk, found, entrances[_kind(found)])) for name, found in interests.items()}
        for _ in range(ROUNDS)
    ]
    plain = entrances[_kind(holding)].bill.between_brokers()
    return [
        _row(
            cell,
            name,
            made,
            plain,
            entrances[_kind(found)],
            rounds[0][name][0],
            min(walked[name][1] for walked in rounds),
        )
        for name, found in interests.items()
    ]


def _kind(interests: Interests) -> Hashable:
    """What arrivals depend on: policies of one kind can share them."""
    names, group_of = interests.groups
    return interests.flags.tobytes(), names, group_of.tobytes()


@dataclass
class _Arrivals:
    """What happens on arrival, and what is held until windows end, by interest group."""

    at_once: AtOnce
    held: dict[str, list[Matched]] = field(default_factory=dict)
    bill: Bill = field(default_factory=Bill)
    seconds: float = 0.0

    def take(self, publications: Publications) -> None:
        def arrive() -> list[Arrival]:
            return list(self.at_once.arrive(publications))

        arrivals, seconds = _timed(arrive)
        self.seconds += seconds
        for arrival in arrivals:
            self.bill.update(arrival.bill)
            for group, matched in arrival.held.items():
                self.held.setdefault(group, []).append(matched)


def _walk(interests: Interests, entrance: _Arrivals) -> Bill:
    """The walk of everything that is held, to the end of time."""
    overlay, bill = WindowWalk(interests), Bill()
    for group in sorted(entrance.held):
        _, outcome = overlay.advance(None, entrance.held[group], END_OF_TIME)
        bill.update(outcome.bill)
    return bill


def _row(
    cell: MnaCell, policy: str, made: Workload, plain: int, entrance: _Arrivals, walked: Bill, seconds: float
) -> MnaRow:
    """The row of a policy; `plain` messages between brokers are sent for plain subscriptions, whatever the policy."""
    whole = total([entrance.bill, walked])
    by_kind = whole.by_kind()
    return MnaRow(
        cell,
        policy,
        made.size,
        made.selectivity,
        whole.between_brokers(),
        whole.between_brokers() - plain,
        by_kind.get(MessageKind.RESULT.value, 0),
        by_kind.get(MessageKind.NOTIFICATION.value, 0),
        entrance.seconds,
        seconds,
    )


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    begun = time.process_time()
    done = work()
    return done, time.process_time() - begun
