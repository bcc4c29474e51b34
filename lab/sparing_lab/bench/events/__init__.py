"""Merging events on Spark, beside a plain Spark SQL job that only groups reports; and growth with events in flight.

`settings` says what is measured, on incidents that are made up from a seed. `measure` runs the whole pipeline as a
batch beside its peer, and the walk alone, in this process, with more and more events under way at the same time.
"""

from sparing_lab.bench.events.figures import Figures, InFlight, OnSpark
from sparing_lab.bench.events.measure import events
from sparing_lab.bench.events.settings import Settings

__all__ = ["Figures", "InFlight", "OnSpark", "Settings", "events"]
