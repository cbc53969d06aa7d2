"""What a thing is worth: an agent without it, beside itself with it, on the same deals; by itself, and as a key of a balance."""

import re

import numpy as np
import pandas as pd
import pytest

import strozzi_sim as ss
from strozzi_sim.errors import InputError
from strozzi_sim.study.restricted import WORTH, verdicts
from study_examples import played

QUIET = {"workers": 1, "progress": False}
KEYS = {"game": "strozzi", "players": [3], "deals": 60, "lineups": [["random"]], "seed": 5, "report": {"pages": ["balance", "flags"]}}  # fmt: skip
THINGS = ["flag:*", "claim:before-2"]
FLAGS = {"pirate": "pirate", "ware": "ware", "plus-one": "plus_one"}  # most is lost without the first power


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    return played({**KEYS, "worth": THINGS}, tmp_path_factory.mktemp("worth"))


def test_the_table_has_every_thing_agent_and_player_count():
    found = ss.worth("strozzi", THINGS, players=[3, 4], deals=60, **QUIET).tables["worth"]
    assert " ".join(found.columns) == "players variant lineup thing agent figure value low high n deals"
    assert set(found["agent"]) == {"random", "heuristic"}
    assert set(found["thing"]) == {"flag:pirate", "flag:plus_one", "flag:ware", "claim:before-2"}
    lost = found[found["figure"] == "win_share_lost"]
    assert len(lost) == 2 * 4 * 2
    assert (lost["n"] == 60 * lost["players"]).all()
    assert ((lost["low"] <= lost["value"]) & (lost["value"] <= lost["high"])).all()


def test_the_terminal_names_things_and_players_and_prints_coins_first():
    """As without a flag hardly a game is won, coins tell flags apart."""
    results = ss.worth("strozzi", "flag:*", players=4, deals=200, **QUIET)
    (table,) = results.study.printed_tables(results.tables).values()
    assert list(table["thing"].unique()) == ["the pirate flag", "the ware flag", "the plus-one flag"]
    assert set(table["agent"]) == {"random moves", "usual"}
    assert table["figure"].iloc[0] == "score_lost"
    assert len(table) == len(results.tables["worth"])


def test_what_is_lost_without_each_of_a_few_things_is_said():
    results = ss.worth("strozzi", ["flag:pirate", "power:*"], players=4, agents="heuristic", deals=200, **QUIET)
    lost = results.tables["worth"].query("figure == 'score_lost'").set_index("thing")["value"]
    parts = [f"power of the {name} flag {lost[f'power:{key}']:.1f}" for name, key in FLAGS.items()]
    assert results.verdict.answer.startswith("Most is lost without the pirate flag: ")
    assert results.verdict.subject == f"Without each other thing, in coins: {', '.join(parts)}."
    assert results.verdict.notes[1] == "Taken away: the pirate flag may not be used, and claims no ship."


def test_of_many_things_the_first_of_each_other_kind_is_said():
    things = ["flag:*", "power:*", "port:*"]
    results = ss.worth("strozzi", things, players=4, agents="heuristic", deals=100, **QUIET)
    lost = results.tables["worth"].query("figure == 'score_lost'")
    lost = lost.assign(kind=lost["thing"].str.partition(":")[0]).sort_values("value", ascending=False)
    assert len(lost) > 6
    largest = lost.drop_duplicates("kind").set_index("kind")["value"]
    assert largest.idxmax() == "flag"
    subject = results.verdict.subject
    assert subject.startswith("Most of other kinds, in coins: ")
    assert re.findall(r" (\d+[.]\d)[,.]", subject) == [f"{largest[kind]:.1f}" for kind in largest.index[1:]]


def test_the_loss_is_that_of_the_restricted_line_up():
    given = {"players": 3, "deals": 80, "seed": 3, **QUIET}
    lost = ss.worth("strozzi", "flag:pirate", agents="greedy", **given).tables["worth"].set_index("figure")["value"]
    lineup = ["greedy~flag:pirate", "greedy", "greedy"]
    restricted = ss.simulate("strozzi", agents=lineup, **given).tables["lineup"].query("position == 0")
    free = ss.simulate("strozzi", agents="greedy", **given).tables["balance"].set_index("figure")
    shares = restricted.set_index("figure")["value"]
    assert lost["win_share_lost"] == pytest.approx(1 / 3 - shares["win_share"])
    assert lost["score_lost"] == pytest.approx(free.loc["score_mean", "value"] - shares["score_mean"])


def test_a_thing_that_cannot_be_used_is_worth_nothing():
    found = ss.worth("medici_vs_strozzi", "price:above-1000", agents="fair-price", deals=60, **QUIET).tables["worth"]
    assert found.set_index("figure").loc["score_lost", "value"] == 0


def test_a_thing_worth_having_is_called_so():
    things = ["flag:ware", "sail:8", "port:rome"]
    found = ss.worth("strozzi", things, players=3, agents="heuristic", deals=1000, **QUIET)
    verdict = {line["thing"]: line["verdict"] for line in verdicts(found.tables["worth"], 0.01)}
    assert verdict["flag:ware"] == WORTH


