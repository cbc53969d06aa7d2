"""Component data: an illegal variant is refused by key; what is shipped."""

import pytest

from strozzi_games import STROZZI
from strozzi_sim.agent import load_agent
from strozzi_sim.errors import InputError
from strozzi_sim.game.variants import from_changes, resolve_variant, shipped_variants
from strozzi_sim.games.strozzi import state as s
from strozzi_sim.simulation.match import Match

REFUSED = [
    ({"setup": {"cards_removed": {"4": 29}}}, "setup.cards_removed.4"),
    ({"setup": {"cards_removed": {"2": 3}}}, "setup.cards_removed.2"),
    ({"tracks": {"bonus": {"10": 5}}}, "tracks.bonus.10"),
    ({"tracks": {"bonus": {"7": -5}}}, "tracks.bonus.7: expected a whole number >= 0, got -5"),
    ({"tracks": {"bonus": {"seven": 5}}}, "tracks.bonus: expected a whole number as a key, got 'seven'"),
    ({"tracks": {"length": 3}}, "length"),
    ({"trax": {"top_index": 3}}, "trax"),
    ({"ships": {"S99": {"sail": 3}}}, "ships.S99"),
    ({"ships": {"S02": {"id": "S01"}}}, "'S01'"),
    ({"promotion_tiles": [{"id": "T1", "value": 1, "ware": ""}]}, "category"),
    (
        {"promotion_tiles": {"T01": {"category": "music"}}},
        "promotion_tiles.T01.category: invalid value 'music'; known: architecture, art, science",
    ),
    (
        {"promotion_tiles": {"T01": {"ware": "florence"}}},
        "promotion_tiles.T01.ware: invalid value 'florence'; known: '', naples, rome, venice",
    ),
    ({"flags": {"ids": ["pirate"]}}, "flags.ids"),
    ({"rules": {"start_order": "random"}}, "rules.start_order"),
    ({"scoring": {"ship_ranks": [2000]}}, "scoring.ship_ranks"),
]


@pytest.mark.parametrize(("changes", "key"), REFUSED, ids=[key for _, key in REFUSED])
def test_an_illegal_variant_is_refused_with_its_key(changes, key):
    with pytest.raises(InputError) as refusal:
        from_changes(STROZZI, "mine", changes, "study.toml: variant.mine")
    assert "study.toml: variant.mine" in str(refusal.value)
    assert key in str(refusal.value)


def test_long_tracks_is_shipped_and_replaces_the_bonus_spaces():
    assert list(shipped_variants(STROZZI)) == ["long-tracks"]
    tracks = resolve_variant(STROZZI, "long-tracks").components["tracks"]
    assert (tracks["top_index"], tracks["bonus"]) == (10, {"8": 5, "9": 10, "10": 15})


def test_shipped_names_cannot_be_redefined_and_unknown_ones_are_listed():
    with pytest.raises(InputError, match="shipped variant"):
        resolve_variant(STROZZI, {"long-tracks": {}})
    with pytest.raises(InputError, match="known: base, long-tracks"):
        resolve_variant(STROZZI, "mini")


@pytest.mark.slow
def test_the_longest_game_fits_the_journal():
    symbols = {"venice": 1, "rome": 1, "naples": 1, "scrolls": 1, "promotion": 1}
    changes = {
        "ships": [{"id": f"S{k}", "sail": k, **symbols} for k in range(s.MAX_SHIPS)],
        "setup": {"rounds": s.MAX_ROUNDS, "cards_removed": {str(n): 0 for n in (3, 4, 5, 6)}},
        "tracks": {"top_index": 31, "bonus": {}},
        "rules": {"second_lap": True, "tile_optional": True},
    }
    match = Match(STROZZI, 6, (load_agent("picky"),), from_changes(STROZZI, "long", changes, "long"), 3)
    rows = [int(match.play(deal, deal + 1, journal=True).journal["count"][0]) for deal in range(20)]
    # every card of every round: shown, asked of all twice, placed with three moves and a tile, or set aside
    assert 2_000 < max(rows) < STROZZI.journal_rows
