"""An agent that inverts the generator of its random words learns its own stream, and nothing else of the deal."""

import numpy as np
import pytest

from every_kit import KITS
from strozzi_sim.kernel import streams
from strozzi_sim.kernel.seat_rng import SeatRng
from strozzi_sim.play.position import Position
from strozzi_sim.play.start import GameSetup

MASK, GOLDEN = 2**64 - 1, 0x9E3779B97F4A7C15
MIX_1, MIX_2 = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
CASES = [(kit, seat, deal) for kit in KITS.values() for seat, deal in ((0, 3), (1, 88))]


def mixed(word):
    """The output function of SplitMix64."""
    word = (word ^ (word >> 30)) * MIX_1 & MASK
    word = (word ^ (word >> 27)) * MIX_2 & MASK
    return word ^ (word >> 31)


def unmixed(word):
    """Its inverse."""
    for shift, factor in ((31, MIX_2), (27, MIX_1), (30, 1)):
        word ^= word >> shift ^ word >> 2 * shift
        word = word * pow(factor, -1, 2**64) & MASK
    return word


def old_hash(key, word):
    """Keys as they were derived up to behaviour 1: the word turned the key, and the output function followed."""
    return mixed((key + GOLDEN * (word + 1)) & MASK)


def old_deal_key(seed, game, players, deal):
    key = 0
    for word in (seed, game, players, deal):
        key = old_hash(key, word)
    return key


def old_streams(key, players):
    """(keys of the sources, cursors of the seats) up to behaviour 1."""
    return [old_hash(key, source) for source in range(streams.SOURCES)], [
        old_hash(key, 1000 + seat) for seat in range(players)
    ]


def new_streams(key, players):
    """The same today."""
    return [int(streams.stream_key(np.uint64(key), source)) for source in range(streams.SOURCES)], [
        int(streams.seat_stream(np.uint64(key), seat)) for seat in range(players)
    ]


OLD, NEW = (old_deal_key, old_streams), (streams.deal_key, new_streams)


def inverted(word, seat):
    """The result of inverting the first random word of a seat: (cursor of its stream, key of the deal as it once was)."""
    cursor = (unmixed(word) - GOLDEN) & MASK
    return cursor, (unmixed(cursor) - GOLDEN * (1000 + seat + 1)) & MASK


def dealt(monkeypatch, kit, deal, keys, cursors):
    """A position of a deal whose streams are these."""

    def chance(setup):
        record, rng = np.zeros(1, streams.CHANCE), np.zeros(setup.players, streams.RANDOM)
        record["key"], rng["cursor"] = keys, cursors
        return record, rng

    with monkeypatch.context() as patch:
        patch.setattr(GameSetup, "chance", chance)
        return Position(kit.game, kit.game.player_counts[-1], seed=2008, deal=deal)


def course(position):
    """Every state of a game in which all seats choose the first action."""
    states = []
    while not position.over:
        states.append(position.state.tobytes())
        position.play(position.legal[0])
    return [*states, position.state.tobytes()]


def successes(monkeypatch, derivation):
    """In how many cases a seat finds (the key of the deal, the course of the game) from its first random word."""
    deal_key, derive = derivation
    keys_found = courses_found = 0
    for kit, seat, deal in CASES:
        players = kit.game.player_counts[-1]
        key = int(deal_key(2008, streams.game_key(kit.game.name), players, deal))
        true = dealt(monkeypatch, kit, deal, *derive(key, players))
        cursor, guess = inverted(SeatRng(int(true.rng["cursor"][seat])).word(), seat)
        assert cursor == true.rng["cursor"][seat]  # its own stream is no secret to it
        keys_found += guess == key or cursor == key
        played = course(true)
        guesses = [each(number, players) for each in (old_streams, new_streams) for number in (guess, cursor)]
        courses_found += any(course(dealt(monkeypatch, kit, deal, *each)) == played for each in guesses)
    return keys_found, courses_found


def test_the_inverse_is_one():
    for word in (0, 1, GOLDEN, MASK, 6457827717110365317):
        assert unmixed(mixed(word)) == word


def test_an_inverted_word_once_gave_the_whole_deal(monkeypatch):
    assert len(CASES) == 6
    assert successes(monkeypatch, OLD) == (6, 6)


def test_an_inverted_word_gives_the_own_stream_alone(monkeypatch):
    assert successes(monkeypatch, NEW) == (0, 0)


@pytest.mark.parametrize(("kit", "seat", "deal"), CASES)
def test_the_streams_of_today_are_those_of_a_position(monkeypatch, kit, seat, deal):
    """So that the test above speaks of the package."""
    players = kit.game.player_counts[-1]
    key = int(streams.deal_key(2008, streams.game_key(kit.game.name), players, deal))
    ours, same = (
        Position(kit.game, players, seed=2008, deal=deal),
        dealt(monkeypatch, kit, deal, *new_streams(key, players)),
    )
    assert ours == same
    assert (ours.rng == same.rng).all()
    assert ours.chance["key"].tolist() == same.chance["key"].tolist()
