"""Tools that read traces and checkpoints: explain, inspect, compare, repair."""
