"""`sparing inspect`: the content of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sparing.cli.console import ConfOption, MasterOption, clock, say, spark_session, step
from sparing.cli.files import check_outputs, write_json
from sparing.model.counted import counted
from sparing.model.policy import Folding
from sparing.report.amounts import shortened

if TYPE_CHECKING:
    from sparing.spark.tools.inspect import Inspection
    from sparing.spark.tools.inspect_state import KeyState, OpenEvent, OpenWindow

MOST = 12  # listed names, windows or events


def inspect(
    checkpoint: str = typer.Argument(..., help="The checkpoint.", metavar="CHECKPOINT", show_default=False),
    *,
    deployment: Path | None = typer.Option(
        None, "--deployment", help="The deployment file, for more detail about held publications.", metavar="FILE"
    ),
    json_out: Path | None = typer.Option(
        None, "--json", help="Also write everything to a file as JSON.", metavar="OUT"
    ),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Show the content of a checkpoint without running its stream: progress, watermark, open windows and events.

    The checkpoint is not changed. It does not contain the queries of subscriptions: with --deployment, starts of
    windows and the subscriptions to be notified of a merged event are shown, too. If the state cannot be read, the rest
    is shown and the exit status is 1.

    Example: sparing inspect out-checkpoint --deployment toronto.yaml
    """
    from sparing.deployment.deployment import Deployment
    from sparing.deployment.values import absolute_path

    described = None if deployment is None else Deployment.read(deployment)
    check_outputs(json_out)
    with spark_session(master, conf) as spark:
        from sparing.spark.tools.inspect import inspect as read

        with step(f"Reading {checkpoint}"):
            inspected = read(spark, absolute_path(checkpoint, Path.cwd()), described)
    if json_out is not None:
        write_json(json_out, inspected_json(inspected))
    print_inspected(inspected)
    if inspected.state is None and inspected.committed is not None:
        raise typer.Exit(1)


def inspected_json(inspected: Inspection) -> dict[str, Any]:
    """Return everything as JSON; times are in microseconds since 1970."""
    return {**asdict(inspected), "topics": inspected.topics, "plans": inspected.plans}


def print_inspected(inspected: Inspection) -> None:
    """Print the content of a checkpoint."""
    note = inspected.note
    say(f"{inspected.path}: format {note['format']}, {counted(note['partitions'], 'partition')}", "bold")
    say(f"  micro-batches  {_progress(inspected)}")
    say(f"  watermark      {_watermark(inspected)}")
    for number, offset in enumerate(inspected.offsets):
        say(f"  source {number}       {offset}")
    policy = note["policy"]
    say(f"  link policy    {link_policy_text(policy)}")
    if policy["folding"] != Folding.NONE:
        say(f"  folding        {folding_text(policy)}")
    if note["queries"].keys() - note["groups"].keys() or any(
        key.partition is not None for key in inspected.state or ()
    ):
        say(f"  merged events  {merging_text(policy)}")
    say(f"  plan           {_listed([plan[:12] for plan in inspected.plans], 'not known')}")
    say(f"  topics         {_listed(inspected.topics)}")
    say(f"  brokers        {len(note['brokers']):,}: {_listed(note['brokers'])}")
    stateful = sorted({*note["groups"], *note["queries"]})
    groups = counted(len(set(note["groups"].values())), "interest group")
    say(f"  subscriptions  {len(stateful):,} with state, in {groups}: {_listed(stateful)}")
    if inspected.state is None:
        say(f"The state cannot be read: {inspected.trouble}")
        return
    if not inspected.state:
        say("No state.")
    for state in inspected.state:
        say()
        _print_state(state)


def link_policy_text(policy: Mapping[str, Any]) -> str:
    """Return the link policy in the note of a checkpoint as text.

    >>> link_policy_text({"decision": "patience", "patience": 2_000_000})
    'patience, waiting 2 seconds'
    """
    from sparing.deployment.values import duration_text

    waiting = f", waiting {duration_text(policy['patience'])}" if policy["patience"] else ""
    return f"{policy['decision']}{waiting}"


def folding_text(policy: Mapping[str, Any]) -> str:
    """Return the folding settings in the note of a checkpoint as text.

    >>> folding_text({"folding": "mefa", "theta": None, "delta": 0.0, "hop": 1_000_000, "rate": 1.0})
    'mefa, delta 0.0, hop 1 second, rate 1.0'
    """
    from sparing.deployment.values import duration_text

    theta = "" if policy["theta"] is None else f", theta {policy['theta']}"
    hop = duration_text(policy["hop"])
    return f"{policy['folding']}{theta}, delta {policy['delta']}, hop {hop}, rate {policy['rate']}"


