"""The study: `sparing study matchmaker`."""

from __future__ import annotations

from sparing_lab.study.exhibits import Exhibit, TableExhibit
from sparing_lab.study.matchmaker.figures import (
    COSTS_TITLE,
    FAILURES_TITLE,
    MONOTONE_TITLE,
    costs_table,
    failures_table,
    figures,
    monotone_table,
)
from sparing_lab.study.matchmaker.grid import MIDDLE, SCALES, MatchmakerScale
from sparing_lab.study.matchmaker.measure import measure
from sparing_lab.study.matchmaker.printed import comparisons
from sparing_lab.study.matchmaker.results import MatchmakerResults
from sparing_lab.study.matchmaker.row import MatchmakerRow
from sparing_lab.study.study import Study

TITLE = "The min-cost matchmaker: the paper's experiments, measured again"
PAPER = (
    "Z. Ge, P. Ji, J. Kurose, D. Towsley: Min-Cost Matchmaker Problem in Distributed Publish/Subscribe "
    "Infrastructures, sections 4 and 5."
)
SETTING = (
    "A network of 100 nodes like those of GT-ITM, drawn for every sample: 4 transit nodes (linked with "
    "probability 0.6), three stubs of 8 nodes at each (0.42), domains connected, one link from each stub to its "
    "transit node. Publishers and subscribers are stub nodes; a node may be both. Numbers of descriptors are drawn "
    "from a bounded Pareto distribution between 1 and 100 with exponent 1. With PubE all links of the trees carry "
    "advertisements, with SubE subscriptions; MCM is the marking of least cost. The cost is the number of descriptors, "
    "summed over all directed links of the trees; trees have only the links that lead from a publisher to a subscriber."
)
TREES = (
    "The core of a shared tree is a transit node drawn evenly, and the tree that of shortest paths by hops to it. "
    "With trees per source, each node's next hop to a publisher is on a shortest path; of several, the one with the "
    "lowest number for all publishers, or, with ties by chance, a random one for each publisher. The paper does not "
    "say how ties are broken."
)
ROUNDING = (
    "Nor does it say how descriptors are rounded. Medians of numbers rounded down are closer to the printed ones "
    "overall than rounded to the nearest, so figures show these."
)
FAILURES = (
    "Figure 6 as printed misses requirements that lead from one tree to another, so p-links may be below s-links. For "
    "samples with such a marking: the share of pairs of a publisher and a subscriber that never meet (apart), the "
    "difference of its cost to the least cost of a valid marking, counted as if it were valid, and the difference "
    "after a repair: all links below an s-link become s-links (s-repair), or all links above a p-link p-links "
    "(p-repair), or the cheaper of both."
)
MONOTONE = (
    "A sample is not monotone if in some tree a link carries more advertisements than one below it, or fewer "
    "subscriptions; the links of all such pairs are counted, in percent of all links of the sample's trees. Links are "
    "entangled if they cannot be marked independently, unlike on a shared tree. Shares of links are means over samples "
    "that have any."
)


def exhibits(results: MatchmakerResults) -> list[Exhibit]:
    """Return costs, figures, then failures; the terminal shows failures of three points only."""
    scale = results.scale
    points = [*scale.by_subscribers, *scale.by_publishers]
    few = [MIDDLE, scale.by_subscribers[-1], scale.by_publishers[-1]]
    failures = [
        TableExhibit(title, make(results, points), notes=[note], brief=make(results, few))
        for title, make, note in (
            (FAILURES_TITLE, failures_table, FAILURES),
            (MONOTONE_TITLE, monotone_table, MONOTONE),
        )
    ]
    return [TableExhibit(COSTS_TITLE, costs_table(results)), *figures(results), *failures]


def scale_text(scale: MatchmakerScale) -> str:
    """Return how much is measured at a scale."""
    return (
        f"Scale {scale.name}: {scale.samples:,} samples for each point. Samples are numbered from 0, and the number is "
        "the seed. All measurements are in matchmaker.csv."
    )


STUDY = Study(
    name="matchmaker",
    title=TITLE,
    paper=PAPER,
    introduction=(SETTING, TREES, ROUNDING),
    scales=SCALES,
    row=MatchmakerRow,
    results=MatchmakerResults,
    measure=measure,
    scale_text=scale_text,
    claims=comparisons,
    exhibits=exhibits,
)
