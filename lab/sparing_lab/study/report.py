"""What came of studies as HTML pages that need nothing else: one for each, and one for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from sparing.report import html
from sparing_lab.study.exhibits import CLAIMS, Table, claims_table, tally
from sparing_lab.study.study import Shown
from sparing_lab.study.verdicts import RULES, Verdict

TITLE = "Five papers, measured again"
ABOUT = (
    "Every table and figure of five papers, measured again, with what each paper says of its experiments beside what "
    "was found. Verdicts are worked out from measurements by the rules below; none is written by hand."
)
CLAIMS_TITLE = "What is claimed, and what came out"
RULES_TITLE = "How verdicts are made"
# Tables that are wider than a small screen can be pushed aside there, and are printed whole.
SCREENS = "<style>.wide { overflow-x: auto; } @media print { .wide { overflow-x: visible; } }</style>"


def page(shown: Shown) -> str:
    """The page of one study."""
    return html.page(shown.words.title, [SCREENS, *_parts(shown)])


def page_of_all(studies: Mapping[str, Shown]) -> str:
    """One page: how many claims are reproduced, then every study."""
    parts = [SCREENS, html.paragraph(ABOUT), _wide(html.table(*summary(studies)))]
    parts += [_contents(studies), html.folded(RULES_TITLE, "\n".join(map(html.paragraph, RULES)))]
    for name, shown in studies.items():
        parts += [f'<h1 id="{escape(name)}">{escape(name)}: {escape(shown.words.title)}</h1>', *_parts(shown)]
    return html.page(TITLE, parts)


def summary(studies: Mapping[str, Shown]) -> Table:
    """By paper, how many claims there are with each verdict."""
    counts = {name: tally(shown.claims) for name, shown in studies.items()}
    counts["all"] = [sum(column) for column in zip(*counts.values(), strict=True)]
    names = ["paper", "claims", *(verdict.value for verdict in Verdict)]
    return names, [[name, str(sum(found)), *map(str, found)] for name, found in counts.items()]


def tally_sentence(shown: Shown) -> str:
    """The same of one study, in words."""
    counts = [f"{count} {verdict.value}" for count, verdict in zip(tally(shown.claims), Verdict, strict=True)]
    return f"Of {len(shown.claims)} claims: {', '.join(counts)}."


def _parts(shown: Shown) -> list[str]:
    return [
        *map(html.paragraph, (shown.words.paper, *shown.words.introduction, shown.scale)),
        html.heading(CLAIMS_TITLE),
        html.paragraph(tally_sentence(shown)),
        _wide(html.table(*claims_table(shown.claims), left=len(CLAIMS))),
        *(_wide(part) if "<table>" in part else part for part in shown.exhibits),
    ]


def _contents(studies: Mapping[str, Shown]) -> str:
    links = [
        f'<a href="#{escape(name)}">{escape(name)}</a>: {escape(one.words.title)}' for name, one in studies.items()
    ]
    return f"<ul>{''.join(f'<li>{link}</li>' for link in links)}</ul>"


def _wide(part: str) -> str:
    """A part that may be wider than a small screen."""
    return f'<div class="wide">\n{part}\n</div>'
