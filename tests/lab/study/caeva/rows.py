"""Constructed measurements with comparisons that can be computed by hand."""

from sparing_lab.study.caeva.grid import ADAPTIVE, AGELE, FIXED, LITERAL, PINNED, REPLAY, CaevaPoint, CaevaScale
from sparing_lab.study.caeva.results import CaevaResults
from sparing_lab.study.caeva.row import CaevaRow

TINY = CaevaScale("tiny", samples=2, events=4, cycles=(0, 10), publishers=(3, 7), levels=3)
FIXED_UP = {1: 300, 2: 200, 3: 400}
UP = {ADAPTIVE: 210, REPLAY: 200, LITERAL: 300, PINNED: 220, AGELE: 500}
DOWN, SIENA = 800, 4000


def results() -> CaevaResults:
    return CaevaResults(TINY, [row for point in TINY.points for n in range(TINY.samples) for row in rows_of(point, n)])


def rows_of(point: CaevaPoint, number: int) -> list[CaevaRow]:
    """800 messages go down, 200 up at the best distance; changing publishers save adaptive placement 100 more."""
    ups = {AGELE: UP[AGELE], ADAPTIVE: UP[ADAPTIVE] - (100 if point.phase else 0)}
    if point.kind.places:
        ups |= {method: UP[method] for method in (REPLAY, LITERAL, PINNED)}
        ups |= {f"{FIXED}{hops}": up for hops, up in FIXED_UP.items()}
    return [row_of(point, number, method, up) for method, up in ups.items()]


def row_of(point: CaevaPoint, number: int, method: str, up: int) -> CaevaRow:
    return CaevaRow(
        point=point,
        sample=number,
        method=method,
        events=4,
        made=40,
        redundant=20,
        siena=SIENA,
        up=up,
        down=DOWN,
        coordination=10 if method == AGELE else 60,
        full=20.0,
        delay=point.cycle / 2,
        hops=2.0,
        moves=3,
    )
