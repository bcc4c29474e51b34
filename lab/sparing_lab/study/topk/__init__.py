"""The experiments of topk-covering, section V: Figures 5 to 8.

`grid` declares the experiments; `forwarding` (Figure 5), `fairness` (Figure 6) and `overhead` (Figures 7 and 8)
measure one cell of it each, in a `world` of brokers in a chain. `rank_tree` is how the paper's RankCoverK must have
been built. `results` has statistics of the rows, `printed` compares them with the paper's numbers, and `figures`
shows them.
"""
