"""What was measured, for people, for programs, for documentation and as a picture; and the goals it is held against."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from rich.table import Table

from sparing.model.errors import SparingError
from sparing.report.markdown import markdown_table
from sparing.report.plots import need_matplotlib, short
from sparing.report.tables import figures_table
from sparing_lab.bench.matching.engines import ENGINES
from sparing_lab.bench.matching.latencies import Timing
from sparing_lab.bench.matching.settings import Settings, workload
from sparing_lab.bench.matching.shapes import COMMON, RARE, SHAPES

# The goals: at a million subscriptions so many events per second, at ten thousand so many times as fast as a peer.
MILLION, TEN_THOUSAND = 1_000_000, 10_000
RATES = {
    ("a", COMMON): 12_000,
    ("a", RARE): 185_000,
    ("b", COMMON): 5_900,
    ("b", RARE): 93_000,
    ("c", COMMON): 4_300,
    ("c", RARE): 66_000,
    ("d", COMMON): 4_700,
}
RATIOS = {"duckdb": 20, "spark": 100}


@dataclass
class Figure:
    """One engine on one workload: events per second of every repetition, or why there are none."""

    shape: str
    selectivity: float
    subscriptions: int
    engine: str
    skipped: str = ""
    way: str = ""  # the quicker one, if there are several
    events: int = 0  # in a batch
    pairs: int = 0  # of that batch
    rates: list[float] = field(default_factory=list)
    load_seconds: float = 0.0  # to take the subscriptions in; for Sparing, to build the index
    bytes: int | None = None  # of the index

    @property
    def workload(self) -> tuple[str, float]:
        """The shape and the selectivity."""
        return self.shape, self.selectivity

    @property
    def rate(self) -> float:
        """Events per second."""
        return median(self.rates)

    @property
    def pairs_rate(self) -> float:
        """Matching pairs per second."""
        return self.rate * self.pairs / self.events


@dataclass(frozen=True)
class Target:
    """A goal, and what was measured, if it was."""

    what: str
    goal: int
    found: float | None

    @property
    def verdict(self) -> str:
        """Met, missed or not measured."""
        if self.found is None:
            return "not measured"
        return "met" if self.found >= self.goal else "missed"


@dataclass(frozen=True)
class Figures:
    """All figures of a run."""

    settings: Settings
    figures: list[Figure]
    starting: dict[str, float]  # seconds that engines took to start and warm up; for Sparing, to load its kernels
    versions: dict[str, str]
    small: list[Timing] = field(default_factory=list)

    def json(self) -> dict[str, Any]:
        """For programs."""
        found = asdict(self)
        for row, figure in zip(found["figures"], self.figures, strict=True):
            row["ratio"] = self.ratio(figure)
        found["targets"] = [asdict(target) | {"verdict": target.verdict} for target in self.targets()]
        return found

    @classmethod
    def read(cls, found: dict[str, Any]) -> Figures:
        """From what `json` gave, to print or plot it again."""
        settings: dict[str, Any] = {}
        for name, value in found["settings"].items():
            settings[name] = tuple(value) if isinstance(value, list) else value
        figures = [Figure(**{name: v for name, v in row.items() if name != "ratio"}) for row in found["figures"]]
        small_ = [Timing(**row) for row in found["small"]]
        return cls(Settings(**settings), figures, found["starting"], found["versions"], small_)

    def ratio(self, figure: Figure) -> float | None:
        """How many times as fast as an engine Sparing is."""
        ours = self._find(*figure.workload, figure.subscriptions, "sparing")
        return ours.rate / figure.rate if ours is not None and figure.rates else None

    def _find(self, shape: str, selectivity: float, subscriptions: int, engine: str) -> Figure | None:
        wanted = (shape, selectivity, subscriptions, engine)
        return next((f for f in self.figures if (*f.workload, f.subscriptions, f.engine) == wanted), None)

    def targets(self) -> list[Target]:
        """The goals for what was asked for."""
        asked = self.settings
        found = []
        for (shape, selectivity), goal in RATES.items():
            if shape in asked.shapes and MILLION in asked.subscriptions:
                ours = self._find(shape, selectivity, MILLION, "sparing")
                what = f"{workload(shape, selectivity)}: events/s at {MILLION:,} subscriptions"
                found.append(Target(what, goal, ours.rate if ours is not None and ours.rates else None))
        for shape, selectivity in RATES:
            for engine, goal in RATIOS.items():
                if shape in asked.shapes and TEN_THOUSAND in asked.subscriptions and engine in asked.engines:
                    peer = self._find(shape, selectivity, TEN_THOUSAND, engine)
                    title = ENGINES[engine].title
                    what = f"{workload(shape, selectivity)}: times {title} at {TEN_THOUSAND:,} subscriptions"
                    found.append(Target(what, goal, None if peer is None else self.ratio(peer)))
        return found

    def tables(self) -> list[Table]:
        """For people: events per second of all engines, then more about Sparing's index, and the goals."""
        title = f"Events per second, and how many times as fast Sparing is; one core, median of {self.settings.repeat}"
        found = [figures_table(title, *self._events(), LEFT, caption="\n".join(self._skipped()))]
        found.append(figures_table("Sparing's index", *self._index(), LEFT))
        if self.small:
            found.append(figures_table("Milliseconds for small batches, inserts and removes", *self._small(), LEFT))
        if self.targets():
            found.append(figures_table("Goals", *self._targets(), LEFT))
        return found

    def markdown(self) -> str:
        """For documentation."""
        parts = [markdown_table(*self._events(), LEFT), *self._skipped(), markdown_table(*self._index(), LEFT)]
        if self.small:
            parts.append(markdown_table(*self._small(), LEFT))
        if self.targets():
            parts.append(markdown_table(*self._targets(), LEFT))
        return "\n\n".join(parts) + "\n"

    def _events(self) -> tuple[list[str], list[list[str]]]:
        names = self.settings.engines
        rows = []
        for ours in self._ours():
            row = [workload(*ours.workload), f"{ours.subscriptions:,}"]
            for name in names:
                figure = self._find(*ours.workload, ours.subscriptions, name)
                row.append("" if figure is None else self._cell(figure))
            rows.append(row)
        return ["workload", "subscriptions", *[ENGINES[name].title for name in names]], rows

    def _cell(self, figure: Figure) -> str:
        if figure.skipped:
            return "skipped"
        return f"{figure.rate:,.0f}" + ("" if figure.engine == "sparing" else f" ({_times(self.ratio(figure))})")

    def _skipped(self) -> list[str]:
        """Which engines were skipped, and why."""
        found: dict[tuple[str, str], list[str]] = {}
        for figure in self.figures:
            if figure.skipped:
                workloads = found.setdefault((ENGINES[figure.engine].title, figure.skipped), [])
                if workload(*figure.workload) not in workloads:
                    workloads.append(workload(*figure.workload))
        return [f"{title} was skipped: {why}: {'; '.join(on)}." for (title, why), on in found.items()]

    def _index(self) -> tuple[list[str], list[list[str]]]:
        names = [
            "workload",
            "subscriptions",
            "seconds to build",
            "bytes per subscription",
            "pairs per event",
            "pairs/s",
        ]
        rows = [
            [
                workload(*f.workload), f"{f.subscriptions:,}", f"{f.load_seconds:.3f}",
                f"{(f.bytes or 0) / f.subscriptions:,.0f}", f"{f.pairs / f.events:,.2f}", f"{f.pairs_rate:,.0f}",
            ]
            for f in self._ours()
        ]  # fmt: skip
        return names, rows

    def _targets(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [t.what, f"{t.goal:,}", "" if t.found is None else f"{t.found:,.1f}", t.verdict] for t in self.targets()
        ]
        return ["what", "goal", "found", "verdict"], rows

    def _small(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [
                workload(t.shape, t.selectivity), f"{t.subscriptions:,}", t.what,
                *[f"{1000 * seconds:,.3f}" for seconds in (t.median, t.high, t.worst)], f"{t.times:,}",
            ]
            for t in self.small
        ]  # fmt: skip
        return ["workload", "subscriptions", "what", "median", "99%", "worst", "times"], rows

    def _ours(self) -> list[Figure]:
        return [figure for figure in self.figures if figure.engine == "sparing"]

    def plot(self, path: Path) -> None:
        """Events per second over the number of subscriptions: a panel for each workload, a line for each engine."""
        need_matplotlib()
        from matplotlib import rc_context
        from matplotlib.figure import Figure as Picture
        from matplotlib.ticker import FuncFormatter

        shapes = list(dict.fromkeys(f.shape for f in self.figures))
        selectivities = sorted({f.selectivity for f in self.figures}, reverse=True)
        picture = Picture(figsize=(max(3.1 * len(shapes), 5.5), 2.7 * len(selectivities) + 0.9), layout="constrained")
        panels = picture.subplots(len(selectivities), len(shapes), sharex=True, sharey=True, squeeze=False)
        for row, selectivity in enumerate(selectivities):
            for column, shape in enumerate(shapes):
                panel = panels[row][column]
                if selectivity not in SHAPES[shape].selectivities:
                    panel.set_visible(False)
                    panels[row - 1][column].tick_params(labelbottom=True)
                    continue
                for name in self.settings.engines:
                    mine = [
                        f for f in self.figures if (f.workload, f.engine) == ((shape, selectivity), name) and f.rates
                    ]
                    colour, marker = LOOKS[name]
                    panel.loglog(
                        [f.subscriptions for f in mine], [f.rate for f in mine], color=colour, marker=marker,
                        markersize=5, linewidth=2.4 if name == "sparing" else 1.4, label=ENGINES[name].title,
                    )  # fmt: skip
                panel.set_title(workload(shape, selectivity), fontsize=10)
                panel.grid(visible=True, which="major", color="0.9", linewidth=0.8)
                panel.xaxis.set_major_formatter(FuncFormatter(short))
                panel.yaxis.set_major_formatter(FuncFormatter(short))
                panel.minorticks_off()
                panel.spines[["top", "right"]].set_visible(False)
        picture.supxlabel("subscriptions", fontsize=10)
        picture.supylabel("events per second", fontsize=10)
        lines, labels = panels[0][0].get_legend_handles_labels()
        picture.legend(lines, labels, loc="outside upper center", ncols=len(labels), frameon=False, fontsize=10)
        try:
            with rc_context({"svg.fonttype": "none", "svg.hashsalt": "match"}):
                picture.savefig(path, dpi=150)
        except (OSError, ValueError) as error:
            raise SparingError(f"{path} cannot be plotted to: {error}.") from None


LOOKS = {  # colours that most people can tell apart, and markers for the others
    "sparing": ("#0072B2", "o"),
    "numpy": ("#E69F00", "s"),
    "duckdb": ("#009E73", "^"),
    "polars": ("#D55E00", "D"),
    "spark": ("#CC79A7", "v"),
}


def _times(ratio: float | None) -> str:
    """How many times.

    >>> _times(3.14159), _times(1234.5)
    ('3.1x', '1,234x')
    """
    assert ratio is not None
    return f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.1f}x"


LEFT = ("workload", "what", "verdict")
