"""What each technique saves on workloads that differ in what is sent most: `sparing bench savings`."""

from sparing_lab.bench.savings.cases import CASES, Case
from sparing_lab.bench.savings.figures import Figures
from sparing_lab.bench.savings.measure import savings

__all__ = ["CASES", "Case", "Figures", "savings"]
