"""The story of a merged event, as `sparing explain --event` tells it."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer

from sparing.cli.console import clock, say
from sparing.flow.events.explain import Story, StoryLine
from sparing.model.counted import counted

SENTENCES = {
    "is reported": "{facts} reported at {broker}",
    "is sent": "  {broker} > {target}: {facts}",
    "is redundant at": "  nothing new to {broker}: dropped",
    "is passed on by": "  the first that {broker} hears of it: passed on at once",
    "is lost at": "  lost at {broker}, which is down",
    "claims": "  {broker} claims to coordinate the event",
    "coordinates": "  {broker} is the coordinator",
    "is hot at": "  may be urgent to somebody: {broker} does not hold it back",
    "is urgent at": "  urgent to somebody: {broker} has everything sent at once from now on",
    "is flushed": "{broker} > {target}: {facts}, held back until now",
    "is sent on": "{broker} > {target}: {facts}",
    "is sent again": "{broker} > {target}: {facts}, sent again",
    "crosses": "{broker} > {target}: {facts}",
    "is told": "{who} at {broker} told: {facts}",
    "fails": "the aggregator of {broker} fails, and what it held is lost",
    "is over": "the event is over",
}


def tell_event(story: Story, subscription: str | None, as_json: bool) -> None:
    """Tell a story, or give it to a program."""
    if as_json:
        typer.echo(json.dumps(asdict(story), indent=1))
        return
    say(f"{story.topic}, {story.key}: {clock(story.began)} to {clock(story.closes)}", "bold")
    for line in story.lines:
        if subscription is None or line.what != "is told" or subscription in line.who:
            say(_sentence(line))
    if subscription is not None:
        told = [line for line in story.lines if subscription in line.who]
        if story.missing:
            say(f"{subscription} was told nothing: {', '.join(story.missing)} did not hold.")
        else:
            times = counted(len(told), "time")
            say(f"{subscription} was told {times}: {', '.join(clock(line.time) for line in told)}.")


def _sentence(line: StoryLine) -> str:
    facts = ", ".join(line.facts) or "nothing but that it happened"
    text = SENTENCES[line.what].format(
        facts=facts, broker=line.broker, target=line.target, who=", ".join(line.who) or "nobody"
    )
    return f"{clock(line.time)}  {text}"
