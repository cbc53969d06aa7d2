"""The words of a page, and a section's first picture."""

from markupsafe import Markup

from strozzi_sim.pictures.marks import Chart
from strozzi_sim.report.html_tables import PageTable
from strozzi_sim.report.page import Item, PageSection, marked

PICTURE = Item("A picture", "", [("", Chart(print, [], ""))])
TABLE = Item("A table", "", [("", PageTable((), (), ()))])
NOTE = Item("A note", "", [], notes=["one"])


def test_text_is_escaped_and_marked():
    assert marked("`a<b>` wins 40 % & more") == "<code>a&lt;b&gt;</code> wins 40\N{NARROW NO-BREAK SPACE}% &amp; more"
    assert isinstance(marked("x"), Markup)


def test_the_first_picture_leads_and_nothing_is_lost():
    found = PageSection("a", "Name", "What?", "Name", [], [NOTE, TABLE, PICTURE])
    assert found.lead is PICTURE
    assert found.others == [NOTE, TABLE]
    assert PageSection("a", "Name", "What?", "Name", [], [TABLE]).lead is None
    assert [item.kind for item in (NOTE, TABLE, PICTURE)] == ["", "table", "picture"]
