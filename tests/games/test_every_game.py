"""Every command serves every game, with nothing said about which."""

import io
import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

import strozzi_sim as ss
from our_games import OUR_GAMES
from strozzi_sim.agent import Param, load_agent
from strozzi_sim.cli import app
from strozzi_sim.cli.play import spoken
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import shipped_variants
from strozzi_sim.play.position import Position
from strozzi_sim.play.records import numbered_game
from strozzi_sim.study.kinds.balance import _tiers
from strozzi_sim.study.wording import player_sentence

SEARCHER = "ismcts:iterations=20"


@pytest.fixture(params=OUR_GAMES)
def game(request):
    return load_game(request.param)


@pytest.fixture
def document(capsys):
    """Run a command with --json; returns its document."""

    def run(*arguments):
        capsys.readouterr()
        code = app.run([*map(str, arguments), "--json"])
        out = capsys.readouterr()
        assert code == 0, out.err
        return json.loads(out.out)

    return run


def fewest(game):
    return game.player_counts[0]


def test_the_usual_agent_plays_where_none_is_named_and_can_be_tuned(game):
    """That every tier plays, `check_game` tells."""
    assert {"weak", "usual"} < set(game.tiers)
    spec = load_agent(game.tiers["usual"], game)
    assert game.default_agent == spec.text
    assert any(isinstance(param, Param) and type(param.default) is float for param in spec.agent.params.values())


def test_every_player_has_a_sentence_with_its_wins_against_usual_ones(game):
    assert game.tier_notes.keys() == game.tiers.keys()
    for tier, agent in game.tiers.items():
        said = player_sentence(game, agent)
        assert said.endswith(".")
        assert ". " not in said
        assert ("of 100 games against" in said) == (tier != "usual")


@pytest.mark.slow
def test_the_declared_wins_of_a_player_are_those_of_its_games(game):
    for tier, note in game.tier_notes.items():
        if note.games and not load_agent(game.tiers[tier], game).searches:
            lineup = [game.tiers[tier], *[game.default_agent] * (note.players - 1)]
            results = ss.simulate(game, players=note.players, agents=lineup, deals=400, seed=1, progress=False)
            wins = results.tables["lineup"].query("figure == 'win_share' and position == 0").iloc[0]
            assert wins["low"] - 0.02 < note.wins < wins["high"] + 0.02


@pytest.mark.parametrize(
    ("counts", "text"), [((3, 4, 5), "3-5 players"), ((2,), "2 players"), ((2, 4), "2, 4 players")]
)
def test_player_counts_with_a_gap_are_listed(game, counts, text):
    other = replace(game)
    vars(other)["state_part"] = SimpleNamespace(PLAYER_COUNTS=counts)
    assert other.player_count_text == text


@pytest.mark.slow_for("strasbourg")
@pytest.mark.slow_for("medici_vs_strozzi")
def test_balance_of_every_variant(game, document):
    variants = ["base", *shipped_variants(game)]
    chosen = [word for name in variants for word in ("--variant", name)]
    size = ("--players", fewest(game), "--deals", 6, "--workers", 1)
    found = document("balance", game.name, *size, "--agents", game.default_agent, *chosen)
    assert {row["variant"] for row in found["tables"]["balance"]} == set(variants)


@pytest.mark.slow
@pytest.mark.slow_for("medici_vs_strozzi", "strasbourg")
def test_balance_plays_the_agents_of_each_strength(game, document):
    """One that searches plays only where its deals tell shares of wins, or where they are named."""
    size = ("--players", fewest(game), "--deals", 2, "--workers", 1)
    found = document("balance", game.name, *size, "--search-deals", 1)
    assert [lineup for [lineup] in found["study"]["lineups"]] == list(game.tiers.values())
    few = document("balance", game.name, *size)
    assert [lineup for [lineup] in few["study"]["lineups"]] == [
        agent for agent in game.tiers.values() if not load_agent(agent, game).searches
    ]
    assert any(spec.searches for spec in _tiers(game, 600 * game.deals_per_search, None)[0])


@pytest.mark.slow_for("strasbourg")
def test_a_replay_ends_with_the_last_board(game, tmp_path, capsys):
    path = tmp_path / "games.jsonl"
    assert app.run(["record", game.name, "--players", str(fewest(game)), "--out", str(path)]) == 0
    assert app.run(["replay", str(path)]) == 0
    recorded = numbered_game(path, 1)
    *_, (position, _) = game.verify.REPLAY.replay_game(recorded.header, recorded.line, recorded.events)
    board = game.view.render(position, recorded.header["components"], recorded.names)
    assert capsys.readouterr().out.rstrip().endswith(board.rstrip())


@pytest.mark.slow_for("medici_vs_strozzi", "strasbourg")
def test_tournament(game, document):
    players = fewest(game)
    field = [game.default_agent, "random", SEARCHER]
    size = ("--players", players, "--deals", 4, "--workers", 1)
    tables = document("tournament", game.name, "--agents", ",".join(field), *size)["tables"]
    assert {row["agent"] for row in tables["agents"]} == set(field)
    assert len({row["seat"] for row in tables["seat_effects"]}) == players


@pytest.mark.slow_for("medici_vs_strozzi", "strasbourg")
def test_compare_agents_and_variants(game, document):
    players = ("--players", fewest(game), "--deals", 6, "--workers", 1)
    agents = document("compare", game.name, game.default_agent, "random", *players)["tables"]
    assert agents["difference"]
    variants = document("compare", game.name, "base", next(iter(shipped_variants(game))), *players)["tables"]
    assert variants["difference"]


@pytest.mark.slow_for("strasbourg")
def test_a_challenger_is_measured(game, document):
    small = ("--deals", 10, "--players", fewest(game), "--workers", 1)
    found = document("exploit", game.name, "random", "--challengers", game.default_agent, *small)
    assert game.default_agent in {row["challenger"] for row in found["tables"]["challengers"]}


def test_a_person_plays_to_the_end(game, capsys, monkeypatch):
    """Whatever is asked, one of these answers is among the choices."""
    answers = "pass\nvenice\nrome\nnaples\nT\nstop\n7\ndecline\ndiscard\n"
    answers = "\n".join([*Position(game, fewest(game), seed=0, deal=0).compound_choices[:1], answers])
    monkeypatch.setattr("sys.stdin", io.StringIO(answers * 2000))
    assert app.run(["play", game.name, "--players", str(fewest(game)), "--agents", "random"]) == 0
    out = capsys.readouterr().out
    assert "you" in out
    assert "You left the table." not in out


def test_what_may_be_chosen_is_said_in_few_words(game):
    table = Position(game, fewest(game), seed=1, deal=0)
    while not table.over:
        meanings = getattr(game.view, "meanings", lambda view, phase: {})(table.view(), int(table.state["phase"][0]))
        lines = spoken(table.compound_choices or table.names, meanings).splitlines()
        assert max(map(len, lines)) <= 100
        assert len(lines) <= 5
        table.play(table.legal[len(table.legal) // 3])


def test_many_numbers_are_said_as_a_range():
    assert spoken([str(price) for price in range(121)], {}) == "0 to 120"
    assert spoken(["buy", "1", "2", "3", "4", "7", "pass"], {}) == "buy / 1 to 4 / 7 / pass"
    assert spoken(["1", "2", "3"], {"2": "two"}) == "1 / 2 (two) / 3"
