"""A name may mean another agent in each game: entry points NAME@GAME, and look-ups that take the game."""

import pickle
import sys
import textwrap
from importlib.metadata import EntryPoint

import pytest

from medici_games import MEDICI_VS_STROZZI
from strozzi_games import BASE, STROZZI
from strozzi_sim.agent import compiled_agent, load_agent, registry, spec_of
from strozzi_sim.agent.compile import compile_agent
from strozzi_sim.agent.registry import agents, installed_agents
from strozzi_sim.cli import app
from strozzi_sim.errors import InputError
from strozzi_sim.runtime.entry_points import find_entry_points
from strozzi_sim.simulation.match import Match

OF_GAMES = """
    from strozzi_sim.agent import Policy, compiled_agent
    from strozzi_sim.game.contract import kth_legal

    @compiled_agent(name="twin", games=("strozzi",), margin=2.0)
    def ours(state, rules, params, memory, rng):
        '''Ours.'''
        return kth_legal(state, rules, 0)

    @compiled_agent(name="twin", games=("medici_vs_strozzi",), thrift=0.5)
    def theirs(state, rules, params, memory, rng):
        '''Theirs.'''
        return kth_legal(state, rules, 1)

    @compiled_agent(name="plain")
    def plain(state, rules, params, memory, rng):
        return kth_legal(state, rules, 0)

    @compiled_agent(name="plain", games=("strozzi",))
    def plainer(state, rules, params, memory, rng):
        return kth_legal(state, rules, 1)

    @compiled_agent(name="boss", rollout=Policy("twin"))
    def boss(state, rules, params, memory, rng):
        return kth_legal(state, rules, 0)
"""
POINTS = {
    "twin@strozzi": "ours", "twin@medici_vs_strozzi": "theirs", "plain": "plain", "plain@strozzi": "plainer", "boss": "boss",
    "astray@strozzi": "lost", "wrong@strozzi": "theirs", "plain@medici_vs_strozzi": "plainer",
}  # fmt: skip


def test_the_name_of_a_tier_is_its_agent_unless_an_agent_has_the_name(of_games, monkeypatch):
    assert load_agent("usual", "strozzi").text == "heuristic"
    assert load_agent("trained", "strasbourg").text == "learned:redraws=4"
    assert load_agent("strong:redraws=32~flag:pirate", STROZZI).text == "learned:beyond=4,redraws=32~flag:pirate"
    with pytest.raises(InputError, match="unknown agent 'usual'"):
        load_agent("usual")
    monkeypatch.setitem(STROZZI.tiers, "twin", "heuristic")
    assert load_agent("twin", STROZZI).text == "twin"


@pytest.fixture
def of_games(tmp_path, monkeypatch):
    """Install agents of one name for several games; `astray` cannot be imported, so nobody may look at it unasked."""
    (tmp_path / "bots_of_games.py").write_text(textwrap.dedent(OF_GAMES))
    monkeypatch.syspath_prepend(str(tmp_path))
    points = {name: EntryPoint(name, f"bots_of_games:{value}", registry.GROUP) for name, value in POINTS.items()}
    monkeypatch.setattr(registry, "find_entry_points", lambda group: {**find_entry_points(group), **points})
    registry._agent_at.cache_clear()
    yield
    registry._agent_at.cache_clear()
    sys.modules.pop("bots_of_games", None)


def test_a_name_means_the_agent_of_its_game(of_games):
    ours, theirs = (load_agent("twin", game) for game in (STROZZI, "medici_vs_strozzi"))
    assert (ours.text, theirs.text) == ("twin", "twin")
    assert (set(ours.values), set(theirs.values)) == ({"margin"}, {"thrift"})
    assert load_agent("twin:margin=3", STROZZI).text == "twin:margin=3"
    with pytest.raises(InputError, match="twin has no parameter 'margin'; known: thrift"):
        load_agent("twin:margin=3", MEDICI_VS_STROZZI)
    assert load_agent("plain", STROZZI).agent.games == ("strozzi",)  # before the one of every game
    assert load_agent("plain", "another_game").agent.games == ("*",)
    for spec in (ours, theirs, load_agent("boss", MEDICI_VS_STROZZI)):
        again = pickle.loads(pickle.dumps(spec))
        assert (again.agent is spec.agent, again.game) == (True, spec.game)


