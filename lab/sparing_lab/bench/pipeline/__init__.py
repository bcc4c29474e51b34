"""The pipeline against plain Spark SQL."""
