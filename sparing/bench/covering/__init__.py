"""Covering against what people would use instead: the same boxes, the same result, in one run.

`boxes` are drawn from a seed. `engines` find what AncestorCoverK forwards of them, each in its own way, and must agree.
`measure` takes them in turn, a size at a time; `changes` measures boxes that come and go one by one. `Figures` tells what
came of it (`figures`).
"""

from sparing.bench.covering.boxes import Boxes, boxes
from sparing.bench.covering.changes import Change, changes
from sparing.bench.covering.engines import ENGINES, Engine
from sparing.bench.covering.figures import Figure, Figures
from sparing.bench.covering.measure import cover
from sparing.bench.covering.settings import Case, Settings

__all__ = [
    "ENGINES",
    "Boxes",
    "Case",
    "Change",
    "Engine",
    "Figure",
    "Figures",
    "Settings",
    "boxes",
    "changes",
    "cover",
]
