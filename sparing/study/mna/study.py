"""The study as it is run: `sparing study mna`."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.study.exhibits import comparison_table
from sparing.study.mna.figures import SUMMARY_TITLE, TABLE_I_TITLE, summary, table_i
from sparing.study.mna.grid import SCALES, Cell
from sparing.study.mna.measure import measure
from sparing.study.mna.page import page, to_gain
from sparing.study.mna.printed import comparisons
from sparing.study.mna.results import Results
from sparing.study.mna.row import Row, to_csv
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
            Titled("What the paper prints, and ours", comparison_table(found), left=2),
            Titled(TABLE_I_TITLE, table_i(results)),
            Titled(SUMMARY_TITLE, summary(results)),
        ],
        to_gain(results),
        {
            "comparisons": [vars(comparison) for comparison in found],
            "rows": [row.flat() for row in results.rows],
        },
    )


STUDY = Study("mna", cells, measure, show)
