"""cache: the folder that keeps compiled code."""

from pathlib import Path
from time import monotonic
from typing import Any

from strozzi_sim.cli.show import Answer
from strozzi_sim.errors import ArgumentError


def cache(game: str = "", *, clear: bool = False, warm: bool = False) -> Answer:
    """Show, clear or fill the folder that keeps compiled code.

    Example: strozzi cache --warm strozzi

    Args:
        game: with --warm: this game; default: every game
        clear: remove all compiled code; the next run compiles again
        warm: compile the games and their agents ahead, so that no later command waits
    """
    from strozzi_sim.runtime import cache as kept

    if clear and warm:
        raise ArgumentError("clear", "leave out --warm, or this")
    if game and not warm:
        raise ArgumentError("game", f"must be left out without --warm, got {game}")
    if warm:
        return _warm_games(game)
    found = kept.clear() if clear else kept.folders()
    document = {"root": str(kept.cache_root()), "cleared": clear, "folders": [folder.name for folder in found]}
    first = f"{kept.cache_root()}: {len(found)} folders{' removed' if clear else ''}"
    return Answer(
        document, [first, *([] if clear else [f"    {folder.name}  {_mib(folder):.1f} MiB" for folder in found])]
    )


def _warm_games(game: str) -> Answer:
    from joblib import Parallel, delayed

    from strozzi_sim.agent.names import core_count, game_named
    from strozzi_sim.game import installed_games

    names = [each.name for each in ([game_named(game)] if game else installed_games()[0])]
    found = Parallel(n_jobs=min(len(names), core_count()))(delayed(_warm)(name) for name in names)
    lines = []
    for line in found:
        place = f"kept in {line['folder']}, {line['mib']:.1f} MiB" if line["folder"] else "could not be stored"
        lines.append(f"{line['game']}: {line['pieces']} pieces of machine code in {line['seconds']:.1f} s, {place}")
    return Answer(found, lines)


def _warm(name: str) -> dict[str, Any]:
    from strozzi_sim.game import load_game
    from strozzi_sim.play.warming import warm as compile_ahead
    from strozzi_sim.runtime.cache import folder_of, folders

    began = monotonic()
    pieces = len(list(compile_ahead(load_game(name))))
    folder = next((folder for folder in folders() if folder.name == folder_of(name).name), None)
    return {
        "game": name, "pieces": pieces, "seconds": monotonic() - began,
        "folder": None if folder is None else str(folder), "mib": 0.0 if folder is None else _mib(folder),
    }  # fmt: skip


def _mib(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20
