"""Who gets a publication, as tables in the terminal."""

from __future__ import annotations

from rich.table import Table

from sparing.flow.rank.explain import Choice, shown
from sparing.report.tables import titled


def candidates_table(choice: Choice, most: int) -> Table:
    """The subscriptions that match, best first."""
    scored = any(candidate.score is not None for candidate in choice.candidates)
    table = titled("Who matches, best first" if scored else "Who matches")
    for name in ("", "subscription", "for", "at"):
        table.add_column(name, no_wrap=True, justify="right" if not name else "left")
    if scored:
        table.add_column("score", justify="right")
    table.add_column("gets it")
    for place, found in enumerate(choice.candidates[:most], 1):
        score = [("none" if found.score is None else shown(found.score))] if scored else []
        names = found.subscription, found.subscriber, found.broker
        table.add_row(str(place), *names, *score, "yes" if found.chosen else "no", style="" if found.chosen else "dim")
    return table


def hops_table(choice: Choice, most: int) -> Table:
    """What brokers picked on the way."""
    title = "What brokers pick"
    if choice.asks:
        title += ", having asked how many match"
    elif choice.covering != "none":
        title += f", under {choice.covering}"
    table = titled(title)
    for name in ("broker", "where"):
        table.add_column(name, no_wrap=True)
    for name in ("match there", "known to the broker", "picked"):
        table.add_column(name, justify="right")
    for hop in choice.hops[:most]:
        where = "its own" if hop.onward is None else f"beyond {hop.onward}"
        table.add_row(hop.broker, where, f"{hop.matching:,}", f"{hop.known:,}", f"{hop.picked:,}")
    return table
