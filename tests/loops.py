"""Compiles the loops that many tests run, while other checks take place: `python -m tests.loops`.

Otherwise the processes that run the tests would all begin by compiling the same.
"""

from pathlib import Path

from sparing.control.folding.aa import aa
from sparing.control.folding.mefa import mefa
from sparing.control.folding.problem import Problem
from sparing.control.folding.spa import spa
from sparing.deployment.deployment import Deployment
from sparing.flow.warm import warm_up

EVERYTHING = Path(__file__).parents[1] / "docs" / "examples" / "everything.yaml"


def compile_loops() -> None:
    """Those of the walk and of folding: the others take seconds."""
    problem = Problem.on_tree([0, 0, 1], [2, 2, 1], [(0, 4), (3, 10), (4, 9)])
    for fold in (spa, aa, mefa):
        fold(problem, theta=1)
    warm_up(Deployment.read(EVERYTHING), bound=True)


if __name__ == "__main__":
    compile_loops()
