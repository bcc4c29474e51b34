"""One Kafka broker, which is its own controller, on free ports of this machine."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.spark.kafka.artifacts import jars

PATIENCE = 120
CLUSTER = "c3BhcmluZy10ZXN0cy1rYQ"  # any 16 bytes in base 64
SMALL = ("-Xmx256m", "-Xms64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
SETTINGS = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs={folder}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=true
num.partitions=2
log.cleaner.enable=false
"""


@contextmanager
def broker(folder: Path) -> Iterator[str]:
    """Start one; gives its address."""
    with socket.socket() as one, socket.socket() as other:
        for taken in (one, other):
            taken.bind(("127.0.0.1", 0))
        port, controller = one.getsockname()[1], other.getsockname()[1]
    folder.mkdir()
    settings = folder / "server.properties"
    settings.write_text(SETTINGS.format(port=port, controller=controller, folder=folder / "data"))
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin/java")) if home else str(shutil.which("java"))
    run = [java, *SMALL, "-cp", os.pathsep.join(map(str, jars("server")))]
    form = [*run, "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", str(settings)]
    subprocess.run(form, check=True, capture_output=True, timeout=PATIENCE)
    with (folder / "log").open("w") as log:
        server = subprocess.Popen([*run, "kafka.Kafka", str(settings)], stdout=log, stderr=log, cwd=folder)
    try:
        _wait_for(port, server)
        yield f"127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def _wait_for(port: int, server: subprocess.Popen) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert server.poll() is None, "the broker has ended"
            assert time.monotonic() < deadline, "the broker does not start"
            time.sleep(0.2)
