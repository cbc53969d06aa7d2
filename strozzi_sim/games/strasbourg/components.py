"""Strasbourg's component data: types, checks, and conversion to the rules record.

Fields that may be None are optional: they follow from the other fields, or do not affect play (F7).
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from strozzi_sim.errors import InputError, pluralize
from strozzi_sim.game.components import check_distinct, check_known, rules_from, section_type
from strozzi_sim.games.strasbourg import state as limit
from strozzi_sim.games.strasbourg.geometry import City, city_of, corner_name, space_name
from strozzi_sim.games.strasbourg.tasks import Bounds, Task, check_tasks

GUILD_STEPS = ("B", "D", "F")
RECONSTRUCTED = {
    "city": "which cell of the city belongs to which guild, its price, and the chapel sites",
    "tasks_meta": "the points of the tasks",
    "switches": "rule readings where the texts are silent (the switches under [switches])",
    "round_cards": "the guilds of {count} of the {total} round cards",
    "tasks": "what {count} of the {total} tasks ask for",
}

# Reserved names, which no guild, edifice or task may have, with their meaning.
_RESERVED = {"all": "all together", "any": "any of them", "none": "nothing"}
_RESERVED |= dict.fromkeys(limit.LORDS, "a seat of the council") | dict.fromkeys(limit.STEPS, "a step of the round")

# keys that records omit, in any section: sources, and descriptions without effect on play
PROVENANCE = ("provenance", "note", "how", "how_points", "source", "name", "text", "colours", "goods_icon")

_SWITCHES = {"min_draw": Literal[0, 1], "planning": Literal["simultaneous", "sequential"]}  # the others are yes or no
Provenance = Literal["rulebook", "page", "inferred", "reconstructed", "variant"]
Points = Annotated[int, Meta(ge=0, le=limit.MAX_POINTS)]
Coins = Annotated[int, Meta(ge=0, le=limit.MAX_COINS)]
Id = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_]{1,32}$(?!\n)")]


class _Block(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    provenance: Provenance = "variant"
    note: str = ""
    how: str = ""
    source: list[str] = msgspec.field(default_factory=list)


class _Guilds(_Block):
    order: Annotated[list[Id], Meta(min_length=1, max_length=limit.MAX_GUILDS)]
    letters: dict[Annotated[str, Meta(pattern=r"^[A-Za-z]$(?!\n)")], str]
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


class Components(msgspec.Struct, forbid_unknown_fields=True):
    """The whole of components.toml; unknown keys are errors."""

    meta: section_type(__name__, "meta", _Block)  # type: ignore[valid-type]
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
    switches: section_type(__name__, "switches", _Block, **_SWITCHES)  # type: ignore[valid-type]


def check(components: Components, where: str) -> None:
    """Check the constraints that span several values."""
    order, tasks_meta = components.guilds.order, components.tasks_meta
    check_distinct(order, f"{where}: guilds.order")
    _refuse_reserved(order, _RESERVED, f"{where}: guilds.order", "a guild")
    for letter, guild in components.guilds.letters.items():
        check_known("guild", guild, order, f"{where}: guilds.letters.{letter}")
    chairs = "the seats nobility, church, merchants and one per guild"
    _each_once(components.guilds.letters.values(), order, f"{where}: guilds.letters", "a letter for each guild")
    _each_once(components.goods.value, order, f"{where}: goods.value", "a value for each guild")
    _each_once(components.council.seats, [*limit.LORDS, *order], f"{where}: council.seats", chairs)
    _check_cards(components.influence_cards, f"{where}: influence_cards")
    _check_rounds(components, where)
    city = _city(components, f"{where}: city")
    _check_ids(components, city, where)
    for guild in order:
        if not city.spaces_of(guild):
            raise InputError(f"{where}: city.guild_map: guild {guild!r} has no space; every guild needs one or more")
    if not tasks_meta.keep_min <= tasks_meta.keep_max <= tasks_meta.dealt_per_player:
        kept = f"keep_min {tasks_meta.keep_min}, keep_max {tasks_meta.keep_max}"
        numbers = f"{kept}, dealt_per_player {tasks_meta.dealt_per_player}"
        raise InputError(f"{where}: tasks_meta: {numbers}; each may be at most the next")
    check_tasks(components.tasks, order, [edifice.id for edifice in components.edifices], where)
    check_players(msgspec.to_builtins(components), limit.PLAYER_COUNTS[0], where)


def _city(components: Components, key: str = "city") -> City:
    return city_of(msgspec.to_builtins(components), key)


def _check_ids(components: Components, city: City, where: str) -> None:
    reserved = _RESERVED | dict.fromkeys(components.guilds.order, "a guild")
    reserved |= {"chapel": "the chapels", "yes": "yes", "no": "no"}
    places = (*map(space_name, (*city.guilds, *city.sites)), *map(corner_name, city.chapel_sites))
    reserved |= dict.fromkeys(places, "a place in the city")
    for name, described in (("edifices", "an edifice"), ("tasks", "a task")):
        ids = [block.id for block in getattr(components, name)]
        numbers = dict.fromkeys(filter(str.isdecimal, ids), "a number")
        _refuse_reserved(ids, reserved | numbers, f"{where}: {name}", described)
        reserved |= dict.fromkeys(ids, described)


def _refuse_reserved(names: Iterable[str], reserved: Mapping[str, str], key: str, described: str) -> None:
    for name in names:
        if name in reserved:
            raise InputError(f"{key}: {described} cannot be called {name!r}, which stands for {reserved[name]}")


def _each_once(names: Iterable[str], expected: Iterable[str], key: str, description: str) -> None:
    if sorted(names) != sorted(expected):
        raise InputError(f"{key}: expected {description} ({', '.join(expected)}), got {', '.join(names) or 'nothing'}")


def _check_cards(cards: _Cards, key: str) -> None:
    if len(set(cards.values)) < len(cards.values):
        raise InputError(f"{key}.values: {cards.values}; each value may be listed once")
    count, copies = len(cards.values) * cards.copies_of_each, pluralize(cards.copies_of_each, "copy", "copies")
    if not limit.MIN_CARDS <= count <= limit.MAX_CARDS:
        values, are = pluralize(len(cards.values), "value"), "is" if count == 1 else "are"
        made = f"{copies} of {values} {are} {pluralize(count, 'card')}"
        raise InputError(f"{key}.copies_of_each: {made}; a player has {limit.MIN_CARDS} to {limit.MAX_CARDS}")


def _check_rounds(components: Components, where: str) -> None:
    rounds, edifices = len(components.round_cards), pluralize(len(components.edifices), "edifice")
    if len(components.edifices) < rounds:
        text = f"{edifices} for {pluralize(rounds, 'round')} (round_cards); each round needs one"
        raise InputError(f"{where}: edifices: {text}")
    for card in components.round_cards:
        for step in GUILD_STEPS:
            key = f"{where}: round_cards.{card.id}.guilds.{step}"
            check_known("guild", getattr(card.guilds, step), components.guilds.order, key)
    for guild, times in _auctions(components).items():
        if times > limit.MAX_GOODS:
            text = f"at most {limit.MAX_GOODS}, as many goods of one guild as a player may have"
            raise InputError(f"{where}: round_cards: guild {guild!r} is named {times} times; {text}")


def _auctions(components: Components) -> dict[str, int]:
    guilds_of_steps = [getattr(card.guilds, step) for card in components.round_cards for step in GUILD_STEPS]
    return {guild: guilds_of_steps.count(guild) for guild in components.guilds.order}


def check_players(components: dict[str, Any], players: int, where: str) -> None:
    """Check that there are enough tasks to deal to `players` players."""
    tasks, dealt = len(components["tasks"]), components["tasks_meta"]["dealt_per_player"]
    if tasks < dealt * players:
        why = f"{players} players are dealt {dealt} each (tasks_meta.dealt_per_player); at least {dealt * players}"
        raise InputError(f"{where}: tasks: {pluralize(tasks, 'task')}, and {why}")


def totals(components: Components) -> dict[str, Any]:
    """Return the values that follow from others or from limits, by section and key."""
    city = _city(components)
    cards = len(components.influence_cards.values) * components.influence_cards.copies_of_each
    ignored = {"id": "", "points": 0, "text": "", "provenance": ""}
    conditions = [msgspec.to_builtins(task) | ignored for task in components.tasks]
    return {
        "meta.rounds": len(components.round_cards),
        "meta.players": list(limit.PLAYER_COUNTS),
        "influence_cards.per_player": cards,
        "influence_cards.total": cards * limit.SEATS,
        "city.building_sites": len(city.sites),
        "city.guild_spaces": len(city.guilds),
        "tasks_meta.count": len(components.tasks),
        "tasks_meta.all_different": all(conditions.count(condition) == 1 for condition in conditions),
        "tasks_meta.max_points": max(task.points for task in components.tasks),
    }


def to_rules(components: Components) -> np.ndarray[Any, Any]:
    """Return the record that kernels read, an array of shape (1,)."""
    order, city = components.guilds.order, _city(components)
    edifices, tasks, tasks_meta = components.edifices, components.tasks, components.tasks_meta
    cards, values = components.influence_cards, components.influence_cards.values
    kept_counts = range(tasks_meta.keep_min, tasks_meta.keep_max + 1)
    keep = sum(1 << kept for kept in range(1 << tasks_meta.dealt_per_player) if kept.bit_count() in kept_counts)
    round_guilds = [card.guilds for card in components.round_cards]
    rules: dict[str, Any] = {"rounds": len(round_guilds), "guilds": len(order), "edifices": len(edifices)}
    rules |= {"tasks": len(tasks), "dealt": tasks_meta.dealt_per_player, "penalty": tasks_meta.penalty_unfulfilled}
    rules |= {"keep": keep, "cards": len(values) * cards.copies_of_each}
    rules["all_cards"] = sum(cards.copies_of_each << limit.CARD_BITS * (value - 1) for value in values)
    rules["card_guild"] = [[order.index(getattr(guilds, step)) for step in GUILD_STEPS] for guilds in round_guilds]
    rules |= {"start_coins": components.coins.start_per_player, "privilege_points": components.privileges.end_value}
    rules["start_privileges"] = components.privileges.start_per_player
    rules["good_value"] = [components.goods.value[guild] for guild in order]
    rules["chapels"] = components.chapels.count
    rules["chapel_points"] = components.chapels.points_per_adjacent_family_member
    rules["seat_points"] = components.council.prestige_per_member_each_council_phase
    rules["skip_first_step"] = components.switches.skip_A_round1
    rules["sequential"] = components.switches.planning == "sequential"
    rules["most_drawn"] = [limit.ANY_NUMBER] * limit.SEATS
    rules["edifice_points"] = [edifice.points for edifice in edifices]
    rules["task_kind"] = [limit.TASK_KINDS.index(task.kind) for task in tasks]
    rules["task_points"] = [task.points for task in tasks]
    rules["task_subject"] = [task.subject(order, [edifice.id for edifice in edifices]) for task in tasks]
    rules["task_minimum"] = [[task.minimum(players) for players in range(limit.SEATS + 1)] for task in tasks]
    return rules_from(limit.RULES, components, zero=limit.RESTRICTIONS, **rules, **_city_fields(city, order))


def _city_fields(city: City, order: list[str]) -> dict[str, Any]:
    """Return the fields of the rules record about the city; `order` names the guilds in the order of their numbers."""
    cells = [(column, row) for row in range(1, city.rows + 1) for column in range(1, city.columns + 1)]
    fields: dict[str, Any] = {"columns": city.columns, "sites": len(city.sites), "spaces": city.set_of(city.guilds)}
    fields |= {"chapel_sites": len(city.chapel_sites), "price": np.zeros(limit.MAX_CELLS, int)}
    fields["price"][[city.number(cell) for cell in city.prices]] = list(city.prices.values())
    fields["affordable"] = [
        city.set_of(cell for cell, price in city.prices.items() if price <= coins)
        for coins in range(limit.MAX_PRICE + 1)
    ]
    fields["guild_spaces"] = [city.set_of(city.spaces_of(guild)) for guild in order]
    fields["site_spaces"] = [city.set_of(city.beside(site)) for site in city.sites]
    fields["chapel_spaces"] = [city.set_of(city.around(corner)) for corner in city.chapel_sites]
    fields["not_first_column"] = city.set_of(cell for cell in cells if cell[0] > 1)
    fields["not_last_column"] = city.set_of(cell for cell in cells if cell[0] < city.columns)
    fields["border"] = city.set_of(filter(city.is_on_border, cells))
    return fields


def warnings(components: Components) -> list[str]:
    """Return warnings about playable component data: one per task that no game can fulfil by `tasks.Bounds`."""
    bounds = Bounds(_city(components), _auctions(components), len(components.round_cards), components.chapels.count)
    return [f"no game can fulfil a task: {text}" for text in bounds.unfulfillable(components.tasks)]


def rounds(components: dict[str, Any]) -> int:
    """Return the number of rounds of a game: one per round card (A61)."""
    return len(components["round_cards"])


def hidden(components: dict[str, Any]) -> bool:
    """Return whether the game has hidden information: yes, cards and tasks."""
    return True
