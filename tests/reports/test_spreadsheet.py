"""The tables for a spreadsheet: one a question, plain names, rounded, explained, and never run as a formula."""

import csv
import io

import pandas as pd
import pytest
from strozzi_sim.studies.results import load_results

import strozzi_sim as ss
from strozzi_sim.cli import app
from strozzi_sim.errors import InputError, StorageError
from strozzi_sim.report.spreadsheet import COLUMNS, csv_files, sheets, workbook

EVIL = ("=HYPERLINK(1)", "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1")


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("medici_vs_strozzi", "strasbourg")]


@pytest.fixture(scope="module", params=["strozzi", *SLOW])
def results(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("spreadsheet") / "results"
    return ss.simulate(request.param, agents=["random"], deals=60, folder=folder)


def test_every_table_has_sheets_with_plain_unique_columns_that_are_explained(results):
    found = sheets(results.manifest, results.tables, results.game)
    about = found[COLUMNS]
    for name, table in results.tables.items():
        own = [title for title in found if title == name or title.startswith(f"{name.replace('_', ' ')} by ")]
        assert bool(own) == bool(len(table)), name
    for title, sheet in found.items():
        assert sheet.columns.is_unique
        assert not any("_" in column for column in sheet.columns if column.endswith(("(low)", "(high)"))), title
        if title != COLUMNS:
            assert list(about[about["sheet"] == title]["column"]) == list(sheet.columns)
            assert (about[about["sheet"] == title]["what it is"] != "").all()


def test_figures_are_those_of_the_tables(results):
    seats = results.tables["seats"].query("figure == 'win_share'").reset_index()
    sheet = sheets(results.manifest, results.tables, results.game)["seats"]
    assert (sheet["games won, %"] - 100 * seats["value"]).abs().max() <= 5
    assert list(sheet["n"]) == list(seats["n"])


def test_a_folder_of_csv_and_a_workbook_are_written_and_written_again(results):
    folder = results.spreadsheet()
    assert folder == results.folder / "spreadsheet"
    written = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert "columns.csv" in written
    assert {path.name: path.read_bytes() for path in results.spreadsheet().iterdir()} == written
    book = pd.read_excel(results.spreadsheet(xlsx=True), sheet_name=None)
    found = sheets(results.manifest, results.tables, results.game)
    assert list(book) == [title[:31] for title in found]
    assert list(book["seats"].columns) == list(found["seats"].columns)
    assert len(book["balance"]) == len(found["balance"])
    assert load_results(results.folder).tables.keys() == results.tables.keys()


def test_nothing_of_the_user_is_replaced(results, tmp_path):
    path = tmp_path / "mine.xlsx"
    path.write_text("mine")
    with pytest.raises(InputError, match="exists; choose another name"):
        results.spreadsheet(path, xlsx=True)
    assert path.read_text() == "mine"
    assert results.spreadsheet(tmp_path / "new").is_dir()
    other = ss.simulate(results.game, agents=["random"], deals=20, folder=tmp_path / "other")
    (tmp_path / "other/spreadsheet").mkdir()
    (tmp_path / "other/spreadsheet/seats.csv").write_text("mine")
    with pytest.raises(StorageError, match="was not written by a run"):
        other.spreadsheet()
    assert (tmp_path / "other/spreadsheet/seats.csv").read_text() == "mine"


def test_no_text_is_a_formula(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    found = {"evil": pd.DataFrame({"agent": EVIL, "=1+1": range(len(EVIL))})}
    written = io.StringIO(csv_files(found)["evil.csv"].decode(), newline="")
    assert [line[0] for line in csv.reader(written)] == ["agent", *(f"'{text}".replace("\r", " ") for text in EVIL)]
    path = tmp_path / "evil.xlsx"
    path.write_bytes(workbook(found))
    page = openpyxl.load_workbook(path)["evil"]
    cells = [cell for row in page.iter_rows() for cell in row if isinstance(cell.value, str)]
    assert len(cells) == len(EVIL) + 2
    assert all(cell.data_type == "s" for cell in cells)


def test_long_names_of_sheets_stay_apart():
    openpyxl = pytest.importorskip("openpyxl")
    long = "score by tracks rules and money of the "
    titles = [long + "first", long + "second", long[:29].upper(), long[:31], "short", "a/b", "a b"]
    found = {title: pd.DataFrame({"value": [k]}) for k, title in enumerate(titles)}
    about = pd.DataFrame([(title, "value", "") for title in titles], columns=["sheet", "column", "what it is"])
    book = openpyxl.load_workbook(io.BytesIO(workbook({**found, COLUMNS: about})))
    *names, _ = book.sheetnames
    assert len({name.lower() for name in names}) == len(titles)
    assert max(map(len, names)) <= 31
    assert [book[name]["A2"].value for name in names] == list(range(len(titles)))
    assert [row[0].value for row in book[COLUMNS].iter_rows(min_row=2)] == names
    assert names[:2] == ["score by tracks rules and money", "score by tracks rules and mon 2"]


def test_the_command(results, capsys):
    folder = str(results.folder)
    assert app.run(["report", folder, "--spreadsheet", "csv"]) == 0
    assert "spreadsheet: " in capsys.readouterr().out
    for wrong in ([folder, "--spreadsheet", "ods"], [folder, folder, "--spreadsheet", "csv"], [f"{folder}/nowhere"]):
        assert app.run(["report", *wrong]) == 2


@pytest.mark.slow
def test_tables_of_other_questions(tmp_path):
    plan = {"name": "swept", "game": "strozzi", "players": [3], "deals": 60, "lineups": [["random"]]}
    for results in (
        ss.sweep(ss.Study(**plan, sweep={"tracks.bonus.7": [0, 5], "tracks.bonus.8": [5, 10]})),
        ss.luck("strozzi", 3, ["heuristic", "greedy", "random"], 60, games=0),
        ss.tournament("strozzi", ["random", "greedy", "heuristic"], 3, 30),
        ss.compare("strozzi", "heuristic", "random", 3, deals=30),
        ss.worth("strozzi", "flag:*", 3, "random", 30),
    ):
        found = sheets(results.manifest, results.tables, results.game)
        assert len(found) > 1
        assert all(len(sheet) for sheet in found.values())
