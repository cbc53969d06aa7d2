"""The page of every kind of study: it is whole, needs nothing but itself, and its words are those of the tables."""

import base64
import json
import re
import tomllib
import zlib
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from types import SimpleNamespace

import msgspec
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

import strozzi_sim as ss
from needed import need
from page_text import assert_stands_alone, text_of
from strozzi_sim.cli.app import run as command
from strozzi_sim.cli.show import _changes, table_text
from strozzi_sim.declare import pages
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.report_file import ReportFile
from strozzi_sim.errors import ArgumentError, InputError, StorageError
from strozzi_sim.facts.blocks import Block, amounts, of_unit, ratios, shares
from strozzi_sim.facts.figures import WIN_SHARE
from strozzi_sim.pictures.ink import MOST_SCENARIOS, WIDE
from strozzi_sim.report import write
from strozzi_sim.report.outline import Outline
from strozzi_sim.report.write import content, definitions_of
from strozzi_sim.study.beside import side_by_side
from strozzi_sim.study.cells import minus_position_0, without_luck
from strozzi_sim.study.folders import load_results, study_of
from strozzi_sim.study.kinds import kind_named
from strozzi_sim.study.results import Frames
from strozzi_sim.study.verdict import MOST_WORDS, word_count
from study_examples import EXAMPLES, KEYS

HEAT = "heat_flag_by_sail"


def played(keys, folder=None):
    study, look = study_of(keys)
    return ss.run(study, folder, look=look, workers=1, progress=False)


@pytest.fixture(scope="module")
def results():
    return played(KEYS | {"heatmaps": ["flag-by-sail"], "explorer": True, "deals": 240})


@pytest.fixture(scope="module")
def page(results, tmp_path_factory):
    return results.report(tmp_path_factory.mktemp("page") / "page.html").read_text("utf-8")


class Parser(HTMLParser):
    """Checks that what opens is closed; collects the names of pictures."""

    EMPTY = frozenset({"meta", "br", "img", "link", "hr", "input"})

    def __init__(self, page):
        super().__init__()
        self.open, self.pictures = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        if "link svg" in dict(attributes).get("class", ""):
            self.pictures.append(dict(attributes)["data-name"])
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag


def assert_explained(about, *files):
    """Check that the first file of a spreadsheet explains every column of the others, and lines that are figures."""
    explained = pd.read_csv(about)
    assert not explained["meaning"].isna().any()
    assert not [text for text in explained["meaning"] if re.search(r"rows of|sum of| / |[a-z]_[a-z]", text)]
    for file in files:
        sheet, own = pd.read_csv(file), set(explained.loc[explained["sheet"] == file.stem, "heading"].dropna())
        assert own >= {column for column in sheet if not re.search(r" \((low|high|n)\)$", column)}
        if any(heading.startswith("figure: ") for heading in own):
            assert own >= {f"figure: {name}" for name in sheet["figure"]}


@pytest.mark.slow_for(
    "balance", "compare_agents", "compare_variants", "sweep", "luck", "leak_check", "exploit", "our_table"
)
@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_kind_has_a_whole_page_that_begins_with_its_verdict(kind, tmp_path):
    found = played(KEYS | {"kind": kind, "deals": 60} | EXAMPLES[kind])
    text = found.report(tmp_path / "page.html").read_text("utf-8")
    assert Parser(text).open == []
    assert_stands_alone(text)
    assert_explained(*found.spreadsheet("csv", tmp_path / "sheets"))
    title = re.search(r'<h1 id="verdict">(.*?)</h1>', text, re.DOTALL)[1]
    assert unescape(re.sub("<[^>]+>", "", title)).replace("\N{NARROW NO-BREAK SPACE}%", " %") == found.verdict.answer.replace("\N{NARROW NO-BREAK SPACE}%", " %")  # fmt: skip
    assert word_count(found.verdict.answer) <= MOST_WORDS
    screen = re.split("<figure|</section", text.partition('<h1 id="verdict">')[2])[0]
    screen = re.sub('<p class="dek printed">.*?</p>', "", screen)  # on paper only
    first_words = unescape(re.sub("<[^>]+>", " ", screen))
    alarms = " ".join(alarm.text for alarm in found.alarms)
    assert word_count(first_words) - word_count(alarms) <= 45 or kind == "leak_check"  # which has no picture
    answer = f"{found.verdict.answer} {found.verdict.subject}"
    code_words = re.findall(r"\w*_\w*|\w+=\S+|\b\w+(?:\.\w+)+\b(?<!\d)|seat \d|\w+:\w+", answer)
    assert code_words == []
    if kind != "leak_check":
        assert "<svg" in text
        fewest = (
            0 if kind == "luck" else 1
        )  # all its deals end alike, and a share without an interval is no number of the page
        assert fewest <= text.count("<dt>") - text.count("<div><dt>") + text.count("<b>") <= 3
        assert found.plot().figures
    assert " nan" not in text_of(text).lower()
    assert "Read with care:" in text
    assert found.study.hash in text


