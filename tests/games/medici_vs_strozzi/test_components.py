"""Component data: every legal variant plays to the end as the rules say, an illegal one is refused by key and value."""

import re
import tomllib
from pathlib import Path

import pytest

import strozzi_sim
from medici_games import BASE, MEDICI_VS_STROZZI, SHIPPED, SWITCHES, variant
from strozzi_sim.agent import load_agent
from strozzi_sim.errors import InputError
from strozzi_sim.game import variants as reading
from strozzi_sim.game.variants import from_changes
from strozzi_sim.games.medici_vs_strozzi import components as c
from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.games.medici_vs_strozzi.reference import tiles_of
from strozzi_sim.simulation.match import Match

FILE = Path(strozzi_sim.__file__).parent / "games/medici_vs_strozzi/components.toml"


@pytest.mark.parametrize("name", [*SHIPPED, *SWITCHES])
def test_every_variant_is_made_of_the_tiles_of_the_rules(name):
    chosen = variant(name)
    of_the_rules = {name: (tile.type, tile.value) for name, tile in tiles_of(chosen.components).items()}
    types = [kind["key"] for kind in chosen.components["type"]]
    found = {n: ("gold" if kind == s.GOLD else types[kind], value) for n, kind, value in c.tile_ids(chosen.components)}
    assert list(found.items()) == list(of_the_rules.items())  # in the same order too
    rules = chosen.rules[0]
    assert rules["tile_value"][: len(found)].tolist() == [value for _, value in found.values()]


REFUSED = [
    # sections and keys that are not there
    ({"harbors": []}, "harbors: unknown section", "ships, tiles, type"),
    ({"tracks": {"length": 3}}, "tracks", "unknown key 'length'"),
    ({"harbor": {"H9": {"tracks": []}}}, "harbor.H9", "known: H1, H2, H3"),
    # values out of bounds: of each kind one, since their types are those of the box on the desk, which knows the ranges
    ({"ships": {"capacities": [3, 4, 16]}}, "ships.capacities[2]", "<= 15, got 16"),
    ({"type": [{"key": "two words"}]}, "type[0].key", "got 'two words'"),
    ({"tracks": {"bonus": {"4": -10}}}, "tracks.bonus.4", ">= 0, got -10"),
    ({"rounds": {"starter": ["Medici", "Strozi", "Medici"]}}, "rounds.starter[1]", "invalid value 'Strozi'; known: Medici, Strozzi; did you mean 'Strozzi'?"),
    ({"tracks": {"per_track": {"H1.red": {"half_length": 0, "bonus": {}}}}}, "tracks.per_track.H1.red.half_length", ">= 1, got 0"),
    ({"money": {"start_cash": 10_001}}, "money.start_cash", "<= 10,000, got 10001"),
    ({"rounds": {"count": 0, "starter": []}}, "rounds.count", ">= 1, got 0"),
    # facts of the printed game that have no other reading
    ({"tracks": {"clamp_at_ends": False}}, "tracks.clamp_at_ends", "False"),
    ({"scoring": {"bonus_is_additional": False}}, "scoring.bonus_is_additional", "False"),
    ({"scoring": {"markers_reset_between_rounds": True}}, "scoring.markers_reset_between_rounds", "True"),
    ({"gold": {"has_track": True}}, "gold.has_track", "True"),
    ({"price_space": {"granularity": 5}}, "price_space.granularity", "5"),
    ({"money": {"min_price": 1}}, "money.min_price", "1"),
    ({"rounds": {"reveal_min": 0}}, "rounds.reveal_min", "0"),
    # what single values cannot show
    ({"type": [{"key": "dye"}, {"key": "fur"}, {"key": "dye"}]}, "type", "'dye' is used 2 times"),
    ({"harbor": {"H2": {"id": "H1"}}}, "harbor", "'H1' is used 2 times"),
    ({"type": [{"key": "gold"}]}, "type", "'gold' is the name of the tiles without a track"),
    ({"ships": {"capacities": [4, 3, 4]}}, "ships.capacities", "[4, 3, 4]"),
    ({"ships": {"capacities": [2, 3, 4, 5]}}, "harbor", "3 harbors for 4 ships"),
    ({"harbor": [{"id": "H1", "tracks": ["dye"]}]}, "harbor", "1 harbors for 3 ships"),
    ({"harbor": {"H3": {"tracks": ["silk"]}}}, "harbor.H3.tracks", "unknown type 'silk'; known: dye, spice, cloth, fur"),
    ({"harbor": {"H3": {"tracks": ["gold"]}}}, "harbor.H3.tracks", "unknown type 'gold'"),
    ({"harbor": {"H3": {"tracks": ["fur", "fur"]}}}, "harbor.H3.tracks", "'fur' is listed twice"),
    ({"tracks": {"per_track": {"H1.cloth": {"half_length": 3, "bonus": {}}}}}, "tracks.per_track.H1.cloth", "H1.dye"),
    ({"tracks": {"per_track": {"dye": {"half_length": 3, "bonus": {}}}}}, "tracks.per_track.dye", "no such track"),
    ({"tracks": {"per_track": {"": {"half_length": 3, "bonus": {}}}}}, "tracks.per_track.", "no such track"),
    ({"tracks": {"bonus": {"6": 5}}}, "tracks.bonus.6", "half_length = 5"),
    ({"tracks": {"bonus": {"0": 5}}}, "tracks.bonus.0", "not on the track"),
    ({"tracks": {"bonus": {"-4": 5}}}, "tracks.bonus.-4", "not on the track"),
    ({"tracks": {"half_length": 3}}, "tracks.bonus.4", "half_length = 3"),
    (
        {"tracks": {"per_track": {"H1.dye": {"half_length": 3, "bonus": {"4": 5}}}}},
        "tracks.per_track.H1.dye.bonus.4", "half_length = 3",
    ),
    ({"tiles": {"values_per_type": [1] * 16}}, "tiles", "66 tiles; at most 64"),
    ({"tiles": {"gold_count": 27}}, "tiles.gold_count", "<= 26, got 27"),
    ({"tiles": {"values_per_type": [7] * 27}, "type": [{"key": "dye"}], "harbor": [
        {"id": f"H{k}", "tracks": ["dye"]} for k in range(3)]}, "tiles.values_per_type", "27 tiles of value 7; at most 26"),
    ({"rounds": {"count": 2}}, "rounds.starter", "3 names for 2 rounds"),
    ({"rounds": {"starter": ["Strozzi"] * 3}}, "rounds.starter", "Strozzi cannot start round 1"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "key", "said"), REFUSED, ids=[f"{key} {said}" for _, key, said in REFUSED])
