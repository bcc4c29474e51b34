"""Repair of damaged checkpoints: `findings` first, then `fix`, `rewind`, `skip` and `watermark`."""
