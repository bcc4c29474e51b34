"""Repeatable walks: their initial arrays are kept, and each run processes a copy."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from sparing.compiled import compiled
from sparing.control.plan import Plan
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.flow.arrival.at_once import AtOnce
from sparing.flow.arrival.matched import Matched
from sparing.flow.interests import Interests
from sparing.flow.links import POLICIES
from sparing.flow.links.decide import RULES
from sparing.flow.links.policy import LinkPolicy, look_up
from sparing.flow.windows.kernels.arrays import (
    DEGREES,
    DEPTH,
    EVERY,
    ITEMS,
    MATCHING,
    RULE,
    TURN,
    WATCHED,
    WindowArrays,
    by_reference,
)
from sparing.flow.windows.kernels.places import held_results
from sparing.flow.windows.kernels.run import held_rows, links_of, run
from sparing.flow.windows.window_walk import WindowWalk
from sparing.model.policy import DecisionRule
from sparing.model.types import END_OF_TIME
from sparing.workloads.batches import batches
from sparing_lab.bench.deciding.cells import DecideCase

Held = Mapping[str, list[Matched]]  # interest group -> its publications, with what they match


# Setting out


def match(cell: DecideCase) -> tuple[Plan, Held]:
    """The plan of a cell's deployment, and its publications as they wait for windows to end."""
    made = cell.made()
    plan = plan_of(Deployment.of(made.description))
    at_once = AtOnce(Interests(plan, POLICIES[DecisionRule.ADOCK]))
    held: dict[str, list[Matched]] = {}
    for publications in batches(made, plan):
        for arrival in at_once.arrive(publications):
            for group, matched in arrival.held.items():
                held.setdefault(group, []).append(matched)
    return plan, held


def _keeping(policy: LinkPolicy, walks_taken: list[WindowArrays]) -> LinkPolicy:
    """A link policy that keeps the arrays of every walk as they are when it sets out."""

    class Keeping(type(policy)):  # type: ignore[misc]
        def table(self, arrays: WindowArrays, links: np.ndarray, subscriptions: np.ndarray) -> np.ndarray | None:
            """The last that a policy is asked before a walk."""
            walks_taken.append(copied(arrays))
            found: np.ndarray | None = super().table(arrays, links, subscriptions)
            return found

    return Keeping(**vars(policy))


def set_out(plan: Plan, held: Held, name: str) -> list[WindowArrays]:
    """The walks of everything that is held under a policy: one for each group, or one for all that belong together."""
    walks_taken: list[WindowArrays] = []
    policy = _keeping(POLICIES[DecisionRule(name)], walks_taken)
    overlay = WindowWalk(Interests(plan, policy))
    groups = [held[group] for group in sorted(held)]
    for arrivals in [list(chain(*groups))] if policy.one_group else groups:
        overlay.advance(None, arrivals, END_OF_TIME)
    return walks_taken


def copied(arrays: WindowArrays) -> WindowArrays:
    """Return copies of the arrays, since a walk changes them."""
    return WindowArrays(*[array.copy() for array in arrays])


# Walking


def rounds(walks: Mapping[str, Sequence[WindowArrays]], repeat: int) -> dict[str, list[list[float]]]:
    """CPU seconds of all walks: name -> walk -> repetition. They take turns, so that what disturbs one hits all."""
    found: dict[str, list[list[float]]] = {name: [[] for _ in walks_taken] for name, walks_taken in walks.items()}
    for at in range(max(map(len, walks.values()))):
        for _ in range(repeat):
            for name, walks_taken in walks.items():
                if at < len(walks_taken):
                    found[name][at].append(_seconds(walks_taken[at]))
    return found


def _seconds(arrays: WindowArrays) -> float:
    walk = copied(arrays)
    begun = time.thread_time()
    run(walk, first_turns(walk))
    return time.thread_time() - begun


def first_turns(arrays: WindowArrays) -> np.ndarray:
    """Return the first turns of links by their number of upstream links, for `run`."""
    return np.zeros(arrays.height[arrays.goals, arrays.goals].max(initial=0) + 1, dtype=np.int64)


# Looking at decisions


@dataclass(frozen=True)
class Decision:
    """What a link holds for an NWR that it is about to decide: rows, and a number of partial results.

    Afterwards `aggregated[link]` of the arrays has the decision, until the link's next one.
    """

    link: int
    nwr: int
    rows: np.ndarray
    results: int


def turns(walk: WindowArrays) -> Iterator[list[Decision]]:
    """Walk, and return the decisions of each turn before they are made. Those of one turn are independent."""
    walk.numbers[WATCHED] = EVERY
    upcoming = first_turns(walk)
    while count := next_turn(walk, upcoming):
        nwr = int(walk.numbers[TURN])
        yield [Decision(link, nwr, *held(walk, link, nwr)) for link in walk.touched[:count].tolist()]


@compiled
def next_turn(arrays: WindowArrays, upcoming: np.ndarray) -> int:
    """Run to the next turn in which links decide; write them to `touched` and return their number, 0 at the end."""
    while run(arrays, upcoming):
        found: int = links_of(by_reference(arrays), arrays.numbers[TURN], arrays.numbers[DEPTH], False)
        if found:
            return found
    return 0


@compiled
def held(arrays: WindowArrays, link: int, nwr: int) -> tuple[np.ndarray, int]:
    """Return the rows that a link holds for an NWR, and the number of its partial results."""
    count = held_rows(by_reference(arrays), link, nwr)
    return arrays.items[:count].copy(), held_results(arrays, link, nwr)


def decisions(walks_taken: Sequence[WindowArrays]) -> int:
    """Return the number of decisions of walks."""
    return sum(len(found) for arrays in walks_taken for found in turns(copied(arrays)))


def replay(arrays: WindowArrays) -> WindowArrays:
    """Return a walk that looks up the same decisions; the time that it saves is the cost of decisions."""
    walk = copied(arrays)
    table = np.zeros((len(walk.links), len(walk.nwrs)), dtype=bool)
    before: list[Decision] = []
    for found in turns(walk):
        _note(before, walk, table)
        before = found
    _note(before, walk, table)
    same = copied(arrays)._replace(table=table)
    same.numbers[[RULE, DEGREES, MATCHING, ITEMS]] = RULES.index(look_up), 0, 0, 0
    return same


def _note(decided: list[Decision], walk: WindowArrays, table: np.ndarray) -> None:
    for decision in decided:
        table[decision.link, decision.nwr] = walk.aggregated[decision.link]
