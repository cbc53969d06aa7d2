"""What every game is made with: the contract, variants, slices, restrictions, report blocks; and finding installed games."""

from functools import cache

from strozzi_sim.errors import ArgumentError, InputError, as_argument_error, short_repr, suggest_names
from strozzi_sim.game.contract import Game
from strozzi_sim.runtime.entry_points import find_entry_points

GROUP = "strozzi_sim.games"


def game_names() -> list[str]:
    """The names of all installed games, in alphabetical order."""
    return sorted(find_entry_points(GROUP))


@cache
def load_game(name: str) -> Game:
    """The game called `name`; of the installed games no other one is imported.

    Raises:
        InputError: there is none (lists the games there are), or two packages have one.
    """
    point = find_entry_points(GROUP).get(name)
    if point is None:
        raise InputError(f"unknown game {short_repr(name)}; {suggest_names(name, game_names())}")
    try:
        game = point.load()
    except (ImportError, AttributeError) as error:
        raise InputError(f"game {name!r}: {point.value} does not import: {type(error).__name__}: {error}") from error
    if not isinstance(game, Game) or game.name != name:
        raise InputError(f"game {name!r}: {point.value} is not a game of that name")
    return game


def find_game(game: str | Game, place: str = "") -> Game:
    """The game that is called so; a game is taken as it is. `place` says where the name stood, if it was no argument `game`.

    Raises:
        InputError: there is none.
    """
    if isinstance(game, Game):
        return game
    if not isinstance(game, str):
        raise ArgumentError("game", f"expected the name of a game, or a Game, got {short_repr(game)}")
    if not place:
        return as_argument_error("game", load_game, game)
    try:
        return load_game(game)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
