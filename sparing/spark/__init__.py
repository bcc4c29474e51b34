"""The walk on Spark: the only folder that imports pyspark (besides what runs it)."""
