"""Constructed measurements with comparisons that can be computed by hand."""

from sparing_lab.study.mna.grid import MnaCell, MnaScale
from sparing_lab.study.mna.measure import STUDIED
from sparing_lab.study.mna.results import MnaResults
from sparing_lab.study.mna.row import MnaRow

TINY = MnaScale(
    "tiny",
    duration=100.0,
    rates={"traffic": (162, 1080), "stock": (465, 2790)},
    subscriptions=(90, 180, 270, 360),
    ratios=(1.5, 6),
)
PLAIN = 9000  # messages for plain subscriptions in every cell
MESSAGES = {"static": 1000, "adock": 1020, "wad": 1071, "bat": 2040}  # for aggregation; others as many as static


def row(cell: MnaCell, policy: str) -> MnaRow:
    walk = {"adock": 3.0, "wad": 1.0}.get(policy, 2.0)
    messages = MESSAGES.get(policy, 1000)
    return MnaRow(cell, policy, 500, 0.02, PLAIN + messages, messages, messages // 10, 50, 1.0, walk)


def results(policies=STUDIED) -> MnaResults:
    return MnaResults(TINY, [row(cell, policy) for cell in TINY.cells() for policy in policies])
