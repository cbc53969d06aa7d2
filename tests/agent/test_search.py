"""The searching agents: repeatable, legal, pure, true to what they count, and right where the answer is known."""

from functools import partial

import numpy as np
import pytest

from machine_code import decide
from strozzi_agents.search.tree import TABLE
from strozzi_games import KIT, STROZZI
from strozzi_sim.agent import load_agent
from strozzi_sim.agent.compile import compile_agent
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.games.strasbourg.state import DRAW, DRAW_CARD, STOP
from strozzi_sim.kernel.streams import RANDOM
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.match import Match

pytestmark = pytest.mark.slow

STRASBOURG = load_game("strasbourg")
FLAT = "flat_mc:playouts=4"
TREE = "ismcts:iterations=40"
GOLDEN = {  # the first decisions of an agent
    FLAT: [2, 7, 8, 3, 1, 1, 7, 1, 2, 7, 3, 1],
    "flat_mc:playouts=10,per=decision,allocation=halving,utility=margin,depth=7": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    "flat_mc:playouts=2,rollout=greedy,utility=rank": [2, 5, 9, 1, 1, 1, 1, 3, 1, 2, 5, 1],
    TREE: [3, 2, 7, 9, 1, 4, 2, 5, 1, 1, 3, 7],
    "ismcts:iterations=40,backup=paranoid,utility=rank,urgency=0.6,depth=9": [3, 2, 7, 8, 3, 2, 7, 3, 1, 6, 3, 1],
    "ismcts:iterations=40,backup=selfish,utility=margin,bias=2,prior=heuristic,rollout=heuristic": [4, 1, 1, 1, 5, 9, 1, 1, 1, 1, 1, 1],
    "ismcts:iterations=60,root=halving,expand=5,bias=1,prior=heuristic": [1, 4, 2, 7, 10, 3, 1, 1, 7, 2, 7, 2],
    "mo_ismcts:iterations=40,expand=2,bias=1,prior=heuristic,widening=1": [4, 2, 7, 10, 1, 1, 4, 7, 1, 1, 1, 1],
    "mo_ismcts:iterations=40,model=heuristic": [3, 2, 7, 9, 1, 4, 2, 5, 1, 1, 3, 7],
}  # fmt: skip
AGENTS = tuple(GOLDEN)
MARGIN = "utility=margin,spread=20"
WIDE = ",bias=1,prior=heuristic,widening=1"


match = partial(KIT.match, players=4)


# -- the same seed, the same game ------------------------------------------------------------------------------------


def first_decisions(name, decisions=12):
    table = Position(STROZZI, 4, seed=5, deal=1)
    chosen = []
    for _ in range(decisions):
        chosen.append(table.ask(load_agent(name)))
        table.play(chosen[-1])
    return chosen


@pytest.mark.parametrize("name", AGENTS)
def test_golden_decisions(name):
    assert first_decisions(name) == GOLDEN[name]


def _ask(table, compiled):
    """(action, memory) of an agent that begins to think at a position."""
    memory = np.zeros(1, compiled.memory)
    return decide(compiled, table, memory, np.full(1, 1, RANDOM)), memory[0]


# -- counting --------------------------------------------------------------------------------------------------------


def test_playouts_are_counted_over_games():
    lineup = ("flat_mc:playouts=3", "random", "random", "random")
    one, two = (match(*lineup).play(first, first + 1).playouts for first in (0, 1))
    assert match(*lineup).play(0, 2).playouts == one + two > 100
    assert match("random").play(0, 2).playouts == 0


@pytest.mark.parametrize(
    ("name", "playouts"),
    [
        ("flat_mc:playouts=12", 48),
        ("flat_mc:playouts=12,per=decision", 12),
        ("flat_mc:playouts=12,allocation=halving", 48),  # 2 stages: 4 x 6, then 2 x 12
        ("flat_mc:playouts=1,per=decision", 4),  # each action is tried at least once
        ("ismcts:iterations=12", 12),
        ("mo_ismcts:iterations=12", 12),
        ("ismcts:iterations=40,root=halving", 40),  # 2 stages: 4 x 5, then 2 x 10
        ("ismcts:iterations=2,root=halving", 6),  # each action is tried, then the better half
    ],
)
def test_the_budget_is_what_it_says(name, playouts):
    table = Position(STROZZI, 4, seed=5, deal=1)
    assert len(table.legal) == 4
    assert _ask(table, compile_agent(load_agent(name), STROZZI))[1]["playouts"] == playouts


# -- the tree --------------------------------------------------------------------------------------------------------


def children(memory, node):
    child = int(memory["nodes"][node]["first"])
    while child:
        yield child
        child = int(memory["nodes"][child]["next"])


