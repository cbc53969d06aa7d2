"""Component data: what ships can be played, a designer's changes can, and what cannot is refused by the name of its key."""

import json
import tomllib
from importlib.resources import files

import msgspec
import pytest

import strozzi_sim as ss
from strasbourg_games import BASE, CHANGES, KIT, SHIPPED, STRASBOURG, variant
from strozzi_sim.errors import InputError
from strozzi_sim.game.components import check_totals
from strozzi_sim.game.variants import from_changes, from_components
from strozzi_sim.games.strasbourg import components as part
from strozzi_sim.games.strasbourg.events import city_of
from strozzi_sim.games.strasbourg.scoring import is_fulfilled
from strozzi_sim.games.strasbourg.state import MAX_TASKS, TASK_KINDS
from strozzi_sim.games.strasbourg.tasks import PARAMETERS
from strozzi_sim.study.progress import Progress


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


@pytest.mark.slow
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
    (city(chapel_sites=[[1, 1], [1, 1]]), r"city.chapel_sites: \[1, 1\] is listed 2 times"),
    (city(rows=7), "city.columns: 9 columns and 7 rows are 63 cells; at most 54"),
    (city(price_map=["x" + row[1:] for row in BASE.components["city"]["price_map"]]), "city.price_map: row 1, column 1: expected coins, 0 to 30, got 'x'"),
    (city(price_map=["." + row[1:] for row in BASE.components["city"]["price_map"]]), "city.price_map: row 1, column 1: '.', and 'B' in guild_map"),
    (city(guild_map=["Z" + row[1:] for row in BASE.components["city"]["guild_map"]]), "city.guild_map: row 1, column 1: unknown letter 'Z'"),
    (city(guild_map=["# " * 8 + "#"] * 6, price_map=[". " * 8 + "."] * 6), "city.guild_map: 54 building sites; at most 16"),
    (task(kind="most_friends"), "tasks.T_ED2.kind: invalid value 'most_friends'; known: adjacent_to_edifice, .*, most_coins, .*; did you mean 'most_coins'?"),
    (task(edifice="E7"), "tasks.T_ED2.edifice: unknown edifice 'E7'; known: E2, E3, E4, E5, E6"),
    ({"tasks": {"T_LORD": {"kind": "members_in_guild"}}}, "tasks.T_LORD.guild: missing; a task of kind members_in_guild has guild, min"),
    (task(kind="same_edifice"), "tasks.T_ED2.edifice: unknown key; a task of kind same_edifice has min"),
    ({"tasks": {"T_SQUARE": {"id": "a b"}}}, r"tasks\[13\].id: expected text of 1 to 32 characters of A-Za-z0-9_, got 'a b'"),
    ({"tasks": {"T_SQUARE": {"min": 3}}}, "tasks.T_SQUARE.min: a square has 4 members, got 3"),
    ({"tasks": BASE.components["tasks"][:14]}, "tasks: 14 tasks, and 3 players are dealt 5 each .tasks_meta.dealt_per_player.; at least 15"),
    ({"tasks": [BASE.components["tasks"][0]] * 15}, "tasks: the id 'T_ED2' is used 15 times; ids are unique"),
    ({"tasks_meta": {"keep_min": 4, "keep_max": 3}}, "tasks_meta: keep_min 4, keep_max 3, dealt_per_player 5"),
    ({"edifices": BASE.components["edifices"][:4]}, r"edifices: 4 edifices for 5 rounds \(round_cards\)"),
    ({"round_cards": {"R1": {"guilds": {"B": "mason", "D": "smith", "F": "baker"}}}}, "round_cards.R1.guilds.B: unknown guild 'mason'"),
    ({"round_cards": [{"id": "R", "guilds": {"B": "baker", "D": "baker"}}]}, "round_cards.R.guilds: missing required field `F`"),
    ({"round_cards": [{"id": f"R{k}", "guilds": {"B": "baker", "D": "baker", "F": "baker"}} for k in range(6)],
      "edifices": [{"id": f"F{k}", "points": 1} for k in range(6)]}, "round_cards: guild 'baker' is named 18 times; at most 15"),
    ({"influence_cards": {"values": [1, 1]}}, r"influence_cards.values: \[1, 1\]; each value may be listed once"),
    ({"influence_cards": {"copies_of_each": 5}}, "influence_cards.copies_of_each: 5 copies of 6 values are 30 cards; a player has 2 to 24"),
    ({"goods": {"value": {"smith": 1}}}, "goods.value: expected a value for each guild"),
    ({"guilds": {"letters": {"S": "smith"}}}, "guilds.letters: expected a letter for each guild"),
    ({"guilds": {"letters": {"S": "mason"}}}, "guilds.letters.S: unknown guild 'mason'"),
    *(({"guilds": {"order": [name]}}, f"guilds.order: a guild cannot be called {name!r}, which stands for {words}") for name, words in [
        ("church", "a seat of the council"), ("all", "all together"), ("any", "any of them"), ("none", "nothing"), ("C", "a step of the round"),
    ]),
    *(({"edifices": {"E2": {"id": name}}}, f"edifices: an edifice cannot be called {name!r}, which stands for {words}") for name, words in [
        ("chapel", "the chapels"), ("all", "all together"), ("none", "nothing"), ("smith", "a guild"), ("A", "a step of the round"),
        ("3", "a number"), ("c4", "a place in the city"), ("c1", "a place in the city"), ("a1b2", "a place in the city"), ("yes", "yes"),
    ]),
    *(({"tasks": {"T_ROW3": {"id": name}}}, f"tasks: a task cannot be called {name!r}, which stands for {words}") for name, words in [
        ("all", "all together"), ("any", "any of them"), ("none", "nothing"), ("E2", "an edifice"), ("smith", "a guild"), ("7", "a number"),
    ]),
    ({"council": {"seats": ["nobility"]}}, "council.seats: expected the seats nobility, church, merchants and one per guild"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "words"), BAD, ids=[words[:40] for _, words in BAD])
