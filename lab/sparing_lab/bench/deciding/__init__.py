"""What decisions cost: ADOCK beside the other link policies, and beside Algorithm 1 as the paper writes it.

A cell (`settings`) is a trace of the stock workload with so many subscriptions and one kind of window. Its walks
(`walks`) are set out once under every policy, then walked in turn, again and again, and only the compiled walk is
timed. `literal` answers a sample of ADOCK's decisions with two maximum matchings each, which must agree. `decide`
measures all (`measure`); `Figures` tells what came of it (`figures`). One process, no Spark session.
"""

from sparing_lab.bench.deciding.figures import Figure, Figures
from sparing_lab.bench.deciding.literal import Literal, literal
from sparing_lab.bench.deciding.measure import decide
from sparing_lab.bench.deciding.settings import Cell, Settings

__all__ = ["Cell", "Figure", "Figures", "Literal", "Settings", "decide", "literal"]
