"""The kernel floor: streams, bit sets, record pointers, the cache folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from strozzi_sim.kernel import pointers, streams
from strozzi_sim.kernel.bits import count_bits, kth_bit, lowest_bit, next_clockwise
from strozzi_sim.kernel.journal import journal_dtype, write_event
from strozzi_sim.runtime import cache

MASK = (1 << 64) - 1


def splitmix(word):
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
    return word ^ (word >> 31)


def test_streams_are_splitmix64():
    @njit
    def three(rng, out):
        for k in range(3):
            out[k] = streams.random_word(rng[0])

    out = np.zeros(3, np.uint64)
    rng = np.zeros(1, streams.RANDOM)
    rng["cursor"] = 1234567
    three(rng, out)
    # the published first outputs of SplitMix64 for the seed 1234567
    assert out.tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    cursor = 1234567
    for word in out.tolist():
        cursor = (cursor + 0x9E3779B97F4A7C15) & MASK
        assert word == splitmix(cursor)


def test_draws_are_even_and_in_range():
    @njit
    def count(chance, n, draws, out):
        for _ in range(draws):
            out[streams.draw(chance[0], 3, n)] += 1

    chance = np.zeros(1, streams.CHANCE)
    out = np.zeros(29, np.int64)
    count(chance, 29, 290_000, out)
    assert out.sum() == 290_000
    assert ((out - 10_000) ** 2 / 10_000).sum() < 60  # chi-square with 28 degrees of freedom, p about 0.0004


def test_sources_do_not_disturb_each_other():
    @njit
    def draw_two(chance, first, out):
        streams.reset_source(chance[0], 0)
        streams.reset_source(chance[0], 1)
        for k in range(5):
            if first:
                streams.draw(chance[0], 1, 1000)
            out[k] = streams.draw(chance[0], 0, 1000)

    chance = np.zeros(1, streams.CHANCE)
    alone, beside = np.zeros(5, np.int64), np.zeros(5, np.int64)
    draw_two(chance, False, alone)
    draw_two(chance, True, beside)
    assert alone.tolist() == beside.tolist()


def test_one_source_is_redrawn_and_the_others_are_not():
    @njit
    def drawn(chance, out):
        streams.seed_chance(chance[0], 5)
        for source in range(3):
            streams.reset_source(chance[0], source)
        for source in range(3):
            out[0, source] = streams.draw(chance[0], source, 1 << 30)
        streams.redraw(chance[0], 1, 77)
        for source in range(3):
            streams.reset_source(chance[0], source)
            out[1, source] = streams.draw(chance[0], source, 1 << 30)

    out = np.zeros((2, 3), np.int64)
    drawn(np.zeros(1, streams.CHANCE), out)
    assert (out[0] == out[1]).tolist() == [True, False, True]


def test_a_script_gives_its_outcomes_and_notes_the_first_draw_that_it_does_not_fit():
    @njit
    def drawn(script, out):
        streams.reset_source(script[0], 4)
        out[0] = streams.draw(script[0], 4, 10)
        out[1] = streams.draw(script[0], 2, 7)
        out[2] = streams.draw(script[0], 9, 30)
        streams.draw(script[0], 1, 3)

    outcomes, script, out = np.array([6, 3]), np.zeros(1, streams.SCRIPT), np.zeros(3, np.int64)
    script["place"], script["left"] = outcomes.ctypes.data, 2
    drawn(script, out)
    assert out[:2].tolist() == [6, 3]
    assert (script["source"][0], script["outcomes"][0], script["left"][0]) == (9, 30, 0)
    outcomes, script = np.array([6, 7, 2]), np.zeros(1, streams.SCRIPT)
    script["place"], script["left"] = outcomes.ctypes.data, 3
    drawn(script, out)
    assert out.tolist() == [6, 0, 0]  # the second draw is among 7
    assert (script["source"][0], script["outcomes"][0], script["left"][0]) == (2, 7, 2)


def test_reseed_moves_every_source():
    @njit
    def reseed(chance, rng):
        streams.reseed(chance[0], rng[0])

    chance, rng = np.zeros(1, streams.CHANCE), np.zeros(1, streams.RANDOM)
    reseed(chance, rng)
    assert len(set(chance["cursor"][0].tolist())) == streams.SOURCES


def test_even_samples_meet_every_outcome_of_the_next_draw_equally_often():
    @njit
    def drawn(start, chance, rng, out):
        streams.reseed(start[0], rng[0])
        for number in range(len(out)):
            streams.reseed_evenly(chance[0], start[0], number)
            for source in range(streams.SOURCES):
                streams.reset_source(chance[0], source)
                out[number, source, 0] = streams.draw(chance[0], source, 16)
                out[number, source, 1] = streams.draw(chance[0], source, 16)

    start, chance = np.zeros(1, streams.CHANCE), np.zeros(1, streams.CHANCE)
    out = np.zeros((160, streams.SOURCES, 2), np.int64)
    drawn(start, chance, np.zeros(1, streams.RANDOM), out)
    first, later = ([np.bincount(out[:, source, k], minlength=16) for source in range(streams.SOURCES)] for k in (0, 1))
    assert np.min(first) >= 5
    assert np.max(first) <= 15  # of 10 expected
    assert np.std(later) > 2.5  # independent draws: 3.1
    pairs = {tuple(np.bincount(16 * out[:, 0, 0] + out[:, source, 0], minlength=256)) for source in range(1, 16)}
    assert max(max(pair) for pair in pairs) <= 6  # the sources do not repeat each other


@pytest.mark.parametrize("members", [0b1, 0b1010, 0b11111111, 0b10000000])
def test_bit_sets(members):
    @njit
    def ask(members, out):
        out[0] = count_bits(members)
        out[1] = lowest_bit(members)
        for k in range(out[0]):
            out[2 + k] = kth_bit(members, k)

    out = np.zeros(10, np.int64)
    ask(members, out)
    expected = [k for k in range(8) if members >> k & 1]
    assert out[0] == len(expected)
    assert out[1] == expected[0]
    assert out[2 : 2 + len(expected)].tolist() == expected


def test_next_clockwise_wraps_and_takes_the_seat_itself_last():
    @njit
    def ask(seats, seat):
        return next_clockwise(seats, seat)

    for seats in range(1, 64):
        for seat in range(6):
            order = [(seat + k) % 6 for k in range(1, 7)]
            assert ask(seats, seat) == next(other for other in order if seats >> other & 1)


def test_records_by_pointer():
    dtype = np.dtype([("a", "u1"), ("b", "i8", (3,))], align=True)

    @njit
    def work(records):
        copy = pointers.clone(records[0])
        copy.b[1] = 7
        pointers.assign(records[1], copy)
        pointers.record_at(pointers.address_of(records[2]), records[0]).a = 9
        pointers.zero_at(pointers.address_of(records[3]), 8)

    records = np.zeros(4, dtype)
    records["a"] = 5
    work(records)
    assert records[0]["b"].tolist() == [0, 0, 0]
    assert records[1]["a"] == 5
    assert records[1]["b"].tolist() == [0, 7, 0]
    assert records[2]["a"] == 9
    assert records[3]["a"] == 0


def test_a_journal_of_none_costs_and_writes_nothing():
    @njit
    def note(journal):
        write_event(journal[0], 4, 1, 2, 3, -1, 5)

    @njit
    def silent():
        write_event(None, 4, 1, 2, 3, -1, 5)
        return 3

    journal = np.zeros(1, journal_dtype(2))
    note(journal)
    assert journal["count"][0] == 1
    assert journal["rows"][0, 0].tolist() == [4, 1, 2, 3, -1, 5]
    assert silent() == 3


# -- the cache folder ------------------------------------------------------------------------------------------------


def folder_in_new_process(**environment):
    code = "from strozzi_sim.runtime.cache import folder_of; print(folder_of('strozzi'))"
    command, environment = [sys.executable, "-c", code], {**os.environ, **environment}
    return Path(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip())


@pytest.mark.slow
def test_the_folder_depends_on_numba_settings_alone(tmp_path):
    root = {"STROZZI_CACHE_DIR": str(tmp_path)}
    plain = folder_in_new_process(**root)
    assert plain.parent == tmp_path
    assert plain == folder_in_new_process(**root)
    assert plain != folder_in_new_process(**root, NUMBA_BOUNDSCHECK="1")


def test_the_folder_depends_on_every_reachable_source(monkeypatch):
    sources = cache._sources("strozzi")
    names = {f"{file.parent.name}/{file.name}" for file in sources}
    assert {"strozzi/core.py", "kernel/streams.py", "simulation/loop.py"} <= names
    assert {"strozzi_agents/uniform.py", "strozzi/heuristic.py"} <= names
    package = [file for file in Path(cache.__file__).parents[1].rglob("*.py") if file.parent.name != "template"]
    marks = re.compile(r"strozzi_sim\.kernel\.jit import [^\n]*\b(jit|force_inline|inline_source)\b")
    with_kernels = {file for file in package if marks.search(file.read_text("utf-8"))}
    assert with_kernels <= set(cache._sources())
    before = cache.folder_of("strozzi")
    original = Path.read_bytes
    for changed in (file for file in sources if file.name in ("core.py", "streams.py", "loop.py", "uniform.py")):
        with monkeypatch.context() as patch:
            patch.setattr(Path, "read_bytes", lambda file, c=changed: original(file) + (b"#" if file == c else b""))
            assert cache.folder_of.__wrapped__("strozzi") != before


@pytest.mark.slow
def test_nothing_reads_beyond_an_array():
    """The same games with numba's bounds checks on; an index out of bounds would end with another exit code."""
    command = [sys.executable, "-m", "strozzi_sim", "bench", "strozzi", "--games", "300", "--count-facts", "--json"]
    command += ["--players", "6", "--agents", "heuristic,greedy,random", "--workers", "1"]
    done = subprocess.run(command, env={**os.environ, "NUMBA_BOUNDSCHECK": "1"}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_worker_processes_keep_their_code_where_the_parent_does(tmp_path):
    command = (
        "from joblib import Parallel, delayed; from strozzi_sim.runtime.cache import code_folder\n"
        "print(code_folder('strozzi'), *Parallel(2)(delayed(code_folder)('strozzi') for _ in range(2)), sep='\\n')"
    )
    own = {key: value for key, value in os.environ.items() if key not in ("STROZZI_CACHE_DIR", "NUMBA_CACHE_DIR")}
    done = subprocess.run(
        [sys.executable, "-c", command], env={**own, "XDG_CACHE_HOME": str(tmp_path)}, capture_output=True, text=True
    )
    (folder,) = (tmp_path / "strozzi-sim").iterdir()
    assert done.stdout.split() == [str(folder)] * 3, done.stderr


LENGTHS = """
import ctypes
import sys

import numpy as np
from numba import from_dtype, types

from strozzi_sim.kernel.jit import compile_cfunc, jit


@jit
def length(memory, deep):  # a function of its own in the machine code, since it calls itself
    return len(memory.note) if deep < 1 else length(memory, deep - 1)


def last(memory, deep):
    return length(memory, deep)


found = []
for size in map(int, sys.argv[1:]):
    memory = np.zeros(1, [("note", "i8", (size,))])
    function = compile_cfunc(last, types.int64(from_dtype(memory.dtype), types.int64), "strozzi")
    found.append(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)(function.address)(
        memory.ctypes.data, 3))
print(*found)
"""


@pytest.mark.slow
def test_code_that_several_processes_left_in_the_cache_is_not_mixed_up(tmp_path):
    file = tmp_path / "lengths.py"
    file.write_text(LENGTHS)

    def lengths(*sizes):
        environment = {**os.environ, "STROZZI_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, file, *sizes], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    for sizes in (["2"], ["3"], ["2", "3"]):
        assert lengths(*sizes) == sizes
    assert len(list(tmp_path.glob("cache/**/*.nbc"))) == 2  # the third process compiled nothing


@pytest.mark.slow
def test_processes_may_compile_at_once(tmp_path):
    file = tmp_path / "lengths.py"
    file.write_text(LENGTHS)
    environment = {**os.environ, "STROZZI_CACHE_DIR": str(tmp_path / "cache")}
    sizes = [str(size) for size in range(2, 6)]

    def started(*arguments):
        return subprocess.Popen([sys.executable, file, *arguments], env=environment, stdout=subprocess.PIPE, text=True)

    at_once = [started(size) for size in sizes]
    assert [process.communicate()[0].split() for process in at_once] == [[size] for size in sizes]
    assert started(*sizes).communicate()[0].split() == sizes


def test_code_of_edited_sources_is_not_kept(monkeypatch):
    folder = cache.code_folder("strozzi")
    assert folder.name == cache.folder_of("strozzi").name  # under a root that other tests may move
    monkeypatch.setattr(cache, "_AS_IMPORTED", cache._AS_IMPORTED | {Path(__file__): (0, 0)})
    assert cache.code_folder("strozzi") is None
