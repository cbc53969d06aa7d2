"""The page of worth: planted truths are told apart, the sentence names whose games it is about, and names hide nothing."""

import re
from itertools import combinations

import pandas as pd
import pytest
from matplotlib.text import Text

import strozzi_sim as ss
from strozzi_games import STROZZI
from strozzi_sim.cli.app import run
from strozzi_sim.errors import InputError
from strozzi_sim.reports.figures import draw
from strozzi_sim.reports.painter import Painter
from strozzi_sim.reports.style import COLOURS
from strozzi_sim.reports.worth import LOST, USED, Picture, worth_headline, worth_section
from strozzi_sim.studies.database import write_files
from strozzi_sim.studies.outputs import write_tables
from strozzi_sim.studies.results import load_results
from strozzi_sim.studies.worth import SMALL, WORTH, verdicts

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


def section_of(table, effect=0.01):
    painter = Painter()
    return worth_section({"report": {"effect": effect}}, {"worth": table}, STROZZI, painter), painter.drawn


def drawn_as(table, thing):
    """The colour of a thing's dot in the picture."""
    lines = {line["thing"]: line for line in verdicts(table, 0.01)}
    alone = table[table["thing"] == thing].assign(seen="misleads" if lines[thing]["misleads"] else "told")
    picture = Picture("worth", "worth", "scatter", "worth", (USED, LOST), "", x="thing", series="seen", zero=True,
                      series_levels=("told", "misleads", "nothing"))  # fmt: skip
    (axes,) = draw(picture, alone, {}).axes
    return {line.get_color() for line in axes.get_lines() if line.get_marker() != "None" and len(line.get_xdata())}


def test_a_popular_thing_that_is_worth_nothing_is_told_from_one_worth_having(planted):
    lines = {line["thing"]: line for line in verdicts(planted, 0.01)}
    assert (lines[POPULAR]["verdict"], lines[POPULAR]["misleads"]) == (SMALL, True)
    assert (lines[SOLID]["verdict"], lines[SOLID]["misleads"]) == (WORTH, False)
    assert drawn_as(planted, POPULAR) == {COLOURS[1]}
    assert drawn_as(planted, SOLID) == {COLOURS[0]}
    _, drawn = section_of(planted)
    honest, _ = section_of(worth_table(rows(POPULAR, 0.8, 0.45, 0.2), rows(SOLID, 0.3, 0.34, 0.1)))
    ink = COLOURS[1].lower().encode()
    assert drawn["figures/worth.svg"].count(ink) > honest.items[0].parts[0].html.lower().encode().count(ink)


def test_the_sentence_names_the_games_the_best_thing_and_what_misleads(planted):
    found, _ = section_of(planted)
    said, title = str(found.sentences[0]), found.items[0].title
    assert said.startswith("3 players (planted): Without <code>thing:solid</code> an agent wins 10.0")
    assert "points less (30,000 games)" in said
    assert "1 of 2 is not known to matter (1 too small to matter)" in said
    assert "Wins of users mislead: users of <code>thing:popular</code> win 45.0" in said
    assert title.startswith("In the games of planted at 3 players, thing:solid is worth most (10.0")
    assert title.endswith("1 of 2 things is not known to matter; the wins of users mislead about thing:popular")


def test_the_headline_says_where_it_holds_and_what_is_as_good():
    table = worth_table(
        rows("a", 0.2, 0.25, 0.10, players=4), rows("b", 0.2, 0.25, 0.095, players=4), rows("c", 0.2, 0.25, 0.0, players=4),
        rows("a", 0.2, 0.33, 0.0), rows("a", 0.2, 0.25, -0.04, agent="other", players=4),
    )  # fmt: skip
    said = worth_headline({"worth": table}, 0.01)
    assert "In the games of planted at 4 players, `a` is worth most" in said
    assert "`b` may be worth as much" in said
    assert "`c`" not in said
    assert "In the games of other at 4 players, no thing of 1 is known to be worth having" in said
    assert said.endswith("(1 other combination below.)")
    sentences = [str(sentence) for sentence in section_of(table)[0].sentences]
    assert any("Without <code>a</code> it wins 4.0" in sentence and "(other)" in sentence for sentence in sentences)


def test_the_title_is_about_the_strongest_agent():
    table = worth_table(rows("a", 0.2, 0.33, 0.1, agent="heuristic"), rows("a", 0.2, 0.33, 0.02, agent="random"))
    assert "In the games of heuristic at 3 players" in section_of(table)[0].items[0].title
    turned = worth_table(rows("a", 0.2, 0.33, 0.02, agent="random"), rows("a", 0.2, 0.33, 0.1, agent="heuristic"))
    assert "In the games of heuristic at 3 players" in section_of(turned)[0].items[0].title


