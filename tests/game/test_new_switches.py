"""A new switch leaves older records and results folders readable: keys that their components lack are those of base."""

import json

import pytest

import strozzi_sim as ss
from every_kit import KITS
from strozzi_sim.cli.app import run
from strozzi_sim.game.variants import from_components, resolve_variant
from study_database import execute
from study_examples import played

pytestmark = pytest.mark.slow

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


@pytest.mark.slow_for("strasbourg")
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


def test_a_folder_without_a_switch_resumes_and_takes_a_heat_map(tmp_path):
    keys = {"game": "strozzi", "players": [3], "deals": 4, "lineups": [["random"]], "report": {"pages": ["balance"]}}
    played(keys, tmp_path)
    older = json.loads((tmp_path / "study.json").read_bytes())
    del older["variants"]["base"]["rules"]["second_lap"]
    (tmp_path / "study.json").write_text(json.dumps(older))
    (text,) = execute(tmp_path, "SELECT json_remove(study, '$.variants.base.rules.second_lap') FROM study")[0]
    execute(tmp_path, "UPDATE study SET study = ?", text)
    assert played(keys, tmp_path).new_games == 0
    assert ss.heatmap(tmp_path, rows="seat", columns="round", fact="round", workers=1).n_games == 4
