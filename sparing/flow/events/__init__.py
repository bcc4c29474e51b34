"""Merged events: what happens to the reports of an event between publishers and subscribers.

A report climbs towards the center and meets aggregators on its way, which drop what is known already and hold back what
is new until somebody is due to hear (`upward`). One of the active aggregators coordinates the event (`election`): it
has everything that is known when a notification cycle ends and sends it to those who are due (`downward`). When the
event is over, passive aggregators may move (`placement`). `walk` works through all of this in event time.

Paper: caeva; what it leaves open is settled in docs/decisions.
"""
