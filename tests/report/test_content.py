"""The words of a page, and a section's first picture."""

from markupsafe import Markup

import strozzi_sim as ss
from strozzi_sim.game.reporting import pick
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


def test_the_difference_of_variants_has_the_sign_of_the_change():
    results = ss.compare("strozzi", settings=["tracks.bonus.9=40"], players=3, deals=60, agents="random")
    table = pick(results.tables["difference"], figure="score_mean", level="0")
    section = next(
        section for section in results.study.sections(results.tables, results.look) if section.name == "Difference"
    )
    shown = pick(section.tables["difference"], figure="score_mean", level="0")
    assert shown["value"].item() == -table["value"].item() > 0
    assert shown["low"].item() == -table["high"].item()
    assert section.shown[0].title == "tracks-bonus-9-40 minus base, on the same deals"
