"""A results folder that runs again: what is whole stays as it is, what is missing, damaged or outdated is made again, the user's files stay."""

import os
import shutil

import joblib
import numpy as np
import pytest

import strozzi_sim as ss
from strozzi_sim.errors import InputError, StorageError
from strozzi_sim.study import running
from strozzi_sim.study.progress import Progress
from study_database import chunks, execute, keep_chunks
from study_examples import played, tables_in

KEYS = {
    "game": "strozzi", "seed": 3, "players": [3, 4], "deals": 60, "chunks": 12, "lineups": [["greedy"], ["heuristic", "random", "greedy", "random"]],
    "variants": ["base", "long-tracks"], "report": {"pages": ["balance", "ships"], "heatmaps": ["flag-by-sail"]},
}  # fmt: skip
FEW = {**KEYS, "report": {"pages": ["balance"]}}
PAGE = 4096


class MadeAgainError(Exception):
    """Tables were made."""


def made_again(*args, **options):
    raise MadeAgainError


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return played(KEYS, tmp_path_factory.mktemp("finished"))


@pytest.fixture
def folder(finished, tmp_path):
    return shutil.copytree(finished.folder, tmp_path / "copy")


def state(folder):
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted((folder / "tables").iterdir())}


def test_a_study_plays_its_cells_in_order(finished):
    found = [(cell.match.players, cell.lineup, cell.match.variant.name) for cell in finished.study.cells]
    lineups = [(3, "greedy"), (4, "greedy"), (4, "heuristic,random,greedy,random")]
    assert found == [(*lineup, variant) for lineup in lineups for variant in ("base", "long-tracks")]
    assert finished.n_games == 4 * 60 + 2 * 60 * 4
    assert len(chunks(finished.folder)) == 6 * 12
    assert {"python", "numba", "numpy", "commit"} <= finished.about["versions"].keys()


@pytest.mark.slow_for("loky")
@pytest.mark.parametrize("backend", [pytest.param("threading", marks=pytest.mark.slow), "loky"])
def test_backend_and_name_do_not_change_a_byte_and_a_seed_does(finished, tmp_path, backend):
    with joblib.parallel_config(backend=backend):
        played({**KEYS, "name": "other"}, tmp_path / "r", workers=2)
    assert tables_in(tmp_path / "r") == tables_in(finished.folder)
    played({**KEYS, "seed": 4}, tmp_path / "s")
    assert tables_in(tmp_path / "s")["seats.csv"] != tables_in(finished.folder)["seats.csv"]


@pytest.mark.slow
def test_tables_of_the_same_chunks_and_look_are_not_made_again(finished, folder, monkeypatch):
    monkeypatch.setattr(running, "tables_of", made_again)
    before = state(folder)
    again = played(KEYS, folder)
    assert again.new_games == 0
    assert state(folder) == before
    for name, table in finished.tables.items():
        assert table.equals(again.tables[name]), name
    for change in (
        lambda: (folder / "tables" / "seats.csv").unlink(),
        lambda: (folder / "tables" / "balance.parquet").write_bytes(b"PAR1"),
    ):
        change()
        with pytest.raises(MadeAgainError):
            played(KEYS, folder)
        monkeypatch.undo()
        played(KEYS, folder)
        monkeypatch.setattr(running, "tables_of", made_again)
    with pytest.raises(MadeAgainError):
        played(FEW, folder)
    assert played(KEYS, folder).tables.keys() == finished.tables.keys()  # the tables are still those of this look


def test_a_custom_heat_map_alone_is_made_and_removed(finished, folder, tmp_path, monkeypatch):
    before, asked = state(folder), {"rows": "flag", "columns": "sail", "fact": "ship", "value": "count"}
    without_figures = {path: each for path, each in before.items() if path.stem != "figures"}
    monkeypatch.setattr(running, "tables_of", made_again)
    found = ss.heatmap(folder, **asked, name="mine", workers=1)
    assert (found.new_games, found.tables.keys() - finished.tables.keys()) == (0, {"heat_mine"})
    there = state(folder)
    assert {path: each for path, each in there.items() if path.stem not in ("heat_mine", "figures")} == without_figures
    assert played(KEYS, folder).tables.keys() == finished.tables.keys()
    assert {path: content for path, (content, _) in state(folder).items()} == {
        path: content for path, (content, _) in before.items()
    }
    monkeypatch.undo()
    played({**KEYS, "heatmap": [{"name": "mine", **asked}]}, tmp_path / "planned")
    assert tables_in(tmp_path / "planned") == {path.name: content for path, (content, _) in there.items()}


def test_another_look_plays_again_what_was_not_counted_and_no_less(finished, tmp_path):
    first, said = played(FEW, tmp_path), []
    assert "ships" not in first.tables
    few = tables_in(tmp_path)
    second = played(KEYS, tmp_path, progress=Progress(on_message=said.append))
    assert second.new_games == second.n_games
    assert "72 of 72 chunks lack requested facts or rows and are played again" in said
    assert tables_in(tmp_path) == tables_in(finished.folder)
    assert played(FEW, tmp_path).new_games == 0
    assert tables_in(tmp_path) == few


def sql(statement):
    return lambda folder: execute(folder, statement)


def swap_chunks(folder):
    """Exchange the contents of two chunks, with digests that are right."""
    first, second = execute(folder, "SELECT sha256, facts, rowid FROM chunks ORDER BY cell, chunk LIMIT 2")
    execute(folder, "UPDATE chunks SET sha256 = ?, facts = ? WHERE rowid = ?", *second[:2], first[2])
    execute(folder, "UPDATE chunks SET sha256 = ?, facts = ? WHERE rowid = ?", *first[:2], second[2])


