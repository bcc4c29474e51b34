"""Figures as SVG: tooltips, ids and text."""

from xml.etree import ElementTree

import pytest

from sparing.report.plots import Panel, svg
from sparing.report.svg import Tooltips, drawing, save, to_svg


@drawing()
def figure(text="a", gid=None):
    from matplotlib.figure import Figure

    found = Figure(figsize=(1, 1))
    found.add_subplot().plot([1, 2], [3, 4], gid=gid)
    found.text(0, 0, text)
    return found


@pytest.mark.parametrize("text", ["$x$ & <y>", "\N{CJK UNIFIED IDEOGRAPH-4E2D}"])
def test_text_is_kept_as_text(text, recwarn):
    with drawing():
        root = ElementTree.fromstring(to_svg(figure(text), "one", inline=True))
    assert [element.text for element in root.iter("text")].count(text) == 1
    assert not recwarn.list


def test_characters_invalid_in_xml_are_replaced():
    tooltips = Tooltips()
    with drawing():
        found = to_svg(figure("a\x01b", tooltips.gid("c\x02d")), "e\x03f", tooltips)
    texts = [element.text for element in ElementTree.fromstring(found).iter()]
    assert {"a\ufffdb", "c\ufffdd", "e\ufffdf"} <= set(texts)


def test_artists_have_tooltips_and_figures_have_a_title():
    with drawing():
        tooltips = Tooltips(["unused"])
        line = figure(gid=tooltips.gid("<told>"))
        inline = ElementTree.fromstring(to_svg(line, "a & b", tooltips, inline=True))
        document = ElementTree.fromstring(to_svg(figure(), "a & b"))
    assert [group.find("title").text for group in inline.iter("g") if group.find("title") is not None] == ["<told>"]
    assert inline.get("aria-label") == "a & b"
    assert document.find("{http://www.w3.org/2000/svg}title").text == "a & b"


def test_figures_of_a_page_have_different_ids():
    panel = Panel("", "x", "y", {"line": ((1, 2), (2, 3))})
    one, other = (ElementTree.fromstring(svg([panel], name)) for name in ("Figure 1", "Figure 2"))
    ids = [{element.get("id") for element in root.iter()} - {None} for root in (one, other)]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_a_figure_is_saved_in_the_format_of_its_suffix(tmp_path):
    for name, start in (("a.svg", b"<svg"), ("a.png", b"\x89PNG")):
        with drawing():
            save(figure(), tmp_path / name, "one")
        assert (tmp_path / name).read_bytes().startswith(start)
