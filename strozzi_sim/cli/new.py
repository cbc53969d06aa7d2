"""new: the folder of a new game."""

from pathlib import Path
from typing import Annotated

import typer

from strozzi_sim.cli import options


def new(
    name: Annotated[
        str, typer.Argument(metavar="GAME", help="name of the game: lower-case letters, digits, underscores")
    ],
    out: Annotated[str, typer.Option("--out", metavar="FOLDER", help="new folder for its files; default: GAME")] = "",
    json: options.Json = False,
) -> None:
    """Write the folder of a new game that plays, with a fact table, a report page, an agent and a test.

    Example: strozzi new fair
    """
    from strozzi_sim.game.new_game import write_new_game

    folder = Path(out or name)
    written = write_new_game(name, folder)
    if json:
        options.print_json({"folder": str(folder), "files": [str(path) for path in written]})
        return
    print(
        f"{len(written)} files in {folder}: a small complete game. Change them into yours; begin with state.py and core.py."
    )
    print(f"\n  pip install -e {folder}\n  strozzi play {name}\n  strozzi balance {name}\n  pytest {folder}\n")
    print("docs/your-own-game.md explains every file.")


COMMANDS = {"new": new}
