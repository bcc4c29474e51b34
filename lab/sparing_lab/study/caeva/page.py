"""What the study's page has: words, tables and figures."""

from __future__ import annotations

from sparing.report import html
from sparing_lab.study.caeva.figures import figures
from sparing_lab.study.caeva.grid import Scale
from sparing_lab.study.caeva.results import Results
from sparing_lab.study.caeva.tables import AHEAD_TITLE, PLACES_TITLE, TABLES, UP_TITLE, sentences
from sparing_lab.study.exhibits import figure_parts
from sparing_lab.study.study import Words

TITLE = "Merged events: the paper's experiments, measured again"
PAPER = (
    "J. Chen, L. Ramaswamy, D. K. Lowenthal, S. Kalyanaraman: CAEVA: A Customizable and Adaptive Event Aggregation "
    "Framework for Collaborative Broker Overlays, section IV. Its figures are drawings without numbers, so of them "
    "only what the text says is compared."
)
SETTING = (
    "An event has 20 fields, the key among them, and lasts up to 100 time units, drawn evenly. Its publishers make "
    "reports as Poisson processes, each telling 1 to 10 fields besides the key; a given share of the reports tells "
    "nothing new. Every broker subscribes to everything, all with the same cycle T_m. Events follow one another. "
    "Figures 3 and 4: a random overlay of 100 brokers and 199 links, 20 publishers, 12 reports per event on average. "
    "Siena sends every report to every broker at once; Agele merges at the center; CAEVA has three active aggregators "
    "and adaptive passive ones. What aggregators know is kept for the whole event, which is the paper's T_r without "
    "end. Links take no time."
)
COUNTED = (
    "Messages are counted once for every link between brokers that they cross: reports, what aggregators flush, and "
    "what is sent to subscribing brokers. Messages that coordinate are counted apart: who coordinates an event, how "
    "often brokers want to hear, what passive aggregators counted, and moves."
)
PLACES = (
    "The numbers of publishers, 3, 7, 31 and 255, are those of brokers in complete binary trees, so that is what the "
    "overlay is: 255 brokers, publishers at brokers drawn evenly, 200 reports per event on average. The best and the "
    "worst fixed distance are chosen for each sample, knowing all that happens in it. Publishers that change are at "
    "the edge, then next to the center, then all over the overlay. Literal is the paper's formulas and rules as "
    "printed; no fading is ours with a memory of the last saving that does not fade."
)
UP = (
    "What goes from the coordinator to subscribers is the same wherever passive aggregators are, so the messages "
    "towards it tell more of the placement. With messages that coordinate, adaptive placement costs what passive "
    "aggregators tell the coordinator after every event; fixed placement needs no such messages."
)
NOTES = {PLACES_TITLE: [PLACES], UP_TITLE: [UP]}


WORDS = Words(TITLE, PAPER, (SETTING, COUNTED))


def exhibits(results: Results) -> list[str]:
    """All tables and figures."""
    return [
        *[part for title in TABLES for part in _table(title, results)],
        *[part for figure in figures(results) for part in figure_parts(figure)],
    ]


def _table(title: str, results: Results) -> list[str]:
    """A table with its heading, and what there is to say of it."""
    make, left = TABLES[title]
    said = sentences(results) if title == AHEAD_TITLE else NOTES.get(title, [])
    return [html.heading(title), *map(html.paragraph, said), html.table(*make(results), left=left)]


def told(scale: Scale) -> str:
    """How much was measured."""
    return (
        f"Scale {scale.name}: {scale.samples} samples of each point, {scale.events} events in each. Samples are "
        "numbered from 0, and the number is the seed. All measurements are in caeva.csv."
    )
