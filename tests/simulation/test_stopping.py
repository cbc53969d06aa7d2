"""A signal ends play within two seconds, whatever plays: flags are read between games, play-outs, redraws and calls of agents."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from stopped_scripts import heed_signals
from strozzi_sim.agent import load_agent, python_agent, spec_of
from strozzi_sim.declare.pages import report_of
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.play.drama import Rollouts
from strozzi_sim.play.judging import Judge
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.interrupts import NO_STOP, current_stop, stop_flag
from strozzi_sim.simulation.luck import LuckMethod
from strozzi_sim.simulation.match import Match, Measures
from strozzi_sim.simulation.pool import PlayTask, perform, play_tasks

AFTER = 0.3  # seconds until the signal
LIMIT = 2.0  # seconds of this process, since other processes may have the machine
MANY = 100_000


def match_of(agent, game="strozzi"):
    game = load_game(game)
    spec = load_agent(agent, game) if isinstance(agent, str) else agent
    return Match(game, 2 if game.name == "medici_vs_strozzi" else 3, (spec,), resolve_variant(game, "base"), 7)


def own_seconds_to_end(play, error):
    """Return the seconds of this process that `play` takes beyond AFTER, if a signal comes then."""
    timer = threading.Timer(AFTER, os.kill, (os.getpid(), signal.SIGINT))
    began = time.process_time()
    timer.start()
    with pytest.raises(error):
        play()
    timer.join()
    return time.process_time() - began - AFTER


def play_in_study(match, deals, **measured):
    with stop_flag() as stop:
        list(play_tasks([PlayTask(0, match, 0, deals, Measures(**measured))], 1, stop))


@pytest.mark.slow_for("learned:beyond=4,redraws={}", "ismcts:iterations={}")
@pytest.mark.slow_for("medici_vs_strozzi", "strasbourg")
@pytest.mark.slow_for("flat_mc:playouts={}", "mo_ismcts:iterations={}")
@pytest.mark.parametrize(
    ("game", "agent"),
    [
        ("strozzi", "random"),
        ("strozzi", "flat_mc:playouts={}"),
        ("strozzi", "ismcts:iterations={}"),
        ("strozzi", "mo_ismcts:iterations={}"),
        ("strozzi", "learned:beyond=4,redraws={}"),
        ("medici_vs_strozzi", "appraiser:playouts={}"),
        ("medici_vs_strozzi", "learned:redraws={},beyond=5"),
        ("strasbourg", "strategist:iterations={}"),
        ("strasbourg", "learned:redraws={}"),
    ],
)
def test_one_worker_stops_in_the_middle_of_a_chunk(game, agent):
    match = match_of(agent.format(MANY), game)
    match.warm()
    assert own_seconds_to_end(lambda: play_in_study(match, 10_000_000), KeyboardInterrupt) < LIMIT


@pytest.mark.slow
def test_what_counts_facts_or_measures_luck_stops():
    match, luck = match_of("random"), LuckMethod(load_agent("learned", "strozzi"), 10_000)
    crosstabs = tuple(report_of(match.game).crosstabs(report_of(match.game).pages))
    match.warm(counted=True)
    match.warm(luck=luck)
    assert own_seconds_to_end(lambda: play_in_study(match, 10_000_000, crosstabs=crosstabs), KeyboardInterrupt) < LIMIT
    assert own_seconds_to_end(lambda: play_in_study(match, 1000, luck=luck), KeyboardInterrupt) < LIMIT


@pytest.mark.slow
def test_play_outs_and_judged_choices_stop():
    """Without a flag around them the handler of the caller's process runs, here that of Python."""
    rollouts, position = Rollouts(match_of("random")), Position("strozzi", 3)
    learned = load_agent("learned", "strozzi")
    calls = (
        lambda size: rollouts.from_state(position.state, 1, size),
        lambda size: [
            Judge(position, LuckMethod(learned, min(size, 10_000))).actions(number) for number in range(size)
        ],
    )
    for call in calls:
        call(1)  # compiles
        assert own_seconds_to_end(lambda call=call: call(3_000_000), KeyboardInterrupt) < LIMIT


def test_a_python_agent_among_many_games_stops_between_two_calls():
    calls = []

    @python_agent(name="slow", games=("strozzi",))
    class Slow:
        def act(self, view, legal, rng):
            calls.append(1)
            until = time.thread_time() + 0.01
            while time.thread_time() < until:
                pass
            if len(calls) == 20:
                stop[0] = signal.SIGINT
            return legal[0]

    stop, match = np.zeros(1, np.int64), match_of(spec_of(Slow))
    played = match.play(0, 1000, stop=stop)
    assert len(calls) == 20
    assert played.games == 0


