"""A results folder made by a stranger: nothing of it runs, and nothing outside it is read, changed or removed.

It names programs, agents' files and networks, notes forged files as written by runs, and has links where runs write.
"""

import csv
import io
import json
import os
import shutil
import sqlite3
import sys
from functools import partial

import msgspec
import pandas as pd
import pytest

import strozzi_sim as ss
from strozzi_sim.agent import files, load_agent
from strozzi_sim.agent.files import only_named
from strozzi_sim.errors import InputError, StorageError, StrozziError
from strozzi_sim.study.files import csv_of
from study_database import execute, list_file
from study_examples import played

KEYS = {"game": "strozzi", "players": [3], "deals": 20, "lineups": [["random"]], "rows": True, "facts": ["round"], "report": {"pages": ["balance"]}}  # fmt: skip
# As a program, it runs when it is started; as agents' file, when it is imported.
EVIL = """#!{python}
from pathlib import Path
Path({ran!r}).touch()
from strozzi_sim.agent import python_agent

@python_agent(name="first")
class First:
    def act(self, view, legal, rng):
        return legal[0]
"""
SPECS = (
    "pipe:program={evil}", "{evil}::first", "network:weights={weights}", "learned:weights={weights}", "onnx_network:file={weights}",
    "ismcts:iterations=3,rollout=(network:weights={weights})", "ismcts:iterations=3,evaluate=(network:weights={weights}),prior=none",
    "ismcts:iterations=3,prior=({evil}::first)", "flat_mc:playouts=1,rollout=({evil}::first)",
)  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    place = tmp_path_factory.mktemp("model")
    played(KEYS, place / "r")
    for part in (1, 2):
        played(KEYS, place / f"part-{part}", part=f"{part}/2")
    return place


@pytest.fixture
def home(model, tmp_path):
    """The user's files; beside them, in `loot`, what the stranger sent."""
    mine = tmp_path / "mine"
    (mine / "keep").mkdir(parents=True)
    for name in ("notes.csv", "notes.html", "keep/notes.csv", "keep/.x.0123456789abcdef.tmp"):
        (mine / name).write_text("mine")
    shutil.copytree(model, tmp_path / "loot")
    for name in ("r", "part-1", "part-2"):
        shutil.copytree(model / name, mine / name)
    evil = tmp_path / "loot" / "evil.py"
    evil.write_text(EVIL.format(python=sys.executable, ran=str(tmp_path / "ran")))
    evil.chmod(0o755)
    (tmp_path / "loot" / "weights.npz").write_bytes(b"PK")
    return tmp_path


def forge(home, names=("r", "part-1", "part-2")):
    """Name a program as the agent of these folders, as if it had played them."""
    spec = load_agent(f"pipe:program={home / 'loot' / 'evil.py'}", "strozzi")
    agents = {
        spec.text: {"values": dict(spec.values), "source": spec.source_digest, "undigested": list(spec.undigested)}
    }
    for name in names:
        folder = home / "loot" / name
        study = json.loads((folder / "study.json").read_bytes()) | {"lineups": [[spec.text]], "agents": agents}
        (folder / "study.json").write_text(json.dumps(study))
        shown = {key: value for key, value in study.items() if key not in ss.Look.__struct_fields__}
        execute(folder, "UPDATE study SET study = ?", json.dumps(shown))


def list_files_of_the_user(home):
    """Note files outside the folder as what runs wrote, each of which is to be removed or replaced."""
    for name in ("tables/../../../mine/notes.csv", "facts/../../../mine/notes.csv", str(home / "mine" / "notes.html")):
        list_file(home / "loot" / "r", name)


def link(*names):
    """Return what puts links to the user's files into a folder, and notes what they lead to as written by runs."""

    def spoil(home):
        for name in names:
            path = home / "loot" / "r" / name
            if path.is_dir():
                shutil.rmtree(path)
            path.parent.mkdir(exist_ok=True)
            path.unlink(missing_ok=True)
            folder = "." not in name
            list_file(home / "loot" / "r", f"{name}/notes.csv" if folder else name)
            path.symlink_to(home / "mine" / ("keep" if folder else "notes.html"))

    spoil.__name__ = f"links at {', '.join(names)}"
    return spoil


