"""Boxes: uniform points as publications, uniform boxes as subscriptions.

The synthetic case of the covering and matching experiments: fields x1 to xd in [0, 1), every range between 30% and
60% wide and placed so that it fits.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sparing.model.errors import SparingError
from sparing.workloads.columns import double_column, text_column, timestamp_column
from sparing.workloads.interests import GeneratedInterests
from sparing.workloads.overlay import PUBLISHER_EDGES, publisher_at
from sparing.workloads.randomness import random_subsets, seeded_rng
from sparing.workloads.settings import WorkloadSettings
from sparing.workloads.subscriptions import SelectLists, subscriptions
from sparing.workloads.trace import Trace
from sparing.workloads.workload import Workload, workload

DEFAULTS = WorkloadSettings(rate=1000.0)
DIGITS = 6


def boxes(
    settings: WorkloadSettings = DEFAULTS,
    dimensions: int = 2,
    width: tuple[float, float] = (0.3, 0.6),
    constrained: int | None = None,
    top_k: int | None = None,
) -> Workload:
    """Return the workload of points and boxes.

    Each subscription constrains `constrained` of the dimensions (None: all of them) by ranges of a width drawn from
    `width`. For a target selectivity, all widths are scaled by one factor so that the mean volume meets it. With
    `top_k`, a publication is delivered to at most that many matching subscriptions, drawn fairly.
    """
    constrained = _checked(dimensions, width, constrained, top_k)
    fields = [f"x{n}" for n in range(1, dimensions + 1)]
    rng = seeded_rng(settings.seed, "boxes", "subscriptions")
    use = random_subsets(rng, settings.subscriptions, dimensions, constrained, constrained)
    widths = rng.uniform(*width, (settings.subscriptions, dimensions))
    if settings.selectivity is not None and settings.subscriptions:
        widths = _scaled(widths, use, settings.selectivity * (1 - settings.missing) ** -constrained)
    low = np.round(rng.random(widths.shape) * (1 - widths), DIGITS)
    high = np.round(low + widths, DIGITS)
    interests = GeneratedInterests(
        settings.subscriptions,
        {},
        {field: np.where(use[:, n], low[:, n], np.nan) for n, field in enumerate(fields)},
        {field: np.where(use[:, n], high[:, n], np.nan) for n, field in enumerate(fields)},
        dict.fromkeys(fields, DIGITS),
    )

    def batch(times: np.ndarray, rng: np.random.Generator) -> pa.Table:
        ids = [publisher_at("boxes", edge) for edge in PUBLISHER_EDGES]
        columns = {"publisher": text_column(ids, rng.integers(0, len(ids), len(times)))}
        # Rounded down, so that 1 is never reached.
        columns |= {field: double_column(np.floor(rng.random(len(times)) * 1e6) / 1e6, DIGITS) for field in fields}
        return pa.table(columns | {"ts": timestamp_column(times)})

    trace = Trace("boxes", settings, batch, kept=("publisher", "ts"))
    _, seen = trace.samples(fields)
    select_lists = SelectLists(
        "boxes",
        aggregates=("count(*)", "avg(x1), count(*)", "min(x1), max(x1)", f"sum(x{dimensions})"),
        columns=("x1, ts", "x1 AS first, ts"),
    )
    made = workload(
        "boxes",
        settings,
        topic={"time": "ts", "fields": dict.fromkeys(fields, "double") | {"ts": "timestamp"}},
        advertised=[None] * len(PUBLISHER_EDGES),
        subscriptions=subscriptions(settings, select_lists, interests.conditions({})),
        selectivity=interests.selectivity(seen),
        chunks=trace.chunks,
    )
    if top_k is not None:
        made.description["publishers"] = [
            publisher | {"top_k": top_k, "rank": {"fair": True}} for publisher in made.description["publishers"]
        ]
    return made


def _checked(dimensions: int, width: tuple[float, float], constrained: int | None, top_k: int | None) -> int:
    if dimensions < 1:
        raise SparingError(f"The number of dimensions is {dimensions}: it must be at least 1.")
    if top_k is not None and top_k < 1:
        raise SparingError(f"top_k is {top_k}: it must be at least 1.")
    if not 0 < width[0] <= width[1] <= 1:
        raise SparingError(
            f"The width is {width[0]:g}:{width[1]:g}: it must be two shares, the smaller first, e.g. 0.3:0.6."
        )
    if constrained is not None and not 1 <= constrained <= dimensions:
        raise SparingError(f"The number of constrained fields is {constrained}: it must be between 1 and {dimensions}.")
    return constrained if constrained is not None else dimensions


def _scaled(widths: np.ndarray, use: np.ndarray, target: float) -> np.ndarray:
    """Return the widths, scaled by one factor so that the mean volume of the boxes is the target."""
    low, high = 0.0, 1.0 / float(widths.min())  # at the upper end every range is the whole field
    if target > 1:
        raise SparingError("The selectivity is too high for the share of missing values: reduce one of them.")
    for _ in range(60):
        middle = (low + high) / 2
        volumes = np.where(use, np.minimum(widths * middle, 1.0), 1.0).prod(axis=1)
        low, high = (middle, high) if volumes.mean() < target else (low, middle)
    return np.minimum(widths * high, 1.0)
