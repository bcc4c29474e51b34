"""Which subscriptions are told as one, although somebody may leave. Source: mefa.txt."""
