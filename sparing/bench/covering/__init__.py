"""Covering beside what people would write instead: boxes that k better ones contain are left out."""

from sparing.bench.covering.measure import cover
from sparing.bench.covering.settings import Settings

__all__ = ["Settings", "cover"]
