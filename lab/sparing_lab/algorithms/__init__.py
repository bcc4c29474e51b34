"""Algorithms that only studies and benchmarks run: those of papers as printed, and slow exact ones."""
