"""Progress: every phase of a study is told, and a bar shows the one that is under way."""

import io
import itertools
import time
from queue import SimpleQueue
from types import SimpleNamespace

import pytest
from rich.console import Console

import strozzi_sim as ss
from needed import need
from strozzi_sim.study import duration
from strozzi_sim.study import progress as progress_module
from strozzi_sim.study.progress import GAMES, Progress, notebook_bar, progress_of, regular_lines, terminal_bar


@pytest.fixture(scope="module")
def phases(tmp_path_factory):
    told = []
    progress = Progress(on_phase=lambda *phase: told.append(phase))
    folder = tmp_path_factory.mktemp("r")
    ss.simulate("strozzi", players=3, agents="random", deals=60, workers=1, folder=folder, progress=progress)
    return told


def test_every_phase_is_told_in_its_order(phases):
    assert list(dict.fromkeys(phase for phase, _, _ in phases)) == ["compiling", GAMES, "tables"]
    assert phases[-1] == ("tables", 0, 0)


def test_games_are_counted_to_the_last(phases):
    games = [(done, total) for phase, done, total in phases if phase == GAMES]
    assert games == sorted(games)
    assert games[-1] == (60, 60)


def test_a_bar_shows_one_phase_at_a_time():
    out = io.StringIO()
    with terminal_bar(Console(file=out, force_terminal=True, width=100)) as show:
        show("compiling", 0, 3)
        show(GAMES, 5, 10)
        show("pictures", 2, 0)
    last = [line for line in out.getvalue().splitlines() if "pictures" in line][-1]
    assert "2/?" in last
    assert "games" not in last


@pytest.mark.parametrize(
    ("state", "line"),
    [
        (("compiling", 0, 0, 0), "compiling, 10 s so far"),
        ((GAMES, 8_000, 160_000, 8_000), "8,000 of 160,000 games"),  # of an earlier run
        ((GAMES, 48_000, 160_000, 8_000), "48,000 of 160,000 games, 4,000 games/s, about 28 s left"),
        ((GAMES, 4, 600, 1), "4 of 600 games, 0.3 games/s, about 33 min left"),
    ],
)
def test_a_line_says_how_far_a_phase_is(state, line, monkeypatch):
    monkeypatch.setattr(progress_module, "monotonic", lambda: 110.0)
    assert progress_module._line(*state, 100.0) == line


def test_without_a_terminal_lines_come_while_nothing_else_happens():
    lines = SimpleQueue()
    with regular_lines(lines.put, 0.02) as show:
        for phase, done, total, words in (
            ("compiling", 0, 0, "compiling, 0 s so far"),
            (GAMES, 5, 20, "5 of 20 games"),
        ):
            show(phase, done, total)
            while lines.get(timeout=60) != words:
                pass
    while not lines.empty():
        lines.get()
    time.sleep(0.1)
    assert lines.empty()


@pytest.mark.parametrize(
    ("seconds", "said"),
    [({3: 0.5, 4: 3.0}, ["about 4 min of play with 1 worker"]), ({3: 0.1, 4: 0.1}, [])],
)
def test_a_command_says_beforehand_how_long_it_plays(seconds, said, monkeypatch):
    """60 deals at 3 players and 60 at 4; what takes under 20 s is not announced."""
    monkeypatch.setattr(duration, "seconds_per_deal", lambda store, cell: seconds[cell.players])
    lines = []
    progress = Progress(on_message=lines.append, command="strozzi balance")
    ss.simulate("strozzi", players=[3, 4], agents="random", deals=60, workers=1, progress=progress)
    assert [line for line in lines if "of play" in line] == said


def test_the_time_of_a_search_is_that_of_its_heat(monkeypatch):
    """What the next heat plays depends on this one."""
    monkeypatch.setattr(duration, "seconds_per_deal", lambda store, cell: 1.0)
    lines = []
    progress = Progress(on_message=lines.append, command="strozzi weights")
    ss.weights("strozzi", players=3, agents="random", deals=1000, keys="coins.*", workers=1, progress=progress)
    told = [line for line in lines if "of play" in line]
    assert told[0].startswith("stage 2 of the search: about ")
    assert told[1].startswith("stage 3 of the search: about ")


def test_a_study_may_be_called_as_a_heat_is(monkeypatch):
    monkeypatch.setattr(duration, "seconds_per_deal", lambda store, cell: 1.0)
    lines = []
    study = ss.Study.of(game="strozzi", players=[3], deals=60, lineups=[["random"]])
    progress = Progress(on_message=lines.append, command="strozzi run")
    ss.run(study, look=study.look().of(name="heat-map"), workers=1, progress=progress)
    assert [line for line in lines if "of play" in line] == ["about 60 s of play with 1 worker"]


def test_a_deal_is_timed_by_as_many_deals_as_a_clock_needs(monkeypatch):
    """Each call takes 1 ms besides 4 ms a deal: 64 deals take 0.1 s longer than one."""
    played = []
    clock = iter(
        itertools.accumulate(itertools.chain.from_iterable((1.0, 0.001 + 0.004 * 4**k) for k in (0, 0, 1, 2, 3)))
    )
    monkeypatch.setattr(duration, "monotonic", lambda: next(clock))
    match = SimpleNamespace(play=lambda first, last, **_: played.append((first, last)))
    cell = SimpleNamespace(match=match, deals=1_000)
    store = SimpleNamespace(plan=lambda cell: SimpleNamespace(crosstabs=()), study=SimpleNamespace(how_luck=None))
    assert duration.seconds_per_deal(store, cell) == pytest.approx(0.004)
    assert played == [(0, 1), (0, 1), (0, 4), (0, 16), (0, 64)]


def test_nothing_is_said_of_a_study_that_ends_soon(capsys):
    """As nobody waits for it."""
    with progress_of(True) as progress:
        progress.on_message("a message")
        progress.on_phase(GAMES, 1, 2)
    assert capsys.readouterr() == ("", "a message\n")
    for wanted in (None, False):
        with progress_of(wanted) as progress:
            progress.on_phase(GAMES, 1, 2)
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_a_notebook_shows_a_bar_that_goes_away(monkeypatch):
    shown = []

    class Shown:
        def update(self, data, *, raw):
            shown.append((data["text/plain"], raw))

    def display(data, *, raw, display_id):
        shown.append((data["text/plain"], raw))
        return Shown()

    monkeypatch.setattr(need("IPython.display"), "display", display)
    with notebook_bar() as show:
        show(GAMES, 5, 10)
    assert shown == [("", True), ("games: 5 of 10", True), ("", True)]
