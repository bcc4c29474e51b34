"""Every study with made-up measurements, for what holds of all of them."""

from importlib import import_module


def module(name, part):
    return import_module(f"sparing_lab.study.{name}.{part}")


def made_up(name):
    """Measurements from which comparisons can be worked out by hand."""
    return import_module(f"tests.lab.study.{name}.rows").results()


def nothing(name):
    """No measurements."""
    found = made_up(name)
    return type(found)(found.scale, [])


def claims(name, results):
    return module(name, "printed").comparisons(results)


def ours(name, start):
    """What made-up measurements give, of all claims that start so."""
    return [claim.ours for claim in claims(name, made_up(name)) if claim.what.startswith(start)]


def verdicts(name, start):
    return [claim.verdict.name for claim in claims(name, made_up(name)) if claim.what.startswith(start)]


def report_of(monkeypatch, name, rows=None):
    """The report of made-up measurements, as if their scale were the small one, without drawings."""
    found = made_up(name)
    monkeypatch.setitem(module(name, "grid").SCALES, "small", found.scale)
    monkeypatch.setattr("sparing_lab.study.exhibits.svg", lambda *_: "<svg></svg>")
    return module(name, "study").STUDY.report("small", found.rows if rows is None else rows)
