"""Set-up of a game: game, variant, players and chance."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np

from strozzi_sim.errors import ArgumentError, as_argument_error, check_range, short_repr
from strozzi_sim.game import default_players, find_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import AnyVariant, Variant, find_variant
from strozzi_sim.kernel.journal import events_in
from strozzi_sim.kernel.streams import CHANCE, RANDOM, game_key
from strozzi_sim.play.kernels import Kernels, kernels
from strozzi_sim.play.scripted import script_of
from strozzi_sim.simulation.match import check_players

Array = np.ndarray[Any, Any]
MAX_SEED = 2**53 - 1  # of a seed, and of a deal


@dataclass(frozen=True, eq=False)
class GameSetup:
    """A game before its deal."""

    game: Game
    variant: Variant
    players: int
    seed: int
    deal: int
    start_player: int
    script: Array | None  # int64[n], the outcomes of all draws; None if chance is that of seed and deal

    @property
    def moving(self) -> Kernels:
        """Kernels that draw from this kind of chance."""
        return kernels(self.game, scripted=self.script is not None)

    def chance(self) -> tuple[Array, Array]:
        """Return future chance, CHANCE or SCRIPT record of shape (1,), and the initial streams of all seats, RANDOM[P]."""
        chance, rng = np.zeros(1, CHANCE), np.zeros(self.players, RANDOM)
        kernels(self.game).begin(chance, rng, game_key(self.game.name), self.seed, self.players, self.deal)
        return chance if self.script is None else script_of(self.script), rng

    def replay(self, actions: Sequence[int]) -> tuple[Array, Array]:
        """Replay legal actions; return the state, shape (1,), and the journal int32[events, WIDTH]."""
        state, (chance, _) = np.zeros(1, self.game.state), self.chance()
        journal = np.empty(1, self.game.journal)
        journal["count"] = 0
        played = np.array(actions, np.int64)
        self.moving.retell(state, self.variant.rules, chance, journal, self.players, self.start_player, played)
        return state, events_in(journal, self.game.name)


def set_up_game(
    game: str | Game, players: int | None, seed: int, deal: int, variant: AnyVariant, start_player: int = 0,
    script: Iterable[int] | None = None,
) -> GameSetup:  # fmt: skip
    """Return the set-up of a game from names or objects."""
    the_game = find_game(game)
    the_variant = as_argument_error("variant", find_variant, the_game, variant)
    players = default_players(the_game) if players is None else check_integer("players", players)
    check_players(the_game, players, the_variant)
    return GameSetup(
        the_game, the_variant, players, check_integer("seed", seed, MAX_SEED), check_integer("deal", deal, MAX_SEED),
        check_integer("start_player", start_player, players - 1), None if script is None else _outcomes(script),
    )  # fmt: skip


def check_integer(argument: str, value: Any, most: int | None = None) -> int:
    """Return a whole number of any integer type, from 0 to `most`; refuse True and 1.0."""
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = index(value)
    except TypeError:
        raise ArgumentError(argument, f"expected a whole number, got {short_repr(value)}") from None
    if most is not None:
        check_range(argument, number, 0, most)
    return number


def one_per_seat(argument: str, names: Sequence[str] | None, default: str, players: int) -> list[str]:
    """Return names by seat; default: the default name with the seat in {}."""
    if names is None:
        return [default.format(seat) for seat in range(players)]
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ArgumentError(argument, f"expected a list of {players} names, got {short_repr(names)}")
    if len(listed := list(names)) != players:
        raise ArgumentError(argument, f"expected {players} names, got {len(listed)}")
    return listed


def _outcomes(script: Iterable[int]) -> Array:
    if isinstance(script, str | bytes) or not isinstance(script, Iterable):
        raise ArgumentError("chance", f"expected a list of outcomes, whole numbers from 0, got {short_repr(script)}")
    return np.array([check_integer("chance", outcome, 2**32 - 1) for outcome in script], np.int64)
