"""Studies: plans, chunks, resume, the lock, and tables that are the same to the byte however they were made."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from itertools import pairwise

import joblib
import numpy as np
import pytest
from strozzi_sim.studies import store
from strozzi_sim.studies.planning import plan_of_keys as make_plan
from strozzi_sim.studies.planning import read_plan as read_study
from strozzi_sim.studies.progress import Progress
from strozzi_sim.studies.results import load_results
from strozzi_sim.studies.run import run_study
from strozzi_sim.studies.store import Store

from our_games import KNOWN_GAMES
from paths import TESTS
from strozzi_sim.errors import InputError, StorageError
from strozzi_sim.simulation.loop import OUTCOME, ROW
from strozzi_sim.simulation.match import MatchResult
from study_database import chunks, execute, keep_chunks, listed_files, table_bytes, wait_for_chunks

SMALL = {
    "name": "small",
    "game": "strozzi",
    "seed": 3,
    "players": [3, 4],
    "deals": 120,
    "chunks": 12,
    "lineups": [["greedy"], ["heuristic", "random", "greedy", "random"]],
    "variants": ["base", "rich"],
    "variant": {"rich": {"tracks": {"bonus": {"7": 10, "8": 15, "9": 20}}}},
    "report": {"heatmaps": ["flag-by-sail"]},
}


def plan(**changes):
    return make_plan({**SMALL, **changes}, "study.toml")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished") / "results"
    return run_study(plan(), folder, workers=1)


def test_the_plan_counts_its_games():
    made = plan()
    assert [(cell.match.players, cell.lineup, cell.match.variant.name) for cell in made.cells] == [
        (3, "greedy", "base"),
        (3, "greedy", "rich"),
        (4, "greedy", "base"),
        (4, "greedy", "rich"),
        (4, "heuristic,random,greedy,random", "base"),
        (4, "heuristic,random,greedy,random", "rich"),
    ]
    assert made.games == 4 * 120 + 2 * 120 * 4
    assert "= 6 cells" in made.summary()
    assert "1,440 games" in made.summary()


def test_chunks_cover_the_deals_without_overlap():
    made = plan(deals=125, chunks=12)
    ranges = [made.chunk_range(chunk) for chunk in range(made.chunks)]
    assert ranges[0][0] == 0
    assert ranges[-1][1] == 125
    assert all(before[1] == after[0] for before, after in pairwise(ranges))
    assert plan(deals=5).chunks == 5


def test_a_finished_study_says_all_that_is_needed_to_repeat_it(finished):
    manifest = json.loads((finished.folder / "manifest.json").read_text())
    assert manifest["plan"]["variants"]["rich"]["tracks"]["bonus"] == {"7": 10, "8": 15, "9": 20}
    assert manifest["plan"]["seed"] == 3
    assert manifest["finished"]
    assert manifest["games"] == 1440
    assert set(manifest["versions"]) >= {"strozzi-sim", "behaviour", "python", "numba", "numpy"}
    assert any("ship cards" in text for text in manifest["reconstructed"]["base"])
    assert len(chunks(finished.folder)) == 6 * 12
    listed = listed_files(finished.folder)
    assert {f"tables/{file.name}" for file in (finished.folder / "tables").iterdir()} == listed


@pytest.mark.slow_for("threading")
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_workers_and_backend_do_not_change_a_byte(finished, tmp_path, backend):
    with joblib.parallel_config(backend=backend):
        other = run_study(plan(), tmp_path / "r", workers=2)
    assert table_bytes(other.folder) == table_bytes(finished.folder)


@pytest.mark.slow
def test_the_name_of_a_study_does_not_change_a_byte(finished, tmp_path):
    other = run_study(plan(name="another-name"), tmp_path / "r", workers=2)
    assert table_bytes(other.folder) == table_bytes(finished.folder)


@pytest.mark.slow
def test_seeds_change_the_tables(finished, tmp_path):
    other = run_study(plan(seed=4), tmp_path / "r", workers=1)
    assert table_bytes(other.folder)["seats.csv"] != table_bytes(finished.folder)["seats.csv"]


def test_another_plan_is_refused_with_the_difference(finished):
    with pytest.raises(
        InputError, match=r"another plan \(chunk_deals: 10 there, 11 here; deals: 120 there, 130 here\); to extend"
    ):
        run_study(plan(deals=130), finished.folder, workers=1)


@pytest.mark.slow
def test_other_pages_are_no_other_plan(finished, tmp_path):
    first = run_study(plan(report={"pages": ["balance"]}), tmp_path / "r", workers=1)
    assert "ships" not in first.tables
    said = []
    second = run_study(plan(), tmp_path / "r", workers=1, progress=Progress(on_message=said.append))
    assert second.new_games == second.n_games  # the first one did not count what these pages need
    assert said == ["72 of 72 chunks lack requested facts and are replayed"]
    assert table_bytes(second.folder) == table_bytes(finished.folder)
    third = run_study(plan(report={"pages": ["balance"]}), tmp_path / "r", workers=1)
    assert third.new_games == 0
    assert table_bytes(third.folder) == table_bytes(first.folder)


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="holds no results of a study"):
        run_study(plan(), tmp_path, workers=1)
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]
    with pytest.raises(InputError, match="is a file"):
        run_study(plan(), tmp_path / "letter.txt", workers=1)


def test_a_folder_in_use_is_refused(tmp_path):
    with Store(tmp_path / "r", plan()), pytest.raises(StorageError, match="another run is writing here"):
        run_study(plan(), tmp_path / "r", workers=1)


def test_a_full_disk_is_known_before_it_is_full(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 1000})())
    with pytest.raises(StorageError, match="0 MiB free on the disk"):
        run_study(plan(), tmp_path / "r", workers=1)


def test_what_is_played_needs_no_space_again(tmp_path, monkeypatch):
    """A run that has filled the disk resumes with the space of what remains."""
    asked = plan()
    whole = run_study(asked, tmp_path / "r", workers=1)
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 1000})())
    assert run_study(asked, tmp_path / "r", workers=1).new_games == 0
    execute(tmp_path / "r", "DELETE FROM chunks WHERE cell = 2 AND chunk = 3")
    with pytest.raises(StorageError, match="MiB free on the disk"):
        run_study(asked, tmp_path / "r", workers=1)
    enough = store._RESERVE + store._CHUNK_BYTES  # for one chunk of many
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": enough})())
    again = run_study(asked, tmp_path / "r", workers=1)
    assert again.tables["balance"].equals(whole.tables["balance"])


def sql(statement):
    return lambda folder: execute(folder, statement)


def change_chunk(folder):
    ((counts,),) = execute(folder, "SELECT counts FROM chunks WHERE cell = 2 AND chunk = 3")
    changed = counts[:-7] + bytes([counts[-7] ^ 1]) + counts[-6:]
    execute(folder, "UPDATE chunks SET counts = ? WHERE cell = 2 AND chunk = 3", changed)


def swap_chunks(folder):
    """Exchange the contents of two chunks, with digests that are right."""
    (first, second) = execute(folder, "SELECT sha256, counts, id FROM chunks ORDER BY id LIMIT 2")
    execute(folder, "UPDATE chunks SET sha256 = ?, counts = ? WHERE id = ?", *second[:2], first[2])
    execute(folder, "UPDATE chunks SET sha256 = ?, counts = ? WHERE id = ?", *first[:2], second[2])


def cut(folder):
    database = folder / "study.sqlite"
    os.truncate(database, database.stat().st_size * 2 // 3)


def scribble(page):
    """Write over a page of the database."""

    def harm(folder):
        with (folder / "study.sqlite").open("r+b") as database:
            database.seek((page - 1) * 16_384)
            database.write(np.random.default_rng(page).bytes(16_384))

    return harm


def root_of_chunks(folder):
    ((page,),) = execute(folder, "SELECT rootpage FROM sqlite_schema WHERE name = 'chunks'")
    scribble(page)(folder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("harm", "chunks", "words"),
    [
        (change_chunk, 1, ["chunk 3 of cell 2 is damaged or missing and is played again"]),
        (lambda folder: keep_chunks(folder, 50), 22, []),
        (swap_chunks, 2, None),
        (sql("UPDATE chunks SET games = '10' || 'x' WHERE cell = 1"), 12, None),
        (sql("UPDATE chunks SET cell = 6 WHERE cell = 5"), 12, []),
        (sql("UPDATE chunks SET chunk = -1 WHERE cell = 5"), 12, []),
    ],
    ids=["changed", "missing", "swapped", "another type", "another cell", "another chunk"],
)
def test_damage_is_played_again(finished, tmp_path, harm, chunks, words):
    folder = tmp_path / "r"
    shutil.copytree(finished.folder, folder)
    harm(folder)
    said = []
    again = run_study(plan(), folder, workers=1, progress=Progress(on_message=said.append))
    assert 0 < again.new_games <= 40 * chunks
    if words is not None:
        assert [line.replace(f"{folder}/", "") for line in said[: len(words)]] == words
    assert table_bytes(folder) == table_bytes(finished.folder)
    assert run_study(plan(), folder, workers=1).new_games == 0


def test_rows_of_every_game(tmp_path):
    import pandas as pd

    result = run_study(plan(rows=True, variants=["base"], variant={}, lineups=[["heuristic", "random", "greedy", "random"]], players=[4]),
                       tmp_path / "r", workers=2)  # fmt: skip
    rows = pd.read_parquet(result.folder / "games" / "cell-0000.parquet")
    assert len(rows) == 120 * 4 * 4
    assert rows["deal"].nunique() == 120
    assert set(rows["agent"]) == {"heuristic", "random", "greedy"}
    seats = result.tables["seats"].query("figure == 'score_mean' and seat == 0")["value"].item()
    assert rows.query("seat == 0")["score"].mean() == pytest.approx(seats)
    assert (rows.groupby(["deal", "seating"])["place"].sum() == 10).all()


def test_results_load_again(finished):
    loaded = load_results(finished.folder)
    assert set(loaded.tables) == set(finished.tables)
    with pytest.raises(InputError, match="holds no results"):
        load_results(finished.folder / "tables")


# -- what others did to a folder ---------------------------------------------------------------------------------------


@pytest.fixture
def copy(finished, tmp_path):
    return shutil.copytree(finished.folder, tmp_path / "copy")


@pytest.mark.slow
def test_files_of_the_user_stay_and_ours_that_are_no_more_go(copy):
    (copy / "tables" / "notes.csv").write_text("mine")
    (copy / "tables" / "draft.parquet").write_text("mine")
    assert (copy / "tables" / "ships.csv").exists()
    run_study(plan(report={"pages": ["balance"]}), copy, workers=1)
    assert not (copy / "tables" / "ships.csv").exists()
    assert (copy / "tables" / "notes.csv").read_text() == "mine"
    assert "draft" not in load_results(copy).tables
    (copy / "tables" / "ships.csv").write_text("mine")
    with pytest.raises(StorageError, match=r"ships\.csv: it exists and was not written by a run; move it away"):
        run_study(plan(), copy, workers=1)
    assert (copy / "tables" / "ships.csv").read_text() == "mine"


def change(**changes):
    def harm(folder):
        path = folder / "manifest.json"
        manifest = {**json.loads(path.read_text()), **changes}
        path.write_text(json.dumps({key: value for key, value in manifest.items() if value is not ...}))

    return harm


def write(name, content):
    return lambda folder: (folder / name).write_bytes(content)


HARMED = [
    (change(started=...), "manifest.json: is not as a run writes it: Object missing required field `started`"),
    (change(started="yesterday"), "manifest.json: is not as a run writes it: Invalid RFC3339 encoded datetime - at `$.started`"),
    (change(plan=None), "manifest.json: is not as a run writes it: Expected `object`, got `null` - at `$.plan`"),
    (change(plan_hash="0"), "manifest.json: is not as a run writes it: plan and plan_hash do not match"),
    (change(plan={}), "manifest.json: is not as a run writes it: Object missing required field `game` - at `$.plan`"),
    (change(report={"pages": 3}), "manifest.json: is not as a run writes it: Expected `array`, got `int` - at `$.report.pages`"),
    (change(format="strozzi-sim.results/1"), "manifest.json: format: expected 'strozzi-sim.results/4', got 'strozzi-sim.results/1', which strozzi-sim 0."),
    (write("manifest.json", b""), "manifest.json: is not a strozzi-sim manifest"),
    (write("manifest.json", b"[" * 100_000), "manifest.json: is not a strozzi-sim manifest"),
    (write("manifest.json", b'{"format": ' + b"9" * 5000 + b"}"), "manifest.json: "),
]  # fmt: skip
HARMED_DATABASES = [
    (write("study.sqlite", b"x" * 20_000), "study.sqlite: is damaged: file is not a database; move the folder away, or run in another folder"),
    (sql("UPDATE plan SET resolved = '[]'"), "study.sqlite: table plan: holds no plan"),
    (sql("UPDATE plan SET resolved = '{}'"), "study.sqlite: table plan: holds no plan"),
    (sql("UPDATE plan SET resolved = json_set(resolved, '$.seed', 4)"), "holds the results of another plan"),
    (cut, "study.sqlite: is damaged: "),
    (scribble(20), "study.sqlite: is damaged: "),
    (root_of_chunks, "study.sqlite: is damaged: "),
]  # fmt: skip
HARMED_TABLES = [
    (write("tables/seats.parquet", b"PAR1"), "tables/seats.parquet: is damaged; remove it and run the study again"),
    (lambda folder: (folder / "tables/seats.parquet").unlink(), "tables/seats.parquet: is missing; run the study again"),
]  # fmt: skip


@pytest.mark.parametrize(("harm", "words"), HARMED + HARMED_DATABASES)
def test_a_run_refuses_what_was_changed_by_hand(copy, harm, words):
    harm(copy)
    with pytest.raises(InputError) as refusal:
        run_study(plan(), copy, workers=1)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(("harm", "words"), HARMED + HARMED_TABLES)
def test_a_report_refuses_what_was_changed_by_hand(copy, harm, words):
    harm(copy)
    with pytest.raises(InputError) as refusal:
        load_results(copy)
    assert words in str(refusal.value)


def test_a_folder_whose_name_is_no_text_has_results_like_any(tmp_path):
    folder = tmp_path / os.fsdecode(b"\xff")
    few = plan(deals=4, lineups=[["greedy"]], players=[4], variants=["base"], variant={})
    run_study(few, folder, workers=1, progress=Progress(command=f"strozzi run --out {folder}"))
    assert load_results(folder).manifest["command"].endswith("\\udcff")


def test_what_a_killed_run_left_half_written_goes(copy):
    left = copy / "tables" / f".seats.csv.{7:016x}.tmp"
    left.write_text("half")
    theirs = copy / "tables" / ".notes.tmp"
    theirs.write_text("mine")
    run_study(plan(), copy, workers=1)
    assert not left.exists()
    assert theirs.exists()


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("file/x", StorageError, "file/x: Not a directory"),
        ("x" * 300, StorageError, "File name too long"),
        ("loop", StorageError, "symbolic links"),
        ("/", InputError, "/: is not empty and holds no results of a study; name another folder"),
    ],
)
def test_awkward_folders_are_errors_in_one_line(tmp_path, name, error, words):
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(error, match=words):
        run_study(plan(), tmp_path / name, workers=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "loop"]


# -- saving ------------------------------------------------------------------------------------------------------------


def played_chunk(made):
    games = made.chunk_games(made.cells[0], 0)
    return MatchResult(games, np.zeros(1, OUTCOME), np.zeros(1, made.counts), np.zeros(0, ROW), None)


def test_a_stored_chunk_is_there_though_the_process_ends(tmp_path):
    """What is stored is in the log at once, without a clean end."""
    code = f"""
