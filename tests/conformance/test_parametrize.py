"""`game_checks` and `agent_checks`: each promise by itself, reasons for failures, and reasons that are no longer true."""

import pytest

from strozzi_games import STROZZI
from strozzi_sim.conformance import PROMISES, ContractViolation, agent_checks, game_checks
from strozzi_sim.errors import InputError
from strozzi_sim.kernel.journal import JournalFull
from strozzi_sim.play.start import GameSetup

FILE = """
import pytest
from dataclasses import replace

from strozzi_sim.conformance import agent_checks, game_checks
from strozzi_sim.game import load_game

game = replace(load_game("strozzi"), tiers={{"usual": "nobody"}})  # an agent that does not exist


@pytest.mark.parametrize("check", game_checks(game, players=[3], deals=1, expected_failures={expected}))
def test_game(check):
    check()


@pytest.mark.parametrize("check", agent_checks(["random", "greedy"], "strozzi", players=[3], deals=1))
def test_agent(check):
    check()
"""


def test_every_promise_is_a_test():
    assert [each.id for each in game_checks(STROZZI, players=[3])] == [f"3 players-{promise}" for promise in PROMISES]


def test_what_a_game_does_not_promise_is_skipped():
    found = {parameter.id: parameter for parameter in game_checks(STROZZI, variant="long-tracks", players=[3], deals=1)}
    with pytest.raises(pytest.skip.Exception, match="nothing to check for 'move trees'"):
        found["3 players-move trees"].values[0]()


def test_an_error_is_told_by_every_promise_that_was_not_reached(monkeypatch):
    def fails(here):
        raise ZeroDivisionError("in the game's code")

    monkeypatch.setattr("strozzi_sim.conformance.game.check_table", fails)
    checks = {parameter.id: parameter.values[0] for parameter in game_checks(STROZZI, players=[3], deals=1)}
    checks["3 players-records"]()
    for promise in ("table", "tiers"):
        with pytest.raises(ZeroDivisionError):
            checks[f"3 players-{promise}"]()


def test_an_error_is_told_by_the_promise_whose_check_it_ended(monkeypatch):
    def fails(checked):
        checked.require("table", True, "")  # one of its checks holds
        raise ZeroDivisionError("in the game's code")

    monkeypatch.setattr("strozzi_sim.conformance.game.check_table", fails)
    checks = {parameter.id: parameter.values[0] for parameter in game_checks(STROZZI, players=[3], deals=1)}
    with pytest.raises(ZeroDivisionError):
        checks["3 players-table"]()


def test_a_game_that_does_not_end_is_named_and_ends_the_check(monkeypatch):
    monkeypatch.setattr("strozzi_sim.conformance.game.MAX_DECISIONS", 3)
    checks = {parameter.id: parameter.values[0] for parameter in game_checks(STROZZI, players=[3], deals=1)}
    for promise in ("legal actions", "results", "table"):
        with pytest.raises(ContractViolation, match="legal actions: the game does not end"):
            checks[f"3 players-{promise}"]()


def test_a_journal_that_is_too_small_is_named_also_by_promises_that_need_it(monkeypatch):
    def fails(start, actions):
        raise JournalFull("strozzi", 9, 1)

    monkeypatch.setattr(GameSetup, "replay", fails)
    checks = {parameter.id: parameter.values[0] for parameter in game_checks(STROZZI, players=[3], deals=1)}
    checks["3 players-results"]()
    with pytest.raises(ContractViolation, match="journal: a game wrote 9 events"):
        checks["3 players-journal"]()
    with pytest.raises(JournalFull):
        checks["3 players-records"]()


@pytest.mark.parametrize(
    ("expected", "outcomes"),
    [
        pytest.param({}, {"passed": 19, "failed": 1}, marks=pytest.mark.slow),
        ({"tiers": "no agents yet", "words": "no names yet"}, {"passed": 18, "xfailed": 1, "failed": 1}),
    ],
)
def test_pytest_runs_them_and_one_broken_promise_does_not_hide_the_others(pytester, expected, outcomes):
    pytester.makepyfile(FILE.format(expected=expected))
    pytester.runpytest_inprocess("-p", "no:cacheprovider", "-o", "addopts=").assert_outcomes(**outcomes)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: game_checks("strozzi", expected_failures={"trees": "?"}), "unknown promise 'trees'"),
        (lambda: agent_checks(["random"], "strozzi", expected_failures={"greedy": "?"}), "unknown agent 'greedy'"),
        (lambda: game_checks("no-such-game"), "unknown game 'no-such-game'"),
    ],
)
def test_what_is_not_known_is_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_an_agent_and_player_count_is_a_test():
    assert [parameter.id for parameter in agent_checks(["random", "greedy"], "strozzi", players=[3, 4])] == [
        "random-3 players", "random-4 players", "greedy-3 players", "greedy-4 players",
    ]  # fmt: skip
    for reason in ("a reason", ""):
        (marked,) = agent_checks(["random"], "strozzi", players=[3], expected_failures={"random": reason})
        assert marked.marks[0].kwargs["reason"] == reason
