"""Sparing: content-based publish/subscribe on Apache Spark that sends as few messages as can be."""
