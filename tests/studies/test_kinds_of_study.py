"""The functions that make and run a study: names or objects, in a folder or in memory, errors that name arguments."""

import pickle

import pytest
from strozzi_sim.cli.error_text import arguments_to_options, error_words
from strozzi_sim.studies.lookup import find_agents, find_variants, make_lineups
from strozzi_sim.studies.planning import make_plan
from strozzi_sim.studies.progress import Progress

from strozzi_games import BASE, STROZZI
from strozzi_sim import compare, simulate, tournament
from strozzi_sim.agent import load_agent
from strozzi_sim.errors import ArgumentError, pluralize

(LONG,) = find_variants(STROZZI, "long-tracks")
FIELD = ("random", "greedy", "racer")


def test_an_unknown_name_is_refused_by_its_argument():
    with pytest.raises(ArgumentError, match=r"^against: unknown agent 'nobody'"):
        find_agents(["greedy", "nobody"], STROZZI, "against")


def test_one_of_a_kind_is_told_as_one():
    (random,) = find_agents(["random"], STROZZI)
    one = make_plan("study", STROZZI, [[random]], [BASE], (3,), 1).summary()
    assert one.endswith("= 1 cell; each 1 deal x 1 seating = 1 game")
    more = make_plan("study", STROZZI, [[random] * 3], [BASE], (3,), 1000).summary()
    assert more.endswith("= 1 cell; each 1,000 deals x 3 seatings = 3,000 games")
    assert pluralize(1, "copy", "copies") == "1 copy"
    assert pluralize(0, "copy", "copies") == "0 copies"


def test_a_line_up_is_dealt_out_over_the_seats():
    greedy, random = find_agents(["greedy", "random"], STROZZI)
    assert make_lineups([greedy], [3, 4]) == [(greedy,)]
    assert make_lineups([greedy, random], [3, 4]) == [(greedy, random, greedy), (greedy, random, greedy, random)]
    with pytest.raises(
        ArgumentError, match=r"^agents: 4 agents \(greedy,random,greedy,random\) for 3 seats; give at most 3$"
    ):
        make_lineups([greedy, random] * 2, [4, 3])
    with pytest.raises(ArgumentError, match=r"^opponents: 4 agents for 3 other seats") as refused:
        compare("strozzi", "random", "greedy", opponents=["random"] * 4)
    assert error_words(refused.value) == f"--opponents: {refused.value.message}"
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


def test_names_and_objects_are_one_study():
    named = simulate("strozzi", agents=["greedy"], players=3, deals=6, variant="long-tracks", seed=2)
    given = simulate(STROZZI, agents=[load_agent("greedy")], players=[3], deals=6, variant=LONG, seed=2)
    assert named.plan == given.plan
    assert named.n_games == named.new_games == 6
    assert (named.folder, named.files) == (None, {})
    assert all(frame.equals(given.tables[name]) for name, frame in named.tables.items())


def test_in_a_folder_the_tables_are_the_same_and_are_kept(tmp_path):
    told = []
    progress = Progress(on_planned=told.append, command="by hand")
    asked = {"agents": FIELD, "players": 3, "deals": 20, "until": "decided"}
    kept = tournament("strozzi", **asked, folder=tmp_path / "r", workers=1, progress=progress)
    loose = tournament("strozzi", **asked, workers=2)
    assert kept.plan == loose.plan
    assert kept.plan["until"] == "decided"
    assert kept.manifest["command"] == "by hand"
    assert kept.files["ratings"].is_file()
    assert all(frame.equals(loose.tables[name]) for name, frame in kept.tables.items())
    (summary,) = told
    assert summary.startswith("Strozzi, 3 agents; 3 players: 1 matchup x ")


def test_sides_are_agents_or_variants():
    asked = {"players": 3, "deals": 4}
    agents = compare(STROZZI, "greedy", "random", opponents=["random"], **asked)
    assert set(agents.tables["sides"]["agent"]) == {"greedy", "random"}
    variants = compare(STROZZI, "base", LONG, agents=["greedy"], **asked)
    assert set(variants.tables["sides"]["variant"]) == {"base", "long-tracks"}
    assert "agent" not in variants.tables["sides"]


def test_advice_at_the_end_of_a_line_names_the_option_too():
    assert (
        arguments_to_options("r: is not empty; name another folder")
        == "r: is not empty; name another folder with --out"
    )
    assert arguments_to_options("name another folder, or none") == "name another folder, or none"
