"""`sparing run`: the streaming pipeline of a deployment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sparing.cli.console import ConfOption, MasterOption, err, interruptible, row_counts_text, say, spark_session, step

if TYPE_CHECKING:
    from sparing.spark.stream.micro_batch import MicroBatch

AT_LEAST_ONCE = (
    "Output to this sink is at least once: after a crash or a second Ctrl-C the last micro-batch may be duplicated; "
    "drop duplicates by id."
)


def run(
    file: Path = typer.Argument(..., help="The deployment file.", metavar="FILE", show_default=False),
    *,
    once: bool = typer.Option(False, "--once", help="Process the available rows, then stop."),
    log: str | None = typer.Option(
        None,
        "--log",
        help="Append log events of the stream to a file as JSON lines; - is standard error.",
        metavar="FILE",
    ),
    metrics_port: int | None = typer.Option(
        None, "--metrics-port", help="Serve metrics for Prometheus on this port, e.g. 9464.", min=0, max=65535
    ),
    metrics_host: str = typer.Option(
        "127.0.0.1", "--metrics-host", help="The address of the metrics server; 0.0.0.0 allows other machines."
    ),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Run a deployment as a stream; a restart continues from its checkpoint.

    Changes of the deployment file and its tables are checked within seconds and take effect with the next micro-batch.
    Ctrl-C stops the stream after the current micro-batch. A window's notification is sent when the watermark has passed
    its end, so the last windows stay open until later events arrive.

    Example: sparing run toronto.yaml --once

    Example: sparing run toronto.yaml --log toronto.jsonl --metrics-port 9464
    """
    with _logged(log, file), _served(metrics_host, metrics_port) as record:
        _run(file, once, record, master, conf)


def _run(file: Path, once: bool, record: Callable[[MicroBatch], None] | None, master: str, conf: list[str]) -> None:
    from sparing.deployment.deployment import Deployment

    deployment = Deployment.read(file)
    deployment.needed_source()
    deployment.needed_sink()
    with spark_session(master, conf, deployment) as spark:
        from sparing.spark.io.sinks import is_at_least_once
        from sparing.spark.run import stream, wait
        from sparing.spark.stream.stopping import Stop

        totals = {"notifications": 0, "bill": 0, "quarantine": 0}

        def watch(batch: int, counts: Mapping[str, int]) -> None:
            for name, count in counts.items():
                totals[name] += count
            err.print(f"[dim]micro-batch {batch}:[/] {row_counts_text(counts)}", highlight=False)

        def show(sentence: str) -> None:
            err.print(sentence, highlight=False, markup=False)

        stop = Stop()
        with step("Preparing the stream"):
            query = stream(spark, deployment, once=once, watch=watch, tell=show, hear=record, stop=stop)
        if is_at_least_once(deployment.needed_sink()):
            err.print(AT_LEAST_ONCE, highlight=False, soft_wrap=True)
        with interruptible(stop):
            wait(query, stop)
        if stop.is_set():
            err.print("Stopped; run again to continue from the checkpoint.")
        say(f"{deployment.name}: {row_counts_text(totals)}.")
        if deployment.sink is not None and deployment.sink.path is not None:
            say(f"The tables are in {deployment.sink.path}.")


@contextmanager
def _logged(where: str | None, file: Path) -> Iterator[None]:
    """Log events of the stream, including a failure to start."""
    if where is None:
        yield
        return
    from sparing.spark.stream.logs import failures_logged, log_to

    with log_to(where), failures_logged(str(file)):
        yield


@contextmanager
def _served(host: str, port: int | None) -> Iterator[Callable[[MicroBatch], None] | None]:
    """Serve metrics; yields the function that records a micro-batch."""
    if port is None:
        yield None
        return
    from sparing.spark.stream.prometheus import Metrics, serve

    metrics = Metrics()
    with serve(metrics, host, port) as bound_port:
        if port == 0:
            err.print(f"Metrics are served on http://{host}:{bound_port}/metrics.", markup=False, highlight=False)
        yield metrics.record