@pytest.mark.parametrize("root", ["ucb", "halving"])
@pytest.mark.parametrize("backup", ["maxn", "paranoid", "selfish"])
def test_the_tree_adds_up(backup, root):
    table = Position(STROZZI, 5, seed=5, deal=1)
    spec = f"ismcts:iterations=3000,urgency=0.4,backup={backup},root={root}"
    action, memory = _ask(table, compile_agent(load_agent(spec), STROZZI))
    nodes, used = memory["nodes"], int(memory["used"])
    assert nodes[0]["visits"] == 3000
    assert used <= 3001
    assert sum(nodes[child]["visits"] for child in children(memory, 0)) == 3000
    best = max(children(memory, 0), key=lambda child: (nodes[child]["visits"], nodes[child]["total"]))
    assert nodes[best]["action"] == action
    seen = 1
    for node in range(used):
        below = [nodes[child] for child in children(memory, node)]
        seen += len(below)
        if node:
            assert sum(child["visits"] for child in below) <= nodes[node]["visits"] - 1
        assert len({(child["seat"], child["action"]) for child in below}) == len(below)
        for child in below:
            assert child["visits"] <= child["available"] <= nodes[node]["visits"]
            assert -1e-9 <= child["total"] <= child["visits"] + 1e-9
            assert backup != "selfish" or child["seat"] == table.actor
    assert seen == used


@pytest.mark.slow
@pytest.mark.parametrize("expand", [1, 7])
def test_the_tree_goes_on_below_nodes_with_enough_visits(expand):
    table = Position(STROZZI, 4, seed=5, deal=1)
    memory = _ask(table, compile_agent(load_agent(f"ismcts:iterations=2000,expand={expand}"), STROZZI))[1]
    nodes = memory["nodes"]
    inner = [node for node in range(1, int(memory["used"])) if nodes[node]["first"]]
    assert inner
    for node in inner:  # the visits before the first that went on to a child
        assert nodes[node]["visits"] - sum(nodes[child]["visits"] for child in children(memory, node)) == expand


@pytest.mark.parametrize("options", ["", ",expand=3", ",backup=paranoid,utility=rank,urgency=0.6,depth=9", WIDE])
def test_where_all_is_seen_the_trees_of_all_seats_are_one(options):
    """No step of Strozzi is hidden, so every seat's tree is the one tree of `ismcts`."""
    one, many = (first_decisions(f"{name}:iterations=200{options}") for name in ("ismcts", "mo_ismcts"))
    assert one == many


def owner_paths(memory, root):
    """Every node below a root."""
    for child in children(memory, root):
        yield child
        yield from owner_paths(memory, child)


@pytest.mark.slow
@pytest.mark.parametrize("expand", [1, 4])
def test_every_seat_has_a_tree_of_what_it_sees(expand):
    """Strasbourg hides plans and shows bids: rivals' trees hold none of the searcher's cards drawn."""
    iterations, game = 3000, STRASBOURG
    spec = load_agent(f"mo_ismcts:iterations={iterations},expand={expand}", game)
    table = Position(game, 4, seed=5, deal=1)
    while int(table.state["phase"][0]) != DRAW:
        table.play(table.legal[0])
    action, memory = _ask(table, compile_agent(spec, game))
    nodes, seat, seen = memory["nodes"], table.actor, 4
    assert memory["used"] <= 4 * (iterations + 1)
    assert sum(nodes[child]["visits"] for child in children(memory, 0)) == iterations
    best = max(children(memory, 0), key=lambda child: (nodes[child]["visits"], nodes[child]["total"]))
    assert nodes[best]["action"] == action
    for tree in range(4):
        assert nodes[tree]["visits"] == iterations
        below = list(owner_paths(memory, tree))
        seen += len(below)
        told = {(int(nodes[node]["seat"]), int(nodes[node]["action"])) for node in below}
        drawn = {who for who, what in told if what in (STOP, DRAW_CARD)}
        assert drawn <= {(seat + tree) % 4}  # who draws and stops is in its own tree alone
        assert drawn or tree
        for node in (tree, *below):
            visits = [int(nodes[child]["visits"]) for child in children(memory, node)]
            assert sum(visits) <= nodes[node]["visits"]
    assert seen == memory["used"]


SECRET = ("strategist:iterations=6", "flat_mc:playouts=1", "ismcts:iterations=4", "mo_ismcts:iterations=6")


@pytest.mark.nightly_for("flat_mc:playouts=1")  # it takes long to compile for Strasbourg
@pytest.mark.slow  # Strozzi does by default, in test_results_depend_on_the_deal_alone
@pytest.mark.parametrize("name", SECRET)
def test_with_a_model_of_rivals_results_depend_on_the_deal_alone(name):
    """Nothing is left in the model's memory."""
    agents = tuple(load_agent(each, STRASBOURG) for each in (f"{name},model=heuristic", "random", "random"))
    played = Match(STRASBOURG, 3, agents, resolve_variant(STRASBOURG, "base"), 3, "one")
    assert played.play(0, 2, rows=True).rows[3:].tobytes() == played.play(1, 2, rows=True).rows.tobytes()


def test_a_tree_that_does_not_grow_is_flat_monte_carlo():
    flat = compile_agent(load_agent("flat_mc:playouts=400,per=decision,allocation=halving,utility=rank"), STROZZI)
    tree = compile_agent(load_agent("ismcts:iterations=400,root=halving,expand=1000,utility=rank"), STROZZI)
    table = Position(STROZZI, 4, seed=5, deal=1)
    while not table.over:  # the same sweeps, the same chance, the same playouts
        action = _ask(table, flat)[0]
        assert _ask(table, tree)[0] == action
        table.play(action)


