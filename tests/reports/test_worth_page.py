"""The page of worth: planted truths are told apart, the sentence names whose games it is about, and names hide nothing."""

import numpy as np
import pandas as pd
import pytest
from strozzi_sim.reports.worth import worth_answer, worth_section
from strozzi_sim.studies.results import load_results
from strozzi_sim.studies.worth import SMALL, WORTH, ranked, verdicts

import strozzi_sim as ss
from declared import domain, marks, panels
from page_text import assert_stands_alone, text_of
from strozzi_games import STROZZI
from strozzi_sim.cli.app import run
from strozzi_sim.report.painter import Painter

COLUMNS = ["players", "variant", "lineup", "thing", "agent", "figure", "value", "low", "high", "n", "deals"]
POPULAR, SOLID = "thing:popular", "thing:solid"


def rows(thing, used, naive, lost, agent="planted", players=3, half_width=0.005, **widths):
    """The rows of a thing: how often it is used, the wins of its users, and the wins lost without it."""
    figures = {"popularity": used, "naive_win_share": naive, "win_share_lost": lost, "score_lost": 10 * lost}
    return [
        (players, "base", agent, thing, agent, figure, value, value - half, value + half, 30_000, 10_000)
        for figure, value in figures.items()
        for half in [widths.get(figure, half_width)]
    ]


def worth_table(*things):
    return pd.DataFrame([row for thing in things for row in thing], columns=COLUMNS)


@pytest.fixture
def planted():
    """Winners take the popular thing, which is worth nothing; the solid one is worth ten points."""
    return worth_table(rows(POPULAR, 0.8, 0.45, 0.001), rows(SOLID, 0.3, 0.34, 0.1))


class Album(Painter):
    """Keep declarations by name; draw nothing."""

    def __init__(self):
        super().__init__()
        self.declared = {}

    def paint(self, declared, name, title):
        self.declared[name] = declared
        return super().paint(declared, name, title)


def section_of(table, effect=0.01):
    painter = Album()
    return worth_section({"report": {"effect": effect}}, {"worth": table}, STROZZI, painter), painter.declared


def test_a_popular_thing_that_is_worth_nothing_is_told_from_one_worth_having(planted):
    lines = {line["thing"]: line for line in verdicts(planted, 0.01)}
    assert (lines[POPULAR]["verdict"], lines[POPULAR]["misleads"]) == (SMALL, True)
    assert (lines[SOLID]["verdict"], lines[SOLID]["misleads"]) == (WORTH, False)
    (declared,) = section_of(planted)[1].values()
    dots = {mark["name"]: mark for mark in marks(declared.wide)}
    names = [name for name, *_ in declared.legend]
    assert (dots[POPULAR]["series"], dots[SOLID]["series"]) == (names[1], names[0])
    assert "mislead" in names[1]
    assert len(set(zip(*[[each[k] for each in declared.legend] for k in (1, 2)], strict=True))) == 4
    assert (dots[POPULAR]["at"], dots[POPULAR]["value"]) == (pytest.approx(80), pytest.approx(0.1))
    (honest,) = section_of(worth_table(rows(POPULAR, 0.8, 0.45, 0.2), rows(SOLID, 0.3, 0.34, 0.1)))[1].values()
    assert {mark["series"] for mark in marks(honest.wide)} == {names[0]}


def test_the_answer_is_short_and_of_the_agent(planted):
    answer = worth_answer({"worth": planted}, 0.01, STROZZI)
    assert (
        answer.verdict
        == "thing:solid is worth most to planted at 3 players of Strozzi; 1 of 2 things is too small to matter."
    )
    assert "the wins of users mislead about thing:popular" in answer.detail
    assert [(number.value, number.half_width) for number in answer.numbers] == [
        ("10.0", "0.5"),
        ("0.1", "0.5"),
        ("1.0", "0.1"),
    ]
    nothing = worth_answer({"worth": worth_table(rows(POPULAR, 0.8, 0.45, 0.001))}, 0.01, STROZZI)
    assert nothing.verdict.startswith("thing:popular is not known to be worth having to planted")


def test_what_is_not_known_to_matter_says_how_much_could_be_missed():
    wide = {"half_width": 0.05}
    unclear = worth_table(rows(POPULAR, 0.8, 0.45, 0.01, **wide), rows(SOLID, 0.3, 0.34, 0.1))
    said = str(section_of(unclear)[0].paragraphs[0])
    assert "1 of 2 things is unclear (a worth or a cost of up to 6.0 points could be missed)" in said
    nothing = worth_answer({"worth": worth_table(rows(POPULAR, 0.8, 0.45, 0.01, **wide))}, 0.01, STROZZI)
    assert nothing.verdict.endswith("at 3 players of Strozzi: a worth of up to 6.0 points could be missed.")


