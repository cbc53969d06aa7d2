"""The Python door: the public names and their examples, what results hold, agents in code, and wrong arguments by name."""

import dataclasses
import doctest
import inspect
import os
import runpy
import shutil
import subprocess
import sys

import pandas as pd
import pytest

import strozzi_sim as ss
from paths import ROOT
from strozzi_games import STROZZI
from strozzi_sim.agent import load_agent, spec_of
from strozzi_sim.agent.names import agents_named, lineups_of
from strozzi_sim.errors import ArgumentError, InputError
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.study.kinds import KINDS
from strozzi_sim.study.results import Frames
from study_examples import played

NAMES = [name for name in dir(ss) if name != "__version__"]
SHEETS = str(ROOT / "tests" / "study" / "sheets.csv")
GIVEN = {  # what a kind of study needs to be asked at all
    "compare": {"first": "random", "second": "greedy"}, "exploit": {"agent": "random"}, "leak_check": {"agent": "random"},
    "heatmap": {"rows": "seat", "columns": "round", "fact": "round"}, "sweep": {"values": "tracks.bonus.9 = 10 15"}, "our_table": {"file": SHEETS},
    "worth": {"things": "flag:pirate"}, "tournament": {"agents": "random,greedy,racer,trader"},
}  # fmt: skip
WRONG = {  # a value by argument
    "game": "strozi", "source": "strozi", "players": "9", "agents": "nobody", "agent": "nobody", "first": "nobody", "second": "nobody",
    "opponents": "nobody", "challengers": "nobody", "deals": -1,
    "seatings": "round", "variant": "nope", "seed": -1, "workers": 0, "facts": "shp", "facts_share": 2, "heatmaps": "flag-by",
    "max_matchups": 0, "name": "Not A Name", "rows": "saet", "columns": "ruond", "value": "mean cons", "fact": "ruond",
    "where": "saet == 1", "effect": -1, "settings": "x", "things": "flag:gold", "every": True, "search_deals": -1, "precision": 26, "keys": "nothing",
    "seconds": 0, "file": str(ROOT / "nowhere.csv"), "luck": "nobody", "luck_redraws": 0, "template": str(ROOT / "README.md"), "games": 3, "playouts": 0,
    "values": "tracks.no = 1 2", "code": "bots.py", "targets": "gap", "keep": "gap", "most": 4, "reach": 0, "only": "nothing",
}  # fmt: skip
OF_ANOTHER_KIND = {"folder", "progress", "title", "study"}  # a title is free, files are named with their place


@pytest.fixture(scope="module")
def results():
    agents = ["heuristic", "random"]
    return ss.simulate("strozzi", players=[3, 4], agents=agents, deals=60, rows=True, facts=["ship"], workers=1)


def test_the_names_are_listed_and_others_suggest_one():
    assert sorted(dir(ss)) == dir(ss) == ss.__all__
    assert all(getattr(ss, name) is getattr(ss, name) for name in NAMES)
    with pytest.raises(AttributeError, match=r"no attribute 'simulat'; known: .* did you mean 'simulate'"):
        _ = ss.simulat


def test_tables_that_a_user_changes_change_no_report(results):
    changed = dataclasses.replace(results, tables=Frames({name: each.copy() for name, each in results.tables.items()}))
    for table in changed.tables.values():
        if "value" in table:
            table["value"] *= 100
        table.loc[0, "value"] = -1
    changed.tables["balance"].loc[:, "n"] = 0
    assert changed.tables["seats"]["value"].iloc[1] == 100 * results.tables["seats"]["value"].iloc[1]
    assert changed.verdict == results.verdict
    assert changed._repr_html_() == results._repr_html_()
    pd.testing.assert_frame_equal(changed.plot("seats").table, results.plot("seats").table)


def test_names_of_what_is_installed():
    assert {"medici_vs_strozzi", "strasbourg", "strozzi"} <= set(ss.game_names())
    assert "random" in ss.agents()
    assert "fair-price" not in ss.agents("strozzi")


@pytest.mark.slow_for("VectorEnv")
@pytest.mark.slow_for("analyse")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in ("check_game", "exploit", "sweep", "weights") else [])
        for name in NAMES
    ],
)
def test_every_name_is_documented_and_its_examples_run(name, monkeypatch):
    thing = getattr(ss, name)
    assert inspect.getdoc(thing)
    if inspect.isclass(thing) or inspect.isfunction(thing):
        monkeypatch.chdir(ROOT)
        tests = doctest.DocTestFinder(recurse=False).find(thing, name, globs=vars(sys.modules[thing.__module__]))
        for test in tests:
            assert not doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed, name


