"""The study as one HTML page that needs nothing else."""

from __future__ import annotations

from sparing.report import html
from sparing.study.exhibits import comparison_table, figure_parts
from sparing.study.matchmaker.figures import COSTS_TITLE, FAILURES_TITLE, costs_table, failures_table, figures
from sparing.study.matchmaker.grid import Scale
from sparing.study.matchmaker.printed import comparisons
from sparing.study.matchmaker.results import Results

TITLE = "The min-cost matchmaker: the paper's experiments, measured again"
PAPER = (
    "Z. Ge, P. Ji, J. Kurose, D. Towsley: Min-Cost Matchmaker Problem in Distributed Publish/Subscribe "
    "Infrastructures, sections 4 and 5."
)
SETTING = (
    "A network of 100 nodes in the manner of GT-ITM, drawn anew for every sample: 4 transit nodes (linked with "
    "probability 0.6), three stubs of 8 nodes at each (0.42), domains connected, one link from each stub to its "
    "transit node. Publishers and subscribers are stub nodes; a node may be both. Numbers of descriptors are drawn "
    "from a bounded Pareto distribution between 1 and 100 with exponent 1. PubE is that all links of the trees carry "
    "advertisements, SubE that they carry subscriptions, MCM the marking of least cost. The cost is the number of "
    "descriptors, added up over all directed links of the trees; trees are cut down to the links that lead from a "
    "publisher to a subscriber."
)
TREES = (
    "The core of a shared tree is a transit node drawn evenly, and the tree that of shortest paths by hops to it. "
    "With trees per source, each node's next hop to a publisher is on a shortest path; of several, the one with the "
    "lowest number, for all publishers alike, or, by chance, any, drawn for each publisher anew. The paper does not "
    "say how ties are broken."
)
ROUNDING = (
    "Nor does it say how descriptors become whole numbers. Rounded down, medians are nearer to the printed ones on "
    "the whole than rounded to the nearest, so that is what figures show."
)
FAILURES = (
    "Figure 6 as printed misses requirements that lead from one tree to another, and may mark a link above an s-link "
    "as such and one below it not. Of samples with such a marking: how many pairs of a publisher and a subscriber "
    "never meet; what the marking costs, counted as if it were valid, beside the least cost of a valid one; and what "
    "it costs after everything below an s-link has become one (s-repair) or everything above a p-link (p-repair). A "
    "sample is not monotone if a link of some tree carries more advertisements than one below it, or fewer "
    "subscriptions; the links of such pairs are counted, in percent of all links of trees in such samples. Links are "
    "entangled if they cannot each decide for themselves: then Figure 4 would be wrong."
)


def page(results: Results) -> str:
    """The whole page."""
    return html.page(
        TITLE,
        [
            *map(html.paragraph, (PAPER, SETTING, _scale(results.scale))),
            html.heading("What the paper prints, and ours"),
            html.table(*comparison_table(comparisons(results)), left=2),
            *map(html.paragraph, (TREES, ROUNDING)),
            html.heading(COSTS_TITLE),
            html.table(*costs_table(results), left=2),
            *[part for figure in figures(results) for part in figure_parts(figure)],
            html.heading(FAILURES_TITLE),
            html.paragraph(FAILURES),
            html.table(*failures_table(results, results.scale.points), left=2),
        ],
    )


def _scale(scale: Scale) -> str:
    return f"Scale {scale.name}: {scale.samples:,} samples for each point. All measurements are in matchmaker.csv."
