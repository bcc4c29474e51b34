"""The last broker: windows, digests, payloads."""
