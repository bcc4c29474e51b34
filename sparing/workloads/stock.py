"""Stock quotes: 62 symbols of skewed popularity, 8 fields; one equality on the symbol and 1 to 3 ranges.

Stands in for the daily quotes of the experiments: prices move around a level per symbol. Every symbol is traded at
three venues, so what a subscription wants comes from several brokers.

Paper: mna-aggregation, section VIII.A (its selectivity of 2% is the default).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sparing.workloads.calibrate import anchored, calibrate
from sparing.workloads.chance import skewed, some_of, stream
from sparing.workloads.columns import numbers, stamps, texts, wholes
from sparing.workloads.overlay import PUBLISHER_EDGES, one_of, publisher_at
from sparing.workloads.settings import SECOND, WorkloadSettings
from sparing.workloads.subscriptions import Wording, subscriptions
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
DECIMALS = {"open": 4, "high": 4, "low": 4, "close": 4, "volume": 0, "change": 4}  # fine enough for narrow ranges
WORDING = Wording(
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
    """The workload of stock quotes."""
    market = _Market.opened(settings.seed)
    trace = Trace("stock", settings, market.batch, kept=("publisher", "symbol", "ts"))
    whole, seen = trace.samples(["symbol", *DECIMALS])
    rng = stream(settings.seed, "stock", "subscriptions")
    ranges = some_of(rng, settings.subscriptions, len(DECIMALS), 1, 3)
    wishes = anchored(
        whole,
        {"symbol": np.ones(settings.subscriptions, dtype=bool)},
        {field: ranges[:, n] for n, field in enumerate(DECIMALS)},
        DECIMALS,
        rng=rng,
        within="symbol",
    )
    interests = calibrate(wishes, seen, settings.selectivity)
    return workload(
        "stock",
        settings,
        {"time": "ts", "fields": dict(FIELDS)},
        advertisements(),
        subscriptions(settings, WORDING, interests.conditions(whole.names)),
        interests.selectivity(seen),
        trace.chunks,
    )


def advertisements() -> list[str]:
    """For each venue the symbols that it trades, as a WHERE clause."""
    venues = len(PUBLISHER_EDGES)
    traded = [[symbol for n, symbol in enumerate(SYMBOLS) if (venue - n) % venues in VENUES] for venue in range(venues)]
    return [one_of("symbol", symbols) for symbols in traded]


@dataclass(frozen=True)
class _Market:
    """What stays the same: how popular each symbol is, and the level, swing and phase of its price."""

    popularity: np.ndarray
    level: np.ndarray
    swing: np.ndarray
    phase: np.ndarray

    @classmethod
    def opened(cls, seed: int) -> _Market:
        rng = stream(seed, "stock", "market")
        count = len(SYMBOLS)
        zipf = 1.0 / np.arange(1, count + 1)
        return cls(
            rng.permutation(zipf / zipf.sum()),
            np.exp(rng.normal(4.0, 0.8, count)),
            rng.uniform(0.005, 0.03, count),
            rng.uniform(0.0, 2 * np.pi, count),
        )

    def batch(self, times: np.ndarray, rng: np.random.Generator) -> pa.Table:
        """A quote for each time."""
        count = len(times)
        symbol = skewed(rng, count, self.popularity)
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
                "publisher": texts([publisher_at("stock", edge) for edge in PUBLISHER_EDGES], venue),
                "symbol": texts(SYMBOLS, symbol),
                "open": numbers(opened, 4),
                "high": numbers(high, 4),
                "low": numbers(low, 4),
                "close": numbers(closed, 4),
                "volume": wholes(volume, 64),
                "change": numbers(100 * (closed - opened) / opened, 4),
                "ts": stamps(times),
            }
        )
