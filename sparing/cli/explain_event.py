"""`sparing explain --event`: the course of a merged event."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer

from sparing.cli.console import clock, say
from sparing.flow.events.explain import EventHistory, HistoryLine
from sparing.model.counted import counted

SENTENCES = {
    "is reported": "{facts} reported at {broker}",
    "is sent": "  {broker} > {target}: {facts}",
    "is redundant at": "  redundant at {broker}: dropped",
    "is passed on by": "  the first report at {broker}: forwarded at once",
    "is lost at": "  lost at {broker}, which is down",
    "claims": "  {broker} proposes itself as coordinator",
    "coordinates": "  {broker} is the coordinator",
    "is hot at": "  may be urgent for a subscription: {broker} does not hold it",
    "is urgent at": "  urgent for a subscription: from now on {broker} requests everything at once",
    "is flushed": "{broker} > {target}: {facts}, held until now",
    "is sent on": "{broker} > {target}: {facts}",
    "is sent again": "{broker} > {target}: {facts}, sent again",
    "crosses": "{broker} > {target}: {facts}",
    "is told": "{who} at {broker} notified: {facts}",
    "fails": "the aggregator of {broker} fails and loses its state",
    "is over": "the event is over",
}


def print_event(history: EventHistory, subscription: str | None, as_json: bool) -> None:
    """Print the course of an event as text or JSON."""
    if as_json:
        typer.echo(json.dumps(asdict(history), indent=1))
        return
    say(f"{history.topic}, {history.key}: {clock(history.began)} to {clock(history.closes)}", "bold")
    for line in history.lines:
        if subscription is None or line.what != "is told" or subscription in line.who:
            say(_sentence(line))
    if subscription is not None:
        notified = [line for line in history.lines if subscription in line.who]
        if history.missing:
            say(f"{subscription} was not notified: {', '.join(history.missing)} did not hold.")
        else:
            times = counted(len(notified), "time")
            say(f"{subscription} was notified {times}: {', '.join(clock(line.time) for line in notified)}.")


def _sentence(line: HistoryLine) -> str:
    facts = ", ".join(line.facts) or "no field"
    text = SENTENCES[line.what].format(
        facts=facts, broker=line.broker, target=line.target, who=", ".join(line.who) or "no subscription"
    )
    return f"{clock(line.time)}  {text}"
