"""Matching: which standing subscriptions does each event match?

`Index` is the way in, and needs no Spark. `encode` turns subscriptions into ranges of whole numbers (`predicates`),
`standing` decides where each is kept, `layout` how those on one shelf are filed. `kernels.tiles` matches large
batches, `transposed` a few events, `hashed` what asks for a value that hardly anyone else asks for.
"""

from sparing.match.explain import Explanation, Failure
from sparing.match.index import Index, Matches, Stats

__all__ = ["Explanation", "Failure", "Index", "Matches", "Stats"]
