"""The min-cost matchmaker: the links on which advertisements and subscriptions travel until they meet.

Every directed link of the delivery trees is marked as p-link (advertisements travel it) or s-link (subscriptions travel
against its direction). Read `demand` (the problem), `marking` (the solution), then the algorithms: `broadcast`,
`shared_tree`, `per_source` with `entangled`. `signalling` and `election` are the same decisions made by brokers with
messages, `live_marking` keeps a marking up to date. Source: matchmaker.txt.
"""
