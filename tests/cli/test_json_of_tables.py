"""The JSON of every command that prints tables is JSON, however few deals are played: undefined numbers are null."""

import json

import numpy as np
import pytest

from commands import strozzi
from paths import ROOT
from strozzi_sim.study.running import _finite as finite

pytestmark = pytest.mark.slow

MEDICI, STROZZI = "medici_vs_strozzi", "strozzi"
SWEEP = """
name = "sweep"
game = "strozzi"
players = [3]
deals = {deals}
lineups = [["random"]]
report = {{ pages = ["ships"], explorer = false }}
[sweep]
"ships.S12.promotion" = [0, 1]
"""
COMMANDS = {
    "balance": ["balance", MEDICI, "--agents", "random"],
    "balance of a line-up": ["balance", MEDICI, "--agents", "random,shader"],
    "balance without luck": ["balance", STROZZI, "--players", 3, "--agents", "random", "--luck", "learned", "--luck-redraws", 1],
    "compare agents": ["compare", MEDICI, "fair-price", "random"],
    "compare variants": ["compare", STROZZI, "--set", "ships.S12.promotion=1", "--players", 3, "--agents", "random"],
    "tournament": ["tournament", MEDICI, "--agents", "random,fair-price,shader"],
    "worth": ["worth", STROZZI, "flag:ware", "--players", 3, "--agents", "random"],
    "heatmap": ["heatmap", MEDICI, "--rows", "seat", "--columns", "round", "--fact", "round", "--agents", "random"],
    "exploit": ["exploit", MEDICI, "random", "--challengers", "fair-price"],
    "plans": ["plans", STROZZI, "--only", "fast", "--players", 3],
    "our table": ["our-table", STROZZI, ROOT / "tests/study/sheets.csv"],
    "luck": ["luck", MEDICI, "--games", 0, "--agents", "random,fair-price"],
}  # fmt: skip
FEWEST = {"exploit": 4, "plans": 4, "our table": 5}  # deals


def parsed(text):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("deals", [1, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("command", COMMANDS)
def test_the_json_of_a_command_is_json(command, deals):
    done = strozzi(*COMMANDS[command], "--deals", max(deals, FEWEST.get(command, 1)), "--workers", 1, "--json")
    assert done.returncode == 0, done.stderr
    assert parsed(done.stdout)["tables"]


def test_the_json_of_a_sweep_and_its_files_hold_no_infinity(tmp_path):
    (tmp_path / "sweep.toml").write_text(SWEEP.format(deals=60))
    done = strozzi("run", "sweep.toml", "--out", "out", "--workers", 1, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    parsed(done.stdout)
    changes = (tmp_path / "out/tables/changes.csv").read_text()
    assert ",coins_tile_mean," in changes
    assert "inf" not in changes


def test_a_tool_of_an_assistant_answers_in_json():
    asked = {"game": STROZZI, "settings": ["ships.S12.promotion=1"], "players": "3", "agents": "random", "deals": 24}
    done = strozzi("mcp", "compare", json.dumps({**asked, "tables": ["changes"]}))
    assert done.returncode == 0, done.stderr
    parsed(done.stdout)


def test_no_table_is_infinite_and_an_interval_without_an_end_is_none():
    import pandas as pd

    frame = pd.DataFrame({"value": [1.0, np.inf], "low": [-np.inf, 0.0], "high": [2.0, 1.0], "n": [3, 4]})
    found = finite(frame)
    np.testing.assert_array_equal(found[["value", "low", "high"]], [[1, np.nan, np.nan], [np.nan, 0, 1]])
    assert found["n"].tolist() == [3, 4]
    assert np.isinf(frame["value"][1])  # the table itself is not changed
    known = frame.iloc[:0]
    assert finite(known) is known
