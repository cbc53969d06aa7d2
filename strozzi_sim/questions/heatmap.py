"""heatmap: any column of a fact table against any other, of a game or of a finished study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from strozzi_sim.game.contract import Game
    from strozzi_sim.studies.lookup import Folder, Lineup, Players, Variants
    from strozzi_sim.studies.progress import ProgressOption
    from strozzi_sim.studies.results import Results


def heatmap(
    source: str | Path | Game,
    rows: str,
    columns: str,
    value: str = "share",
    where: str = "",
    fact: str = "",
    *,
    name: str = "",
    title: str = "",
    players: Players = None,
    agents: Lineup = (),
    deals: int | None = None,
    variant: Variants = (),
    seed: int | None = None,
    workers: int | None = None,
    code: Sequence[str | Path] = (),
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Draw a custom heat map of a game, or of a study that has been played.

    Args:
        source: a results folder of a study, or a game
        rows: column whose values are the rows; see strozzi facts GAME
        columns: column whose values are the columns
        value: count, share, 'mean COLUMN' or 'share COLUMN'
        where: condition, such as 'round == 3 and seat != 0'
        fact: fact table, if several have these columns
        name: name of the map; default: from its rows, columns and value
        title: title of the picture
        players: (game) player counts: 4, 3-6 or 3,5; default: 4, or the game's minimum
        agents: (game) one line-up, separated by commas
        deals: (game) deals for every cell; default: 5000
        variant: (game) a variant, or several; default: base
        seed: (game) random seed, below 2^53; default: 0
        workers: number of workers; default: all cores
        code: (folder) a file of agents that the study may run, or several
        folder: (game) keep everything in this folder, with a report; nothing is kept without one
        progress: as in `simulate`

    Returns:
        Table heat_<name>, beside those of the study.

    Raises:
        InputError: an unknown column, or an invalid argument; names it.
        StorageError, AgentFault, Interrupted: as `run`.

    >>> import strozzi_sim as ss
    >>> found = ss.heatmap("strozzi", "seat", "round", "mean coins", fact="round", agents="random", deals=100)
    >>> len(found.tables["heat_mean_coins_by_seat_and_round"]) >= 12
    True
    """
    from strozzi_sim.errors import ArgumentError
    from strozzi_sim.game.custom_heatmaps import heat_map_spec
    from strozzi_sim.studies.heatmaps import add_in
    from strozzi_sim.studies.lookup import path_of
    from strozzi_sim.studies.study import lineup_study, run

    own = heat_map_spec(rows, columns, value, where, fact, name, title)
    game = _find_game(source)
    if game is not None:
        if code:
            raise ArgumentError("code", "is for the agents of a results folder; name those of a game with agents")
        study = lineup_study(
            "heatmap", game, players, agents, 5000 if deals is None else deals, "rotate", variant or "base", seed or 0,
            pages=("balance",), own_maps=(own,), question="heatmaps",
        )  # fmt: skip
        return run(study, folder, workers, progress)
    given = {"players": players, "agents": agents, "deals": deals, "variant": variant, "seed": seed, "folder": folder}
    for argument, setting in given.items():
        if setting not in (None, (), "", []):
            raise ArgumentError(argument, f"{source} is a study that has been played; it has its own")
    return add_in(path_of("source", source), own, workers, progress, code)


def _find_game(source: str | Path | Game) -> Game | None:
    """Return the game that `source` names, or None if it is a path."""
    from pathlib import Path

    from strozzi_sim.game import find_game, game_names

    if isinstance(source, Path):
        return None
    if isinstance(source, str) and source not in game_names() and ("/" in source or Path(source).exists()):
        return None
    return find_game(source)
