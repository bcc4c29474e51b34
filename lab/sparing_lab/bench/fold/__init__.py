"""Folding up to 100,000 subscriptions by MEFA, beside SPA and AA, and beside MEFA as printed where that runs.

Trees, homes and ranges are made up from a seed (`settings`). `measure` times the methods and holds their costs against
each other. `Figures` tells what came of it (`figures`).
"""

from sparing_lab.bench.fold.figures import Beside, Figure, Figures
from sparing_lab.bench.fold.measure import fold
from sparing_lab.bench.fold.settings import Case, Settings

__all__ = ["Beside", "Case", "Figure", "Figures", "Settings", "fold"]
