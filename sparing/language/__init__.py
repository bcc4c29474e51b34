"""Subscriptions in SQL: text in, model out, errors that point at the text."""
