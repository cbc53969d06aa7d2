"""Studies: plans, chunks, resume, the lock, and tables that are the same to the byte however they were made."""

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import joblib
import numpy as np
import pytest

from our_games import KNOWN_GAMES
from strozzi_sim.errors import InputError, StorageError
from strozzi_sim.selfplay.loop import OUTCOME, ROW
from strozzi_sim.selfplay.match import MatchResult
from strozzi_sim.studies.planning import plan_of_keys as make_plan
from strozzi_sim.studies.planning import read_plan as read_study
from strozzi_sim.studies.progress import Progress
from strozzi_sim.studies.results import load_results
from strozzi_sim.studies.run import run_study
from strozzi_sim.studies.store import Store

EXPERIMENTS = Path(__file__).parents[1] / "experiments"
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


def contents(folder):
    return {file.name: file.read_bytes() for file in sorted((folder / "tables").iterdir())}


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
    assert [file.name for file in (finished.folder / "chunks").iterdir()] == ["0000.segment"]
    assert len((finished.folder / "ledger.jsonl").read_bytes().splitlines()) == 6 * 12
    listed = json.loads((finished.folder / "files.json").read_text())
    assert {f"tables/{file.name}" for file in (finished.folder / "tables").iterdir()} == set(listed)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_workers_and_backend_do_not_change_a_byte(finished, tmp_path, backend):
    with joblib.parallel_config(backend=backend):
        other = run_study(plan(), tmp_path / "r", workers=2)
    assert contents(other.folder) == contents(finished.folder)


def test_the_name_of_a_study_does_not_change_a_byte(finished, tmp_path):
    other = run_study(plan(name="another-name"), tmp_path / "r", workers=2)
    assert contents(other.folder) == contents(finished.folder)


def test_seeds_change_the_tables(finished, tmp_path):
    other = run_study(plan(seed=4), tmp_path / "r", workers=1)
    assert contents(other.folder)["seats.csv"] != contents(finished.folder)["seats.csv"]


def test_running_again_plays_nothing(finished):
    before = contents(finished.folder)
    again = run_study(plan(), finished.folder, workers=1)
    assert again.played_now == 0
    assert contents(finished.folder) == before


def test_another_plan_is_refused_with_the_difference(finished):
    with pytest.raises(InputError, match=r"another plan \(deals: 120 there, 130 here\)"):
        run_study(plan(deals=130), finished.folder, workers=1)


def test_other_pages_are_no_other_plan(finished, tmp_path):
    first = run_study(plan(report={"pages": ["balance"]}), tmp_path / "r", workers=1)
    assert "ships" not in first.tables
    said = []
    second = run_study(plan(), tmp_path / "r", workers=1, progress=Progress(say=said.append))
    assert second.played_now == second.n_games  # the first one did not count what these pages need
    assert said == ["72 of 72 chunks do not hold all that is asked and are played again"]
    assert contents(second.folder) == contents(finished.folder)
    third = run_study(plan(report={"pages": ["balance"]}), tmp_path / "r", workers=1)
    assert third.played_now == 0
    assert contents(third.folder) == contents(first.folder)


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


def entries(folder):
    return [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]


def write_entries(folder, lines):
    (folder / "ledger.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def change_chunk(folder):
    (entry,) = (entry for entry in entries(folder) if (entry["cell"], entry["chunk"]) == (2, 3))
    segment = folder / "chunks" / f"{entry['segment']}.segment"
    content = bytearray(segment.read_bytes())
    content[entry["offset"] + entry["length"] - 7] ^= 1
    segment.write_bytes(content)


def cut_segment(folder):
    segment = folder / "chunks" / "0000.segment"
    segment.write_bytes(segment.read_bytes()[:-5])


def swap_chunks(folder):
    """Two chunks under each other's name, with sums that are right."""
    first, second, *rest = entries(folder)
    first["chunk"], second["chunk"] = second["chunk"], first["chunk"]
    write_entries(folder, [first, second, *rest])


def tear_ledger(folder):
    ledger = folder / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes()[:-20])


def scribble_in_ledger(folder):
    ledger = folder / "ledger.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join([*lines[:4], b"{torn\n", *lines[5:]]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("harm", "chunks", "words"),
    [
        (change_chunk, 1, ["chunk 3 of cell 2 is damaged or missing and is played again"]),
        (cut_segment, 1, ["chunk 11 of cell 5 is damaged or missing and is played again"]),
        (lambda folder: (folder / "chunks" / "0000.segment").unlink(), 72, None),
        (swap_chunks, 2, None),
        (tear_ledger, 1, []),
        (scribble_in_ledger, 1, ["line 5 of ledger.jsonl is damaged; its chunks are played again"]),
    ],
    ids=["changed", "cut", "missing", "swapped", "torn ledger", "nonsense in the ledger"],
)
def test_damage_is_played_again(finished, tmp_path, harm, chunks, words):
    folder = tmp_path / "r"
    shutil.copytree(finished.folder, folder)
    harm(folder)
    said = []
    again = run_study(plan(), folder, workers=1, progress=Progress(say=said.append))
    assert 0 < again.played_now <= 40 * chunks
    if words is not None:
        assert [line.replace(f"{folder}/", "") for line in said[: len(words)]] == words
    assert contents(folder) == contents(finished.folder)
    assert run_study(plan(), folder, workers=1).played_now == 0


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


