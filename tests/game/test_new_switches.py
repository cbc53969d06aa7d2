"""A new switch leaves older records and results folders readable: keys that their components lack are those of base."""

import json

import pytest
from strozzi_sim.studies.folder import read_manifest
from strozzi_sim.studies.plan_identity import hash_of

from every_kit import KITS
from strozzi_sim.cli.app import run
from strozzi_sim.game.variants import from_components, resolve_variant

SECTION = {"strozzi": "rules", "medici_vs_strozzi": "switches", "strasbourg": "switches"}


def _base(game):
    return resolve_variant(game, "base").components


@pytest.fixture(params=KITS)
def game(request):
    return KITS[request.param].game


def test_components_without_a_switch_have_that_of_base(game):
    base = from_components(game, "base", _base(game), "here")
    for switch in _base(game)[SECTION[game.name]]:
        older = json.loads(json.dumps(_base(game)))
        del older[SECTION[game.name]][switch]
        assert from_components(game, "base", older, "here").components == base.components


def test_a_record_without_a_switch_is_verified_and_replayed(game, tmp_path, capsys):
    file = tmp_path / "game.jsonl"
    assert run(["record", game.name, "--games", "1", "--agents", "random", "--seed", "4", "--out", str(file)]) == 0
    header, *lines = file.read_text().splitlines(keepends=True)
    plain = json.loads(header)
    for switch in list(plain["components"][SECTION[game.name]])[:2]:
        del plain["components"][SECTION[game.name]][switch]
    file.write_text(json.dumps(plain) + "\n" + "".join(lines))
    capsys.readouterr()
    assert run(["verify", str(file)]) == 0, capsys.readouterr().err
    assert run(["replay", str(file)]) == 0, capsys.readouterr().err


def test_a_folder_without_a_switch_resumes_and_takes_a_heat_map(tmp_path, capsys):
    study = tmp_path / "study.toml"
    study.write_text(
        'name = "old"\ngame = "strozzi"\nplayers = [3]\ndeals = 4\nlineups = [["random"]]\n[report]\npages = ["balance"]\n'
    )
    folder = tmp_path / "r"
    assert run(["run", str(study), "--out", str(folder), "--workers", "1"]) == 0
    manifest = read_manifest(folder)
    del manifest["plan"]["variants"]["base"]["rules"]["second_lap"]
    manifest["plan_hash"] = hash_of(manifest["plan"])
    (folder / "manifest.json").write_text(json.dumps(manifest))
    capsys.readouterr()
    assert run(["run", str(study), "--out", str(folder), "--workers", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["played_now"] == 0
    heat_map = ["heatmap", str(folder), "--rows", "seat", "--columns", "round", "--fact", "round", "--workers", "1"]
    assert run(heat_map) == 0, capsys.readouterr().err
