"""Folding as a policy says: by which method, and how far."""

from __future__ import annotations

import numpy as np

from sparing.control.folding.aa import aa
from sparing.control.folding.mefa import ANY, mefa
from sparing.control.folding.problem import Folds, Problem
from sparing.control.folding.spa import spa
from sparing.model.policy import Folding, Policy

SHARE = 0.5  # of the benefit possible, which `theta: auto` asks for


def target(policy: Policy, problem: Problem) -> int:
    """The benefit to reach."""
    return round(reachable(policy, problem.possible())) if policy.theta is None else policy.theta


def reachable(policy: Policy, possible: int) -> float:
    """The benefit to reach, as far as it is possible."""
    return SHARE * possible if policy.theta is None else min(policy.theta, possible)


def fold(policy: Policy, problem: Problem) -> Folds:
    """Clusters by the policy's method."""
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
    """Clusters that come of joining some more, whatever the method that made the `first` ones."""
    return mefa(problem, target(policy, problem), policy.delta, first)
