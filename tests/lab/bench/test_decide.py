"""The benchmark of decisions: walks are the overlay's own, Algorithm 1 agrees, figures come out in every form."""

from __future__ import annotations

import json
from itertools import chain

import numpy as np
import pytest
from typer.testing import CliRunner

from sparing.cli import build
from sparing.flow.interests import Interests
from sparing.flow.links import POLICIES
from sparing.flow.windows.kernels.run import run
from sparing.flow.windows.window_walk import WindowWalk
from sparing.model.errors import SparingError
from sparing.model.types import END_OF_TIME
from sparing_lab.bench.benchmark import Run
from sparing_lab.bench.deciding import literal as answering
from sparing_lab.bench.deciding import measure, walks
from sparing_lab.bench.deciding.benchmark import COMPARED, MEASURED, Decide, Decisions, Literal
from sparing_lab.bench.deciding.cells import DecideCase
from sparing_lab.bench.deciding.literal import graph, literal, matched

TINY = DecideCase(rate=40, subscriptions=40, ratio=6)
QUICK = Decide(subscriptions=(40, 20), ratios=(1, 6), rate=40, repeat=2)


@pytest.fixture(scope="module")
def tiny():
    """The plan and what is held of a tiny cell."""
    return walks.match(TINY)


def walked(arrays):
    walk = walks.copied(arrays)
    run(walk, walks.first_turns(walk))
    return walk


@pytest.mark.parametrize("name", MEASURED)
def test_walks_agree_with_those_of_the_overlay(tiny, name):
    plan, held = tiny
    overlay = WindowWalk(Interests(plan, POLICIES[name]))
    groups = [list(chain(*held.values()))] if POLICIES[name].one_group else held.values()
    messages = sum(overlay.advance(None, group, END_OF_TIME)[1].bill.between_brokers() for group in groups)
    walks_taken = walks.set_out(plan, held, name)
    for _ in range(2):  # a walk leaves what it sets out with as it was
        assert sum(int(walked(arrays).messages.sum()) for arrays in walks_taken) == messages > 0


@pytest.mark.parametrize("name", COMPARED)
def test_replays_send_the_same_messages(tiny, name):
    both = set()
    for arrays in walks.set_out(*tiny, name):
        same = walks.replay(arrays)
        assert np.array_equal(walked(same).messages, walked(arrays).messages)
        both |= {bool(decided) for decided in same.table.ravel()}
    assert both == {True, False}


def test_every_decision_is_recorded(tiny):
    """Under publisher-edge each decision sends one partial result, and nothing else crosses a link."""
    walks_taken = walks.set_out(*tiny, "publisher-edge")
    assert walks.decisions(walks_taken) == sum(int(walked(arrays).messages.sum()) for arrays in walks_taken)


def test_algorithm_1_agrees_with_every_decision(tiny, monkeypatch):
    monkeypatch.setattr(answering, "SAMPLED", 10**9)
    walks_taken = walks.set_out(*tiny, "adock")
    total = walks.decisions(walks_taken)
    found = literal(walks_taken, total)
    assert found.sampled == total > 100
    assert found.edges > 1
    assert found.seconds > 0
    assert found.calls > 0


def test_algorithm_1_disagrees_with_other_policies(tiny):
    walks_taken = walks.set_out(*tiny, "publisher-edge")
    with pytest.raises(SparingError, match=r"^ADOCK and Algorithm 1 disagree on a decision"):
        literal(walks_taken, walks.decisions(walks_taken))


def test_many_decisions_are_sampled(tiny, monkeypatch):
    monkeypatch.setattr(answering, "SAMPLED", 10)
    walks_taken = walks.set_out(*tiny, "adock")
    assert 10 <= literal(walks_taken, walks.decisions(walks_taken)).sampled < 20


@pytest.mark.parametrize("name", MEASURED)
def test_decisions_have_all_that_links_hold(tiny, name):
    """A decision sends one partial result or everything that the link holds, and nothing else crosses a link."""
    for arrays in walks.set_out(*tiny, name):
        walk = walks.copied(arrays)
        expected = np.zeros(walk.messages.shape[:2], dtype=np.int64)

        def send(decided, walk=walk, expected=expected):
            for decision in decided:
                together = walk.aggregated[decision.link]
                expected[decision.link] += (0, 1) if together else (len(decision.rows), decision.results)

        before = []
        for found in walks.turns(walk):
            send(before)
            before = found
            for decision in found:
                nwr = walk.nwrs[decision.nwr]
                assert len(decision.rows) + decision.results > 0
                assert set(decision.rows) <= set(walk.members[nwr["first"] : nwr["last"]])
                assert len(set(decision.rows)) == len(decision.rows)
                assert (walk.place[decision.rows, nwr["goal"]] == decision.link).all()
        send(before)
        assert np.array_equal(expected, walk.messages.sum(axis=2))
        assert np.array_equal(walk.messages, walked(arrays).messages)


@pytest.mark.parametrize("name", ["adock", "patience"])
def test_graphs_have_the_items_held_by_the_link(tiny, name):
    results = others = 0
    for arrays in walks.set_out(*tiny, name):
        walk = walks.copied(arrays)
        for found in walks.turns(walk):
            for decision in found:
                left, right, node = graph(walk, decision)
                assert np.count_nonzero(right == node) == len(decision.rows) + decision.results
                assert set(left) == set(range(len(set(left))))
                assert set(right) == set(range(len(set(right))))
                assert len(set(zip(left, right, strict=True))) == len(left)
                assert 1 <= matched((left, right)) <= min(len(set(left)), len(set(right)))
                results += decision.results
                others += len(set(right)) - 1
    assert results > 0
    assert others > 0


