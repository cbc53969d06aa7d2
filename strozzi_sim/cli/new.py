"""new: the folder of a new game."""

from pathlib import Path

from strozzi_sim.cli.show import Answer


def new(game: str, *, folder: str | Path = "") -> Answer:
    """Write the folder of a new game that plays, with a fact table, a report page, an agent and a test.

    Example: strozzi new fair

    Args:
        game: name of the game: lower-case letters, digits, underscores
        folder: new folder for its files; default: the name of the game
    """
    from strozzi_sim.game.new_game import write_new_game

    place = Path(folder or game)
    written = write_new_game(game, place)
    return Answer(
        {"folder": str(place), "files": [str(path) for path in written]},
        [
            f"{len(written)} files in {place}: a small complete game. Change them into yours; begin with state.py and core.py.",
            f"\n  pip install -e {place}\n  strozzi play {game}\n  strozzi balance {game}\n  pytest {place}\n",
            "docs/your-own-game.md explains every file.",
        ],
    )
