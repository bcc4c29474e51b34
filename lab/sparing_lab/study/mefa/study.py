"""The study: `sparing study mefa`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sparing_lab.study.exhibits import Exhibit, TableExhibit
from sparing_lab.study.mefa.facebook import facebook_tree
from sparing_lab.study.mefa.figures import CHURN_TITLE, EXACT_TITLE, FACEBOOK_TITLE, TABLES, TREES_TITLE, figures
from sparing_lab.study.mefa.grid import SCALES, MefaScale
from sparing_lab.study.mefa.measure import measure
from sparing_lab.study.mefa.printed import comparisons
from sparing_lab.study.mefa.results import MefaResults
from sparing_lab.study.mefa.row import MefaRow
from sparing_lab.study.study import Study

TITLE = "Folding subscriptions: the slides' experiments, measured again"
PAPER = (
    "N. Wang, J. Wu: Minimizing the Subscription Aggregation Cost in the Content-based Pub/Sub System, slides. Their "
    "plots are drawings without numbers, so claims are judged, and the example's numbers are compared."
)
SETTING = (
    "Trees have 46 to 96 nodes with 20 to 40 subscribers. The slides take theirs from elsewhere; here every broker "
    "hangs below one drawn evenly from those that have fewer than three below them, subscribers are at the brokers "
    "with nothing below them, and the publisher is the root. Ranges are whole numbers between 0 and 400, of average "
    "size 20 to 50. The slides do not say what is exponential, so places and sizes both are: places in units of a "
    "fifth of the space, sizes in units of the average size."
)
COST = (
    "The cost of a cluster is its unique range, which exactly one member covers, times its delay, the most hops from a "
    "member to the topmost broker where the cluster is merged. What is saved is counted in two ways. Links are entries "
    "that are really saved. On the slides benefits of pairs are added up, although pairs overlap: theta = 100 comes "
    "to far fewer links. For 100 pairs, MEFA as printed stops when its pairs come to 100, and the others are asked for "
    "as many links as that saves. Where 100 links cannot be saved, all methods save what they can. SPA and AA have no "
    "least similarity here: they go on until they have saved what they were asked for. AA cannot stop on the way, and "
    "mostly folds everything, at the publisher."
)
REAL_CASE = (
    "Unless another edge list was given, the graph is SNAP's ego-Facebook (McAuley and Leskovec, 2012), its first 120 "
    "nodes. Node 0 is linked with all others, and a tree from it would be a star on which nothing can be saved, so it "
    "is left out. Then 90 nodes are connected, and 60 of them are leaves (55 to 66, depending on the order of the "
    "search; the slides have 63). The slides' subscriptions are not to be had: ranges are drawn between 267 and 32,947 "
    "with the average size 1,687."
)
TREES = (
    "Each subscriber has one more connection, to an end broker drawn evenly. In the DO tree it is at the nearer one; "
    "DS moves it to the other where that saves more than gamma of unique range for each further hop. MEFA is asked for "
    "the same number of links on all trees, which depends on the DO tree. DS trees are longer: there are more entries "
    "to begin with, and more are left when as many are saved."
)
EXACT = (
    "On small trees the least cost is found by trying all clusters. Samples in which it is nothing count only for how "
    "often a method finds it."
)

CHURN = (
    "This experiment is ours. Everybody is there at the start; 60 times in an hour somebody leaves and another comes. "
    "Publications are spread evenly over the space. Messages: what is told at first; what is told and withdrawn when "
    "somebody comes or goes; entries told anew after a leave; and publications that cross a link for nobody, since an "
    "entry still stands for somebody who has left. Folding saves half of the entries possible. Entries are told anew "
    "after every leave, never, or by ski rental: once as many false publications are expected as that takes messages."
)
NOTES = {FACEBOOK_TITLE: [REAL_CASE], TREES_TITLE: [TREES], EXACT_TITLE: [EXACT], CHURN_TITLE: [CHURN]}


def exhibits(results: MefaResults) -> list[Exhibit]:
    """Return all tables, then all figures."""
    tables = [TableExhibit(title, make(results), 2, notes=NOTES.get(title, ())) for title, make in TABLES.items()]
    return [*tables, *figures(results)]


def scale_text(scale: MefaScale) -> str:
    """Return how much is measured at a scale."""
    return (
        f"Scale {scale.name}: {scale.samples:,} samples for each point, {scale.small_samples:,} of small trees. "
        "Samples are numbered from 0, and the number is the seed. All measurements are in mefa.csv."
    )


STUDY = Study(
    name="mefa",
    title=TITLE,
    paper=PAPER,
    introduction=(SETTING, COST),
    scales=SCALES,
    row=MefaRow,
    results=MefaResults,
    grid=lambda scale: scale.cells(facebook_tree()),
    measure=measure,
    scale_text=scale_text,
    claims=comparisons,
    exhibits=exhibits,
)


def on_edges(path: Path) -> Study:
    """Return the study with the tree of the real case read from an edge list."""
    tree = facebook_tree(path)
    return replace(STUDY, grid=lambda scale: scale.cells(tree))
