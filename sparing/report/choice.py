"""The recipients of a publication, as tables in the terminal."""

from __future__ import annotations

from rich.table import Table

from sparing.flow.rank.explain import Choice, score_text
from sparing.report.tables import new_table


def candidates_table(choice: Choice, most: int) -> Table:
    """Return the matching subscriptions, best first."""
    scored = any(candidate.score is not None for candidate in choice.candidates)
    table = new_table(f"Matching subscriptions{', best first' if scored else ''}")
    for name in ("", "subscription", "subscriber", "broker"):
        table.add_column(name, no_wrap=True, justify="right" if not name else "left")
    if scored:
        table.add_column("score", justify="right")
    table.add_column("receives it")
    for place, candidate in enumerate(choice.candidates[:most], 1):
        score = [("none" if candidate.score is None else score_text(candidate.score))] if scored else []
        names = candidate.subscription, candidate.subscriber, candidate.broker
        chosen, style = ("yes", "") if candidate.chosen else ("no", "dim")
        table.add_row(str(place), *names, *score, chosen, style=style)
    return table


def hops_table(choice: Choice, most: int) -> Table:
    """Return the picks of the brokers on the paths of a publication."""
    title = "Picks of the brokers"
    if choice.asks:
        title += ", from requested numbers of matches"
    elif choice.covering != "none":
        title += f", under {choice.covering}"
    table = new_table(title)
    for name in ("broker", "where"):
        table.add_column(name, no_wrap=True)
    for name in ("matching", "known to the broker", "picked"):
        table.add_column(name, justify="right")
    for hop in choice.hops[:most]:
        where = "its own" if hop.onward is None else f"beyond {hop.onward}"
        table.add_row(hop.broker, where, f"{hop.matching:,}", f"{hop.known:,}", f"{hop.picked:,}")
    return table
