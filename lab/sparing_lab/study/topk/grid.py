"""The parameter grid: numbers and widths of subscriptions, values of k, and sample sizes.

Paper: topk-covering, section V-A. Where it gives a range, the points in it are ours; so are the numbers of
publications, which it does not say, and the numbers of subscriptions of Figure 8, which has none in the text.
"""

from __future__ import annotations

from dataclasses import dataclass

Width = tuple[float, float]  # the narrowest and the widest of ranges, as shares of the space

WIDTH: Width = (0.3, 0.6)
CORE, FEWER_CORE = 10, 5  # core brokers while covering is measured, and for all else
FEW, MANY = 10_000, 50_000  # subscriptions of Figures 5(a) and 5(b)
LOW_K = tuple(range(1, 11))
FAIR_SELECTIVITIES = (0.4, 0.8, 1.2, 1.6, 2.0)  # percent: k = 1 to 5 of 250 subscriptions
GROWTH = (0.4, 2.0)  # percent, of Figure 8


@dataclass(frozen=True)
class ForwardingCell:
    """The share of subscriptions that reach the publisher's edge broker (Figure 5)."""

    subscriptions: int
    width: Width
    ks: tuple[int, ...]
    methods: tuple[str, ...]
    seed: int

    @property
    def work(self) -> float:
        """An estimate of the work, for the order of cells."""
        return len(self.methods) * (self.subscriptions * (10 * len(self.ks) + sum(self.ks)))


@dataclass(frozen=True)
class FairnessCell:
    """The number of publications by subscription (Figure 6)."""

    subscriptions: int
    k: int
    publications: int
    seed: int

    @property
    def work(self) -> float:
        """An estimate of the work."""
        return 500.0 * self.subscriptions * self.publications


@dataclass(frozen=True)
class OverheadCell:
    """The time of matching and picking on the path (Figures 7 and 8)."""

    subscriptions: int
    k: int
    publications: int
    seed: int

    @property
    def work(self) -> float:
        """An estimate of the work."""
        return 200.0 * self.subscriptions * self.publications


TopkCell = ForwardingCell | FairnessCell | OverheadCell

REGULAR_COVER, REGULAR_K = "RegularCover", "RegularK"
RANK_COVER_K, RANK_TREE = "RankCoverK", "RankCoverK, rank-tree"
ANCESTOR_COVER_K, ANCESTOR_FAIR_K = "AncestorCoverK", "AncestorFairK"
EXACT, AGAIN = "exactly fair", "RegularK, drawn again"
ONE_PARENT, ALL_PARENTS = "AncestorFairK, one parent", "AncestorFairK, all parents"


def k_of(subscriptions: int, percent: float) -> int:
    """Return the k of a selectivity.

    >>> k_of(50_000, 0.1), k_of(250, 0.4)
    (50, 1)
    """
    return max(round(subscriptions * percent / 100), 1)


@dataclass(frozen=True)
class TopkScale:
    """The amount of measurements."""

    name: str
    drawn: int  # subscriptions for each point of Figure 5: the fewer there are in a set, the more sets
    trees: int  # sets of subscriptions, each in another order, for the tree of RankCoverK
    low_k: tuple[int, ...]
    subscriptions: tuple[int, ...]  # of Figure 5(c)
    selectivities: tuple[float, ...]  # percent, of Figures 5(c) and 5(d)
    widths: tuple[Width, ...]  # of Figure 5(d)
    fair: tuple[int, ...]  # subscriptions, for Figures 6 and 7
    populations: int  # sets of subscriptions for Figure 6
    publications: int  # of Figure 6
    timed: int  # publications of Figures 7 and 8
    grown: tuple[int, ...]  # subscriptions of Figure 8

    def sets(self, subscriptions: int) -> int:
        """Return the number of sets of subscriptions for Figure 5."""
        return max(self.drawn // subscriptions, 1)

    def low(self, subscriptions: int) -> list[ForwardingCell]:
        """Return the cells of one panel of Figure 5 by low k."""
        methods = REGULAR_COVER, RANK_COVER_K, ANCESTOR_COVER_K
        cells = [
            ForwardingCell(subscriptions, WIDTH, self.low_k, methods, seed) for seed in range(self.sets(subscriptions))
        ]
        return cells + [ForwardingCell(subscriptions, WIDTH, LOW_K, (RANK_TREE,), seed) for seed in range(self.trees)]

    def by_selectivity(self, subscriptions: int, width: Width = WIDTH) -> list[ForwardingCell]:
        """Return the cells of AncestorCoverK by k as a share of the subscriptions; by width in Figure 5(d)."""
        ks = tuple(k_of(subscriptions, percent) for percent in self.selectivities)
        methods = REGULAR_COVER, ANCESTOR_COVER_K
        return [ForwardingCell(subscriptions, width, ks, methods, seed) for seed in range(self.sets(subscriptions))]

    def fairness(self, subscriptions: int) -> list[FairnessCell]:
        """Return the cells of Figure 6 for a number of subscriptions."""
        ks = [k_of(subscriptions, percent) for percent in FAIR_SELECTIVITIES]
        return [FairnessCell(subscriptions, k, self.publications, seed) for k in ks for seed in range(self.populations)]

    def overhead(self, subscriptions: int) -> list[OverheadCell]:
        """Return the cells of one panel of Figure 7."""
        return [self.timing(subscriptions, percent) for percent in FAIR_SELECTIVITIES]

    def timing(self, subscriptions: int, percent: float) -> OverheadCell:
        """Return the cell of one point of Figures 7 and 8."""
        return OverheadCell(subscriptions, k_of(subscriptions, percent), self.timed, 0)

    def cells(self) -> list[TopkCell]:
        """Return all experiments without duplicates, longest first to keep all cores busy until the end."""
        found: list[TopkCell] = [cell for count in (FEW, MANY) for cell in self.low(count)]
        found += [cell for count in self.subscriptions for cell in self.by_selectivity(count)]
        found += [cell for width in self.widths for cell in self.by_selectivity(FEW, width)]
        found += [cell for count in self.fair for cell in self.fairness(count)]
        found += [cell for count in self.fair for cell in self.overhead(count)]
        found += [self.timing(count, percent) for count in self.grown for percent in GROWTH]
        return sorted(dict.fromkeys(found), key=lambda cell: cell.work, reverse=True)


PAPER = TopkScale(
    "paper",
    drawn=150_000,
    trees=20,
    low_k=LOW_K,
    subscriptions=(10_000, 20_000, 30_000, 40_000, 50_000),
    selectivities=(0.1, 0.2, 0.5, 1, 2, 5, 10),
    widths=((0.1, 0.6), (0.2, 0.6), (0.3, 0.6), (0.4, 0.6), (0.5, 0.6), (0.3, 0.5), (0.3, 0.4)),
    fair=(250, 500),
    populations=5,
    publications=20_000,
    timed=20_000,
    grown=(250, 500, 1000, 2000, 4000),
)
SMALL = TopkScale(
    "small",
    drawn=50_000,
    trees=8,
    low_k=(1, 2, 4, 6, 8, 10),
    subscriptions=(10_000, 50_000),
    selectivities=(0.1, 1, 5, 10),
    widths=((0.1, 0.6), (0.3, 0.6), (0.5, 0.6), (0.3, 0.4)),
    fair=(250, 500),
    populations=2,
    publications=5_000,
    timed=5_000,
    grown=(250, 500, 1000, 2000),
)
SCALES = {scale.name: scale for scale in (SMALL, PAPER)}
