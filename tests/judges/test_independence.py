"""Judges share no code with what they judge: they import records and values, and call no algorithm of theirs."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
FOUND = [*TESTS.glob("judges/*.py"), *TESTS.glob("**/judge.py")]
JUDGES = sorted(path for path in FOUND if not path.name.startswith(("test_", "__")))
RECORDS = {  # modules of records, and names in them that judges may use
    "sparing.control.plan": {"Plan"},
    "sparing.control.folding.problem": {"NO_PATH", "Folds", "Problem"},
    "sparing.deployment.deployment": {"Deployment"},
    "sparing.model": {"functions"},  # to tell them by their classes
    "sparing.model.bill": {"Bill", "BillKey", "MessageKind"},
    "sparing.model.box": {"Box"},
    "sparing.model.constraint": {"Constraint"},
    "sparing.model.expression": {"Attribute", "Constant", "Expression", "Field"},
    "sparing.model.rank": {"Fairness", "BoxScore"},
    "sparing.model.sketches": {"ApproxCountDistinct", "ApproxPercentile"},
    "sparing.model.subscription": {"Advertisement", "Output", "Query", "Subscription"},
    "sparing.model.topic": {"Topic"},
    "sparing.model.types": {"EPOCH", "MICROSECOND", "Code", "FieldType", "Kind", "field_type", "float_code"},
    "sparing.model.window": {"CountWindow", "TimeWindow"},
    "sparing.workloads.workload": {"Workload"},
}
READS = {"sparing.language.parse": {"parse_query", "parse_where"}}  # of workloads, which have SQL in them
METHODS = {"admits", "covers", "intersect", "overlaps", "relation"}


def imported(path: Path) -> set[tuple[str, str]]:
    """Modules of the package that a file imports from, and names."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sparing":
            found |= {(node.module, name.name) for name in node.names}
        elif isinstance(node, ast.Import):
            found |= {(name.name, "") for name in node.names if name.name.split(".")[0] == "sparing"}
    return found


def test_all_judges_are_found():
    assert len(JUDGES) >= 10


@pytest.mark.parametrize("path", JUDGES, ids=lambda path: str(path.relative_to(TESTS)))
def test_a_judge_imports_records_only(path):
    known = RECORDS | (READS if path.parent.name == "workloads" else {})
    assert {(module, name) for module, name in imported(path) if name not in known.get(module, ())} == set()


@pytest.mark.parametrize("path", JUDGES, ids=lambda path: str(path.relative_to(TESTS)))
def test_a_judge_uses_no_algorithm_of_a_record(path):
    used = {node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)}
    assert used & METHODS == set()
