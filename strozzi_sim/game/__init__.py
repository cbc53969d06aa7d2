"""The game contract, the code that all games share (variants, slices, restrictions), and the installed games."""

from functools import cache

from strozzi_sim.errors import ArgumentError, InputError, as_argument_error, short_repr, suggest_names
from strozzi_sim.game.contract import Game as Game
from strozzi_sim.runtime.entry_points import check_unique, find_entry_points, load_object

GROUP = "strozzi_sim.games"


def game_names() -> list[str]:
    """Return the names of all installed games, in alphabetical order."""
    return sorted(find_entry_points(GROUP))


@cache
def load_game(name: str) -> Game:
    """Return the game `name`; no other game is imported. Raises InputError."""
    point = find_entry_points(GROUP).get(name)
    if point is None:
        raise InputError(f"unknown game {short_repr(name)}; {suggest_names(name, game_names())}")
    check_unique(GROUP, name)
    try:
        game = load_object(point)
    except Exception as error:  # the package's own code may raise anything
        raise InputError(f"game {name!r}: {point.value} does not import: {type(error).__name__}: {error}") from error
    if not isinstance(game, Game) or game.name != name:
        raise InputError(f"game {name!r}: {point.value} is not a game of that name")
    return game


def installed_games() -> tuple[list[Game], dict[str, str]]:
    """Return the installed games that load, and by name the error of each game that does not.

    Code that serves every game uses this list, so that one broken package does not affect the other games.
    """
    games, errors = list[Game](), dict[str, str]()
    for name in game_names():
        try:
            games.append(load_game(name))
        except InputError as error:
            errors[name] = str(error)
    return games, errors


def default_players(game: Game) -> int:
    """Return the default player count: 4, or the game's minimum if 4 cannot play."""
    return 4 if 4 in game.player_counts else game.player_counts[0]


def find_game(game: str | Game, argument: str = "game") -> Game:
    """Return the game of this name; a Game is returned unchanged. Raises ArgumentError for `argument`."""
    if isinstance(game, Game):
        return game
    if not isinstance(game, str):
        raise ArgumentError(argument, f"expected the name of a game, or a Game, got {short_repr(game)}")
    return as_argument_error(argument, load_game, game)
