"""CPU time by step: functions are replaced by timed ones during a measurement.

The time of a step excludes that of steps that it calls, so the steps add up to the whole. Functions that return an
iterator are timed while it is consumed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

Function = tuple[Any, str]  # a module or class, and the name of a function in it


class SelfTimes:
    """CPU seconds by step; time outside of all steps belongs to the step `rest`.

    >>> ticks = iter([0.0, 1.0, 4.0, 4.5])
    >>> times = SelfTimes("rest", clock=ticks.__next__)
    >>> with times.step("sorting"):
    ...     pass
    >>> times.stop()
    {'rest': 1.5, 'sorting': 3.0}
    """

    def __init__(self, rest: str, clock: Callable[[], float] = time.process_time) -> None:
        self._clock = clock
        self._open = [rest]  # steps, the innermost last
        self._seconds = {rest: 0.0}
        self._since = clock()

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Count the time inside the context for a step."""
        self._advance()
        self._open.append(name)
        try:
            yield
        finally:
            self._advance()
            self._open.pop()

    def stop(self) -> dict[str, float]:
        """Return the seconds of each step so far."""
        self._advance()
        return dict(self._seconds)

    def _advance(self) -> None:
        now, name = self._clock(), self._open[-1]
        self._seconds[name] = self._seconds.get(name, 0.0) + now - self._since
        self._since = now

    @contextmanager
    def of(self, steps: Mapping[str, Sequence[Function]]) -> Iterator[None]:
        """Count the time of functions for their steps inside the context."""
        functions = [(step, owner, name) for step, some in steps.items() for owner, name in some]
        before = [(owner, name, vars(owner)[name]) for _, owner, name in functions]
        try:
            for step, owner, name in functions:
                setattr(owner, name, self._timed(step, vars(owner)[name]))
            yield
        finally:
            for owner, name, function in before:
                setattr(owner, name, function)

    def _timed(self, step: str, function: Any) -> Any:
        if isinstance(function, classmethod):
            return classmethod(self._timed(step, function.__func__))

        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            with self.step(step):
                found = function(*args, **kwargs)
            return self._each(step, found) if isinstance(found, Iterator) else found

        return timed

    def _each(self, step: str, found: Iterator[Any]) -> Iterator[Any]:
        while True:
            with self.step(step):
                try:
                    one = next(found)
                except StopIteration:
                    return
            yield one
