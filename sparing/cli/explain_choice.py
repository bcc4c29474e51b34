"""`sparing explain --publication`: the recipients of a publication, and why."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from sparing.cli.console import clock, out, say, say_more
from sparing.model.counted import counted

if TYPE_CHECKING:
    from sparing.flow.rank.explain import Choice
    from sparing.spark.tools.explain_choice import ChoiceExplanation

MOST = 12  # rows of a table


def print_choice(explained: ChoiceExplanation, as_json: bool) -> None:
    """Print the explanation as text or JSON."""
    if as_json:
        typer.echo(json.dumps(asdict(explained), indent=1))
        return
    from sparing.report.choice import candidates_table, hops_table

    choice = explained.choice
    say(
        f"{choice.publication}, by {choice.publisher} at {choice.broker}, on {choice.topic}, {clock(choice.time)}",
        "bold",
    )
    if explained.others:
        others = counted(explained.others, "more publication has", "more publications have")
        say(f"{others} this id; this is the first.")
    say(f"{counted(len(choice.candidates), 'subscription matches', 'subscriptions match')}. {top_k_text(choice)}")
    if choice.candidates:
        say()
        out.print(candidates_table(choice, MOST))
        say_more(len(choice.candidates), MOST, "subscription")
    if choice.hops:
        out.print(hops_table(choice, MOST))
        say_more(len(choice.hops), MOST, "row")
    if explained.verdict is not None:
        say(explained.verdict.why, "bold")


def top_k_text(choice: Choice) -> str:
    """Return the number of recipients among the matching subscriptions, and their order."""
    if choice.allowed is None:
        return f"{choice.publisher} has no top_k: all matching subscriptions receive it."
    wish = "" if choice.wish is None else f"; this publication asks for {choice.wish:,}"
    return f"{choice.publisher} has top_k {choice.top_k:,}{wish}. Order: {choice.rank}."
