"""The laboratory: papers measured again, and benchmarks beside peers."""
