"""The outcome of a fault: the fault, the promise, and what happened."""

from __future__ import annotations

import re
from dataclasses import dataclass

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


def is_sentence(said: str) -> bool:
    """Return whether an error message is one line, without a stack trace."""
    lines = [line for line in said.splitlines() if line.startswith("Error: ")]
    return len(lines) == 1 and re.search(r"Traceback|^\s+at \w|^\s+File ", said, re.MULTILINE) is None