def test_what_cannot_be_played_is_refused(changes, words):
    with pytest.raises(InputError, match=words) as refused:
        from_changes(STRASBOURG, "bad", changes, "bad.toml")
    assert str(refused.value).startswith("bad.toml: ")


def unfulfillable(changes):
    chosen = from_changes(STRASBOURG, "asked", changes, "asked")
    return [warning.removeprefix("no game can fulfil a task: ") for warning in chosen.warnings]


SMALL_MAPS = {"guild_map": ["S S V", "S # H", "K B B"], "price_map": ["1 1 1", "1 . 1", "1 1 1"]}
SMALL = {"city": {"columns": 3, "rows": 3, **SMALL_MAPS, "chapel_sites": [[1, 1]]}}
NEVER = [  # a task, other changes, what the warning says, and a number that can be reached
    ({"kind": "members_in_guild", "guild": "smith", "min": 4}, {}, "4 members at smith (9 spaces, 3 auctions), and a player can have at most 3", 3),
    ({"kind": "members_in_guild", "guild": "vintner", "min": 2}, SMALL, "2 members at vintner (1 space, 3 auctions), and a player can have at most 1", 1),
    ({"kind": "same_edifice", "min": 5}, SMALL, "5 members beside one edifice, and a player can have at most 4", 4),
    ({"kind": "distinct_edifices", "min": 6}, {}, "6 edifices (5 rounds, 7 building sites), and a player can have at most 5", 5),
    ({"kind": "same_chapel", "min": 5}, {}, "5 members beside one chapel, and a player can have at most 4", 4),
    ({"kind": "distinct_chapels", "min": 3}, {"chapels": {"count": 2}}, "3 chapels (2 built at most, 15 chapel sites), and a player can have at most 2", 2),
    ({"kind": "orthogonal_line", "min": 8}, {}, "8 members in a line, and a player can have at most 6", 6),
    ({"kind": "diagonal_line", "min": 4}, SMALL, "4 members in a line, and a player can have at most 2", 2),
    ({"kind": "square_2x2"}, SMALL, "4 members on a square of spaces, and a player can have at most 0", None),
    ({"kind": "connected_group", "min": 16}, {}, "16 members in a connected group, and a player can have at most 15", 15),
    ({"kind": "border_members", "min": 9}, SMALL, "9 members on the border, and a player can have at most 8", 8),
    ({"kind": "distinct_guilds", "min": 6}, {}, "6 guilds (of 5), and a player can have at most 5", 5),
    ({"kind": "guilds_with_pairs", "guilds": 1, "min": 4}, SMALL, "1 guild with 4 members each, and a player can have at most 0", 3),
    ({"kind": "guilds_with_pairs", "guilds": 6, "min": 1}, {}, "6 guilds with 1 member each, and a player can have at most 5", None),
    ({"kind": "council_members", "min_by_players": {"p3": 8, "p4": 9, "p5": 2}}, {}, "9 seats of the council with 4 players, and a player can have at most 8", None),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "changes", "words", "reached"), NEVER, ids=[words[:40] for _, _, words, _ in NEVER])
