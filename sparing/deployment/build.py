"""From entries in their right shape to the deployment, checking what they say about each other."""

from __future__ import annotations

from pathlib import Path

from sparing.deployment.attributes import kinds_of
from sparing.deployment.deployment import Deployment, Limits
from sparing.deployment.durations import duration
from sparing.deployment.endpoints import endpoint
from sparing.deployment.mistakes import Mistakes
from sparing.deployment.outages import outages_of
from sparing.deployment.overlay import overlay_of
from sparing.deployment.paths import located
from sparing.deployment.prices import prices_of
from sparing.deployment.publishers import advertisements
from sparing.deployment.reach import check_reach
from sparing.deployment.schema import PolicyEntry
from sparing.deployment.sections import Sections, Where
from sparing.deployment.subscribers import candidates
from sparing.deployment.subscriptions import subscriptions_of
from sparing.deployment.topics import topics_of
from sparing.model.policy import Attachment, DecisionRule, EventMerging, Folding, Policy, keys


def build(sections: Sections, base: Path) -> Deployment:
    """The deployment. All mistakes in what the entries say about each other are raised together."""
    mistakes, file, place = Mistakes(), sections.file, sections.place
    overlay = overlay_of(file.overlay, place, mistakes)
    brokers = dict.fromkeys(overlay.brokers)
    topics = topics_of(file.topics, place, mistakes)
    subscribers = candidates(sections.subscribers, brokers, mistakes)
    # A query about a topic that has a mistake itself would look wrong, too.
    sound = topics if len(topics) == len(file.topics) else None
    subscriptions = subscriptions_of(
        sections.subscriptions, subscribers, sound, file.limits.windows_per_event, mistakes
    )
    # So would a score, if an attribute that it names belongs to a subscription that has one.
    whole = len(subscriptions) == len(sections.subscriptions.entries)
    kinds = kinds_of(subscriptions, sections.subscriptions.place, mistakes) if whole else None
    published = advertisements(sections.publishers, brokers, file.topics, topics, kinds, mistakes)
    source = endpoint("source", file.source, base, place, mistakes)
    sink = endpoint("sink", file.sink, base, place, mistakes)
    watermark = duration("watermark", file.watermark, 0, place(("watermark",)), mistakes)
    ahead = None if file.ahead is None else duration("ahead", file.ahead, 0, place(("ahead",)), mistakes)
    bucket = duration("bucket", file.bill.bucket, 1, place(("bill", "bucket")), mistakes)
    policy = _policy(file.policy, place, mistakes)
    outages = outages_of(file.outages, brokers, place, mistakes)
    prices = prices_of(file.prices, overlay, place, mistakes)
    mistakes.stop_if_any()
    check_reach(overlay, published, subscribers, subscriptions, sections.subscriptions.place)
    return Deployment(
        name=file.name,
        overlay=overlay,
        topics=topics,
        advertisements=tuple(published),
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
        checkpoint=None if file.checkpoint is None else located(file.checkpoint, base),
        tables=sections.tables,
    )


def _policy(entry: PolicyEntry, place: Where, mistakes: Mistakes) -> Policy:
    here = place(("policy", "patience"))
    patience = None if entry.patience is None else duration("patience", entry.patience, 1, here, mistakes)
    if patience is not None and entry.decision is not DecisionRule.PATIENCE:
        mistakes.add(
            here, f"The decision is {entry.decision}, which never waits: leave patience out, or say decision: patience"
        )
    for key in ("theta", "delta", "hop", "rate"):
        if key in entry.model_fields_set and entry.folding is Folding.NONE:
            mistakes.add(place(("policy", key)), f"Nothing is folded: leave {key} out, or say folding: mefa")
    if "delta" in entry.model_fields_set and entry.folding in (Folding.SPA, Folding.AA):
        mistakes.add(place(("policy", "delta")), f"{entry.folding} knows no delta: leave it out, or say folding: mefa")
    if "gamma" in entry.model_fields_set and entry.trees is not Attachment.DS:
        mistakes.add(place(("policy", "gamma")), "Distance alone decides: leave gamma out, or say trees: ds")
    for key in ("placement", "active_aggregators"):
        if key in entry.model_fields_set and entry.events is not EventMerging.CAEVA:
            fixed = "the center merges, nobody else" if entry.events is EventMerging.AGELE else "nobody merges"
            told = f"With events: {entry.events} {fixed}: leave {key} out, or say events: caeva"
            mistakes.add(place(("policy", key)), told)
    hop = duration("hop", entry.hop, 0, place(("policy", "hop")), mistakes)
    given = {key.name: getattr(entry, key.name) for key in keys()}
    return Policy(**given | {"patience": patience, "hop": hop})
