"""Random streams: SplitMix64 (Steele, Lea, Flood 2014), keyed, never global; and chance by script.

The key of a deal is a hash of (seed, game name, players, deal). A stream is the key and a purpose: a chance source of
the game, or the agent of a seat. Line-up, variant, seating and study are not in the key, so that comparisons are paired.
The n-th draw of a stream depends on the stream and n alone.

A chance record has a key for each source: all from the key of the deal (`begin_chance`), until one is redrawn (`redraw`).
A game may be handed a SCRIPT in its place, a list of outcomes: then nothing is random, and the first draw that the script
does not reach is noted in the record. Whoever wants a tree of chance plays the same action once to learn what is drawn, and
then once for every outcome. Which it is, is decided while compiling, so that whoever does not use scripts pays nothing.
"""

import hashlib

import numpy as np
from numba import int64, uint32, uint64

from strozzi_sim.kernel.jit import force_inline, implement, jit
from strozzi_sim.kernel.pointers import int64_at

SOURCES = 16  # most chance sources of a game
_AGENTS = 1_000  # purposes from here on: the agent of seat purpose - _AGENTS

# A game's chance. No agent is ever handed it.
CHANCE = np.dtype([  # shape         meaning
    ("key", "u8", (SOURCES,)),  #     [source] where it begins
    ("cursor", "u8", (SOURCES,)),  #  [source] where it stands
], align=True)  # fmt: skip

# The outcomes of all draws, of any source, one after another. A draw fails if the script has ended or its next outcome is
# none of the draw's: then `outcomes` is above 0, and the state is to be thrown away.
SCRIPT = np.dtype([  # meaning
    ("place", "i8"),  #     address of the next outcome, an int64
    ("left", "i8"),  #      how many there are from there on
    ("source", "i8"),  #    of the first draw that failed
    ("outcomes", "i8"),  #  among how many that draw chooses; 0 = none has failed
], align=True)  # fmt: skip

# An agent's own stream.
RANDOM = np.dtype([("cursor", "u8")], align=True)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_ONE = np.uint64(1)


def game_key(game: str) -> int:
    """A game's name as a number below 2^63: the first bytes of its SHA-256."""
    return int.from_bytes(hashlib.sha256(game.encode()).digest()[:8], "little") >> 1


@force_inline
def mix(word):
    """The output function of SplitMix64."""
    word = (word ^ (word >> _S30)) * _MIX_1
    word = (word ^ (word >> _S27)) * _MIX_2
    return word ^ (word >> _S31)


@force_inline
def below(word, n):
    """Return a number below `n` (n < 2^32) made of the upper half of a 64-bit word."""
    return int64(((word >> _S32) * uint64(uint32(n))) >> _S32)


@force_inline
def absorb(key, word):
    """A new key from a key and one more word."""
    return mix(key + _GOLDEN * (uint64(word) + _ONE))


@jit
def deal_key(seed, game, players, deal):
    """The key of a deal: hash of (seed, game, players, deal)."""
    return absorb(absorb(absorb(absorb(uint64(0), seed), game), players), deal)


@force_inline
def seat_stream(key, seat):
    """Where the stream of the agent at `seat` begins."""
    return absorb(key, int64(_AGENTS) + seat)


@jit
def begin_chance(chance, key):
    """Let every source come as in the deal of this key; see `deal_key`."""
    for source in range(SOURCES):
        chance.key[source] = absorb(key, source)


def open_source(chance, source):
    """Put the cursor of a chance source at its beginning."""
    raise TypeError("open_source is a verb of compiled code; call it from a kernel with a chance record")


@force_inline
def _open_seeded(chance, source):
    chance.cursor[source] = chance.key[source]


@force_inline
def _open_script(chance, source):
    pass


@force_inline
def redraw(chance, source, word):
    """Let one source come otherwise from here on: in another way for every 64-bit `word`."""
    chance.key[source] = chance.cursor[source] = absorb(word, source)


def draw(chance, source, n):
    """The next number of a chance source, below `n` (n < 2^32; the bias is below n / 2^32)."""
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
    """The next 64 bits of an agent's stream."""
    rng.cursor = rng.cursor + _GOLDEN
    return mix(rng.cursor)


@force_inline
def randbelow(rng, n):
    """The next number of an agent's stream, below `n` (n < 2^32)."""
    return below(random_word(rng), n)


@force_inline
def next_word(rng):
    """Return the word that `random_word` returns next, and leave the stream as it is."""
    return mix(rng.cursor + _GOLDEN)


@force_inline
def reseed(chance, rng):
    """Give a search a chance of its own, drawn from its own stream: every source starts over."""
    key = random_word(rng)
    for source in range(SOURCES):
        chance.key[source] = chance.cursor[source] = absorb(key, source)


implement(open_source, CHANCE, _open_seeded, force_inline=True)
implement(open_source, SCRIPT, _open_script, force_inline=True)
implement(draw, CHANCE, _draw_seeded, force_inline=True)
implement(draw, SCRIPT, _draw_scripted)
