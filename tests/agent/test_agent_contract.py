"""The agent contract: spec strings, the registry, agents from files, faults."""

import linecache
import pickle
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import cloudpickle
import numpy as np
import pytest
from joblib.externals.loky.backend.reduction import dumps

from agent_files import agents_file
from strozzi_games import BASE, STROZZI
from strozzi_sim.agent import (
    Choice,
    File,
    Param,
    Policy,
    compiled_agent,
    load_agent,
    spec_of,
    split_specs,
)
from strozzi_sim.agent import registry as contract
from strozzi_sim.agent.compile import compile_agent
from strozzi_sim.agent.registry import agents, installed_agents
from strozzi_sim.agent.spec_text import split_file
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.game.contract import count_legal, kth_legal
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.match import Match

BOTS = """
    from strozzi_sim.agent import Param, compiled_agent
    from strozzi_sim.game.contract import kth_legal, count_legal

    @compiled_agent(name="first", games=("strozzi",))
    def first(state, rules, params, memory, rng):
        '''Takes the first legal action.'''
        return kth_legal(state, rules, 0)

    @compiled_agent(name="tilted", games=("strozzi",), margin=2.0, depth=Param(3, 1, 9))
    def tilted(state, rules, params, memory, rng):
        '''Takes the last legal action if its margin is high.'''
        return kth_legal(state, rules, count_legal(state, rules) - 1 if params.margin > 2 else 0)

    @compiled_agent(name="bad", games=("strozzi",))
    def bad(state, rules, params, memory, rng):
        '''Chooses what is not there.'''
        return 99

    @compiled_agent(name="raises", games=("strozzi",))
    def raises(state, rules, params, memory, rng):
        '''Reads beyond the end of an array.'''
        return state.hand[state.round + 77]

    @compiled_agent(name="scribbler", games=("strozzi",))
    def scribbler(state, rules, params, memory, rng):
        '''Writes to the state it was handed.'''
        for seat in range(6):
            state.coins[seat] = 500
        return kth_legal(state, rules, 0)

    @compiled_agent(name="lawyer", games=("strozzi",))
    def lawyer(state, rules, params, memory, rng):
        '''Writes to the rules.'''
        rules.ship_prize[0] = 500
        return kth_legal(state, rules, 0)

    @compiled_agent(name="six", games=("strozzi",), players=(6,))
    def six(state, rules, params, memory, rng):
        '''Plays with six only.'''
        return kth_legal(state, rules, 0)
"""


bots = agents_file(BOTS)


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("greedy", ["greedy"]),
        ("greedy,random", ["greedy", "random"]),
        ("greedy:margin=4,pirate_margin=2,random", ["greedy:margin=4,pirate_margin=2", "random"]),
        ("a:x=1,b:y=2,z=3", ["a:x=1", "b:y=2,z=3"]),
        ("mc:rollout=(heuristic:margin=3,depth=2),random", ["mc:rollout=(heuristic:margin=3,depth=2)", "random"]),
        ("bots.py::careful:margin=3,random", ["bots.py::careful:margin=3", "random"]),
        ("random,/my (old)/bots.py::careful:margin=3", ["random", "/my (old)/bots.py::careful:margin=3"]),
    ],
)
def test_lists_of_agents(text, specs):
    assert split_specs(text) == specs


@pytest.mark.parametrize(
    ("text", "file", "rest"),
    [
        (r"C:\Program Files (x86)\bots.py::careful:margin=3", r"C:\Program Files (x86)\bots.py", "careful:margin=3"),
        (r"D:bots.py::careful:policy=(E:\b.py::bold:x=1)", "D:bots.py", r"careful:policy=(E:\b.py::bold:x=1)"),
        ("mc:rollout=(a b.py::careful)", "", "mc:rollout=(a b.py::careful)"),
    ],
)
def test_the_file_of_an_agent_is_any_path(text, file, rest):
    assert split_file(text) == (file, rest)


@pytest.mark.parametrize("text", ["a,,b", "a,", "mc:x=(1,2", "mc:x=1),b"])
def test_bad_lists_are_refused(text):
    with pytest.raises(InputError):
        split_specs(text)


