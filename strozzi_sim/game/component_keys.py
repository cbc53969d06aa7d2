"""Published component data by key, as `tracks.bonus.7`: its value, and whether a source gives it."""

from collections.abc import Iterator, Mapping
from typing import Any

from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import BASE, component_data, find_variant

RECONSTRUCTED = "reconstructed"  # the provenance of data that no source gives


def published_value(game: Game, key: str) -> Any:
    """Return the value of a key in the published game; None where it has none.

    >>> from strozzi_sim.game import load_game
    >>> published_value(load_game("strozzi"), "tracks.bonus.9"), published_value(load_game("strozzi"), "ships.S01.sail")
    (15, 5)
    """
    *_, found = _along(find_variant(game, BASE).components, key)
    return found


def is_reconstructed(game: Game, key: str) -> bool:
    """Return whether the block that holds a key is reconstructed; a section NAME_meta is of all blocks of the list NAME."""
    data = component_data(game)
    blocks = [data.get(f"{key.split('.')[0]}_meta"), *_along(data, key)]
    return any(isinstance(block, Mapping) and block.get("provenance") == RECONSTRUCTED for block in blocks)


def _along(data: Any, key: str) -> Iterator[Any]:
    """Yield what each part of a key leads to; None from where there is nothing."""
    for name in key.split("."):
        if isinstance(data, list):
            ids = [
                each.get("id", str(place)) if isinstance(each, Mapping) else str(place)
                for place, each in enumerate(data)
            ]
            data = data[ids.index(name)] if name in ids else None
        else:
            data = data.get(name) if isinstance(data, Mapping) else None
        yield data
