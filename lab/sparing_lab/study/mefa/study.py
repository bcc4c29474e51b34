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
    "plots have no numbers, so claims are judged, and the numbers of the example are compared."
)
SETTING = (
    "Trees have 46 to 96 nodes with 20 to 40 subscribers. The slides do not describe their trees; here the parent of "
    "each broker is drawn evenly from the brokers with fewer than three children, subscribers are at the leaves, and "
    "the publisher is at the root. Ranges are whole numbers between 0 and 400, of average size 20 to 50. The slides do "
    "not say what is exponential, so there are both exponential places, in units of a fifth of the space, and "
    "exponential sizes, in units of the average size."
)
COST = (
    "The cost of a cluster is its unique range, which exactly one member covers, times its delay, the most hops from a "
    "member to the topmost broker where the cluster is merged. Savings are counted in two ways. Links are the entries "
    "that are saved. The slides add up the benefits of pairs, although pairs overlap: theta = 100 saves far fewer "
    "links. For 100 pairs, MEFA as printed stops at a sum of 100, and the target of the other methods is the number of "
    "links that this saves. If 100 links cannot be saved, all methods save as many as possible. SPA and AA have no "
    "minimum similarity here: they continue until the target is reached. AA cannot stop in between, and mostly folds "
    "everything, at the publisher."
)
REAL_CASE = (
    "Unless another edge list is given, the graph is SNAP's ego-Facebook (McAuley and Leskovec, 2012), its first 120 "
    "nodes. Node 0 is linked with all others, and a tree from it would be a star without possible savings, so it is "
    "left out. Then 90 nodes are connected, and 60 of them are leaves (55 to 66, depending on the order of the search; "
    "the slides have 63). The slides' subscriptions are not available: ranges are drawn between 267 and 32,947 with "
    "the average size 1,687."
)
TREES = (
    "Each subscriber has a second connection, to a leaf broker drawn evenly. In the DO tree it is at the nearer one; "
    "DS moves it to the other if that saves more than gamma of unique range per additional hop. MEFA's target is the "
    "same number of links on all trees, which depends on the DO tree. DS trees are longer: they have more entries at "
    "first, and more are left after equal savings."
)
EXACT = (
    "On small trees the least cost is found by trying all clusters. Samples in which it is zero count only for how "
    "often a method finds it."
)

CHURN = (
    "This experiment is ours. At the start all subscribers are present; 60 times in an hour one leaves and another "
    "joins. Publications are spread evenly over the space. Messages: entries sent at first; entries sent and withdrawn "
    "at joins and leaves; reconfigurations, which send entries again after a leave; and false positives, publications "
    "that cross a link because of a stale member. Folding saves half of the possible entries. Reconfiguration takes "
    "place after every leave, never, or by ski rental: once the expected false positives reach its messages."
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
