"""`sparing run`: the streaming pipeline of a deployment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import typer

from sparing.cli.console import ConfOption, MasterOption, err, interruptible, say, spark_session, step, told


def run(
    file: Path = typer.Argument(..., help="The deployment file.", metavar="FILE", show_default=False),
    once: bool = typer.Option(False, "--once", help="Work through what is there, then stop."),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Run a deployment as a stream; it goes on from its checkpoint where it stopped.

    Changes of the subscriptions, in the file or in the table that it names, take effect with the next micro-batch.
    Windows are notified once the watermark has passed their end, so the last ones stay open until later events come.

    Example: sparing run toronto.yaml --once
    """
    from sparing.deployment.deployment import Deployment

    deployment = Deployment.read(file)
    deployment.needed_source()
    deployment.needed_sink()
    with spark_session(master, conf) as spark:
        from sparing.spark.run import stream, wait

        totals = {"notifications": 0, "bill": 0, "quarantine": 0}

        def watch(batch: int, counts: Mapping[str, int]) -> None:
            for name, count in counts.items():
                totals[name] += count
            err.print(f"[dim]micro-batch {batch}:[/] {told(counts)}", highlight=False)

        def tell(sentence: str) -> None:
            err.print(sentence, highlight=False, markup=False)

        with step("Preparing the stream"):
            query = stream(spark, deployment, once=once, watch=watch, tell=tell)
        with interruptible() as stop:
            wait(query, stop)
        if stop.is_set():
            err.print("Stopped; run again to go on from the checkpoint.")
        say(f"{deployment.name}: {told(totals)}.")
        if deployment.sink is not None and deployment.sink.path is not None:
            say(f"The tables are in {deployment.sink.path}.")
