"""Measure one cell: fold the subscriptions of its samples. One process, no Spark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import ceil

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
    Cell,
    Kind,
    Point,
    ds,
)
from sparing_lab.study.mefa.row import Row
from sparing_lab.study.mefa.sample import Sample, draw

ANY = -1.0  # below all similarities: SPA and AA go on until they have saved what they were asked for

FOLDS: Mapping[str, Callable[[Problem, int], Folds]] = {
    MEFA: mefa,
    SPA: partial(spa, similarity=ANY),
    AA: partial(aa, similarity=ANY),
    EXACT: exact,
}


def measure(cell: Cell) -> list[Row]:
    """The rows of a cell."""
    found = []
    for number in range(cell.first, cell.first + cell.count):
        found += MEASURES[cell.point.kind](draw(cell, number), cell.point, number)
    return found


def _methods(sample: Sample, point: Point, number: int) -> list[Row]:
    """All methods, for all that is to be saved."""
    problem = sample.problem()
    printed = _in_pairs(problem, point, number, DRAWN)
    thetas = {PAIRS: printed.benefit, **_thetas(problem)}
    asked = [(target, method, theta) for target, theta in thetas.items() for method in METHODS]
    return [printed, *(_folded(problem, point, number, DRAWN, *one) for one in asked)]


def _trees(sample: Sample, point: Point, number: int) -> list[Row]:
    """MEFA on DO and DS trees, asked to save as much on all of them as on the first."""
    nearest = sample.do()
    problem = sample.problem(nearest)
    printed = _in_pairs(problem, point, number, DO)
    thetas = {PAIRS: printed.benefit, **_thetas(problem)}
    rows = [printed]
    for tree, homes in {DO: nearest, **{ds(gamma): sample.ds(gamma) for gamma in GAMMAS}}.items():
        problem = sample.problem(homes)
        moved = sum(one != other for one, other in zip(homes, nearest, strict=True))
        rows += [_folded(problem, point, number, tree, target, MEFA, theta, moved) for target, theta in thetas.items()]
    return rows


def _exact(sample: Sample, point: Point, number: int) -> list[Row]:
    """The best clusters, and what methods find."""
    problem = sample.problem()
    thetas = {target: theta for target, theta in _thetas(problem).items() if target in SHARES}
    asked = [(target, method, theta) for target, theta in thetas.items() for method in (EXACT, *METHODS)]
    return [_folded(problem, point, number, DRAWN, *one) for one in asked]


MEASURES: Mapping[Kind, Callable[[Sample, Point, int], list[Row]]] = {
    Kind.AGGREGATION: _methods,
    Kind.FACEBOOK: _methods,
    Kind.TREES: _trees,
    Kind.EXACT: _exact,
    Kind.CHURN: churn,
}


def _thetas(problem: Problem) -> dict[str, int]:
    """Target -> how many links are to be saved."""
    possible = problem.possible()
    return {LINKS: THETA, **{target: ceil(share * possible) for target, share in SHARES.items()}}


def _folded(
    problem: Problem, point: Point, number: int, tree: str, target: str, method: str, theta: int, moved: int = 0
) -> Row:
    return _row(problem, FOLDS[method](problem, theta), point, number, tree, target, method, theta, moved)


def _in_pairs(problem: Problem, point: Point, number: int, tree: str) -> Row:
    """MEFA as printed, with the slides' account: the benefits of all pairs that were taken are added up."""
    folds = literal_mefa(problem, THETA, account=Account.PAIRS)
    return _row(problem, folds, point, number, tree, PAIRS, PRINTED, THETA, moved=0)


def _row(
    problem: Problem,
    folds: Folds,
    point: Point,
    number: int,
    tree: str,
    target: str,
    method: str,
    theta: int,
    moved: int,
) -> Row:
    """Benefit and cost are worked out from the clusters, whatever the method says."""
    return Row(
        point.kind.value,
        point.nodes,
        point.subscribers,
        point.average,
        point.distribution.value,
        number,
        tree,
        target,
        method,
        theta,
        told=int(counted(problem.links).sum()),
        possible=problem.possible(),
        benefit=int(saved(problem, folds.of)),
        cost=float(cost_of(problem, folds.of)),
        moved=moved,
    )
