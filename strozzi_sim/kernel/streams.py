"""Random streams: SplitMix64 (Steele, Lea, Flood 2014), keyed, never global; and scripted chance.

The key of a deal is a hash of (seed, game name, players, deal). A stream is seeded by this key and a purpose, such as a
chance source of the game or the agent of a seat. Line-up, variant, seating and study are not in the key, so that
comparisons are paired. The i-th word of a stream depends on the stream and i alone.

SplitMix64 can be inverted: one word of a stream reveals all its other words. The keys are one-way hashes
(SipHash-2-4; Aumasson, Bernstein 2012), so an agent that inverts its own stream learns neither the key of the deal nor
any other stream.

A chance record has a key for each source: `seed_chance` derives it from the key of the deal, `redraw` replaces it.
Searches redraw thousands of times, so `redraw` and `reseed` use a cheap hash, which can be inverted: their words belong
to an agent or an analysis, and reveal nothing of the game's chance.

A game may receive a SCRIPT instead, a list of outcomes: then nothing is random, and the record stores the first draw
that fails. To enumerate chance, play an action once to learn the draw, and then once for every outcome. The choice is
made at compile time, so that scripts cost nothing elsewhere.
"""

import hashlib

import numpy as np
import numpy.typing as npt
from numba import int64, uint32, uint64

from strozzi_sim.kernel.jit import force_inline, jit, register_overload
from strozzi_sim.kernel.pointers import int64_at
from strozzi_sim.kernel.record_types import keep_words

SOURCES = 16  # most chance sources of a game
_AGENTS = 1_000  # purpose of the stream of the agent at seat 0; the other seats follow
_LINEUP = 2_000  # purpose: which line-up of a pool plays
_STREAM = 0  # second half of the hash key of a stream; the key of the deal is the first

# A game's chance, which no agent receives.
CHANCE = keep_words(np.dtype([  # shape  meaning
    ("key", "u8", (SOURCES,)),  #     [source] initial cursor
    ("cursor", "u8", (SOURCES,)),  #  [source] current cursor
], align=True))  # fmt: skip

# The outcomes of all draws, of any source, one after another. A draw fails if the script has ended or its next outcome
# is invalid for the draw: then `outcomes` is above 0, and the state must be discarded.
SCRIPT = np.dtype([  # meaning
    ("place", "i8"),  #     address of the next outcome, an int64
    ("left", "i8"),  #      number of remaining outcomes
    ("source", "i8"),  #    chance source of the first failed draw
    ("outcomes", "i8"),  #  number of possible outcomes of that draw; 0: no draw failed
], align=True)  # fmt: skip

# An agent's stream.
RANDOM = keep_words(np.dtype([("cursor", "u8")], align=True))

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_ONE = np.uint64(1)
_MASK = 2**64 - 1
# of SipHash
_V0, _V1, _V2, _V3 = 0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573
_FINAL = 0xFF
_NUMBER_END, _PAIR_END = uint64(2 << 56), uint64(16 << 56)  # the top byte of a message's last word is its size in bytes


def game_key(game: str) -> int:
    """Return a number below 2^63 for a game's name, from the first bytes of its SHA-256."""
    return int.from_bytes(hashlib.sha256(game.encode()).digest()[:8], "little") >> 1


@force_inline
def mix(word):
    """Apply the output function of SplitMix64."""
    word = (word ^ (word >> _S30)) * _MIX_1
    word = (word ^ (word >> _S27)) * _MIX_2
    return word ^ (word >> _S31)


@force_inline
def below(word, n):
    """Return a number below `n` (n < 2^32) from the upper half of a 64-bit word."""
    return int64(((word >> _S32) * uint64(uint32(n))) >> _S32)


@force_inline
def hash_combine(key, word):
    """Return the hash of a key and a word, such as a chance source: cheap, and invertible if the word is known."""
    return mix(key + _GOLDEN * (uint64(word) + _ONE))


@jit
def deal_key(seed, game, players, deal):
    """Return the key of a deal: the one-way hash of (seed, game, players, deal)."""
    return hash_pair(seed, game, players, deal)


@force_inline
def stream_key(key, purpose):
    """Return the initial cursor of a stream: the one-way hash of the key of a deal and a purpose below 2^16."""
    return hash_number(key, _STREAM, purpose)


@force_inline
def seat_stream(key, seat):
    """Return the initial cursor of the stream of the agent at `seat`."""
    return stream_key(key, int64(_AGENTS) + seat)


@force_inline
def lineup_of(key, lineups):
    """Return the index of the line-up, one of `lineups` with equal probability, that plays the deal of this key."""
    return below(stream_key(key, int64(_LINEUP)), lineups)


