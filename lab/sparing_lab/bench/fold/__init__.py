"""Folding up to 100,000 subscriptions by MEFA, beside SPA and AA, and beside MEFA as printed where that runs.

Trees, homes and ranges are made up from a seed (`problems`). `measure` times the methods and compares their costs.
"""
