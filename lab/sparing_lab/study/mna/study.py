"""The study: `sparing study mna`."""

from __future__ import annotations

from statistics import median

from sparing_lab.study.exhibits import Exhibit, TableExhibit
from sparing_lab.study.mna.figures import FORWARDS, OPTIMUM, SUMMARY_TITLE, TABLE_I_TITLE, figures, summary, table_i
from sparing_lab.study.mna.grid import RATES, SCALES, SUBSCRIPTIONS, MnaScale
from sparing_lab.study.mna.measure import measure
from sparing_lab.study.mna.printed import comparisons
from sparing_lab.study.mna.results import MnaResults, for_aggregation
from sparing_lab.study.mna.row import MnaRow
from sparing_lab.study.study import Study

TITLE = "Minimizing the communication cost of aggregation: the paper's experiments, measured again"
PAPER = (
    "N. K. Pandey, K. Zhang, S. Weiss, H.-A. Jacobsen, R. Vitenberg: Minimizing the Communication Cost of Aggregation "
    "in Publish/Subscribe Systems, section VIII and Table I."
)
ALWAYS_AGGREGATES = "publisher-edge"
DATA = (
    "The paper's publications are records of the ONE-ITS highway sensors and of Yahoo! Finance; here seeded generators "
    "make them with as many symbols, sensors and fields and the same selectivities. The paper ran Java brokers on 16 "
    "servers; here every experiment runs in one Python process with compiled inner loops, on one machine."
)
TIMES = (
    "So messages can be compared, but times only as ratios. The paper's compute is matching and deciding, summed over "
    "all brokers; here a publication is matched once, where it is published, and the walk carries its matches. "
    "Decision time here is that of the whole walk: holding, deciding, aggregating, billing."
)
OPEN = (
    "The paper does not state the number of subscriptions of the sweep over rates, the rate of the sweep over "
    f"subscriptions, nor the data of Figure 9: here {SUBSCRIPTIONS} subscriptions, {RATES['traffic']:g}/s "
    f"(traffic) and {RATES['stock']:g}/s (stock), and stock. It says that tumbling and sliding windows give "
    "equally many windows in 1,000 s; its windows of 10 s every 5 s give twice as many, so the messages of both "
    "kinds are compared for equally many windows."
)
OVERLAY = (
    "16 brokers: a chain of 4, each with 3 edge brokers; of the 12 edge brokers 3 have publishers, 3 subscribers, 6 "
    "both. Aggregate to plain subscriptions 1:2; windows begin when their subscription is issued, at a random time "
    "for each. Stock: 62 symbols, 8 fields, selectivity about 2%. Traffic: 162 sensors, 12 fields, selectivity about "
    "1%."
)
COUNTING = (
    "A message is counted on every link between brokers that it crosses. All policies have the same publications. "
    "Messages for aggregation are partial results and raw publications forwarded by a decision; the others are "
    "publications that cross the link for plain subscriptions under any policy."
)
ARITHMETIC = (
    "Claims are judged by messages for aggregation, because the paper's own numbers exclude the others: on "
    "stock BAT sends the most and at most 20,000 more than ADOCK, while WAD sends 50% more than ADOCK at 465/s and "
    "22% more at 2,790/s. So ADOCK's messages in 1,000 s are at most 40,000 and 91,000. But every plain subscription, "
    "and there are 6 or more, takes 2% of all publications: 9,300 and 55,800 in that time, most over several links."
)
DRAWN = (
    f"Drawings of messages for aggregation leave out {FORWARDS}, which forwards everything at once and is far above "
    "the others; the tables below them have its numbers."
)


def exhibits(results: MnaResults) -> list[Exhibit]:
    """Return Table I, the summary and all figures."""
    return [
        *(DATA, TIMES, OPEN, DRAWN),
        TableExhibit(TABLE_I_TITLE, table_i(results)),
        TableExhibit(SUMMARY_TITLE, summary(results), findings=possible_saving(results)),
        *figures(results),
    ]


def scale_text(scale: MnaScale) -> str:
    """Return how much is measured at a scale."""
    return (
        f"Scale {scale.name}: {scale.duration:,.0f} s of publications in every experiment, seed 0. Claims about "
        "messages count those for aggregation. All measurements are in mna.csv."
    )


def possible_saving(results: MnaResults) -> list[str]:
    """Return a sentence on how much decisions can save, if it was measured."""
    over = {cell: results.over(cell, ALWAYS_AGGREGATES, OPTIMUM, for_aggregation) for cell in results.cells}
    known = sorted((more, str(cell)) for cell, more in over.items() if more is not None)
    if not known:
        return []
    most, where = known[-1]
    typical = median(more for more, _ in known)
    promise = (
        f"{ALWAYS_AGGREGATES} aggregates every window; decisions save at most its messages in addition to {OPTIMUM}'s"
    )
    return [f"{promise}: at most {most:.2f}% in these experiments ({where}), {typical:.2f}% in the median."]


STUDY = Study(
    name="mna",
    title=TITLE,
    paper=PAPER,
    introduction=(OVERLAY, COUNTING, ARITHMETIC),
    scales=SCALES,
    row=MnaRow,
    results=MnaResults,
    measure=measure,
    scale_text=scale_text,
    claims=comparisons,
    exhibits=exhibits,
)
