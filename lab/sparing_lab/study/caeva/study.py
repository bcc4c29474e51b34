"""The study: `sparing study caeva`."""

from __future__ import annotations

from sparing_lab.study.caeva.figures import figures
from sparing_lab.study.caeva.grid import SCALES, CaevaScale
from sparing_lab.study.caeva.measure import measure
from sparing_lab.study.caeva.printed import comparisons
from sparing_lab.study.caeva.results import CaevaResults
from sparing_lab.study.caeva.row import CaevaRow
from sparing_lab.study.caeva.tables import AHEAD_TITLE, PLACES_TITLE, TABLES, UP_TITLE, sentences
from sparing_lab.study.exhibits import Exhibit, TableExhibit
from sparing_lab.study.study import Study

TITLE = "Merged events: the paper's experiments, measured again"
PAPER = (
    "J. Chen, L. Ramaswamy, D. K. Lowenthal, S. Kalyanaraman: CAEVA: A Customizable and Adaptive Event Aggregation "
    "Framework for Collaborative Broker Overlays, section IV. Its figures have no numbers, so only the claims of the "
    "text are compared."
)
SETTING = (
    "An event has 20 fields, the key among them, and lasts up to 100 time units, drawn evenly. Its publishers send "
    "reports as Poisson processes, each with 1 to 10 fields besides the key; a given share of the reports is "
    "redundant. Every broker subscribes to everything, all with the same cycle T_m. Events do not overlap. "
    "Figures 3 and 4: a random overlay of 100 brokers and 199 links, 20 publishers, 12 reports per event on average. "
    "Siena sends every report to every broker at once; Agele merges at the center; CAEVA has three active aggregators "
    "and adaptive passive ones. Aggregators keep their values for the whole event, as with an infinite T_r in the "
    "paper. Links have no delay."
)
COUNTED = (
    "Messages are counted once for every link between brokers that they cross: reports, flushes of aggregators, and "
    "notifications to subscribing brokers. Coordination messages are counted separately: elections of coordinators, "
    "cycles of brokers, counts of passive aggregators, and moves."
)
PLACES = (
    "The numbers of publishers, 3, 7, 31 and 255, are those of brokers in complete binary trees, so the overlay "
    "is such a tree: 255 brokers, publishers at brokers drawn evenly, 200 reports per event on average. The best "
    "and the worst fixed distance are chosen for each sample in hindsight. Publishers that change are at the "
    "edge, then next to the center, then all over the overlay. Literal is the paper's formulas and rules as "
    "printed; no fading is ours with a memory of the last saving that does not fade."
)
UP = (
    "The messages from the coordinator to subscribers do not depend on the placement of passive aggregators, so the "
    "messages towards it show more of its effect. With coordination, adaptive placement includes the counts that "
    "passive aggregators send the coordinator after every event; fixed placement has no such messages."
)
NOTES = {PLACES_TITLE: [PLACES], UP_TITLE: [UP]}


def exhibits(results: CaevaResults) -> list[Exhibit]:
    """Return all tables, then all figures."""
    tables = [
        TableExhibit(
            title,
            make(results),
            left,
            notes=NOTES.get(title, ()),
            findings=sentences(results) if title == AHEAD_TITLE else (),
        )
        for title, (make, left) in TABLES.items()
    ]
    return [*tables, *figures(results)]


def scale_text(scale: CaevaScale) -> str:
    """Return how much is measured at a scale."""
    return (
        f"Scale {scale.name}: {scale.samples} samples of each point, {scale.events} events in each. Samples are "
        "numbered from 0, and the number is the seed. All measurements are in caeva.csv."
    )


STUDY = Study(
    name="caeva",
    title=TITLE,
    paper=PAPER,
    introduction=(SETTING, COUNTED),
    scales=SCALES,
    row=CaevaRow,
    results=CaevaResults,
    measure=measure,
    scale_text=scale_text,
    claims=comparisons,
    exhibits=exhibits,
)