@pytest.mark.slow
def test_a_position_asks_a_search_again_as_if_it_had_not_been_stopped():
    agent = "flat_mc:playouts={}"
    position = Position("strozzi", 3, seed=5)
    position.ask(agent.format(1))
    long = agent.format(3_000_000)
    assert own_seconds_to_end(lambda: position.ask(long), KeyboardInterrupt) < LIMIT
    seat = position.seated(long)
    assert np.array_equal(seat._rng, position.rng[position.actor : position.actor + 1])


def test_a_handler_that_only_takes_note_changes_no_decision():
    """The caller's handler may let play go on: the search that was stopped is then repeated."""
    position, noted = Position("strozzi", 3, seed=5), []
    agent = "flat_mc:playouts=20000"
    expected = position.copy().ask(agent)
    before = signal.signal(signal.SIGINT, lambda number, frame: noted.append(number))
    try:
        timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        assert position.ask(agent) == expected
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert noted == [signal.SIGINT]


def test_what_is_played_once_the_flag_is_set_is_no_result():
    """Searches then answer anything, so even a chunk that was played to its end is dropped."""
    match = match_of("flat_mc:playouts=50")
    stop = np.zeros(1, np.int64)
    whole = perform([PlayTask(0, match, 0, 1)], stop)
    assert whole is not None
    assert whole[0].games == 1
    stop[0] = 1
    assert perform([PlayTask(0, match, 0, 0)], stop) is None
    assert match.play(0, 1, stop=stop).games == 0


def test_play_reads_the_flag_around_it():
    match, found = match_of("random"), []

    def play():
        with stop_flag() as stop:
            found.append(current_stop.get() is stop)
            stop[0] = signal.SIGTERM
            found.append(match.play(0, 10).games)

    play()
    assert found == [True, 0]
    assert current_stop.get() is NO_STOP


# -- what a signal means during a run ------------------------------------------------------------------------------------

SCRIPT = """
import atexit, os, signal, sys
from strozzi_sim.simulation.interrupts import stop_flag
{before}
atexit.register(print, "exit functions ran")
try:
    with stop_flag():
        try:
            with stop_flag() as stop:
                try:
                    os.kill(os.getpid(), {number})
                    print("played on", stop[0])
                except BaseException:
                    pass
        finally:
            print("files are in order")
except Exception:
    print("the next study")
"""


def ends(number, before=""):
    """Return exit code, output and last line of errors of a script to which a signal comes during a run."""
    code = SCRIPT.format(number=int(number), before=before)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=heed_signals)
    return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()[-1:]


@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP"])
def test_a_signal_ends_a_script_by_itself_once_files_are_in_order(number):
    """And nothing that catches or loses an exception keeps the script alive."""
    number = signal.Signals[number]
    assert ends(number) == (-number, ["files are in order", "exit functions ran"], [])


def test_ctrl_c_is_a_keyboard_interrupt():
    assert ends(signal.SIGINT) == (-signal.SIGINT, ["files are in order", "exit functions ran"], ["KeyboardInterrupt"])


def test_the_handler_of_a_script_decides_what_its_signal_means():
    said = ["files are in order", "exit functions ran"]
    leaves = "signal.signal(signal.SIGTERM, lambda *_: sys.exit(9))"
    assert ends(signal.SIGTERM, leaves) == (9, said, [])
    notes = "signal.signal(signal.SIGTERM, lambda *_: print('noted'))"
    assert ends(signal.SIGTERM, notes) == (0, ["noted", "played on 0", *said], [])
    nohup = "signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    assert ends(signal.SIGHUP, nohup) == (0, ["played on 0", *said], [])


def test_a_second_signal_ends_what_still_runs_at_exit():
    before = "atexit.register(os.kill, os.getpid(), signal.SIGTERM)"
    assert ends(signal.SIGHUP, before) == (-signal.SIGTERM, ["files are in order", "exit functions ran"], [])


def test_a_handler_may_raise_what_the_compiler_would_lose():
    class Late(Exception):
        pass

    def late(number, frame):
        raise Late

    compiler = {"__name__": "numba.core", "signal": signal}
    exec(
        "def call():\n try:\n  signal.raise_signal(signal.SIGTERM)\n except Exception:\n  raise TypeError from None\n",
        compiler,
    )
    before = signal.signal(signal.SIGTERM, late)
    try:
        with pytest.raises(Late), stop_flag():
            compiler["call"]()
        assert signal.getsignal(signal.SIGTERM) is late
    finally:
        signal.signal(signal.SIGTERM, before)
