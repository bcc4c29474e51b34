"""Matching: the subscriptions that each event of a batch matches. Needs no Spark.

Start with `index` (class `Index`). `encode` turns subscriptions into ranges of whole numbers (`predicates`), `standing`
stores them on shelves, and `layout` orders the subscriptions of one shelf. `kernels.tiles` matches large batches,
`transposed` a few events, and `hashed` subscriptions to a value that few others ask for.
"""

from sparing.match.explain import Explanation, Failure
from sparing.match.index import Index, Matches, Stats

__all__ = ["Explanation", "Failure", "Index", "Matches", "Stats"]
