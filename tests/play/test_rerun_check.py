"""A finished study that runs again: what is there and unchanged is not made again, what is missing or changed is."""

import json
import shutil

import pytest

from strozzi_sim.game import load_game
from strozzi_sim.reports import painter
from strozzi_sim.reports.writing import write_report
from strozzi_sim.studies import made_of, run
from strozzi_sim.studies.planning import plan_of_keys
from strozzi_sim.studies.progress import Progress
from strozzi_sim.studies.run import run_study

STUDY = {
    "name": "again",
    "game": "strozzi",
    "players": [3],
    "deals": 40,
    "chunks": 20,
    "lineups": [["random"]],
    "report": {"pages": ["balance"], "heatmaps": ["flag-by-sail"]},
}


class MadeAgainError(Exception):
    """Tables or pictures were made."""


def made_again(*args, **options):
    raise MadeAgainError


def finish(folder, **changes):
    played = run_study(
        plan_of_keys({**STUDY, **changes}, "study.toml"),
        folder,
        workers=1,
        progress=Progress(command="strozzi run study.toml"),
    )
    return played, write_report(folder, played.manifest, played.tables, load_game(played.manifest["game"]))


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
@pytest.mark.parametrize("harm", ["lost", "changed"])
def test_what_is_missing_or_changed_is_made_again(folder, name, harm):
    if harm == "lost":
        (folder / name).unlink()
    else:
        (folder / name).write_bytes((folder / name).read_bytes() + b" ")
    with pytest.raises(MadeAgainError):
        finish(folder)


@pytest.mark.usefixtures("nothing_is_made")
def test_another_report_or_other_code_is_made_again(folder, monkeypatch):
    with pytest.raises(MadeAgainError):
        finish(folder, report={"pages": ["balance"]})
    monkeypatch.setattr(made_of, "_code", lambda package: "other")
    with pytest.raises(MadeAgainError):
        finish(folder)


def test_a_page_that_is_made_again_has_the_same_bytes(folder):
    """What the user changed in a file of ours is replaced, as ever; files of the user's own stay."""
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


def test_the_digest_is_of_all_that_decides_the_tables(finished):
    plan = plan_of_keys(STUDY, "study.toml")
    with run.Store(finished.folder, plan) as store:
        manifest = dict(finished.manifest)
        digest = made_of.digest_of_tables(manifest, plan, store, "")
        others = [
            made_of.digest_of_tables(manifest | {"versions": {}}, plan, store, ""),
            made_of.digest_of_tables(manifest | {"plan_hash": "0"}, plan, store, ""),
            made_of.digest_of_tables(manifest, plan.extended(38), store, ""),
            made_of.digest_of_tables(manifest, plan, store, "compare"),
        ]
        store.done[0, 3] = store.done[0, 4]  # other contents
        others.append(made_of.digest_of_tables(manifest, plan, store, ""))
    assert len({digest, *others}) == 6