def test_the_canonical_form_names_what_differs_from_the_default_in_order(bots):
    assert load_agent(f"{bots}::tilted:margin=2.0").text == f"{bots}::tilted"
    assert load_agent(f"{bots}::tilted:margin=3.50,depth=4").text == f"{bots}::tilted:depth=4,margin=3.5"
    assert load_agent("greedy:pirate_margin=7,margin=3").text == "greedy:margin=3,pirate_margin=7"
    assert load_agent(f"{bots}::tilted:depth=4,margin=2").text == f"{bots}::tilted:depth=4"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("grdy", "unknown agent 'grdy'; known: .*greedy.*random"),
        ("greedy:margn=3", "no parameter 'margn'; known: margin"),
        ("greedy:margin", "expected KEY=VALUE"),
        ("greedy:margin=much", "must be a whole number, got 'much'"),
        ("greedy:margin=-1", "must be between 0 and"),
        ("heuristic:speed=fast", "must be a number, got 'fast'"),
        ("heuristic:speed=nan", "speed must be a number, got 'nan'"),
        ("greedy:margin=1,margin=2", "given twice"),
        ("random:x=1", "no parameter 'x'; it has no parameters"),
        ("nowhere.py::x", "no file 'nowhere.py'"),
    ],
)
def test_bad_specs_say_what_is_allowed(text, words):
    with pytest.raises(InputError, match=words):
        load_agent(text)


def test_agents_in_files(bots, tmp_path):
    assert load_agent(f"{bots}::tilted:depth=9").values == {"margin": 2.0, "depth": 9}
    with pytest.raises(InputError, match="must be a whole number"):
        load_agent(f"{bots}::tilted:depth=2.5")
    with pytest.raises(InputError, match=r"declares no agent 'none'; it has: first, tilted"):
        load_agent(f"{bots}::none")
    broken = tmp_path / "broken.py"
    broken.write_text("import nothing_of_that_name\n")
    with pytest.raises(AgentFault, match="does not import: ModuleNotFoundError"):
        load_agent(f"{broken}::x")


@pytest.mark.slow
def test_a_file_that_was_edited_plays_as_it_is_now(tmp_path):
    file, plays = tmp_path / "edited.py", {}
    for place in ("0", "count_legal(state, rules) - 1", "0"):
        file.write_text(
            "from strozzi_sim.agent import compiled_agent\n"
            "from strozzi_sim.game.contract import count_legal, kth_legal\n"
            "@compiled_agent(name='mine', games=('strozzi',))\n"
            f"def mine(state, rules, params, memory, rng):\n    return kth_legal(state, rules, {place})\n"
        )
        played = Match(STROZZI, 4, (load_agent(f"{file}::mine"),), BASE, 1).play(0, 4, rows=True).rows.tobytes()
        assert plays.setdefault(place, played) == played
    assert len(set(plays.values())) == 2


def test_parameters_reach_the_agent(bots):
    def rows(spec):
        return Match(STROZZI, 4, (load_agent(spec),), BASE, 1).play(0, 20, rows=True).rows

    assert rows(f"{bots}::tilted").tobytes() == rows(f"{bots}::first").tobytes()
    assert rows(f"{bots}::tilted:margin=3").tobytes() != rows(f"{bots}::first").tobytes()


def test_every_registered_agent_loads_under_its_name():
    assert "random" in agents()
    for agent, games in installed_agents():
        assert games
        assert all(load_agent(agent.name, game).agent is agent for game in games)
        if not spec_of(agent, games[0]).builtin:
            continue
        assert agent.description.endswith(".")
        for param in agent.params.values():
            if not isinstance(param, Param):
                continue
            assert param.low <= param.default <= param.high


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"depth": Param(3, 5, 9)}, "default 3 outside 5 to 9"),
        ({"depth": "deep"}, "must be a number"),
        ({"pace": Choice("fast", ("slow", "quick"))}, "parameter pace: default 'fast' is not one of slow, quick"),
        ({"games": "strozzi"}, "agent x: games must be a list of names, got 'strozzi'"),
        ({"players": 3}, "agent x: players must be a list of player counts, got 3"),
        *(({"files": files}, "agent x: files must be a list of file names, got") for files in ("weights.npy", [3])),
        *(
            ({"memory": memory}, "agent x: memory: expected a dtype with named fields, or a function")
            for memory in (np.dtype("i8"), 64, "i8", [("count", "i8")])
        ),
    ],
)
def test_a_wrong_declaration_is_refused(declared, words):
    with pytest.raises(InputError, match=words):
        compiled_agent(name="x", **declared)(lambda state, rules, params, memory, rng: 0)
    with pytest.raises(InputError, match=r"expected a function of \(state, .*, rng\), got \(state, rng\)"):
        compiled_agent(name="x")(lambda state, rng: 0)


