"""The study as it is run: `sparing study matchmaker`."""

from __future__ import annotations

from sparing_lab.study.matchmaker.figures import (
    COSTS_TITLE,
    FAILURES_TITLE,
    MONOTONE_TITLE,
    costs_table,
    failures_table,
    monotone_table,
)
from sparing_lab.study.matchmaker.grid import MIDDLE, SCALES
from sparing_lab.study.matchmaker.measure import measure
from sparing_lab.study.matchmaker.page import WORDS, exhibits, told
from sparing_lab.study.matchmaker.printed import comparisons
from sparing_lab.study.matchmaker.results import Results
from sparing_lab.study.matchmaker.row import Row
from sparing_lab.study.study import Shown, Study, Titled


def show(scale: str, rows: list[Row]) -> Shown:
    """Everything that is shown of measurements."""
    results = Results(SCALES[scale], rows)
    few = [MIDDLE, results.scale.by_subscribers[-1], results.scale.by_publishers[-1]]
    return Shown(
        WORDS,
        told(results.scale),
        comparisons(results),
        exhibits(results),
        [
            Titled(COSTS_TITLE, costs_table(results)),
            Titled(FAILURES_TITLE, failures_table(results, few)),
            Titled(MONOTONE_TITLE, monotone_table(results, few)),
        ],
    )


STUDY = Study("matchmaker", Row, lambda scale: SCALES[scale].cells(), measure, show)
