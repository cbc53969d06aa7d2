"""benchmarks/regression.py finds what is slower, and only that."""

import json
import sys
from contextlib import contextmanager

import numpy as np
import pytest

from benchmarks import benchmark

regression = benchmark("regression", "paired", "limit", "limit_c")


def times(rng, ratio, turns=15, noise=0.05):
    """Times of two sides on a machine that gets slower: the second has `ratio` times the speed of the first."""
    machine = np.linspace(1.0, 1.5, turns)[:, None]
    return machine * np.array([1.0, 1.0 / ratio]) * rng.lognormal(0, noise, (turns, 2))


@pytest.mark.parametrize("ratio", [0.5, 1.0, 2.0])
def test_the_interval_holds_the_ratio(regression, ratio):
    rng = np.random.default_rng(1)
    found = [regression.ratio(times(rng, ratio), seed=seed) for seed in range(40)]
    assert sum(low <= ratio <= high for _, low, high in found) >= 37
    assert all(low <= middle <= high for middle, low, high in found)


@pytest.fixture
def run(regression, monkeypatch, capsys):
    """Run the script with planted times instead of another revision."""

    @contextmanager
    def other_side(revision):
        yield revision

    def measure(sides, name, turns):
        middle, low, high = regression.ratio(
            times(np.random.default_rng(3), 0.8 if "vector" in name else 1.0, turns, 0.01)
        )
        return {"workload": name, "before_per_s": 1.0, "after_per_s": middle, "ratio": middle, "low": low, "high": high}

    monkeypatch.setattr(regression, "other_side", other_side)
    monkeypatch.setattr(regression, "measure", measure)
    monkeypatch.setattr(regression.os, "sched_setaffinity", lambda *_: None)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["regression.py", *arguments])
        return regression.main(), capsys.readouterr()

    return run


def test_a_slower_workload_ends_with_1(run, regression):
    code, out = run("--against", "HEAD", "--json")
    rows = json.loads(out.out)
    assert code == 1
    assert [row["workload"] for row in rows if row["slower"]] == ["strozzi vector"]
    assert len(rows) == len(regression.WORKLOADS)
    assert run("--against", "HEAD", "--limit", "0.5")[0] == 0


def test_wrong_input_ends_with_2(run):
    for arguments, said in (
        (("--turns", "2"), "--turns: must be 5 or more"),
        (("--only", "chess"), "--only: 'chess' is in no"),
    ):
        code, out = run("--against", "HEAD", *arguments)
        assert code == 2
        assert out.err.startswith(f"regression: error: {said}")
