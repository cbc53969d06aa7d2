"""An agent that inverts the generator of its random words learns its own stream, and nothing else of the deal."""

import pytest

from every_kit import KITS
from strozzi_sim.kernel import streams
from strozzi_sim.kernel.streams import SeatRng
from strozzi_sim.play.position import Position

MASK, GOLDEN = 2**64 - 1, 0x9E3779B97F4A7C15
MIX_1, MIX_2 = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
CASES = [(kit, seat, deal) for kit in KITS.values() for seat, deal in ((0, 3), (1, 88))]


def unmixed(word):
    """The inverse of the output function of SplitMix64."""
    for shift, factor in ((31, MIX_2), (27, MIX_1), (30, 1)):
        word ^= word >> shift ^ word >> 2 * shift
        word = word * pow(factor, -1, 2**64) & MASK
    return word


@pytest.mark.parametrize(("kit", "seat", "deal"), CASES)
def test_an_inverted_word_gives_the_own_stream_alone(kit, seat, deal):
    """Were keys turned and mixed as words are, which they are not, it would give the key of the deal, and so everything."""
    players = kit.game.player_counts[-1]
    position = Position(kit.game, players, seed=2008, deal=deal)
    cursors = position.rng["cursor"].tolist()
    found = (unmixed(SeatRng(cursors[seat]).word()) - GOLDEN) & MASK
    assert found == cursors[seat]  # its own stream is no secret to it
    further = (unmixed(found) - GOLDEN * (1000 + seat + 1)) & MASK
    deal_key = int(streams.deal_key(2008, streams.game_key(kit.game.name), players, deal))
    others = {deal_key, *position.chance["key"][0].tolist(), *(each for each in cursors if each != found)}
    assert len(others) == streams.SOURCES + players
    assert not others & {found, further}
