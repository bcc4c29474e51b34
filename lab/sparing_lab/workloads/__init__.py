"""Seeded generators that only studies draw from."""
