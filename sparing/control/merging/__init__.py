"""Merged topics: the tree of each topic with its active and passive aggregators, and notification cycles.

Read `tree` (center and roles of brokers), then `cycles` (common factors of notification cycles); `outages` validates
the outages of a deployment. Paper: caeva.
"""
