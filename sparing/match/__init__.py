"""Matching: the subscriptions that each event of a batch matches. Needs no Spark.

Start with `index` (class `Index`). `encode` turns subscriptions into ranges of whole numbers (`predicates`), `store`
keeps them in segments, and `layout` orders the subscriptions of one segment. `kernels.tiles` matches large batches,
`bitmaps` a few events, and `lookup` subscriptions that require a value that few others require.
"""

from sparing.match.explain import Explanation, Failure
from sparing.match.index import Index, Matches, Stats

__all__ = ["Explanation", "Failure", "Index", "Matches", "Stats"]