def merging_text(policy: Mapping[str, Any]) -> str:
    """Return the settings of merged topics in the note of a checkpoint as text.

    >>> merging_text({"events": "caeva", "placement": "adaptive", "active_aggregators": 2, "partitions": 1})
    'caeva, placement adaptive, 2 active, 1 partition'
    >>> merging_text({"events": "agele", "placement": 0, "active_aggregators": 1, "partitions": "3, but one for t"})
    'agele, placement 0, 1 active, 3 partitions, but one for t'
    """
    count, *exceptions = str(policy["partitions"]).split(",")
    partitions = ",".join([f"{count} {'partition' if count == '1' else 'partitions'}", *exceptions])
    return f"{policy['events']}, placement {policy['placement']}, {policy['active_aggregators']} active, {partitions}"


def _progress(inspected: Inspection) -> str:
    if inspected.planned is None:
        return "none is planned"
    if inspected.committed is None:
        return f"{inspected.planned} is planned, none is committed"
    if inspected.planned > inspected.committed:
        return f"{inspected.committed} is committed, {inspected.planned} is planned and will be repeated"
    return f"{inspected.committed} is committed, and no other is planned"


def _watermark(inspected: Inspection) -> str:
    if inspected.next_watermark is None:
        return "none yet"
    if inspected.watermark in (None, inspected.next_watermark):
        return clock(inspected.next_watermark)
    assert inspected.watermark is not None
    return f"{clock(inspected.next_watermark)}, processed up to {clock(inspected.watermark)}"


def _print_state(state: KeyState, indent: str = "") -> None:
    kind = "Merged topic" if state.partition is not None else "Interest group"
    size = f" ({counted(state.packed_bytes, 'byte')})"
    noun = (
        ("report is held", "reports are held")
        if state.partition is not None
        else ("publication is held", "publications are held")
    )
    later = f", {state.not_yet:,} of them after the watermark" if state.not_yet else ""
    say(f"{indent}{kind} {state.name}: {counted(state.publications, *noun)}{later}{size}", "bold")
    for window in state.windows[:MOST]:
        say(f"{indent}  {_window(window)}")
    _print_more(len(state.windows), "window", indent)
    for tail in state.tails[:MOST]:
        skip = f", the next {counted(tail.skip, 'is', 'are')} skipped" if tail.skip else ""
        held = counted(tail.publications, "publication")
        say(f"{indent}  {tail.subscription}  count window: {held} so far{skip}")
    _print_more(len(state.tails), "count window", indent)
    for subscription, count in list(state.ahead.items())[:MOST]:
        say(f"{indent}  {subscription}  {counted(count, 'publication')} after the watermark")
    _print_more(len(state.ahead), "subscription", indent)
    if state.forwards:
        say(f"{indent}  now forwarding: {_listed(state.forwards)}")
    for event in state.events[:MOST]:
        say(f"{indent}  {_event(event)}")
    _print_more(len(state.events), "event", indent)
    for group in state.groups:
        _print_state(group, indent + "  ")


def _print_more(count: int, noun: str, indent: str) -> None:
    if count > MOST:
        say(f"{indent}  ... and {counted(count - MOST, f'more {noun}')} (--json lists all)")


def _window(window: OpenWindow) -> str:
    since = "ends" if window.start is None else f"{clock(window.start)} to"
    kind = "digest " if window.digest else ""
    parts = []
    if window.publications:
        results = f" ({counted(window.results, 'partial result')})" if window.results else ""
        where = f" at {_listed(window.at)}"
        parts.append(f"{counted(window.publications, 'publication')}{results}{where}")
    if window.ahead:
        parts.append(f"{window.ahead:,} after the watermark")
    return f"{window.subscription}  {kind}{since} {clock(window.end)}: {', '.join(parts)}"


def _event(event: OpenEvent) -> str:
    until = "closed" if event.closing else "closes"
    parts = [counted(event.facts, "fact")]
    parts.append("no coordinator" if event.coordinator is None else f"coordinated by {event.coordinator}")
    pending = "to be notified" if event.everybody else "to be notified again"
    parts.append(f"{pending}: {_listed(event.behind)}")
    if event.due is not None:
        parts.append(f"next at {clock(event.due)}")
    return f"{', '.join(event.key)}  began {clock(event.began)}, {until} {clock(event.closes)}: {'; '.join(parts)}"


def _listed(names: Sequence[str], empty: str = "none") -> str:
    return shortened(names, MOST) if names else empty
