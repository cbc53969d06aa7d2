"""Agents in Python: they play as their compiled twins, in any batch, and every fault ends the run with words."""

import dataclasses
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import textwrap
import time
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from our_games import OUR_GAMES
from paths import ROOT
from strozzi_games import BASE, STROZZI, SWITCHES
from strozzi_sim.agent import Choice, Param, compiled_agent, load_agent, python_agent, spec_of
from strozzi_sim.agent.python import BATCH_SIZE
from strozzi_sim.errors import AgentFault, InputError, Stopped
from strozzi_sim.game import load_game
from strozzi_sim.game.contract import count_legal, kth_legal
from strozzi_sim.game.variants import from_changes
from strozzi_sim.games.strozzi.view import OBSERVATION
from strozzi_sim.play.position import Position
from strozzi_sim.simulation import mixed
from strozzi_sim.simulation.match import Match

DOCUMENT = (ROOT / "docs" / "agents.md").read_text()


@python_agent(name="uniform-act", stochastic=True)
class UniformAct:
    """The twin of `random`, one decision at a time."""

    def act(self, view, legal, rng):
        return legal[rng.below(len(legal))]


@python_agent(name="uniform-batch", stochastic=True)
class UniformBatch:
    """The twin of `random`, by batches."""

    def act_batch(self, observations, legal, rng):
        count = legal.sum(axis=1).astype(np.uint64)
        k = ((rng >> np.uint64(32)) * count) >> np.uint64(32)
        return (legal.cumsum(axis=1) > k.astype(np.int64)[:, None]).argmax(axis=1)


@python_agent(name="rememberer")
class Rememberer:
    """Counts its own decisions; its choice depends on the count."""

    def __init__(self):
        self.seat, self.count = None, 0

    def act(self, view, legal, rng):
        assert self.seat in (None, view.seat)
        self.seat = view.seat
        self.count += 1
        return legal[self.count % len(legal)]


COUNT = np.dtype([("count", "i8")])


@compiled_agent(name="counter", memory=COUNT)
def counter(state, rules, params, memory, rng):
    """The compiled twin of `rememberer`."""
    from_zero = memory.count + 1
    memory.count = from_zero
    return kth_legal(state, rules, from_zero % count_legal(state, rules))


def match(*agents, players=4, variant=BASE, seatings="rotate", game=STROZZI, seed=5):
    specs = tuple(load_agent(a) if isinstance(a, str) else spec_of(a) for a in agents)
    return Match(game, players, specs, variant, seed, seatings)


def results(played):
    return [part.tobytes() for part in (played.outcome, played.counts, played.rows)] + [played.games]


def journal_of(match, deal):
    """The journal of a deal in its first seating."""
    journal = match.play(deal, deal + 1, seating=0, journal=True).journal
    return journal["rows"][0, : int(journal["count"][0])].tolist()


# -- the same games as compiled agents play --------------------------------------------------------------------------


@pytest.mark.slow_for("5")
@pytest.mark.slow_for("1-act", "1-batch", "4096-act", "4096-batch")
@pytest.mark.parametrize("twin", [UniformAct, UniformBatch], ids=["act", "batch"])
@pytest.mark.parametrize("slots", [1, 5, 4096])
def test_a_twin_of_a_compiled_agent_plays_the_same_games(twin, slots, monkeypatch):
    monkeypatch.setattr(mixed, "MAX_SLOTS", slots)
    deals = 4 if twin is UniformAct else 12
    expected = match("random").play(3, 3 + deals, rows=True)
    played = match(twin).play(3, 3 + deals, rows=True)
    assert results(played) == results(expected)
    last = 2 + deals
    assert journal_of(match(twin), last) == journal_of(match("random"), last)


@pytest.mark.parametrize("players", [3, 5, 6])
def test_all_kinds_at_one_table(players):
    expected = match("random", "greedy", "random", players=players).play(0, 8, rows=True)
    together = match(UniformBatch, "greedy", UniformAct, players=players)
    assert results(together.play(0, 8, rows=True)) == results(expected)


def test_other_components():
    variant = from_changes(STROZZI, "flipped", SWITCHES["all-flipped"], "test")
    expected = match("random", variant=variant).play(0, 20, rows=True)
    assert results(match(UniformBatch, variant=variant).play(0, 20, rows=True)) == results(expected)