def test_a_designer_is_told_of_a_task_that_no_game_can_fulfil(asked, changes, words, reached):
    tasks = [task for task in BASE.components["tasks"] if task["id"] in ("T_MOSTCOINS", "T_LORD")]
    tasks = [{**task, "id": f"{task['id']}{k}"} for k in range(8) for task in tasks]
    new = {"id": "NEW", "points": 9, **asked}
    assert unfulfillable({"tasks": [*tasks, new], **changes}) == [f"NEW needs {words}"]
    if reached is not None:
        assert unfulfillable({"tasks": [*tasks, {**new, "min": reached}], **changes}) == []


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_task_can_be_fulfilled(name):
    assert variant(name).warnings == ()


@pytest.mark.parametrize("name", ["three-rounds", "poor", "other-box"])
def test_what_is_said_to_be_impossible_does_not_happen(name):
    """However the games go: a task of every kind asks for one more than a player is said to have at most."""
    base = variant(name).components
    guilds, edifice = base["guilds"]["order"], base["edifices"][0]["id"]
    kinds = [
        {"kind": kind, "min": least} for kind in TASK_KINDS for least in range(1, 9) if PARAMETERS[kind] == ("min",)
    ]
    kinds += [{"kind": "members_in_guild", "guild": guild, "min": least} for guild in guilds for least in range(1, 5)]
    kinds += [{"kind": "adjacent_to_edifice", "edifice": edifice, "min": least} for least in range(1, 6)]
    kinds += [{"kind": "guilds_with_pairs", "guilds": 2, "min": least} for least in range(1, 5)]
    fulfilled, never = set(), set()
    for first in range(0, len(kinds), MAX_TASKS):
        tasks = [
            {"id": f"K{first + k}", "points": 1, **task} for k, task in enumerate(kinds[first : first + MAX_TASKS])
        ]
        tasks += [{"id": f"L{k}", "kind": "nobility_or_church", "points": 1} for k in range(max(0, 20 - len(tasks)))]
        chosen = from_changes(STRASBOURG, name, {**CHANGES[name], "tasks": tasks, "tasks_meta": {}}, name)
        never |= {warning.split()[6] for warning in chosen.warnings}
        for deal in range(12):
            table = KIT.position(chosen, 3, deal)
            for action in KIT.script(table, f"{name} {deal}"):
                table.play(action)
            done = [
                any(is_fulfilled(table.state[0], chosen.rules[0], seat, k) for seat in range(3))
                for k in range(len(tasks))
            ]
            fulfilled |= {task["id"] for task, is_done in zip(tasks, done, strict=True) if is_done}
    assert fulfilled
    assert any(f"K{k}" in never for k in range(len(kinds)))
    assert not fulfilled & never, "the bound is too low"


@pytest.mark.slow
def test_a_study_tells_the_warnings_of_its_variants_before_it_is_played():
    chosen = from_changes(STRASBOURG, "few", {"chapels": {"count": 2}}, "few")
    keys = {"game": "strasbourg", "players": [3], "deals": 1, "lineups": [["random"]]}
    said = []
    words = (
        "variant few: no game can fulfil a task: T_CHAPEL4 needs 4 chapels (2 built at most, 15 chapel sites), and a player can "
        "have at most 2"
    )
    study = ss.Study.of(**keys, variants=[BASE, chosen])
    played = ss.run(study, workers=1, progress=Progress(on_message=said.append))
    assert said == [words]
    assert study.warnings == played.study.warnings == [words]
    many = from_changes(STRASBOURG, "many", {"tasks": {f"T_ED{k}": {"min": 9} for k in range(2, 7)}, "chapels": {"count": 0},
                                             "round_cards": BASE.components["round_cards"][:1]}, "many")  # fmt: skip
    lines = ss.Study.of(**keys, variants=[BASE, many]).warnings
    assert len(many.warnings) > 8
    assert lines[8:] == [f"variant many: and {len(many.warnings) - 8} more"]


@pytest.mark.parametrize("source", [{}, {"provenance": "reconstructed"}])
def test_equal_tasks_are_found_whatever_their_source_and_points(source):
    again = {"id": "AGAIN", "kind": "nobility_or_church", "points": 9, **source}
    twice = from_changes(STRASBOURG, "twice", {"tasks": {"add": [again]}}, "twice")
    assert BASE.components["tasks_meta"]["all_different"]
    assert not twice.components["tasks_meta"]["all_different"]
    assert from_components(STRASBOURG, "twice", twice.components, "record").components == twice.components


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
        check_totals(data, part.totals(data), "box")
