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
    "spread evenly. The publisher has an edge broker of its own at one end of the chain, so that whatever its broker "
    "knows was forwarded to it. A subscription is a range of one field, as wide as drawn evenly from 30% to 60% of "
    "the space, placed evenly where it fits; publications are points drawn evenly. All subscriptions are alike, so "
    "that covering is that of ranges alone. Everything is worked out broker by broker over the overlay; what reaches "
    "the publisher's broker is checked to be what filtering all subscriptions at once gives."
)
TREE = (
    "The printed numbers of RankCoverK are those of a tree in which every subscription has one parent (rank-tree): a "
    "new one goes down below a child that covers it, in the order of a hash set, and takes along the children that it "
    "covers. Its depth differs from one set of subscriptions to another, so the range is told. RankCoverK as Sparing "
    "has it counts longest paths and forwards far less. Both deliver the same."
)
FAIR = (
    "Fair is that each of n subscriptions that match gets a publication with chance k/n, as RegularK draws. The paper "
    "adds up how far the others are from what RegularK happened to draw; chance alone makes a difference there, shown "
    "as RegularK drawn again. So the distance from what is to be expected is shown as well, and the table below has a "
    "chi-square statistic: about 1 for each degree of freedom if only chance is at work, and p is how likely chance "
    "gives as much or more. Weights of AncestorFairK are handed on in equal parts to at most k others; one or all "
    "others are shown for comparison."
)
TIMES = (
    "There is no network here, and so no latency. Figures 7 and 8 show CPU time: of the brokers that a publication "
    "passes from its publisher to an edge broker with subscribers, on average over these, and of all brokers together. "
    "Each broker holds a publication against all that it knows, then picks. The exactly fair scheme has its counts "
    "asked for first, along the routes of RegularCover. The paper's percentages are of latencies with a network in "
    "them."
)
SLIP = "The paper says that 1% of 50,000 subscriptions is a k of 5,000; it is 500, and that is what is measured."


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