def test_popularity_naive_and_causal_stand_beside_each_other(planted):
    found, _ = section_of(planted)
    table = found.items[1].parts[0].table
    assert [column.split(":")[0] for column in table.columns[:3]] == ["popularity", "naive", "causal"]
    lines = {line.label: line.cells for line in table.rows}
    assert list(lines) == [SOLID, POPULAR]  # the most valuable first
    assert [cell.value for cell in lines[POPULAR][:3]] == ["80.0", "45.0", "0.1"]
    assert all(cell.half_width for cell in lines[POPULAR][:3])
    assert lines[POPULAR][4].value == "too small to matter (!)"
    assert lines[SOLID][4].value == "worth having"


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
    line = next(line for line in found.items[1].parts[0].table.rows if line.label == "silent")
    assert line.cells[:2] == (None, None)
    only, drawn = section_of(worth_table(unknown))
    assert [item.anchor for item in only.items] == [""]  # the table alone
    assert not drawn


def test_names_hide_neither_dots_nor_each_other():
    crowd = [rows(f"thing:{k}", 0.03 + 0.004 * (k % 7), 0.33, 0.02 * (k % 5), half_width=0.02) for k in range(30)]
    table = worth_table(*crowd, rows("far", 0.9, 0.33, 0.3)).assign(seen="told")
    picture = Picture("worth", "worth", "scatter", "worth", (USED, LOST), "", x="thing", series="seen", zero=True,
                      series_levels=("told", "misleads", "nothing"))  # fmt: skip
    drawing = draw(picture, table, {})
    (axes,) = drawing.axes
    renderer = drawing.canvas.get_renderer()
    names = [text for text in axes.texts if text.get_text()]
    boxes = [_of_text(text, renderer) for text in names]
    assert "far" in {text.get_text() for text in names}
    assert len(boxes) > 8
    assert not any(one.overlaps(two) for one, two in combinations(boxes, 2))
    dots = axes.transData.transform(
        [[one["value"].iloc[0], two["value"].iloc[0]] for one, two in _both(table)]
    )  # fmt: skip
    assert not any(box.contains(*dot) for box in boxes for dot in dots)


def _of_text(text, renderer):
    """What an annotation's letters cover, without its line."""
    text.update_positions(renderer)
    return Text.get_window_extent(text, renderer)


def _both(table):
    for _, own in table.groupby("thing"):
        yield own[own["figure"] == "popularity"], own[own["figure"] == "win_share_lost"]


def test_agents_share_one_scale(tmp_path):
    table = worth_table(rows("a", 0.9, 0.33, 0.3), rows("a", 0.1, 0.33, 0.01, agent="other"))
    _, drawn = section_of(table)
    labels = [
        re.findall(r">([\d\N{MINUS SIGN}]+(?: %)?)</text>", drawn[f"figures/worth--{k}-{agent}.svg"].decode())
        for k, agent in enumerate(["planted", "other"])
    ]
    assert labels[0] == labels[1]
    assert labels[0]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("worth") / "r"
    assert run(["worth", "strozzi", "flag:*", "--players", "3", "--agents", "random,greedy", "--deals", "40", "--out",
                str(folder), "--workers", "1"]) == 0  # fmt: skip
    return folder


def text_of(page):
    text = re.sub(r"<(svg|style).*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def test_the_command_writes_a_page_that_stands_alone(played, capsys):
    page = (played / "report.html").read_text()
    assert not re.search(r'(src|href)="(?!#)', page)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)
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
    assert results.findings[0].startswith("In the games of random at 3 players, ")
    assert {"thing", "agent"} <= set(results.spreadsheet(played.parent / "sheets").joinpath("worth.csv").read_text().split("\n")[0].split(","))  # fmt: skip


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda table: table.assign(thing=table["thing"].replace("flag:ware", "flag:gold")), "has no 'flag:gold'"),
        (lambda table: table[table["figure"] != "score_lost"], "'score_lost' of players 3"),
        (lambda table: table.drop(columns="agent"), "columns must be"),
        (lambda table: table.iloc[:0], "has no rows"),
    ],
)
def test_a_table_that_no_run_writes_is_refused(played, tmp_path, change, named):
    from shutil import copytree

    forged = copytree(played, tmp_path / "forged")
    with write_files(forged) as files:
        write_tables(files, {"worth": change(load_results(played).tables["worth"])})
    with pytest.raises(InputError, match=named):
        load_results(forged)


def test_results_in_memory_have_a_page_too(tmp_path):
    found = ss.worth("strozzi", "flag:ware", players=3, agents="random", deals=20)
    assert found.report(tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
