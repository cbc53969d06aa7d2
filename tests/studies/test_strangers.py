"""Results folders made by strangers: nothing in them is followed through a link, nor run as code."""

import csv
import importlib.util
import io
import json
import os
import resource
import sqlite3
import subprocess
import sys
import zlib

import pandas as pd
import pytest
from strozzi_sim.studies.fact_files import read_table
from strozzi_sim.studies.outputs import csv_bytes
from strozzi_sim.studies.store import Chunk

from strozzi_sim.cli.app import run
from strozzi_sim.errors import StorageError
from strozzi_sim.facts.row_storage import RowSelection, kept_rows
from strozzi_sim.game import load_game
from study_database import execute

STUDY = """
name = "small"
game = "strozzi"
players = [3]
deals = 60
lineups = [[{agents}]]
[report]
pages = ["balance"]
heatmaps = []
"""
AGENT = """
from pathlib import Path
from strozzi_sim.agent import python_agent

Path(__file__).with_suffix(".ran").touch()

@python_agent(name="first", games=("strozzi",))
class First:
    def act(self, view, legal, rng):
        return legal[0]
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    place = tmp_path_factory.mktemp("study")
    (place / "study.toml").write_text(STUDY.format(agents='"random"'))
    assert run(["run", str(place / "study.toml"), "--out", str(place / "r"), "--workers", "1"]) == 0
    return place


@pytest.fixture
def copy(results, tmp_path):
    """A results folder, and beside it a folder of the user's, to which links will lead."""
    import shutil

    shutil.copytree(results / "r", tmp_path / "r")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    (tmp_path / "mine" / ".x.0123456789abcdef.tmp").write_text("mine")
    return tmp_path


def contents(place):
    return {path.relative_to(place): path.read_bytes() for path in place.rglob("*") if path.is_file()}


LINKS = [
    ("report.html", "notes.txt"), ("report.html", "new.txt"), ("figures", "."), ("tables", "."),
    ("figures/seats.png", "notes.txt"), ("manifest.json", "notes.txt"),
    ("study.sqlite", "notes.txt"), ("study.sqlite-wal", "new.txt"), ("study.sqlite-shm", "new.txt"), ("facts", "."), ("tables/seats.parquet", "notes.txt"),
    ("spreadsheet", "."), ("spreadsheet.xlsx", "notes.txt"), ("spreadsheet.xlsx", "new.txt"), ("study.sqlite-journal", "notes.txt"), ("games", "."), ("styles", "."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "target"), LINKS)
@pytest.mark.parametrize(
    "command",
    [
        "report {r}", "run {study} --out {r}", "heatmap {r} --rows seat --columns round --fact round", "report {r} --spreadsheet csv",
        "report {r} --spreadsheet xlsx",
    ],
)  # fmt: skip
def test_nothing_is_followed_through_a_link(command, name, target, copy, results, capsys):
    link = copy / "r" / name
    if link.is_dir():
        link.rename(copy / "r" / "moved")
    else:
        link.unlink(missing_ok=True)
    link.symlink_to((copy / "mine" / target).resolve())
    before = contents(copy / "mine")
    capsys.readouterr()
    assert run(command.format(r=copy / "r", study=results / "study.toml").split()) == 4
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{link}: is a link" in line
    assert contents(copy / "mine") == before


@pytest.mark.parametrize("name", ["manifest.json", "report.html", "figures/seats.svg"])
def test_a_pipe_is_not_waited_for(name, copy, capsys):
    (copy / "r" / name).unlink(missing_ok=True)
    os.mkfifo(copy / "r" / name)
    assert run(["report", str(copy / "r")]) == 4
    assert f"{name}: is no file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON files BEGIN DELETE FROM chunks; END",
        "CREATE VIEW v AS SELECT * FROM files",
        "DROP TABLE runs",
    ],
)
def test_another_schema_is_refused(copy, results, capsys, statement):
    execute(copy / "r", statement)
    for command in (["report", str(copy / "r")], ["run", str(results / "study.toml"), "--out", str(copy / "r")]):
        assert run(command) == 2
        assert "study.sqlite: is not a strozzi-sim database of this version" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name",
    [
        "../mine/notes.txt", "/etc/passwd", "tables/../../mine/notes.txt", "spreadsheet/../../mine/notes.txt", "manifest.json",
        "tables/\0", "spreadsheet/.", "",
    ],
)  # fmt: skip
def test_only_files_of_runs_are_listed(copy, capsys, name):
    execute(copy / "r", "INSERT INTO files VALUES (?)", name)
    before = contents(copy / "mine")
    assert run(["report", str(copy / "r")]) == 2
    assert "study.sqlite: table files: no run writes a file" in capsys.readouterr().err
    assert contents(copy / "mine") == before


