"""Damaged checkpoints: what is wrong with them, and ways back to a stream that runs."""
