"""Routing: advertisements go as far as links are marked for them, subscriptions come the rest of the way."""
