"""The deployment from validated entries: references between entries are resolved and checked here."""

from __future__ import annotations

from pathlib import Path

from sparing.deployment.deployment import Deployment, Limits
from sparing.deployment.endpoints import endpoint
from sparing.deployment.mistakes import Mistakes
from sparing.deployment.overlay import outages_of, overlay_of, prices_of
from sparing.deployment.publishers import PublisherChecks
from sparing.deployment.reach import check_reach
from sparing.deployment.schema import PolicyEntry
from sparing.deployment.sections import Sections, Where
from sparing.deployment.subscriptions import attribute_kinds, candidate_brokers, subscriptions_of
from sparing.deployment.topics import topics_of
from sparing.deployment.values import absolute_path, duration
from sparing.model.policy import Attachment, DecisionRule, EventMerging, Folding, Policy, keys


def build(sections: Sections, base: Path) -> Deployment:
    """Return the deployment; raise one error with all mistakes in references between entries."""
    mistakes, file, place = Mistakes(), sections.file, sections.place
    overlay = overlay_of(file.overlay, place, mistakes)
    brokers = dict.fromkeys(overlay.brokers)
    topics = topics_of(file.topics, place, mistakes)
    subscribers = candidate_brokers(sections.subscribers, brokers, mistakes)
    # Queries on an invalid topic would be reported as invalid, too.
    all_valid = topics if len(topics) == len(file.topics) else None
    subscriptions = subscriptions_of(
        sections.subscriptions, subscribers, all_valid, file.limits.windows_per_event, mistakes
    )
    # So would scores with an attribute of an invalid subscription.
    complete = len(subscriptions) == len(sections.subscriptions.entries)
    kinds = attribute_kinds(subscriptions, sections.subscriptions.place, mistakes) if complete else None
    checks = PublisherChecks(brokers=brokers, all_topics=file.topics, topics=topics, kinds=kinds, mistakes=mistakes)
    advertisements = checks.advertisements(sections.publishers)
    source = endpoint("source", file.source, base, place, mistakes)
    sink = endpoint("sink", file.sink, base, place, mistakes)
    watermark = duration("watermark", file.watermark, 0, place(("watermark",)), mistakes)
    ahead = None if file.ahead is None else duration("ahead", file.ahead, 0, place(("ahead",)), mistakes)
    bucket = duration("bucket", file.bill.bucket, 1, place(("bill", "bucket")), mistakes)
    policy = _policy(file.policy, place, mistakes)
    outages = outages_of(file.outages, brokers, place, mistakes)
    prices = prices_of(file.prices, overlay, place, mistakes)
    mistakes.stop_if_any()
    check_reach(overlay, advertisements, subscribers, subscriptions, sections.subscriptions.place)
    return Deployment(
        name=file.name,
        overlay=overlay,
        topics=topics,
        advertisements=tuple(advertisements),
        subscribers=subscribers,
        subscriptions=tuple(subscriptions),
        source=source,
        sink=sink,
        policy=policy,
        outages=outages,
        watermark=watermark,
        ahead=ahead,
        bucket=bucket,
        limits=Limits(file.limits.row_bytes, file.limits.windows_per_event),
        prices=prices,
        checkpoint=None if file.checkpoint is None else absolute_path(file.checkpoint, base),
        tables=sections.tables,
    )


def _policy(entry: PolicyEntry, place: Where, mistakes: Mistakes) -> Policy:
    here = place(("policy", "patience"))
    patience = None if entry.patience is None else duration("patience", entry.patience, 1, here, mistakes)
    if patience is not None and entry.decision is not DecisionRule.PATIENCE:
        mistakes.add(
            here, f"patience has no effect with decision: {entry.decision}: remove it, or set decision: patience"
        )
    for key in ("theta", "delta", "hop", "rate"):
        if key in entry.model_fields_set and entry.folding is Folding.NONE:
            mistakes.add(
                place(("policy", key)), f"{key} has no effect without folding: remove it, or set folding: mefa"
            )
    if "delta" in entry.model_fields_set and entry.folding in (Folding.SPA, Folding.AA):
        mistakes.add(
            place(("policy", "delta")),
            f"delta has no effect with folding: {entry.folding}: remove it, or set folding: mefa",
        )
    if "gamma" in entry.model_fields_set and entry.trees is not Attachment.DS:
        mistakes.add(
            place(("policy", "gamma")), f"gamma has no effect with trees: {entry.trees}: remove it, or set trees: ds"
        )
    for key in ("placement", "active_aggregators"):
        if key in entry.model_fields_set and entry.events is not EventMerging.CAEVA:
            unused = f"{key} has no effect with events: {entry.events}: remove it, or set events: caeva"
            mistakes.add(place(("policy", key)), unused)
    hop = duration("hop", entry.hop, 0, place(("policy", "hop")), mistakes)
    values = {key.name: getattr(entry, key.name) for key in keys()}
    return Policy(**values | {"patience": patience, "hop": hop})
