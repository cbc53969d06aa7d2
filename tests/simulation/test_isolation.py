"""Third-party agents run where they can be stopped: whatever they do, the command survives to report it and leaves nothing behind."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import cloudpickle
import numpy as np
import pytest

from agent_files import agents_file
from commands import wait_until
from strozzi_games import BASE, STROZZI
from strozzi_sim.agent import compiled_agent, load_agent, sources, spec_of
from strozzi_sim.cli.app import _stop
from strozzi_sim.errors import AgentFault, Stopped
from strozzi_sim.game.contract import kth_legal
from strozzi_sim.runtime.workers import (
    Cancelled,
    Hung,
    Worker,
    WorkerDied,
    active_heartbeat,
    call_in_worker,
    heartbeat,
    is_worker,
    run_beside,
)
from strozzi_sim.simulation.interrupts import stop_flag
from strozzi_sim.simulation.match import Match
from strozzi_sim.simulation.pool import PlayTask, play_tasks

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import tests
SECONDS = "0.3"
BOTS = """
    import ctypes, os, sys
    from strozzi_sim.agent import Param, compiled_agent, python_agent
    from strozzi_sim.game.contract import kth_legal

    class Own(BaseException):
        pass

    def throw(error):
        raise error

    def speak():
        print("said in Python")
        os.write(1, b"said in C\\n")

    def once():
        if not os.path.exists("was here"):
            open("was here", "w").close()
            os._exit(0)

    DEEDS = [
        lambda: os._exit(0),
        lambda: ctypes.string_at(0),
        lambda: sys.exit(0),
        lambda: throw(KeyboardInterrupt),
        lambda: throw(GeneratorExit("enough")),
        lambda: throw(Own("own")),
        lambda: sum(range(10**15)),  # keeps the interpreter's lock
        speak,
        once,
    ]

    @python_agent(name="act", deed=Param(0, 0, 20))
    class Act:
        '''Does a deed in round 2.'''

        def __init__(self, deed):
            self.deed = DEEDS[deed]

        def act(self, view, legal, rng):
            return (self.deed() if view.round == 2 else None) or legal[0]

    @compiled_agent(name="spin")
    def spin(state, rules, params, memory, rng):
        '''Loops for ever, without the interpreter's lock.'''
        k = 0
        while state.players > 0:
            k += 1
        return k

    @compiled_agent(name="beyond")
    def beyond(state, rules, params, memory, rng):
        '''Asks for a legal action that there is not.'''
        return kth_legal(state, rules, 50)

    @compiled_agent(name="zero")
    def zero(state, rules, params, memory, rng):
        '''Chooses no action.'''
        return 0

    @compiled_agent(name="first")
    def first(state, rules, params, memory, rng):
        '''Takes the first legal action.'''
        return kth_legal(state, rules, 0)
"""
EXIT, CRASH, QUIT, KEYBOARD, GENERATOR, OWN, LOCK, SPEAK, ONCE = range(9)


bots = agents_file(BOTS)


def strozzi(words, folder, **environment):
    return subprocess.run(
        [sys.executable, "-m", "strozzi_sim", *shlex.split(words)], cwd=folder, capture_output=True, text=True,
        env={**os.environ, **environment}, timeout=300,
    )  # fmt: skip


def children(process):
    """Process numbers of the living children of a process, by /proc."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:  # gone meanwhile
            continue
        if int(parent) == process and state != "Z":
            found.append(int(folder.name))
    return found