def test_a_memory_of_any_length_is_aligned():
    def compiled(align):
        memory = np.dtype([("used", "u1"), ("worth", "f8", (4,))], align=align)

        @compiled_agent(name="long", memory=memory, any_length=True)
        def long(state, rules, params, memory, rng):
            memory.worth[3] = 1.0
            return kth_legal(state, rules, 0)

        return compile_agent(spec_of(long), STROZZI)

    assert compiled(True).memory.itemsize == 40
    with pytest.raises(InputError, match="must have align=True"):
        compiled(False)


def test_a_file_may_come_with_an_agent(tmp_path):
    file = tmp_path / "shipped.txt"
    param = File("", shipped=file)
    with pytest.raises(InputError, match="no file ''"):
        param.parse("")
    file.write_text("x")
    assert param.parse("") == ""
    assert param.file("") == file


def test_threads_pickle_an_agent_one_after_another(monkeypatch):
    """numba names a function when it is first pickled, and asserts that no other thread has."""
    spec = spec_of(replace(load_agent("heuristic").agent, stochastic=True))
    inside, most, whole = [], [], cloudpickle.dumps

    def slow(parts):
        inside.append(None)
        most.append(len(inside))
        time.sleep(0.05)
        inside.pop()
        return whole(parts)

    monkeypatch.setattr(cloudpickle, "dumps", slow)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(pickle.dumps, [spec, spec]))
    assert most == [1, 1]


def test_an_agent_of_ones_own_stays_itself_on_the_way_to_workers():
    known = load_agent("heuristic").agent
    own = replace(known, stochastic=True)
    assert pickle.loads(dumps(spec_of(own))).agent.stochastic
    assert spec_of(own)(speed=0.5).agent is own
    assert pickle.loads(pickle.dumps(load_agent("heuristic"))).agent is known


def test_what_decides_what_an_agent_does_is_in_its_digest(tmp_path):
    file, weights = tmp_path / "bots.py", tmp_path / "weights.txt"
    text = textwrap.dedent(BOTS).replace('name="first",', 'name="first", files=["weights.txt"],')

    def digests():
        return [load_agent(f"{file}::{name}").source_digest for name in ("first", "bad")]

    file.write_text(text)
    missing = digests()
    weights.write_text("1")
    one = digests()
    weights.write_text("2")
    two = digests()
    assert len({missing[0], one[0], two[0]}) == 3
    assert missing[1] == one[1] == two[1]
    file.write_text(text + "#")
    assert digests()[1] != one[1]
    assert load_agent("ismcts:rollout=heuristic").source_digest is None
    assert load_agent(f"ismcts:rollout=({file}::bad)").source_digest not in (None, one[1])


CELL = """
from strozzi_sim.agent import compiled_agent, python_agent
from strozzi_sim.game.contract import count_legal, kth_legal


@compiled_agent(name="cell", games=("strozzi",))
def cell(state, rules, params, memory, rng):
    return kth_legal(state, rules, 0)


class Base:
    CHOICE = 0


class Middle(Base):
    def act(self, view, legal, rng):
        return legal[self.CHOICE]


@python_agent(name="celled", games=("strozzi",))
class Celled(Middle):
    "Of a cell."

    def __init__(self):
        self.asked = 0
"""


def declared(text, known=True):
    """The agents of a notebook's cell, whose text IPython keeps in linecache; or of code whose text nobody keeps."""
    file = f"<cell {len(linecache.cache)}>"
    if known:
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"__name__": "__main__"}
    exec(compile(text, file, "exec"), names)
    return spec_of(names["cell"], STROZZI), spec_of(names["Celled"], STROZZI)