def test_a_page_names_each_player_and_says_once_what_is_known_of_it():
    keys = {"game": "strozzi", "players": [3], "deals": 40, "lineups": [["heuristic", "random", "random"]]}
    outline = Outline(played(keys))
    (random, sentence), (usual, known) = [(name, words) for name, _, words in outline.players]
    assert (random, usual) == ("random moves", "usual")
    assert sentence == "Plays any legal action with equal probability."
    assert known == outline.results.study.the_game.tier_notes["usual"].sentence
    said = content(outline)
    shown = [said.verdict, said.caveat, said.plan, *(number.what for number in said.numbers), *outline.words().values()]
    assert not re.search("heuristic|(?<!at )random(?! moves)", " ".join(shown))


@pytest.mark.slow
def test_the_page_says_what_was_played_and_how_to_again(results, tmp_path):
    odd = replace(results, about={"command": "strozzi run <a & b>.toml", "versions": {"numpy": "2"}}, interrupted="stopped after 3 <b> chunks")  # fmt: skip
    text = odd.report(tmp_path / "page.html").read_text("utf-8")
    assert "strozzi run &lt;a &amp; b&gt;.toml" in text
    assert "stopped after 3 &lt;b&gt; chunks" in text
    assert "Strozzi at 3 and 4 players, played by random moves: 240 deals for each, 480 games in all." in text_of(text)
    assert "29 ship cards" in text  # which no source gives


@pytest.mark.parametrize("game", ["strozzi", "medici_vs_strozzi", "strasbourg"])
def test_results_that_are_read_again_name_what_is_reconstructed(game):
    for name in ("base", {"strozzi": "long-tracks", "medici_vs_strozzi": "long", "strasbourg": "small-city"}[game]):
        study = ss.Study.of(game=game, lineups=[["random"]], variants=[name], deals=2)
        again = kind_named("balance").shown(msgspec.json.decode(study.json))
        assert again.variant_of[name].reconstructed == study.variant_of[name].reconstructed != ()


@pytest.mark.slow
def test_every_mark_of_a_picture_says_its_sentence_which_stands_there_once(page):
    marks = json.loads(zlib.decompress(base64.b64decode(re.search(r'id="marks">([^<]+)<', page)[1]), -15))
    pictures = Parser(page).pictures
    assert len(pictures) == len(set(pictures)) > 5
    assert set(pictures) == set(marks)
    assert all(own["columns"][-1] == "tip" for own in marks.values())
    seen = 0
    for figure in re.findall(r'<figure class="picture.*?</figure>', page, re.DOTALL):
        name = re.search(r'data-name="([^"]+)"', figure)[1]
        tips = [row[-1] for row in marks[name]["rows"]]
        for drawing in re.findall(r"<svg viewBox=.0 0 [^>]* role=.*?</svg>", figure, re.DOTALL):
            assert {tips[int(number)] for number in re.findall(r'data-m="(\d+)"', drawing)} == set(tips)
            seen += drawing.count("data-m=")
        assert not any(tip in figure for tip in tips)
    assert seen > 50


@pytest.fixture(scope="module")
def made(results):
    return content(Outline(results))


def test_the_first_screen_has_a_picture_and_three_numbers(results, made):
    assert [item.anchor for item in made.hero] == ["item-seats"]
    above, below, margin = made.numbers
    assert (above.value[0], below.value[0]) == ("+", "\N{MINUS SIGN}")
    assert all(each.interval for each in (above, below, margin))
    assert "seats" not in {item.anchor for section in made.sections for item in section.items}
    questions = [section.question for section in made.sections]
    assert len(questions) == len(set(questions)) == 1 + len(report_of(results.study.the_game).pages)


