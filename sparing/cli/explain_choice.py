"""`sparing explain --publication`: who gets a publication, and why."""

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


def tell_choice(found: ChoiceExplanation, as_json: bool) -> None:
    """Print it, for people or for programs."""
    if as_json:
        typer.echo(json.dumps(asdict(found), indent=1))
        return
    from sparing.report.choice import candidates_table, hops_table

    choice = found.choice
    say(
        f"{choice.publication}, by {choice.publisher} at {choice.broker}, on {choice.topic}, {clock(choice.time)}",
        "bold",
    )
    if found.others:
        others = counted(found.others, "more publication has", "more publications have")
        say(f"{others} this id; this is the first.")
    say(f"{counted(len(choice.candidates), 'subscription matches', 'subscriptions match')}. {asked(choice)}")
    if choice.candidates:
        say()
        out.print(candidates_table(choice, MOST))
        say_more(len(choice.candidates), MOST, "subscription")
    if choice.hops:
        out.print(hops_table(choice, MOST))
        say_more(len(choice.hops), MOST, "row")
    if found.verdict is not None:
        say(found.verdict.why, "bold")


def asked(choice: Choice) -> str:
    """How many of those that match get it, and who is best."""
    if choice.allowed is None:
        return f"{choice.publisher} does not choose: everybody who matches gets it."
    wish = "" if choice.wish is None else f"; this publication asks for {choice.wish:,}"
    return f"{choice.publisher} has top_k {choice.top_k:,}{wish}. Who is best: {choice.rank}."
