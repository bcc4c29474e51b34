"""The study as it is run: `sparing study mefa`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sparing_lab.study.mefa.facebook import facebook_tree
from sparing_lab.study.mefa.figures import TABLES
from sparing_lab.study.mefa.grid import SCALES
from sparing_lab.study.mefa.measure import measure
from sparing_lab.study.mefa.page import WORDS, exhibits, told
from sparing_lab.study.mefa.printed import comparisons
from sparing_lab.study.mefa.results import Results
from sparing_lab.study.mefa.row import Row
from sparing_lab.study.study import Shown, Study, Titled


def show(scale: str, rows: list[Row]) -> Shown:
    """Everything that is shown of measurements."""
    results = Results(SCALES[scale], rows)
    return Shown(
        WORDS,
        told(results.scale),
        comparisons(results),
        exhibits(results),
        [Titled(title, table(results), left=2) for title, table in TABLES.items()],
    )


STUDY = Study("mefa", Row, lambda scale: SCALES[scale].cells(facebook_tree()), measure, show)


def on_edges(path: Path) -> Study:
    """The study with the real case's tree from a user's own edge list."""
    tree = facebook_tree(path)
    return replace(STUDY, cells=lambda scale: SCALES[scale].cells(tree))
