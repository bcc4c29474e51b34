"""Who does what for merged events: the tree of each topic, active and passive aggregators, notification cycles.

Paper: caeva. `tree` finds the center and who aggregates, `cycles` tells brokers how often those behind a link want to
hear.
"""
