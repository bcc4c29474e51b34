"""Which subscriptions a publication matches."""
