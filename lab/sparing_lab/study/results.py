"""Rows of one run, looked up by the experiment that they are samples of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from statistics import fmean
from typing import Any, ClassVar, Generic, TypeVar

from sparing_lab.study.rows import Row

S = TypeVar("S")
R = TypeVar("R", bound=Row)


class Results(Generic[S, R]):
    """Base of a study's results: all rows of a run at one scale. Statistics of missing rows are None or empty."""

    key: ClassVar[tuple[str, ...]]  # fields of a row that identify an experiment
    number: ClassVar[str] = ""  # the field that numbers an experiment's samples, if there are several

    def __init__(self, scale: S, rows: Iterable[R]) -> None:
        self.scale = scale
        self.rows = list(rows)
        self._samples: dict[tuple[Any, ...], list[R]] = {}
        key_of = attrgetter(*self.key)
        for row in sorted(self.rows, key=attrgetter(self.number)) if self.number else self.rows:
            self._samples.setdefault(key_of(row), []).append(row)

    @property
    def keys(self) -> Iterable[tuple[Any, ...]]:
        """The experiments that were measured."""
        return self._samples.keys()

    def samples(self, *key: Any) -> list[R]:
        """Return the rows of an experiment, ordered by sample number."""
        return self._samples.get(key, [])

    def mean_of(self, value: Callable[[R], float], *key: Any) -> float | None:
        """Return the mean of a value over the samples of an experiment."""
        return mean([value(row) for row in self.samples(*key)])


def mean(values: Sequence[float]) -> float | None:
    """Return the mean, or None without values."""
    return fmean(values) if values else None
