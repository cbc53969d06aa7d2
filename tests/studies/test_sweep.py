"""Values of the components over a grid."""

import numpy as np
import pytest
from strozzi_sim.studies.lookup import sweep_variants
from strozzi_sim.studies.weights import numbers, steps

import strozzi_sim as ss
from strozzi_sim.cli import app
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import find_variant

BONUS = {"tracks.bonus.9": [5, 15, 25]}


def study(sweep, **keys):
    plan = {"name": "s", "game": "strozzi", "players": [3], "deals": 120, "lineups": [["random"]]}
    return ss.Study(**{**plan, **keys}, sweep=sweep)


@pytest.mark.slow
def test_the_table_has_the_values_beside_the_figures_of_balance():
    found = ss.sweep(study({**BONUS, "tracks.bonus.8": [0, 10]}, players=[3, 4]))
    table, balance = found.tables["sweep"], found.tables["balance"]
    assert list(table.columns[:5]) == ["players", "variant", "lineup", "tracks.bonus.9", "tracks.bonus.8"]
    assert np.array_equal(table["value"], balance["value"], equal_nan=True)
    assert sorted(map(tuple, table[["tracks.bonus.9", "tracks.bonus.8"]].drop_duplicates().to_numpy())) == [
        (5, 0), (5, 10), (15, 0), (15, 10), (25, 0), (25, 10),
    ]  # fmt: skip
    base = ss.simulate("strozzi", 3, ["random"], deals=120).tables["balance"]
    same = table.query("players == 3 and `tracks.bonus.9` == 15 and `tracks.bonus.8` == 10")
    assert np.array_equal(same["value"], base["value"], equal_nan=True)


def test_the_command_ranks_the_values(tmp_path, capsys):
    file = tmp_path / "s.toml"
    file.write_text(
        'name = "s"\ngame = "strozzi"\nplayers = [3]\ndeals = 2000\nlineups = [["heuristic"]]\n[sweep]\n"tracks.bonus.9" = [15, 300, 0]\n'
    )
    assert app.run(["sweep", str(file)]) == 0
    said = capsys.readouterr().out
    assert "The seats are most equal at tracks.bonus.9 = 300" in said
    table = said.partition("tracks.bonus.9  seats")[2].splitlines()[1:4]
    assert [(line.split()[0], line[16:38].strip()) for line in table] == [
        ("300.0", "lowest gap"), ("0.0", "not told apart from it"), ("15.0", "larger gap"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("sweep", "named"),
    [
        ({"tracks.bonus.9": [5]}, "at least two values"),
        ({"tracks.bonus.9": 5}, "list"),
        ({"tracks.bonus.9": [5, 5]}, "listed twice"),
        ({"tracks.bonus.9": [5, "much"]}, "expected numbers"),
        ({"rules.tile_optional": [True, False]}, "expected numbers"),
        ({"tracks.bonus.99": [5, 6]}, "not on the track"),
        ({"track.bonus.9": [5, 6]}, "did you mean 'tracks'"),
        ({**BONUS, "tracks.bonus.7": [1, 2], "tracks.bonus.8": [1, 2]}, "one or 2 keys"),
        ({"tracks.bonus.9": list(range(401))}, "at most 400"),
    ],
)
def test_what_cannot_be_swept_is_named(sweep, named):
    with pytest.raises(InputError, match=named):
        study(sweep)


def test_what_a_sweep_has_not_is_named():
    with pytest.raises(InputError, match=r"file: has no table \[sweep\]"):
        ss.sweep(study({}))
    with pytest.raises(InputError, match="changes one variant"):
        study(BONUS, variants=["base", "long-tracks"])


def test_variants_of_long_keys_keep_different_names():
    game = load_game("strasbourg")
    base = find_variant(game, "base")
    long = sorted((key for key, _ in numbers(game, base)), key=len)[-40:]
    moved = [step for step in steps(game, base)[0] if step.key in long]
    names = [step.variant.name for step in moved]
    assert len(set(names)) == len(names)
    first, second = moved[0], next(step for step in moved if step.key != moved[0].key)
    grid = {first.key: [first.before, first.after], second.key: [second.before, second.after]}
    found = sweep_variants(game, base, grid)
    assert len(found) == 4
    assert all(len(name) <= 64 for name in found)
