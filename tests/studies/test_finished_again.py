"""A finished study that runs again: files that exist and are newer than the chunks are not made again, others are."""

import json
import os
import shutil

import pytest
from strozzi_sim.reports import painter
from strozzi_sim.reports.writing import write_report
from strozzi_sim.studies import run
from strozzi_sim.studies.planning import plan_of_keys
from strozzi_sim.studies.progress import Progress
from strozzi_sim.studies.run import run_study

from strozzi_sim.game import load_game
from study_database import execute

STUDY = {"name": "again", "game": "strozzi", "players": [3], "deals": 40, "chunks": 20, "lineups": [["random"]]}
REPORT = {"pages": ["balance"], "heatmaps": ["flag-by-sail"]}


class MadeAgainError(Exception):
    """Tables or pictures were made."""


def made_again(*args, **options):
    raise MadeAgainError


def finish(folder, **changes):
    played = run_study(
        plan_of_keys({**STUDY, "report": REPORT, **changes}, "study.toml"),
        folder,
        workers=1,
        progress=Progress(command="strozzi run study.toml"),
    )
    return played, write_report(folder, played.manifest, played.tables, load_game(played.manifest["game"]), newer=True)


def files(folder):
    there = [folder / "report.html", *(folder / "tables").iterdir(), *(folder / "figures").iterdir()]
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in there}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished") / "results"
    return finish(folder)[0]


@pytest.fixture
def folder(finished, tmp_path):
    return shutil.copytree(finished.folder, tmp_path / "results")


@pytest.fixture
def nothing_is_made(monkeypatch):
    monkeypatch.setattr(run, "study_tables", made_again)
    monkeypatch.setattr(painter.Painter, "paint", made_again)


@pytest.mark.usefixtures("nothing_is_made")
def test_nothing_is_made_again_of_the_same_study(finished, folder):
    before, manifest = files(folder), (folder / "manifest.json").read_bytes()
    played, page = finish(folder)
    assert page == folder / "report.html"
    assert files(folder) == before
    assert (folder / "manifest.json").read_bytes() == manifest
    assert played.new_games == 0
    assert list(played.tables) == sorted(finished.tables)
    for name, table in played.tables.items():
        assert table.equals(finished.tables[name]), name
    assert json.loads(manifest)["played_now"] == finished.n_games


@pytest.mark.usefixtures("nothing_is_made")
@pytest.mark.parametrize(
    "name", ["tables/seats.csv", "tables/balance.parquet", "figures/seats.svg", "figures/scores.png", "report.html"]
)
def test_what_is_missing_is_made_again(folder, name):
    (folder / name).unlink()
    with pytest.raises(MadeAgainError):
        finish(folder)


@pytest.mark.usefixtures("nothing_is_made")
def test_a_page_that_is_older_than_its_tables_is_made_again(folder):
    os.utime(folder / "report.html", (0, 0))
    with pytest.raises(MadeAgainError):
        finish(folder)


@pytest.mark.usefixtures("nothing_is_made")
@pytest.mark.parametrize("key", ["kind", "versions", "commit", "finished"])
def test_tables_of_another_kind_or_version_are_made_again(folder, key):
    manifest = json.loads((folder / "manifest.json").read_bytes())
    (folder / "manifest.json").write_text(json.dumps(manifest | {key: {} if key == "versions" else None}))
    with pytest.raises(MadeAgainError):
        finish(folder)


@pytest.mark.usefixtures("nothing_is_made")
def test_tables_of_other_chunks_or_pages_are_made_again(folder):
    with pytest.raises(MadeAgainError):
        finish(folder, report={"pages": ["balance"]})
    with pytest.raises(MadeAgainError):  # though the first report is back: that run ended before it wrote its tables
        finish(folder)


def test_a_table_of_a_chunk_that_is_played_again_is_made_again(folder, finished):
    table = folder / "tables" / "seats.csv"
    execute(folder, "UPDATE chunks SET outcome = x'00' WHERE chunk = 3")
    table.write_bytes(b"old")
    assert finish(folder)[0].new_games == 2
    assert table.read_bytes() == (finished.folder / "tables" / "seats.csv").read_bytes()


def test_a_page_that_is_made_again_has_the_same_bytes(folder):
    """What the user changed in a file of ours is replaced; files of the user's own stay."""
    before, page = files(folder), folder / "report.html"
    (folder / "figures" / "mine.png").write_bytes(b"mine")
    page.write_bytes(page.read_bytes() + b"<!-- mine -->")
    (folder / "figures" / "seats.svg").unlink()
    finish(folder)
    after = files(folder)
    assert after.pop(folder / "figures" / "mine.png")[0] == b"mine"
    assert {path: content for path, (content, _) in after.items()} == {
        path: content for path, (content, _) in before.items()
    }
