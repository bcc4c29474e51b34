"""Jars from Maven, by name; kept until the list of names changes."""

from __future__ import annotations

import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

HERE = Path(__file__).parent
KEPT = HERE.parents[2] / ".pytest_cache" / "kafka"
PATIENCE = 300


def jars(name: str) -> list[Path]:
    """The jars that `<name>-pom.xml` asks for; the test is skipped where they cannot be had."""
    pom = HERE / f"{name}-pom.xml"
    folder = KEPT / f"{name}-{sha256(pom.read_bytes()).hexdigest()[:16]}"
    if not folder.exists():
        _fetch(pom, folder)
    return sorted(folder.glob("*.jar"))


def _fetch(pom: Path, folder: Path) -> None:
    if (maven := shutil.which("mvn")) is None:
        pytest.skip("a real Kafka comes from Maven, and there is no mvn")
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    options = [f"-DoutputDirectory={partial}", "-DincludeScope=runtime"]
    command = [maven, "-B", "-q", "-f", str(pom), "dependency:copy-dependencies", *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"a real Kafka comes from Maven, which did not fetch it within {PATIENCE} seconds")
    if done.returncode:
        reason = next((line for line in done.stdout.splitlines() if "ERROR" in line), done.stderr)
        pytest.skip(f"a real Kafka comes from Maven, which could not fetch it: {reason[:300]}")
    partial.rename(folder)