@jit
def seed_chance(chance, key):
    """Set the key of every source from the key of a deal (see `deal_key`); `reset_source` then sets its cursor."""
    for source in range(SOURCES):
        chance.key[source] = stream_key(key, source)


def reset_source(chance, source):
    """Restart the draws of a chance source, unless they are scripted."""
    raise TypeError("reset_source is a verb of compiled code; call it from a kernel with a chance record")


@force_inline
def _reset_seeded(chance, source):
    chance.cursor[source] = chance.key[source]


@force_inline
def _reset_script(chance, source):
    pass


@force_inline
def redraw(chance, source, word):
    """Restart one source with a new key, different for every 64-bit `word`."""
    chance.key[source] = chance.cursor[source] = hash_combine(word, source)  # `word` is the key to combine


def draw(chance, source, n):
    """Return the next number of a chance source, below `n` (n < 2^32; the bias is below n / 2^32)."""
    raise TypeError("draw is a verb of compiled code; call it from a kernel with a chance record")


@jit
def _draw_scripted(script, source, n):
    if script.outcomes > 0:
        return 0
    outcome = int64_at(script.place) if script.left > 0 else int64(-1)
    if outcome < 0 or outcome >= n:
        script.source = source
        script.outcomes = n
        return 0
    script.place += 8
    script.left -= 1
    return outcome


@force_inline
def _draw_seeded(chance, source, n):
    cursor = chance.cursor[source] + _GOLDEN
    chance.cursor[source] = cursor
    return below(mix(cursor), n)


@force_inline
def random_word(rng):
    """Return the next 64 bits of an agent's stream."""
    rng.cursor = rng.cursor + _GOLDEN
    return mix(rng.cursor)


@force_inline
def randbelow(rng, n):
    """Return the next number of an agent's stream, below `n` (n < 2^32)."""
    return below(random_word(rng), n)


@force_inline
def next_word(rng):
    """Return the word that `random_word` returns next; the stream is unchanged."""
    return mix(rng.cursor + _GOLDEN)


@force_inline
def reseed(chance, rng):
    """Restart every source of a search's chance record with new keys drawn from the search's stream."""
    key = random_word(rng)
    for source in range(SOURCES):
        chance.key[source] = chance.cursor[source] = hash_combine(key, source)


# Steps of even sequences modulo 2^64, one for each source: the fractional parts of square roots of primes.
_PRIMES = (5, 2, 3, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53)
_STEPS = np.array([int(prime**0.5 % 1 * 2**53) << 11 | 1 for prime in _PRIMES], np.uint64)
_UNMIX_1, _UNMIX_2 = np.uint64(pow(int(_MIX_1), -1, 2**64)), np.uint64(pow(int(_MIX_2), -1, 2**64))
_S54, _S60, _S62 = np.uint64(54), np.uint64(60), np.uint64(62)


@force_inline
def _unmix(word):
    """Return the word of which `mix` makes `word`."""
    word = (word ^ (word >> _S31) ^ (word >> _S62)) * _UNMIX_2
    word = (word ^ (word >> _S27) ^ (word >> _S54)) * _UNMIX_1
    return word ^ (word >> _S30) ^ (word >> _S60)


@force_inline
def reseed_evenly(chance, start, number):
    """Restart every source so that its next draw is the `number`-th of an even sequence that begins at `start`.

    Over N samples each outcome of that draw occurs close to its expected number of times; later draws are independent.

    Args:
        chance: record to set.
        start: chance record whose keys are random words.
        number: number of the sample, an int64.
    """
    for source in range(SOURCES):
        word = start.key[source] + uint64(number) * _STEPS[source]
        chance.key[source] = chance.cursor[source] = _unmix(word) - _GOLDEN


class SeatRng:
    """The random stream of a seat for agents in Python; a compiled agent there would draw the same words.

    >>> SeatRng(0).below(6)
    5
    """

    __slots__ = ("_cursor",)

    def __init__(self, cursor: int) -> None:
        self._cursor = cursor

    def word(self) -> int:
        """Return the next 64 bits."""
        self._cursor = word = (self._cursor + int(_GOLDEN)) & _MASK
        word = ((word ^ (word >> 30)) * int(_MIX_1)) & _MASK
        word = ((word ^ (word >> 27)) * int(_MIX_2)) & _MASK
        return word ^ (word >> 31)

    def below(self, n: int) -> int:
        """Return the next whole number in 0 .. n - 1, for n from 1 to 2^32 - 1."""
        if not 0 < n < 2**32:
            raise ValueError(f"below: n must be between 1 and 2^32 - 1, got {n}")
        return ((self.word() >> 32) * n) >> 32

    def unit(self) -> float:
        """Return the next number in [0, 1)."""
        return (self.word() >> 11) * 2.0**-53


