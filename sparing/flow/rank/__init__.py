"""Top-k filtering: the k best matches of a publication, by relevance, fairness and diversity.

`choose` is the entry point; `top_k` selects at one broker, `by_hops` hop by hop (`weighted_shuffle`, `exact_fair`);
`diversity` scores, `draws` is the random generator, and `explain` gives the reasons.
"""
