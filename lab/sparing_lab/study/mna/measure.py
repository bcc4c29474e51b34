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
    """Return the policies of the study."""
    return tuple(name for name in STUDIED if name in list(DecisionRule))


def measure(cell: MnaCell, policies: Sequence[str] | None = None) -> list[MnaRow]:
    """Return a row for each policy (default: all of the study's)."""
    names = studied() if policies is None else tuple(policies)
    _warm_up(cell.workload, names)
    return _measure(cell, names)


@cache
def _warm_up(workload: str, policies: tuple[str, ...]) -> None:
    """Compile everything once per process, before any measurement."""
    _measure(MnaCell(workload, rate=40, subscriptions=30, window=10, slide=5, duration=30), policies)


def _measure(cell: MnaCell, policies: Sequence[str]) -> list[MnaRow]:
    made = cell.made()
    plan = plan_of(Deployment.of(made.description))
    interests = {name: Interests.of(plan.with_policy(decision=name)) for name in policies}
    arrivals_by_kind: dict[Hashable, _Arrivals] = {}
    holding = Interests.of(plan.with_policy(decision=HOLDS))
    for found in (*interests.values(), holding):
        arrivals_by_kind.setdefault(_kind(found), _Arrivals(AtOnce(found)))
    for publications in batches(made, plan):
        for arrivals in arrivals_by_kind.values():
            arrivals.take(publications)
    rounds = [
        {name: _timed(partial(_walk, found, arrivals_by_kind[_kind(found)])) for name, found in interests.items()}
        for _ in range(ROUNDS)
    ]
    plain = arrivals_by_kind[_kind(holding)].bill.between_brokers()
    return [
        _row(
            cell,
            name,
            made,
            arrivals=arrivals_by_kind[_kind(found)],
            walk_bill=rounds[0][name][0],
            walk_seconds=min(walks[name][1] for walks in rounds),
            plain=plain,
        )
        for name, found in interests.items()
    ]


def _kind(interests: Interests) -> Hashable:
    """Return the properties that arrivals depend on; policies that agree in them share arrivals."""
    names, group_of = interests.groups
    return interests.held.tobytes(), interests.raw.tobytes(), names, group_of.tobytes()


@dataclass
class _Arrivals:
    """Return the bill of arrivals, and the publications held until windows end, by interest group."""

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


def _walk(interests: Interests, arrivals: _Arrivals) -> Bill:
    """Return the bill of all held publications, walked to the end of time."""
    walk, bill = WindowWalk(interests), Bill()
    for group in sorted(arrivals.held):
        _, outcome = walk.advance(None, arrivals.held[group], END_OF_TIME)
        bill.update(outcome.bill)
    return bill


def _row(
    cell: MnaCell,
    policy: str,
    made: Workload,
    *,
    arrivals: _Arrivals,
    walk_bill: Bill,
    walk_seconds: float,
    plain: int,
) -> MnaRow:
    """Return the row of a policy; `plain` messages are for plain subscriptions, under all policies the same."""
    whole = total([arrivals.bill, walk_bill])
    by_kind = whole.by_kind()
    return MnaRow(
        cell=cell,
        policy=policy,
        publications=made.size,
        selectivity=made.selectivity,
        messages=whole.between_brokers(),
        for_aggregation=whole.between_brokers() - plain,
        results=by_kind.get(MessageKind.RESULT.value, 0),
        notifications=by_kind.get(MessageKind.NOTIFICATION.value, 0),
        matching_seconds=arrivals.seconds,
        walk_seconds=walk_seconds,
    )


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    begun = time.process_time()
    done = work()
    return done, time.process_time() - begun
