"""The control plane: everything that is computed before publications arrive, and when subscriptions change.

Read `plan` first (the result that the data plane runs on), then the packages in the order in which a plan uses them:
`trees` and `routes` (delivery trees, attachment), `matchmaker` (p-links and s-links), `covering` (subscriptions that
need not be forwarded), `routing` (routing tables and control messages), `folding` (one routing entry for several
subscriptions), `merging` (roles of brokers in merged topics), `summary` (the numbers of `sparing plan`).
"""
