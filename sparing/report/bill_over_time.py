"""The plot of messages over event time: our bill as bars with a colour for each kind, the naive bill as a line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sparing.model.bill import Bill
from sparing.model.types import EPOCH
from sparing.report.legend import LEGEND
from sparing.report.svg import Tooltips, drawing, to_svg

SIZE = 10.5, 3.4  # inches
MOST_BARS = 90


def bill_over_time(ours: Bill, naive: Bill, bucket: int) -> str | None:
    """Return the plot as a part of a page; None if nothing was sent after the first publication."""
    times = [key.bucket for bill in (ours, naive) for key in bill.over_links() if key.bucket is not None]
    if not times:
        return None
    first, last = min(times), max(times)
    step = bucket * -(-((last - first) // bucket + 1) // MOST_BARS)
    edges = [datetime_of(first + at * step) for at in range((last - first) // step + 2)]

    def counts(bill: Bill) -> list[int]:
        bars = [0] * (len(edges) - 1)
        for key, messages in bill.items():
            if key.bucket is not None:
                bars[(key.bucket - first) // step] += messages
        return bars

    by_kind = [(entry.name, entry.colour, counts(entry.messages(ours))) for entry in LEGEND]
    return _plot(edges, [bars for bars in by_kind if any(bars[2])], counts(naive.over_links()))


@drawing()
def _plot(edges: Sequence[datetime], ours: Sequence[tuple[str, str, list[int]]], naive: list[int]) -> str:
    from matplotlib.dates import AutoDateLocator, DateFormatter, date2num
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    days = [float(day) for day in date2num(edges)]
    width = days[1] - days[0]
    bottom, tooltips, handles = [0] * len(naive), Tooltips(), []
    for name, colour, counts in ours:
        middles = [day + width / 2 for day in days[:-1]]
        bars = axes.bar(middles, counts, width=0.84 * width, bottom=bottom, color=colour, label=name)
        for at, (bar, count) in enumerate(zip(bars, counts, strict=True)):
            if count:
                bar.set_gid(tooltips.gid(f"{edges[at]:%Y-%m-%d %H:%M:%S}: {count:,} {name}"))
        handles.append(bars)
        bottom = [below + count for below, count in zip(bottom, counts, strict=True)]
    line = axes.stairs(naive, days, color="#222222", linewidth=1.6, baseline=None, label="naive, all kinds")
    axes.xaxis.set_major_locator(AutoDateLocator(minticks=3, maxticks=9))
    axes.xaxis.set_major_formatter(DateFormatter("%H:%M:%S" if days[-1] - days[0] <= 1 else "%Y-%m-%d %H:%M"))
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.set(xlim=(days[0], days[-1]), ylim=(0, None))
    axes.grid(axis="y", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    figure.legend(handles=[*handles, line], loc="outside upper center", ncols=len(ours) + 1, frameon=False, fontsize=9)
    return to_svg(figure, "messages over time", tooltips, inline=True)


def datetime_of(micros: int) -> datetime:
    """Return a time of the bill."""
    return EPOCH + timedelta(microseconds=micros)
