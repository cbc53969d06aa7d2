"""What a thing is worth: an agent without it, beside itself with it, on the same deals."""

import json

import numpy as np
import pytest
from strozzi_sim.studies.worth import WORTH, verdicts

import strozzi_sim as ss
from strozzi_sim.cli.app import run as command
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.restricting import things
from strozzi_sim.game.variants import resolve_variant


def losses(results):
    return results.tables["worth"].set_index(["agent", "thing", "players", "figure"])


def test_the_table_has_every_thing_agent_and_player_count():
    found = ss.worth("strozzi", ["flag:*", "claim:before-2"], players=[3, 4], deals=60).tables["worth"]
    assert " ".join(found.columns) == "players variant lineup thing agent figure value low high n deals"
    assert set(found["agent"]) == {"random", "heuristic"}
    assert set(found["thing"]) == {"flag:pirate", "flag:plus_one", "flag:ware", "claim:before-2"}
    lost = found[found["figure"] == "win_share_lost"]
    assert len(lost) == 2 * 4 * 2
    assert (lost["n"] == 60 * lost["players"]).all()
    assert (lost["low"] <= lost["value"]).all()
    assert (lost["value"] <= lost["high"]).all()


def test_the_loss_is_that_of_the_restricted_line_up():
    worth = losses(ss.worth("strozzi", "flag:pirate", players=3, agents="greedy", deals=80, seed=3))
    lineup = ["greedy~flag:pirate", "greedy", "greedy"]
    played = ss.simulate("strozzi", 3, lineup, deals=80, seed=3).tables["lineup"].query("position == 0")
    free = ss.simulate("strozzi", 3, ["greedy"], deals=80, seed=3).tables["balance"].set_index("figure")
    shares = played.set_index("figure")["value"]
    lost = worth.loc["greedy", "flag:pirate", 3]["value"]
    assert lost["win_share_lost"] == pytest.approx(1 / 3 - shares["win_share"])
    assert lost["score_lost"] == pytest.approx(free.loc["score_mean", "value"] - shares["score_mean"])


def test_a_thing_that_cannot_be_used_is_worth_nothing():
    found = ss.worth("medici_vs_strozzi", "price:above-1000", agents="fair-price", deals=60).tables["worth"]
    lost = found.set_index("figure").loc["score_lost"]
    assert lost["value"] == 0


def test_only_what_is_worth_something_is_called_so():
    found = ss.worth("strozzi", ["flag:ware", "sail:8", "port:rome"], players=3, agents="heuristic", deals=1000)
    verdict = {line["thing"]: line["verdict"] for line in verdicts(found.tables["worth"], 0.01)}
    assert verdict["flag:ware"] == WORTH


def test_results_are_equal_for_any_number_of_workers_and_after_a_resume(tmp_path):
    one = ss.worth("strozzi", "port:*", players=3, agents="random", deals=40, workers=1)
    two = ss.worth("strozzi", "port:*", players=3, agents="random", deals=40, workers=2, folder=tmp_path / "w")
    again = ss.worth("strozzi", "port:*", players=3, agents="random", deals=40, folder=tmp_path / "w")
    assert again.new_games == 0
    for other in (two, again):
        assert np.array_equal(one.tables["worth"]["value"], other.tables["worth"]["value"], equal_nan=True)


def test_an_agent_that_searches_plays_fewer_deals():
    found = ss.worth(
        "strozzi", "flag:pirate", players=3, agents="random,flat_mc:playouts=1", deals=1500, search_deals=20
    )
    deals = found.tables["worth"].groupby("agent")["deals"].unique()
    assert {agent: each.tolist() for agent, each in deals.items()} == {"random": [1500], "flat_mc:playouts=1": [20]}


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"things": "flag:gold"}, "known: flag:pirate"),
        ({"things": "gold:*"}, "known: flag:pirate"),
        ({}, "name things or patterns"),
        ({"things": "flag:*", "every": True}, "leave out the things"),
        ({"things": "flag:*", "deals": 0}, "deals: must be between 1"),
    ],
)
def test_what_cannot_be_measured_is_named(given, named):
    with pytest.raises(InputError, match=named.replace("*", r"\*")):
        ss.worth("strozzi", players=3, **given)


def test_without_a_thing_the_command_lists_them_and_how_to_ask(capsys):
    game = load_game("strozzi")
    known = things(game, resolve_variant(game, "base"))
    assert command(["worth", "strozzi"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    lines = said.out.splitlines()
    assert lines[0].startswith(f"{len(known)} things of Strozzi")
    assert {line.split()[0] for line in lines[3 : 3 + len(known)]} == set(known)
    assert all(len(line.split()) > 3 for line in lines[3 : 3 + len(known)])  # what it is to do without
    assert (
        lines[-1] == "One of them: strozzi worth strozzi flag:pirate; several by name or pattern: 'flag:*'; all: --all."
    )
    assert command(["worth", "strozzi", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [each["thing"] for each in listed] == list(known)
    assert all(each["about"] for each in listed)
    assert command(["worth", "strozzi", "--set", 'ships.remove=["S01"]', "--json"]) == 0
    assert "card:S01" not in capsys.readouterr().out