def test_the_text_of_an_agent_in_a_cell_is_in_its_digest():
    cell, celled = (spec.source_digest for spec in declared(CELL))
    assert None not in (cell, celled)
    assert cell != celled
    assert tuple(spec.source_digest for spec in declared(f"print\n{CELL}# more in the same cell")) == (cell, celled)
    other, same = (spec.source_digest for spec in declared(CELL.replace("rules, 0", "rules, 1")))
    assert (other != cell, same == celled) == (True, True)
    for old, new in (
        ('"Of a cell."', "MORE = 1"),
        ("CHOICE = 0", "CHOICE = 1"),
        ("legal[self.CHOICE]", "legal[-1]"),
        ("self.asked = 0", "pass"),
    ):
        same, other = (spec.source_digest for spec in declared(CELL.replace(old, new)))
        assert (same == cell, other != celled) == (True, True)
    assert not any(spec.undigested for spec in declared(CELL))


def test_the_byte_code_stands_for_a_text_that_is_lost():
    first, again, other = (
        [spec.source_digest for spec in declared(text, known=False)]
        for text in (CELL, f"print{CELL}", CELL.replace("rules, 0", "rules, 1").replace("CHOICE = 0", "CHOICE = 1"))
    )
    assert first == again
    assert None not in first
    assert not set(first) & set(other)
    assert not any(spec.undigested for spec in declared(CELL, known=False))


def test_an_illegal_action_is_a_fault_with_a_replay(bots):
    match = Match(STROZZI, 4, (load_agent("random"), load_agent(f"{bots}::bad")), BASE, 1, "rotate")
    with pytest.raises(AgentFault, match=r"bad.*illegal action 99.*replay: .*record strozzi --players 4") as fault:
        match.play(3, 5)
    assert "--seed 1 --deal 3 --seating 0" in str(fault.value)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_exception_in_compiled_code_is_a_fault(bots):
    with pytest.raises(AgentFault, match="failed inside compiled code"):
        Match(STROZZI, 3, (load_agent(f"{bots}::raises"),), BASE, 1).play(0, 1)


def test_an_outsider_cannot_change_the_game(bots):
    honest = Match(STROZZI, 4, (load_agent(f"{bots}::first"),), BASE, 1).play(0, 30, rows=True)
    scribbled = Match(STROZZI, 4, (load_agent(f"{bots}::scribbler"),), BASE, 1).play(0, 30, rows=True)
    assert honest.rows.tobytes() == scribbled.rows.tobytes()


def test_an_outsider_cannot_change_the_rules(bots):
    spec, before = load_agent(f"{bots}::lawyer"), BASE.rules.tobytes()
    with pytest.raises(AgentFault, match=r"lawyer' changed the rules that it received"):
        Match(STROZZI, 4, (spec, load_agent("random")), BASE, 1).play(0, 1)
    with pytest.raises(AgentFault, match="changed the rules that it received"):
        Position(STROZZI, 4, seed=1, deal=0).ask(spec)
    assert BASE.rules.tobytes() == before


def test_agents_that_do_not_play_this_are_refused(bots):
    with pytest.raises(InputError, match="does not play strozzi with 4 players"):
        Match(STROZZI, 4, (load_agent(f"{bots}::six"),), BASE, 1)
    assert Match(STROZZI, 6, (load_agent(f"{bots}::six"),), BASE, 1).play(0, 1).games == 1


def test_a_second_call_compiles_nothing():
    from numba.core import event

    match = Match(STROZZI, 4, (load_agent("random"), load_agent("greedy")), BASE, 1)
    match.warm()
    match.play(0, 2)
    with event.install_recorder("numba:compile") as recorder:
        match.play(2, 4)
        compile_agent(load_agent("random"), STROZZI)
    assert recorder.buffer == []


@pytest.mark.parametrize("kept", ["playouts", "after"])
def test_no_field_of_the_memory_lives_longer_than_a_game(kept):
    memory = np.dtype([("before", "i8"), ("playouts", "i8"), ("after", "i8")])

    @compiled_agent(name="elephant", memory=memory)
    def counting(state, rules, params, memory, rng):
        """Chooses by a count that it keeps."""
        memory.playouts += 1
        return kth_legal(state, rules, memory.playouts % count_legal(state, rules))

    @compiled_agent(name="elephant", memory=memory)
    def hiding(state, rules, params, memory, rng):
        """The same, in the last of its fields."""
        memory.after += 1
        memory.playouts += 1
        return kth_legal(state, rules, memory.after % count_legal(state, rules))

    agent = {"playouts": counting, "after": hiding}[kept]
    match = Match(STROZZI, 3, (contract.AgentSpec("elephant", "", agent, {}),), BASE, 1)
    whole = match.play(0, 6, rows=True)
    parts = [match.play(deal, deal + 1, rows=True) for deal in range(6)]
    assert whole.rows.tobytes() == b"".join(part.rows.tobytes() for part in parts)
    assert whole.playouts == sum(part.playouts for part in parts) == int(whole.outcome["decisions"][0])


