"""`sparing replay`: a recorded trace as one batch, under one or several policies, with their bills."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sparing.cli.console import ConfOption, MasterOption, out, row_counts_text, say, spark_session, step
from sparing.cli.files import check_outputs, write_json, write_text
from sparing.model.errors import SparingError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from sparing.deployment.deployment import Deployment
    from sparing.model.policy import Policy
    from sparing.model.prices import Prices
    from sparing.spark.run import MergedTraffic, ReplayResult
    from sparing.spark.tools.compare import ComparisonResult


def replay(
    file: Path = typer.Argument(..., help="The deployment file.", metavar="FILE", show_default=False),
    *,
    decision: str = typer.Option(
        "", "--decision", help="Link policies to compare, e.g. adock,wad,static.", metavar="A,B,..."
    ),
    events: str = typer.Option(
        "", "--events", help="Merging techniques to compare, e.g. caeva,agele,siena.", metavar="A,B,..."
    ),
    report: Path | None = typer.Option(
        None,
        "--report",
        help="Write the bill as an HTML page: maps, kinds, policies, savings per technique.",
        metavar="HTML",
    ),
    json_file: Path | None = typer.Option(None, "--json", help="Write the bills to a file as JSON.", metavar="OUT"),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Replay a deployment's source as one batch and print the bill; the first policy's results go to the sink.

    The bill is compared with the least possible number of messages on every link and, for merged topics, with the
    messages without merging. With --report the trace runs under the deployment's own policy, under every other
    link policy (or those of --decision), without any technique, with each technique alone, and with all but each.

    Example: sparing replay toronto.yaml --decision adock,wad,static,subscriber-edge --json bills.json

    Example: sparing replay incidents.yaml --events caeva,agele,siena

    Example: sparing replay toronto.yaml --report bill.html
    """
    from sparing.deployment.deployment import Deployment
    from sparing.model.policy import DecisionRule, EventMerging

    deployment = Deployment.read(file)
    decisions = _names(decision, list(DecisionRule), "a link policy")
    mergings = _names(events, list(EventMerging), "a merging technique")
    if mergings and len(decisions) > 1:
        raise SparingError("--events cannot be combined with several link policies: compare one or the other.")
    if mergings and report is not None:
        raise SparingError("--report compares all merging techniques: remove --events.")
    deployment.needed_source()
    check_outputs(report, json_file)
    with spark_session(master, conf, deployment, bound=True) as spark:
        from sparing.spark.io import sinks

        if deployment.sink is not None:
            sinks.must_be_writable(spark, deployment.sink, replay=True)
        if report is not None:
            _compared(spark, deployment, decisions, report, json_file)
        elif mergings:
            chosen = DecisionRule(decisions[0]) if decisions else deployment.policy.decision
            own = dataclasses.replace(deployment.policy, decision=chosen)
            policies = {merging: dataclasses.replace(own, events=EventMerging(merging)) for merging in mergings}
            _side_by_side(spark, deployment, policies, json_file, bound=False)
        else:
            names = decisions or [deployment.policy.decision]
            policies = {name: dataclasses.replace(deployment.policy, decision=DecisionRule(name)) for name in names}
            _side_by_side(spark, deployment, policies, json_file, bound=True)


def _names(text: str, valid: Collection[str], noun: str) -> list[str]:
    from sparing.deployment.mistakes import hint, sentence

    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in valid:
            raise SparingError(sentence(f"{name!r} is not {noun}{hint(name, valid)}"))
    return names


def _side_by_side(
    spark: SparkSession, deployment: Deployment, policies: Mapping[str, Policy], json_file: Path | None, bound: bool
) -> None:
    """Run under each policy and print the bills; the first run's results go to the sink."""
    from sparing.model.policy import DecisionRule, EventMerging
    from sparing.report.tables import bills_table, links_table, suppressed_table
    from sparing.spark.run import replay as run_batch

    runs: dict[str, ReplayResult] = {}
    least: dict[tuple[str, str], int] | None = None
    counts: Mapping[str, int] = {}
    for name, policy in policies.items():
        with step(f"Replaying {deployment.name} under {name}"):
            case = dataclasses.replace(deployment, policy=policy)
            run = run_batch(spark, case, bound=bound and least is None)
        least = run.least if least is None else least
        if not runs and deployment.sink is not None:
            counts = _written(deployment, run)
        run.delivered.forget()
        runs[name] = run
    bills = {name: run.bill for name, run in runs.items()}
    seconds = {name: run.seconds for name, run in runs.items()}
    if json_file is not None:
        write_json(json_file, {name: bill_json(run, least, deployment.prices) for name, run in runs.items()})
    baselines = (DecisionRule.SUBSCRIBER_EDGE.value, EventMerging.SIENA.value)
    naive = next((name for name in baselines if name in bills and len(bills) > 1), None)
    out.print(bills_table(bills, naive, least, seconds=seconds, prices=deployment.prices))
    if any(bill.by_overlay_link() for bill in bills.values()):
        out.print(links_table(bills, least=least))
    first = next(iter(runs.values()))
    if first.merged is not None:
        out.print(suppressed_table(first.merged.siena, first.merged.sent))
    _print_sink(deployment, first, counts)