def test_identical_agents_differ_by_exactly_nothing(tmp_path):
    result = run_study(
        plan(lineups=[["greedy"] * 4], players=[4], variants=["base"], variant={}), tmp_path / "r", workers=2
    )
    lineup = result.tables["lineup"]
    differences = lineup[lineup["figure"].str.contains("_minus_")]
    assert len(differences) >= 9
    assert (differences[["value", "low", "high"]] == 0).all(axis=None)


def test_results_load_again(finished):
    loaded = load_results(finished.folder)
    assert set(loaded.tables) == set(finished.tables)
    with pytest.raises(InputError, match="holds no results"):
        load_results(finished.folder / "chunks")


# -- what others did to a folder ---------------------------------------------------------------------------------------


@pytest.fixture
def copy(finished, tmp_path):
    return shutil.copytree(finished.folder, tmp_path / "copy")


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


def change_entry(**changes):
    def harm(folder):
        first, *rest = entries(folder)
        write_entries(folder, [{key: value for key, value in {**first, **changes}.items() if value is not ...}, *rest])

    return harm


def write(name, content):
    return lambda folder: (folder / name).write_bytes(content)


HARMED = [
    (change(started=...), "manifest.json: was changed by hand: Object missing required field `started`"),
    (change(started="yesterday"), "manifest.json: was changed by hand: Invalid RFC3339 encoded datetime - at `$.started`"),
    (change(plan=None), "manifest.json: was changed by hand: Expected `object`, got `null` - at `$.plan`"),
    (change(plan={}), "manifest.json: was changed by hand: plan and plan_hash do not match"),
    (change(game="go"), "manifest.json: was changed by hand: game: 'go' is not the plan's 'strozzi'"),
    (change(report={"pages": 3}), "manifest.json: was changed by hand: Expected `array`, got `int` - at `$.report.pages`"),
    (change(format="strozzi-sim.results/1"), "manifest.json: format: expected 'strozzi-sim.results/2', got 'strozzi-sim.results/1'; run the study again"),
    (write("manifest.json", b""), "manifest.json: is not a strozzi-sim manifest"),
    (write("manifest.json", b"[" * 100_000), "manifest.json: is not a strozzi-sim manifest"),
    (write("manifest.json", b'{"format": ' + b"9" * 5000 + b"}"), "manifest.json: "),
    (write("files.json", b"[]"), "files.json: is not a strozzi-sim list of files: Expected `object`"),
    (write("files.json", b'{"../letter.txt": null}'), "files.json: is not a strozzi-sim list of files: "),
]  # fmt: skip
HARMED_LEDGERS = [
    (change_entry(sha256=...), "ledger.jsonl: line 1: Object missing required field `sha256`; remove the line"),
    (change_entry(games=11), "ledger.jsonl: line 1: games: expected 10 of this chunk, got 11"),
    (change_entry(games="10"), "ledger.jsonl: line 1: Expected `int`, got `str` - at `$.games`"),
    (change_entry(cell=6), "ledger.jsonl: line 1: the plan has no chunk 0 of cell 6"),
    (change_entry(segment="../../x"), "ledger.jsonl: line 1: Expected `str` matching regex"),
    (change_entry(offset=-1), "ledger.jsonl: line 1: Expected `int` >= 0 - at `$.offset`"),
    (write("ledger.jsonl", b"[]\n"), "ledger.jsonl: line 1: Expected `object`, got `array`"),
]
HARMED_TABLES = [
    (write("tables/seats.parquet", b"PAR1"), "tables/seats.parquet: is damaged or was changed by hand; run the study again"),
    (lambda folder: (folder / "tables/seats.parquet").unlink(), "tables/seats.parquet: is missing; run the study again"),
]  # fmt: skip


@pytest.mark.parametrize(("harm", "words"), HARMED + HARMED_LEDGERS)
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


def test_damaged_tables_are_made_again(copy, finished):
    (copy / "tables" / "seats.parquet").write_bytes(b"PAR1")
    assert run_study(plan(), copy, workers=1).played_now == 0
    assert contents(copy) == contents(finished.folder)
    assert set(load_results(copy).tables) == set(finished.tables)


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


