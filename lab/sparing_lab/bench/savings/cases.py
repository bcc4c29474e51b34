"""The workloads on which techniques are left out, one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from sparing.workloads.workload import Workload


@dataclass(frozen=True)
class SavingsCase:
    """A workload of `sparing generate`: its kind, what it stands for, settings that all have, options of its own."""

    kind: str
    about: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def made(self) -> Workload:
        """The workload itself."""
        module = import_module(f"sparing.workloads.{self.kind}")
        made: Workload = getattr(module, self.kind)(replace(module.DEFAULTS, **self.settings), **self.options)
        return made

    def command(self, folder: str) -> str:
        """The command that makes the same workload.

        >>> CASES["offers"].command("offers")
        'sparing generate boxes offers --rate 2 --subscriptions 2000 --ratio 0:1 --dimensions 1 --top-k 10'
        """
        words = ["sparing", "generate", self.kind, folder]
        for name, value in {**self.settings, **self.options}.items():
            option = "ratio" if name == "aggregate" else name.replace("_", "-")
            words += [f"--{option}", ":".join(map(str, value)) if isinstance(value, tuple) else f"{value:g}"]
        return " ".join(words)


CASES = {
    "city": SavingsCase("city", "traffic with windows and incidents that many report: the demo"),
    "stock": SavingsCase(
        "stock",
        "quotes, mostly as sliding windows of five shifts",
        {
            "rate": 50.0,
            "duration": 60.0,
            "subscriptions": 180,
            "aggregate": (2, 1),
            "sliding": 1.0,
            "window": 10.0,
            "slide": 2.0,
        },
    ),
    "incidents": SavingsCase("incidents", "merged reports, ten of each incident", {}, {"reports": 10.0}),
    "offers": SavingsCase(
        "boxes",
        "a publication goes to ten of those who match, by lot",
        {"rate": 2.0, "subscriptions": 2000, "aggregate": (0, 1)},
        {"dimensions": 1, "top_k": 10},
    ),
    "alerts": SavingsCase("alerts", "a wide network, many wishes, and little that is published"),
    "alerts that move": SavingsCase(
        "alerts", "the same, with a tenth of the wishes coming and going", {}, {"churn": 0.1}
    ),
}
