"""Routing: advertisements travel p-links, subscriptions travel s-links, and channels connect them where they meet.

Read `tables` (the routing table of one advertisement), `spread` (all tables and messages of a plan), `folded` (routing
entries with folding) and `billing` (the control bill). Scheduled changes: `network` (messages between brokers), with
`covers`, and `churn` (folded entries), with `stale_members`. `snapshot` compares two plans of a running stream.
"""