@pytest.fixture(scope="module")
def quick():
    told: list[str] = []
    return QUICK.measure(Run(told.append))["figures"], told


def test_all_policies_are_measured(quick):
    figures, told = quick
    assert [(f.subscriptions, f.ratio) for f in figures] == [(20, 1), (20, 6), (40, 1), (40, 6)]
    for figure in figures:
        assert tuple(figure.decisions) == tuple(figure.walk) == MEASURED
        assert tuple(figure.alone) == COMPARED
        assert min(figure.decisions.values()) > 0
        assert min(figure.walk.values()) > 0
        assert figure.to_wad > 0
        assert figure.literal_to_walk > 0
        assert figure.literal.sampled > 0
    assert told[0] == "Compiling the walk"
    first = figures[0]
    assert told[1] == f"20 subscriptions, window/slide 1: {first.decisions['adock']:,} decisions of ADOCK"
    assert len(told) == 5


def test_traces_are_shorter_with_many_subscriptions():
    durations = [DecideCase(1860, subscriptions, 2).duration for subscriptions in (90, 360, 1000, 5000)]
    assert durations == [60, 60, 22, 20]


def made_up(alone_of_wad=0.002, rate=1860):
    bench = Decide(rate=rate)
    found = Decisions(
        1000,
        2,
        20.0,
        dict.fromkeys(MEASURED, 1000),
        dict.fromkeys(MEASURED, 0.02) | {"adock": 0.025},
        {"adock": 0.004, "wad": alone_of_wad},
        Literal(400, 120.0, 0.0006, 0.0002),
    )
    return bench, {"figures": [bench.judged(found)]}


WALKS = (
    "| subscriptions | window / slide | decisions | adock | wad | wad-live | bat | publisher-edge | patience "
    "| ADOCK / WAD | at most 1.5 |"
)
ROWS = (
    "| 1,000 | 2 | 1,000 | 25 | 20 | 20 | 20 | 20 | 20 | 1.25 | met |",
    "| 1,000 | 2 | 4 | 2 | 2 | missed |",
    "| 1,000 | 2 | 120 | 600 | 200 | 24 | missed | 150 | 100 | met |",
)


def test_results_can_be_written_as_markdown():
    bench, results = made_up()
    tables = bench.markdown(results).rstrip().split("\n\n")
    assert tables[0].startswith(WALKS)
    assert tuple(table.splitlines()[2] for table in tables) == ROWS
    for table in tables:
        assert len({line.count("|") for line in table.splitlines()}) == 1


def test_results_survive_json():
    bench, results = made_up()
    found = json.loads(json.dumps(bench.json(results)))
    assert found["settings"]["rate"] == 1860
    (figure,) = found["figures"]
    assert figure["literal"] == {"sampled": 400, "edges": 120.0, "seconds": 0.0006, "calls": 0.0002}
    assert figure["net_to_alone"] == pytest.approx(100)
    assert figure["verdicts"] == {
        "to_wad": "met",
        "to_wad_alone": "missed",
        "literal_to_walk": "missed",
        "net_to_alone": "met",
    }


def test_a_difference_within_noise_has_no_verdict():
    (figure,) = made_up(alone_of_wad=0.0003)[1]["figures"]
    assert figure.to_wad_alone is None
    assert figure.verdicts["to_wad_alone"] == "-"
    assert figure.verdicts["net_to_alone"] == "met"


def test_the_goal_of_algorithm_1_is_for_high_rates():
    (figure,) = made_up(rate=500)[1]["figures"]
    assert figure.verdicts["literal_to_walk"] == figure.verdicts["net_to_alone"] == "-"


MISTAKES = {
    "ratios that are no numbers": (["--ratios", "wide"], "--ratios 'wide' is not a list of numbers such as 1,1.5,6."),
    "a gap between windows": (["--ratios", "2,0.5"], "A window is 1 to 1000 times as long as its slide, not 0.5"),
    "sizes that are no numbers": (["--subscriptions", "many"], "'many' is not a list of whole numbers"),
    "no subscriptions": (["--subscriptions", "0"], "Numbers of subscriptions and repetitions must be greater"),
    "no publications": (["--rate", "0"], "The rate is 0: it must be above zero."),
    "no folder": (
        ["--markdown", "nowhere/it.md"],
        "nowhere/it.md cannot be written: the folder nowhere does not exist.",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_invalid_options_are_rejected_in_one_sentence(mistake):
    arguments, sentence = MISTAKES[mistake]
    result = CliRunner().invoke(build(), ["bench", "decide", *arguments])
    assert isinstance(result.exception, SparingError)
    assert sentence in str(result.exception)


def test_a_workload_without_decisions_is_rejected():
    with pytest.raises(SparingError, match=r"^Nothing is decided with 1 subscription, window/slide 1 at 5 pub"):
        measure.measure(DecideCase(5, 1, 1), 1)


def test_the_command_writes_its_results(tmp_path):
    files = ["--json", str(tmp_path / "decide.json"), "--markdown", str(tmp_path / "decide.md")]
    sizes = ["--subscriptions", "40", "--ratios", "2", "--rate", "40", "--repeat", "1"]
    result = CliRunner().invoke(build(), ["bench", "decide", *sizes, *files], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.exception
    assert json.loads((tmp_path / "decide.json").read_text())["figures"][0]["subscriptions"] == 40
    page = (tmp_path / "decide.md").read_text()
    assert page.startswith(WALKS)
    assert "window / slide" in page
