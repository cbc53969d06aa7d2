"""exploit --exact: best responses by brute force, tiny variants of every game, and the bound that the search finds."""

import sys
from dataclasses import replace

import pytest

import strozzi_sim as ss
from medici_games import SOLVABLE
from paths import ROOT
from strozzi_sim.agent import compiled_agent, find_agent, load_agent, python_agent
from strozzi_sim.cli import app
from strozzi_sim.errors import ArgumentError, InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.restricting import restricted
from strozzi_sim.studies.planning import find_study_variant

pyspiel = pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")

from open_spiel.python.algorithms import exploitability
from open_spiel.python.policy import UniformRandomPolicy

from strozzi_sim.adapters import open_spiel
from strozzi_sim.adapters.exact import GameTree
from strozzi_sim.adapters.game_tree import Table

FILES = {name: ROOT / "examples" / f"tiny_{name}.toml" for name in ("strozzi", "medici_vs_strozzi", "strasbourg")}
BUDGET = {"generations": 1, "population": 4, "deals": 20, "held_out": 200, "workers": 1, "seed": 3}


def variant_of(name, forbidden=()):
    found = find_study_variant(load_game(name), "tiny", FILES[name])
    return restricted(load_game(name), found, dict.fromkeys(range(3), forbidden)) if forbidden else found


def exploited(game, agent, players, *, tune="random", challengers="random", cfr=0, **more):
    given = {**BUDGET, "tune": tune, "challengers": challengers, "cfr": cfr, "exact": True, **more}
    return ss.exploit(game, agent, players, **given).tables


def figures(table, agent):
    return table[table["agent"] == agent].set_index(["figure", "seat"])


def walked(node, strategy, seat, plan, weight=1.0):
    """Add up the weight x win share of one seat in every course of a game: `plan` answers for the seat, the strategy for others."""
    if node.over:
        payoff = node.payoffs()[seat]
        return weight * (payoff * (node.table.players - 1) + 1) / node.table.players
    if node.outcomes:
        return sum(walked(node.after(k), strategy, seat, plan, weight / node.outcomes) for k in range(node.outcomes))
    if node.actor == seat:
        return walked(node.after(plan[node.decision.digest(seat)]), strategy, seat, plan, weight)
    return sum(
        walked(node.after(action), strategy, seat, plan, weight * share)
        for action, share in strategy(node.decision).items()
    )


def uniform(decision):
    return dict.fromkeys(decision.legal, 1 / len(decision.legal))


def information_of(start, seat):
    """Legal actions by digest, and for each the digest and action of the seat before it, by walking the whole tree."""
    found, waiting = {}, [(start, ())]
    while waiting:
        node, own = waiting.pop()
        if node.outcomes:
            waiting += [(node.after(k), own) for k in range(node.outcomes)]
        elif not node.over:
            digest = node.decision.digest(seat) if node.actor == seat else None
            if digest is not None:
                assert found.setdefault(digest, (tuple(node.legal), own)) == (tuple(node.legal), own), "perfect recall"
            for action in node.legal:
                waiting.append((node.after(action), own if digest is None else (*own, (digest, action))))
    return found


def improved(start, seat):
    """The best win share of a seat against uniform play, by improving one decision after another from the last to the first."""
    known = information_of(start, seat)
    plan = {digest: legal[0] for digest, (legal, _) in known.items()}
    for digest in sorted(known, key=lambda each: -len(known[each][1])):
        legal, own = known[digest]
        worth = {}
        for action in legal:  # the earlier decisions lead here, the later ones are settled
            trial = {**plan, **dict(own), digest: action}
            worth[action] = walked(start, uniform, seat, trial)
        plan[digest] = max(worth, key=worth.get)
    return walked(start, uniform, seat, plan)


def test_the_best_response_is_that_of_brute_force():
    table = Table(load_game("medici_vs_strozzi"), 2, SOLVABLE)
    tree = GameTree(table, 1000)
    assert tree.nodes == 309
    exact = tree.exact(tree.strategy(load_agent("random"), 2, 0)[0])
    for seat in range(2):
        assert exact.best_response[seat] == pytest.approx(improved(table.start, seat))
    assert exact.win_share.sum() == pytest.approx(1)


@pytest.mark.parametrize(("name", "players"), [("medici_vs_strozzi", 2), ("strasbourg", 3)])
def test_figures_are_those_of_open_spiel_on_the_game_itself(name, players):
    """The listed tree has the same NashConv as the game of the adapter, by OpenSpiel's Python."""
    tiny = (
        SOLVABLE
        if name == "medici_vs_strozzi"
        else variant_of(name, ("draw:above-1", *(f"step:{step}" for step in "BCDEFG")))
    )
    tree = GameTree(Table(load_game(name), players, tiny), 1000)
    gain = tree.exact(tree.strategy(load_agent("random"), 2, 0)[0]).gain
    if name == "strasbourg":  # known to OpenSpiel by another name, since it is restricted
        tiny = replace(tiny, name="tiny-one-step")
    game = open_spiel.load_game(name, players, tiny)
    theirs = exploitability.nash_conv(game, UniformRandomPolicy(game), return_only_nash_conv=False)
    assert gain * players / (players - 1) == pytest.approx(theirs.player_improvements)


