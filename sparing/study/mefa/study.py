"""The study as it is run: `sparing study mefa`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sparing.study.exhibits import comparison_table
from sparing.study.mefa.facebook import facebook_tree
from sparing.study.mefa.figures import TABLES
from sparing.study.mefa.grid import SCALES, Cell
from sparing.study.mefa.measure import measure
from sparing.study.mefa.page import page
from sparing.study.mefa.printed import comparisons
from sparing.study.mefa.results import Results
from sparing.study.mefa.row import Row, to_csv
from sparing.study.study import Shown, Study, Titled


def cells(scale: str) -> Sequence[Cell]:
    """The experiments of a scale."""
    return SCALES[scale].cells(facebook_tree())


def show(scale: str, rows: list[Row]) -> Shown:
    """Everything that is shown of measurements."""
    results = Results(SCALES[scale], rows)
    found = comparisons(results)
    return Shown(
        {"csv": to_csv(results.rows), "html": page(results)},
        [
            Titled("What the slides say, and ours", comparison_table(found), left=4),
            *(Titled(title, table(results), left=2) for title, table in TABLES.items()),
        ],
        [],
        {
            "comparisons": [vars(comparison) for comparison in found],
            "rows": [row.flat() for row in results.rows],
        },
    )


STUDY = Study("mefa", cells, measure, show)


def on_edges(path: Path) -> Study:
    """The study with the real case's tree from a user's own edge list."""
    tree = facebook_tree(path)
    return replace(STUDY, cells=lambda scale: SCALES[scale].cells(tree))
