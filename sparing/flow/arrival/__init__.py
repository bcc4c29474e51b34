"""Arrival of publications: matching, plain deliveries, and the publications that are held for windows."""