def test_the_sentence_names_the_games_the_best_thing_and_what_misleads(planted):
    found, _ = section_of(planted)
    said, title = str(found.paragraphs[0]), found.items[0].title
    assert said.startswith("<strong>3 players (planted).</strong> Without <code>thing:solid</code> an agent wins 10.0")
    assert "points less (30,000 games)" in said
    assert "1 of 2 things is too small to matter" in said
    assert "Wins of users mislead: users of <code>thing:popular</code> win 45.0" in said
    assert title.startswith("In the games of planted at 3 players, thing:solid is worth most (10.0")
    assert title.endswith("1 of 2 things is too small to matter; the wins of users mislead about thing:popular")


def test_only_what_is_known_to_be_small_is_said_to_be_small():
    """A thing that is unclear is never said to be worth nothing, and every sentence has the same words for it."""
    table = worth_table(
        rows(POPULAR, 0.8, 0.34, 0.001), rows(SOLID, 0.3, 0.34, 0.1), rows("wide", 0.3, 0.34, 0.008, half_width=0.02)
    )
    found, _ = section_of(table)
    answer = worth_answer({"worth": table}, 0.01, STROZZI)
    for said in (answer.verdict, answer.detail, str(found.paragraphs[0]), found.items[0].title):
        assert "1 of 3 things is too small to matter" in said
        assert "1 of 3 things is unclear" in said
        assert "next to nothing" not in said
        assert "not known to matter" not in said
    (declared,) = section_of(table)[1].values()
    names = [name for name, *_ in declared.legend]
    assert {mark["name"]: names.index(mark["series"]) for mark in marks(declared.wide)} == {
        SOLID: 0,
        POPULAR: 1,
        "wide": 3,
    }


def test_small_things_are_judged_together():
    """Of ninety things as large as the effect, the intervals of some are inside it by chance: none is called small."""
    rng = np.random.default_rng(5)
    lost = rng.normal(0.01, 0.001, (20, 90))
    tables = [
        worth_table(*(rows(f"t{k}", 0.5, 1 / 3, each, half_width=0.002) for k, each in enumerate(one))) for one in lost
    ]
    small = [sum(line["verdict"] == SMALL for line in verdicts(table, 0.01)) for table in tables]
    assert (lost + 0.002 < 0.01).sum() > 20
    assert sum(each > 0 for each in small) <= 3


def test_where_hardly_a_win_is_left_the_score_decides():
    """Three flags cost all wins: order and headline are those of the score, with what may be as much by score."""

    def flag(name, lost, score, half_width=0.5):
        own = rows(name, 0.99, 0.25, lost, players=4, half_width=0.0005)
        return [
            (*row[:6], score, score - half_width, score + half_width, *row[9:]) if row[5] == "score_lost" else row
            for row in own
        ]

    table = worth_table(
        flag("plus_one", 0.25, 76.0), flag("pirate", 0.249, 96.9), flag("ware", 0.2499, 92.1), flag("port", 0.2, 200.0)
    )
    assert [line["thing"] for line in ranked(verdicts(table, 0.01))] == ["pirate", "ware", "plus_one", "port"]
    answer = worth_answer({"worth": table}, 0.01, STROZZI)
    assert answer.verdict.startswith("pirate is worth most")
    assert "96.9" in answer.detail.partition(" points of score;")[0]
    assert "without it an agent hardly wins a game, and likewise without ware and plus_one" in answer.detail
    assert "may be worth as much" not in answer.detail
    assert [(number.value, number.what.split(",")[0]) for number in answer.numbers] == [
        ("96.9", "points of score lost without pirate"), ("92.1", "points of score lost without ware"),
        ("24.9", "points of games won"),
    ]  # fmt: skip
    found, _ = section_of(table)
    assert "Without <code>pirate</code> an agent scores 96.9" in str(found.paragraphs[0])
    assert [keys[0] for keys, _ in found.items[1].parts[0].table.rows] == ["pirate", "ware", "plus_one", "port"]
    near = worth_table(flag("pirate", 0.2495, 96.9, 3), flag("ware", 0.2499, 95.1, 3))
    assert "ware may be worth as much" in worth_answer({"worth": near}, 0.01, STROZZI).detail


def test_the_table_says_what_a_use_is_counted_of():
    table = worth_table(
        rows("flag:pirate", 0.99, 0.33, 0.3), rows("tile:T01", 0.2, 0.33, 0.0), rows("gold:any", 0.2, 0.33, 0.0)
    )
    lines = {keys[0]: cells for keys, cells in section_of(table)[0].items[1].parts[0].table.rows}
    assert {thing: cells[5].text for thing, cells in lines.items()} == {
        "flag:pirate": "rounds", "tile:T01": "games", "gold:any": ""
    }  # fmt: skip


def test_the_section_says_where_it_holds_and_what_is_as_good():
    table = worth_table(
        rows("a", 0.2, 0.25, 0.10, players=4), rows("b", 0.2, 0.25, 0.095, players=4), rows("c", 0.2, 0.25, 0.0, players=4),
        rows("a", 0.2, 0.33, 0.0), rows("a", 0.2, 0.25, -0.04, agent="other", players=4),
    )  # fmt: skip
    sentences = [str(sentence) for sentence in section_of(table)[0].paragraphs]
    (planted,) = [sentence for sentence in sentences if "4 players (planted)" in sentence]
    assert "Without <code>a</code> an agent wins 10.0" in planted
    assert "<code>b</code>" in planted
    assert "Without <code>c</code>" not in planted
    assert any("Without <code>a</code> it wins 4.0" in sentence and "(other)" in sentence for sentence in sentences)


