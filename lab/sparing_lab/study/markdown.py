"""What came of all studies as a page of Markdown: `docs/reproduction.md`."""

from __future__ import annotations

from collections.abc import Mapping

from sparing.report.markdown import markdown_table
from sparing_lab.study.exhibits import CLAIMS, Table, claims_table
from sparing_lab.study.report import ABOUT, RULES_TITLE, TITLE, summary, tally_sentence
from sparing_lab.study.study import Shown
from sparing_lab.study.verdicts import RULES

MADE = "This page is written by the command below, which also draws all figures and tables, on the page `all.html`."
READ_ON = "What is measured and what is ours is told in [studies](studies.md)."


def markdown(studies: Mapping[str, Shown], command: str) -> str:
    """The whole page: the command that made it, how many claims are reproduced, then every claim by paper."""
    parts = [f"# {TITLE}", ABOUT, f"{MADE} {READ_ON}", f"```sh\n{command}\n```", table(summary(studies))]
    parts += [f"## {RULES_TITLE}", "\n".join(f"- {rule}" for rule in RULES)]
    for name, shown in studies.items():
        parts += [f"## {name}", shown.words.paper, shown.scale, tally_sentence(shown)]
        parts.append(table(claims_table(shown.claims), len(CLAIMS)))
    return "\n\n".join(parts) + "\n"


def table(found: Table, left: int = 1) -> str:
    """A table of plain text; the first `left` columns are words, the others numbers.

    >>> print(table((["policy", "messages"], [["wad|live", "1*2"]])))
    | policy | messages |
    | --- | ---: |
    | wad\\|live | 1\\*2 |
    """
    names, rows = found
    return markdown_table(names, [[_plain(cell) for cell in row] for row in rows], left)


def _plain(text: str) -> str:
    """Text that means nothing else in Markdown; bars are the table's business."""
    for sign in "*_<":
        text = text.replace(sign, f"\\{sign}")
    return text
