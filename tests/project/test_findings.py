"""The findings say what their tables say, and stop being written where they say otherwise."""

import io
import runpy
import shutil
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = ("findings-in-detail.md", "findings.md")


def written(docs, *options):
    """Run the script in this process, with modules of its own; return its exit code and what it printed."""
    script, code, out, err = docs / "findings" / "write.py", 0, io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "argv", [str(script), *options]),
        mock.patch.object(sys, "path", [str(script.parent), *sys.path]),
        chdir(ROOT),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            runpy.run_path(str(script), run_name="__main__")
        except SystemExit as end:
            code = end.code
        finally:
            for module in script.parent.glob("*.py"):
                sys.modules.pop(module.stem, None)
    words = code if isinstance(code, str) else ""  # which a script that ends so prints
    return SimpleNamespace(returncode=1 if words else code or 0, stdout=out.getvalue(), stderr=err.getvalue() + words)


def test_the_page_says_what_its_tables_say():
    done = written(DOCS, "--check")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[1]) >= 5  # fixed statements that were tested


@pytest.fixture
def docs(tmp_path):
    """A copy of the pages, their tables and their scripts."""
    shutil.copytree(DOCS / "findings", tmp_path / "docs" / "findings")
    shutil.copytree(ROOT / "experiments", tmp_path / "experiments")
    for page in PAGES:
        shutil.copy(DOCS / page, tmp_path / "docs" / page)
    return tmp_path / "docs"


@pytest.mark.slow
def test_a_page_that_its_tables_do_not_bear_out_is_refused(docs):
    for name in PAGES:
        page = docs / name
        text = page.read_text()
        page.write_text(text.replace("points", "coins", 1))
        assert f"{name} does not say what its tables say" in written(docs, "--check").stderr
        page.write_text(text)


@pytest.mark.slow
def test_a_statement_that_stops_being_true_stops_the_script(docs):
    file = docs / "findings" / "tables" / "strozzi-sweep-sweep.csv"
    table = pd.read_csv(file)
    table.loc[table["figure"] == "seat_gap", "value"] += 0.2
    table.to_csv(file, index=False)
    with pytest.raises(Exception, match="The published box is less fair than that"):
        written(docs, "--check")


def test_an_unknown_run_is_refused_by_name():
    done = written(DOCS, "--play", "strozzi-fun")
    assert done.returncode == 2
    assert "unknown run 'strozzi-fun'; there are strozzi-balance" in done.stderr


def test_fair_points_and_points_at_which_a_task_breaks_even_are_what_the_page_says():
    """Moved to its fair points a kept task is worth the mean kept task; at those at which it breaks even, nothing."""
    tasks = pd.read_csv(DOCS / "findings" / "tables" / "strasbourg-tasks-tasks.csv")
    here = tasks[(tasks["players"] == 4) & (tasks["variant"] == "base") & (tasks["lineup"] == "heuristic")]
    whole = here[(here["by"] == "all") & (here["level"] == "all")].pivot(index="task", columns="figure", values="value")
    mean = whole.loc["all", "worth_mean"]
    known = whole.drop("all").dropna(subset=["fair_points", "break_even"])
    printed = known["fair_points"] - known["fair_less_printed"]

    def worth_at(points):
        return known["worth_mean"] + (points - printed) * known["fulfilled_share"]

    assert len(known) > 10
    assert worth_at(known["fair_points"]).to_numpy() == pytest.approx(mean, abs=1e-3)
    assert worth_at(known["break_even"]).to_numpy() == pytest.approx(0, abs=1e-3)
    said = (DOCS / "findings-in-detail.md").read_text("utf-8")
    assert "fair points are those at which keeping it is worth as much as the mean kept task, 2.89" in said
    assert "`T_SAME3` is fair at 11.2 (10.8 to 11.5) points and breaks even at 4.2 (4.0 to 4.4)" in said
