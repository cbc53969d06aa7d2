"""Blocks of Strasbourg's component data, as in components.toml; unknown keys are errors.

Fields that may be None are optional: they are totals, which follow from the rest, or do not affect play (F7).
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from strozzi_sim.games.strasbourg import state as limit
from strozzi_sim.games.strasbourg.tasks import Task

Provenance = Literal["rulebook", "page", "inferred", "reconstructed", "variant"]
Points = Annotated[int, Meta(ge=0, le=limit.MAX_POINTS)]
Coins = Annotated[int, Meta(ge=0, le=limit.MAX_COINS)]
Id = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_]{1,32}$")]


class _Block(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    provenance: Provenance = "variant"
    note: str = ""
    how: str = ""
    source: list[str] = msgspec.field(default_factory=list)


class _About(_Block):
    title: str
    year: int
    designer: str
    publisher: str
    players: list[int]
    rounds: int
    steps: list[str]
    bgg_id: int


class _Guilds(_Block):
    order: Annotated[list[Id], Meta(min_length=1, max_length=limit.MAX_GUILDS)]
    letters: dict[Annotated[str, Meta(pattern=r"^[A-Za-z]$")], str]
    colours: dict[str, str] = msgspec.field(default_factory=dict)
    goods_icon: dict[str, str] = msgspec.field(default_factory=dict)


class _Cards(_Block):
    values: Annotated[list[Annotated[int, Meta(ge=1, le=limit.MAX_VALUE)]], Meta(min_length=1)]
    copies_of_each: Annotated[int, Meta(ge=1, le=limit.MAX_CARDS)]
    per_player: int | None = None
    total: int | None = None


class _Money(_Block):
    start_per_player: Coins
    pieces: int | None = None
    denominations: list[int] | None = None
    unlimited: Literal[True] | None = None


class _Goods(_Block):
    value: dict[str, Annotated[int, Meta(ge=0, le=limit.MAX_GOOD_VALUE)]]
    tiles_per_guild: int | None = None
    unlimited: Literal[True] | None = None


class _Privileges(_Block):
    start_per_player: Annotated[int, Meta(ge=0, le=limit.MAX_PRIVILEGES)]
    end_value: Points
    pieces: int | None = None
    unlimited: Literal[True] | None = None


class _Chapels(_Block):
    count: Annotated[int, Meta(ge=0, le=limit.MAX_CHAPEL_SITES)]
    points_per_adjacent_family_member: Points


class _Edifice(_Block):
    id: Id
    points: Points
    name: str = ""


class _Council(_Block):
    seats: list[str]
    prestige_per_member_each_council_phase: Points


class _CardGuilds(msgspec.Struct, forbid_unknown_fields=True):
    B: str
    D: str
    F: str


class _RoundCard(_Block):
    id: Id
    guilds: _CardGuilds


class _City(_Block):
    columns: Annotated[int, Meta(ge=1, le=limit.MAX_CELLS)]
    rows: Annotated[int, Meta(ge=1, le=limit.MAX_CELLS)]
    guild_map: list[str]
    price_map: list[str]
    chapel_sites: Annotated[list[tuple[int, int]], Meta(max_length=limit.MAX_CHAPEL_SITES)]
    building_sites: int | None = None
    guild_spaces: int | None = None


class _TasksMeta(_Block):
    dealt_per_player: Annotated[int, Meta(ge=1, le=limit.MAX_DEALT)]
    keep_min: Annotated[int, Meta(ge=1, le=limit.MAX_DEALT)]
    keep_max: Annotated[int, Meta(ge=1, le=limit.MAX_DEALT)]
    penalty_unfulfilled: Annotated[int, Meta(ge=1, le=limit.MAX_POINTS)]
    count: int | None = None
    all_different: bool | None = None
    max_points: int | None = None
    how_points: str = ""


class _Switches(_Block):
    skip_A_round1: bool = False
    min_draw: Literal[0, 1] = 1
    planning: Literal["simultaneous", "sequential"] = "simultaneous"
    return_if_unused: bool = False
    building_optional: bool = True
    hide_money: bool = False
    tie_fulfils: bool = False
    seat_optional: bool = False


class Components(msgspec.Struct, forbid_unknown_fields=True):
    """The whole of components.toml; unknown keys are errors."""

    meta: _About
    guilds: _Guilds
    influence_cards: _Cards
    coins: _Money
    goods: _Goods
    privileges: _Privileges
    chapels: _Chapels
    edifices: Annotated[list[_Edifice], Meta(min_length=1, max_length=limit.MAX_EDIFICES)]
    council: _Council
    round_cards: Annotated[list[_RoundCard], Meta(min_length=1, max_length=limit.MAX_ROUNDS)]
    city: _City
    tasks_meta: _TasksMeta
    tasks: Annotated[list[Task], Meta(min_length=1, max_length=limit.MAX_TASKS)]
    switches: _Switches = msgspec.field(default_factory=_Switches)
