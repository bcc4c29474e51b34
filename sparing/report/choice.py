"""Who gets a publication, as tables in the terminal."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text

from sparing.flow.rank.explain import Choice, shown


def candidates_table(choice: Choice, most: int) -> Table:
    """The subscriptions that match, best first."""
    scored = any(candidate.score is not None for candidate in choice.candidates)
    title = "Who matches, best first" if scored else "Who matches"
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    for name in ("", "subscription", "for", "at"):
        table.add_column(name, no_wrap=True, justify="right" if not name else "left")
    if scored:
        table.add_column("score", justify="right")
    table.add_column("gets it")
    for place, found in enumerate(choice.candidates[:most], 1):
        score = [("none" if found.score is None else shown(found.score))] if scored else []
        names = [Text(name) for name in (found.subscription, found.subscriber, found.broker)]
        table.add_row(str(place), *names, *score, "yes" if found.chosen else "no", style="" if found.chosen else "dim")
    return table


def hops_table(choice: Choice, most: int) -> Table:
    """What brokers picked on the way."""
    title = "What brokers pick"
    if choice.asks:
        title += ", having asked how many match"
    elif choice.covering != "none":
        title += f", under {choice.covering}"
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    for name in ("broker", "where"):
        table.add_column(name, no_wrap=True)
    for name in ("match there", "known to the broker", "picked"):
        table.add_column(name, justify="right")
    for hop in choice.hops[:most]:
        where = "its own" if hop.onward is None else f"beyond {hop.onward}"
        table.add_row(Text(hop.broker), Text(where), f"{hop.matching:,}", f"{hop.known:,}", f"{hop.picked:,}")
    return table
