"""All claims and verdicts as a Markdown page: `docs/reproduction.md`."""

from __future__ import annotations

from collections.abc import Mapping

from sparing.report.markdown import markdown_table
from sparing_lab.study.exhibits import CLAIMS, Table, claims_table
from sparing_lab.study.report import ABOUT, RULES_TITLE, TITLE, summary, tally_sentence
from sparing_lab.study.study import StudyReport
from sparing_lab.study.verdicts import RULES

MADE = "This page is written by the command below, which also draws all figures and tables, on the page `all.html`."
READ_ON = "What is measured and what is ours is told in [studies](studies.md)."


def markdown(reports: Mapping[str, StudyReport], command: str) -> str:
    """Return the page: the command that wrote it, the number of claims by verdict, then every claim by paper."""
    parts = [f"# {TITLE}", ABOUT, f"{MADE} {READ_ON}", f"```sh\n{command}\n```", table(summary(reports))]
    parts += [f"## {RULES_TITLE}", "\n".join(f"- {rule}" for rule in RULES)]
    for name, report in reports.items():
        parts += [f"## {name}", report.study.paper, report.scale, tally_sentence(report)]
        parts.append(table(claims_table(report.claims), len(CLAIMS)))
    return "\n\n".join(parts) + "\n"


def table(cells: Table, left: int = 1) -> str:
    """Return a table of plain text; the first `left` columns are words, the others numbers.

    >>> print(table((["policy", "messages"], [["wad|live", "1*2"]])))
    | policy | messages |
    | --- | ---: |
    | wad\\|live | 1\\*2 |
    """
    names, rows = cells
    return markdown_table(names, [[_plain(cell) for cell in row] for row in rows], left)


def _plain(text: str) -> str:
    """Escape Markdown; `markdown_table` escapes bars."""
    for sign in "*_<":
        text = text.replace(sign, f"\\{sign}")
    return text
