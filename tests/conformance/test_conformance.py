"""Both games keep every promise, and a game or an agent that breaks one is refused in words that say which."""

import dataclasses
from types import SimpleNamespace

import pytest

from machine_code import with_kernels
from medici_games import MEDICI_VS_STROZZI, variant
from our_games import OUR_GAMES
from strozzi_games import BASE, STROZZI
from strozzi_sim.agent import load_agent, python_agent, spec_of
from strozzi_sim.conformance import PROMISES, ContractViolation, check_agent, check_game
from strozzi_sim.conformance import game as checks
from strozzi_sim.conformance.kernels import kernels
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.play.position import Position
from strozzi_sim.play.start import GameSetup

HIDDEN = variant("hidden-cash")


@pytest.mark.slow
@pytest.mark.parametrize("name", OUR_GAMES)
def test_every_game_keeps_its_promises(name):
    game = load_game(name)
    found = check_game(game, players=[game.player_counts[0]], deals=1)
    assert found.games == 1
    assert set(PROMISES) - {"determinize"} <= set(found.promises)
    assert all(found.promises.values())


@pytest.mark.nightly
@pytest.mark.parametrize("name", OUR_GAMES)
def test_every_game_keeps_its_promises_at_every_player_count(name):
    game = load_game(name)
    assert check_game(game, deals=4, seed=3).games == 4 * len(game.player_counts)


@pytest.mark.nightly
def test_hidden_cash_keeps_them_too():
    assert check_game(MEDICI_VS_STROZZI, variant=HIDDEN, deals=1).promises["conceal"] > 100


def broken(promise, game=STROZZI, **options):
    with pytest.raises(ContractViolation) as refused:
        check_game(game, deals=1, players=[game.player_counts[0]], **options)
    assert refused.value.promise == promise
    words = str(refused.value)
    assert f"{game.name}: {promise}: " in words
    assert "seed 0, deal " in words
    return words


def test_a_conceal_that_leaks_is_refused(monkeypatch):
    """One that forgets the cash: a world in which the rival owns something else looks different."""
    concealing = kernels(MEDICI_VS_STROZZI).conceal

    def leaky(states, rules, seat):
        cash = states["cash"].copy()
        concealing(states, rules, seat)
        states["cash"] = cash

    def known(position, seat):
        state = position.state.copy()
        leaky(state, position.variant.rules, seat)
        return state

    monkeypatch.setattr(Position, "concealed", known)
    monkeypatch.setattr(checks, "kernels", lambda game: with_kernels(kernels(game), conceal=leaky))
    words = broken("conceal", MEDICI_VS_STROZZI, variant=HIDDEN)
    assert "is shown cash, which differs between worlds of equal knowledge" in words


@pytest.mark.slow
def test_a_biased_determinize_is_refused(monkeypatch):
    """One that makes everybody rich: no other promise sees it, since every seat knows all coins of the drawn world."""

    def rich(states, rules, seat, randoms):
        states["coins"][0, :3] += 200

    monkeypatch.setattr(checks, "kernels", lambda game: with_kernels(kernels(game), determinize=rich))
    monkeypatch.setattr(checks, "_check_knowledge", lambda here, position, rng: None)
    words = broken("determinize", variant=dataclasses.replace(BASE, hidden=True))
    assert "coins (as seat 0 knows it) is lower in 0 drawn worlds and higher in " in words


def test_a_core_that_plays_otherwise_with_a_journal_is_refused(monkeypatch):
    replay = GameSetup.replay

    def otherwise(start, actions):
        state, rows = replay(start, actions)
        state["coins"][0, 0] += 1
        return state, rows

    monkeypatch.setattr(GameSetup, "replay", otherwise)
    assert "the game with a journal differs from the one without" in broken("one deal, one game")


def test_an_illegal_event_is_refused(monkeypatch):
    to_lines = STROZZI.events.EVENTS.to_lines

    def wrong(*arguments):
        for line in to_lines(*arguments):
            yield {**line, "port": "rome"} if line["type"] == "place" else line

    monkeypatch.setattr(STROZZI.events.EVENTS, "to_lines", wrong)
    assert "the reference refuses the core's game: line " in broken("records")