def lives(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# -- what agents do -------------------------------------------------------------------------------------------------

FAULTS = [
    (f"act:deed={CRASH}", "ended its process with SIGSEGV"),
    (f"act:deed={QUIT}", "raised SystemExit: 0"),
    (f"act:deed={KEYBOARD}", "raised KeyboardInterrupt"),
    (f"act:deed={GENERATOR}", "raised GeneratorExit: enough"),
    (f"act:deed={OWN}", "raised Own: own"),
    (f"act:deed={LOCK}", f"did not answer within {SECONDS} s .STROZZI_DECISION_SECONDS sets the limit."),
    ("spin", f"did not answer within {SECONDS} s .STROZZI_DECISION_SECONDS sets the limit."),
    ("beyond", "raised IndexError: kth_legal: k must be between 0 and count_legal - 1"),
    ("act", "ended its process with exit code 0"),
]


QUICK = (f"act:deed={CRASH}", f"act:deed={QUIT}", "spin", "beyond", "act")


@pytest.mark.slow_for("spin")
@pytest.mark.slow_for("act")
@pytest.mark.slow_for("act:deed=1")
@pytest.mark.parametrize(
    ("name", "words"),
    [pytest.param(*each, marks=[] if each[0] in QUICK else pytest.mark.slow, id=each[0]) for each in FAULTS],
)
def test_whatever_an_agent_does_is_a_fault_that_says_where(name, words, bots, monkeypatch):
    if "did not answer" in words:
        monkeypatch.setenv("STROZZI_DECISION_SECONDS", SECONDS)
    match = Match(STROZZI, 3, (load_agent(f"{bots}::{name}"), load_agent("random")), BASE, 5, "rotate")
    tasks = [PlayTask(0, match, 4, 6)]
    fault = rf"bots.py::{name}' at seat \d {words}.*\(decision \d+ of strozzi, seed 5, deal [45], seating [0-2]\)"
    with pytest.raises(AgentFault, match=fault):
        list(play_tasks(tasks, 1, np.zeros(1, np.int64)))


def test_an_exception_is_not_blamed_on_a_later_agent_of_the_same_worker(bots):
    for name, words in (("beyond", "raised IndexError"), ("zero", "failed inside compiled code, or chose action 0")):
        match = Match(STROZZI, 3, (load_agent(f"{bots}::{name}"), load_agent("random")), BASE, 5, "rotate")
        with pytest.raises(AgentFault, match=words):
            list(play_tasks([PlayTask(0, match, 4, 5)], 1, np.zeros(1, np.int64)))


@pytest.mark.slow
def test_a_fault_of_a_dead_worker_names_the_very_decision(bots):
    """The replay command meets it again, at the same decision of the same seat."""
    match = Match(STROZZI, 3, (load_agent("random"), load_agent(f"{bots}::act:deed={QUIT}")), BASE, 5, "rotate")
    dying = Match(STROZZI, 3, (load_agent("random"), load_agent(f"{bots}::act")), BASE, 5, "rotate")
    places = []
    for each in (match, dying):
        with pytest.raises(AgentFault) as fault:
            list(play_tasks([PlayTask(0, each, 2, 3)], 1, np.zeros(1, np.int64)))
        text = str(fault.value)
        places.append((text.partition("at seat ")[2][0], text.partition("(decision ")[2].partition(" of")[0]))
    assert places[0] == places[1]


COMMANDS = [
    "balance strozzi --players 3 --agents {exit},random --deals 4 --workers 2 --json",
    "record strozzi --players 3 --agents {spin}",
    "bench strozzi --players 3 --agents {exit} --games 5 --workers 2",
    "exploit strozzi {exit} --players 3 --challengers greedy --deals 2 --workers 1",
    "leak-check strozzi {spin} --players 3 --deals 1",
]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_ends_with_3_and_one_line(command, bots, tmp_path):
    words = command.format(spin=f"{bots}::spin", exit=f"{bots}::act")
    done = strozzi(words, tmp_path, STROZZI_DECISION_SECONDS=SECONDS)
    assert (done.returncode, done.stderr.count("strozzi: error: agent ")) == (3, 1), done.stderr
    assert done.stderr.splitlines()[-1].startswith("strozzi: error: agent ")
    assert "--json" not in command or done.stdout == ""
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_an_import_may_do_its_worst(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MIN_SECONDS", 0.5)
    monkeypatch.setenv("STROZZI_DECISION_SECONDS", SECONDS)
    deeds = {
        "import os; os._exit(0)": "it ended its process with exit code 0",
        "import sys; sys.exit(0)": "SystemExit: 0",
        "raise KeyboardInterrupt": "KeyboardInterrupt",
        "import ctypes; ctypes.string_at(0)": "it ended its process with SIGSEGV",
        "while True: pass": "it takes longer than 0.5 s (STROZZI_DECISION_SECONDS sets the limit)",
    }
    for k, (deed, words) in enumerate(deeds.items()):
        file = tmp_path / f"{k}.py"
        file.write_text(deed)
        with pytest.raises(AgentFault) as fault:
            load_agent(f"{file}::any")
        assert str(fault.value) == f"agent file {file} does not import: {words}"


@pytest.mark.slow
def test_what_is_printed_goes_to_standard_error(bots, tmp_path):
    loud = tmp_path / "loud.py"
    loud.write_text("import os\nprint('imported')\nos.write(1, b'in C')\n" + Path(bots).read_text())
    done = strozzi(
        f"balance strozzi --players 3 --agents {loud}::act:deed={SPEAK} --deals 2 --json --workers 1", tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["games"] == 2
    assert {"said in Python", "said in C", "imported"} <= {
        line.removeprefix("in C") for line in done.stderr.splitlines()
    }


@pytest.mark.slow
def test_a_run_resumes_after_a_fault(bots, tmp_path):
    command = f"balance strozzi --players 3 --agents {bots}::{{}} --deals 6 --workers 1 --out kept"
    assert strozzi(command.format(f"act:deed={ONCE}"), tmp_path).returncode == 3
    done = strozzi(command.format(f"act:deed={ONCE}"), tmp_path)
    assert done.returncode == 0, done.stderr
    fresh = strozzi(command.format(f"act:deed={ONCE}").replace("kept", "fresh"), tmp_path)
    assert fresh.returncode == 0, fresh.stderr
    tables = [(tmp_path / name / "tables" / "seats.csv").read_bytes() for name in ("kept", "fresh")]
    assert tables[0] == tables[1]


# -- signals, and the end of the parent -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "workers", "agent"),
    [
        pytest.param(signal.SIGINT, 1, "spin", id="SIGINT"),
        pytest.param(signal.SIGTERM, 2, "spin", id="SIGTERM"),
        pytest.param(signal.SIGKILL, 1, "spin", id="SIGKILL"),
        pytest.param(signal.SIGKILL, 2, f"act:deed={LOCK}", id="SIGKILL-lock"),
    ],
)
def test_a_signal_ends_the_run_and_leaves_no_process_behind(number, workers, agent, bots, tmp_path):
    command = f"balance strozzi --players 3 --agents {bots}::{agent},random --deals 8 --workers {workers} --out kept"
    run = subprocess.Popen(
        [sys.executable, "-m", "strozzi_sim", *shlex.split(command)], cwd=tmp_path, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, "STROZZI_DECISION_SECONDS": "600"},
    )  # fmt: skip
    wait_until((tmp_path / "kept" / "study.json").exists)
    wait_until(lambda: len(children(run.pid)) == workers and min(map(cpu_seconds, children(run.pid))) > 1)
    started = children(run.pid)
    run.send_signal(number)
    _, said = run.communicate(timeout=600)
    assert run.returncode == (-number if number == signal.SIGKILL else 128 + number)
    if number != signal.SIGKILL:
        assert said.splitlines()[-1].startswith("strozzi: error: interrupted by SIG")
        assert "Traceback" not in said
    wait_until(lambda: not any(map(lives, started)))


def cpu_seconds(process):
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_signal_that_comes_while_llvm_compiles_is_answered_a_little_later():
    """A callback from C code cannot raise: what it raises is printed and forgotten."""
    callback = {"__name__": "llvmlite.binding", "signal": signal}
    exec("def call():\n    signal.raise_signal(signal.SIGINT)\n", callback)

    def interrupted():
        with stop_flag():
            callback["call"]()
            time.sleep(60)

    with pytest.raises(KeyboardInterrupt):
        interrupted()


def test_so_is_one_that_comes_before_anything_is_played():
    callback = {"__name__": "llvmlite.binding", "signal": signal}
    exec("def call():\n    signal.raise_signal(signal.SIGTERM)\n", callback)
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        callback["call"]()
        with pytest.raises(Stopped) as stopped:
            time.sleep(60)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert stopped.value.signal_number == signal.SIGTERM


@pytest.mark.slow
def test_results_that_nobody_waits_for_are_given_up_without_a_word(bots, recwarn):
    match = Match(STROZZI, 3, (load_agent(f"{bots}::first"),), BASE, 5)
    results = play_tasks((PlayTask(k, match, k, k + 1) for k in range(20)), 2, np.zeros(1, np.int64))
    next(results)
    time.sleep(0.3)  # others are ready as well
    results.close()
    assert not recwarn.list


# -- workers --------------------------------------------------------------------------------------------------------


def stand_still():
    with active_heartbeat(heartbeat()):
        time.sleep(600)


def think_long():
    time.sleep(1.5)  # at work for nobody: compiling, say
    return is_worker()


def start_stubborn(pid_file, deed):
    """Start a program that only SIGKILL ends, then do `deed`."""
    program = subprocess.Popen(["sh", "-c", "trap '' IO TERM; echo; exec sleep 600"], stdout=subprocess.PIPE)
    program.stdout.readline()
    Path(pid_file).write_text(str(program.pid))
    deed()


def fork():
    """Return in the copy first, which must not reply."""
    copy = os.fork()
    if copy:
        os.waitpid(copy, 0)
    return copy


def write_everywhere():
    for descriptor in range(3, 256):
        with suppress(OSError):
            os.write(descriptor, bytes([0, 0, 0, 1, 120]))


def own_number():
    return os.getpid(), os.environ.get("OMP_NUM_THREADS"), os.environ.get("MOOD"), os.getcwd()


@pytest.mark.slow
def test_only_a_worker_whose_agents_stand_still_is_ended(monkeypatch):
    assert not is_worker()
    assert call_in_worker(think_long, seconds=0.1)
    with pytest.raises(Hung, match=r"did not answer within 0\.1 s") as hung:
        call_in_worker(stand_still, seconds=0.1)
    assert hung.value.beat["busy"][0] == 1
    with pytest.raises(WorkerDied, match="ended its process with exit code 4"):
        call_in_worker(os._exit, 4, seconds=60)
    with pytest.raises(Cancelled):
        call_in_worker(think_long, seconds=60, is_cancelled=lambda: True)


def test_what_is_called_beside_a_block_ends_with_it(tmp_path):
    file = tmp_path / "done"
    write, end = partial(file.write_text, "by a worker"), partial(os._exit, 4)
    with run_beside([write, end]):  # the end of a worker is nobody's concern
        pass
    assert file.read_text() == "by a worker"
    began = time.monotonic()
    with pytest.raises(KeyError), run_beside([partial(time.sleep, 600)]):
        raise KeyError
    assert time.monotonic() - began < 300  # it is killed


def test_the_whole_process_group_ends_with_a_worker(tmp_path):
    file = tmp_path / "pid"
    with pytest.raises(WorkerDied, match="ended its process with exit code 0"):
        call_in_worker(start_stubborn, str(file), partial(os._exit, 0), seconds=60)
    assert time.time() - file.stat().st_mtime < 120  # the program sleeps for ten minutes
    wait_until(lambda: not lives(int(file.read_text())))


def test_what_a_copy_of_the_worker_or_c_code_writes_is_no_reply():
    assert call_in_worker(fork, seconds=60) > 0
    assert call_in_worker(is_worker, seconds=60)
    with pytest.raises(WorkerDied, match="wrote to the line between its process and the parent"):
        call_in_worker(write_everywhere, seconds=60)


def test_a_worker_is_used_again_as_this_process_is_now(monkeypatch, tmp_path):
    first = call_in_worker(own_number, seconds=60)
    monkeypatch.setenv("MOOD", "sunny")
    monkeypatch.chdir(tmp_path)
    again = call_in_worker(own_number, seconds=60)
    assert first[0] == again[0] != os.getpid()
    assert again[1:] == ("1", "sunny", str(tmp_path))


@pytest.mark.slow
def test_an_agent_made_in_code_is_compiled_once_a_worker():
    @compiled_agent(name="made")
    def made(state, rules, params, memory, rng):
        return kth_legal(state, rules, 0)

    match = Match(STROZZI, 3, (spec_of(made),), BASE, 5)
    expected = [match.play(k, k + 1).outcome.tobytes() for k in range(3)]
    tasks = [PlayTask(k, match, k, k + 1) for k in range(3)]
    played = {task.key: part.outcome.tobytes() for task, part in play_tasks(tasks, 1, np.zeros(1, np.int64))}
    assert [played[k] for k in range(3)] == expected
    assert call_in_worker(count_compiled, "made", seconds=60) == 1


def count_compiled(name):
    from strozzi_sim.agent.compile import _compiled

    return sum(agent.name == name for agent, _ in _compiled.values())


def test_a_worker_told_goodbye_ends_by_itself():
    worker = Worker()
    worker.end(60)
    assert worker._process.returncode == 0
