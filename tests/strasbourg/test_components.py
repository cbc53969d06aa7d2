"""Component data: what ships can be played, a designer's changes can, and what cannot is refused by the name of its key."""

import json
import tomllib
from importlib.resources import files

import msgspec
import pytest

from strasbourg_games import BASE, KIT, SHIPPED, STRASBOURG, variant
from strozzi_sim.errors import InputError
from strozzi_sim.games.strasbourg import components as part
from strozzi_sim.games.strasbourg.events import city_of
from strozzi_sim.games.strasbourg.state import TASK_KINDS
from strozzi_sim.games.variants import from_changes, from_components


def test_the_box():
    """What is known of the box (A51 to A56)."""
    city = city_of(BASE.components)
    assert (len(city.guilds), len(city.sites), len(BASE.components["tasks"])) == (47, 7, 25)
    assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) > 1 for a in city.sites for b in city.sites if a != b)
    values = BASE.components["goods"]["value"]
    assert values["smith"] + values["vintner"] + values["shoemaker"] == 12
    for guild, value in values.items():
        assert {city.prices[cell] for cell, owner in city.guilds.items() if owner == guild} == {value - 1, value}
    named = [guild for card in BASE.components["round_cards"] for guild in card["guilds"].values()]
    assert all(named.count(guild) == 3 for guild in values)
    assert all(len(set(card["guilds"].values())) == 3 for card in BASE.components["round_cards"])
    assert {task["kind"] for task in BASE.components["tasks"]} == set(TASK_KINDS)
    assert BASE.hidden


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_cities(name):
    """Districts hang together, building sites lie apart, chapel sites are the corners without one."""
    city = city_of(variant(name).components)
    for guild in BASE.components["guilds"]["order"]:
        own = {cell for cell, owner in city.guilds.items() if owner == guild}
        seen = [min(own)]
        for cell in seen:
            seen += [other for other in city.beside(cell) if other in own and other not in seen]
        assert set(seen) == own
    assert all(len(city.around(corner)) == 4 for corner in city.chapel_sites)


def test_a_record_may_leave_out_what_has_no_bearing():
    """F7: what stands in brackets there, and a switch with its default (F8)."""
    told = json.loads(json.dumps(BASE.components))
    for block, keys in {
        "influence_cards": ("per_player", "total"), "coins": ("pieces", "denominations", "unlimited"),
        "goods": ("tiles_per_guild", "unlimited"), "privileges": ("pieces", "unlimited"),
        "city": ("building_sites", "guild_spaces"), "tasks_meta": ("count", "all_different", "max_points"),
    }.items():  # fmt: skip
        for key in keys:
            del told[block][key]
    assert from_components(STRASBOURG, "base", told, "record").rules.tobytes() == BASE.rules.tobytes()


def test_a_designer_adds_a_task_a_space_and_an_edifice():
    city = BASE.components["city"]
    changes = {
        "tasks": [*BASE.components["tasks"], {"id": "NEW", "kind": "connected_group", "points": 9, "min": 2}],
        "edifices": [*BASE.components["edifices"], {"id": "E9", "points": 9}],
        "city": {
            "guild_map": [city["guild_map"][0].replace("#", "B"), *city["guild_map"][1:]],
            "price_map": [city["price_map"][0].replace(".", "7"), *city["price_map"][1:]],
        },
    }
    chosen = from_changes(STRASBOURG, "more", changes, "more")
    assert int(chosen.rules["tasks"][0]) == 26
    assert int(chosen.rules["spaces"][0]).bit_count() == 48
    table = KIT.position(chosen, 3, 0)
    for action in KIT.script(table, "more"):
        table.play(action)
    assert table.over


def city(**changes):
    return {"city": changes}


def task(**changes):
    return {"tasks": {"T_ED2": changes}}