def test_an_illegal_variant_is_refused_with_file_key_and_value(changes, key, said):
    with pytest.raises(InputError) as refusal:
        from_changes(MEDICI_VS_STROZZI, "mine", changes, "study.toml: variant.mine")
    words = str(refusal.value)
    assert words.startswith(f"study.toml: variant.mine: {key}"), words
    assert said in words
    assert "\n" not in words


TOTALS = [
    ("ships", "per_player", 4, "3"),
    ("ships", "total", 8, "6"),
    ("tiles", "total", 27, "26"),
    ("harbors_summary", "count", 4, "3"),
    ("harbors_summary", "track_counts", [3, 2, 3], r"\[3, 3, 2\]"),
    ("harbors_summary", "tracks_total", 9, "8"),
    ("tracks", "identical_on_all_harbors", False, "True"),
    ("rounds", "markers_wooden", 9, "8"),
    ("money", "coins_total_count", 50, "48"),
    ("money", "coins_total_value", 1000, "1062"),
]


@pytest.mark.parametrize(("section", "key", "given", "found"), TOTALS, ids=[f"{a}.{b}" for a, b, *_ in TOTALS])
def test_a_components_file_whose_totals_disagree_is_refused(section, key, given, found, monkeypatch):
    raw = tomllib.loads(FILE.read_text("utf-8"))
    raw[section][key] = given
    monkeypatch.setattr(reading, "_toml", lambda game, file: raw)
    where = f"medici_vs_strozzi variant base: {section}.{key}: {given}"
    with pytest.raises(InputError, match=f"^{re.escape(where)} does not agree with the parts, which make {found}$"):
        from_changes(MEDICI_VS_STROZZI, "base", {}, "medici_vs_strozzi variant base")


def test_a_variant_derives_its_totals_anew():
    components = variant("other-box").components
    assert components["ships"] | {"capacities": 0} == {"capacities": 0, "per_player": 4, "total": 8}
    assert components["tiles"]["total"] == 5 * 5 + 5
    assert components["rounds"]["markers_wooden"] == 3 + 1 + 0 + 4
    assert components["tracks"]["identical_on_all_harbors"] is False
    one_coin = from_changes(MEDICI_VS_STROZZI, "coin", {"money": {"coins": [{"value": 7, "count": 3}]}}, "coin")
    money = one_coin.components["money"]
    assert (money["coins_total_count"], money["coins_total_value"]) == (3, 21)


def test_variants_change_key_by_key():
    changes = {
        "harbor": {"H3": {"tracks": ["cloth", "fur", "dye"]}},
        "tracks": {"per_track": {"H3.dye": {"half_length": 2, "bonus": {"2": 7}}}},
    }
    changed = from_changes(MEDICI_VS_STROZZI, "mine", changes, "mine")
    assert [harbor["tracks"] for harbor in changed.components["harbor"]] == [
        ["dye", "spice", "fur"], ["dye", "spice", "cloth"], ["cloth", "fur", "dye"]
    ]  # fmt: skip
    half = changed.rules[0]["half_length"]
    assert (half[2, 0], half[0, 0], half[2, 2]) == (2, 5, 5)
    assert changed.rules[0]["bonus"][2, 0].tolist() == [0, 0, 7] + [0] * 13
    assert BASE.components["tracks"]["per_track"] == {}


@pytest.mark.slow
def test_the_longest_game_fits_the_journal():
    changes = {
        "ships": {"capacities": [12, 13, 14, 15]},
        "type": [{"key": f"T{k}"} for k in range(6)],
        "tiles": {"values_per_type": [0] * 10, "gold_count": 4},
        "harbor": [{"id": f"H{k}", "tracks": [f"T{j}" for j in range(6)]} for k in range(4)],
        "rounds": {"count": s.MAX_ROUNDS, "starter": ["Medici"] * s.MAX_ROUNDS},
    }
    long = from_changes(MEDICI_VS_STROZZI, "long-game", changes, "long-game")
    match = Match(MEDICI_VS_STROZZI, 2, (load_agent("fixed-price"),), long, 3)  # sells tiles one by one
    rows = {int(match.play(deal, deal + 1, journal=True).journal["count"][0]) for deal in range(5)}
    # four rows a tile; a round's first row, 4 harbors, 24 markers and the scores; 2 rows at the end
    assert rows == {s.MAX_ROUNDS * (4 * s.MAX_TILES + 1 + 4 + 24 + 1) + 2}
    assert max(rows) < MEDICI_VS_STROZZI.journal_rows
