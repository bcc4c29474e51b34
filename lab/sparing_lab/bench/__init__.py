"""Benchmarks: Sparing and peers in one run, with ratios."""