def test_the_title_is_about_the_strongest_agent():
    table = worth_table(rows("a", 0.2, 0.33, 0.1, agent="heuristic"), rows("a", 0.2, 0.33, 0.02, agent="random"))
    assert "In the games of heuristic at 3 players" in section_of(table)[0].items[0].title
    turned = worth_table(rows("a", 0.2, 0.33, 0.02, agent="random"), rows("a", 0.2, 0.33, 0.1, agent="heuristic"))
    assert "In the games of heuristic at 3 players" in section_of(turned)[0].items[0].title


def test_popularity_naive_and_causal_stand_beside_each_other(planted):
    found, _ = section_of(planted)
    table = found.items[1].parts[0].table
    assert [label.split(":")[0] for label, _ in table.columns[:3]] == ["popularity", "naive", "causal"]
    lines = {keys[0]: cells for keys, cells in table.rows}
    assert list(lines) == [SOLID, POPULAR]  # the most valuable first
    assert [cell.text for cell in lines[POPULAR][:3]] == ["80.0", "45.0", "0.1"]
    assert all(cell.half_width for cell in lines[POPULAR][:3])
    assert lines[POPULAR][4].text == "too small to matter (!)"
    assert lines[SOLID][4].text == "worth having"


def test_naive_shares_are_judged_together():
    """Of thirty naive shares one is off by chance: its own interval excludes the fair share, all of them together do not."""
    thing = rows("off", 0.5, 1 / 3 + 0.0055, 0.0)
    alone = next(iter(verdicts(worth_table(thing), 0.01)))
    assert alone["misleads"]
    many = worth_table(thing, *(rows(f"thing:{k}", 0.5, 1 / 3, 0.0) for k in range(30)))
    assert not any(line["misleads"] for line in verdicts(many, 0.01))


def test_a_thing_whose_use_is_not_counted_has_a_note_and_a_line(planted):
    unknown = [row for row in rows("silent", 0.5, 0.4, 0.05) if "_lost" in row[5]]
    found, _ = section_of(pd.concat([planted, worth_table(unknown)]))
    assert [part.note for part in found.items[0].parts if "silent" in part.note]
    (cells,) = [cells for keys, cells in found.items[1].parts[0].table.rows if keys == ("silent",)]
    assert cells[:2] == (None, None)
    assert cells[2].text == "5.0"
    only, drawn = section_of(worth_table(unknown))
    assert [item.anchor for item in only.items] == [""]  # the table alone
    assert not drawn


def test_agents_share_one_scale():
    table = worth_table(rows("a", 0.9, 0.33, 0.3), rows("a", 0.1, 0.33, 0.01, agent="other"))
    _, drawn = section_of(table)
    assert sorted(drawn) == ["worth--0-planted", "worth--1-other"]
    ends = [(domain(*panels(declared.wide), "x"), domain(*panels(declared.wide), "y")) for declared in drawn.values()]
    assert ends[0] == ends[1]
    assert ends[0][0][1] > 90


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("worth") / "r"
    assert run(["worth", "strozzi", "flag:*", "--players", "3", "--agents", "random,greedy", "--deals", "40", "--out",
                str(folder), "--workers", "1"]) == 0  # fmt: skip
    return folder


def test_the_command_writes_a_page_that_stands_alone(played, capsys):
    page = (played / "report.html").read_text()
    assert_stands_alone(page)
    assert sorted(file.name for file in (played / "figures").iterdir()) == [
        f"worth--{k}-{agent}.{kind}" for k, agent in enumerate(["random", "greedy"]) for kind in ("png", "svg")
    ]
    text = text_of(page)
    assert "3 things, each forbidden to one agent among copies of itself (random and greedy), 40 deals each" in text
    assert "greedy~flag:pirate" not in text  # the line-ups are how it is measured, not what it is about
    assert run(["report", str(played)]) == 0
    assert "report: " in capsys.readouterr().out
    assert (played / "report.html").read_text() == page


def test_results_have_the_picture_and_the_finding(played):
    results = load_results(played)
    assert results.pictures == ["worth"]
    assert len(results.plot().figures) == 2
    verdict, detail = results.findings
    assert "at 3 players of Strozzi" in verdict
    assert detail.startswith("In the games of random at 3 players, ")
    assert {"thing", "agent"} <= set(results.spreadsheet(played.parent / "sheets").joinpath("worth.csv").read_text().split("\n")[0].split(","))  # fmt: skip


def test_results_in_memory_have_a_page_too(tmp_path):
    found = ss.worth("strozzi", "flag:ware", players=3, agents="random", deals=20)
    assert found.report(tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