def test_the_page_of_the_interface_is_made_of_the_docstrings():
    made = runpy.run_path(str(ROOT / "docs" / "write_api.py"))["page"]()
    assert made == (ROOT / "docs" / "api.md").read_text(), "run python docs/write_api.py"


def test_type_checkers_find_the_names_that_are_imported_on_first_use():
    made = runpy.run_path(str(ROOT / "docs" / "write_api.py"))["stub"]()
    assert made == (ROOT / "strozzi_sim" / "__init__.pyi").read_text(), "run python docs/write_api.py"
    assert all(f'    "{name}",\n' in made for name in dir(ss))


NEW_KIND = """from __future__ import annotations

from typing import Unpack

from strozzi_sim.agent.names import Agents
from strozzi_sim.game import Game, find_game
from strozzi_sim.study.arguments import StudyOptions, documented
from strozzi_sim.study.model import Study
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import play


@documented(asks="Is it new?", about="A kind of one file.", quick={"deals": 7}, tables=("seats",))
def brand_new(game: str | Game, agents: Agents = (), *, often: int = 3, **options: Unpack[StudyOptions]) -> Results:
    \"\"\"Measure nothing.

    Example: strozzi brand-new strozzi

    Args:
        agents: agents
        often: how often
    \"\"\"
    return play(BrandNew, options, game=find_game(game), lineups=[["random"]])


class BrandNew(Study):
    \"\"\"Nothing.\"\"\"

    kind = "brand_new"
"""
ASKED_OF_IT = """
import strozzi_sim as ss
from strozzi_sim.cli.app import run
from strozzi_sim.cli.mcp import schema_of
from strozzi_sim.desk.questions import Asked, python_of, questions, words_for
from strozzi_sim.study.kinds import kind_named

print(kind_named("brand_new").__name__, "brand_new" in ss.__all__, ss.brand_new.__module__, "brand-new" in questions())
print(schema_of("brand_new")["properties"]["deals"]["default"])
words = words_for(Asked(game="strozzi", question="brand-new", precision="quick"))
print(*words)
print(python_of([*words, "--agents=random"]).splitlines()[2])
run(["--help"])
run(["brand-new", "--help"])
"""


@pytest.mark.slow
def test_a_new_kind_is_one_file_and_one_entry(tmp_path):
    """Its public name, command, tool and question follow."""
    package = shutil.copytree(ROOT / "strozzi_sim", tmp_path / "strozzi_sim")
    (package / "study" / "kinds" / "brand_new.py").write_text(NEW_KIND)
    listed = package / "study" / "kinds" / "__init__.py"
    listed.write_text(
        listed.read_text().replace("KINDS = (\n", 'KINDS = (\n    Kind("brand_new", "Measure nothing."),\n')
    )
    path = os.pathsep.join([str(tmp_path), str(ROOT / "agents")])
    environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "120"}
    command = [sys.executable, "-c", ASKED_OF_IT]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    first, default, words, python, *help_lines = done.stdout.splitlines()
    assert first == "BrandNew True strozzi_sim.study.kinds.brand_new True"
    assert (default, words) == ("7", "brand-new strozzi --deals 7")
    assert python == 'results = ss.brand_new("strozzi", agents="random", deals=7)'
    assert "  brand-new    Measure nothing." in help_lines
    assert "  --often N      how often; default: 3" in help_lines


def test_results_hold_tables_games_and_facts(results):
    assert results.n_games == results.new_games == 60 * 3 + 60 * 4
    seats = results.tables["seats"].query("figure == 'win_share' and players == 4")
    assert seats["value"].sum() == pytest.approx(1)
    assert (seats["low"] < seats["value"]).all()
    assert len(results.games) == 60 * 3 * 3 + 60 * 4 * 4
    first = results.games.query("players == 4 and seat == 0")
    assert (first["place"] == 1).mean() == pytest.approx(seats["value"].iloc[0], abs=0.02)  # shared wins apart
    assert results.facts("ship").groupby("players", observed=True).size().index.tolist() == [3, 4]
    with pytest.raises(InputError, match="keeps no rows of a fact table 'tile'"):
        results.facts("tile")
    with pytest.raises(KeyError, match=r"no table 'seat'; known: .*did you mean 'seats'"):
        results.tables["seat"]


