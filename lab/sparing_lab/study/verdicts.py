"""Verdicts: whether a claim of a paper is reproduced, computed from measurements by rules.

A rule takes a measurement, or None if the scale does not include it, and returns a verdict with its reason. Rules are
strict: a number that only has the same direction is not reproduced, and the reason mentions the direction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

NEAR = 0.1  # of a printed number, or of a bound
FEW, SOME = 10.0, 25.0  # percent: limits of "a small fraction", and of partly reproducing it
RULES = (
    "A printed number is reproduced if ours is within 10% of it, partly if it is within a factor of two.",
    "Otherwise the reason says whether the direction is the same.",
    "A bound (“under”, “over”, “at most”) is reproduced if ours keeps it, partly if ours misses it by 10% at most.",
    "A claim about several cases is reproduced if it holds in all of them, partly if in half of them or more.",
    "“Grows” and “shrinks” are reproduced if every step shows it, partly if only the first and last points do.",
    "“A small fraction” is reproduced up to 10%, partly up to 25%.",
    "A claim with several parts is reproduced if all parts are, not if none is, else partly.",
)


class Verdict(StrEnum):
    """Whether a claim is reproduced."""

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    NOT = "not reproduced"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Judged:
    """A verdict, and the clause that gives its reason."""

    verdict: Verdict
    because: str

    @property
    def why(self) -> str:
        """The reason as a sentence.

        >>> Judged(Verdict.PARTLY, "18% below it").why
        '18% below it.'
        """
        return f"{self.because[0].upper()}{self.because[1:]}."

    def noting(self, note: str) -> Judged:
        """Return the verdict with a note that explains it, unless the claim is reproduced or not measured.

        >>> near(30, 50).noting("the overlay is not described").because
        '40% below it, within a factor of two; the overlay is not described'
        >>> near(50, 50).noting("the overlay is not described").because
        'within 10% of it'
        """
        if self.verdict in (Verdict.PARTLY, Verdict.NOT):
            return replace(self, because=f"{self.because}; {note}")
        return self


LEFT_OUT = Judged(Verdict.NOT_MEASURED, "not measured at this scale")


def unmeasured(because: str) -> Judged:
    """Return the verdict on a claim that cannot be measured at any scale."""
    return Judged(Verdict.NOT_MEASURED, because)


def near(ours: float | None, printed: float) -> Judged:
    """Return the verdict on a printed number.

    >>> near(105, 100).verdict, near(60, 100).verdict
    (<Verdict.REPRODUCED: 'reproduced'>, <Verdict.PARTLY: 'partly'>)
    >>> near(0.2, 10.0)
    Judged(verdict=<Verdict.NOT: 'not reproduced'>, because='the same direction, but 0.02 times it')
    >>> near(-3.0, 10.0).because
    'the other direction'
    """
    if ours is None:
        return LEFT_OUT
    times = ours / printed
    if abs(times - 1) <= NEAR + 1e-9:
        return Judged(Verdict.REPRODUCED, f"within {NEAR:.0%} of it")
    if 0.5 <= times <= 2:
        way = "above" if times > 1 else "below"
        return Judged(Verdict.PARTLY, f"{abs(times - 1):.0%} {way} it, within a factor of two")
    if times > 0:
        much = f"{times:.2g} times it" if times >= 0.01 else "nearly zero"
        return Judged(Verdict.NOT, f"the same direction, but {much}")
    return Judged(Verdict.NOT, "the other direction" if times < 0 else "no difference at all")


def at_most(ours: float | None, bound: float) -> Judged:
    """Return the verdict on an upper bound.

    >>> [at_most(ours, 4).verdict.name for ours in (3.9, 4.4, 5)]
    ['REPRODUCED', 'PARTLY', 'NOT']
    """
    return LEFT_OUT if ours is None else _bounded(ours <= bound, ours, bound)


def at_least(ours: float | None, bound: float) -> Judged:
    """Return the verdict on a lower bound.

    >>> at_least(45, 50), at_least(30, 50).because
    (Judged(verdict=<Verdict.PARTLY: 'partly'>, because='misses the bound by 10%'), 'misses the bound by 40%')
    """
    return LEFT_OUT if ours is None else _bounded(ours >= bound, ours, bound)


def _bounded(kept: bool, ours: float, bound: float) -> Judged:
    if kept:
        return Judged(Verdict.REPRODUCED, "keeps the bound")
    off = abs(ours / bound - 1)
    verdict = Verdict.PARTLY if off <= NEAR + 1e-9 else Verdict.NOT
    return Judged(
        verdict, f"misses the bound by {100 * off:.3g}%" if off < 2 else f"{ours / bound:.2g} times the bound"
    )


def same(ours: object, printed: object) -> Judged:
    """Return the verdict on a value that must be equal.

    >>> same((2, 9), (2, 9)).because, same(0.5, 0).verdict
    ('exactly', <Verdict.NOT: 'not reproduced'>)
    """
    if ours is None:
        return LEFT_OUT
    return Judged(Verdict.REPRODUCED, "exactly") if ours == printed else Judged(Verdict.NOT, "not the same")


def small_fraction(percent: float | None) -> Judged:
    """Return the verdict on "a small fraction".

    >>> [small_fraction(percent).verdict.name for percent in (4, 16, 90)]
    ['REPRODUCED', 'PARTLY', 'NOT']
    """
    if percent is None:
        return LEFT_OUT
    verdict = Verdict.REPRODUCED if percent <= FEW else Verdict.PARTLY if percent <= SOME else Verdict.NOT
    return Judged(verdict, f"{percent:.1f}% is {'' if percent <= FEW else 'more than '}a small fraction")


def holds(found: Iterable[bool | None]) -> Judged:
    """Return the verdict on several cases; None is a case that was not measured.

    >>> holds([True, None, True]).because
    'holds in 2 of 2 cases'
    >>> [holds(found).verdict.name for found in ([True, False], [False, False, True], [])]
    ['PARTLY', 'NOT', 'NOT_MEASURED']
    """
    known = [one for one in found if one is not None]
    if not known:
        return LEFT_OUT
    met = sum(known)
    verdict = Verdict.REPRODUCED if met == len(known) else Verdict.PARTLY if 2 * met >= len(known) else Verdict.NOT
    if len(known) == 1:
        return Judged(verdict, "holds" if met else "does not hold")
    return Judged(verdict, f"holds in {met} of {len(known)} cases")


def increasing(values: Sequence[float | None], digits: int = 1) -> Judged:
    """Return the verdict on a sweep that grows, rounded to some decimal places.

    >>> [increasing(values).verdict.name for values in ([1, 2, 2.5], [1, 3, 2], [2, 3, 1], [1, None])]
    ['REPRODUCED', 'PARTLY', 'NOT', 'NOT_MEASURED']
    >>> increasing([0.01, 0.02]).because
    'never grows'
    """
    return _steady([round(value, digits) for value in values if value is not None], "grows")


def decreasing(values: Sequence[float | None], digits: int = 1) -> Judged:
    """Return the verdict on a sweep that shrinks.

    >>> decreasing([3, 1, 2]).because
    'shrinks from the first to the last point, but not at every step'
    """
    return _steady([-round(value, digits) for value in values if value is not None], "shrinks")


def _steady(values: Sequence[float], word: str) -> Judged:
    if len(values) < 2:
        return LEFT_OUT
    if all(one < other for one, other in pairwise(values)):
        return Judged(Verdict.REPRODUCED, f"{word} at every step")
    if values[-1] > values[0]:
        return Judged(Verdict.PARTLY, f"{word} from the first to the last point, but not at every step")
    ever = any(one < other for one, other in pairwise(values))
    return Judged(Verdict.NOT, f"{word} at some steps, but not overall" if ever else f"never {word}")


def all_of(parts: Mapping[str, Judged]) -> Judged:
    """Return the verdict on a claim with several parts, by name.

    >>> all_of({"one": near(100, 100), "other": near(1, 100)}).because
    'one within 10% of it; other the same direction, but 0.01 times it'
    """
    verdicts = {judged.verdict for judged in parts.values()}
    if not verdicts or Verdict.NOT_MEASURED in verdicts:
        return LEFT_OUT
    verdict = verdicts.pop() if len(verdicts) == 1 else Verdict.PARTLY
    reasons = list(dict.fromkeys(judged.because for judged in parts.values()))
    if len(reasons) == 1:
        return Judged(verdict, reasons[0])
    return Judged(verdict, "; ".join(f"{name} {judged.because}" for name, judged in parts.items()))
