"""Merged events: the path of an event's reports from publishers to subscribers.

A report travels towards the center of the topic's tree. Aggregators on the path drop known values and hold new ones
until a notification is due (`upward`). One active aggregator coordinates the event (`election`): at the end of a cycle
it collects all values and sends them to the subscriptions that are due (`downward`). After the event, passive
aggregators may move (`placement`). `walk` runs these steps in event time, on the state in `event`; `merged_topic` is
the entry point.

Paper: caeva; docs/decisions has the choices that it leaves open.
"""
