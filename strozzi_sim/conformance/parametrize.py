"""The checks of `check_game` and `check_agent` as parameters of a pytest test; some may be expected to fail."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from strozzi_sim.agent import AnyAgent
from strozzi_sim.agent.names import agents_named
from strozzi_sim.conformance.agent import check_agent
from strozzi_sim.conformance.checked import GameCheck
from strozzi_sim.conformance.game import PROMISES, check_promises
from strozzi_sim.errors import as_argument_error, check_names
from strozzi_sim.game import find_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import BASE, Variant


@dataclass
class _CheckedGames:
    """The check of one player count, whose games are played once for all promises."""

    game: Game
    variant: str | Variant
    players: int
    deals: int
    seed: int

    @cached_property
    def outcome(self) -> tuple[GameCheck, Exception | None]:
        result = GameCheck(continues=True)
        try:
            check_promises(self.game, self.variant, [self.players], self.deals, self.seed, result)
        except Exception as error:  # noqa: BLE001 - any fault of the game's code; promises not reached raise it
            return result, error
        return result, None

    def check(self, promise: str) -> None:
        import pytest

        result, error = self.outcome
        if promise in result.broken:
            raise result.broken[promise]
        # `promises` counts the checks of each promise reached, and the error came in the one `under_way`
        if error is not None and (promise not in result.promises or promise == result.under_way):
            raise error
        if promise in result.promises:
            return
        pytest.skip(f"{self.game.name} has nothing to check for {promise!r}")


def game_checks(
    game: str | Game,
    *,
    variant: str | Variant = BASE,
    players: Sequence[int] | None = None,
    deals: int = 5,
    seed: int = 0,
    expected_failures: Mapping[str, str] | None = None,
) -> list[Any]:
    """Return the checks of `check_game` for `pytest.mark.parametrize`, one for each player count and promise.

    Call a check to run it. The games of a player count are played once, at its first check. One broken promise does
    not hide the others, but an error or an endless game ends the games: checks not reached then raise it too.

    The arguments are those of `check_game`, and `expected_failures`: promise known to be broken -> reason; its tests
    fail once the promise holds.

    ::

        from strozzi_sim.conformance import game_checks

        @pytest.mark.parametrize("check", game_checks("fair", expected_failures={"table": "not drawn yet"}))
        def test_fair(check):
            check()
    """
    game, expected = find_game(game), _reasons(expected_failures, PROMISES, "promise")
    parameters = []
    for count in players or game.player_counts:
        check = _CheckedGames(game, variant, count, deals, seed).check
        parameters += [_parameter(partial(check, p), f"{count} players-{p}", expected.get(p)) for p in PROMISES]
    return parameters


def agent_checks(
    agents: Sequence[AnyAgent],
    game: str | Game,
    *,
    variant: str | Variant = BASE,
    players: Sequence[int] | None = None,
    deals: int = 2,
    seed: int = 0,
    expected_failures: Mapping[str, str] | None = None,
) -> list[Any]:
    """Return the checks of `check_agent` for `pytest.mark.parametrize`, one for each agent and player count.

    The other arguments are those of `check_agent`, and `expected_failures`: spec string of an agent known to fail ->
    reason; its tests fail once the agent passes.
    """
    game = find_game(game)
    specs = agents_named(game, agents)
    expected = _reasons(expected_failures, [spec.text for spec in specs], "agent")
    return [
        _parameter(
            partial(check_agent, spec, game, variant=variant, players=[count], deals=deals, seed=seed),
            f"{spec.text}-{count} players",
            expected.get(spec.text),
        )
        for spec in specs
        for count in players or game.player_counts
        if spec.agent.plays(game, count)
    ]


def _reasons(reasons: Mapping[str, str] | None, names: Sequence[str], kind: str) -> Mapping[str, str]:
    as_argument_error("expected_failures", check_names, kind, reasons or {}, names)
    return reasons or {}


def _parameter(check: Callable[[], Any], name: str, reason: str | None) -> Any:
    import pytest

    marks = [] if reason is None else [pytest.mark.xfail(reason=reason, strict=True)]
    return pytest.param(check, id=name, marks=marks)
