"""The study: `sparing study topk`."""

from __future__ import annotations

from sparing_lab.study.exhibits import Exhibit, TableExhibit
from sparing_lab.study.study import Study
from sparing_lab.study.topk.figures import FAIRNESS_TITLE, fairness_table, figures
from sparing_lab.study.topk.grid import FEW, MANY, SCALES, TopkScale
from sparing_lab.study.topk.measure import measure
from sparing_lab.study.topk.printed import comparisons
from sparing_lab.study.topk.results import TopkResults
from sparing_lab.study.topk.row import TopkRow

TITLE = "Covering for top-k filtering: the paper's experiments, measured again"
PAPER = (
    "K. Zhang, V. Muthusamy, M. Sadoghi, H.-A. Jacobsen: Efficient Covering for Top-k Filtering in Content-Based "
    "Publish/Subscribe Systems (technical report), section V."
)
SETTING = (
    "Core brokers in a chain (10 for Figure 5, otherwise 5), each with 5 edge brokers, to which the subscriptions are "
    "spread evenly. The publisher has its own edge broker at one end of the chain, so all subscriptions known there "
    "were forwarded to it. A subscription is a range of one field, with a width drawn evenly from 30% to 60% of the "
    "space, at an even position inside it; publications are points drawn evenly. All subscriptions have the same rank, "
    "so covering is that of ranges alone. Everything is computed broker by broker over the overlay; the subscriptions "
    "known at the publisher's broker are checked against filtering all subscriptions at once."
)
TREE = (
    "The printed numbers of RankCoverK are those of a tree in which every subscription has one parent (rank-tree): a "
    "new one is inserted below a child that covers it, in the order of a hash set, and becomes the parent of the "
    "children that it covers. The depth varies between sets of subscriptions, so its range is shown. RankCoverK in "
    "Sparing counts longest paths and forwards far less. Both deliver the same."
)
FAIR = (
    "A choice is fair if each of n matching subscriptions receives a publication with probability k/n, as RegularK "
    "draws. The paper sums the deviations of other methods from one draw of RegularK, which include chance, shown as "
    "RegularK drawn again. So the deviation from the expected numbers is shown, too, and the table below has a "
    "chi-square statistic: about 1 per degree of freedom by chance alone; p is the probability of at least this value "
    "by chance. AncestorFairK passes weights on in equal parts to at most k others; one or all others are shown for "
    "comparison."
)
TIMES = (
    "There is no network here, so no latency. Figures 7 and 8 show CPU time: of the brokers on the path of a "
    "publication to an edge broker with subscribers, averaged over these, and of all brokers together. Each broker "
    "matches a publication with all subscriptions it knows, then picks. The exactly fair scheme requests counts first, "
    "along the routes of RegularCover. The paper's percentages are of latencies including the network."
)
SLIP = "The paper says that 1% of 50,000 subscriptions is a k of 5,000; it is 500, which is measured here."


def exhibits(results: TopkResults) -> list[Exhibit]:
    """Return the table of fairness and all figures."""
    return [TREE, SLIP, FAIR, TableExhibit(FAIRNESS_TITLE, fairness_table(results)), TIMES, *figures(results)]


def scale_text(scale: TopkScale) -> str:
    """Return how much is measured at a scale."""
    return (
        f"Scale {scale.name}: {scale.sets(FEW)} sets of {FEW:,} subscriptions and {scale.sets(MANY)} of {MANY:,} "
        f"({scale.trees} for rank-tree), {scale.populations} sets and {scale.publications:,} publications for "
        f"Figure 6, {scale.timed:,} publications for Figures 7 and 8. Sets are numbered from 0, "
        "and the number is the seed. All measurements are in topk.csv."
    )


STUDY = Study(
    name="topk",
    title=TITLE,
    paper=PAPER,
    introduction=(SETTING,),
    scales=SCALES,
    row=TopkRow,
    results=TopkResults,
    measure=measure,
    scale_text=scale_text,
    claims=comparisons,
    exhibits=exhibits,
)
