"""The parameter grid: settings, methods compared on each, and numbers of samples.

Paper: caeva, section IV. What it leaves open is ours: sizes of overlays, reports per event, how many publishers there
are in Figures 3 and 4, and what publishers that change do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

FIELDS = 20  # of an event, the key among them
MOST_VALID = 10  # fields that a report tells, at most
LONGEST = 100  # time units that an event lasts, at most
CYCLE = 10  # time units: T_m in Figure 4 and in the tables
SLOWLY, FAST = 20, 5  # events after which changing publishers change
HEAVY = 200.0  # reports per event in the tables
USUAL = 31  # publishers in Table II

AGELE, ADAPTIVE, REPLAY, LITERAL, PINNED = "Agele", "adaptive", "replay", "literal", "no fading"
FIXED = "H = "  # and so many hops


class CaevaExperiment(StrEnum):
    """The kind of an experiment."""

    FIGURE_3 = "Figure 3"
    FIGURE_4 = "Figure 4"
    TABLE_I = "Table I"
    TABLE_II = "Table II"
    AHEAD = "CAEVA and Agele"

    @property
    def places(self) -> bool:
        """Whether it measures the placement of passive aggregators."""
        return self in (CaevaExperiment.TABLE_I, CaevaExperiment.TABLE_II)


class OverlayShape(StrEnum):
    """The shape of the overlay."""

    RANDOM = "random"
    BINARY = "tree"


class PublisherPlaces(StrEnum):
    """The places of publishers."""

    LOCAL = "H"  # all at one broker
    CLUSTERS = "M"  # at a few brokers and next to them
    APART = "L"  # all at different brokers
    CHANGING = "changing"  # in phases


REDUNDANCIES = {"H": 0.85, "M": 0.5, "L": 0.2}


@dataclass(frozen=True, order=True)
class CaevaPoint:
    """The parameters of a point; `reports` is the mean number per event."""

    kind: CaevaExperiment
    shape: OverlayShape = OverlayShape.RANDOM
    brokers: int = 100
    who: PublisherPlaces = PublisherPlaces.APART
    publishers: int = 20
    redundancy: float = 0.5
    reports: float = 12.0
    cycle: int = CYCLE
    subscribing: float = 1.0  # share of brokers
    phase: int = 0  # events after which publishers change, if they do


@dataclass(frozen=True)
class CaevaSample:
    """One sample of a point, by its number."""

    point: CaevaPoint
    events: int
    sample: int

    @property
    def work(self) -> float:
        """An estimate of the work, for the order of cells."""
        point = self.point
        return self.events * (point.brokers + point.reports) * (10 if point.kind.places else 20 / (point.cycle + 2))


@dataclass(frozen=True)
class CaevaScale:
    """The amount of measurements."""

    name: str
    samples: int  # of each point
    events: int  # of each sample
    cycles: tuple[int, ...]  # T_m in Figure 3
    publishers: tuple[int, ...]  # in Table I
    levels: int  # of the binary trees

    @property
    def figure_3(self) -> list[CaevaPoint]:
        """Return the points by notification cycle."""
        return [CaevaPoint(CaevaExperiment.FIGURE_3, cycle=cycle) for cycle in self.cycles]

    @property
    def figure_4(self) -> list[CaevaPoint]:
        """Return the points by locality, then by redundancy."""
        where = (PublisherPlaces.LOCAL, PublisherPlaces.CLUSTERS, PublisherPlaces.APART)
        return [
            CaevaPoint(CaevaExperiment.FIGURE_4, who=who, redundancy=share)
            for who in where
            for share in REDUNDANCIES.values()
        ]

    @property
    def table_i(self) -> list[CaevaPoint]:
        """Return the points by number of publishers."""
        brokers = 2**self.levels - 1
        return [
            CaevaPoint(CaevaExperiment.TABLE_I, OverlayShape.BINARY, brokers, publishers=count, reports=HEAVY)
            for count in self.publishers
        ]

    @property
    def table_ii(self) -> list[CaevaPoint]:
        """Return the points of steady publishers (of binary trees: see Table I) and changing ones, on both overlays."""
        found = []
        for shape, brokers in {OverlayShape.BINARY: 2**self.levels - 1, OverlayShape.RANDOM: 100}.items():
            steady = CaevaPoint(CaevaExperiment.TABLE_I, shape, brokers, publishers=USUAL, reports=HEAVY)
            changing = replace(steady, kind=CaevaExperiment.TABLE_II, who=PublisherPlaces.CHANGING)
            found += [steady, *(replace(changing, phase=phase) for phase in (SLOWLY, FAST))]
        return found

    @property
    def ahead(self) -> dict[str, list[CaevaPoint]]:
        """Varied parameter -> points; other parameters are those of Figure 3 at T_m = 10."""
        usual = CaevaPoint(CaevaExperiment.AHEAD)
        local = replace(usual, who=PublisherPlaces.CLUSTERS, reports=50.0)
        return {
            "reports per event": [replace(usual, reports=count) for count in (3.0, 12.0, 50.0, 200.0)],
            "locality": [
                replace(usual, who=who, reports=50.0)
                for who in (PublisherPlaces.APART, PublisherPlaces.CLUSTERS, PublisherPlaces.LOCAL)
            ],
            "brokers that subscribe": [replace(local, subscribing=share) for share in (1.0, 0.3, 0.1, 0.03)],
            "cycle": [replace(local, cycle=cycle, subscribing=0.1) for cycle in (0, 1, 5, 10, 30)],
        }

    @property
    def points(self) -> list[CaevaPoint]:
        """All points, without duplicates."""
        ahead = [point for some in self.ahead.values() for point in some]
        return sorted({*self.figure_3, *self.figure_4, *self.table_i, *self.table_ii, *ahead})

    def cells(self) -> list[CaevaSample]:
        """Return all experiments, longest first to keep all cores busy until the end."""
        found = [CaevaSample(point, self.events, sample) for point in self.points for sample in range(self.samples)]
        return sorted(found, key=lambda cell: cell.work, reverse=True)


PAPER = CaevaScale("paper", samples=10, events=120, cycles=tuple(range(11)), publishers=(3, 7, 31, 255), levels=8)
SMALL = CaevaScale("small", samples=2, events=60, cycles=(0, 1, 2, 4, 6, 8, 10), publishers=(3, 7, 31, 255), levels=8)
SCALES = {scale.name: scale for scale in (SMALL, PAPER)}