import os, sys
sys.path[:0] = [{str(TESTS / "support")!r}, {str(TESTS / "studies")!r}]
from test_studies import plan, played_chunk
from strozzi_sim.studies.store import Store
made = plan()
store = Store(__import__("pathlib").Path({str(tmp_path / "r")!r}), made).__enter__()
for chunk in range(5):
    store.write((0, chunk), played_chunk(made))
os._exit(9)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 9
    with Store(tmp_path / "r", plan()) as store:
        assert sorted(store.done) == [(0, chunk) for chunk in range(5)]
        assert store.read((0, 4))[0]["games"][0] == 0


def test_a_finished_study_is_read_on_a_read_only_disk(copy):
    for place in (copy / "study.sqlite", copy):
        place.chmod(0o555)
    try:
        assert load_results(copy).n_games
    finally:
        copy.chmod(0o755)


# -- bad plans -------------------------------------------------------------------------------------------------------

REFUSED = [
    ({"game": "go"}, f"study.toml: game: unknown game 'go'; {KNOWN_GAMES}"),
    ({"players": [7]}, "study.toml: players: strozzi takes 3-6 players, got 7"),
    ({"players": []}, "study.toml: players: expected a list of length >= 1"),
    ({"players": "4"}, "study.toml: players: expected a list, got "),
    ({"deals": 0}, "study.toml: deals: must be between 1 and 1,000,000,000, got 0"),
    ({"deals": 3.5}, "study.toml: deals: expected a whole number, got "),
    ({"deal": 3}, "study.toml: unknown key 'deal'"),
    ({"seed": 2**53}, "study.toml: seed: must be between 0 and 9,007,199,254,740,991"),
    ({"seed": -1}, "study.toml: seed: must be between 0 and 9,007,199,254,740,991, got -1"),
    ({"name": "Big Name"}, "study.toml: name: expected text of 1 to 64 characters of a-z0-9-, got 'Big Name'"),
    ({"lineups": [["greedy", "random"]]}, "study.toml: lineups: 2 agents (greedy, random) fit no player count"),
    ({"lineups": [["gredy"]]}, "study.toml: lineups[0]: unknown agent 'gredy'; known:"),
    ({"lineups": [["greedy"], ["random:x=1"]]}, "study.toml: lineups[1]: agent 'random:x=1': random has no parameter 'x'"),
    ({"variants": ["poor"]}, "study.toml: variants: unknown variant 'poor' of strozzi; known: base, long-tracks, rich"),
    ({"variants": ["base"]}, "study.toml: variant.rich: defined but not listed"),
    ({"variants": ["base", "rich", "base"]}, "study.toml: variants: 'base' is listed 2 times"),
    ({"variants": ["base"], "variant": {"base": {}}}, "study.toml: variant.base: 'base' is a shipped variant"),
    ({"variant": {"rich": {"tracks": {"bonus": {"12": 5}}}}}, "study.toml: variant.rich: tracks.bonus.12: not on the track"),
    ({"report": {"page": []}}, "study.toml: report: unknown key 'page'"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "words"), REFUSED, ids=[next(iter(changes)) for changes, _ in REFUSED])
