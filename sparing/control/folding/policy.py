"""How a plan folds: by which method, how far, and what it expects of leaves."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from sparing.control.folding.aa import aa
from sparing.control.folding.mefa import mefa
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
        return round(SHARE * problem.possible()) if self.theta is None else self.theta

    def fold(self, problem: Problem, first: np.ndarray | None = None) -> Folds:
        """Clusters by the method; `first` are some to start from, as far as the method knows how to."""
        theta = self.target(problem)
        match self.method:
            case Folding.NONE:
                return Folds(np.arange(len(problem)), 0, 0.0)
            case Folding.MEFA:
                return mefa(problem, theta, self.delta, first)
            case Folding.SPA:
                return spa(problem, theta)
            case Folding.AA:
                return aa(problem, theta)


UNFOLDED = FoldingPolicy()
