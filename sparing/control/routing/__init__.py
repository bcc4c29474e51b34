"""Advertisement-based routing: advertisements flood, subscriptions travel towards those that they meet."""