def test_what_an_instance_remembers_is_one_seat_of_one_game():
    compiled = match(counter).play(0, 6, rows=True)
    assert results(match(Rememberer).play(0, 6, rows=True)) == results(compiled)


def test_which_decisions_meet_in_a_call_and_where_is_made_by_match_and_deals_alone(monkeypatch):
    def calls(deals, log=None):
        seen = []

        @python_agent(name="listener")
        class Listener:
            def act_batch(self, observations, legal, rng):
                seen.append((observations.shape, observations.ctypes.data % 64, rng.copy()))
                return legal.argmax(axis=1)

        spec = spec_of(Listener)
        monkeypatch.setattr(mixed, "LOG", log or mixed.LOG)
        Match(STROZZI, 4, (spec, load_agent("random")), BASE, 5, "rotate").play(*deals)
        assert {(shape, place) for shape, place, _ in seen} == {((BATCH_SIZE, OBSERVATION), 0)}
        return np.concatenate([words for *_, words in seen]).tolist()

    expected = calls((3, 83))
    assert sum(word > 0 for word in expected[:BATCH_SIZE]) > 150  # games are stepped together
    assert calls((3, 83)) == expected
    assert calls((3, 83), log=1) == expected  # however often the log has to grow
    assert calls((0, 80)) != expected


