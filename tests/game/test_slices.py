"""Named slices: what a layout derives, what it refuses, and that observations are what they have always been."""

import hashlib

import numpy as np
import pytest

from every_kit import KITS
from our_games import OUR_GAMES
from strozzi_games import STROZZI
from strozzi_sim.conformance import ContractViolation, check_game
from strozzi_sim.conformance.kernels import kernels
from strozzi_sim.errors import InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.slices import Group, Layout, Slice

LAYOUT = Layout(
    Slice("first", (3,), "three"),
    Slice("one", (), "a single number", high=2.0),
    Group("seats", (2, 3), "by two, by three", (Slice("own", (2,), "two each"), Slice("coins", (), "one", low=-1.0))),
    Slice("last", (2, 2), "a table"),
)
DIGESTS = {  # of the observations of random games, as they are since behaviour 2
    "strozzi": {"base": "10705c2ec12dd0c2", "all-flipped": "8018222a2615a222"},
    "medici_vs_strozzi": {
        "base": "0793d8f801f51c73", "all-flipped": "7e5821557e690972", "other-box": "81ea7f168c3db1c7",
    },
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("name", "variant"), [(name, variant) for name in DIGESTS for variant in DIGESTS[name]])
def test_observations_have_the_same_bits_as_ever(name, variant):
    kit, digest = KITS[name], hashlib.sha256()
    counts, played = kit.game.player_counts, kit.variant(variant)
    players = counts[(len(counts) - 1) // 2]
    for position in kit.positions(played, players, 2):
        for seat in range(players):
            out = np.full(kit.game.observation_size, np.nan, np.float32)
            kernels(kit.game).observe(position.concealed(seat), played.rules, seat, out)
            digest.update(out.tobytes())
    assert digest.hexdigest()[:16] == DIGESTS[name][variant]


def test_a_layout_derives_where_everything_begins():
    assert LAYOUT.size == 3 + 1 + 2 * 3 * 3 + 4
    assert {name: part.start for name, part in LAYOUT.items()} == {
        "first": 0, "one": 3, "seats": 4, "seats.own": 4, "seats.coins": 6, "last": 22,
    }  # fmt: skip
    assert LAYOUT["seats"].shape == (2, 3, 3)
    assert (LAYOUT["seats"].low, LAYOUT["seats"].high) == (-1.0, 1.0)
    assert LAYOUT["seats.own"].shape == (2, 3, 2)
    assert [part.name for part in LAYOUT.parts] == ["first", "one", "seats", "last"]
    assert [part.name for part in LAYOUT.fields("seats")] == ["seats.own", "seats.coins"]
    assert LAYOUT.fields("first") == []
    assert LAYOUT["last"].columns == slice(22, 26)
    assert LAYOUT["last"].index.tolist() == [[22, 23], [24, 25]]
    assert LAYOUT["seats.coins"].index.tolist() == [[6, 9, 12], [15, 18, 21]]
    assert LAYOUT["one"].index.shape == ()
    low, high = LAYOUT.limits()
    assert low[LAYOUT["seats.coins"].index].tolist() == [[-1.0] * 3] * 2
    assert low.sum() == -6
    assert high.tolist() == [1.0] * 3 + [2.0] + [1.0] * 22


@pytest.mark.parametrize("shape", [(), (5,), (5, 4)])
def test_a_slice_reads_its_columns_as_a_view(shape):
    observations = np.arange(np.prod((*shape, LAYOUT.size)), dtype=np.float32).reshape(*shape, LAYOUT.size)
    for part in LAYOUT.values():
        seen = part.of(observations)
        assert seen.shape == (*shape, *part.shape)
        assert np.array_equal(seen, observations[..., part.index])
        assert np.shares_memory(seen, observations)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([Slice("a b", (), "x")], "slice 'a b': a name must be an identifier"),
        ([Slice("a", (), "x"), Slice("a", (), "x")], "slice 'a': two slices have this name"),
        ([Group("g", (2,), "x", (Slice("a", (), "x"), Slice("a", (), "x")))], "slice 'g.a': two slices have this name"),
        ([Slice("a", (0,), "x")], r"slice 'a': shape: every length must be 1 or more, got \(0,\)"),
        ([Slice("a", (), "x", low=2.0)], "slice 'a': low and high: must be finite and in order, got 2.0 and 1.0"),
        ([Slice("a", (), "x", high=np.inf)], "slice 'a': low and high: must be finite"),
        ([Slice("a", (), "")], "slice 'a': meaning: must say what the numbers are"),
    ],
)
def test_a_layout_that_cannot_be_is_refused(parts, words):
    with pytest.raises(InputError, match=words):
        Layout(*parts)


def test_an_unknown_slice_is_told_which_there_are():
    with pytest.raises(KeyError, match=r"unknown slice 'seats.coin'; known: .*did you mean 'seats.coins'\?"):
        LAYOUT["seats.coin"]
    with pytest.raises(InputError, match=r"slice 'seats.coins': its columns are not contiguous"):
        _ = LAYOUT["seats.coins"].columns


@pytest.mark.parametrize("name", OUR_GAMES)
def test_every_game_describes_every_column(name):
    slices = load_game(name).slices
    assert sorted(column for part in slices.parts for column in part.index.ravel()) == list(range(slices.size))
    table = slices.describe().splitlines()
    assert [line.split()[0] for line in table] == list(slices)
    assert all(part.meaning in line for part, line in zip(slices.values(), table, strict=True))


def test_a_game_whose_slices_are_wrong_is_refused(monkeypatch):
    from strozzi_sim.conformance import shown as checks

    checks._ranges.cache_clear()
    part = Slice("all", (STROZZI.slices.size,), "everything", high=0.5)
    monkeypatch.setattr(STROZZI.view, "SLICES", Layout(part))
    try:
        with pytest.raises(ContractViolation, match=r"seen by seat \d, is [\d.]+, outside 0"):
            check_game(STROZZI, deals=1, players=[3])
    finally:
        checks._ranges.cache_clear()


def test_a_game_without_slices_is_told(monkeypatch):
    monkeypatch.delattr(STROZZI.view, "SLICES")
    with pytest.raises(InputError, match=r"game 'strozzi': strozzi_sim.games.strozzi.view has no SLICES, which"):
        _ = STROZZI.slices
