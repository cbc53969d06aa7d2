"""Strozzi's component data: validated, changed by variants, and turned into the record that kernels read."""

from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from strozzi_sim.errors import InputError
from strozzi_sim.game.components import rules_from, section_type
from strozzi_sim.games.strozzi import state as limit

VARIABLE = ("setup", "flags", "rules", "coins", "scoring", "tracks", "ships", "promotion_tiles")
MERGED = ("setup.cards_removed",)
RECONSTRUCTED = {
    "tracks": "the positions of the bonus spaces and the length of the tracks",
    "rules": "rule readings where the texts are silent (the switches under [rules])",
    "ships": "{count} of the {total} ship cards",
    "promotion_tiles": "{count} of the {total} promotion tiles",
}

Provenance = Literal["rulebook", "page", "reconstructed", "variant"]
Symbols = Annotated[int, Meta(ge=0, le=limit.MAX_SYMBOLS)]
Prize = Annotated[int, Meta(ge=0, le=limit.MAX_PRIZE)]
Prizes = Annotated[list[Prize], Meta(max_length=limit.SEATS)]
Id = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.-]{1,32}$(?!\n)")]
Pieces = Annotated[int, Meta(ge=0, le=10_000)]  # number of coins of one value


class _Block(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    provenance: Provenance = "variant"
    provenance_note: str = ""


class _Ware(_Block):
    id: str
    port: str
    good: str


class _Setup(_Block):
    rounds: Annotated[int, Meta(ge=1, le=limit.MAX_ROUNDS)]
    cards_removed: dict[int, Annotated[int, Meta(ge=0)]]
    promotion_tiles_face_up: Annotated[int, Meta(ge=0, le=limit.MAX_FACE_UP)]


class _Flags(_Block):
    plus_one_speed: Symbols
    ware_steps: Symbols
    ids: list[str]


class _Scoring(_Block):
    ship_ranks: Prizes
    marker_ranks: Prizes
    category_ranks: Prizes


class _Tracks(_Block):
    cities: list[str]
    top_index: Annotated[int, Meta(ge=1, le=limit.MAX_SPACES - 1)]
    bonus: dict[int, Prize]


class _Ship(_Block):
    id: Id
    sail: Annotated[int, Meta(ge=0, le=limit.MAX_SAIL - limit.MAX_SYMBOLS)]
    venice: Symbols
    rome: Symbols
    naples: Symbols
    scrolls: Symbols
    promotion: Annotated[int, Meta(ge=0, le=1)]


class _Tile(_Block):
    id: Id
    category: Literal["art", "science", "architecture"]
    value: Symbols
    ware: Literal["", "venice", "rome", "naples"]


class Components(msgspec.Struct, forbid_unknown_fields=True):
    """All of components.toml; unknown keys are errors."""

    meta: section_type(__name__, "meta", _Block)  # type: ignore[valid-type]
    wares: list[_Ware]
    setup: _Setup
    flags: _Flags
    rules: section_type(__name__, "rules", _Block, start_order=Literal["turn", "reverse"])  # type: ignore[valid-type]
    coins: section_type(__name__, "coins", _Block, v5=Pieces, v10=Pieces, v50=Pieces)  # type: ignore[valid-type]
    scoring: _Scoring
    tracks: _Tracks
    ships_principle: _Block
    ships: Annotated[list[_Ship], Meta(min_length=1, max_length=limit.MAX_SHIPS)]
    tiles_principle: _Block
    promotion_tiles: Annotated[list[_Tile], Meta(max_length=limit.MAX_TILES)]


def check(components: Components, where: str) -> None:
    """Raise InputError for a wrong player count, contradictory values, and renamed or reordered cities or flags."""
    ships = len(components.ships)
    for players, removed in components.setup.cards_removed.items():
        key = f"{where}: setup.cards_removed.{players}"
        if players not in limit.PLAYER_COUNTS:
            raise InputError(f"{key}: strozzi takes 3-6 players, got {players}")
        if removed >= ships:
            raise InputError(f"{key}: removing {removed} of {ships} ships leaves none; at most {ships - 1} can go")
    top = components.tracks.top_index
    for space in components.tracks.bonus:
        if not 1 <= space <= top:
            raise InputError(f"{where}: tracks.bonus.{space}: must be a space from 1 to top_index = {top}")
    if components.tracks.cities != list(limit.CITY_NAMES):
        raise InputError(f"{where}: tracks.cities: must stay {list(limit.CITY_NAMES)}, got {components.tracks.cities}")
    if components.flags.ids != list(limit.FLAG_NAMES):
        raise InputError(f"{where}: flags.ids: must stay {list(limit.FLAG_NAMES)}, got {components.flags.ids}")


def to_rules(components: Components) -> np.ndarray[Any, Any]:
    """Return the record that kernels read, array of shape (1,)."""
    ships, tiles, coins = components.ships, components.promotion_tiles, components.coins
    removed, bonus = components.setup.cards_removed, components.tracks.bonus
    rules: dict[str, Any] = {"ships": len(ships), "tiles": len(tiles)}
    rules |= {"face_up": components.setup.promotion_tiles_face_up, "top": components.tracks.top_index}
    rules |= {key: [getattr(ship, key) for ship in ships] for key in ("sail", "scrolls", "promotion")}
    rules |= {f"{kind}_prize": getattr(components.scoring, f"{kind}_ranks") for kind in ("ship", "marker", "category")}
    rules["cargo"] = [(ship.venice, ship.rome, ship.naples) for ship in ships]
    rules["cards"] = [len(ships) - removed[n] if n in removed else 0 for n in range(limit.SEATS + 1)]
    rules["tile_category"] = [limit.CATEGORIES.index(tile.category) for tile in tiles]
    rules["tile_value"] = [tile.value for tile in tiles]
    rules["tile_ware"] = [limit.PORT_NAMES.index(tile.ware) if tile.ware else limit.NO_WARE for tile in tiles]
    rules["bonus"] = [bonus.get(space, 0) for space in range(limit.MAX_SPACES)]
    rules["box_coins"] = 5 * coins.v5 + 10 * coins.v10 + 50 * coins.v50
    rules["reverse_start"] = components.rules.start_order == "reverse"
    return rules_from(limit.RULES, components, zero=limit.RESTRICTIONS, **rules)


def check_players(components: dict[str, Any], players: int, where: str) -> None:
    """Raise InputError for a player count without an entry in `setup.cards_removed`."""
    removed = components["setup"]["cards_removed"]
    if str(players) not in removed:
        counts = ", ".join(removed)
        raise InputError(f"{where}: setup.cards_removed.{players}: no entry for {players} players; it has {counts}")


def rounds(components: dict[str, Any]) -> int:
    """Return the number of rounds."""
    return int(components["setup"]["rounds"])
