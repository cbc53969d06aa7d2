"""Eighty of the cases of benchmarks/fuzz.py: those that only read. The script itself plays thousands of all kinds."""

import pytest

from benchmarks import benchmark
from paths import TESTS

GOLDEN = {
    "strozzi.jsonl": "games/strozzi/golden/random-3.jsonl",
    "medici_vs_strozzi.jsonl": "games/medici_vs_strozzi/golden/random-base.jsonl",
}
PARTS = 2

fuzz = benchmark("fuzz", "fuzz_cases")


@pytest.fixture
def model(tmp_path):
    """Records that nothing is wrong with, two games each."""
    for name, golden in GOLDEN.items():
        (tmp_path / name).write_bytes(2 * (TESTS / golden).read_bytes())
    return tmp_path


@pytest.mark.parametrize("part", range(PARTS))
def test_spoiled_input_ends_in_one_line(part, fuzz, model):
    found = [(number, *fuzz.play(2026, number, model, quick=True)) for number in range(part, 80, PARTS)]
    failed = {number: (case.arguments, done.err, faults) for number, case, done, faults in found if faults}
    assert not failed
    codes = [done.code for _, _, done, _ in found]
    assert set(codes) >= {0, 1, 2}  # some are still games that keep the rules, some break a rule, most cannot be read
    assert codes.count(2) > len(codes) / 3


def test_faults_are_found(fuzz):
    """The checks of the script see what they look for."""
    good = fuzz.Outcome(2, "", "strozzi: error: no\n", 0.1)
    case = fuzz.Case(["run", "x", "--json"], writes=["out"])
    files = {"notes.txt": b"mine", "out/mine.txt": b"mine"}

    def wrong(files_after=files, must_fail=False, **changes):
        done = fuzz.Outcome(**{**vars(good), **changes})
        case.must_fail = must_fail
        return "; ".join(fuzz.wrong(case, done, files, files_after))

    assert wrong() == ""
    assert "exit code 70" in wrong(code=70)
    assert "hangs" in wrong(code=-1)
    assert "a traceback" in wrong(err="Traceback (most\nstrozzi: error: no\n")
    assert "0 lines of error" in wrong(err="")
    assert "2 lines of error" in wrong(err=2 * good.err)
    assert "other lines" in wrong(err="hello\n" + good.err)
    assert "standard output beside an error" in wrong(out="plan")
    assert "nonsense" in wrong(code=0, err="", must_fail=True)
    assert "not one JSON document" in wrong(code=0, err="", out="{}{}")
    assert "'notes.txt' was lost" in wrong({"out/mine.txt": b"mine"})
    assert "'notes.txt' was changed" in wrong(files | {"notes.txt": b""})
    assert "'out/mine.txt' was changed" in wrong(files | {"out/mine.txt": b""})
    assert "'new' was left behind" in wrong(files | {"new": b""})
    assert "left behind by bad input" in wrong(files | {"out/new": b""})
    assert "half-written" in wrong(files | {"out/.new.tmp": b""}, code=4)
    assert wrong(files | {"out/new": b""}, code=4) == ""
