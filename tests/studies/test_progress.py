"""Progress: every phase of a study is told, and a bar shows the one that is under way."""

import io

import pytest
from rich.console import Console
from strozzi_sim.questions.simulate import simulate
from strozzi_sim.reports.writing import write_report
from strozzi_sim.studies.progress import GAMES, Progress, terminal_bar

from strozzi_games import BASE, STROZZI


@pytest.fixture(scope="module")
def phases(tmp_path_factory):
    told = []
    progress = Progress(
        on_games=lambda done, total: told.append((GAMES, done, total)), on_phase=lambda *phase: told.append(phase)
    )
    folder = tmp_path_factory.mktemp("r") / "r"
    results = simulate(STROZZI, 3, "random", deals=60, variant=BASE, workers=1, folder=folder, progress=progress)
    write_report(results.folder, results.manifest, results.tables, STROZZI, progress.on_phase)
    return told


def test_every_phase_is_told_in_its_order(phases):
    assert list(dict.fromkeys(phase for phase, _, _ in phases)) == ["compiling", GAMES, "tables", "saving", "pictures"]


def test_each_phase_counts_its_own(phases):
    games = [(done, total) for phase, done, total in phases if phase == GAMES]
    assert games[0] == (0, 60)
    assert games[-1] == (60, 60)
    pictures = [done for phase, done, _ in phases if phase == "pictures"]
    assert pictures == list(range(len(pictures)))
    assert len(pictures) > 1


def test_a_bar_shows_one_phase_at_a_time():
    out = io.StringIO()
    with terminal_bar(Console(file=out, force_terminal=True, width=100)) as show:
        show("compiling", 0, 3)
        show(GAMES, 5, 10)
        show("pictures", 2, 0)
    last = [line for line in out.getvalue().splitlines() if "pictures" in line][-1]
    assert "2/?" in last
    assert "games" not in last
