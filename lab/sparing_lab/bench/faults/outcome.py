"""What was done to a stream, what was promised, and what happened."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from sparing.report.markdown import markdown_table
from sparing.report.tables import figures_table

HEAD = ["fault", "where or when", "promised", "tried", "happened"]

GOES_ON = "the next start goes on; all tables as if undisturbed"
RETRIED = "tried again in the same run; all tables as if undisturbed"
MENDED = "the start says which file; after sparing repair all tables as if undisturbed"
SENTENCE = "one sentence; once that is put right, all tables as if undisturbed"
SET_ASIDE = "in quarantine; all other tables as if they had not come"


@dataclass(frozen=True)
class Outcome:
    """One fault: of which kind, where or when; whether what was promised was kept, and what happened instead."""

    fault: str
    where: str
    promised: str
    kept: bool
    happened: str = ""
    tried: bool = True


@dataclass(frozen=True)
class Figures:
    """All faults."""

    settings: dict[str, Any]
    outcomes: Sequence[Outcome]

    @property
    def kept(self) -> bool:
        """Whether all promises were."""
        return all(outcome.kept for outcome in self.outcomes)

    def tables(self) -> list[Table]:
        """For people."""
        return [figures_table("Faults, promises and what happened", HEAD, self._rows())]

    def markdown(self) -> str:
        """For documentation."""
        return markdown_table(HEAD, self._rows(), left=[name for name in HEAD if name != "tried"])

    def json(self) -> dict[str, Any]:
        """For programs."""
        return {"settings": self.settings, "outcomes": [asdict(outcome) for outcome in self.outcomes]}

    def _rows(self) -> list[list[str]]:
        """A row for each kind of fault and promise, with all places and moments that were tried."""
        groups: dict[tuple[str, str], list[Outcome]] = {}
        for outcome in self.outcomes:
            groups.setdefault((outcome.fault, outcome.promised), []).append(outcome)
        rows = []
        for (fault, promised), group in groups.items():
            where = "; ".join(sorted({each.where for each in group}))
            rows.append([fault, where, promised, str(sum(each.tried for each in group)), _happened(group)])
        return rows


def _happened(group: Sequence[Outcome]) -> str:
    """What happened to all outcomes of a kind, with their number where it differs."""
    said = Counter(("" if each.kept else "NOT KEPT: ") + (each.happened or "as promised") for each in group)
    return "; ".join(text if len(said) == 1 else f"{text} ({count})" for text, count in said.items())


def is_sentence(said: str) -> bool:
    """Whether a failure was told in one line, without a stack."""
    lines = [line for line in said.splitlines() if line.startswith("Error: ")]
    return len(lines) == 1 and re.search(r"Traceback|^\s+at \w|^\s+File ", said, re.MULTILINE) is None
