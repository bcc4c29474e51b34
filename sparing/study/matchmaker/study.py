"""The study as it is run: `sparing study matchmaker`."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.study.exhibits import comparison_table
from sparing.study.matchmaker.figures import (
    COSTS_TITLE,
    FAILURES_TITLE,
    MONOTONE_TITLE,
    costs_table,
    failures_table,
    monotone_table,
)
from sparing.study.matchmaker.grid import MIDDLE, SCALES, Cell
from sparing.study.matchmaker.measure import measure
from sparing.study.matchmaker.page import page
from sparing.study.matchmaker.printed import comparisons
from sparing.study.matchmaker.results import Results
from sparing.study.matchmaker.row import Row, to_csv
from sparing.study.study import Shown, Study, Titled


def cells(scale: str) -> Sequence[Cell]:
    """The experiments of a scale."""
    return SCALES[scale].cells()


def show(scale: str, rows: list[Row]) -> Shown:
    """Everything that is shown of measurements."""
    results = Results(SCALES[scale], rows)
    found = comparisons(results)
    few = [MIDDLE, results.scale.by_subscribers[-1], results.scale.by_publishers[-1]]
    return Shown(
        {"csv": to_csv(results.rows), "html": page(results)},
        [
            Titled("What the paper prints, and ours", comparison_table(found), left=2),
            Titled(COSTS_TITLE, costs_table(results)),
            Titled(FAILURES_TITLE, failures_table(results, few)),
            Titled(MONOTONE_TITLE, monotone_table(results, few)),
        ],
        [],
        {
            "comparisons": [vars(comparison) for comparison in found],
            "rows": [row.flat() for row in results.rows],
        },
    )


STUDY = Study("matchmaker", cells, measure, show)