MISTAKES = """
    import numpy as np
    from strozzi_sim.agent import compiled_agent
    from strozzi_sim.game.contract import count_legal, kth_legal
    from strozzi_sim.kernel.bits import kth_bit
    from strozzi_sim.kernel.streams import randbelow

    @compiled_agent(name="floats", games=("strozzi",))
    def floats(state, rules, params, memory, rng):
        return kth_legal(state, rules, 0) + 0.5

    @compiled_agent(name="state-field", games=("strozzi",))
    def state_field(state, rules, params, memory, rng):
        return kth_legal(state, rules, state.coinz[0])

    @compiled_agent(name="written-field", games=("strozzi",))
    def written_field(state, rules, params, memory, rng):
        memory.cuont = 1
        return kth_legal(state, rules, 0)

    @compiled_agent(name="made-memory", memory=lambda values, game: 64)
    def made_memory(state, rules, params, memory, rng):
        return kth_legal(state, rules, 0)

    @compiled_agent(name="failing-memory", memory=lambda values, game: 1 // 0)
    def failing_memory(state, rules, params, memory, rng):
        return kth_legal(state, rules, 0)

    @compiled_agent(name="short-count", memory=np.dtype([("playouts", "i4")]))
    def short_count(state, rules, params, memory, rng):
        return kth_legal(state, rules, 0)

    @compiled_agent(name="beyond", games=("strozzi",))
    def beyond(state, rules, params, memory, rng):
        return kth_legal(state, rules, 0) + 0 * kth_legal(state, rules, count_legal(state, rules))

    @compiled_agent(name="nothing", games=("strozzi",))
    def nothing(state, rules, params, memory, rng):
        kth_legal(state, rules, 0)

    @compiled_agent(name="half-choice", games=("strozzi",))
    def half_choice(state, rules, params, memory, rng):
        return kth_legal(state, rules, count_legal(state, rules) / 2)

    from numba import njit
    @njit
    def coins_of(state, share):
        return state.coins[share]

    @compiled_agent(name="half-seat", games=("strozzi",))
    def half_seat(state, rules, params, memory, rng):
        return kth_legal(state, rules, coins_of(state, 0.5))

    @compiled_agent(name="half-member", games=("strozzi",))
    def half_member(state, rules, params, memory, rng):
        return kth_bit(state.legal, 0.5)

    @compiled_agent(name="other-record", games=("strozzi",))
    def other_record(state, rules, params, memory, rng):
        return kth_legal(state, rules, randbelow(state, 2))

    WORTH = {1: 3}
    LOTS = [[1], [2, 3]]

    @compiled_agent(name="dict-outside", games=("strozzi",))
    def dict_outside(state, rules, params, memory, rng):
        return WORTH[state.actor]

    @compiled_agent(name="list-outside", games=("strozzi",))
    def list_outside(state, rules, params, memory, rng):
        return LOTS[0][state.actor]

    @compiled_agent(name="dict-of-dicts", games=("strozzi",))
    def dict_of_dicts(state, rules, params, memory, rng):
        worth = {1: {"ware": 1, "pirate": "2"}}
        return worth[state.actor]["ware"]

    @compiled_agent(name="dict-of-both", games=("strozzi",))
    def dict_of_both(state, rules, params, memory, rng):
        worth = {1: 1, 2: 2.5}
        return worth[state.actor]

    @compiled_agent(name="wrong-key", games=("strozzi",))
    def wrong_key(state, rules, params, memory, rng):
        worth = {"ware": 1}
        return worth[state.actor]

    @compiled_agent(name="list-of-both", games=("strozzi",))
    def list_of_both(state, rules, params, memory, rng):
        return [1, "ware"][state.actor]

    @compiled_agent(name="empty-list", games=("strozzi",))
    def empty_list(state, rules, params, memory, rng):
        worth = []
        return worth[0]

    @compiled_agent(name="import", games=("strozzi",))
    def importing(state, rules, params, memory, rng):
        import math
        return 1
"""
A_DICT = "this use of a dict cannot be compiled; use a tuple, an array or a field of the rules$"
GLOBAL_DRAWS = """
    import random
    import numpy as np
    from numba import njit
    from numpy.random import randint
    from strozzi_sim.agent import compiled_agent
    from strozzi_sim.game.contract import count_legal, kth_legal

    @compiled_agent(name="by-numpy")
    def by_numpy(state, rules, params, memory, rng):
        return kth_legal(state, rules, np.random.randint(count_legal(state, rules)))

    @compiled_agent(name="by-name")
    def by_name(state, rules, params, memory, rng):
        return kth_legal(state, rules, randint(count_legal(state, rules)))

    @njit
    def drawn(count):
        return random.randrange(count)

    @compiled_agent(name="by-helper")
    def by_helper(state, rules, params, memory, rng):
        return kth_legal(state, rules, drawn(count_legal(state, rules)))

    @compiled_agent(name="honest")
    def honest(state, rules, params, memory, rng):
        return kth_legal(state, rules, int(np.sqrt(0.0)))
"""


