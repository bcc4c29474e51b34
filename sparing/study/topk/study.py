"""The study as it is run: `sparing study topk`."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.study.exhibits import comparison_table
from sparing.study.study import Shown, Study, Titled
from sparing.study.topk.figures import FAIRNESS_TITLE, fairness_table
from sparing.study.topk.grid import SCALES, Cell
from sparing.study.topk.measure import measure
from sparing.study.topk.page import page
from sparing.study.topk.printed import comparisons
from sparing.study.topk.results import Results
from sparing.study.topk.row import Row, to_csv


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
            Titled("What the paper prints, and ours", comparison_table(found), left=2),
            Titled(FAIRNESS_TITLE, fairness_table(results)),
        ],
        [],
        {
            "comparisons": [vars(comparison) for comparison in found],
            "rows": [row.flat() for row in results.rows],
        },
    )


STUDY = Study("topk", cells, measure, show)