def test_bad_plans_are_refused_with_their_key(changes, words):
    with pytest.raises(InputError) as refusal:
        plan(**changes)
    assert words in str(refusal.value)


# -- killed and resumed ----------------------------------------------------------------------------------------------

STUDY = """
name = "killed"
game = "strozzi"
seed = 3
players = [3, 4]
deals = 120_000
chunks = 120
lineups = [["greedy"]]
"""


def start(study, folder, workers):
    command = [sys.executable, "-m", "strozzi_sim", "run", str(study), "--out", str(folder), "--workers", str(workers)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_killed_twice_and_resumed_the_tables_are_the_same(tmp_path):
    study = tmp_path / "study.toml"
    study.write_text(STUDY)
    whole = run_study(read_study(study), tmp_path / "whole", workers=2)
    folder = tmp_path / "killed"
    for count in (3, 30):
        process = start(study, folder, 2)
        wait_for_chunks(folder, count, process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert 3 <= len(chunks(folder)) < 240
    last = start(study, folder, 1)
    out, _ = last.communicate(timeout=300)
    assert last.returncode == 0, out
    assert table_bytes(folder) == table_bytes(whole.folder)


@pytest.mark.slow_for("15")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_keeps_the_chunks_and_says_how_to_go_on(tmp_path, number, code):
    study = tmp_path / "study.toml"
    study.write_text(STUDY)
    process = start(study, tmp_path / "r", 2)
    wait_for_chunks(tmp_path / "r", 2, process)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code, out + err
    assert re.search(r"strozzi: error: interrupted by SIG\w+; \d+ of 240 chunks are kept; run the same command", err)
    assert not list((tmp_path / "r").rglob(".*.tmp"))
    assert not (tmp_path / "r" / "tables").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_an_error_at_once(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(StorageError, match="cannot write to"):
        run_study(plan(), tmp_path / "r", workers=1)
