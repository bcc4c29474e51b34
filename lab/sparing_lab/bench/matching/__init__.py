"""Matching against what people would use instead: the same events, the same subscriptions, in one run.

Every engine (`engines`) runs single threaded in a process of its own (`processes`), draws the same workload (`shapes`)
from the same seed, and must find as many pairs (event, subscription) as Sparing does. `match` measures them in turn
(`measure`), `small` what is too short for that (`latencies`); `Figures` tells what came of it (`figures`).
"""

from sparing_lab.bench.matching.engines import ENGINES, NumpyLoop, SparkJoin
from sparing_lab.bench.matching.figures import Figure, Figures
from sparing_lab.bench.matching.latencies import Timing, small
from sparing_lab.bench.matching.measure import match
from sparing_lab.bench.matching.processes import Process, Run, Skipped, Worker
from sparing_lab.bench.matching.settings import Case, Settings
from sparing_lab.bench.matching.shapes import COMMON, RARE, SHAPES

__all__ = [
    "COMMON",
    "ENGINES",
    "RARE",
    "SHAPES",
    "Case",
    "Figure",
    "Figures",
    "NumpyLoop",
    "Process",
    "Run",
    "Settings",
    "Skipped",
    "SparkJoin",
    "Timing",
    "Worker",
    "match",
    "small",
]
