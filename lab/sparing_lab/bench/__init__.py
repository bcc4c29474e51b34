"""Benchmarks: ours and the peers side by side in one run, ratios reported."""