def test_a_tree_that_is_too_large_is_refused():
    with pytest.raises(InputError, match="iterations=90000000 would take"):
        compile_agent(load_agent("ismcts:iterations=90000000"), STROZZI)


def test_a_policy_must_not_search():
    with pytest.raises(InputError, match="rollout must be a compiled agent that does not search"):
        load_agent("flat_mc:rollout=(ismcts:iterations=10)")
    assert load_agent("ismcts:rollout=(greedy:margin=15)").text == "ismcts:rollout=greedy"


def test_an_illegal_policy_is_a_fault_of_the_searcher(tmp_path):
    bots = tmp_path / "bots.py"
    bots.write_text(
        "from strozzi_sim.agent import compiled_agent\n"
        "@compiled_agent(name='bad')\n"
        "def bad(state, rules, params, memory, rng):\n"
        "    '''Chooses what is not there.'''\n"
        "    return 99\n"
    )
    for searcher in (FLAT, TREE):
        with pytest.raises(AgentFault, match="chose action 0"):
            match(f"{searcher},rollout=({bots}::bad)").play(0, 1)


# -- where the answer is known ---------------------------------------------------------------------------------------


def margins(state, players):
    """The reward of every seat as `utility=margin` has it."""
    coins = [int(coin) for coin in state["coins"][:players]]
    out = []
    for seat, own in enumerate(coins):
        lead = own - max(coins[:seat] + coins[seat + 1 :])
        out.append(0.5 + 0.5 * lead / (20.0 + abs(lead)))
    return out


class Unclear(Exception):
    """A seat has actions of nearly equal worth that are not equal for the others: what it does is open."""


CLEAR = 0.02  # least difference of reward between the best action and the others
MAX_NODES = 2_000


def maxn(table, nodes):
    """(rewards of every seat if each plays best, the best actions) by enumeration; nothing may be left to chance.

    `nodes` counts the decisions looked at.
    """
    if table.over:
        return margins(table.state[0], table.players), set()
    nodes[0] += 1
    if nodes[0] > MAX_NODES:
        raise Unclear
    seat, values = table.actor, {}
    for action in table.legal:
        table.play(action)
        values[action] = maxn(table, nodes)[0]
        table.undo()
    best = max(values.values(), key=lambda rewards: rewards[seat])
    if any(rewards != best and rewards[seat] > best[seat] - CLEAR for rewards in values.values()):
        raise Unclear
    return best, {action for action, rewards in values.items() if rewards == best}


def last_positions(most, least, players):
    """(table, best actions by max^n) at the last card of games, with `least` decisions to come, where it matters."""
    found = 0
    for deal in range(2_000):
        table = Position(STROZZI, players, seed=21, deal=deal)
        player = load_agent("random")
        while not table.over:
            if int(table.state[0]["round"]) == 2 and int(table.state[0]["deck"]) == 0:
                nodes = [0]
                try:
                    best = maxn(table.copy(), nodes)[1]
                except Unclear:
                    best = set()
                if 0 < len(best) < len(table.legal) and nodes[0] >= least:
                    yield table, best
                    found += 1
                    if found == most:
                        return
                    break
            table.play(table.ask(player))


def test_the_last_decision_of_a_game_is_exact():
    searchers = [compile_agent(load_agent(f"{name},{MARGIN}"), STROZZI) for name in (FLAT, TREE)]
    for table, best in last_positions(8, 1, 3):
        assert all(_ask(table, compiled)[0] in best for compiled in searchers)


@pytest.mark.slow
def test_ismcts_finds_the_max_n_action():
    compiled = compile_agent(load_agent(f"ismcts:iterations=4000,{MARGIN}"), STROZZI)
    right = [_ask(table, compiled)[0] in best for table, best in last_positions(3, 4, 3)]
    assert right == [True] * 3


# -- strength --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["flat_mc:playouts=20", "ismcts:iterations=60"])
def test_searching_at_random_beats_random(name):
    played = match(name, "random", "random", "random", seatings="rotate").play(0, 25)
    assert played.outcome[0]["wins"][0].sum() / 60 / played.games > 0.7


@pytest.mark.parametrize("name", ["ismcts", "mo_ismcts"])
def test_code_is_compiled_once_for_all_sizes(name):
    addresses = {
        compile_agent(load_agent(f"{name}:iterations={iterations}"), STROZZI).address
        for iterations in (10, 50, 1000, 100_000)
    }
    assert len(addresses) == 1


def test_visits_beyond_the_table_count():
    table = Position(STROZZI, 3, seed=5, deal=1)
    _, memory = _ask(table, compile_agent(load_agent("ismcts:iterations=9000"), STROZZI))
    assert memory["nodes"][0]["visits"] == 9000
    assert memory["filled"] == TABLE
    assert sum(memory["nodes"][child]["visits"] for child in children(memory, 0)) == 9000