mistakes = agents_file(MISTAKES, "mistakes.py")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("floats", r"does not compile for strozzi: mistakes\.py, line 10: it returns float64; an action is a whole"),
        ("state-field", r"line 14: state has no field 'coinz'; known: phase, .*did you mean 'coins'"),
        ("written-field", r"line 18: memory has no field 'cuont'; known: none$"),
        ("made-memory", r"memory: expected a dtype with named fields from its function, got 64$"),
        ("failing-memory", r"memory: raised ZeroDivisionError"),
        ("short-count", r"memory: the field playouts must be an int64, got int32$"),
        ("nothing", r"mistakes\.py, line 39: it can end without `return`; an action is a whole number$"),
        ("half-choice", r"line 43: kth_legal cannot take \(record, record, float64\); a float must be made a whole"),
        (
            "half-member",
            r"mistakes\.py, line 56: in kth_bit: an index \[ \] cannot take \(array, Tuple\(int64, float64\)\)",
        ),
        ("other-record", r"mistakes\.py, line 60: state has no field 'cursor'"),
        ("half-seat", r"line 48: an index \[ \] cannot take \(array, float64\); a float must"),
        ("dict-outside", r"line 67: 'WORTH' is a dict outside the function; make it a tuple or an array$"),
        ("list-outside", r"line 71: 'LOTS' is a list, or has one, outside the function; make it a tuple or an array$"),
        ("dict-of-dicts", rf"line 76: {A_DICT}"),
        ("dict-of-both", rf"line 80: {A_DICT}"),
        ("wrong-key", rf"line 86: {A_DICT}"),
        ("list-of-both", r"line 90: a list of values of different types cannot be compiled; use a list or a tuple of"),
        ("empty-list", r"line 94: the values of 'worth' must be of one type that can be compiled$"),
        ("import", r"line 99: a construct of Python that cannot be compiled \(IMPORT_NAME\)$"),
    ],
)
@pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaTypeSafetyWarning")
def test_a_mistake_in_a_compiled_agent_is_told_in_a_line(mistakes, name, words):
    with pytest.raises(AgentFault, match=words) as fault:
        compile_agent(load_agent(f"{mistakes}::{name}"), STROZZI)
    assert "\n" not in str(fault.value)
    assert len(str(fault.value)) < 1000


@pytest.mark.parametrize("name", ["by-numpy", "by-name", "by-helper"])
def test_a_draw_from_a_global_stream_is_refused(tmp_path, name):
    file = tmp_path / "draws.py"
    file.write_text(textwrap.dedent(GLOBAL_DRAWS))
    with pytest.raises(AgentFault, match=rf"agent '{name}': draws\.py, .* draws with `random`.*randbelow"):
        compile_agent(load_agent(f"{file}::{name}"), STROZZI)
    compile_agent(load_agent(f"{file}::honest"), STROZZI)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_reading_beyond_the_legal_actions_is_a_fault_of_agents_from_outside(mistakes):
    with pytest.raises(AgentFault, match="failed inside compiled code"):
        Match(STROZZI, 3, (load_agent(f"{mistakes}::beyond"),), BASE, 1).play(0, 1)