LINKS = ["report.html", "study.json", "study.sqlite-wal", "study.sqlite-journal", "tables", "figures", "games", "facts", "spreadsheet", "spreadsheet.xlsx", "spreadsheet/about.csv", "figures/seats.png", "mine"]  # fmt: skip
SPOILED = [forge, list_files_of_the_user, *map(link, LINKS)]


def users(home):
    """Every file outside the stranger's folder: its kind and its content."""
    return {
        str(path.relative_to(home)): (
            state.st_mode,
            path.read_bytes() if path.is_file() and "study.sqlite" not in path.name else b"",
        )
        for path in sorted(home.rglob("*"))
        if not (path.is_relative_to(home / "loot") or path.is_relative_to(home / "out") or "study.sqlite-" in path.name)
        for state in (path.lstat(),)
    }


def openings(home):
    """Yield everything that opens a results folder."""
    loot, mine, out = home / "loot", home / "mine", home / "out"
    yield lambda: played(KEYS, loot / "r")
    yield lambda: played(KEYS, loot / "r", deals=40)
    yield lambda: ss.run(ss.read_study(loot / "r")[0], loot / "r", workers=1)
    yield lambda: ss.load_results(loot / "r").report()
    yield lambda: ss.load_results(loot / "r").report(figures=True, overwrite=True)
    for kind in ("csv", "xlsx"):
        yield partial(lambda kind: ss.load_results(loot / "r").spreadsheet(kind, overwrite=True), kind)
    yield lambda: ss.load_results(loot / "r").games
    yield lambda: ss.load_results(loot / "r").facts("round")
    yield lambda: ss.side_by_side([ss.load_results(each / "r") for each in (loot, mine)]).report(out / "side.html")
    yield lambda: ss.heatmap(loot / "r", rows="seat", columns="round", value="mean coins", fact="round", workers=1)
    yield lambda: ss.merge([loot / "part-1", loot / "part-2"], folder=out / "whole", workers=1)
    yield lambda: ss.merge([mine / "part-1", mine / "part-2"], folder=loot / "r", workers=1)
    yield lambda: ss.simulate("strozzi", players=3, agents="random", deals=20, folder=loot / "r", workers=1)


@pytest.mark.slow_for("links at mine", "links at spreadsheet", "links at spreadsheet.xlsx")
@pytest.mark.slow_for("links at spreadsheet/about.csv")
@pytest.mark.parametrize("spoil", SPOILED, ids=lambda spoil: spoil.__name__)
def test_nothing_runs_and_nothing_outside_changes(spoil, home, monkeypatch):
    spoil(home)
    monkeypatch.setattr(files, "_used", set())  # as in a new process
    monkeypatch.chdir(home)
    before, codes = users(home), []
    for number, opening in enumerate(openings(home)):
        shutil.rmtree(home / "out", ignore_errors=True)
        (home / "out").mkdir()
        try:
            opening()
        except StrozziError as error:
            codes.append(error.exit_code)
        assert users(home) == before, number
        assert not (home / "ran").exists(), number
    assert {2, 4} >= set(codes) > set()


@pytest.mark.parametrize("text", SPECS)
def test_no_file_in_a_spec_string_is_used_unless_the_user_names_it(text, home, monkeypatch):
    monkeypatch.setattr(files, "_used", set())
    evil, weights = home / "loot" / "evil.py", home / "loot" / "weights.npz"
    spec = text.format(evil=evil, weights=weights)
    with (
        only_named([]),
        pytest.raises(
            InputError, match=r"(^|[ (])agent file \S+ is named only by the folder, so it is not used; if you trust it"
        ),
    ):
        load_agent(spec, "strozzi")
    assert not (home / "ran").exists()
    with only_named([evil]), only_named([weights]), pytest.raises(InputError, match="named only by the folder"):
        load_agent(spec, "strozzi")  # an inner block adds nothing
    os.symlink(evil, home / "loot" / "alias.py")
    with only_named([home / "loot" / "alias.py", weights]):
        said = ""
        try:
            load_agent(spec, "strozzi")
        except InputError as error:  # onnxruntime may be missing, weights need not fit; but it was looked at
            said = str(error)
        assert "named only by" not in said


