"""Names of component data: every number of our games has one, changes read as sentences, own games get defaults."""

import re

import pytest

from our_games import OUR_GAMES
from strozzi_sim.desk.questions import box_of
from strozzi_sim.errors import InputError
from strozzi_sim.game import component_names, load_game
from strozzi_sim.game.component_names import Name, changes_in_words, declared_names, name_of_key
from strozzi_sim.game.variants import Variant, resolve_variant, shipped_variants


def _fields(game):
    """Yield (key, kind) of every value that a designer can change at the desk."""
    for group in box_of(game)["groups"]:
        for each in group.get("fields", ()):
            yield each["key"], each["kind"], each["value"]
        for row in group.get("rows", ())[:1]:
            for column in group["columns"]:
                yield f"{group['name']}.{row['id']}.{column['name']}", column["kind"], None


@pytest.mark.parametrize("name", OUR_GAMES)
def test_everything_that_a_designer_can_change_has_a_name(name):
    game = load_game(name)
    declared = set()
    for key, kind, value in _fields(name):
        if kind == "fixed":
            continue
        keys = [key, *(f"{key}.{place}" for place in range(len(value)))] if kind == "list" and value else [key]
        for each in keys:
            called = name_of_key(game, each)
            assert ":" not in called.label, f"{each} has no name of its own in names.toml"
            declared.add(called.label)
            text = called.clause(True if kind == "switch" else 3)
            shown = f"{called.label} {text}".replace(each.split(".")[1], "ID")
            assert not re.search(r"[_{}*]|\b(True|False|None)\b", shown), (each, called.label, text)
    assert len(declared) > 40


@pytest.mark.parametrize("name", OUR_GAMES)
def test_no_name_is_of_a_key_that_is_not_there(name):
    game = load_game(name)
    components = resolve_variant(game, "base").components

    def exists(data, parts):
        if not parts:
            return True
        entries = dict(enumerate(data)) if isinstance(data, list) else data
        if isinstance(data, list) and data and isinstance(data[0], dict) and "id" in data[0]:
            entries = {entry["id"]: entry for entry in data}
        if not isinstance(entries, dict):
            return False
        chosen = entries.values() if parts[0] == "*" else [entries[parts[0]]] if parts[0] in entries else []
        return any(exists(entry, parts[1:]) for entry in chosen)

    optional = {"tracks.per_track", "tracks.per_track.*"}  # a variant can add these
    assert not [key for key in declared_names(game) if not exists(components, key.split(".")) and key not in optional]


@pytest.mark.parametrize("name", OUR_GAMES)
def test_every_shipped_variant_reads_as_sentences(name):
    game = load_game(name)
    for variant in shipped_variants(game):
        other = resolve_variant(game, variant).components
        for key, words in changes_in_words(game, resolve_variant(game, "base").components, other):
            assert words
            shown = words.replace(key.split(".")[1], "ID")
            assert not re.search(r"[_{}*\[\]]|\b(True|False|None)\b", shown), (key, words)


CHANGES = [
    ("strozzi", {"tracks.bonus.9": 20}, ["space 9 of the tracks pays 20 coins instead of 15"]),
    ("strozzi", {"tracks.bonus.6": 1}, ["space 6 of the tracks pays 1 coin instead of nothing"]),
    ("strozzi", {"scoring.ship_ranks": [15, 20, 5]}, ["the second ship at a port earns 20 coins instead of 10"]),
    ("strozzi", {"rules.tile_optional": True}, ["a player may leave the promotion tile"]),
    ("strozzi", {"ships.remove": ["S01"]}, ["ship S01 is removed"]),
    ("strozzi", {"ships.S02.sail": 8}, ["ship S02 has sail number 8 instead of 7"]),
    ("medici_vs_strozzi", {"ships.capacities": [3, 4, 6]}, ["the third ship holds 6 tiles instead of 5"]),
    (
        "medici_vs_strozzi",
        {"switches.round_ends_when": "moored"},
        ["a round ends when each ship of a player holds a tile"],
    ),
    ("strasbourg", {"goods.value.smith": 6}, ["the good of the smiths sells for 6 coins instead of 5"]),
    ("strasbourg", {"tasks.T_LORD.points": 1}, ["task “nobility or church” is worth 1 point instead of 4"]),
]


@pytest.mark.parametrize(("game", "values", "expected"), CHANGES)
def test_a_change_reads_as_at_the_table(game, values, expected):
    before, after = Variant.of(game), Variant.of(game, values=values)
    words = [clause for _, clause in changes_in_words(load_game(game), before.components, after.components)]
    assert words[: len(expected)] == expected


def test_a_place_in_a_list_reads_as_an_ordinal(monkeypatch):
    pattern = {"chapel.sites.*": Name("{0:place} site of a chapel")}
    monkeypatch.setattr(component_names, "declared_names", lambda game: pattern)
    labels = {index: name_of_key(load_game("strozzi"), f"chapel.sites.{index}").label for index in (0, 9, 10, 20, 21)}
    assert labels == {
        0: "first site of a chapel",
        9: "tenth site of a chapel",
        10: "11th site of a chapel",
        20: "21st site of a chapel",
        21: "22nd site of a chapel",
    }


def test_a_key_without_a_name_is_called_by_its_words(monkeypatch):
    monkeypatch.setattr(component_names, "declared_names", lambda game: {})
    assert name_of_key(load_game("strozzi"), "rules.florence_bonus") == Name("rules: florence bonus")
    assert name_of_key(load_game("strozzi"), "scoring.ship_ranks.0").change(15, 20) == (
        "scoring: ship ranks 0 is 20 instead of 15"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('"a.*" = { label = "{1}" }', "a.*: a text may use {value} and 1 parts of the key"),
        ('a = { label = "x", texts = "y" }', "texts"),
        ('a = { text = "y" }', "label"),
        ("a = ", "not a TOML file"),
    ],
)
def test_a_wrong_file_of_names_is_refused(line, message, tmp_path, monkeypatch):
    (tmp_path / "names.toml").write_text(line, encoding="utf-8")
    monkeypatch.setattr(component_names, "files", lambda package: tmp_path)
    with pytest.raises(InputError, match=re.escape(message)):
        declared_names.__wrapped__(load_game("strozzi"))
