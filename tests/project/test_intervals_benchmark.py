"""benchmarks/intervals.py judges intervals: that it counts right, and that it fails when it should."""

import importlib
import sys

import numpy as np
import pandas as pd
import pytest

from paths import ROOT

pytestmark = pytest.mark.slow


FOLDER = ROOT / "benchmarks" / "covering"
NAMES = ("cases", "judging", "seats")


@pytest.fixture(scope="module")
def parts():
    sys.path.insert(0, str(FOLDER))
    yield {name: importlib.import_module(name) for name in NAMES}
    sys.path.remove(str(FOLDER))
    for name in NAMES:
        del sys.modules[name]


def frame(figures):
    rows = [("share", level, *rest) for level, rest in figures.items()]
    return {
        "flags": pd.DataFrame(rows, columns=["figure", "level", "value", "low", "high", "n"]).assign(players=4, deals=9)
    }


LEVELS = 20


def study(rng, deals, width):
    """Shares of 0.3, and a number that never varies; intervals `width` times as wide as they should be."""
    half = width * 1.96 * np.sqrt(0.21 / deals)
    shares = rng.binomial(deals, 0.3, LEVELS) / deals
    found = {f"level {k}": (share, share - half, share + half, deals) for k, share in enumerate(shares)}
    return frame({**found, "known": (2.0, 2.0, 2.0, deals)})


def judged(parts, width, studies=30):
    rng = np.random.default_rng(3)
    truth_of = {f"level {k}": (0.3, 0.29, 0.31, 4000) for k in range(LEVELS)}
    made = iter([frame({**truth_of, "known": (2.0, 2.0, 2.0, 4000)})])
    case = parts["cases"].Case("made up", "", lambda first, deals: next(made, None) or study(rng, deals, width))
    truth = parts["judging"].long_study(case, 4000)
    found, failed = parts["judging"].small_studies(case, truth, 100, studies, 1)
    assert failed == 0
    return parts["judging"].together(parts["judging"].summary(case, truth, 100, found))


def test_intervals_too_narrow_or_too_wide_are_found_and_right_ones_are_not(parts):
    outside = parts["judging"].outside
    assert len(outside(judged(parts, 1.0), 0.92, 0.98, 0.0005, 150)) == 0
    assert len(outside(judged(parts, 0.65), 0.92, 0.98, 0.0005, 150)) == 1  # about 80 %
    assert len(outside(judged(parts, 1.5, 60), 0.92, 0.98, 0.0005, 150)) == 1


def test_a_quick_check_sees_80_per_cent_among_a_hundred_figures_and_seldom_raises_a_false_alarm(parts):
    rng = np.random.default_rng(11)
    alarms = 0
    for _ in range(300):
        table = pd.DataFrame({"worth": 160.0, "coverage": rng.binomial(160, 0.95, 100) / 160, "kind": ""})
        alarms += len(parts["judging"].outside(table, 0.92, 0.98, 0.0005, 150)) > 0
        table.loc[0, "coverage"] = 0.8
        assert len(parts["judging"].outside(table, 0.92, 0.98, 0.0005, 150)) >= 1
    assert alarms <= 3  # 3 in 300 would be 1 %; the chance of 4 at the promised rate is below 1 in 1,000


@pytest.mark.nightly
def test_variants_are_compared_with_the_facts_that_their_tables_read(parts):
    """A plan of finishing orders counts none: the long study of variants once ended in an error."""
    (case,) = (each for each in parts["cases"].cases() if each.name.startswith("base and short"))
    assert {"changes", "sides", "difference"} <= set(case.frames(0, 10))
