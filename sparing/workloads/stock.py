"""Stock quotes: 62 symbols of skewed popularity, 8 fields; one equality on the symbol and 1 to 3 ranges.

Replaces the daily quotes of the paper's experiments: prices move around a level per symbol. Every symbol is traded at
three venues, so the publications for a subscription come from several brokers.

Paper: mna-aggregation, section VIII.A (its selectivity of 2% is the default).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sparing.workloads.calibrate import anchored, calibrate
from sparing.workloads.columns import double_column, integer_column, text_column, timestamp_column
from sparing.workloads.overlay import PUBLISHER_EDGES, in_condition, publisher_at
from sparing.workloads.randomness import random_subsets, seeded_rng, weighted_choice
from sparing.workloads.settings import SECOND, WorkloadSettings
from sparing.workloads.subscriptions import SelectLists, subscriptions
from sparing.workloads.trace import Trace
from sparing.workloads.workload import Workload, workload

DEFAULTS = WorkloadSettings(rate=1000.0, selectivity=0.02)

# fmt: off
SYMBOLS = (
    "AAPL", "ADBE", "ADI", "ADP", "ADSK", "AEP", "AMAT", "AMD", "AMGN", "AMZN", "AVGO", "BIIB",
    "BKNG", "CDNS", "CHTR", "CMCSA", "COST", "CSCO", "CSX", "CTAS", "DLTR", "EA", "EBAY", "EXC",
    "FAST", "FTNT", "GILD", "GOOG", "HON", "IBM", "IDXX", "ILMN", "INTC", "INTU", "ISRG", "JNJ",
    "KDP", "KHC", "KLAC", "KO", "LRCX", "MAR", "MCHP", "MDLZ", "META", "MSFT", "MU", "NFLX",
    "NVDA", "ORCL", "ORLY", "PAYX", "PCAR", "PEP", "PFE", "QCOM", "ROST", "SBUX", "TSLA", "TXN",
    "VRTX", "WMT",
)
# fmt: on
VENUES = (0, 2, 5)  # steps from a symbol's first venue to the three that trade it

FIELDS = {
    "symbol": "string",
    "open": "double",
    "high": "double",
    "low": "double",
    "close": "double",
    "volume": "bigint",
    "change": "double",
    "ts": "timestamp",
}
DECIMALS = {"open": 4, "high": 4, "low": 4, "close": 4, "volume": 0, "change": 4}  # enough for narrow ranges
SELECT_LISTS = SelectLists(
    "stock",
    aggregates=(
        "avg(close), count(*)",
        "max(high), min(low)",
        "sum(volume)",
        "avg(change), stddev(change)",
        "max(close), count(*)",
    ),
    columns=("symbol, close, ts", "symbol, close, volume", "symbol, change AS percent, ts"),
)


def stock(settings: WorkloadSettings = DEFAULTS) -> Workload:
    """Return the workload of stock quotes."""
    market = _Market.opened(settings.seed)
    trace = Trace("stock", settings, market.batch, kept=("publisher", "symbol", "ts"))
    whole, seen = trace.samples(["symbol", *DECIMALS])
    rng = seeded_rng(settings.seed, "stock", "subscriptions")
    ranges = random_subsets(rng, settings.subscriptions, len(DECIMALS), 1, 3)
    anchored_subscriptions = anchored(
        whole,
        {"symbol": np.ones(settings.subscriptions, dtype=bool)},
        {field: ranges[:, n] for n, field in enumerate(DECIMALS)},
        DECIMALS,
        rng=rng,
        within="symbol",
    )
    interests = calibrate(anchored_subscriptions, seen, settings.selectivity)
    return workload(
        "stock",
        settings,
        topic={"time": "ts", "fields": dict(FIELDS)},
        advertised=advertisements(),
        subscriptions=subscriptions(settings, SELECT_LISTS, interests.conditions(whole.names)),
        selectivity=interests.selectivity(seen),
        chunks=trace.chunks,
    )


def advertisements() -> list[str]:
    """Return the symbols of each venue, as a WHERE clause."""
    venues = len(PUBLISHER_EDGES)
    traded = [[symbol for n, symbol in enumerate(SYMBOLS) if (venue - n) % venues in VENUES] for venue in range(venues)]
    return [in_condition("symbol", symbols) for symbols in traded]


@dataclass(frozen=True)
class _Market:
    """Constants of each symbol: its popularity, and the level, swing and phase of its price."""

    popularity: np.ndarray
    level: np.ndarray
    swing: np.ndarray
    phase: np.ndarray

    @classmethod
    def opened(cls, seed: int) -> _Market:
        rng = seeded_rng(seed, "stock", "market")
        count = len(SYMBOLS)
        zipf = 1.0 / np.arange(1, count + 1)
        return cls(
            rng.permutation(zipf / zipf.sum()),
            np.exp(rng.normal(4.0, 0.8, count)),
            rng.uniform(0.005, 0.03, count),
            rng.uniform(0.0, 2 * np.pi, count),
        )

    def batch(self, times: np.ndarray, rng: np.random.Generator) -> pa.Table:
        """Return a quote for each time."""
        count = len(times)
        symbol = weighted_choice(rng, count, self.popularity)
        venue = (symbol + np.array(VENUES)[rng.integers(0, len(VENUES), count)]) % len(PUBLISHER_EDGES)
        turn = 2 * np.pi * (times % (600 * SECOND)) / (600 * SECOND)
        level = self.level[symbol]
        opened = level * (1 + 0.004 * rng.standard_normal(count))
        closed = level * (1 + self.swing[symbol] * np.sin(turn + self.phase[symbol]))
        closed *= 1 + 0.006 * rng.standard_normal(count)
        high = np.maximum(opened, closed) * (1 + 0.004 * rng.random(count))
        low = np.minimum(opened, closed) * (1 - 0.004 * rng.random(count))
        volume = np.ceil(np.exp(6.5 + 1.2 * rng.standard_normal(count)))
        return pa.table(
            {
                "publisher": text_column([publisher_at("stock", edge) for edge in PUBLISHER_EDGES], venue),
                "symbol": text_column(SYMBOLS, symbol),
                "open": double_column(opened, 4),
                "high": double_column(high, 4),
                "low": double_column(low, 4),
                "close": double_column(closed, 4),
                "volume": integer_column(volume, 64),
                "change": double_column(100 * (closed - opened) / opened, 4),
                "ts": timestamp_column(times),
            }
        )
