"""The signature of a game: one number that any change of play changes, and that the machine remembers."""

import json

import pytest

from strozzi_sim.cli.app import run as command
from strozzi_sim.game import game_names
from strozzi_sim.simulation import signature as module
from strozzi_sim.simulation.match import Match
from strozzi_sim.simulation.signature import known_signature, signature


@pytest.fixture
def stored(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "cache_root", lambda: tmp_path)
    return tmp_path / module.STORED


def test_the_command_prints_it(stored, capsys):
    assert command(["signature", "strozzi", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    found = signature("strozzi")
    assert document["signatures"] == {"strozzi": found}
    assert len(found) == 16
    assert command(["signature", "strozzi"]) == 0
    assert found in capsys.readouterr().out
    assert command(["signature", "strozi"]) == 2
    assert "strozzi" in game_names()


def test_it_is_known_once_it_was_computed(stored):
    assert known_signature("strozzi") is None
    found = signature("strozzi")
    assert known_signature("strozzi") == found
    stored.write_text("{broken")
    assert known_signature("strozzi") is None
    assert signature("strozzi") == found  # a broken file is replaced
    assert known_signature("strozzi") == found


def test_one_point_in_one_game_of_one_agent_changes_it(stored, monkeypatch):
    plain, played = signature("strozzi"), []
    honest = Match.play

    def alter(match, *arguments, **named):
        result = honest(match, *arguments, **named)
        played.append(match)
        if len(played) == 7:
            result.outcome["scores"][0, 0, 0] += 1
        return result

    monkeypatch.setattr(Match, "play", alter)
    assert module._signature.__wrapped__("strozzi") != plain
    agents = {spec.agent.name for match in played for spec in match.lineup}
    assert {"random", "greedy", "heuristic", "strategist", "ismcts", "flat_mc"} <= agents
    assert {match.players for match in played} == {3, 6}
