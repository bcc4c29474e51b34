"""Folding by the method and target of a policy."""

from __future__ import annotations

import numpy as np

from sparing.control.folding.aa import aa
from sparing.control.folding.mefa import ANY, mefa
from sparing.control.folding.problem import Folds, Problem
from sparing.control.folding.spa import spa
from sparing.model.policy import Folding, Policy

SHARE = 0.5  # of the possible benefit, for `theta: auto`


def target(policy: Policy, problem: Problem) -> int:
    """Return the benefit to reach (theta)."""
    return round(reachable(policy, problem.possible())) if policy.theta is None else policy.theta


def reachable(policy: Policy, possible: int) -> float:
    """Return the benefit to reach, at most the possible one."""
    return SHARE * possible if policy.theta is None else min(policy.theta, possible)


def fold(policy: Policy, problem: Problem) -> Folds:
    """Return the clusters of the policy's method."""
    theta = target(policy, problem)
    match policy.folding:
        case Folding.NONE:
            return Folds(np.arange(len(problem)), 0, 0.0)
        case Folding.MEFA:
            return mefa(problem, theta, policy.delta)
        case Folding.SPA:
            return spa(problem, theta, ANY)
        case Folding.AA:
            return aa(problem, theta, ANY)


def fold_further(policy: Policy, problem: Problem, first: np.ndarray) -> Folds:
    """Return the clusters after MEFA joins the `first` ones, of any method, further."""
    return mefa(problem, target(policy, problem), policy.delta, first)