@pytest.mark.slow
def test_a_page_says_once_that_the_lowest_score_wins(results, made, monkeypatch):
    said = "The lowest score wins"
    assert said not in made.caveats
    monkeypatch.setitem(vars(results.study.the_game), "lowest_wins", True)
    assert content(Outline(results)).caveats.count(said) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("why", "cells"),
    [("every cell has too few events (at most 12) for a value", {"value": np.nan, "low": np.nan, "high": np.nan, "n": 12}),
     ("nothing that it counts happened", {"value": np.nan, "low": np.nan, "high": np.nan, "n": 0})],
)  # fmt: skip
def test_a_heat_map_is_shown_or_the_page_says_why_not(results, made, why, cells):
    empty = replace(results, tables=Frames({**results.tables, HEAT: results.tables[HEAT].assign(**cells)}))
    (item,) = content(Outline(empty)).sections[-1].items
    assert why in item.notes[0]
    (item,) = made.sections[-1].items
    assert item.kind == "heat"


@pytest.mark.slow
def test_the_n_of_a_heat_map_without_values_is_that_of_its_own_figure(results):
    (shown,) = Outline(results).sections[-1].shown
    table = results.tables[HEAT]
    own = table["figure"] == shown.figure.name
    table = table.assign(value=table["value"].mask(own), n=np.where(own, 12, 500))
    (item,) = content(Outline(replace(results, tables=Frames({**results.tables, HEAT: table})))).sections[-1].items
    assert "too few events (at most 12) for a value" in item.notes[0]


@pytest.mark.slow
def test_a_page_names_the_tables_of_a_results_folder_alone(results, made, tmp_path):
    assert (results.folder, made.tables) == (None, ())
    kept = content(Outline(replace(results, folder=tmp_path)))
    assert kept.tables == sorted(results.tables)


def test_a_picture_that_lacks_variants_and_line_ups_says_so(results, tmp_path):
    many = [results.tables["seats"].assign(variant=f"variant-{k}") for k in range(MOST_SCENARIOS + 1)]
    for folder, said in ((None, "The first 12 of 13."), (tmp_path, "The first 12 of 13; `tables/seats.csv` has all.")):
        outline = Outline(replace(results, folder=folder))
        outline.tables["seats"] = pd.concat(many, ignore_index=True)
        assert write._item(outline, outline.sections[0], outline.hero, WIDE).left_out == said


@pytest.mark.slow
def test_a_figure_that_a_table_lacks_is_named(results):
    table = results.tables["seats"]
    lacks = replace(results, tables=Frames({**results.tables, "seats": table[table["figure"] != "rank_mean"]}))
    notes = [note for section in content(Outline(lacks)).sections for item in section.items for note in item.notes]
    assert any("unknown figure 'rank_mean'" in note for note in notes)


@pytest.mark.slow
def test_another_file_is_not_overwritten(results, tmp_path):
    (tmp_path / "mine.html").write_text("mine")
    with pytest.raises(InputError, match="is not a report page of strozzi-sim"):
        results.report(tmp_path / "mine.html")
    for name, save in (
        ("mine.png", results.plot("seats").save),
        ("mine.xlsx", lambda file, **given: results.spreadsheet("xlsx", file, **given)),
        ("sheets/about.csv", lambda file, **given: results.spreadsheet("csv", file.parent, **given)),
    ):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("mine")
        with pytest.raises(InputError, match=f"{name} exists and is not a .* of strozzi-sim"):
            save(file)
        assert file.read_text() == "mine"
        save(file, overwrite=True)
        save(file)  # now it is of its kind
        assert file.read_bytes() != b"mine"


@pytest.mark.slow
def test_a_picture_of_the_user_s_is_not_overwritten(results, tmp_path):
    picture = tmp_path / "figures" / "seats.svg"
    picture.parent.mkdir()
    picture.write_text("<svg>mine</svg>")
    with pytest.raises(InputError, match=r"seats\.svg exists and is not a picture of strozzi-sim"):
        results.report(tmp_path / "new.html", figures=True)
    assert [path.name for path in picture.parent.iterdir()] == ["seats.svg"]
    results.report(tmp_path / "new.html", figures=True, overwrite=True)
    assert picture.read_text().startswith("<svg xmlns")
    with pytest.raises(InputError, match="path: nothing is kept in a folder"):
        results.report()


