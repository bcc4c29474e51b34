"""Seeded workloads: publications, subscriptions and whole deployments."""