def _compared(
    spark: SparkSession, deployment: Deployment, decisions: Sequence[str], path: Path, json_file: Path | None
) -> None:
    """Run under all policies and without techniques, write the page and print a summary."""
    from sparing.deployment.techniques import NAIVE
    from sparing.report.bill_page import BillReport, bill_page
    from sparing.report.savings import savings_rows
    from sparing.report.tables import bills_table, figures_table
    from sparing.spark.tools.compare import Comparison

    counts: dict[str, int] = {}
    compared = Comparison(spark, deployment, step).compare(
        decisions or None, lambda run: counts.update(_written(deployment, run))
    )
    least, bills = compared.ours.least, compared.bills
    write_text(
        path,
        bill_page(
            BillReport(
                deployment=deployment,
                bills=bills,
                rows=counts,
                least=least,
                savings=compared.savings,
                refused=compared.refused,
            )
        ),
    )
    if json_file is not None:
        write_json(json_file, compared_json(compared, deployment.prices))
    names, rows = savings_rows(compared.savings, compared.ours.bill, bills[NAIVE])
    out.print(bills_table(bills, NAIVE, least, prices=deployment.prices))
    names, *rows = ([row[0], *row[2:]] for row in (names, *rows))  # without the papers, for lack of room
    out.print(figures_table("Savings per technique: messages of all kinds on links", names, rows))
    for name, why in compared.refused.items():
        say(f"{name} is not compared: {why}")
    _print_sink(deployment, compared.ours, counts)
    say(f"The bill is in {path}.")


def compared_json(compared: ComparisonResult, prices: Prices | None) -> dict[str, Any]:
    """Return as JSON the bill under the deployment's own policy, totals under others, and savings per technique."""
    return {
        "ours": bill_json(compared.ours, compared.ours.least, prices),
        "between_brokers": {name: bill.between_brokers() for name, bill in compared.bills.items()},
        "on_links_all_kinds": {name: bill.over_links().total() for name, bill in compared.bills.items()},
        "techniques": [
            {
                "technique": saving.technique.name,
                **{
                    how: None if bill is None else bill.over_links().total()
                    for how, bill in (("alone", saving.alone), ("left_out", saving.without), ("added", saving.added))
                },
            }
            for saving in compared.savings
        ],
    }


def _written(deployment: Deployment, run: ReplayResult) -> Mapping[str, int]:
    """Return the number of rows per table, after writing them to the sink, if any."""
    from sparing.spark.io import sinks
    from sparing.spark.tally import tally_of

    tally = tally_of(run.delivered)
    if deployment.sink is not None:
        with step("Writing the results"):
            sinks.write(run.delivered, deployment.sink, None, tally)
    return tally.rows


def _print_sink(deployment: Deployment, run: ReplayResult, counts: Mapping[str, int]) -> None:
    from sparing.spark.io import sinks

    if run.remark is not None:
        say(run.remark)
    if deployment.sink is not None:
        where = sinks.path_of(deployment.sink, replay=True)
        say(f"{row_counts_text(counts)}" + (f"; the tables are in {where}." if where else "."))


def bill_json(run: ReplayResult, least: Mapping[tuple[str, str], int] | None, prices: Prices | None) -> dict[str, Any]:
    """Return a bill as JSON: totals by kind, the least possible by link, costs, and every entry."""
    entries = [
        {"source": k.source, "target": k.target, "kind": k.kind.value, "bucket": k.bucket, "messages": messages}
        for k, messages in sorted(run.bill.items(), key=lambda entry: (*entry[0][:3], entry[0].bucket or 0))
    ]
    possible = None if least is None else {f"{source}>{target}": n for (source, target), n in sorted(least.items())}
    return {
        "by_kind": run.bill.by_kind(),
        "between_brokers": run.bill.between_brokers(),
        "least_possible": None if least is None else sum(least.values()),
        "least_possible_by_link": possible,
        "bytes": None if prices is None else prices.bytes_of(run.bill),
        "cost": None if prices is None else prices.cost_of(run.bill),
        "cpu_seconds": run.seconds,
        "merged_topics": None if run.merged is None else merged_json(run.merged),
        "entries": entries,
    }


def merged_json(merged: MergedTraffic) -> list[dict[str, Any]]:
    """Return the messages of merged topics per link, with and without merging."""
    links = sorted(merged.siena.keys() | merged.sent.keys())
    return [
        {"source": link[0], "target": link[1], "siena": merged.siena.get(link, 0), **merged.sent.get(link, {})}
        for link in links
    ]
