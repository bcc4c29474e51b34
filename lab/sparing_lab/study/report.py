"""HTML pages of studies: one page for each study, and one for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from sparing.report import html
from sparing_lab.study.exhibits import CLAIMS, Table, claims_table, tally
from sparing_lab.study.study import StudyReport
from sparing_lab.study.verdicts import RULES, Verdict

if TYPE_CHECKING:
    from jinja2 import Environment

TITLE = "Five papers, measured again"
ABOUT = (
    "All tables and figures of five papers, measured again, and the claims of each paper beside our measurements. "
    "Verdicts are computed from the measurements by the rules below."
)
CLAIMS_TITLE = "Claims and measurements"
RULES_TITLE = "Rules for verdicts"


def page(report: StudyReport) -> str:
    """Return the page of one study."""
    return _render("study.html.j2", title=report.study.title, report=report)


def page_of_all(reports: Mapping[str, StudyReport]) -> str:
    """Return one page with the number of claims by verdict, then every study."""
    values = {"about": ABOUT, "summary": summary(reports), "rules_title": RULES_TITLE, "rules": RULES}
    return _render("studies.html.j2", title=TITLE, reports=reports, **values)


def summary(reports: Mapping[str, StudyReport]) -> Table:
    """Return the number of claims with each verdict, by paper."""
    counts = {name: tally(report.claims) for name, report in reports.items()}
    counts["all"] = [sum(column) for column in zip(*counts.values(), strict=True)]
    names = ["paper", "claims", *(verdict.value for verdict in Verdict)]
    return names, [[name, str(sum(row)), *map(str, row)] for name, row in counts.items()]


def tally_sentence(report: StudyReport) -> str:
    """Return the number of claims with each verdict, of one study, as a sentence."""
    counts = [f"{count} {verdict.value}" for count, verdict in zip(tally(report.claims), Verdict, strict=True)]
    return f"Of {len(report.claims)} claims: {', '.join(counts)}."


@cache
def _templates() -> Environment:
    """The laboratory's templates, which build on those of Sparing's own pages."""
    from jinja2 import ChoiceLoader, PackageLoader

    base = html.environment()
    assert base.loader is not None
    return base.overlay(loader=ChoiceLoader([PackageLoader("sparing_lab.study"), base.loader]))


def _render(template: str, **values: Any) -> str:
    shared = {"claims_table": claims_table, "claims_columns": len(CLAIMS), "claims_title": CLAIMS_TITLE}
    return _templates().get_template(template).render(values | shared | {"tally_sentence": tally_sentence})
