"""Walks that can be repeated: their arrays are kept as they set out, and each time a copy is walked."""

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
from sparing.flow.windows.kernels.arrays import DEGREES, DEPTH, EVERY, MATCHING, RULE, STOPPED, WATCHED, WindowArrays
from sparing.flow.windows.kernels.run import run
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
    run(walk, _first_turns(walk))
    return time.thread_time() - begun


def _first_turns(arrays: WindowArrays) -> np.ndarray:
    return np.zeros(arrays.bucket_of.shape[1], dtype=np.int64)


# Looking at decisions


@dataclass(frozen=True)
class Decision:
    """A link is about to decide an NWR that edges wait for."""

    link: int
    nwr: int
    edges: np.ndarray

    def aggregated(self, arrays: WindowArrays) -> bool:
        """How it was decided, once it has been: whether one partial result has all edges."""
        return bool((arrays.edges["part"][self.edges] == self.edges[0]).all())


def turns(walk: WindowArrays) -> Iterator[list[Decision]]:
    """Walk, and stop at every turn: what is about to be decided. Links of one turn do not depend on each other."""
    walk.numbers[WATCHED] = EVERY
    next_nwr, links = _first_turns(walk), np.zeros(len(walk.links), dtype=np.int64)
    while count := next_turn(walk, next_nwr, links):
        nwr = int(walk.numbers[STOPPED] // len(next_nwr))
        edges = walk.nwr_edges[walk.nwrs["first"][nwr] : walk.nwrs["last"][nwr]]
        place = walk.edges["place"][edges]
        yield [Decision(link, nwr, edges[place == link]) for link in links[:count].tolist()]


@compiled
def next_turn(arrays: WindowArrays, next_nwr: np.ndarray, links: np.ndarray) -> int:
    """Go on to the next turn in which links decide. Writes which, and returns how many: 0 at the end."""
    while run(arrays, next_nwr):
        nwr, depth = arrays.numbers[STOPPED] // len(next_nwr), arrays.numbers[DEPTH]
        goal, found = arrays.nwrs[nwr].goal, 0
        for i in range(arrays.nwrs[nwr].first, arrays.nwrs[nwr].last):
            link = arrays.edges[arrays.nwr_edges[i]].place
            if link >= 0 and arrays.height[arrays.links[link].source, goal] == depth:
                known = False
                for k in range(found):
                    known = known or links[k] == link
                if not known:
                    links[found] = link
                    found += 1
        if found:
            return found
    return 0


def decisions(walks_taken: Sequence[WindowArrays]) -> int:
    """Return the number of decisions of walks."""
    return sum(len(found) for arrays in walks_taken for found in turns(copied(arrays)))


def replay(arrays: WindowArrays) -> WindowArrays:
    """A walk with the same decisions, which are looked up: what it takes less than the other is their cost."""
    walk = copied(arrays)
    table = np.zeros((len(walk.links), len(walk.nwrs)), dtype=bool)
    before: list[Decision] = []
    for found in turns(walk):
        _note(before, walk, table)
        before = found
    _note(before, walk, table)
    same = copied(arrays)._replace(table=table)
    same.numbers[[RULE, DEGREES, MATCHING]] = RULES.index(look_up), 0, 0
    return same


def _note(decided: list[Decision], walk: WindowArrays, table: np.ndarray) -> None:
    for decision in decided:
        table[decision.link, decision.nwr] = decision.aggregated(walk)
