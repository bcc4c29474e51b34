"""What of the subscriptions a broker must tell its upstream neighbour."""
