"""The words of a page, and a section's first picture."""

from markupsafe import Markup

from strozzi_sim.pictures.marks import Drawn
from strozzi_sim.report.content import Item, Part, Section, Shown, marked

PICTURE = Item("A picture", "", (Part("", Shown("a", "", Drawn(print, print, ""))),))
TABLE = Item("A table", "", (Part("", note="one"),))


def test_text_is_escaped_and_marked():
    assert marked("`a<b>` wins 40 % & more") == "<code>a&lt;b&gt;</code> wins 40\N{NARROW NO-BREAK SPACE}% &amp; more"
    assert isinstance(marked("x"), Markup)


def test_the_first_picture_leads_and_nothing_is_lost():
    found = Section("a", "Name", "What?", "Name", [], [TABLE, PICTURE])
    assert found.lead is PICTURE
    assert found.others == [TABLE]
    assert Section("a", "Name", "What?", "Name", [], [TABLE]).lead is None
    assert [item.kind for item in (TABLE, PICTURE)] == ["", "picture"]
