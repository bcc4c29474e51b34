"""`sparing repair`: what is damaged in the checkpoint of a stream, and ways back to one that runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sparing.cli.console import ConfOption, MasterOption, clock, micros, say, spark_session, step
from sparing.model.errors import SparingError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from sparing.deployment.deployment import Deployment


def repair(
    file: Path = typer.Argument(..., help="The deployment file.", metavar="FILE", show_default=False),
    fix: bool = typer.Option(False, "--fix", help="Mend what can be mended without losing results."),
    redo: int | None = typer.Option(
        None, "--redo", help="Do this micro-batch and all that follow again.", metavar="BATCH", min=0
    ),
    skip_batch: bool = typer.Option(False, "--skip-batch", help="Leave out the micro-batch under way; keep its rows."),
    skip_file: str | None = typer.Option(
        None, "--skip-file", help="Take a file out of the source; keep it.", metavar="PATH"
    ),
    watermark: str | None = typer.Option(
        None, "--watermark", help="Put the watermark back to this time.", metavar="TIME"
    ),
    moved: bool = typer.Option(False, "--moved", help="Go on without results that were moved out of the sink."),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Say what is damaged in the checkpoint and the sink of a deployment, and what can be done; with an option, do it.

    Stop the stream first. Nothing is deleted: what is taken out of the checkpoint, the sink or the source is moved to a
    folder set-aside in it. The exit status is 0 if all is whole in the end.

    Example: sparing repair toronto.yaml

    Example: sparing repair toronto.yaml --fix
    """
    from sparing.deployment.deployment import Deployment
    from sparing.deployment.values import absolute_path

    deployment = Deployment.read(file)
    at = None if watermark is None else micros(watermark, "--watermark")
    chosen = [fix, redo is not None, skip_batch, skip_file is not None, watermark is not None, moved]
    if sum(chosen) > 1:
        raise SparingError("One repair at a time: give one of the options, and look at the outcome before the next.")
    with spark_session(master, conf) as spark:
        from sparing.spark.run import checkpoint_of
        from sparing.spark.tools.repair.skip import skip_batch as leave_out
        from sparing.spark.tools.repair.skip import skip_file as take_out
        from sparing.spark.tools.repair.watermark import put_back

        checkpoint, sink = checkpoint_of(deployment), deployment.needed_sink()
        done: list[str] = []
        if any(chosen):
            _must_be_there(spark, checkpoint)
        if fix:
            from sparing.spark.tools.repair.fix import fix as mend

            done = mend(spark, checkpoint, sink)
        elif redo is not None:
            from sparing.spark.tools.repair.rewind import redo as do_again

            done = do_again(spark, checkpoint, sink, redo)
        elif skip_batch:
            done = leave_out(spark, checkpoint)
        elif skip_file is not None:
            done = take_out(spark, checkpoint, absolute_path(skip_file, Path.cwd()))
        elif at is not None:
            done = put_back(spark, checkpoint, at)
        elif moved:
            done = _forget(spark, checkpoint, deployment)
        for sentence in done:
            say(sentence)
        with step(f"Looking at {checkpoint}"):
            whole = _report(spark, deployment, checkpoint, file)
    if not whole:
        raise typer.Exit(1)


def _must_be_there(spark: SparkSession, checkpoint: str) -> None:
    from sparing.spark.io.paths import located

    place, files = located(spark, checkpoint)
    if not files.exists(place):
        raise SparingError(f"There is no checkpoint {checkpoint}: the stream has not run yet, or the path is another.")


def _forget(spark: SparkSession, checkpoint: str, deployment: Deployment) -> list[str]:
    from sparing.spark.stream.written_files import WrittenFiles, batches_text

    written, sink = WrittenFiles(spark, checkpoint), deployment.needed_sink()
    missing = sorted({batch for batches in written.missing(sink).values() for batch in batches})
    if not missing:
        return ["The sink lacks nothing that the checkpoint has committed."]
    written.keep({batch: rows for batch, rows in written.read().items() if batch not in missing})
    return [f"The stream goes on without the results of {batches_text(missing)}."]


def _report(spark: SparkSession, deployment: Deployment, checkpoint: str, file: Path) -> bool:
    """Say what is found; whether all is whole."""
    from sparing.spark.tools.repair.findings import findings
    from sparing.spark.tools.repair.logs import COMMITS, OFFSETS, log

    _must_be_there(spark, checkpoint)
    found = findings(spark, checkpoint)
    planned, committed = (log(spark, checkpoint, name).last for name in (OFFSETS, COMMITS))
    say(f"{checkpoint}: micro-batch {'none' if committed is None else committed} is the last that is committed", "bold")
    if planned is not None and planned != committed:
        say(f"  micro-batch {planned} is under way: a start does it again")
    for finding in found:
        say(f"  damaged    {finding.file}: {finding.what}")
    if found:
        say(f"  to do      sparing repair {file} --fix")
        return False
    say("  checkpoint whole")
    late = _watermark(spark, deployment, checkpoint, file)
    return _results(spark, deployment, checkpoint, file) and late


def _results(spark: SparkSession, deployment: Deployment, checkpoint: str, file: Path) -> bool:
    from sparing.spark.stream.written_files import WrittenFiles, batches_text

    missing = WrittenFiles(spark, checkpoint).missing(deployment.needed_sink())
    for table, batches in missing.items():
        say(f"  missing    {table} of {batches_text(batches)}")
    if not missing:
        say("  results    all that was committed is in the sink")
        return True
    first = min(min(batches) for batches in missing.values())
    say(f"  to do      sparing repair {file} --redo {first}, to have them written again,")
    say(f"             or sparing repair {file} --moved, to go on without them")
    return False


def _watermark(spark: SparkSession, deployment: Deployment, checkpoint: str, file: Path) -> bool:
    """Whether the watermark is where rows of now can pass it."""
    import time

    from sparing.spark.tools.repair.watermark import before_jump, watermark

    now, found = int(time.time() * 1_000_000), watermark(spark, checkpoint)
    if found is None:
        return True
    ahead = found > now + (deployment.ahead or 0)
    say(f"  watermark  {clock(found)}{', which is in the future: all rows until then are late' if ahead else ''}")
    if not ahead:
        return True
    jump = before_jump(spark, checkpoint, now)
    if jump is not None:
        say(f"  to do      sparing repair {file} --redo {jump}, to do again what came since")
    say(f"  {'           or' if jump is not None else 'to do     '} sparing repair {file} --watermark {clock(now)}")
    return False
