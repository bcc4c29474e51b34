"""`sparing inspect`: what a checkpoint holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sparing.cli.console import ConfOption, MasterOption, clock, say, spark_session, step
from sparing.cli.files import check_outputs, write_json
from sparing.model.counted import counted
from sparing.report.amounts import some

if TYPE_CHECKING:
    from sparing.spark.tools.inspect import Inspected
    from sparing.spark.tools.inspect_state import KeyState, OpenEvent, OpenWindow

MOST = 12  # names, windows or events that are listed


def inspect(
    checkpoint: str = typer.Argument(..., help="The checkpoint.", metavar="CHECKPOINT", show_default=False),
    deployment: Path | None = typer.Option(
        None, "--deployment", help="Its deployment file, so that more can be told about what waits.", metavar="FILE"
    ),
    json_out: Path | None = typer.Option(None, "--json", help="Also write everything to a file.", metavar="OUT"),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Tell what a checkpoint holds, without running its stream: how far it is, and what waits for what.

    Nothing in the checkpoint changes. The checkpoint does not say what subscriptions ask for: with --deployment, it is
    also told when windows began, and who has yet to hear of a merged event. If what waits cannot be read, the rest is
    told, and the exit status is 1.

    Example: sparing inspect out-checkpoint --deployment toronto.yaml
    """
    from sparing.deployment.deployment import Deployment
    from sparing.deployment.values import absolute_path

    known = None if deployment is None else Deployment.read(deployment)
    check_outputs(json_out)
    with spark_session(master, conf) as spark:
        from sparing.spark.tools.inspect import inspect as read

        with step(f"Reading {checkpoint}"):
            found = read(spark, absolute_path(checkpoint, Path.cwd()), known)
    if json_out is not None:
        write_json(json_out, inspected_json(found))
    tell_inspected(found)
    if found.state is None and found.committed is not None:
        raise typer.Exit(1)


def inspected_json(found: Inspected) -> dict[str, Any]:
    """Everything that was found out; times in microseconds since 1970."""
    return {**asdict(found), "topics": found.topics, "plans": found.plans}


def tell_inspected(found: Inspected) -> None:
    """Tell it in words."""
    note = found.note
    say(f"{found.path}: format {note['format']}, {counted(note['partitions'], 'partition')}", "bold")
    say(f"  micro-batches  {_progress(found)}")
    say(f"  watermark      {_watermark(found)}")
    for number, offset in enumerate(found.offsets):
        say(f"  source {number}       {offset}")
    say(f"  link policy    {settings_text(note['decision'])}")
    if not note["folding"].startswith("none"):
        say(f"  folding        {settings_text(note['folding'])}")
    if note["queries"].keys() - note["groups"].keys() or any(some.partition is not None for some in found.state or ()):
        say(f"  merged events  {settings_text(note['events'])}")
    say(f"  plan           {_listed([plan[:12] for plan in found.plans], 'not known')}")
    say(f"  topics         {_listed(found.topics)}")
    say(f"  brokers        {len(note['brokers']):,}: {_listed(note['brokers'])}")
    known = sorted({*note["groups"], *note["queries"]})
    groups = counted(len(set(note["groups"].values())), "interest group")
    say(f"  subscriptions  {len(known):,} with something to wait for, in {groups}: {_listed(known)}")
    if found.state is None:
        say(f"Nothing can be told of what waits: {found.trouble}")
        return
    if not found.state:
        say("Nothing waits.")
    for waiting in found.state:
        say()
        _tell_waiting(waiting)


def settings_text(noted: str) -> str:
    """Settings as the note beside a checkpoint has them, for people.

    >>> settings_text("patience, waiting 2000000"), settings_text("adock, waiting 0")
    ('patience, waiting 2 seconds', 'adock')
    >>> settings_text("mefa, theta None, delta 0.0, hop 1000000, rate 1.0")
    'mefa, delta 0.0, hop 1 second, rate 1.0'
    >>> settings_text("caeva, placement adaptive, 2 active, 1 partitions")
    'caeva, placement adaptive, 2 active, 1 partition'
    """
    from sparing.deployment.values import duration_text

    text = re.sub(r", (?:waiting 0|\w+ None)(?=,|$)", "", noted)
    text = re.sub(r"(, waiting|, hop) (\d+)", lambda found: f"{found[1]} {duration_text(int(found[2]))}", text)
    return text.replace(", 1 partitions", ", 1 partition")