BAD = [
    (city(guild_map=[row.replace("S", "V") for row in BASE.components["city"]["guild_map"]]), "city.guild_map: guild 'smith' has no space"),
    (city(chapel_sites=[[9, 1]]), r"city.chapel_sites: \[9, 1\] is no corner inside the city; columns are 1 to 8, rows 1 to 5"),
    (city(chapel_sites=[[1, 0]]), r"city.chapel_sites: \[1, 0\] is no corner"),
    (city(chapel_sites=[[1, 1], [1, 1]]), r"city.chapel_sites: \[1, 1\] is listed 2 times"),
    (city(columns=8), "city.guild_map: row 1 has 9 cells; city.columns says 8"),
    (city(rows=5), "city.guild_map: 6 rows; city.rows says 5"),
    (city(rows=7), "city.columns: 9 columns and 7 rows are 63 cells; at most 54"),
    (city(price_map=["x" + row[1:] for row in BASE.components["city"]["price_map"]]), "city.price_map: row 1, column 1: expected coins, 0 to 30, got 'x'"),
    (city(price_map=["." + row[1:] for row in BASE.components["city"]["price_map"]]), "city.price_map: row 1, column 1: '.', and 'B' in guild_map"),
    (city(guild_map=["Z" + row[1:] for row in BASE.components["city"]["guild_map"]]), "city.guild_map: row 1, column 1: unknown letter 'Z'"),
    (city(guild_map=["# " * 8 + "#"] * 6, price_map=[". " * 8 + "."] * 6), "city.guild_map: 54 building sites; at most 16"),
    (task(kind="most_friends"), r"tasks\[0\].kind: invalid enum value 'most_friends'"),
    (task(edifice="E7"), "tasks.T_ED2.edifice: unknown edifice 'E7'; known: E2, E3, E4, E5, E6"),
    ({"tasks": {"T_LORD": {"kind": "members_in_guild"}}}, "tasks.T_LORD.guild: missing; a task of kind members_in_guild has guild, min"),
    (task(kind="same_edifice"), "tasks.T_ED2.edifice: unknown key; a task of kind same_edifice has min"),
    (task(min=0), r"tasks\[0\].min: expected `int` >= 1, got 0"),
    (task(points=51), r"tasks\[0\].points: expected `int` <= 50, got 51"),
    (task(colour="red"), r"tasks\[0\]: unknown key `colour`"),
    ({"tasks": {"T_SQUARE": {"min": 3}}}, "tasks.T_SQUARE.min: a square has 4 members, got 3"),
    ({"tasks": {"T_G_smith": {"guild": "mason"}}}, "tasks.T_G_smith.guild: unknown guild 'mason'"),
    ({"tasks": BASE.components["tasks"][:14]}, "tasks: 14 tasks, and 3 players are dealt 5 each .tasks_meta.dealt_per_player.; at least 15"),
    ({"tasks": [BASE.components["tasks"][0]] * 15}, "tasks: 'T_ED2' is used 15 times; ids are unique"),
    ({"tasks_meta": {"keep_min": 4, "keep_max": 3}}, "tasks_meta: keep_min 4, keep_max 3, dealt_per_player 5"),
    ({"tasks_meta": {"dealt_per_player": 6}}, "tasks_meta.dealt_per_player: expected `int` <= 5, got 6"),
    ({"edifices": BASE.components["edifices"][:4]}, r"edifices: 4 edifices for 5 rounds \(round_cards\)"),
    ({"round_cards": {"R1": {"guilds": {"B": "mason", "D": "smith", "F": "baker"}}}}, "round_cards.R1.guilds.B: unknown guild 'mason'"),
    ({"round_cards": [{"id": "R", "guilds": {"B": "baker", "D": "baker"}}]}, r"round_cards\[0\].guilds: missing required field `F`"),
    ({"round_cards": [{"id": f"R{k}", "guilds": {"B": "baker", "D": "baker", "F": "baker"}} for k in range(6)],
      "edifices": [{"id": f"F{k}", "points": 1} for k in range(6)]}, "round_cards: guild 'baker' is named 18 times; at most 15"),
    ({"influence_cards": {"values": [1, 1]}}, r"influence_cards.values: \[1, 1\]; each value may be listed once"),
    ({"influence_cards": {"values": [7]}}, r"influence_cards.values\[0\]: expected `int` <= 6, got 7"),
    ({"influence_cards": {"copies_of_each": 5}}, "influence_cards.copies_of_each: 5 copies of 6 values are 30 cards; a player has 2 to 24"),
    ({"goods": {"value": {"smith": 1}}}, "goods.value: expected a value for each guild"),
    ({"guilds": {"letters": {"S": "smith"}}}, "guilds.letters: expected a letter for each guild"),
    ({"guilds": {"letters": {"S": "mason"}}}, "guilds.letters.S: unknown guild 'mason'"),
    ({"guilds": {"order": ["church"]}}, "guilds.order: 'church' is no name for a guild"),
    ({"council": {"seats": ["nobility"]}}, "council.seats: expected the seats nobility, church, merchants and one a guild"),
    ({"switches": {"planning": "none"}}, "switches.planning: invalid enum value 'none'"),
    ({"switches": {"min_draw": 2}}, "switches.min_draw: invalid enum value 2"),
    ({"switches": {"tie_fulfils": 1}}, "switches.tie_fulfils: expected `bool`, got `int` 1"),
    ({"switches": {"hide_cards": True}}, "switches: unknown key `hide_cards`"),
    ({"chapels": {"count": -1}}, "chapels.count: expected `int` >= 0, got -1"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "words"), BAD, ids=[words[:40] for _, words in BAD])
def test_what_cannot_be_played_is_refused(changes, words):
    with pytest.raises(InputError, match=words) as refused:
        from_changes(STRASBOURG, "bad", changes, "bad.toml")
    assert str(refused.value).startswith("bad.toml: ")


def test_more_players_than_tasks_for_them():
    fewer = from_changes(STRASBOURG, "fewer", {"tasks": BASE.components["tasks"][:22]}, "fewer")
    part.check_players(fewer.components, 4, "fewer")
    with pytest.raises(InputError, match="fewer: tasks: 22 tasks, and 5 players are dealt 5 each"):
        part.check_players(fewer.components, 5, "fewer")


@pytest.mark.parametrize(
    ("block", "key", "value"),
    [
        ("meta", "rounds", 6), ("meta", "players", [2, 3]), ("influence_cards", "total", 119), ("city", "guild_spaces", 46),
        ("tasks_meta", "count", 24),
    ],
)  # fmt: skip
def test_totals_of_the_file_must_agree(block, key, value):
    raw = tomllib.loads(files(STRASBOURG.package).joinpath("components.toml").read_text("utf-8"))
    raw[block][key] = value
    data = msgspec.convert(raw, type=part.Components)
    with pytest.raises(InputError, match=rf"box: {block}.{key}: "):
        part.check_totals(data, "box")
