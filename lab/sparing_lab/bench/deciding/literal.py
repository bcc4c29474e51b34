"""Algorithm 1 as the paper writes it: two maximum matchings for every decision, by SciPy's Hopcroft-Karp.

An NWR is in some minimum vertex cover if and only if two dummy publications, which nobody else wants, leave the size of
a maximum matching as it was. That is asked for a sample of ADOCK's decisions, on the graphs as they are then, and the
answers must be ADOCK's own. Only the matchings are timed, not to get at the graph. Two calls take SciPy a while however
small a graph is; that is measured beside.

Paper: mna-aggregation, section VII-A.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from sparing.flow.windows.kernels.arrays import PATIENCE, WindowArrays
from sparing.flow.windows.kernels.graph import link_graph
from sparing.graphs.matching import maximum_matching
from sparing.model.errors import SparingError
from sparing_lab.bench.deciding.benchmark import Literal
from sparing_lab.bench.deciding.walks import Decision, copied, turns

SAMPLED = 400  # decisions, about
ONE = np.zeros(1, dtype=np.int64)

Graph = tuple[np.ndarray, np.ndarray]  # the left and the right end of each edge


def literal(walks_taken: Sequence[WindowArrays], total: int) -> Literal:
    """Answer a sample of so many decisions again."""
    every = max(1, total // SAMPLED)
    answers: list[_Answer] = []
    number = 0
    for arrays in walks_taken:
        walk = copied(arrays)
        before: list[_Answer] = []
        for found in turns(walk):
            _compare(before, walk)
            before = []
            for decision in found:
                number += 1
                if number % every == 0:
                    before.append(_answer(walk, decision))
            answers += before
        _compare(before, walk)
    edges, seconds, calls = (fmean(getattr(a, name) for a in answers) for name in ("edges", "seconds", "calls"))
    return Literal(len(answers), edges, seconds, calls)


@dataclass(frozen=True)
class _Answer:
    """A decision whether to aggregate, and the time it took."""

    decision: Decision
    aggregate: bool
    edges: int
    seconds: float
    calls: float


def _answer(walk: WindowArrays, decision: Decision) -> _Answer:
    left, right, node = graph(walk, decision)
    dummies = left.max() + 1 + np.arange(2)
    extended = np.concatenate([left, dummies]), np.concatenate([right, [node, node]])
    begun = time.thread_time()
    aggregate = matched((left, right)) == matched(extended)
    answered = time.thread_time()
    matched((ONE, ONE))
    matched((ONE, ONE))
    return _Answer(decision, aggregate, len(left), answered - begun, time.thread_time() - answered)


def graph(walk: WindowArrays, decision: Decision) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the ends of the edges of the link's matching graph (items, NWRs), and the number of the NWR to decide."""
    rows, of_rows = link_graph(walk, decision.link)
    items, left = np.unique(rows, return_inverse=True)
    of_results = _results(walk, decision)  # a partial result is one item, whatever it contains
    nwrs, right = np.unique(np.concatenate([of_rows, of_results]), return_inverse=True)
    left = np.concatenate([left, len(items) + np.arange(len(of_results))])
    return left, right, int(np.searchsorted(nwrs, decision.nwr))


def _results(walk: WindowArrays, decision: Decision) -> np.ndarray:
    """Return the NWR of each partial result that the link holds; without patience, all are of the NWR to decide."""
    if not walk.numbers[PATIENCE]:
        return np.full(decision.results, decision.nwr)
    return np.repeat(np.arange(len(walk.nwrs)), walk.results[decision.link :: len(walk.links)])


def matched(edges: Graph) -> int:
    """The size of a maximum matching."""
    return int(np.count_nonzero(maximum_matching(*edges) >= 0))


def _compare(answers: list[_Answer], walk: WindowArrays) -> None:
    for answer in answers:
        if walk.aggregated[answer.decision.link] != answer.aggregate:
            raise SparingError("ADOCK and Algorithm 1 disagree on a decision, which is a mistake in Sparing.")