def test_a_loaded_agent_can_be_called_with_parameters():
    merchant = load_agent("merchant", "strasbourg")
    assert merchant(coin=3, carry=0.5).text == "merchant:carry=0.5,coin=3"
    assert merchant(coin=3)(carry=0.5) == merchant(coin=3, carry=0.5)
    assert merchant() == merchant
    assert File("").format("/x/a~b.npz") == "(/x/a~b.npz)"  # as text it is read as one value again
    assert load_agent("heuristic~flag:pirate", STROZZI)(ware=2).text == "heuristic:ware=2~flag:pirate"
    search = load_agent("ismcts", STROZZI)(iterations=50, rollout=load_agent("heuristic:ware=2", STROZZI))
    assert search.text == "ismcts:iterations=50,rollout=(heuristic:ware=2)"
    for wrong, words in (
        ({"greed": 2}, "agent 'merchant:greed=2': merchant has no parameter 'greed'; known: "),
        ({"coin": "much"}, "coin must be a number, got 'much'"),
        ({"coin": -1e9}, "coin must be"),
    ):
        with pytest.raises(InputError, match=words):
            merchant(**wrong)

    @compiled_agent(name="mine", depth=2)
    def mine(state, rules, params, memory, rng):
        return kth_legal(state, rules, 0)

    assert mine(depth=5).text == "mine:depth=5"


def test_verbs_are_words_of_compiled_code():
    from strozzi_sim.game.contract import VERBS

    for verb in VERBS:
        with pytest.raises(TypeError, match=f"{verb.__name__} is a verb of compiled code"):
            verb(*[None] * verb.__code__.co_argcount)


def test_a_policy_stands_in_parentheses_or_not():
    """One agent has one text, however its default is written."""

    def searching(default):
        @compiled_agent(name="searching", rollout=Policy(default))
        def searching(state, rules, params, memory, rng):
            return 1

        return searching

    for default in ("heuristic:ware=2", "(heuristic:ware=2)", "heuristic:ware=2.0"):
        agent = searching(default)
        assert spec_of(agent).text == "searching"
        assert spec_of(agent).values["rollout"] == load_agent("heuristic:ware=2").text
        assert [policy.text for policy in spec_of(agent).policies] == ["heuristic:ware=2"]
        assert spec_of(agent, rollout="(heuristic:ware=2)").text == "searching"
        assert spec_of(agent, rollout="(random)").text == "searching:rollout=random"
    assert spec_of(searching("(random)"), rollout="random").text == "searching"


def test_a_policy_that_is_its_own_default_is_refused(tmp_path):
    file = tmp_path / "own.py"
    file.write_text(
        "from strozzi_sim.agent import Policy, compiled_agent\n"
        f"@compiled_agent(name='own', rollout=Policy({str(file) + '::own'!r}))\n"
        "def own(state, rules, params, memory, rng):\n"
        "    return 1\n"
    )
    with pytest.raises(InputError, match="at most 8 nested agents"):
        load_agent(f"{file}::own")


TALKATIVE = '''
from strozzi_sim.agent import compiled_agent
from strozzi_sim.game.contract import count_legal, kth_legal
from strozzi_sim.kernel.jit import jit


@jit
def told(number):
    print("helper", number)
    return number


@compiled_agent(name="talkative", games=("strozzi",))
def talkative(state, rules, params, memory, rng):
    """Says what it sees."""
    print("players", state.players)
    return kth_legal(state, rules, told(0))


@compiled_agent(name="raiser", games=("strozzi",))
def raiser(state, rules, params, memory, rng):
    """Raises with a value of the game."""
    if count_legal(state, rules) > 0:
        raise ValueError("x", state.players)
    return 0
'''


@pytest.mark.slow
def test_a_compiled_agent_may_print_and_raise_with_values(tmp_path):
    """Both need what numba gives to functions that Python calls; without it the process hung."""
    file, out = tmp_path / "bots.py", tmp_path / "games.jsonl"
    file.write_text(TALKATIVE)
    code = "import sys; from strozzi_sim.cli.app import run; print([run([*sys.argv[2:], agents]) for agents in sys.argv[1].split()])"
    agents = f"{file}::talkative,random {file}::raiser"
    command = [sys.executable, "-c", code, agents, *f"record strozzi --players 3 --out {out} --agents".split()]
    said = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert said.stdout.endswith("[0, 3]\n"), said.stderr
    assert "players 3\nhelper 0\n" in said.stderr
    assert "raised ValueError: ('x', 3)" in said.stderr
