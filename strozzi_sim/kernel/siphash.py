"""SipHash-2-4 (Aumasson, Bernstein 2012), a keyed one-way hash: outputs reveal neither the key nor other outputs.

`siphash` hashes any message in plain Python. Kernels call `hash_number` and `hash_pair`, which return the same numbers
for messages of 2 and of 16 bytes. All share one source of the rounds.
"""

from numba import uint64

from strozzi_sim.kernel.jit import force_inline

_MASK = 2**64 - 1
_V0, _V1, _V2, _V3 = 0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573
_FINAL = 0xFF
_NUMBER_END, _PAIR_END = uint64(2 << 56), uint64(16 << 56)  # the top byte of a message's last word is its size in bytes


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
    """Return SipHash-2-4 of a message under a key of 16 bytes, below 2^64.

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
