"""The key `worth` of a study: the restricted line-ups of its own agents, on the same deals, beside its other tables."""

import numpy as np
import pandas as pd
import pytest
from strozzi_sim.studies.heatmaps import add_in
from strozzi_sim.studies.planning import read_plan
from strozzi_sim.studies.results import load_results

import strozzi_sim as ss
from strozzi_sim.errors import InputError

KEYS = {"name": "s", "game": "strozzi", "players": [3], "deals": 60, "lineups": [["random"]], "seed": 5}
THINGS = ["flag:*", "claim:before-2"]
FILE = """
name = "s"
game = "strozzi"
players = [3]
deals = 20
lineups = [["random"]]
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "r"
    study = ss.Study(**KEYS, worth=THINGS, report={"pages": ["balance", "flags"]})
    return ss.run(study, folder, workers=1)


def test_the_table_is_that_of_the_command(played):
    command = ss.worth("strozzi", THINGS, players=3, agents="random", deals=60, seed=5).tables["worth"]
    pd.testing.assert_frame_equal(played.tables["worth"], command)
    assert set(command["thing"]) == {"flag:pirate", "flag:plus_one", "flag:ware", "claim:before-2"}


def test_the_other_tables_are_those_of_the_study_without_it(played):
    plain = ss.run(ss.Study(**KEYS, report={"pages": ["balance", "flags"]}))
    assert played.tables.keys() - plain.tables.keys() == {"worth"}
    for name, table in plain.tables.items():
        pd.testing.assert_frame_equal(played.tables[name], table)
    assert played.n_games == plain.n_games + 4 * 3 * 60


@pytest.mark.slow
def test_every_agent_that_plays_itself_is_measured_in_every_variant():
    lineups = [["random"], ["greedy"], ["random", "greedy", "greedy"]]
    found = ss.run(ss.Study(**{**KEYS, "lineups": lineups, "variants": ["base", "long-tracks"]}, worth=["flag:ware"]))
    lost = found.tables["worth"].query("figure == 'win_share_lost'")
    assert sorted(zip(lost["variant"], lost["agent"], strict=True)) == [
        ("base", "greedy"), ("base", "random"), ("long-tracks", "greedy"), ("long-tracks", "random"),
    ]  # fmt: skip
    assert set(found.tables["lineup"]["lineup"]) == {"random,greedy,greedy"}
    assert set(found.tables["changes"]["table"]) <= {*found.tables} - {"worth"}


def test_the_restricted_agent_sits_at_every_seat_whatever_the_seatings():
    found = ss.run(ss.Study(**KEYS, seatings="one", worth=["flag:ware"])).tables["worth"]
    assert found.set_index("figure")["n"]["win_share_lost"] == 60 * 3


def test_the_plan_says_so_and_only_then(tmp_path):
    plain, measured = ss.Study(**KEYS).plan, ss.Study(**KEYS, worth=THINGS).plan
    assert "worth" not in plain.resolved  # folders of before keep their hash
    assert measured.resolved["worth"] == ["flag:pirate", "flag:plus_one", "flag:ware", "claim:before-2"]
    assert "1 cell, and 4 cells for the worth of 4 things" in measured.summary()
    ss.run(ss.Study(**KEYS), tmp_path / "r", workers=1)
    with pytest.raises(InputError, match=r"worth: \"nothing\" there"):
        ss.run(ss.Study(**KEYS, worth=THINGS), tmp_path / "r", workers=1)


def test_it_resumes_and_a_heat_map_leaves_it(played):
    again = ss.run(ss.Study(**KEYS, worth=THINGS, report={"pages": ["balance", "flags"]}), played.folder, workers=1)
    assert again.new_games == 0
    from strozzi_sim.game.custom_heatmaps import heat_map_spec

    own = heat_map_spec("seat", "round", "mean coins", "", "round", "x", "")
    more = add_in(played.folder, own, workers=1)
    assert "heat_x" in more.tables
    assert np.array_equal(more.tables["worth"]["value"], played.tables["worth"]["value"], equal_nan=True)


def test_the_page_has_a_section_and_its_picture(played, tmp_path):
    page = load_results(played.folder).report(tmp_path / "page.html").read_text()
    assert 'id="worth"' in page
    assert "In the games of random at 3 players, " in page.replace("<code>", "")
    assert "random~flag:pirate" not in page
    assert "worth" in played.pictures
    assert played.plot("worth").table is played.tables["worth"]


def test_rows_of_games_and_facts_are_those_of_the_line_ups_alone(tmp_path):
    keys = {**KEYS, "deals": 20, "rows": True, "facts": ["ship"], "worth": ["flag:ware"]}
    kept, memory = ss.run(ss.Study(**keys), tmp_path / "r", workers=1), ss.run(ss.Study(**keys))
    for found in (kept, memory):
        assert set(found.games["lineup"]) == {"random"}
        assert set(found.facts("ship")["lineup"]) == {"random"}


def test_a_precision_is_about_the_line_ups_alone():
    keys = {key: value for key, value in KEYS.items() if key != "deals"}
    found = ss.run(ss.Study(**keys, precision=10, worth=["flag:ware"])).tables
    assert set(found["precision"]["lineup"]) == {"random"}
    assert len(found["worth"]) == 4


@pytest.mark.parametrize(
    ("key", "named"),
    [
        ('worth = ["flag:gold"]', r"worth: .*'flag:gold'.*known: flag:pirate"),
        ('worth = ["gold:*"]', r"worth: .*known: flag:pirate"),
        ('worth = "flag:*"', r"worth"),
        ("worth = [3]", r"worth\[0\]"),
    ],
)
def test_what_cannot_be_restricted_is_an_error_of_file_and_key(tmp_path, key, named):
    file = tmp_path / "mine.toml"
    file.write_text(FILE + key)
    with pytest.raises(InputError, match=rf"mine\.toml: {named}"):
        read_plan(file)


def test_an_agent_must_play_itself_and_keep_a_choice(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(FILE.replace('["random"]', '["random", "greedy", "greedy"]') + 'worth = ["flag:*"]')
    with pytest.raises(InputError, match=r"mine\.toml: worth: needs a line-up of one agent"):
        read_plan(file)
    file.write_text(FILE.replace('"random"', '"random~flag:pirate~flag:ware"') + 'worth = ["flag:plus_one"]')
    with pytest.raises(InputError, match=r"mine\.toml: worth: .*all three flags are forbidden"):
        read_plan(file)
