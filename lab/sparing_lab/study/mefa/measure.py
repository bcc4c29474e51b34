"""Folds of samples with every method. One process, no Spark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import ceil
from typing import NamedTuple

from sparing.control.folding.aa import aa
from sparing.control.folding.measures import cost_of, saved
from sparing.control.folding.mefa import mefa
from sparing.control.folding.problem import Folds, Problem, counted
from sparing.control.folding.spa import spa
from sparing_lab.algorithms.exact import exact
from sparing_lab.algorithms.literal_mefa import Account, literal_mefa
from sparing_lab.study.mefa.churn import churn
from sparing_lab.study.mefa.grid import (
    AA,
    DO,
    DRAWN,
    EXACT,
    GAMMAS,
    LINKS,
    MEFA,
    METHODS,
    PAIRS,
    PRINTED,
    SHARES,
    SPA,
    THETA,
    FoldingBatch,
    MefaExperiment,
    MefaPoint,
    ds,
)
from sparing_lab.study.mefa.row import MefaRow
from sparing_lab.study.mefa.sample import FoldingSample, draw

ANY = -1.0  # below all similarities, so that SPA and AA stop only at their target

FOLDS: Mapping[str, Callable[[Problem, int], Folds]] = {
    MEFA: mefa,
    SPA: partial(spa, similarity=ANY),
    AA: partial(aa, similarity=ANY),
    EXACT: exact,
}


class Asked(NamedTuple):
    """One sample, and the target of a method."""

    point: MefaPoint
    sample: int
    tree: str
    target: str
    method: str
    moved: int = 0


def measure(batch: FoldingBatch) -> list[MefaRow]:
    """Return the rows of a batch of samples."""
    rows = []
    for number in batch.numbers:
        rows += MEASURES[batch.point.kind](draw(batch, number), batch.point, number)
    return rows


def _methods(sample: FoldingSample, point: MefaPoint, number: int) -> list[MefaRow]:
    """Fold with every method, for every target."""
    problem = sample.problem()
    printed = _in_pairs(problem, point, number, DRAWN)
    thetas = {PAIRS: printed.benefit, **_thetas(problem)}
    return [
        printed,
        *(
            _folded(problem, Asked(point, number, DRAWN, target, method), theta)
            for target, theta in thetas.items()
            for method in METHODS
        ),
    ]


def _trees(sample: FoldingSample, point: MefaPoint, number: int) -> list[MefaRow]:
    """Fold with MEFA on DO and DS trees, with the targets of the DO tree."""
    nearest = sample.do()
    problem = sample.problem(nearest)
    printed = _in_pairs(problem, point, number, DO)
    thetas = {PAIRS: printed.benefit, **_thetas(problem)}
    rows = [printed]
    for tree, homes in {DO: nearest, **{ds(gamma): sample.ds(gamma) for gamma in GAMMAS}}.items():
        problem = sample.problem(homes)
        moved = sum(one != other for one, other in zip(homes, nearest, strict=True))
        rows += [
            _folded(problem, Asked(point, number, tree, target, MEFA, moved), theta) for target, theta in thetas.items()
        ]
    return rows


def _exact(sample: FoldingSample, point: MefaPoint, number: int) -> list[MefaRow]:
    """Find the best clusters, and fold with every method."""
    problem = sample.problem()
    return [
        _folded(problem, Asked(point, number, DRAWN, target, method), theta)
        for target, theta in _thetas(problem).items()
        if target in SHARES
        for method in (EXACT, *METHODS)
    ]


MEASURES: Mapping[MefaExperiment, Callable[[FoldingSample, MefaPoint, int], list[MefaRow]]] = {
    MefaExperiment.AGGREGATION: _methods,
    MefaExperiment.FACEBOOK: _methods,
    MefaExperiment.TREES: _trees,
    MefaExperiment.EXACT: _exact,
    MefaExperiment.CHURN: churn,
}


def _thetas(problem: Problem) -> dict[str, int]:
    """Return target -> number of links to save."""
    possible = problem.possible()
    return {LINKS: THETA, **{target: ceil(share * possible) for target, share in SHARES.items()}}


def _folded(problem: Problem, asked: Asked, theta: int) -> MefaRow:
    return _row(problem, FOLDS[asked.method](problem, theta), asked, theta)


def _in_pairs(problem: Problem, point: MefaPoint, number: int, tree: str) -> MefaRow:
    """Fold with MEFA as printed, which adds up the benefits of all pairs that it takes."""
    folds = literal_mefa(problem, THETA, account=Account.PAIRS)
    return _row(problem, folds, Asked(point, number, tree, PAIRS, PRINTED), THETA)


def _row(problem: Problem, folds: Folds, asked: Asked, theta: int) -> MefaRow:
    """Compute benefit and cost from the clusters, independent of the method's own account."""
    return MefaRow(
        **asked._asdict(),
        theta=theta,
        told=int(counted(problem.links).sum()),
        possible=problem.possible(),
        benefit=int(saved(problem, folds.of)),
        cost=float(cost_of(problem, folds.of)),
    )
