"""docs/tested.md says what its stored run and the code say; the run itself is played by docs/write_tested.py --run."""

import json
import runpy
import subprocess
import sys

import pytest

from paths import ROOT

SCRIPT = ROOT / "docs" / "write_tested.py"


@pytest.fixture(scope="module")
def written():
    before = [*sys.path]
    yield runpy.run_path(str(SCRIPT))
    sys.path[:] = before


@pytest.fixture(scope="module")
def stored():
    return json.loads((ROOT / "docs" / "tested.json").read_text("utf-8"))


def test_the_page_is_up_to_date():
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr


def test_other_sizes_ask_for_another_run(written, stored):
    assert written["stale"](stored) == []
    assert written["stale"]({**stored, "kits": {}}) == ["kits"]
    assert written["stale"]({**stored, "version": "0.0.1"}) == ["version"]


def test_what_was_counted_is_of_the_sizes_of_the_tests(stored):
    for name, kit in stored["kits"].items():
        counted = stored["rules"][name]
        assert counted["games"] >= kit["refereed"]
        assert counted["decisions"] > 20 * counted["games"]
        assert 0 < counted["refused"] <= counted["records"]
        taken, branches = counted["branches"]
        assert 0.9 < taken / branches <= 1
    assert all(each["failed"] == 0 for each in stored["fuzz"].values())
    assert all(each["default"] + each["slow"] > 0 for each in stored["tests"].values())