@pytest.mark.slow_for("strasbourg")
@pytest.mark.parametrize(("name", "players", "agent"), [
    ("strozzi", 3, "greedy"), ("medici_vs_strozzi", 2, "fixed-price:value=1"), ("strasbourg", 3, "random"),
])  # fmt: skip
def test_the_bound_of_the_search_is_no_more_than_the_exact_gain(name, players, agent):
    forbid = "draw:above-1,step:C,step:D,step:E,step:F,step:G" if name == "strasbourg" else ""
    tables = exploited(
        name, agent, players, tune="random", challengers=load_game(name).default_agent, study=FILES[name],
        variant="tiny", forbid=forbid, cfr=10,
    )  # fmt: skip
    exact, found = figures(tables["exact"], agent), tables["challengers"].query("chosen and figure == 'gives_away'")
    assert exact.loc[("gives_away", "all"), "value"] >= found["low"].item()
    gains = exact.loc["gain", "value"]
    assert (gains >= 0).all()
    assert exact.loc[("nash_conv", "all"), "value"] == pytest.approx(gains.sum())
    assert exact.loc[("gives_away", "all"), "value"] == pytest.approx(gains.sum() / players)
    shares = exact.loc["best_response", "value"]
    assert exact.loc[("gives_away", "all"), "value"] == pytest.approx(shares.mean() - 1 / players), (
        "as the search has it"
    )
    few, more = (
        figures(tables["exact"], f"CFR after {count} iterations").loc[("nash_conv", "all")] for count in (1, 10)
    )
    assert more["value"] < few["value"]


def test_an_agent_that_draws_is_known_by_its_frequencies():
    copy = compiled_agent(name="another-random", stochastic=True)(
        load_agent("random").agent.function  # the built-in one is uniform without a question
    )
    exact = exploited("medici_vs_strozzi", copy, 2, variant=SOLVABLE, questions=400)["exact"]
    told = exploited("medici_vs_strozzi", "random", 2, variant=SOLVABLE)["exact"].query("figure != 'found'")
    assert (told["low"] == told["value"]).all()
    wide, true = figures(exact, "another-random"), figures(told, "random")
    gives = wide.loc[("gives_away", "all")]
    assert gives["n"] == 400 * 140
    assert gives["low"] < gives["value"] < gives["high"]
    assert gives["low"] <= true.loc[("gives_away", "all"), "value"] <= gives["high"]


def test_python_agents_that_remember_are_asked_in_the_order_of_a_game():
    class Counting:
        """Chooses its first action once, then its last."""

        def __init__(self):
            self.asked = 0

        def act(self, view, legal, rng):
            self.asked += 1
            return legal[0] if self.asked == 1 else legal[-1]

    spec = find_agent(python_agent(name="counting")(Counting), load_game("medici_vs_strozzi"))
    tree = GameTree(Table(load_game("medici_vs_strozzi"), 2, SOLVABLE), 1000)
    strategy, answers = tree.strategy(spec, 2, 0)
    assert answers is None
    first = [each.before is None for each in tree.information]
    assert 0 < sum(first) < len(first)
    for begins, shares in zip(first, strategy, strict=True):
        assert shares[0 if begins else -1] == 1


def test_what_is_too_large_is_refused_before_anything_is_played(capsys):
    with pytest.raises(ArgumentError, match=r"exact: strasbourg, 3 players, variant base has about 10\^\d+ nodes"):
        ss.exploit("strasbourg", "random", 3, exact=True)
    with pytest.raises(ArgumentError, match="variant solvable has more than 308 nodes, and at most 308 are listed"):
        ss.exploit("medici_vs_strozzi", "random", variant=SOLVABLE, exact=True, max_nodes=308)
    assert app.run(["exploit", "strozzi", "random", "--exact"]) == 2
    out, err = capsys.readouterr()
    assert (out, err[:24]) == ("", "strozzi: error: --exact:")
    with pytest.raises(InputError, match="no step is left"):
        ss.exploit("strasbourg", "random", 3, forbid=",".join(f"step:{step}" for step in "ABCDEFG"))


def test_a_restricted_agent_and_a_missing_library_are_refused(monkeypatch):
    with pytest.raises(ArgumentError, match="is restricted; restrict every seat with forbid"):
        ss.exploit("strozzi", load_agent("greedy", load_game("strozzi")).restricted("flag:pirate"), 3, exact=True)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "strozzi_sim.adapters.exact")
    with pytest.raises(InputError, match=r"needs OpenSpiel .*pip install 'strozzi-sim\[openspiel\]'"):
        ss.exploit("medici_vs_strozzi", "random", variant=SOLVABLE, exact=True)


def test_the_command_prints_the_exact_figures_beside_the_search(capsys):
    file = FILES["medici_vs_strozzi"]
    options = [
        "--generations",
        "1",
        "--population",
        "4",
        "--deals",
        "20",
        "--held-out",
        "200",
        "--tune",
        "random",
        "--cfr",
        "10",
    ]
    line = [
        "exploit",
        "medici_vs_strozzi",
        "random",
        "--challengers",
        "fair-price",
        "--variant",
        "tiny",
        "--study",
        str(file),
    ]
    assert app.run([*line, "--exact", *options]) == 0
    out = capsys.readouterr().out
    assert "exactly, over all 20,077 nodes (9,129 answers of random)" in out
    assert "of the win share; NashConv" in out
    assert "the best response on other deals finds" in out
    assert "CFR after 10 iterations gives away" in out


def test_files_of_tiny_variants_say_their_size():
    sizes = {"strozzi": "14,240", "medici_vs_strozzi": "20,077", "strasbourg": "32,166"}
    for name, nodes in sizes.items():
        assert f"{nodes} nodes" in FILES[name].read_text().replace("\n# ", " ")
    forbidden = ("draw:above-1", "step:E", "step:F", "step:G")
    assert (
        f"{GameTree(Table(load_game('strasbourg'), 3, variant_of('strasbourg', forbidden)), 40_000).nodes:,}"
        == "32,166"
    )
    assert f"{GameTree(Table(load_game('strozzi'), 3, variant_of('strozzi')), 40_000).nodes:,}" == "14,240"
