"""How a plan folds: by which method, how far, and what it expects of leaves."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from sparing.control.folding.aa import aa
from sparing.control.folding.mefa import ANY, mefa
from sparing.control.folding.problem import Folds, Problem
from sparing.control.folding.spa import spa

SHARE = 0.5  # of the benefit possible, which `theta: auto` asks for


class Folding(StrEnum):
    """How subscriptions are folded."""

    NONE = "none"
    MEFA = "mefa"
    SPA = "spa"
    AA = "aa"


@dataclass(frozen=True)
class FoldingPolicy:
    """`theta` is the benefit to reach (None: a share of what is possible), `delta` the least benefit for its cost.

    A leave is known so much later (`hop`, microseconds) for every hop; `rate` publications a second are expected of
    every publisher, all over the topic.
    """

    method: Folding = Folding.NONE
    theta: int | None = None
    delta: float = 0.0
    hop: int = 1_000_000
    rate: float = 1.0

    def target(self, problem: Problem) -> int:
        """The benefit to reach."""
        return round(self.share_of(problem.possible())) if self.theta is None else self.theta

    def share_of(self, possible: int) -> float:
        """The benefit to reach, as far as it is possible."""
        return SHARE * possible if self.theta is None else min(self.theta, possible)

    def fold(self, problem: Problem) -> Folds:
        """Clusters by the method."""
        theta = self.target(problem)
        match self.method:
            case Folding.NONE:
                return Folds(np.arange(len(problem)), 0, 0.0)
            case Folding.MEFA:
                return mefa(problem, theta, self.delta)
            case Folding.SPA:
                return spa(problem, theta, ANY)
            case Folding.AA:
                return aa(problem, theta, ANY)

    def further(self, problem: Problem, first: np.ndarray) -> Folds:
        """Clusters that come of joining some more, whatever the method that made them."""
        return mefa(problem, self.target(problem), self.delta, first)


UNFOLDED = FoldingPolicy()
