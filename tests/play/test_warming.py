"""What a study compiles is said once, and compiled in two processes."""

import os
from types import SimpleNamespace

import pytest
from numba import int64

import strozzi_sim as ss
from strozzi_sim.kernel.jit import entry, jit
from strozzi_sim.play import warming
from strozzi_sim.play.warming import warm_all
from strozzi_sim.study.progress import Progress


@jit
def plus(a, b):
    return a + b


@pytest.fixture
def compiled_here(tmp_path, monkeypatch):
    """Where two units note the process that takes them, after a third one that must be compiled."""
    monkeypatch.setenv("STROZZI_CACHE_DIR", str(tmp_path / "cache"))
    note = "import os, pathlib; pathlib.Path({!r}).write_text(str(os.getpid()))"
    notes = [warming._Unit(exec, (note.format(str(tmp_path / name)),), 4) for name in ("first", "second")]
    units = [*notes, warming._Unit(entry, (plus, int64(int64, int64), "strozzi"), 10)]
    monkeypatch.setattr(warming, "_units", lambda matches, luck: iter(units))
    return tmp_path


def warmed():
    said = []
    match = SimpleNamespace(game=SimpleNamespace(title="Strozzi"), warm=lambda **options: None)
    warm_all([(match, True)], None, said.append)
    return said


@pytest.mark.parametrize(("cores", "seconds"), [(2, 10), (1, 18)])
def test_what_the_cache_lacks_is_said_once_and_compiled_in_two_processes(cores, seconds, compiled_here, monkeypatch):
    monkeypatch.setattr(warming, "core_count", lambda: cores)
    assert warmed() == [f"compiling Strozzi, once, about {seconds} s"]
    here = str(os.getpid())
    assert ((compiled_here / "first").read_text() == here) == (cores == 1)
    assert (compiled_here / "second").exists()
    assert warmed() == []
    assert (compiled_here / "first").read_text() == here


def test_nothing_is_said_of_a_study_whose_code_is_cached():
    for _ in range(2):
        lines = []
        ss.simulate("strozzi", players=3, agents="random", deals=60, progress=Progress(on_message=lines.append))
    assert lines == []
