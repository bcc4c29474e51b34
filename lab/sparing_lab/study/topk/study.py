"""The study as it is run: `sparing study topk`."""

from __future__ import annotations

from sparing_lab.study.study import Shown, Study, Titled
from sparing_lab.study.topk.figures import FAIRNESS_TITLE, fairness_table
from sparing_lab.study.topk.grid import SCALES
from sparing_lab.study.topk.measure import measure
from sparing_lab.study.topk.page import WORDS, exhibits, told
from sparing_lab.study.topk.printed import comparisons
from sparing_lab.study.topk.results import Results
from sparing_lab.study.topk.row import Row


def show(scale: str, rows: list[Row]) -> Shown:
    """Everything that is shown of measurements."""
    results = Results(SCALES[scale], rows)
    return Shown(
        WORDS,
        told(results.scale),
        comparisons(results),
        exhibits(results),
        [
            Titled(FAIRNESS_TITLE, fairness_table(results)),
        ],
    )


STUDY = Study("topk", Row, lambda scale: SCALES[scale].cells(), measure, show)
