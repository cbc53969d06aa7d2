"""The words of a page: paragraphs, what is shown of them, and a section's first picture."""

from markupsafe import Markup

from strozzi_sim.pictures.marks import Drawn
from strozzi_sim.report.content import Item, Part, Shown, marked, paragraphs, section

PICTURE = Item("A picture", "", (Part("", Shown("a", "", Drawn(print, print, ""))),))
TABLE = Item("A table", "", (Part("", note="one"),))


def test_sentences_on_the_same_games_are_one_paragraph():
    said = [
        "3 players (random): the first.",
        "3 players (random): the second.",
        "4 players (base: random): the third.",
        "Footnote: how it is counted.",
    ]
    assert paragraphs(said) == (
        "<strong>3 players (random).</strong> The first. The second.", "<strong>4 players (base: random).</strong> The third.", "Footnote: how it is counted.",
    )  # fmt: skip
    assert paragraphs(["One.", "Two."]) == ("One.", "Two.")
    assert paragraphs([]) == ()


def test_text_is_escaped_and_marked():
    assert marked("`a<b>` wins 40 % & more") == "<code>a&lt;b&gt;</code> wins 40\N{NARROW NO-BREAK SPACE}% &amp; more"
    assert isinstance(marked("x"), Markup)


def test_a_section_shows_the_beginning_of_two_paragraphs_and_keeps_all():
    long = [
        "3 players (random): " + " ".join(f"Sentence {k} has five words." for k in range(40)),
        "4 players (random): short.",
        "5 players (random): more.",
    ]
    found = section("a", "Name", "What?", long, [])
    assert len(found.shown) == 2
    assert len(found.shown[0]) <= 260
    assert found.shown[0].endswith("words.")
    assert found.shown[0].count("<strong>") == found.shown[0].count("</strong>") == 1
    assert found.hidden == found.paragraphs
    assert len(found.paragraphs) == 3
    short = section("a", "Name", "What?", ["One.", "Two."], [])
    assert (short.shown, short.hidden) == (("One.", "Two."), ())
    assert section("a", "Name", "What?", ["Footnote: x.", "One."], []).shown == ("One.",)


def test_the_title_of_a_section_is_its_finding():
    assert section("a", "Name", "What?", [], [], "`x` wins.").title == "<code>x</code> wins."
    assert section("a", "Name", "What?", [], []).title == "Name"


def test_the_first_picture_leads_and_nothing_is_lost():
    found = section("a", "Name", "What?", [], [TABLE, PICTURE, Item("empty", "", ())])
    assert found.items == (TABLE, PICTURE)
    assert found.lead is PICTURE
    assert found.others == (TABLE,)
    assert section("a", "Name", "What?", [], [TABLE]).lead is None