@pytest.mark.slow
def test_figures_are_files_if_asked_for_and_in_a_batch_of_heat_maps(tmp_path):
    keys = KEYS | {"heatmaps": ["flag-by-sail"]}
    whole = played(keys | {"pages": ["ports"]}, tmp_path / "whole")
    whole.report()
    assert not (tmp_path / "whole" / "figures").exists()
    load_results(tmp_path / "whole").report(figures=True)
    stems = {file.stem for file in (tmp_path / "whole" / "figures").iterdir()}
    assert {"seats", "heat-flag-by-sail--3-players", "heat-flag-by-sail--4-players"} <= stems
    assert {file.suffix for file in (tmp_path / "whole" / "figures").iterdir()} == {".png", ".svg"}
    batch = played(keys | {"pages": []}, tmp_path / "batch").report().parent / "figures"
    names = sorted(file.name for file in batch.iterdir())
    assert names == [f"heat-flag-by-sail--{k}-players.{kind}" for k in (3, 4) for kind in ("png", "svg")]
    same = (batch / names[1]).read_bytes()
    load_results(tmp_path / "batch").report()
    assert (batch / names[1]).read_bytes() == same
    (batch / "a.png").symlink_to("/etc/passwd")
    with pytest.raises(StorageError, match="is a link"):
        load_results(tmp_path / "batch").report()


# Pictures of a user


def test_a_picture_is_drawn_on_given_axes_with_the_figures_of_its_table(results):
    axes = Figure().subplots()
    assert results.plot("seats", ax=axes) is axes
    (dots,) = [each for each in axes.collections if isinstance(each, PathCollection)]
    table = results.tables["seats"].query("players == 4 and figure == 'win_share'")
    assert dots.get_offsets()[:, 1] == pytest.approx(100 * table["value"].to_numpy() - 25)
    assert (axes.get_title("left"), axes.get_ylabel()) == ("4 players", "games won, points from an equal share")
    three = results.plot("seats", ax=Figure().subplots(), players=3)
    assert [text.get_text() for text in three.get_xticklabels()] == ["first", "second", "last"]
    assert results.plot("heat-flag-by-sail", ax=Figure().subplots()).collections
    for name in ("seats", "heat-flag-by-sail"):
        with pytest.raises(ArgumentError, match=r"players: 5: this picture has \[3, 4\]"):
            results.plot(name, ax=Figure().subplots(), players=5)
    with pytest.raises(ArgumentError, match="players: the panels of this picture are not of one player count each"):
        results.plot("scores", ax=Figure().subplots(), players=4)
    with pytest.raises(ArgumentError, match=r"no picture 'seat'.*seats"):
        results.plot("seat")


@pytest.mark.slow
def test_pictures_are_saved_and_shown(results, tmp_path):
    assert results.pictures[0] == "seats"
    for name in ("seats", "heat_flag_by_sail"):
        drawing = results.plot(name)
        assert drawing._repr_png_().startswith(b"\x89PNG")
        (written,) = drawing.save(tmp_path / f"{name}.svg")
        assert b"<svg" in written.read_bytes()
    with pytest.raises(ArgumentError, match="path: must end in"):
        results.plot().save(tmp_path / "a.bmp")


def test_a_picture_without_values_is_refused_before_it_is_shown(results, monkeypatch):
    monkeypatch.setattr(Outline, "parts", lambda *_: iter(()))
    with pytest.raises(ArgumentError, match="name: this picture has no values"):
        results.plot("seats")


def test_every_figure_of_a_page_says_how_it_is_counted(results):
    for name in ("seats", "balance", *report_of(results.study.the_game).pages):
        assert not set(results.tables[name]["figure"]) - definitions_of(results.tables).keys(), name
    known = definitions_of(results.tables)
    assert known["ship_prize_mean"] == "sum of prize / number of rows; rows of ship"
    of_lineup = [minus_position_0(WIN_SHARE).definition, without_luck(minus_position_0(WIN_SHARE)).definition]
    assert of_lineup[0].endswith("counts 1/k for each; less that of position 0, paired by deal")
    assert of_lineup[1].startswith(f"{of_lineup[0]}; less a coefficient, ")


# Several studies, and spreadsheets


