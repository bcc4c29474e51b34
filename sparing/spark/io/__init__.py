"""Sources, sinks, quarantine and paths on any file system that Spark reaches."""
