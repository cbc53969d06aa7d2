"""Alpha-rank and Nash averaging of a tournament: known masses, bootstrap intervals, the table, and what is refused."""

import numpy as np
import pytest

import strozzi_sim as ss
from planning import tournament_of
from strozzi_sim.cli import app
from strozzi_sim.errors import ArgumentError
from strozzi_sim.game import load_game
from strozzi_sim.studies.run import run_in_memory

pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")
pytest.importorskip("networkx", reason="the extra openspiel is not installed")

from strozzi_sim.adapters.alpha_rank import alpha_rank, meta_game
from strozzi_sim.stats.nash import equilibrium

CIRCLE = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]]) / 4 + 0.5  # rock, paper, scissors, as shares


def counts(draws, share, chunks=40, deals=100):
    met = np.full((chunks, len(share), len(share)), deals)
    ahead = np.triu(draws.binomial(deals, np.broadcast_to(share, met.shape)), 1).astype(float)
    return ahead + np.tril(np.swapaxes(deals - ahead, 1, 2), -1), met


def test_a_circle_shares_the_mass_and_who_dominates_has_it():
    assert alpha_rank(CIRCLE) == pytest.approx([1 / 3] * 3)
    line = np.array([[0.5, 0.9, 0.6], [0.1, 0.5, 0.7], [0.4, 0.3, 0.5]])
    assert alpha_rank(line) == pytest.approx([1, 0, 0], abs=1e-3)
    below = np.full((4, 4), 0.1)  # a circle, and an agent that loses to all three
    below[:3, :3], below[:3, 3], below[3, 3] = CIRCLE, 0.9, 0.5
    assert alpha_rank(below) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-3)


def test_mass_asks_who_is_ahead_and_weight_by_how_much():
    """An uneven circle: alpha-rank leaves a third to each, Nash averaging follows the payoffs (Balduzzi et al.)."""
    uneven = np.array([[0, 0.3, -0.1], [-0.3, 0, 0.2], [0.1, -0.2, 0]])
    assert alpha_rank(uneven) == pytest.approx([1 / 3] * 3)
    assert equilibrium(uneven) == pytest.approx(np.array([2, 1, 3]) / 6)


def test_intervals_cover_the_truth_and_are_wide_where_it_is_uncertain():
    draws = np.random.Generator(np.random.PCG64(5))
    found = meta_game(*counts(draws, CIRCLE), 0)
    assert found["alpha_rank"].value == pytest.approx([1 / 3] * 3)
    assert found["alpha_rank"].low == pytest.approx(found["alpha_rank"].high), "the circle is certain"
    weight = found["nash_weight"]
    assert ((weight.low < 1 / 3) & (weight.high > 1 / 3) & (weight.high - weight.low < 0.2)).all()
    assert (weight.n == 8000).all()
    close = np.array([[0.5, 0.502], [0.498, 0.5]])
    mass = meta_game(*counts(draws, close), 0)["alpha_rank"]
    assert (mass.low < 0.01).all()
    assert (mass.high > 0.99).all(), "which of two equals is ahead is open"


def test_the_seed_decides_and_few_games_say_nothing():
    ahead, met = counts(np.random.Generator(np.random.PCG64(6)), CIRCLE)
    first, again = (meta_game(ahead, met, 3)["nash_weight"] for _ in range(2))
    assert (first.low == again.low).all()
    one = meta_game(ahead[:1], met[:1], 3)["nash_score"]
    assert one.value == pytest.approx([0.5] * 3, abs=0.1)
    assert np.isnan(one.low).all()
    assert np.isnan(meta_game(ahead[:1] / 10, met[:1] // 10, 3)["alpha_rank"].value).all()


@pytest.mark.parametrize("players", [3, 4])
def test_the_table_has_a_row_for_each_agent(players):
    field = ["random", "heuristic", "greedy", "racer"]
    planned = tournament_of(load_game("strozzi"), field, players=[players], deals=60, meta_game=True)
    tables = run_in_memory(planned.plan, tables=planned.tables, workers=1).tables
    rows = tables["meta_game"].set_index(["figure", "agent"])
    assert sorted(rows.loc["alpha_rank"].index) == sorted(field)
    assert rows.loc[("alpha_rank", "heuristic"), "value"] > 0.99
    nash = tables["nash"].set_index(["figure", "agent"])["value"]
    for figure in ("weight", "score"):
        assert rows.loc[f"nash_{figure}", "value"].to_dict() == pytest.approx(nash.loc[figure].to_dict())
    assert rows[["low", "high"]].notna().all(axis=None)
    assert (rows["low"] <= rows["value"]).all()
    assert (rows["value"] <= rows["high"]).all()


def test_a_sample_in_which_some_never_meet_is_refused_with_the_design_that_covers_it(capsys):
    given = {"players": 4, "deals": 10, "max_matchups": 2, "meta_game": True}
    with pytest.raises(
        ArgumentError, match=r"meta_game: \d+ pairs of agents never meet in 2 matchups of 4 players; play all 35"
    ):
        ss.tournament("strozzi", ["random", "greedy", "heuristic", "florence", "racer", "trader", "promoter"], **given)
    line = ["--players", "4", "--agents", "random,greedy,heuristic,florence,racer,trader", "--max-matchups", "2"]
    assert app.run(["tournament", "strozzi", *line, "--meta-game"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.startswith("strozzi: error: --meta-game: ")) == ("", True)
    assert err.endswith("play all 15, or more of them, with --max-matchups\n")


def test_the_command_prints_one_line_for_each_agent(capsys, tmp_path):
    line = [
        "tournament",
        "medici_vs_strozzi",
        "--agents",
        "random,fixed-price:value=8",
        "--deals",
        "40",
        "--workers",
        "1",
    ]
    folder = tmp_path / "kept"
    assert app.run([*line, "--meta-game", "--out", str(folder)]) == 0
    out = capsys.readouterr().out
    shown = out[out.index("the game of choosing an agent") :].splitlines()
    assert shown[1].split()[:3] == ["agent", "alpha-rank", "mass"]
    assert [row.split()[0] for row in shown[2:4]] == ["fixed-price:value=8", "random"]
    assert (folder / "tables" / "meta_game.csv").exists()
    assert app.run([*line, "--out", str(folder)]) == 0, "without it the same games have the other tables"
    assert "Nash averaging" in capsys.readouterr().out
