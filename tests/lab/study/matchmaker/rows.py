"""Constructed measurements with comparisons that can be computed by hand."""

from sparing.workloads.transit_stub import Rounding
from sparing_lab.study.matchmaker.grid import BY_CHANCE, PER_SOURCE, SHARED, TREES, MatchmakerPoint, MatchmakerScale
from sparing_lab.study.matchmaker.results import MatchmakerResults
from sparing_lab.study.matchmaker.row import MatchmakerRow

TINY = MatchmakerScale("tiny", samples=11, counts=(5, 10, 50))
UNMONOTONE = {SHARED: 0, PER_SOURCE: 1, BY_CHANCE: 5}  # of 11 samples, with 8 of 80 links each
INVALID = {SHARED: 0, PER_SOURCE: 0, BY_CHANCE: 2}


def results() -> MatchmakerResults:
    return MatchmakerResults(
        TINY, [row_of(p, trees, n) for p in TINY.points for n in range(TINY.samples) for trees in TREES]
    )


def row_of(point: MatchmakerPoint, trees: str, number: int) -> MatchmakerRow:
    """MCM costs 100 + 10n; PubE 400 + 10n, and 5 for every further subscriber; SubE 3 times as much as MCM."""
    least = 100 + 10 * number + (7 if point.rounding is Rounding.NEAREST else 0)
    valid = number >= INVALID[trees]
    return MatchmakerRow(
        point=point,
        trees=trees,
        sample=number,
        links=80,
        pub_e=400 + 10 * number + 5 * (point.subscribers - 10),
        sub_e=3 * least,
        mcm=least,
        unmonotone=8 if number < UNMONOTONE[trees] else 0,
        entangled=4 if number < UNMONOTONE[trees] else 0,
        valid=int(valid),
        printed=least if valid else least - 10,
        s_repaired=least if valid else least + 20,
        p_repaired=least if valid else least + 30,
        parted=0 if valid else point.publishers,
    )
