"""docs/findings.md says what its tables say, and stops being written where they say otherwise."""

import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def written(docs, *options):
    script = docs / "findings" / "write.py"
    return subprocess.run([sys.executable, script, *options], capture_output=True, text=True, cwd=ROOT, check=False)


def test_the_page_says_what_its_tables_say():
    done = written(DOCS, "--check")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[1]) >= 3  # fixed statements that were tested


@pytest.fixture
def docs(tmp_path):
    """A copy of the page, its tables and its scripts."""
    shutil.copytree(DOCS / "findings", tmp_path / "docs" / "findings")
    shutil.copy(DOCS / "findings.md", tmp_path / "docs" / "findings.md")
    return tmp_path / "docs"


def test_a_page_that_its_tables_do_not_bear_out_is_refused(docs):
    page = docs / "findings.md"
    page.write_text(page.read_text().replace("points", "coins", 1))
    assert "does not say what its tables say" in written(docs, "--check").stderr


def test_a_statement_that_stops_being_true_stops_the_script(docs):
    file = docs / "findings" / "tables" / "strozzi-sweep-best.csv"
    best = pd.read_csv(file)
    best.loc[best["status"] == "winner", ["value", "low", "high"]] += 0.02
    best.to_csv(file, index=False)
    done = written(docs, "--check")
    assert done.returncode == 1
    assert "the fairest bonus values leave less than 3 points between the seats" in done.stderr


def test_an_unknown_run_is_refused_by_name():
    done = written(DOCS, "--play", "strozzi-fun")
    assert done.returncode == 2
    assert "unknown run 'strozzi-fun'; there are strozzi-balance" in done.stderr