def test_a_forged_chunk_is_unpacked_as_far_as_a_chunk_can_hold(copy, results, capsys):
    """Its digest fits, and a part of 4 MB would take gigabytes: nothing is allocated for it."""
    (row,) = execute(
        copy / "r", "SELECT cell, chunk, games, holds, sha256, outcome, counts, seats, rows FROM chunks LIMIT 1"
    )
    packer = zlib.compressobj(9)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(4_000)) + packer.flush()
    assert len(bomb) < 5 << 20
    forged = Chunk(*row)._replace(outcome=bomb)
    forged = forged._replace(sha256=forged.digest())
    execute(
        copy / "r",
        "UPDATE chunks SET outcome = ?, sha256 = ? WHERE id = (SELECT min(id) FROM chunks)",
        forged.outcome,
        forged.sha256,
    )
    (copy / "r" / "tables" / "seats.parquet").unlink()  # so that tables are made again, from the chunks
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert run(["run", str(results / "study.toml"), "--out", str(copy / "r"), "--workers", "1"]) == 2
    assert "study.sqlite: chunk 0 of cell 0 holds no results of this plan" in capsys.readouterr().err
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB


def test_a_forged_block_of_rows_is_unpacked_as_far_as_a_block_can_hold():
    table = load_game("strozzi").fact_tables[0]
    head = {"games": 1, "sizes": [[8 << 30, 1], [8 << 30, 1]]}
    with pytest.raises(ValueError, match="a block is too long"):
        next(kept_rows(json.dumps(head).encode() + b"\nxx", RowSelection((table.name,)), table))


def test_rows_are_not_read_through_a_link(copy):
    (copy / "r" / "tables").rename(copy / "mine" / "tables")
    (copy / "r" / "tables").symlink_to(copy / "mine" / "tables")
    with pytest.raises(StorageError, match="tables: is a link"):
        read_table(copy / "r", "tables/seats.parquet")


@pytest.mark.slow
def test_a_folder_that_switches_numba_off_is_named(tmp_path):
    (tmp_path / ".numba_config.yaml").write_text("disable_jit: 1\n")
    for environment, folder in (({"NUMBA_DISABLE_JIT": "1"}, None), ({}, tmp_path)):
        done = subprocess.run(
            [sys.executable, "-m", "strozzi_sim", "games"], cwd=folder, env=os.environ | environment, capture_output=True,
            text=True,
        )  # fmt: skip
        if environment or importlib.util.find_spec("yaml"):  # without it numba reads no such file
            assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
            assert done.stderr.startswith("strozzi: error: NUMBA_DISABLE_JIT: must be 0")


def test_a_link_to_the_folder_itself_is_the_users(copy, capsys):
    (copy / "here").symlink_to(copy / "r")
    assert run(["report", str(copy / "here")]) == 0


def test_links_that_are_not_ours_stay(copy):
    (copy / "r" / "notes").symlink_to(copy / "mine")
    assert run(["report", str(copy / "r")]) == 0
    assert (copy / "r" / "notes").is_symlink()


@pytest.mark.slow
def test_code_that_a_folder_names_runs_only_if_the_user_names_it_too(tmp_path, monkeypatch, capsys):
    from strozzi_sim.agent import importing, named_files

    bots = tmp_path / "bots.py"
    bots.write_text(AGENT)
    (tmp_path / "study.toml").write_text(STUDY.format(agents=f'"{bots}::first"'))
    assert run(["run", str(tmp_path / "study.toml"), "--out", str(tmp_path / "r"), "--workers", "1"]) == 0
    monkeypatch.setattr(named_files, "_used", set())  # as in a new process
    importing._module_of.cache_clear()
    bots.with_suffix(".ran").unlink()
    capsys.readouterr()
    heat_map = ["heatmap", str(tmp_path / "r"), "--rows", "seat", "--columns", "round", "--fact", "round"]
    assert run(heat_map) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("name it with --code")
    assert str(bots) in line
    assert not bots.with_suffix(".ran").exists()
    assert run(["report", str(tmp_path / "r")]) == 0  # needs none
    assert not bots.with_suffix(".ran").exists()
    assert run([*heat_map, "--code", str(bots)]) == 0


@pytest.mark.parametrize("name", ["SQLITE_IOERR_LOCK", "SQLITE_PROTOCOL"])
def test_a_disk_without_locks_is_told_from_another_run(name, copy, monkeypatch, capsys):
    def refuse(*arguments, **options):
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorname = name
        raise error

    monkeypatch.setattr("sqlite3.connect", refuse)
    assert run(["report", str(copy / "r")]) == 4
    (line,) = capsys.readouterr().err.splitlines()
    assert "SQLite cannot lock or write files on this disk (disk I/O error)" in line
    assert "another run" not in line


def test_no_cell_of_a_csv_file_is_a_formula():
    texts = ["=1+1", "+x", "-x", "@SUM(A1)", "\tx", "-3", "-0.5", "plain", ""]
    frame = pd.DataFrame({"agent": texts, "value": [-1.5] * len(texts)})
    read = list(csv.DictReader(io.StringIO(csv_bytes(frame).decode(), newline="")))
    assert [row["agent"] for row in read] == ["'=1+1", "'+x", "'-x", "'@SUM(A1)", "'\tx", *texts[5:]]
    assert {row["value"] for row in read} == {"-1.5"}
