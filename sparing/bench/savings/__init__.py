"""What each technique saves on workloads that differ in what is sent most: `sparing bench savings`."""

from sparing.bench.savings.cases import CASES, Case
from sparing.bench.savings.figures import Figures
from sparing.bench.savings.measure import savings

__all__ = ["CASES", "Case", "Figures", "savings"]
