"""Where advertisements and subscriptions meet: the min-cost matchmaker.

Every directed link of the delivery trees is marked: advertisements travel it (p-link), or subscriptions do, against its
direction (s-link). Source: matchmaker.txt.
"""