@pytest.mark.slow
def test_studies_are_laid_side_by_side(tmp_path, capsys):
    for name, box, page in (("one", "base", "balance"), ("two", "long-tracks", "ports")):
        keys = {"name": name, "players": [3], "pages": [page, "flags"], "variants": [box]}
        played(KEYS | keys, tmp_path / name)
    both = side_by_side([load_results(tmp_path / name) for name in ("one", "two")])
    assert both.verdict.subject.startswith("Changed: the tracks end at space 10 instead of 9 and 4 more changes.")
    assert list(both.tables["seats"]["variant"].unique()) == ["one", "two"]
    assert set(both.tables["changes"]["than"]) == {"one"}
    assert both.look.pages == ("flags",)  # that both have
    assert command(["report", str(tmp_path / "one"), str(tmp_path / "two")]) == 0
    page = tmp_path / "side-by-side.html"  # beside the studies, not in the current folder
    assert capsys.readouterr().out.splitlines()[-1] == f"report: {page}"
    text = page.read_text("utf-8")
    assert "on the same deals" not in text_of(text.partition("<script")[0])
    assert "the deals may differ" in text
    with pytest.raises(InputError, match="needs two or more"):
        side_by_side([both])
    unseated = ss.worth("strozzi", "flag:pirate", players=3, agents="random", deals=12, workers=1, progress=False)
    with pytest.raises(InputError, match=r"^worth-strozzi: has no table `seats`"):
        side_by_side([both, unseated])
    other_game = ss.simulate("medici_vs_strozzi", agents="random", deals=12, workers=1, progress=False)
    with pytest.raises(InputError, match="of different games: strozzi, medici_vs_strozzi"):
        side_by_side([both, other_game])


