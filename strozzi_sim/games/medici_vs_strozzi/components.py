"""Medici vs Strozzi's component data: validated, changed by variants, and turned into the record that kernels read."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from string import ascii_lowercase
from typing import Annotated, Any, Literal, NoReturn

import msgspec
import numpy as np
from msgspec import Meta

from strozzi_sim.errors import InputError
from strozzi_sim.game.components import check_distinct, check_known, rules_from, section_type
from strozzi_sim.games.medici_vs_strozzi import state as limit

MERGED = ("tracks.per_track",)
PROVENANCE = ("provenance", "how", "source", "sources", "colour_guess")
RECONSTRUCTED = {
    "harbor": "which goods {count} of the {total} harbors trade",
    "tracks": "the length of the monopoly tracks and the places of their bonus spaces",
    "price_space": "the highest price that an agent can name",
    "switches": "rule readings where the texts are silent (the switches under [switches])",
}

_ROUND_ENDS = Literal["full", "moored"]
Provenance = Literal["rulebook", "page", "reconstructed", "variant"]
Prize = Annotated[int, Meta(ge=0, le=limit.MAX_PRIZE)]
Steps = Annotated[int, Meta(ge=0, le=limit.MAX_STEPS)]
Value = Annotated[int, Meta(ge=0, le=limit.MAX_VALUE)]
Id = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_]{1,32}$(?!\n)")]
Count = Annotated[int, Meta(ge=0, le=10_000)]
_LETTERS = len(ascii_lowercase)  # most equal tiles: their ids end in different letters


class _Block(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    provenance: Provenance = "variant"
    how: str = ""
    source: str = ""
    sources: list[str] = msgspec.field(default_factory=list)


class _Player(_Block):
    id: Literal[0, 1]
    name: Literal["Medici", "Strozzi"]
    colour: str
    side: Literal[1, -1]


class _Ships(_Block):
    capacities: Annotated[
        list[Annotated[int, Meta(ge=1, le=limit.MAX_CAPACITY)]], Meta(min_length=1, max_length=limit.MAX_SHIPS)
    ]
    per_player: int
    total: int


class _Tiles(_Block):
    total: int
    values_per_type: Annotated[list[Value], Meta(min_length=1, max_length=limit.MAX_TILES)]
    gold_count: Annotated[int, Meta(ge=0, le=_LETTERS)]
    gold_value: Value


class _Type(_Block):
    key: Id
    colour_guess: str = ""


class _Gold(_Block):
    key: Literal["gold"]
    has_track: Literal[False]


class _Harbor(_Block):
    id: Id
    tracks: list[str]


class _Track(_Block):
    half_length: Annotated[int, Meta(ge=1, le=limit.MAX_HALF_LENGTH)]
    bonus: dict[int, Prize]


class _Tracks(_Track):
    identical_on_all_harbors: bool
    centre_start: Literal[0]
    clamp_at_ends: Literal[True]
    per_track: dict[str, _Track] = msgspec.field(default_factory=dict)


class _MarkerSteps(_Block):
    value_zero_tile: Steps
    other_tile: Steps
    gold_tile: Literal[0]
    type_without_track_here: Literal[0]


class _Scoring(_Block):
    harbor_majority: Prize
    monopoly: Prize
    bonus_is_additional: Literal[True]
    scored_every_round: Literal[True]
    markers_reset_between_rounds: Literal[False]


class _Coin(msgspec.Struct, forbid_unknown_fields=True):
    value: Count
    count: Count


class _Money(_Block):
    start_cash: Annotated[int, Meta(ge=-10_000, le=10_000)]
    coins: list[_Coin]
    coins_total_count: int
    coins_total_value: int
    credit: str
    min_price: Literal[0]


class _PriceSpace(_Block):
    granularity: Literal[1]
    engine_max: str
    action_space_cap: Annotated[int, Meta(ge=1, le=limit.MAX_PRICE)]


class _Rounds(_Block):
    count: Annotated[int, Meta(ge=1, le=limit.MAX_ROUNDS)]
    starter: list[Literal["Medici", "Strozzi"]]
    reveal_min: Literal[1]
    reveal_max: Annotated[int, Meta(ge=1, le=limit.MAX_REVEAL)]
    markers_wooden: int
    bag: int


class Components(msgspec.Struct, forbid_unknown_fields=True):
    """All of components.toml; unknown keys are errors."""

    meta: section_type(__name__, "meta", _Block, players=Literal[2])  # type: ignore[valid-type]
    player: list[_Player]
    ships: _Ships
    tiles: _Tiles
    type: Annotated[list[_Type], Meta(min_length=1, max_length=limit.MAX_TYPES)]
    gold: _Gold
    harbors_summary: section_type(__name__, "harbors_summary", _Block)  # type: ignore[valid-type]
    harbor: Annotated[list[_Harbor], Meta(min_length=1, max_length=limit.MAX_HARBORS)]
    tracks: _Tracks
    marker_steps: _MarkerSteps
    scoring: _Scoring
    money: _Money
    price_space: _PriceSpace
    rounds: _Rounds
    round_end: section_type(__name__, "round_end", _Block)  # type: ignore[valid-type]
    switches: section_type(__name__, "switches", _Block, round_ends_when=_ROUND_ENDS)  # type: ignore[valid-type]


_FIXED = ("meta", "player", "harbors_summary", "round_end")
VARIABLE = tuple(name for name in Components.__struct_fields__ if name not in _FIXED)


def tile_ids(components: Mapping[str, Any]) -> Sequence[tuple[str, int, int]]:
    """Return (id, index of the type, value) of every tile, gold last as type GOLD; letters distinguish equal tiles."""
    tiles, types = components["tiles"], tuple(kind["key"] for kind in components["type"])
    gold = components["gold"]["key"], tiles["gold_count"], tiles["gold_value"]
    return _tile_ids(types, tuple(tiles["values_per_type"]), *gold)


@cache
def _tile_ids(
    types: tuple[str, ...], values: tuple[int, ...], gold: str, gold_count: int, gold_value: int
) -> tuple[tuple[str, int, int], ...]:
    ids = []
    for number, kind in enumerate(types):
        for k, value in enumerate(values):
            letter = ascii_lowercase[values[:k].count(value)] if values.count(value) > 1 else ""
            ids.append((f"{kind}-{value}{letter}", number, int(value)))
    return (*ids, *((f"{gold}-{letter}", limit.GOLD, int(gold_value)) for letter in ascii_lowercase[:gold_count]))


def check(components: Components, where: str) -> None:
    """Raise InputError for faults that the types allow."""

    def refuse(key: str, reason: str) -> NoReturn:
        raise InputError(f"{where}: {key}: {reason}")

    types, tiles, rounds = [kind.key for kind in components.type], components.tiles, components.rounds
    check_distinct(types, f"{where}: type")
    if "gold" in types:
        refuse("type", "'gold' is the name of the tiles without a track")
    capacities, harbors = components.ships.capacities, len(components.harbor)
    if len(set(capacities)) < len(capacities):
        refuse("ships.capacities", f"{capacities}; a player's ships must differ in capacity")
    if harbors < len(capacities):
        refuse("harbor", f"{harbors} harbors for {len(capacities)} ships; each ship of a player needs its own")
    for harbor in components.harbor:
        for kind in harbor.tracks:
            check_known("type", kind, types, f"{where}: harbor.{harbor.id}.tracks")
            if harbor.tracks.count(kind) > 1:
                refuse(f"harbor.{harbor.id}.tracks", f"{kind!r} is listed twice")
    places = sorted(f"{harbor.id}.{kind}" for harbor in components.harbor for kind in harbor.tracks)
    tracks: dict[str, _Track] = {"tracks": components.tracks}
    for place, track in components.tracks.per_track.items():
        tracks[f"tracks.per_track.{place}"] = track
        if place not in places:
            refuse(f"tracks.per_track.{place}", f"no such track; tracks are {', '.join(places) or 'none'}")
    for key, track in tracks.items():
        half = track.half_length
        for space in track.bonus:
            if not 1 <= space <= half:
                refuse(f"{key}.bonus.{space}", f"not on the track; spaces with a bonus are 1 to half_length = {half}")
    total = len(types) * len(tiles.values_per_type) + tiles.gold_count
    if total > limit.MAX_TILES:
        refuse("tiles", f"{total} tiles; at most {limit.MAX_TILES}")
    for value, count in Counter(tiles.values_per_type).items():
        if count > _LETTERS:
            refuse("tiles.values_per_type", f"{count} tiles of value {value}; at most {_LETTERS}, one for each letter")
    if len(rounds.starter) != rounds.count:
        refuse("rounds.starter", f"{len(rounds.starter)} names for {rounds.count} rounds; one for each round")
    if rounds.starter[0] != limit.PLAYER_NAMES[limit.MEDICI]:
        why = "seat 0 does, which is Medici: seat the agents the other way round"
        refuse("rounds.starter", f"{rounds.starter[0]} cannot start round 1; {why}")


def totals(components: Components) -> dict[str, Any]:
    """Return the component values that follow from others, by key."""
    ships, coins, tiles = len(components.ships.capacities), components.money.coins, components.tiles
    tracks = [len(harbor.tracks) for harbor in components.harbor]
    return {
        "ships.per_player": ships,
        "ships.total": limit.SEATS * ships,
        "tiles.total": len(components.type) * len(tiles.values_per_type) + tiles.gold_count,
        "harbors_summary.count": len(tracks),
        "harbors_summary.track_counts": tracks,
        "harbors_summary.tracks_total": sum(tracks),
        "rounds.markers_wooden": sum(tracks),
        "money.coins_total_count": sum(coin.count for coin in coins),
        "money.coins_total_value": sum(coin.count * coin.value for coin in coins),
        "tracks.identical_on_all_harbors": not components.tracks.per_track,
    }


def to_rules(components: Components) -> np.ndarray[Any, Any]:
    """Return the record that kernels read, array of shape (1,)."""
    types, tiles = [kind.key for kind in components.type], tile_ids(msgspec.to_builtins(components))
    capacities, steps, switches = components.ships.capacities, components.marker_steps, components.switches
    top = components.price_space.action_space_cap
    half_lengths = np.zeros((limit.MAX_HARBORS, limit.MAX_TYPES), int)
    bonus = np.zeros((*half_lengths.shape, limit.MAX_HALF_LENGTH + 1), int)
    for h, harbor in enumerate(components.harbor):
        for name in harbor.tracks:
            track, kind = components.tracks.per_track.get(f"{harbor.id}.{name}", components.tracks), types.index(name)
            half_lengths[h, kind] = track.half_length
            for space, coins in track.bonus.items():
                bonus[h, kind, space] = coins
    rules: dict[str, Any] = {"ships": len(capacities), "harbors": len(components.harbor), "types": len(types)}
    rules |= {"tiles": len(tiles), "rounds": components.rounds.count, "top_price": top}
    rules |= {"majority": components.scoring.harbor_majority, "half_length": half_lengths, "bonus": bonus}
    rules |= {"ends_moored": switches.round_ends_when == "moored", "worthless_wins": switches.lone_worthless_ship_wins}
    rules |= {"net_movement": switches.net_marker_movement, "capacity": capacities, "capacity_total": sum(capacities)}
    rules |= {"tile_type": [kind for _, kind, _ in tiles], "tile_value": [value for *_, value in tiles]}
    rules["tile_steps"] = [
        0 if kind == limit.GOLD else steps.other_tile if value else steps.value_zero_tile for _, kind, value in tiles
    ]
    rules |= {"most": [components.rounds.reveal_max] * limit.SEATS, "price_cap": [top] * limit.SEATS}
    rules["starter"] = [limit.PLAYER_NAMES.index(leader) for leader in components.rounds.starter]
    return rules_from(limit.RULES, components, zero=("no_buy", "no_place"), **rules)


def rounds(components: dict[str, Any]) -> int:
    """Return the number of rounds."""
    return int(components["rounds"]["count"])


def hidden(components: dict[str, Any]) -> bool:
    """Return whether seats have secrets: their cash, if the switch `hidden_cash` is on."""
    return bool(components["switches"]["hidden_cash"])
