"""The study as it is run: `sparing study caeva`."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.study.caeva.grid import SCALES, Cell
from sparing.study.caeva.measure import measure
from sparing.study.caeva.page import page
from sparing.study.caeva.printed import comparisons
from sparing.study.caeva.results import Results
from sparing.study.caeva.row import Row, to_csv
from sparing.study.caeva.tables import TABLES, sentences
from sparing.study.exhibits import comparison_table
from sparing.study.study import Shown, Study, Titled


def cells(scale: str) -> Sequence[Cell]:
    """The experiments of a scale."""
    return SCALES[scale].cells()


def show(scale: str, rows: list[Row]) -> Shown:
    """Everything that is shown of measurements."""
    results = Results(SCALES[scale], rows)
    found = comparisons(results)
    return Shown(
        {"csv": to_csv(results.rows), "html": page(results)},
        [
            Titled("What the paper prints, and ours", comparison_table(found), left=4),
            *(Titled(title, make(results), left=left) for title, (make, left) in TABLES.items()),
        ],
        sentences(results),
        {
            "comparisons": [vars(comparison) for comparison in found],
            "rows": [row.flat() for row in results.rows],
        },
    )


STUDY = Study("caeva", cells, measure, show)