def test_rows_of_games_are_those_of_a_study_in_a_folder(tmp_path, results):
    lineups = [["heuristic", "random", "heuristic"], ["heuristic", "random", "heuristic", "random"]]
    kept = played({"game": "strozzi", "players": [3, 4], "deals": 60, "rows": True, "lineups": lineups}, tmp_path)
    pd.testing.assert_frame_equal(kept.games, results.games)
    study, look = ss.read_study(tmp_path)
    again = ss.run(study, tmp_path, look=look, workers=1)
    assert again.new_games == 0
    pd.testing.assert_frame_equal(again.tables["seats"], kept.tables["seats"])
    assert (kept.games.groupby(["players", "deal", "seating"])["place"].sum().isin([6, 10])).all()


def test_names_and_objects_are_one_study():
    (long,) = (resolve_variant(STROZZI, "long-tracks"),)
    given = {"deals": 6, "seed": 2, "workers": 1}
    named = ss.simulate("strozzi", agents=["greedy"], players=3, variant="long-tracks", **given)
    of_objects = ss.simulate(STROZZI, agents=[load_agent("greedy")], players=[3], variant=long, **given)
    assert named.study == of_objects.study
    assert named.study.hash == of_objects.study.hash
    assert all(frame.equals(of_objects.tables[name]) for name, frame in named.tables.items())


def test_heat_maps_are_counted_as_by_a_study():
    own = {"rows": "flag", "columns": "cards_left", "value": "mean prize", "where": "round == 3"}
    given = {"players": 3, "agents": "random", "deals": 120, "workers": 1}
    mapped = ss.simulate("strozzi", heatmaps=["flag-by-sail", own], **given).tables
    keys = {"game": "strozzi", "players": [3], "deals": 120, "lineups": [["random"]], "heatmaps": ["flag-by-sail"]}
    asked = played({**keys, "heatmap": [{"name": "mine", **own}]}).tables
    (name,) = {key for key in mapped if key.startswith("heat_")} - {"heat_flag_by_sail"}
    pd.testing.assert_frame_equal(mapped["heat_flag_by_sail"], asked["heat_flag_by_sail"])
    pd.testing.assert_frame_equal(mapped[name], asked["heat_mine"])


@ss.python_agent(name="first-legal", games=("strozzi",))
class FirstLegal:
    """Takes the first legal action."""

    def act(self, view, legal, rng):
        return legal[0]


def test_agents_declared_in_code_play():
    agents = [FirstLegal, "heuristic", spec_of(FirstLegal)]
    results = ss.simulate("strozzi", players=3, agents=agents, deals=4, workers=1)
    assert list(results.tables["lineup"]["agent"].unique()) == ["first-legal", "heuristic"]
    study = ss.Study.of(game="strozzi", players=[3], deals=4, lineups=[[FirstLegal, "heuristic", "random"]])
    assert ss.run(study, workers=1).n_games == 12


def test_a_line_up_is_dealt_out_over_the_seats():
    greedy, random = agents_named(STROZZI, ["greedy", "random"])
    assert lineups_of(STROZZI, "greedy", [3, 4]) == [(greedy,)]
    found = lineups_of(STROZZI, ["greedy", "random"], [3, 4])
    assert found == [(greedy, random, greedy), (greedy, random, greedy, random)]
    with pytest.raises(ArgumentError, match=r"^agents: 4 agents \(greedy,random,greedy,random\) for 3 seats; give"):
        lineups_of(STROZZI, "greedy,random,greedy,random", [4, 3])
    with pytest.raises(ArgumentError, match=r"^opponents: 4 agents for 3 other seats"):
        ss.compare("strozzi", "random", "greedy", opponents=["random"] * 4)


def cases():
    for function in (kind.name for kind in KINDS):
        for argument in inspect.signature(getattr(ss, function)).parameters:
            if argument not in OF_ANOTHER_KIND and (function, argument) != ("simulate", "rows"):
                yield function, argument


@pytest.mark.parametrize(("function", "argument"), list(cases()))
def test_a_wrong_argument_is_named(function, argument):
    first = "source" if function == "heatmap" else "game"
    given = {first: "strozzi", **GIVEN.get(function, {}), argument: WRONG[argument]}
    if argument == "template":  # instead of the sheets
        given.pop("file")
    if argument in ("agents", "precision") and "deals" in inspect.signature(getattr(ss, function)).parameters:
        given.setdefault("deals", 20)
    with pytest.raises(ArgumentError) as refused:
        getattr(ss, function)(**given)
    assert refused.value.argument == argument
    assert str(refused.value).startswith(f"{argument}: ")
