"""The study as it is run: `sparing study caeva`."""

from __future__ import annotations

from sparing_lab.study.caeva.grid import SCALES
from sparing_lab.study.caeva.measure import measure
from sparing_lab.study.caeva.page import WORDS, exhibits, told
from sparing_lab.study.caeva.printed import comparisons
from sparing_lab.study.caeva.results import Results
from sparing_lab.study.caeva.row import Row
from sparing_lab.study.caeva.tables import TABLES, sentences
from sparing_lab.study.study import Shown, Study, Titled


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
