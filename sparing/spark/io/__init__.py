"""Input and output: `sources`, `sinks`, the `quarantine` of a sink, and `paths` on any file system of Spark."""
