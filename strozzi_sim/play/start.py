"""The setup of a game: game, variant, players and chance, which may be a script; and actions by name."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strozzi_sim.errors import ArgumentError, as_argument_error, check_whole, in_ranges, short_repr, suggest_names
from strozzi_sim.game import default_players, find_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import AnyVariant, Variant, resolve_variant
from strozzi_sim.kernel.jit import Kernels
from strozzi_sim.kernel.journal import events_in
from strozzi_sim.kernel.record_types import Array, exact_copy
from strozzi_sim.kernel.streams import CHANCE, RANDOM, SCRIPT, game_key
from strozzi_sim.play.kernels import kernels
from strozzi_sim.simulation.match import check_players

MAX_SEED = 2**53 - 1  # largest seed, and largest deal


@dataclass(frozen=True, eq=False)
class GameSetup:
    """A game before its deal."""

    game: Game
    variant: Variant
    players: int
    seed: int
    deal: int
    start_player: int
    script: Array | None  # int64[n], the outcomes of all draws; None: chance follows from seed and deal

    @property
    def kernels(self) -> Kernels:
        """Kernels that draw from this kind of chance."""
        return kernels(self.game, scripted=self.script is not None)

    def chance(self) -> tuple[Array, Array]:
        """Return future chance, CHANCE or SCRIPT record of shape (1,), and the initial streams of seats, RANDOM[P]."""
        chance, rng = np.zeros(1, CHANCE), np.zeros(self.players, RANDOM)
        kernels(self.game).begin(chance, rng, game_key(self.game.name), self.seed, self.players, self.deal)
        return chance if self.script is None else script_of(self.script), rng

    def replay(self, actions: Sequence[int]) -> tuple[Array, Array]:
        """Replay legal actions; return the state, shape (1,), and the journal int32[events, WIDTH]."""
        state, (chance, _) = np.zeros(1, self.game.state), self.chance()
        journal = np.empty(1, self.game.journal)
        journal["count"] = 0
        played = np.array(actions, np.int64)
        self.kernels.retell(state, self.variant.rules, chance, journal, self.players, self.start_player, played)
        return state, events_in(journal, self.game.name)


def set_up_game(
    game: str | Game,
    players: int | None,
    seed: int,
    deal: int,
    variant: AnyVariant,
    start_player: int = 0,
    script: Iterable[int] | None = None,
) -> GameSetup:
    """Return the setup of a game from names or objects, after checks."""
    the_game = find_game(game)
    the_variant = as_argument_error("variant", resolve_variant, the_game, variant)
    players = default_players(the_game) if players is None else check_whole("players", players)
    check_players(the_game, players, the_variant)
    seed, deal = check_whole("seed", seed, 0, MAX_SEED), check_whole("deal", deal, 0, MAX_SEED)
    start_player = check_whole("start_player", start_player, 0, players - 1)
    outcomes = None if script is None else _outcomes(script)
    return GameSetup(the_game, the_variant, players, seed, deal, start_player, outcomes)


def one_per_seat(argument: str, names: Sequence[str] | None, default: str, players: int) -> list[str]:
    """Return a name for every seat: `names`, which errors call `argument`, or `default` with the seat for {}."""
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
    return np.array([check_whole("chance", outcome, 0, 2**32 - 1) for outcome in script], np.int64)


class ScriptEnded(ArgumentError):
    """A draw beyond the end of the script.

    Attributes:
        source: number of the source of chance, which the game's state.py names.
        outcomes: number of possible outcomes of the draw.
    """

    def __init__(self, length: int, source: int, outcomes: int) -> None:
        draw = f"a draw of source {source}, which takes 0 to {outcomes - 1}"
        super().__init__("chance", f"the script of {length} outcomes ends before {draw}")
        self.source, self.outcomes = source, outcomes


def script_of(outcomes: Array) -> Array:
    """Return the SCRIPT record, shape (1,), of outcomes int64[n]; the caller keeps `outcomes` alive."""
    script = np.zeros(1, SCRIPT)
    script["place"], script["left"] = outcomes.ctypes.data, len(outcomes)
    return script


def check_drawn(outcomes: Array | None, chance: Array) -> None:
    """Raise ScriptEnded if the script ended before a draw, ArgumentError if an outcome was invalid; None: no script."""
    if outcomes is None or chance["outcomes"][0] == 0:  # of a draw that failed; 0 if none did
        return
    left, source, outcome_count = (int(chance[name][0]) for name in ("left", "source", "outcomes"))
    if left == 0:
        raise ScriptEnded(len(outcomes), source, outcome_count)
    index = len(outcomes) - left
    what = f"outcome {index} of the script answers a draw of source {source}: it must be from 0 to {outcome_count - 1}"
    raise ArgumentError("chance", f"{what}, got {int(outcomes[index])}")


def successor_states(game: Game, rules: Array, state: Array, action: int) -> Iterator[tuple[Array, float]]:
    """Yield the state, shape (1,), to which each outcome of a legal action leads, and the outcome's probability."""
    kernel = kernels(game, scripted=True).step
    return branches(state, lambda after, script: kernel(after, rules, script, action))


def branches(state: Array, play: Callable[[Array, Array], int]) -> Iterator[tuple[Array, float]]:
    """Yield the states that `play(state, script)` may produce, with their probabilities, depth first."""
    stack: list[tuple[tuple[int, ...], float]] = [((), 1.0)]  # scripts, extended until they suffice
    while stack:
        outcomes, probability = stack.pop()
        script_outcomes = np.array(outcomes, np.int64)
        script = script_of(script_outcomes)
        after = exact_copy(state)
        play(after, script)
        outcome_count = int(script["outcomes"][0])
        if outcome_count == 0:
            yield after, probability
        stack += [((*outcomes, k), probability / outcome_count) for k in reversed(range(outcome_count))]


def split_names(text: str) -> list[str]:
    """Split a text at blanks, commas and plus signs."""
    return re.split(r"[\s,+]+", text.strip())


def joined(chosen: Sequence[str], items: Sequence[str]) -> str:
    """Return the name of the action that chooses some of `items`, given in any order: "blue red"."""
    return " ".join(sorted(chosen, key=items.index))


def parse_action(position: Any, action: Any) -> int:
    """Return the number of an action: a number as it is, unchecked, or a legal name with its items in any order."""
    if not isinstance(action, str):
        return check_whole("action", action)
    names, items = position.names, position.compound_choices
    chosen = split_names(action)
    if set(chosen) <= set(items):
        action = joined(chosen, items)
    if action in names:
        return int(position.legal[names.index(action)])
    if position.over:
        raise illegal_action_error(position, action)
    hint = suggest_names(action, items or names) + ("; give one or several" if items else "")
    raise ArgumentError("action", f"unknown to seat {position.actor}: {short_repr(action)}; {hint}")


def illegal_action_error(position: Any, action: int | str) -> ArgumentError:
    """Return the error for an illegal action, or for one after the end of the game."""
    if position.over:
        return ArgumentError("action", f"{short_repr(action)} cannot be played: the game is over")
    legal = ", ".join(in_ranges([str(number) for number in position.legal]))
    return ArgumentError("action", f"{short_repr(action)} is not legal for seat {position.actor}; legal: {legal}")
