"""The data plane: what travels. Deterministic, driven by event time, free of Spark."""