def test_without_a_game_only_what_means_one_agent_is_found(of_games):
    assert load_agent("greedy").agent.name == "greedy"
    for text in ("twin", "ismcts:rollout=twin"):
        with pytest.raises(InputError, match="agent 'twin' is game-specific; name its game: medici_vs_strozzi,"):
            load_agent(text)
    with pytest.raises(InputError, match="agent 'wrong' does not play medici_vs_strozzi; it plays strozzi"):
        load_agent("wrong", MEDICI_VS_STROZZI)
    assert "twin" in set(agents()) & set(agents(STROZZI)) & set(agents(MEDICI_VS_STROZZI))
    assert not any("@" in name or name == "astray" for name in agents())


def test_policies_are_of_the_same_game(of_games):
    """By name, as a default, and in a match, for which specs made without a game are looked up again."""
    for game, key in ((STROZZI, "margin"), (MEDICI_VS_STROZZI, "thrift")):
        policy, _ = load_agent("flat_mc:rollout=twin", game).policies  # the other one is its model
        assert set(policy.values) == {key}
        assert load_agent("boss", game).policies[0].agent is policy.agent
        assert compile_agent(load_agent("boss", game), game).params["rollout"][0]
    for agent in (load_agent("boss", STROZZI).agent, load_agent("boss", MEDICI_VS_STROZZI).agent):
        assert spec_of(agent, MEDICI_VS_STROZZI).policies[0].values == {"thrift": 0.5}
    with pytest.raises(InputError, match="name its game"):
        spec_of(load_agent("boss", STROZZI).agent)
    assert load_agent("ismcts").resolve_for(STROZZI).game == "strozzi"
    with pytest.raises(InputError, match="agent 'plain' is a different agent in strozzi; look it up for that game"):
        Match(STROZZI, 3, (load_agent("plain"),), BASE, 1)


def test_a_spec_string_has_no_at(tmp_path, of_games):
    file = tmp_path / "me@home.py"
    file.write_text(textwrap.dedent(OF_GAMES))
    assert load_agent(f"{file}::plain").agent.name == "plain"  # but a path may have one
    for text in (
        "twin@strozzi",
        "ismcts:rollout=twin@strozzi",
        "ismcts:rollout=(twin@strozzi:margin=3)",
        "@",
        "no@body",
    ):
        with pytest.raises(InputError, match=r"agent '.*@.*': '@' is not allowed; the game selects the agent$"):
            load_agent(text, STROZZI)
    with pytest.raises(InputError, match="agent 'a@b': '@' is not allowed in a name"):
        compiled_agent(name="a@b")(lambda state, rules, params, memory, rng: 0)


def test_an_entry_point_is_of_a_game_that_its_agent_plays(of_games):
    with pytest.raises(InputError, match="agent 'wrong@strozzi': bots_of_games:theirs is not an agent of that name"):
        load_agent("wrong", STROZZI)
    with pytest.raises(InputError, match="agent 'plain@medici_vs_strozzi': bots_of_games:plainer plays strozzi, not"):
        load_agent("plain", MEDICI_VS_STROZZI)


def test_agents_of_one_name_are_listed_with_their_games(of_games, capsys):
    assert [(agent.games, games) for agent, games in installed_agents("twin")] == [
        (("medici_vs_strozzi",), ["medici_vs_strozzi"]), (("strozzi",), ["strozzi"])
    ]  # fmt: skip
    assert app.run(["agents", "twin"]) == 0
    said = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert [words for words in said if words[0] != "parameter"] == [
        ["twin:", "Theirs."], ["thrift", "0.5"], ["twin:", "Ours."], ["margin", "2"]
    ]  # fmt: skip
    assert app.run(["agents", "astray"]) == 3