def test_an_agent_that_searches_plays_fewer_deals():
    given = {"players": 3, "agents": "random,flat_mc:playouts=1", "deals": 1500, "search_deals": 20, **QUIET}
    deals = ss.worth("strozzi", "flag:pirate", **given).tables["worth"].groupby("agent")["deals"].unique()
    assert {agent: each.tolist() for agent, each in deals.items()} == {"random": [1500], "flat_mc:playouts=1": [20]}


def test_agents_that_all_search_play_all_deals_of_a_precision(monkeypatch):
    measured = []
    monkeypatch.setattr("strozzi_sim.study.running.run", lambda study, **_: measured.append(study))
    for precision in (None, 20):
        ss.worth("strozzi", "flag:pirate", players=3, agents="flat_mc:playouts=1", precision=precision)
    assert [study.search_deals > 0 for study in measured] == [True, False]
    assert len(measured[1].headlines()) == 1


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"things": "flag:gold"}, "things: .*known: flag:\\*"),
        ({"things": "pirate"}, "things: 'pirate' is of no kind; did you mean flag:pirate or power:pirate\\?"),
        ({}, "things: name things or patterns"),
        ({"things": "flag:*", "every": True}, "every: leave out the things"),
    ],
)
def test_things_that_cannot_be_measured_are_named(given, named):
    with pytest.raises(InputError, match=named):
        ss.worth("strozzi", players=3, **given)


def test_a_balance_with_worth_has_the_tables_of_both(measured):
    alone = ss.worth("strozzi", THINGS, players=3, agents="random", deals=60, seed=5, **QUIET).tables["worth"]
    pd.testing.assert_frame_equal(measured.tables["worth"], alone)
    plain = played(KEYS)
    assert measured.tables.keys() - plain.tables.keys() == {"worth"}
    for name, table in plain.tables.items():
        if name == "figures":
            table = pd.concat([table, measured.tables[name].query("table == 'worth'")], ignore_index=True)
        pd.testing.assert_frame_equal(measured.tables[name], table)
    assert measured.n_games == plain.n_games + 4 * 3 * 60


@pytest.mark.slow
def test_every_agent_that_plays_itself_is_measured_in_every_variant():
    lineups = [["random"], ["greedy"], ["random", "greedy", "greedy"]]
    found = played({**KEYS, "lineups": lineups, "variants": ["base", "long-tracks"], "worth": ["flag:ware"]}).tables
    lost = found["worth"].query("figure == 'win_share_lost'")
    assert sorted(zip(lost["variant"], lost["agent"], strict=True)) == [
        ("base", "greedy"), ("base", "random"), ("long-tracks", "greedy"), ("long-tracks", "random"),
    ]  # fmt: skip
    assert set(found["lineup"]["lineup"]) == {"random,greedy,greedy"}
    assert set(found["changes"]["table"]) <= {*found} - {"worth"}


def test_the_restricted_agent_sits_at_every_seat_whatever_the_seatings():
    found = played({**KEYS, "seatings": "one", "worth": ["flag:ware"]}).tables["worth"]
    assert found.set_index("figure")["n"]["win_share_lost"] == 60 * 3


def test_a_balance_with_other_things_is_another_study(tmp_path):
    played(KEYS, tmp_path)
    with pytest.raises(InputError, match="worth: "):
        played({**KEYS, "worth": THINGS}, tmp_path)


def test_a_heat_map_leaves_the_worth(measured):
    assert played({**KEYS, "worth": THINGS}, measured.folder).new_games == 0
    more = ss.heatmap(
        measured.folder, rows="seat", columns="round", value="mean coins", fact="round", name="x", **QUIET
    )
    assert "heat_x" in more.tables
    assert np.array_equal(more.tables["worth"]["value"], measured.tables["worth"]["value"], equal_nan=True)


def test_rows_of_games_and_facts_are_those_of_the_line_ups_alone(tmp_path):
    keys = {**KEYS, "deals": 20, "rows": True, "facts": ["ship"], "worth": ["flag:ware"]}
    for found in (played(keys, tmp_path), played(keys)):
        assert set(found.games["lineup"]) == {"random"}
        assert set(found.facts("ship")["lineup"]) == {"random"}


def test_a_precision_is_about_the_line_ups_alone():
    keys = {key: value for key, value in KEYS.items() if key != "deals"}
    found = played({**keys, "precision": 10, "worth": ["flag:ware"]}).tables
    assert set(found["precision"]["lineup"]) == {"random"}
    assert len(found["worth"]) == 4


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"worth": "flag:*"}, "worth: "),
        ({"worth": ["flag:*"], "lineups": [["random", "greedy", "greedy"]]}, "worth: needs a line-up of one agent"),
        ({"worth": ["flag:plus_one"], "lineups": [["random~flag:pirate~flag:ware"]]}, "worth: .*flags are forbidden"),
    ],
)
def test_a_wrong_key_worth_is_named(changes, named):
    with pytest.raises(InputError, match=named):
        played({**KEYS, **changes})