register_overload(reset_source, CHANCE, _reset_seeded, force_inline=True)
register_overload(reset_source, SCRIPT, _reset_script, force_inline=True)
register_overload(draw, CHANCE, _draw_seeded, force_inline=True)
register_overload(draw, SCRIPT, _draw_scripted)


def draws(seed: int, stream: int, shape: tuple[int, ...], below: int, skip: int = 0) -> npt.NDArray[np.int64]:
    """Return random numbers from 0 to `below` - 1, int64[shape]: SplitMix64, keyed by seed < 2^53, stream < 2^10.

    `below` is at most 2^32; the bias is less than `below` / 2^32. `skip` omits the first numbers, to draw in pieces.

    >>> draws(0, 1, (2, 3), 100).tolist()
    [[74, 37, 43], [95, 20, 59]]
    """
    start = mix.py_func(np.array([(seed << 10) + stream], np.uint64))
    counts = np.arange(skip + 1, skip + int(np.prod(shape)) + 1, dtype=np.uint64)
    words = mix.py_func(start + counts * _GOLDEN)
    return np.asarray(((words >> _S32) * np.uint64(below)) >> _S32, np.int64).reshape(shape)


@force_inline
def sip_round(v0, v1, v2, v3):
    """Return the four words of the state after one round; `sip_round.py_func` does so in plain Python."""
    v0 = (v0 + v1) & _MASK
    v1 = ((v1 << 13) & _MASK | v1 >> 51) ^ v0
    v0 = (v0 << 32) & _MASK | v0 >> 32
    v2 = (v2 + v3) & _MASK
    v3 = ((v3 << 16) & _MASK | v3 >> 48) ^ v2
    v0 = (v0 + v3) & _MASK
    v3 = ((v3 << 21) & _MASK | v3 >> 43) ^ v0
    v2 = (v2 + v1) & _MASK
    v1 = ((v1 << 17) & _MASK | v1 >> 47) ^ v2
    v2 = (v2 << 32) & _MASK | v2 >> 32
    return v0, v1, v2, v3


def siphash(key: bytes, message: bytes) -> int:
    """Return SipHash-2-4 of a message under a key of 16 bytes, below 2^64: outputs reveal neither the key nor others.

    Kernels call `hash_number` and `hash_pair`, which return the same numbers for messages of 2 and of 16 bytes.

    >>> hex(siphash(bytes(range(16)), bytes(range(15))))  # the example of the paper
    '0xa129ca6149be45e5'
    """
    one_round = sip_round.py_func
    k0, k1 = (int.from_bytes(key[half : half + 8], "little") for half in (0, 8))
    state = (_V0 ^ k0, _V1 ^ k1, _V2 ^ k0, _V3 ^ k1)
    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for start in range(0, len(padded), 8):
        word = int.from_bytes(padded[start : start + 8], "little")
        v0, v1, v2, v3 = one_round(*one_round(*state[:3], state[3] ^ word))
        state = (v0 ^ word, v1, v2, v3)
    state = (state[0], state[1], state[2] ^ _FINAL, state[3])
    for _ in range(4):
        state = one_round(*state)
    v0, v1, v2, v3 = state
    return int(v0 ^ v1 ^ v2 ^ v3)


@force_inline
def hash_number(k0, k1, number):
    """Return the hash of a number below 2^16 under the key (k0, k1): the message has two bytes, little-endian."""
    v0, v1, v2, v3 = _start(uint64(k0), uint64(k1))
    return _finish(v0, v1, v2, v3, uint64(number) | _NUMBER_END)


@force_inline
def hash_pair(k0, k1, first, second):
    """Return the hash of two 64-bit words under the key (k0, k1)."""
    v0, v1, v2, v3 = _start(uint64(k0), uint64(k1))
    v0, v1, v2, v3 = _absorb(v0, v1, v2, v3, uint64(first))
    v0, v1, v2, v3 = _absorb(v0, v1, v2, v3, uint64(second))
    return _finish(v0, v1, v2, v3, _PAIR_END)


@force_inline
def _start(k0, k1):
    return uint64(_V0) ^ k0, uint64(_V1) ^ k1, uint64(_V2) ^ k0, uint64(_V3) ^ k1


@force_inline
def _absorb(v0, v1, v2, v3, word):
    """Add a word of the message: two rounds."""
    v0, v1, v2, v3 = sip_round(v0, v1, v2, v3 ^ word)
    v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
    return v0 ^ word, v1, v2, v3


@force_inline
def _finish(v0, v1, v2, v3, word):
    """Add the last word of the message, and return the hash after four more rounds."""
    v0, v1, v2, v3 = _absorb(v0, v1, v2, v3, word)
    v0, v1, v2, v3 = sip_round(v0, v1, v2 ^ uint64(_FINAL), v3)
    v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
    v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
    v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3
