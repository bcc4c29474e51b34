"""Covering against what people would use instead: the same boxes, the same result, in one run.

Boxes are made up from a seed (`settings`). `engines` find what AncestorCoverK forwards of them, each in its own way,
and must agree. `measure` takes them in turn; `changes` measures boxes that come and go one by one. `Figures` tells what
came of it (`figures`).
"""

from sparing_lab.bench.covering.changes import Change
from sparing_lab.bench.covering.figures import Figure, Figures
from sparing_lab.bench.covering.measure import cover
from sparing_lab.bench.covering.settings import Case, Settings

__all__ = ["Case", "Change", "Figure", "Figures", "Settings", "cover"]
