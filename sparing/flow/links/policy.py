"""What every link policy offers: one signature, so that a run, an experiment and a benchmark loop over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np


@dataclass(frozen=True, slots=True)
class Question:
    """A notification window range has ended on a link where items wait for it: aggregate them, or forward them?

    `items` are the numbers of the raw publications that wait, in event-time order; `results` is how many partial
    results wait beside them. At least one of the two is there.
    """

    link: int
    end: int
    subscription: int
    items: np.ndarray
    results: int


class LinkPolicy(Protocol):
    """Decides on every link by itself, from what has been seen there."""

    @property
    def name(self) -> str:
        """The name in the deployment file."""

    @property
    def at_once(self) -> bool:
        """Whether publications cross links on arrival, so that nothing ever waits to be decided on."""

    def aggregate(self, question: Question) -> bool:
        """True: send one partial result. False: forward each item as it is."""
