"""A running stream: checkpoints, plan changes, orderly stops, progress, logs and metrics."""