def test_every_call_of_a_batch_moves_the_heartbeat(monkeypatch):
    begun, calls = [], []
    begin = mixed.begin_decision
    monkeypatch.setattr(mixed, "begin_decision", lambda *decision: begin(*decision) or begun.append(decision[1:]))

    @python_agent(name="counts-beats")
    class CountsBeats:
        def act_batch(self, observations, legal, rng):
            calls.append(len(begun))
            return legal.argmax(axis=1)

    match(CountsBeats, "random").play(0, BATCH_SIZE // 2)  # 512 games: two calls for one wait of all slots
    assert calls == list(range(1, len(calls) + 1))


def test_linear_algebra_has_one_thread_while_an_agent_thinks():
    counts = []

    @python_agent(name="counts-threads")
    class CountsThreads:
        def act_batch(self, observations, legal, rng):
            counts.extend(each["num_threads"] for each in threadpool_info())
            return legal.argmax(axis=1)

    before = [each["num_threads"] for each in threadpool_info()]
    assert match(CountsThreads).play(0, 1, seating=0).games == 1
    Position(STROZZI, 4, seed=5, deal=2).ask(spec_of(CountsThreads))
    assert counts
    assert set(counts) == {1}
    assert [each["num_threads"] for each in threadpool_info()] == before


def test_where_something_is_hidden_agents_see_a_concealed_copy():
    hiding = dataclasses.replace(BASE, hidden=True)
    lineup = (UniformBatch, "greedy", UniformAct, "random")
    assert results(match(*lineup, variant=hiding).play(0, 4, rows=True)) == results(
        match(*lineup).play(0, 4, rows=True)
    )


def test_a_stop_ends_play_between_games():
    stop = np.ones(1, np.int64)
    assert match(UniformBatch).play(0, 5, stop=stop).games == 0


@pytest.mark.slow
def test_a_table_asks_them_too():
    for player in ("random", UniformAct, UniformBatch):
        table = Position(STROZZI, 4, seed=5, deal=2)
        spec = load_agent(player) if isinstance(player, str) else spec_of(player)
        while not table.over:
            table.play(table.ask(spec))
        if player == "random":
            expected = table.journal.tolist()
        assert table.journal.tolist() == expected


def test_a_view_shows_the_components_and_nobody_can_change_them():
    seen = []

    @python_agent(name="reader")
    class Reader:
        def act(self, view, legal, rng):
            seen.append(view)
            return legal[0]

    match(Reader).play(0, 1)
    components = seen[0].components
    assert components["ships"][0]["sail"] == BASE.components["ships"][0]["sail"]
    with pytest.raises(TypeError):
        components["ships"][0]["sail"] = 99


def test_empty_rows_fill_a_batch_up():
    shapes = []

    @python_agent(name="looker")
    class Looker:
        def act_batch(self, observations, legal, rng):
            empty = legal[:, 0].copy()
            shapes.append((observations.dtype, len(observations), int((~empty).sum())))
            assert not observations[empty].any()
            assert not rng[empty].any()
            assert legal[~empty].sum(axis=1).min() >= 2
            last = 14 - legal[:, ::-1].argmax(axis=1)
            legal[:] = True  # a copy
            return np.where(observations[:, 2] > 0, 100, last)  # at a port

    with pytest.raises(AgentFault, match="chose the illegal action 100"):
        match(Looker).play(0, 30)
    assert {(dtype, size) for dtype, size, _ in shapes} == {(np.dtype("f4"), BATCH_SIZE)}
    assert {rows < BATCH_SIZE for *_, rows in shapes} == {True}


# -- declaring -------------------------------------------------------------------------------------------------------


def test_init_and_declared_parameters_agree():
    def declare(init, **params):
        return python_agent("asks", **params)(
            type("Asks", (), {"__init__": init, "act": lambda self, view, legal, rng: legal[0]})
        )

    with pytest.raises(
        InputError, match=r"asks: __init__ does not fit .*\(none\): missing a required argument: 'depth'; the"
    ):
        declare(lambda self, depth: None)
    with pytest.raises(InputError, match=r"asks: __init__ does not fit .*\(depth\): got an unexpected .*'depth'; the"):
        declare(lambda self: None, depth=3)
    declare(lambda self, depth, width=2: None, depth=3)
    declare(lambda self, **values: None, depth=3)


def test_parameters_and_kinds():
    @python_agent(name="tuned", players=(4,), level=Param(2, 0, 5), style=Choice("calm", ("calm", "wild")))
    class Tuned:
        """Has parameters."""

        def __init__(self, level, style):
            assert (level, style) == (3, "wild")

        def act(self, view, legal, rng):
            return legal[0]

    spec = spec_of(Tuned, style="wild", level=3)
    assert (spec.text, spec.agent.kind) == ("tuned:level=3,style=wild", "act")
    assert Match(STROZZI, 4, (spec,), BASE, 1).play(0, 1).games == 1
    assert UniformBatch.kind == "batch"
    with pytest.raises(InputError, match="must be between 0 and 5"):
        spec_of(Tuned, level=9)
    with pytest.raises(InputError, match="does not play strozzi with 3 players"):
        match(Tuned, players=3)


def test_two_agents_of_one_name_each_play_as_themselves():
    class Ends:
        """Takes the first legal action, or the last."""

        def __init__(self, last):
            self.last = last

        def act_batch(self, observations, legal, rng):
            return legal.shape[1] - 1 - legal[:, ::-1].argmax(axis=1) if self.last else legal.argmax(axis=1)

    first, last = (python_agent(name="ends")(Ends(which)) for which in (False, True))
    both = match(first, last).play(0, 5).outcome
    alone = [match(each).play(0, 5).outcome for each in (first, last)]
    assert both.tobytes() not in [each.tobytes() for each in alone]
    other = python_agent(name="another")(Ends(True))
    assert both.tobytes() == match(first, other).play(0, 5).outcome.tobytes()


# -- faults ----------------------------------------------------------------------------------------------------------


def faulty(kind, body, init="pass"):
    """A file with one agent, `bad`, whose method does `body`."""
    head = "act(self, view, legal, rng)" if kind == "act" else "act_batch(self, observations, legal, rng)"
    return textwrap.dedent(f"""
        import os, time
        import numpy as np
        from strozzi_sim.agent import python_agent

        @python_agent(name="bad")
        class Bad:
            def __init__(self):
                {init}

            def {head}:
                {body}
    """)


FAULTS = [
    ("act", "return 1.0", r"returned 1\.0, a float"),
    ("act", "return None", r"returned None, a NoneType"),
    ("act", "return 0", r"chose the illegal action 0; legal: 1, "),
    ("act", "return 10**30", r"chose the illegal action 10{30}"),
    ("act", "raise KeyError('no such ship')", r"raised KeyError: 'no such ship'"),
    ("act", "return type('X', (), {'__repr__': lambda self: 1 // 0})()", r"returned an object whose repr fails"),
    ("act", "raise type('X', (Exception,), {'__str__': lambda self: 1 // 0})", r"raised X, whose text raised Zero"),
    ("batch", "return legal.argmax(axis=1)[:-1]", r"returned an array of int64\[255\] for a batch; .*\[256\]"),
    ("batch", "return legal.argmax(axis=1) * 1.0", r"returned an array of float64\[256\]"),
    ("batch", "return type('X', (), {'__array__': lambda self, *a, **k: 1 // 0})()", r"raised ZeroDivisionError"),
    ("batch", "return None", r"returned an array of object\[\]"),
    ("batch", "return np.full(len(legal), 14)", r"chose the illegal action 14; legal: 1, "),
]


@pytest.mark.parametrize(("kind", "body", "words"), FAULTS, ids=[f"{kind}: {body}" for kind, body, _ in FAULTS])
def test_a_fault_names_the_agent_and_the_game(kind, body, words, tmp_path):
    file = tmp_path / "bots.py"
    file.write_text(faulty(kind, body))
    with pytest.raises(AgentFault, match=words) as fault:
        match(f"{file}::bad", "random", seatings="rotate").play(7, 9)
    text = str(fault.value)
    assert re.search(r"bots\.py::bad' at seat [0-3] ", text)
    assert re.search(r"decision \d+ of strozzi, seed 5, deal [78], seating [0-3]\)", text)


def test_an_agent_that_cannot_be_made(tmp_path):
    file = tmp_path / "bots.py"
    file.write_text(faulty("act", "return legal[0]", init="raise OSError('no weights')"))
    with pytest.raises(AgentFault, match=r"raised OSError: no weights \(decision 0"):
        match(f"{file}::bad").play(0, 1)


def test_a_compiled_agents_fault_beside_one_in_python():
    @compiled_agent(name="sour")
    def sour(state, rules, params, memory, rng):
        return 99

    with pytest.raises(AgentFault) as alone:
        match("random", sour).play(2, 3, seating=1)
    with pytest.raises(AgentFault) as beside:
        match(UniformBatch, sour).play(2, 3, seating=1)
    assert str(beside.value) == str(alone.value).replace("random", "uniform-batch")


@pytest.mark.parametrize("body", ["while True: pass", "time.sleep(1e6)"])
def test_an_agent_that_hangs(body, tmp_path, monkeypatch):
    file = tmp_path / "bots.py"
    guarded = f"""try:
                    {body}
                except Exception:
                    return 1"""
    file.write_text(faulty("act", guarded))
    monkeypatch.setenv("STROZZI_DECISION_SECONDS", "0.3")
    with pytest.raises(AgentFault, match=r"did not answer within 0\.3 s .*replay: strozzi record"):
        match(f"{file}::bad").play(0, 1)


HANGS = """
from strozzi_sim.agent.python import TimeLimit

class Bot:
    def act(self, *_):
        sum(range(10**12))  # C code that holds the lock and looks at no signal

with TimeLimit() as clock:
    clock.call(Bot().act)
"""


@pytest.mark.slow
def test_a_call_that_hangs_in_c_ends_the_process_with_its_place():
    environment = {**os.environ, "STROZZI_DECISION_SECONDS": "0.1"}
    done = subprocess.run([sys.executable, "-c", HANGS], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "in act" in done.stderr


def test_the_limit_is_a_number_of_seconds(monkeypatch):
    monkeypatch.setenv("STROZZI_DECISION_SECONDS", "soon")
    with pytest.raises(InputError, match="STROZZI_DECISION_SECONDS: must be a positive number of seconds"):
        match(UniformAct).play(0, 1)


@pytest.mark.slow
@pytest.mark.slow_for("batch", "bench", "leak-check")
@pytest.mark.parametrize(
    ("kind", "command"),
    [
        pytest.param("act", "record strozzi --games 1", id="act"),
        pytest.param("batch", "record strozzi --games 1", id="batch"),
        pytest.param("act", "bench strozzi --games 2 --workers 1", id="bench"),
        pytest.param("act", "leak-check strozzi AGENT --deals 1", id="leak-check"),
    ],
)
def test_code_that_never_comes_back_ends_with_3_without_workers_too(kind, command, tmp_path):
    file = tmp_path / "bots.py"
    file.write_text(faulty(kind, "sum(range(10**15))"))  # keeps the interpreter's lock
    words = shlex.split(command.replace("AGENT", f"{file}::bad"))
    if words[0] != "leak-check":
        words += ["--agents", f"{file}::bad"]
    done = subprocess.run(
        [sys.executable, "-m", "strozzi_sim", *words], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "STROZZI_DECISION_SECONDS": "0.3"}, timeout=120,
    )  # fmt: skip
    assert done.returncode == 3
    assert "leak" not in done.stdout
    said = f"strozzi: error: agent '{file}::bad' at seat 0 did not answer within 0.3 s (STROZZI_DECI"
    assert done.stderr.splitlines()[-1].startswith(said)
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_call_that_comes_back_is_left_alone(monkeypatch):
    @python_agent(name="late")
    class Late:
        def act(self, view, legal, rng):
            time.sleep(0.05)
            return legal[0]

    monkeypatch.setenv("STROZZI_DECISION_SECONDS", "1")  # all calls together take far longer than twice the limit
    assert match(Late).play(0, 1, seating=0).games == 1
    time.sleep(2.5)  # and nobody barks between calls


def test_a_signal_is_no_fault_of_the_agent_that_was_thinking():
    @python_agent(name="interrupted")
    class Thinking:
        def act(self, view, legal, rng):
            raise Stopped(signal.SIGTERM)

    with pytest.raises(Stopped):
        match(Thinking).play(0, 1)


# -- the document's examples -----------------------------------------------------------------------------------------

KINDS = {"cargo": "compiled", "loader": "compiled", "shipper": "batch", "sampler": "batch", "saver": "act"}
WITHOUT_TORCH = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
NAMES = [pytest.param(name, marks=WITHOUT_TORCH if name == "sampler" else ()) for name in KINDS if name != "loader"]


def example(name):
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
    (text,) = [block for block in blocks if f'name="{name}"' in block]
    return text


@pytest.mark.parametrize("name", [*NAMES, "loader"])
def test_an_example_plays_from_a_file(name, tmp_path):
    file = tmp_path / "bots.py"
    file.write_text(example(name))
    deals = 3 if KINDS[name] == "act" else 40
    lineup = match(f"{file}::{name}", "random")
    assert results(lineup.play(0, deals, rows=True)) == results(lineup.play(0, deals, rows=True))
    assert lineup.lineup[0].agent.kind == KINDS[name]


def test_the_examples_say_something():
    for name, thing in (("cargo", "cargo"), ("shipper", "Shipper")):
        exec(example(name), found := {"__name__": "example", "__file__": __file__})
        wins = match(found[thing], "random").play(0, 100).outcome["wins"][0].sum(axis=1)
        assert wins[0] + wins[2] > wins[1] + wins[3], name


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The examples as a package of their own, installed into a folder of its own."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    (block,) = re.findall(r"```toml\n(.*?)```", DOCUMENT, re.DOTALL)
    (source / "pyproject.toml").write_text(block)
    folder = source / "my_strozzi_bots"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    for name in ("cargo", "shipper", "sampler", "saver"):
        (folder / f"{name}.py").write_text(example(name))
    modern = find_spec("setuptools") and int(version("setuptools").split(".")[0]) >= 71  # it makes wheels by itself
    alone = ["--no-build-isolation"] if modern else []
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", *alone, "--target", str(target), str(source)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return target


@pytest.mark.parametrize("game", OUR_GAMES)
def test_the_page_lists_every_field_of_a_view_and_names_fields_of_the_state(game):
    view = [field.name for field in dataclasses.fields(load_game(game).view.View)]
    assert f"- {game}: {', '.join(f'`{name}`' for name in view)}\n" in DOCUMENT
    in_state, in_view = re.search(rf"^\| {game} \| (.*) \| (.*) \|$", DOCUMENT, re.MULTILINE).groups()
    assert set(re.findall(r"`(\w+)", in_state)) <= set(load_game(game).state.names)
    assert set(re.findall(r"`(\w+)", in_view)) <= set(view)


@pytest.mark.slow
@pytest.mark.nightly_for("sampler", "saver")
@pytest.mark.parametrize("name", NAMES)
def test_an_example_plays_from_a_package(name, package, tmp_path):
    def strozzi(*arguments):
        command = [sys.executable, "-m", "strozzi_sim", *arguments, "--json"]
        environment = {**os.environ, "PYTHONPATH": str(package)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    (entry,) = strozzi("agents", name)
    assert (entry["name"], entry["kind"], entry["games"]) == (name, KINDS[name], ["strozzi"])
    tables = strozzi(*f"balance strozzi --players 4 --agents {name},random --deals 4 --workers 1".split())
    assert {row["agent"] for row in tables["tables"]["lineup"]} >= {name, "random"}
