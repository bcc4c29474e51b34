"""`sparing demo`: generate a small city, run it, show notifications and the bill."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import typer

from sparing.cli.console import ConfOption, MasterOption, out, say, spark_session, step
from sparing.model.counted import counted
from sparing.model.errors import SparingError


def demo(
    folder: Path = typer.Option(Path("demo"), "--folder", help="The output folder.", metavar="FOLDER"),
    seed: int = typer.Option(0, "--seed", help="The same seed generates the same city."),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Generate a small city of traffic and incidents, run it on local Spark, show notifications and the bill.

    Example: sparing demo --folder /tmp/city --seed 7
    """
    from sparing.cli.files import write_text, writing
    from sparing.deployment.deployment import Deployment
    from sparing.deployment.techniques import naive, techniques
    from sparing.workloads.city import DEFAULTS, city
    from sparing.workloads.files import write

    with step("Generating a city"), writing(folder):
        written = write(city(replace(DEFAULTS, seed=seed)), folder, replace=_may_replace(folder))
        deployment = Deployment.read(written.deployment)
    overlay = deployment.overlay
    say(
        f"  {counted(written.publications, 'publication')} of {counted(len(deployment.publishers), 'publisher')}, "
        f"{counted(len(deployment.subscriptions), 'subscription')} of "
        f"{counted(len(deployment.subscribers), 'subscriber')}, "
        f"{counted(len(overlay.brokers), 'broker')}, {counted(len(overlay.links), 'link')}."
    )
    with spark_session(master, conf, deployment, bound=True) as spark:
        from sparing.deployment.techniques import NAIVE, OURS
        from sparing.report.bill_page import BillReport, bill_page
        from sparing.report.bill_picture import bill_picture
        from sparing.report.tables import bills_table, links_table, rows_table
        from sparing.spark.io import sinks
        from sparing.spark.run import replay
        from sparing.spark.tally import tally_of

        ours = deployment.policy.decision
        with step(f"Running the city under {ours}"):
            run = replay(spark, deployment, bound=True)
        with step("Writing notifications, bill and quarantine"):
            assert deployment.sink is not None
            tally = tally_of(run.delivered)
            sinks.write(run.delivered, deployment.sink, None, tally)
        samples = []
        for kind in ("event", "window", "merged"):
            rows = run.delivered.notifications.where(f"kind = '{kind}'").orderBy("time", "subscription").limit(3)
            samples += [
                (r["kind"], r["subscriber"], r["subscription"], f"{r['time']:%H:%M:%S}", r["payload"].toJson())
                for r in rows.collect()
            ]
        run.delivered.forget()
        with step("Running the city without any technique, for comparison"):
            without = replace(deployment, policy=naive(deployment.policy, techniques(deployment)))
            plain = replay(spark, without)
            plain.delivered.forget()

    out.print()
    columns = ("kind", "subscriber", "subscription", "time", "payload")
    out.print(rows_table("Some notifications", columns, samples, out.width))
    bills = {OURS: run.bill, NAIVE: plain.bill}
    out.print(bills_table(bills, NAIVE, run.least))
    out.print(links_table(bills, 5, run.least))
    report = BillReport(deployment=deployment, bills=bills, rows=tally.rows, least=run.least)
    page = folder / "bill.html"
    write_text(page, bill_page(report))
    write_text(folder / "bill.svg", bill_picture(report))
    sent, raw = run.bill.between_brokers(), plain.bill.between_brokers()
    say(
        f"{counted(tally.rows['notifications'], 'notification')} with {counted(sent, 'message')} between brokers "
        f"instead of {raw:,}: {100 * (raw - sent) / raw:.1f}% saved."
    )
    reasons = ", ".join(f"{count} {reason}" for reason, count in tally.reasons.items())
    say(f"{counted(tally.rows['quarantine'], 'bad row is', 'bad rows are')} in quarantine: {reasons}.")
    say(f"Deployment: {written.deployment}. Results: {sinks.path_of(deployment.sink, replay=True)}.")
    say(f"Bill: {page} (page), {folder / 'bill.svg'} (picture).")
    say("To compare all policies and the savings per technique, run")
    say(f"  {sys.argv[0]} replay {written.deployment} --report {page}")
    say(f"To run it as a stream: {sys.argv[0]} run {written.deployment} --once")


def _may_replace(folder: Path) -> bool:
    """Whether the folder has files of an earlier demo; raise an error for other files."""
    if not folder.exists() or not any(folder.iterdir()):
        return False
    if not (folder / "deployment.yaml").exists():
        raise SparingError(f"{folder} contains other files: use another folder with --folder.")
    return True