def test_code_that_a_folder_names_runs_only_if_the_user_names_it_too(home, monkeypatch):
    bots = home / "bots.py"
    bots.write_text(EVIL.format(python=sys.executable, ran=str(home / "ran")))
    played({**KEYS, "lineups": [[f"{bots}::first"]]}, home / "own")
    (home / "ran").unlink()
    monkeypatch.setattr(files, "_used", set())  # as in a new process
    with pytest.raises(InputError, match=r"bots\.py.*named only by the folder"):
        ss.heatmap(home / "own", rows="seat", columns="round", value="mean coins", fact="round", workers=1)
    assert ss.load_results(home / "own").verdict.answer  # needs no agent
    assert not (home / "ran").exists()
    found = ss.heatmap(
        home / "own", rows="seat", columns="round", value="mean coins", fact="round", code=[bots], workers=1
    )
    assert "heat_mean_coins_by_seat_and_round" in found.tables


@pytest.mark.parametrize("name", ["report.html", "tables/seats.csv"])
def test_a_pipe_is_not_waited_for(name, home):
    path = home / "loot" / "r" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with pytest.raises(StorageError, match=f"{name}: is a link, a pipe or a device"):
        ss.load_results(home / "loot" / "r")


@pytest.mark.parametrize("name", ["../mine/notes.txt", "/etc/passwd", "tables/../../mine/notes.txt", "tables/\0", ""])
def test_a_listed_file_outside_the_folder_is_refused(home, name):
    list_file(home / "loot" / "r", name)
    with pytest.raises(InputError, match=r"study\.sqlite: table files: no run writes a file"):
        ss.load_results(home / "loot" / "r")


def test_a_link_to_the_folder_itself_and_links_of_the_user_s_own_stay(home):
    (home / "here").symlink_to(home / "mine" / "r")
    (home / "mine" / "r" / "notes").symlink_to(home / "mine" / "keep")
    assert ss.load_results(home / "here").verdict.answer
    assert (home / "mine" / "r" / "notes").is_symlink()


@pytest.mark.parametrize("statement", ["DROP TABLE runs", "UPDATE study SET study = '[]'", "UPDATE study SET look = '3'", "DELETE FROM study", "UPDATE runs SET versions = 'x'"])  # fmt: skip
def test_another_content_of_the_database_is_an_error_in_one_line(home, statement):
    execute(home / "loot" / "r", statement)
    with pytest.raises((InputError, StorageError), match=r"^[^\n]*$"):
        ss.load_results(home / "loot" / "r")


@pytest.mark.parametrize("name", ["SQLITE_IOERR_LOCK", "SQLITE_PROTOCOL"])
def test_a_disk_without_locks_is_told_from_another_run(name, home, monkeypatch):
    def refuse(*arguments, **options):
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorname = name
        raise error

    monkeypatch.setattr("sqlite3.connect", refuse)
    with pytest.raises(StorageError, match="disk I/O error") as refused:
        played(KEYS, home / "new")
    assert "another run" not in str(refused.value)


def test_no_cell_of_a_csv_file_is_a_formula():
    texts = ["=1+1", "+x", "-x", "@SUM(A1)", "\tx", "-3", "-0.5", "plain", ""]
    frame = pd.DataFrame({"agent": texts, "value": [-1.5] * len(texts)})
    read = list(csv.DictReader(io.StringIO(csv_of(frame).decode(), newline="")))
    assert [row["agent"] for row in read] == ["'=1+1", "'+x", "'-x", "'@SUM(A1)", "'\tx", *texts[5:]]
    assert {row["value"] for row in read} == {"-1.5"}


def test_a_study_in_a_folder_has_the_keys_of_the_folder_s_database(home):
    """So that the stranger cannot have one thing shown and another one played."""
    study = msgspec.json.decode((home / "loot" / "r" / "study.json").read_bytes())
    (home / "loot" / "r" / "study.json").write_text(json.dumps(study | {"seed": 9}))
    with pytest.raises(InputError, match="seed: 0 there, 9 here"):
        ss.heatmap(home / "loot" / "r", rows="seat", columns="round", value="mean coins", fact="round", workers=1)