def test_chunks_are_listed_in_groups_while_the_disk_is_busy(tmp_path, monkeypatch):
    made = plan()
    busy, calls = threading.Event(), []

    def fsync(descriptor):
        calls.append(descriptor)
        if len(calls) == 3:  # the segment's second group
            busy.wait(20)

    monkeypatch.setattr("os.fsync", fsync)
    with Store(tmp_path / "r", made) as store:
        for chunk in range(12):
            store.write((0, chunk), played_chunk(made))
        assert len(store.done) == 12
        assert [store.read((0, chunk))[0]["games"][0] for chunk in range(12)] == [0] * 12
        busy.set()
        store.settle()
        assert len(entries(tmp_path / "r")) == 12
        assert len(calls) < 2 * 12


def test_nothing_is_listed_before_it_is_on_the_disk(tmp_path, monkeypatch):
    made, listed = plan(), []
    ledger = tmp_path / "r" / "ledger.jsonl"
    monkeypatch.setattr("os.fsync", lambda descriptor: listed.append((os.readlink(f"/proc/self/fd/{descriptor}"), len(ledger.read_bytes().splitlines()))))  # fmt: skip
    with Store(tmp_path / "r", made) as store:
        store.write((0, 0), played_chunk(made))
    segment = str(tmp_path / "r" / "chunks" / "0000.segment")
    assert listed == [(segment, 0), (str(ledger), 1)]


def test_a_disk_that_fails_ends_the_run(tmp_path, monkeypatch):
    def fsync(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    made = plan()
    with Store(tmp_path / "r", made) as store:
        monkeypatch.setattr("os.fsync", fsync)
        store.write((0, 0), played_chunk(made))
        with pytest.raises(StorageError, match=r"cannot write .*segment: No space left"):
            store.settle()
    assert entries(tmp_path / "r") == []


def test_a_later_run_leaves_earlier_segments_alone(copy):
    cut_segment(copy)
    before = (copy / "chunks" / "0000.segment").read_bytes()
    run_study(plan(), copy, workers=1)
    assert (copy / "chunks" / "0000.segment").read_bytes() == before
    assert sorted(path.name for path in (copy / "chunks").iterdir()) == ["0000.segment", "0001.segment"]


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
    ({"seatings": "random"}, "study.toml: seatings: unknown design 'random'; known: one, rotate, all, latin"),
    ({"lineups": [["greedy", "random"]]}, "study.toml: lineups: 2 agents (greedy, random) fit no player count"),
    ({"lineups": [["gredy"]]}, "study.toml: lineups[0]: unknown agent 'gredy'; known:"),
    ({"lineups": [["greedy"], ["random:x=1"]]}, "study.toml: lineups[1]: agent 'random:x=1': random has no parameter 'x'"),
    ({"variants": ["poor"]}, "study.toml: variants: unknown variant 'poor' of strozzi; known: base, long-tracks, rich"),
    ({"variants": ["base"]}, "study.toml: variant.rich: defined but not listed"),
    ({"variants": ["base", "rich", "base"]}, "study.toml: variants: 'base' is listed 2 times"),
    ({"variants": ["base"], "variant": {"base": {}}}, "study.toml: variant.base: 'base' is a shipped variant"),
    ({"variant": {"rich": {"tracks": {"bonus": {"12": 5}}}}}, "study.toml: variant.rich: tracks.bonus.12: not on the track"),
    ({"report": {"pages": ["fun"]}}, "study.toml: report.pages: unknown name 'fun'; known: balance"),
    ({"report": {"heatmaps": ["flag-by-mood"]}}, "study.toml: report.heatmaps: unknown name 'flag-by-mood'; known: flag-by-"),
    ({"report": {"page": []}}, "study.toml: report: unknown key 'page'"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "words"), REFUSED, ids=[next(iter(changes)) for changes, _ in REFUSED])
def test_bad_plans_are_refused_with_their_key(changes, words):
    with pytest.raises(InputError) as refusal:
        plan(**changes)
    assert words in str(refusal.value)


def test_a_missing_key_is_named():
    with pytest.raises(InputError, match="missing required field `deals`"):
        make_plan({key: value for key, value in SMALL.items() if key != "deals"}, "study.toml")


def test_files_that_are_no_studies(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        read_study(tmp_path / "nothing.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("name = \n")
    with pytest.raises(InputError, match=r"broken.toml: not a TOML file: .*line 1"):
        read_study(broken)


@pytest.mark.parametrize("file", sorted(EXPERIMENTS.glob("*.toml")), ids=lambda file: file.stem)
def test_every_experiment_is_a_study(file):
    made = read_study(file)
    assert made.games > 0
    assert re.sub("_", "-", file.stem) == made.name


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


def wait_for_chunks(folder, count, process):
    ledger, deadline = folder / "ledger.jsonl", time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if ledger.exists() and ledger.read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.005)
    raise AssertionError(f"no {count} chunks: {process.communicate()}")


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
    assert 30 <= (folder / "ledger.jsonl").read_bytes().count(b"\n") < 240
    last = start(study, folder, 1)
    out, _ = last.communicate(timeout=300)
    assert last.returncode == 0, out
    assert contents(folder) == contents(whole.folder)


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
