"""Compiled loops of delivery: results of windows, payloads as VARIANT values."""