def _progress(found: Inspected) -> str:
    if found.planned is None:
        return "none has been planned"
    if found.committed is None:
        return f"{found.planned} is planned, none is committed"
    if found.planned > found.committed:
        return f"{found.committed} is committed, {found.planned} is planned and will be done again"
    return f"{found.committed} is committed, and no other is planned"


def _watermark(found: Inspected) -> str:
    if found.next_watermark is None:
        return "none yet"
    if found.watermark in (None, found.next_watermark):
        return clock(found.next_watermark)
    assert found.watermark is not None
    return f"{clock(found.next_watermark)}, worked through up to {clock(found.watermark)}"


def _tell_waiting(waiting: KeyState, indent: str = "") -> None:
    kind = "Merged topic" if waiting.partition is not None else "Interest group"
    size = f" ({counted(waiting.packed_bytes, 'byte')})"
    noun = (
        ("report waits", "reports wait")
        if waiting.partition is not None
        else ("publication waits", "publications wait")
    )
    later = f", {waiting.not_yet:,} of them for their time to come" if waiting.not_yet else ""
    say(f"{indent}{kind} {waiting.name}: {counted(waiting.publications, *noun)}{later}{size}", "bold")
    for window in waiting.windows[:MOST]:
        say(f"{indent}  {_window(window)}")
    _tell_more(len(waiting.windows), "window", indent)
    for tail in waiting.tails[:MOST]:
        skip = f", the next {counted(tail.skip, 'is', 'are')} left out" if tail.skip else ""
        held = counted(tail.publications, "publication")
        say(f"{indent}  {tail.subscription}  count window: {held} so far{skip}")
    _tell_more(len(waiting.tails), "count window", indent)
    for subscription, count in list(waiting.ahead.items())[:MOST]:
        say(f"{indent}  {subscription}  {counted(count, 'publication')} whose time has not come")
    _tell_more(len(waiting.ahead), "subscription", indent)
    if waiting.forwards:
        say(f"{indent}  forwarding just now: {_listed(waiting.forwards)}")
    for event in waiting.events[:MOST]:
        say(f"{indent}  {_event(event)}")
    _tell_more(len(waiting.events), "event", indent)
    for group in waiting.groups:
        _tell_waiting(group, indent + "  ")


def _tell_more(count: int, what: str, indent: str) -> None:
    if count > MOST:
        say(f"{indent}  ... and {counted(count - MOST, f'more {what}')} (all of them with --json)")


def _window(window: OpenWindow) -> str:
    since = "ends" if window.start is None else f"{clock(window.start)} to"
    kind = "digest " if window.digest else ""
    parts = []
    if window.publications:
        results = f" ({counted(window.results, 'partial result')})" if window.results else ""
        where = f" at {_listed(window.at)}"
        parts.append(f"{counted(window.publications, 'publication')}{results}{where}")
    if window.ahead:
        parts.append(f"{window.ahead:,} whose time has not come")
    return f"{window.subscription}  {kind}{since} {clock(window.end)}: {', '.join(parts)}"


def _event(event: OpenEvent) -> str:
    until = "closed" if event.closing else "closes"
    parts = [counted(event.facts, "fact")]
    parts.append("no coordinator" if event.coordinator is None else f"coordinated by {event.coordinator}")
    whom = "still to be told" if event.everybody else "still to be told more"
    parts.append(f"{whom}: {_listed(event.behind, 'nobody')}")
    if event.due is not None:
        parts.append(f"next at {clock(event.due)}")
    return f"{', '.join(event.key)}  began {clock(event.began)}, {until} {clock(event.closes)}: {'; '.join(parts)}"


def _listed(names: Sequence[str], nothing: str = "none") -> str:
    return some(names, MOST) if names else nothing