def test_a_reference_that_accepts_anything_is_refused(monkeypatch):
    monkeypatch.setattr(STROZZI.verify, "REPLAY", SimpleNamespace(check_game=lambda header, line, lines: None))
    assert "the reference accepts a record with its last line missing" in broken("records")


def test_a_winner_in_the_record_who_is_not_placed_first_is_refused(monkeypatch):
    to_lines = STROZZI.events.EVENTS.to_lines

    def wrong(*arguments):
        for line in to_lines(*arguments):
            yield {**line, "winners": [0, 1, 2]} if line["type"] == "score_end" else line

    monkeypatch.setattr(STROZZI.events.EVENTS, "to_lines", wrong)
    monkeypatch.setattr(STROZZI.verify, "REPLAY", SimpleNamespace(check_game=lambda header, line, lines: None))
    assert "the last line has winners [0, 1, 2], `score` and `placing` [" in broken("records")


def test_a_wrong_counted_tree_is_refused(monkeypatch):
    monkeypatch.setattr(checks.tomllib, "loads", lambda text: {"leaves": {"3": [4, 12]}})
    assert "11 positions after 2 decisions, not 12" in broken("move trees")


def test_actions_with_one_name_are_refused(monkeypatch):
    monkeypatch.setattr(STROZZI.view, "action_name", lambda action, view: "pass")
    assert "two actions have one name" in broken("words")


def test_names_of_other_things_than_those_chosen_together_are_refused(monkeypatch):
    monkeypatch.setattr(STROZZI.view, "compound_choices", lambda view, phase: ("pass", "ware"), raising=False)
    assert "must be a subset of ('pass', 'ware'), in this order" in broken("words")


@pytest.mark.parametrize(
    ("tiers", "words"),
    [
        ({"weak": "fair-price"}, "tiers: agent 'fair-price' does not play strozzi with 3 players"),
        ({"weak": "random", "strong": "nobody"}, "tiers: unknown agent 'nobody'"),
        (
            {"strong": "learned:redraws=32,beyond=2"},
            "tiers: write 'learned:beyond=2,redraws=32', not 'learned:redraws=32,beyond=2'",
        ),
    ],
)
def test_a_tier_that_cannot_play_is_refused(tiers, words):
    assert words in broken("tiers", dataclasses.replace(STROZZI, tiers=tiers))


@pytest.mark.parametrize(
    ("tier", "hint"),
    [
        ("expert", "known: weak, usual, trained, strong"),
        ("midle", "known: weak, usual, trained, strong"),
        ("middle", "call it 'usual'"),
        ("learned", "call it 'trained'"),
        ("search", "call it 'strong'"),
    ],
)
def test_an_unknown_tier_is_refused_with_a_hint(tier, hint):
    with pytest.raises(InputError) as failed:
        dataclasses.replace(STROZZI, tiers={"weak": "random", tier: "random"})
    assert str(failed.value) == f"game 'strozzi': tiers: unknown tier {tier!r}; {hint}"


def test_a_player_count_that_the_game_does_not_take_is_an_invalid_argument():
    with pytest.raises(InputError, match="strozzi takes 3-6 players, got 9"):
        check_game(STROZZI, players=[9])


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_agents_keep_their_promises(name):
    assert check_agent(name, STROZZI, players=[3], deals=1).decisions > 20


def test_an_agent_with_a_mood_is_refused():
    calls = []

    @python_agent(name="moody")
    class Moody:
        def act(self, view, legal, rng):
            calls.append(0)
            return legal[len(calls) % len(legal)]

    with pytest.raises(ContractViolation, match=r"agent moody: leak-check: it chose '\w+', but '\w+' after a change"):
        check_agent(spec_of(Moody), STROZZI, players=[3], deals=1)
    assert load_agent("random").builtin
