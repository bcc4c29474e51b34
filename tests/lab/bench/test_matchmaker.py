"""The matchmaker's benchmark measures what it says, and finds out if engines disagree."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from sparing.cli import build
from sparing.control.matchmaker.demand import Demand
from sparing.control.matchmaker.per_source import mark_per_source
from sparing.model.errors import SparingError
from sparing_lab.bench.benchmark import Run
from sparing_lab.bench.matchmaker import engines as measured
from sparing_lab.bench.matchmaker import measure as measuring
from sparing_lab.bench.matchmaker.benchmark import (
    KINDS,
    MESH,
    PER_SOURCE,
    SHARED,
    TRANSIT_STUB,
    BesidePeers,
    Flowless,
    Marking,
    Matchmaker,
    MatchmakerCase,
    Published,
    growth,
    targets,
)
from sparing_lab.bench.matchmaker.engines import Network, by_networkx, by_or_tools, by_scipy, published
from sparing_lab.bench.matchmaker.made_up import made_up

SMALL = Matchmaker(links=(100, 400), publishers=5, peers=100, sample=30, instances=3, repeat=1)


def demand_of(settings: Matchmaker, case: MatchmakerCase) -> Demand:
    made = made_up(settings, case)
    return made.demand(made.trees())


def test_all_cases_are_measured_with_progress() -> None:
    told: list[str] = []
    results = SMALL.measure(Run(told.append))
    whole, beside = results["whole"], results["beside"]
    assert told == [f"{links} links, {overlay}, {trees}" for links in (100, 400) for overlay, trees in KINDS]
    assert [(f.links, f.overlay, f.kind) for f in whole] == [(n, *kind) for n in (100, 400) for kind in KINDS]
    assert all(0 <= f.entangled < f.in_trees <= f.links for f in whole)
    assert all(f.entangled == 0 for f in whole if f.kind == SHARED)
    assert all(b.peers["SciPy"] is not None for b in beside)
    assert all(b.peers["networkx"] is None for b in beside if b.links > 100)
    assert [(f.links, f.overlay, f.instances) for f in results["flowless"]] == [(100, TRANSIT_STUB, 3), (100, MESH, 3)]
    assert [growth.links for growth in results["growth"]] == [(100, 400)] * 3
    assert [len(table.rows) for table in SMALL.tables(results)] == [6, 3, 4, 2, 0]


@pytest.mark.parametrize("overlay", [TRANSIT_STUB, MESH])
@pytest.mark.parametrize("links", [50, 100, 1000, 4000])
def test_overlays_are_connected_with_the_given_number_of_links(overlay: str, links: int) -> None:
    settings = Matchmaker(subscribers=1.0)
    made = made_up(settings, MatchmakerCase(links, overlay, PER_SOURCE))
    there = set(zip(made.source.tolist(), made.target.tolist(), strict=True))
    assert len(there) == len(made.source) == links
    assert there == {(b, a) for a, b in there}
    assert 1 <= len(made.roots) == len(made.published) <= 20
    for root, tree in zip(made.roots, made.trees(), strict=True):
        assert set(made.target[tree.links].tolist()) | {root} >= set(np.flatnonzero(made.subscribed).tolist())
    again = made_up(settings, MatchmakerCase(links, overlay, PER_SOURCE))
    assert np.array_equal(again.subscribed, made.subscribed)
    assert not np.array_equal(
        made_up(settings, MatchmakerCase(links, overlay, PER_SOURCE), 1).subscribed, made.subscribed
    )


def test_a_shared_tree_has_one_path_between_two_brokers() -> None:
    made = made_up(SMALL, MatchmakerCase(400, TRANSIT_STUB, SHARED))
    assert len(made.source) == 2 * (round(400 / 3.2) - 1)
    demand = demand_of(SMALL, MatchmakerCase(400, TRANSIT_STUB, SHARED))
    assert demand.valid(demand.eta >= 0)


@pytest.mark.parametrize("engine", [by_scipy, by_or_tools, by_networkx])
def test_engines_find_the_same_markings(engine) -> None:
    for overlay in (TRANSIT_STUB, MESH):
        demand = demand_of(SMALL, MatchmakerCase(400, overlay, PER_SOURCE))
        mark = engine(Network.of(demand))
        if mark is None:
            pytest.skip("not installed")
        assert np.array_equal(mark(), mark_per_source(demand))


def test_figure_6_is_tried_link_by_link_and_extrapolated() -> None:
    demand = demand_of(SMALL, MatchmakerCase(100, MESH, PER_SOURCE))
    network, marking, rng = Network.of(demand), mark_per_source(demand), np.random.default_rng(1)
    gains = int(np.count_nonzero((demand.eta >= 0) & (demand.sigma > 0)))
    whole = published(demand, network, marking, 1000, rng)
    assert (whole.links, whole.tried, whole.extrapolated) == (gains, gains, False)
    part = published(demand, network, marking, 3, rng)
    assert (part.links, part.tried, part.extrapolated) == (gains, 3, True)
    with pytest.raises(SparingError, match="Figure 6 and Sparing disagree"):
        published(demand, network, ~marking, 3, rng)


def test_missing_libraries_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "find_spec", lambda _: None)
    results = replace(SMALL, links=(100,)).measure(Run())
    assert all(b.peers["OR-tools"] is b.peers["networkx"] is None for b in results["beside"])
    assert "| - | - |" in SMALL.markdown(results)


def test_disagreeing_engines_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "by_scipy", lambda network: lambda: np.ones(network.links, bool))
    with pytest.raises(SparingError, match=r"^Engines disagree on 200 links, .*: SciPy finds a cost of"):
        SMALL.measure(Run())


def test_invalid_settings_are_rejected() -> None:
    with pytest.raises(SparingError, match="must be even"):
        Matchmaker(links=(101,))
    with pytest.raises(SparingError, match="above zero"):
        Matchmaker(publishers=0)
    with pytest.raises(SparingError, match="share of brokers"):
        Matchmaker(subscribers=1.5)


def test_results_are_compared_with_the_goal() -> None:
    whole = [
        Marking(10_000, MESH, PER_SOURCE, 8000, 6000, 99.0, 0.01, 0.02, 0.001),
        Marking(100_000, MESH, PER_SOURCE, 80_000, 60_000, 999.0, 1.0, 2.0, 3.0),
    ]
    peers = {"SciPy": 0.002, "OR-tools": None, "networkx": 1.0}
    beside = [BesidePeers(10_000, MESH, 0.001, peers, Published(500, 100, 9.0))]
    results = {"whole": whole, "beside": beside, "flowless": [Flowless(100, MESH, 10, 4, 0.25)]}
    results |= {"growth": growth(whole), "targets": targets(whole)}
    assert [(target.goal, target.found, target.verdict) for target in targets(whole)] == [(5.0, 6.0, "missed")]
    text = SMALL.markdown(results)
    assert "| mesh | per source | 10,000 | 8,000 | 6,000 | 10 | 20 | 1 | 31 |" in text
    assert "| mesh | per source | 10,000 to 100,000 | 2.00 | 2.00 | 3.48 |" in text
    assert "| mesh | 10,000 | 1 | 2 (2.0x) | - | 1,000 (1,000x) | 9,000 (9,000x), extrapolated | 501 | 101 |" in text
    assert "| mesh | 100 | 10 | 4 | 25.0% |" in text
    found = SMALL.json(results)
    assert found["beside"][0]["ratios"] == {"SciPy": 2.0, "OR-tools": None, "networkx": 1000.0, "Figure 6": 9000.0}
    assert found["beside"][0]["published"]["extrapolated"] is True
    assert found["targets"][0]["verdict"] == "missed"


def test_the_command_writes_its_results(tmp_path: Path) -> None:
    files = ["--json", str(tmp_path / "found.json"), "--markdown", str(tmp_path / "found.md")]
    sizes = ["--links", "100", "--publishers", "3", "--sample", "5", "--instances", "2", "--repeat", "1"]
    result = CliRunner().invoke(build(), ["bench", "matchmaker", *sizes, *files], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.exception
    assert "Milliseconds of CPU time from an overlay to a marking" in result.output
    assert json.loads((tmp_path / "found.json").read_text())["whole"][0]["links"] == 100
    assert (tmp_path / "found.md").read_text().startswith("| overlay | tree | links | in trees | entangled |")
