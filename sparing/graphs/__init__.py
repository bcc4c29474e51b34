"""Textbook graph algorithms, no publish/subscribe words."""
