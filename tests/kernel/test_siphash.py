"""SipHash-2-4: the published numbers, the same in kernels as in plain Python; keys of streams are its hashes."""

import random

import numpy as np
import pytest

from strozzi_sim.kernel import streams

# Of the reference implementation: hashes of the messages 00, 00 01, 00 01 02 ... of 0 to 63 bytes, under the key 00 01 .. 0f.
PUBLISHED = bytes.fromhex("""
    310e0edd47db6f72 fd67dc93c539f874 5a4fa9d909806c0d 2d7efbd796666785 b7877127e09427cf 8da699cd64557618
    cee3fe586e46c9cb 37d1018bf50002ab 6224939a79f5f593 b0e4a90bdf82009e f3b9dd94c5bb5d7a a7ad6b22462fb3f4
    fbe50e86bc8f1e75 903d84c02756ea14 eef27a8e90ca23f7 e545be4961ca29a1 db9bc2577fcc2a3f 9447be2cf5e99a69
    9cd38d96f0b3c14b bd6179a71dc96dbb 98eea21af25cd6be c7673b2eb0cbf2d0 883ea3e395675393 c8ce5ccd8c030ca8
    94af49f6c650adb8 eab8858ade92e1bc f315bb5bb835d817 adcf6b0763612e2f a5c91da7acaa4dde 716595876650a2a6
    28ef495c53a387ad 42c341d8fa92d832 ce7cf2722f512771 e37859f94623f3a7 381205bb1ab0e012 ae97a10fd434e015
    b4a31508beff4d31 81396229f0907902 4d0cf49ee5d4dcca 5c73336a76d8bf9a d0a704536ba93e0e 925958fcd6420cad
    a915c29bc8067318 952b79f3bc0aa6d4 f21df2e41d4535f9 87577519048f53a9 10a56cf5dfcd9adb eb75095ccd986cd0
    51a9cb9ecba312e6 96afadfc2ce666c7 72fe52975a4364ee 5a1645b276d592a1 b274cb8ebf87870a 6f9bb4203de7b381
    eaecb2a30b22a87f 9924a43cc1315724 bd838d3aafbf8db7 0b1a2a3265d51aea 135079a3231ce660 932b2846e4d70666
    e1915f5cb1eca46c f325965ca16d629f 575ff28e60381be5 724506eb4c328a95
""")
EDGES = (0, 1, 2**31, 2**32 - 1, 2**53 - 1, 2**63 - 1, 2**63, 2**64 - 1)


def in_bytes(*words, size=8):
    return b"".join(word.to_bytes(size, "little") for word in words)


@pytest.mark.parametrize("size", range(64))
def test_the_published_hashes(size):
    assert (
        streams.siphash(bytes(range(16)), bytes(range(size))).to_bytes(8, "little")
        == PUBLISHED[8 * size : 8 * size + 8]
    )


def words(count):
    """Edge cases and random words, as NumPy's scalars, which kernels receive as unsigned."""
    rng = random.Random(3)
    return [[np.uint64(rng.choice((*EDGES, rng.getrandbits(64)))) for _ in range(4)] for _ in range(count)]


@pytest.mark.parametrize("kind", [np.uint64, np.int64])
def test_kernels_hash_as_plain_python_does(kind):
    with np.errstate(all="raise"):
        for k0, k1, first, second in words(500):
            key, number = in_bytes(int(k0), int(k1)), int(second) % 2**16
            given = [word.view(kind) for word in (k0, k1, first, second)]  # a negative number is its 64 bits
            assert streams.hash_pair(*given) == streams.siphash(key, in_bytes(int(first), int(second)))
            assert streams.hash_number(given[0], given[1], number) == streams.siphash(key, in_bytes(number, size=2))


def test_the_rounds_in_numpy_are_those_in_plain_python():
    """One source: Python's integers and NumPy's arrays, whose sums overflow without a word."""
    rng = random.Random(5)
    state = [[rng.getrandbits(64) for _ in range(4)] for _ in range(100)]
    together = streams.sip_round.py_func(*np.array(state, np.uint64).T)
    assert np.array(together).T.tolist() == [list(streams.sip_round.py_func(*each)) for each in state]


def test_keys_of_deals_and_streams():
    for seed, game, players, deal in ((0, 1, 2, 0), (2**53 - 1, 2**63 - 1, 6, 2**53 - 1)):
        key = streams.siphash(in_bytes(seed, game), in_bytes(players, deal))
        assert int(streams.deal_key(seed, game, players, deal)) == key
        chance = np.zeros(1, streams.CHANCE)
        streams.seed_chance(chance[0], np.uint64(key))
        purposes = [streams.siphash(in_bytes(key, 0), in_bytes(source, size=2)) for source in range(streams.SOURCES)]
        assert chance["key"][0].tolist() == purposes
        assert streams.seat_stream(np.uint64(key), 5) == streams.siphash(in_bytes(key, 0), in_bytes(1005, size=2))


def test_every_bit_of_a_key_turns_half_of_the_stream():
    turned = [
        int(streams.stream_key(np.uint64(1 << bit), 3) ^ streams.stream_key(np.uint64(0), 3)).bit_count()
        for bit in range(64)
    ]
    assert min(turned) > 16
    assert max(turned) < 48
    assert abs(sum(turned) / 64 - 32) < 2
