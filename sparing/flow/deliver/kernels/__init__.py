"""Compiled loops of delivery: results of windows, publications as VARIANT values."""
