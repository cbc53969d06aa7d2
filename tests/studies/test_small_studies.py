"""Studies of a few deals make a page, whatever is asked of them, with the same bytes in every process."""

import os
import subprocess
import sys

import pytest

from benchmarks import benchmark

NO_VALUE = {  # a panel of its page has no value
    "name": "x", "game": "strozzi", "players": [4], "deals": 4, "lineups": [["greedy", "random", "random", "random"]],
    "report": {"pages": ["ships"]},
}  # fmt: skip
CITY = """
import sys
from pathlib import Path
from strozzi_sim.cli.app import run
Path("city.toml").write_text('''name = "city"
game = "strasbourg"
players = [3]
deals = 40
lineups = [["random"]]
variants = ["base", "small-city"]
[report]
pages = ["balance", "city"]
heatmaps = ["winning-bid-by-step"]
''')
sys.exit(run(["run", "city.toml", "--workers", "1"]))
"""

fuzz_pages = benchmark("fuzz_pages")


def test_a_figure_without_a_value_has_no_panel(fuzz_pages):
    assert fuzz_pages.make_page(NO_VALUE) == []


@pytest.mark.slow_for("0")
@pytest.mark.parametrize("number", range(2))
def test_every_small_study_makes_a_page(fuzz_pages, number):
    study = fuzz_pages.make_study(2026, number, quick=True)
    assert fuzz_pages.make_page(study) == [], study


@pytest.mark.slow
@pytest.mark.nightly_for(*map(str, range(4, 12)))
@pytest.mark.parametrize("number", range(12))
def test_small_studies_with_all_kinds_of_line_ups_make_a_page(fuzz_pages, number):
    study = fuzz_pages.make_study(2026, number)
    assert fuzz_pages.make_page(study) == [], study


def test_faults_of_pages_are_found(fuzz_pages, monkeypatch):
    from strozzi_sim.reports import writing

    def spoiled(folder, *rest):
        (folder / "report.html").write_text('<main id="main"> 3 nan </main>')
        return folder / "report.html"

    monkeypatch.setattr(writing, "write_report", spoiled)
    study = {**NO_VALUE, "players": [3], "lineups": [["random"]], "report": {"pages": []}}
    assert fuzz_pages.make_page(study) == ["says nan"]
    monkeypatch.setattr(writing, "write_report", lambda *rest: 1 / 0)
    assert "ZeroDivisionError" in fuzz_pages.make_page(study)[0]


@pytest.mark.nightly
def test_figures_do_not_depend_on_the_order_of_hashes(tmp_path):
    found = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", CITY], cwd=folder, env=environment, check=True)
        figures = sorted((folder / "results" / "city" / "figures").iterdir())
        found.append({file.name: file.read_bytes() for file in figures})
    assert any(name.startswith("city-") for name in found[0])
    assert found[0].keys() == found[1].keys()
    assert [name for name in found[0] if found[0][name] != found[1][name]] == []