@pytest.mark.slow_for("missing", "swapped")
@pytest.mark.slow_for("another type", "another cell", "another chunk")
@pytest.mark.parametrize(
    ("harm", "many"),
    [
        (sql("UPDATE chunks SET facts = zeroblob(9) WHERE cell = 2 AND chunk = 3"), 1),
        (lambda folder: keep_chunks(folder, 50), 22),
        (swap_chunks, 2),
        (sql("UPDATE chunks SET games = '10' || 'x' WHERE cell = 1"), 12),
        (sql("UPDATE chunks SET cell = 6 WHERE cell = 5"), 12),
        (sql("UPDATE chunks SET chunk = -1 - chunk WHERE cell = 5"), 12),
    ],
    ids=["changed", "missing", "swapped", "another type", "another cell", "another chunk"],
)
def test_damage_is_played_again(finished, folder, harm, many):
    harm(folder)
    again = played(KEYS, folder)
    assert 0 < again.new_games <= 20 * many
    assert tables_in(folder) == tables_in(finished.folder)
    assert played(KEYS, folder).new_games == 0


def scribble(folder):
    """Write over a page of the database."""
    with (folder / "study.sqlite").open("r+b") as database:
        database.seek(9 * PAGE)
        database.write(np.random.default_rng(1).bytes(PAGE))


@pytest.mark.parametrize(
    "harm",
    [
        lambda folder: (folder / "study.sqlite").write_bytes(b"x" * 20_000),
        lambda folder: os.truncate(folder / "study.sqlite", (folder / "study.sqlite").stat().st_size * 2 // 3),
        scribble,
    ],
    ids=["no database", "cut", "scribbled"],
)
def test_a_damaged_database_is_refused(folder, harm):
    harm(folder)
    with pytest.raises(InputError, match=r"study\.sqlite: is damaged: .*; move the folder away to begin again"):
        played(KEYS, folder)


def test_files_of_the_user_stay_and_ours_that_are_no_more_go(folder):
    (folder / "tables" / "notes.csv").write_text("mine")
    (folder / "tables" / "draft.parquet").write_text("mine")
    (folder / "tables" / "ships.csv").unlink()
    played(FEW, folder)
    assert not (folder / "tables" / "ships.csv").exists()
    assert (folder / "tables" / "notes.csv").read_text() == "mine"
    assert "draft" not in ss.load_results(folder).tables
    (folder / "tables" / "ships.csv").write_text("mine")
    with pytest.raises(StorageError, match=r"ships\.csv: exists and was not written by a run; move it away"):
        played(KEYS, folder)
    assert (folder / "tables" / "ships.csv").read_text() == "mine"


def test_a_finished_chunk_needs_no_space_again(finished, folder, monkeypatch):
    """A run that has filled the disk resumes with the space of what remains."""
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 1000})())
    assert played(KEYS, folder).new_games == 0
    execute(folder, "DELETE FROM chunks WHERE cell = 2 AND chunk = 3")
    with pytest.raises(StorageError, match="MiB free on the disk"):
        played(KEYS, folder)
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 1_000_000})())  # of one chunk
    assert played(KEYS, folder).tables["balance"].equals(finished.tables["balance"])


def test_the_space_of_rows_is_known_before_a_game_is_played(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 0})())
    large = {
        "game": "strozzi",
        "players": [3],
        "lineups": [["random"]],
        "deals": 10**6,
        "chunks": 10,
        "facts": ["ship"],
    }
    with pytest.raises(StorageError, match=f"about {10**6 * 27 * 10 >> 20} MiB needed"):  # three flags in three rounds
        played(large, tmp_path / "r")


def test_a_folder_of_something_else_is_refused(tmp_path, finished):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="is not empty and holds no results of a study; name another folder"):
        played(KEYS, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]
    for place in (tmp_path, finished.folder / "tables"):
        with pytest.raises(InputError, match="holds no results of a study"):
            ss.load_results(place)


@pytest.mark.parametrize(
    ("name", "words"),
    [("file/x", "Not a directory"), ("file", "is a file|File exists"), ("x" * 300, "File name too long"), ("loop", "symbolic links|File exists")],
)  # fmt: skip
def test_awkward_folders_are_errors_in_one_line(tmp_path, name, words):
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises((StorageError, InputError), match=words) as refused:
        played(KEYS, tmp_path / name)
    assert "\n" not in str(refused.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "loop"]


def test_a_folder_whose_name_is_no_text_has_results_like_any(tmp_path):
    folder = tmp_path / os.fsdecode(b"\xff")
    few = {**FEW, "deals": 4, "players": [4], "lineups": [["greedy"]], "chunks": None, "variants": ["base"]}
    played(few, folder, progress=Progress(command=f"strozzi run --out {folder}"))
    assert ss.load_results(folder).about["command"].endswith("\\udcff")


def test_a_finished_study_is_read_on_a_read_only_disk(folder):
    for place in (folder / "study.sqlite", folder):
        place.chmod(0o555)
    try:
        assert ss.load_results(folder).n_games
    finally:
        folder.chmod(0o755)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_an_error_at_once(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(StorageError, match="cannot write to"):
        played(KEYS, tmp_path / "r")


def test_a_folder_whose_tables_were_never_written_is_shown_from_its_chunks(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(running, "tables_of", made_again)
        with pytest.raises(MadeAgainError):
            played(FEW, tmp_path)
    shown = ss.load_results(tmp_path)
    assert (shown.interrupted, (tmp_path / "tables").exists()) == ("Not finished", False)
    assert shown.tables["seats"].equals(played(FEW, tmp_path).tables["seats"])
