"""The study as it is run: `sparing study mna`."""

from __future__ import annotations

from sparing_lab.study.mna.figures import SUMMARY_TITLE, TABLE_I_TITLE, summary, table_i
from sparing_lab.study.mna.grid import SCALES
from sparing_lab.study.mna.measure import measure
from sparing_lab.study.mna.page import WORDS, exhibits, to_gain, told
from sparing_lab.study.mna.printed import comparisons
from sparing_lab.study.mna.results import Results
from sparing_lab.study.mna.row import Row
from sparing_lab.study.study import Shown, Study, Titled


def show(scale: str, rows: list[Row]) -> Shown:
    """Everything that is shown of measurements."""
    results = Results(SCALES[scale], rows)
    return Shown(
        WORDS,
        told(results.scale),
        comparisons(results),
        exhibits(results),
        [
            Titled(TABLE_I_TITLE, table_i(results)),
            Titled(SUMMARY_TITLE, summary(results)),
        ],
        to_gain(results),
    )


STUDY = Study("mna", Row, lambda scale: SCALES[scale].cells(), measure, show)
