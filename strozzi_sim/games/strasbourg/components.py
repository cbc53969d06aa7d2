"""Strasbourg's component data: validation, the part that variants change, and conversion to the rules record."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np

from strozzi_sim.errors import InputError, pluralize, suggest_names
from strozzi_sim.game.components import check_derived, rules_from, to_plain
from strozzi_sim.games.strasbourg import state as limit
from strozzi_sim.games.strasbourg.blocks import Components
from strozzi_sim.games.strasbourg.geometry import City, city_of, corner_name, space_name
from strozzi_sim.games.strasbourg.tasks import check_tasks
from strozzi_sim.games.strasbourg.unfulfillable import unfulfillable

AUCTIONED = ("B", "D", "F")  # the steps of the guilds
RECONSTRUCTED = {
    "city": "which cell of the city belongs to which guild, its price, and the chapel sites",
    "tasks_meta": "the points of the tasks",
    "switches": "rule readings where the texts are silent (the switches under [switches])",
    "round_cards": "the guilds of {count} of the {total} round cards",
    "tasks": "what {count} of the {total} tasks ask for",
}

# Reserved names, which no guild, edifice or task may have, with their meaning.
_TAKEN = {
    "all": "all together", "any": "any of them", "none": "nothing", **dict.fromkeys(limit.LORDS, "a seat of the council"),
    **dict.fromkeys(limit.STEPS, "a step of the round"),
}  # fmt: skip

# Keys for readers of the file: provenance and names.
_NOTES = ("provenance", "note", "how", "how_points", "source", "name", "text", "colours", "goods_icon")


def check(components: Components, where: str) -> None:
    """Check the constraints that span several values.

    Raises:
        InputError: the component set is not playable; names the key.
    """
    order = components.guilds.order
    for name, ids in (
        ("guilds.order", order),
        ("edifices", [edifice.id for edifice in components.edifices]),
        ("round_cards", [card.id for card in components.round_cards]),
        ("tasks", [task.id for task in components.tasks]),
    ):
        for thing in ids:
            if ids.count(thing) > 1:
                raise InputError(f"{where}: {name}: {thing!r} is used {ids.count(thing)} times; ids are unique")
    _refuse_taken(order, _TAKEN, f"{where}: guilds.order", "a guild")
    for letter, guild in components.guilds.letters.items():
        _known(guild, order, f"{where}: guilds.letters.{letter}", "guild")
    _each_once(components.guilds.letters.values(), order, f"{where}: guilds.letters", "a letter for each guild")
    _each_once(components.goods.value, order, f"{where}: goods.value", "a value for each guild")
    words = "the seats nobility, church, merchants and one per guild"
    _each_once(components.council.seats, [*limit.LORDS, *order], f"{where}: council.seats", words)
    _check_cards(components, where)
    _check_rounds(components, where)
    city = city_of(msgspec.to_builtins(components), f"{where}: city")
    _check_ids(components, city, where)
    for guild in order:
        if guild not in city.guilds.values():
            raise InputError(f"{where}: city.guild_map: guild {guild!r} has no space; every guild needs one or more")
    meta = components.tasks_meta
    if not meta.keep_min <= meta.keep_max <= meta.dealt_per_player:
        raise InputError(
            f"{where}: tasks_meta: keep_min {meta.keep_min}, keep_max {meta.keep_max}, dealt_per_player "
            f"{meta.dealt_per_player}; each may be at most the next"
        )
    check_tasks(components.tasks, order, [edifice.id for edifice in components.edifices], where)
    _check_dealt(len(components.tasks), meta.dealt_per_player, limit.PLAYER_COUNTS[0], where)


def _check_ids(components: Components, city: City, where: str) -> None:
    """Refuse ids that are reserved in tables, labels and names of restrictions."""
    others = {"chapel": "the chapels", "yes": "yes", "no": "no"}
    taken = _TAKEN | dict.fromkeys(components.guilds.order, "a guild") | others
    places = (*map(space_name, (*city.guilds, *city.sites)), *map(corner_name, city.chapel_sites))
    taken |= dict.fromkeys(places, "a place in the city")
    for name, things, what in (("edifices", components.edifices, "an edifice"), ("tasks", components.tasks, "a task")):
        ids = [thing.id for thing in things]
        _refuse_taken(ids, taken | dict.fromkeys(filter(str.isdecimal, ids), "a number"), f"{where}: {name}", what)
        taken |= dict.fromkeys(ids, what)


def _refuse_taken(names: Iterable[str], taken: Mapping[str, str], key: str, what: str) -> None:
    for name in names:
        if name in taken:
            raise InputError(f"{key}: {what} cannot be called {name!r}, which stands for {taken[name]}")


def _known(name: str, names: Iterable[str], key: str, what: str) -> None:
    if name not in names:
        raise InputError(f"{key}: unknown {what} {name!r}; {suggest_names(name, list(names))}")


def _each_once(given: Iterable[str], wanted: Iterable[str], key: str, words: str) -> None:
    if sorted(given) != sorted(wanted):
        raise InputError(f"{key}: expected {words} ({', '.join(wanted)}), got {', '.join(given) or 'nothing'}")


def _check_cards(components: Components, where: str) -> None:
    cards = components.influence_cards
    if len(set(cards.values)) < len(cards.values):
        raise InputError(f"{where}: influence_cards.values: {cards.values}; each value may be listed once")
    count = len(cards.values) * cards.copies_of_each
    if not limit.MIN_CARDS <= count <= limit.MAX_CARDS:
        raise InputError(
            f"{where}: influence_cards.copies_of_each: {pluralize(cards.copies_of_each, 'copy', 'copies')} of "
            f"{pluralize(len(cards.values), 'value')} {'is' if count == 1 else 'are'} {pluralize(count, 'card')}; a player has "
            f"{limit.MIN_CARDS} to {limit.MAX_CARDS}"
        )


def _check_rounds(components: Components, where: str) -> None:
    rounds, edifices = len(components.round_cards), len(components.edifices)
    if edifices < rounds:
        raise InputError(
            f"{where}: edifices: {pluralize(edifices, 'edifice')} for {pluralize(rounds, 'round')} (round_cards); one is built a round"
        )
    order = components.guilds.order
    named = []
    for card in components.round_cards:
        for step in AUCTIONED:
            guild = getattr(card.guilds, step)
            _known(guild, order, f"{where}: round_cards.{card.id}.guilds.{step}", "guild")
            named.append(guild)
    for guild in order:
        if named.count(guild) > limit.MAX_GOODS:
            raise InputError(
                f"{where}: round_cards: guild {guild!r} is named {named.count(guild)} times; at most {limit.MAX_GOODS}, as "
                "many goods of one guild as a player may have"
            )


def _check_dealt(tasks: int, dealt: int, players: int, where: str) -> None:
    if tasks < dealt * players:
        raise InputError(
            f"{where}: tasks: {pluralize(tasks, 'task')}, and {players} players are dealt {dealt} each (tasks_meta.dealt_per_player); "
            f"at least {dealt * players}"
        )


def check_players(components: dict[str, Any], players: int, where: str) -> None:
    """Check that there are enough tasks to deal to `players` players.

    Raises:
        InputError: names the key.
    """
    _check_dealt(len(components["tasks"]), components["tasks_meta"]["dealt_per_player"], players, where)


def check_totals(components: Components, where: str) -> None:
    """Check that the file's totals agree with their parts; a variant's totals are derived again.

    Raises:
        InputError: names the key.
    """
    keys = (
        "influence_cards.per_player", "influence_cards.total", "city.building_sites", "city.guild_spaces", "tasks_meta.count",
        "tasks_meta.all_different",
    )  # fmt: skip
    check_derived(components, plain(components), keys, where)
    if components.meta.rounds != len(components.round_cards):
        raise InputError(
            f"{where}: meta.rounds: {pluralize(components.meta.rounds, 'round')} for "
            f"{pluralize(len(components.round_cards), 'round card')}; "
            "there are as many rounds as round cards"
        )
    if tuple(components.meta.players) != limit.PLAYER_COUNTS:
        raise InputError(f"{where}: meta.players: {components.meta.players}; expected {list(limit.PLAYER_COUNTS)}")


def plain(components: Components) -> dict[str, Any]:
    """Return the sections that a variant can change as plain values, with derived totals."""
    result = to_plain(components, [name for name in Components.__struct_fields__ if name != "meta"], _NOTES)
    city = city_of(result)
    cards = len(components.influence_cards.values) * components.influence_cards.copies_of_each
    kinds = [msgspec.to_builtins(task) | {"id": "", "points": 0, "text": ""} for task in components.tasks]
    for section, key, total in (
        ("influence_cards", "per_player", cards),
        ("influence_cards", "total", cards * limit.SEATS),
        ("city", "building_sites", len(city.sites)),
        ("city", "guild_spaces", len(city.guilds)),
        ("tasks_meta", "count", len(components.tasks)),
        ("tasks_meta", "all_different", all(kinds.count(kind) == 1 for kind in kinds)),
        ("tasks_meta", "max_points", max(task.points for task in components.tasks)),
    ):
        if key in result[section]:
            result[section][key] = total
    return result


def to_rules(components: Components) -> np.ndarray[Any, Any]:
    """Return the record that kernels read, an array of shape (1,)."""
    order, city = components.guilds.order, city_of(msgspec.to_builtins(components))
    edifices, tasks, meta = components.edifices, components.tasks, components.tasks_meta
    cards, values = components.influence_cards, components.influence_cards.values
    choices = [kept for kept in range(1 << meta.dealt_per_player) if meta.keep_min <= kept.bit_count() <= meta.keep_max]
    cells = [(column, line) for line in range(1, city.rows + 1) for column in range(1, city.columns + 1)]
    ends = (1, city.columns), (1, city.rows)
    price = np.zeros(limit.MAX_CELLS, int)
    price[[city.number(cell) for cell in city.prices]] = list(city.prices.values())
    return rules_from(
        limit.RULES, components, zero=limit.RESTRICTIONS, rounds=len(components.round_cards), guilds=len(order),
        edifices=len(edifices), tasks=len(tasks), dealt=meta.dealt_per_player, penalty=meta.penalty_unfulfilled,
        keep=sum(1 << kept for kept in choices), cards=len(values) * cards.copies_of_each,
        all_cards=sum(cards.copies_of_each << limit.CARD_BITS * (value - 1) for value in values),
        start_coins=components.coins.start_per_player, start_privileges=components.privileges.start_per_player,
        privilege_points=components.privileges.end_value, good_value=[components.goods.value[guild] for guild in order],
        chapels=components.chapels.count, chapel_points=components.chapels.points_per_adjacent_family_member,
        seat_points=components.council.prestige_per_member_each_council_phase,
        card_guild=[[order.index(getattr(card.guilds, step)) for step in AUCTIONED] for card in components.round_cards],
        edifice_points=[edifice.points for edifice in edifices], columns=city.columns, sites=len(city.sites), chapel_sites=len(city.chapel_sites), spaces=city.set_of(city.guilds),
        guild_spaces=[city.set_of(cell for cell, owner in city.guilds.items() if owner == guild) for guild in order],
        price=price,
        affordable=[city.set_of(cell for cell, paid in city.prices.items() if paid <= coins) for coins in range(limit.MAX_PRICE + 1)],
        site_spaces=[city.set_of(city.beside(site)) for site in city.sites],
        chapel_spaces=[city.set_of(city.around(corner)) for corner in city.chapel_sites],
        not_first_column=city.set_of(cell for cell in cells if cell[0] > 1),
        not_last_column=city.set_of(cell for cell in cells if cell[0] < city.columns),
        border=city.set_of(cell for cell in cells if cell[0] in ends[0] or cell[1] in ends[1]),
        task_kind=[limit.TASK_KINDS.index(task.kind) for task in tasks], task_points=[task.points for task in tasks],
        task_subject=[task.subject(order, [edifice.id for edifice in edifices]) for task in tasks],
        task_minimum=[[task.minimum(players) for players in range(limit.SEATS + 1)] for task in tasks],
        skip_first_step=components.switches.skip_A_round1, sequential=components.switches.planning == "sequential",
        most_drawn=[limit.ANY_NUMBER] * limit.SEATS,
    )  # fmt: skip


def warnings(components: Components) -> list[str]:
    """Return warnings about a playable component set: one per task that no game can fulfil."""
    return [f"no game can fulfil a task: {words}" for words in unfulfillable(components)]


def rounds(components: dict[str, Any]) -> int:
    """Return the number of rounds of a game: one per round card (A61)."""
    return len(components["round_cards"])


def hidden(components: dict[str, Any]) -> bool:
    """Return whether the game has hidden information: yes, cards and tasks."""
    return True
