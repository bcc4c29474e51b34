"""The matchmaker on overlays of up to 100,000 links, beside the paper's algorithm and libraries for flows, in one run.

Overlays, publishers and subscribers are made up from a seed (`settings`). `engines` mark the links, each in its own
way, and must agree. `measure` takes them in turn, and the steps of Sparing one by one. `Figures` tells what came of it
(`figures`).
"""

from sparing_lab.bench.matchmaker.figures import Beside, Figure, Figures, Flowless
from sparing_lab.bench.matchmaker.measure import matchmaker
from sparing_lab.bench.matchmaker.settings import Case, Settings

__all__ = ["Beside", "Case", "Figure", "Figures", "Flowless", "Settings", "matchmaker"]