def test_a_comparison_prints_its_rows_beside_a_page(tmp_path, capsys):
    given = ["compare", "strozzi", "greedy", "random", "--players", "3", "--deals", "12", "--out", str(tmp_path / "r")]
    assert command([*given, "--workers", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = load_results(tmp_path / "r").tables["difference"].query("figure == 'win_share'")
    value = f"{100 * table['value'].iloc[0]:.0f}".replace("-", "\N{MINUS SIGN}")
    assert [line for line in lines if line.startswith("games won") and value in line]
    assert lines[-1] == f"report: {tmp_path / 'r' / 'report.html'}"


@pytest.mark.slow_for("xlsx")
@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_spreadsheet_has_the_tables_of_the_page(results, tmp_path, kind):
    place = tmp_path / ("tables.xlsx" if kind == "xlsx" else "tables")
    files = results.spreadsheet(kind, place)
    if kind == "xlsx":
        book = need("openpyxl").load_workbook(files[0])
        lines = {page.title: [*page.iter_rows(values_only=True)] for page in book}
        sheets = {title: pd.DataFrame(rows[1:], columns=rows[0], dtype=object) for title, rows in lines.items()}
    else:
        assert files[0].name == "about.csv"
        sheets = {file.stem: pd.read_csv(file) for file in files}
        assert not re.search(r"\d\.0\b", (place / "seats-table.csv").read_text())  # whole numbers are whole
    found = sheets["seats-table"]
    table = results.tables["seats"].query("players == 3 and figure == 'win_share'")
    own = found[found["players"] == 3]  # a number
    assert list(own["games won, %"]) == pytest.approx(list(100 * table["value"]), rel=1e-5)
    assert list(own["games won, % (n)"]) == list(table["n"])
    assert list(own["player"]) == ["first player", "second player", "last player"]
    assert list(own.columns[:6]) == ["player", "players", "games won, %", "games won, % (low)", "games won, % (high)", "games won, % (n)"]  # fmt: skip


@pytest.mark.slow
def test_no_text_of_a_spreadsheet_is_run(tmp_path):
    openpyxl = need("openpyxl")
    found = played(KEYS | {"players": [3], "lineups": [["random"]], "deals": 60})
    odd = Frames({**found.tables, "ships": found.tables["ships"].assign(ship="=1+1") if "ships" in found.tables else found.tables["seats"]})  # fmt: skip
    (book,) = replace(found, tables=odd).spreadsheet("xlsx", tmp_path / "a.xlsx")
    for page in openpyxl.load_workbook(book):
        assert not [cell for row in page.iter_rows() for cell in row if cell.data_type == "f"]
    with pytest.raises(ArgumentError, match=r"kind: must be csv or xlsx, got 'ods'"):
        found.spreadsheet("ods")


SPEAKING = ("price_mean", "responder_share", "buyer_win_share", "tile_count", "gap_points", "price_ratio")
SPEAKING_OF_LEVEL = "outcome_{}_share"
OF_LOTS = ("lots", "harbors", "heat_wins")
LOTS_PAGE = """
[figures]
"{5}" = "price per tile"
[pages.lots]
keys = ["tiles"]
[pages.harbors]
keys = ["harbor"]
[pictures.lots-table]
page = "lots"
kind = "table"
title = "Lots"
figures."{0}" = "price"
figures."{1}" = "bought by the other"
figures."{2}" = "won by its buyer"
figures."{3}" = "tiles"
figures."{4}" = "price less fair price"
x = "tiles"
sort = "{0}"
[pictures.lots-prices]
page = "lots"
kind = "intervals"
title = "Prices"
figures = ["{5}"]
x = "tiles"
[pictures.outcomes]
page = "harbors"
kind = "table"
title = "Harbors"
figures."{6}" = "{{}}"
x = "harbor"
[heatmaps.wins]
title = "Wins"
rows = "tiles"
columns = "round"
figure = "{2}"
label = "games won"
"""


def lots_report(game, names):
    """The same report of lots, with these names of its figures."""
    lots = (
        *amounts(**{names[0]: "price"}),
        *shares(**{names[1]: "bought / asked", names[2]: "win"}),
        *of_unit("count", **{names[3]: "tiles"}),
        *of_unit("points", **{names[4]: "capped - bought"}),
        *ratios(**{names[5]: "price / tiles"}),
    )
    outcomes = shares(**{names[6]: "rows along outcome"})
    harbors = Block("harbor", {"harbor": "harbor", "outcome": "outcome"}, outcomes, named="outcome")
    wins = Block("lot", {"row": "tiles", "column": "round"}, (lots[2],))
    code = SimpleNamespace(
        BLOCKS={"lots": (Block("lot", {"tiles": "tiles"}, lots),), "harbors": (harbors,)},
        MAPS={"wins": wins},
        ADD={},
        words=lambda tables, data: {},
        board=None,
    )
    declared = msgspec.convert(tomllib.loads(LOTS_PAGE.format(*names)), ReportFile)
    return pages.Report(game, declared, code, "test")


def unpacked(text):
    return zlib.decompress(base64.b64decode(text), -15).decode()


def said_of_lots(folder, names):
    """Return all that is said of a study whose figures have these names, by place, with the names of figures replaced."""
    keys = {"agents": "random", "deals": 60, "variant": ["base", "long"], "heatmaps": "wins", "workers": 1}
    results = ss.simulate("medici_vs_strozzi", **keys, folder=folder)
    page = results.report().read_text("utf-8")
    said = {
        "page": re.sub(
            r'(<script type="text/plain" id="\w+">)([^<]*)', lambda found: found[1] + unpacked(found[2]), page
        )
    }
    said |= {place.name: place.read_text("utf-8") for place in results.spreadsheet("csv", folder / "sheets")}
    said |= {f"table {name}": table.to_csv(index=False) for name, table in results.tables.items()}
    loaded = load_results(folder)
    said["terminal"] = "\n".join(
        [*_changes(loaded, every=True), *(table_text(each, loaded.tables) for each in OF_LOTS)]
    )
    patterns = {re.escape(name).replace(r"\{\}", "([a-z ]+?)"): k for k, name in enumerate(names)}
    for place, text in said.items():
        plain = re.sub(" +", " ", text.replace("_", " "))  # the terminal shows names as words, in columns
        for pattern, k in patterns.items():
            plain = re.sub(
                rf"\b{pattern.replace('_', ' ')}", lambda match, k=k: f"figure {k}{[*match.groups()]}", plain
            )
        said[place] = plain
    return said


@pytest.mark.slow
def test_nothing_is_guessed_from_the_names_of_figures(tmp_path, monkeypatch):
    """Page, changes, terminal and spreadsheets are the same if figures are called q1, q2, .., as no commit is, but for these names."""
    said = []
    for names in ((*SPEAKING, SPEAKING_OF_LEVEL), ("q1", "q2", "q3", "q4", "q5", "q6", "q7_{}_z")):
        monkeypatch.setattr(pages, "read_report", lambda game, code, names=names: lots_report(game, names))
        pages.report_of.cache_clear()
        said.append(said_of_lots(tmp_path / names[0], names))
    pages.report_of.cache_clear()
    speaking, plain = said
    assert speaking.keys() == plain.keys() > {"page", "terminal", "lots-table.csv", "outcomes.csv", "table figures"}
    for place, text in speaking.items():
        assert text.split("\n") == plain[place].split("\n"), place
    assert " points" in speaking["terminal"]
    assert "bought by the other, %" in speaking["page"]
