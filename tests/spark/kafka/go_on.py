"""A process of its own, since the connector must be there when Spark starts: go on with a stream, and read its topics.

Prints one line of JSON: table -> records.
"""

from __future__ import annotations

import json
import sys

from sparing.deployment.deployment import Deployment
from sparing.spark.run import stream, wait
from sparing.spark.session import session
from sparing.spark.tally import TABLES
from tests.conftest import SHORT_LIVED


def main(path: str, jars: str) -> None:
    spark = session("local[2]", "kafka", {**SHORT_LIVED, "spark.jars": jars})
    deployment = Deployment.read(path)
    wait(stream(spark, deployment, once=True))
    options = deployment.needed_sink().options
    found = {}
    for table in TABLES:
        reader = spark.read.format("kafka").option("kafka.bootstrap.servers", options["kafka.bootstrap.servers"])
        reader = reader.option("subscribe", f"{options['topic']}.{table}").option("includeHeaders", "true")
        rows = reader.load().selectExpr("CAST(key AS string)", "CAST(value AS string)", "headers").collect()
        found[table] = [
            {
                "key": row["key"],
                "value": json.loads(row["value"]),
                "headers": {header["key"]: header["value"].decode() for header in row["headers"] or ()},
            }
            for row in rows
        ]
    print(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
