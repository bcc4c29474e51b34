"""The study as it is run: `sparing study caeva`."""

from __future__ import annotations

from sparing.study.caeva.grid import SCALES
from sparing.study.caeva.measure import measure
from sparing.study.caeva.page import WORDS, exhibits, told
from sparing.study.caeva.printed import comparisons
from sparing.study.caeva.results import Results
from sparing.study.caeva.row import Row
from sparing.study.caeva.tables import TABLES, sentences
from sparing.study.study import Shown, Study, Titled


def show(scale: str, rows: list[Row]) -> Shown:
    """Everything that is shown of measurements."""
    results = Results(SCALES[scale], rows)
    return Shown(
        WORDS,
        told(results.scale),
        comparisons(results),
        exhibits(results),
        [Titled(title, make(results), left) for title, (make, left) in TABLES.items()],
        sentences(results),
    )


STUDY = Study("caeva", Row, lambda scale: SCALES[scale].cells(), measure, show)
