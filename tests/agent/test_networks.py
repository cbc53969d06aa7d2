"""Networks from elsewhere: `network` plays what a plain forward pass says, and searches take it as prior and as value."""

import itertools
import re
from functools import partial

import numpy as np
import pytest

from every_kit import KITS
from machine_code import decide, worth_of
from our_games import OUR_GAMES
from paths import ROOT
from strozzi_games import BASE, KIT, STROZZI
from strozzi_sim.agent import compiled_agent, dense, load_agent, spec_of
from strozzi_sim.agent.analysis import LEAD, SCORE, WIN, probabilities_field
from strozzi_sim.agent.compile import compile_agent, compile_evaluator
from strozzi_sim.agent.names import check_lineup
from strozzi_sim.agent.weights import ALL, write_networks
from strozzi_sim.conformance.kernels import kernels
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.contract import kth_legal
from strozzi_sim.game.variants import BASE as BASE_NAME
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.kernel.streams import RANDOM
from strozzi_sim.play.leak_check import check_leaks
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.vector import VectorEnv

pytestmark = pytest.mark.slow

GAMES = [load_game(name) for name in OUR_GAMES]


def layers_of(*sizes, seed=0):
    rng = np.random.default_rng(seed)
    return [
        ((rng.normal(size=(a, b)) / np.sqrt(a)).astype(np.float32), rng.normal(size=b).astype(np.float32))
        for a, b in itertools.pairwise(sizes)
    ]


def layers_for(game, values=0, seed=0):
    return layers_of(game.observation_size, 24, game.actions + values, seed=seed)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """(path, layers) of a network for every player count of a game, by game and number of values."""
    folder, made = tmp_path_factory.mktemp("networks"), {}
    for game in GAMES:
        for values in (0, 1, 3):
            file, layers = folder / f"{game.name}-{values}.npz", layers_for(game, values, seed=values)
            write_networks(file, {ALL: layers})
            made[game.name, values] = file, layers
    return made


def agent(files, values=0, game=STROZZI, settings=""):
    return load_agent(f"network:weights={files[game.name, values][0]}{settings}", game)


def forward(rows, layers):
    for number, (weights, bias) in enumerate(layers):
        rows = dense(rows, weights, bias)
        rows = rows if number == len(layers) - 1 else np.maximum(rows, 0)
    return rows


match = partial(KIT.match, players=4)


# -- the agent -------------------------------------------------------------------------------------------------------


@pytest.mark.slow_for("strasbourg")
@pytest.mark.parametrize("game", GAMES, ids=OUR_GAMES)
def test_games_are_those_of_a_forward_pass_over_what_the_environment_shows(files, game):
    players, (_, layers) = game.player_counts[-1], files[game.name, 3]
    env = VectorEnv(game, players, 8)
    step, scores = env.reset(3), {}
    while len(scores) < 8:
        logits = forward(step.observations, layers)[:, : game.actions]
        step = env.step(np.where(step.masks, logits, -np.inf).argmax(axis=1))
        for deal, final in zip(step.info.final_deals, step.info.final_scores, strict=True):
            if deal < 8:
                scores[int(deal)] = final.tolist()
    played = KITS[game.name].match(agent(files, 3, game), players=players).play(0, 8, rows=True)
    rows = played.rows.reshape(8, players)
    assert [rows["score"][deal].tolist() for deal in range(8)] == [scores[deal] for deal in range(8)]


def test_it_plays_every_player_count_and_draws_by_temperature(files):
    for players in STROZZI.player_counts:
        assert match(agent(files), "random", players=players).play(0, 3).games == 3
    finals = [
        match(agent(files, settings=settings)).play(0, 8, rows=True).rows.tobytes()
        for settings in ("", ",temperature=0.001", ",temperature=1", ",temperature=1000")
    ]
    assert finals[0] == finals[1]
    assert len(set(finals)) == 3


def asked(spec, table, function=None, cursor=1):
    """(action, memory) of a compiled agent, or of one of its functions, at a position."""
    compiled = compile_agent(spec, table.game, function)
    memory = np.zeros(1, compiled.memory)
    return decide(compiled, table, memory, np.full(1, cursor, RANDOM)), memory[0]


def observed(table, seat):
    out = np.zeros(table.game.observation_size, np.float32)
    kernels(table.game).observe(table.concealed(seat), table.variant.rules, seat, out)
    return out


def softmax(logits):
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


@pytest.mark.parametrize("temperature", [0, 0.5, 3])
def test_probabilities_are_the_softmax_and_so_are_the_actions(files, temperature):
    table, layers = Position(STROZZI, 4, seed=5, deal=1), files["strozzi", 0][1]
    spec, legal = agent(files, settings=f",temperature={temperature}"), list(table.legal)
    logits = forward(observed(table, table.actor)[None], layers)[0, legal].astype(float)
    expected = softmax(logits / (temperature or 1))
    memory = asked(spec, table, spec.agent.probabilities)[1]
    np.testing.assert_allclose(memory["probabilities"][legal], expected, rtol=1e-12)
    if temperature:
        drawn = [asked(spec, table, cursor=cursor << 40)[0] for cursor in range(2000)]
        shares = [drawn.count(action) / 2000 for action in legal]
        np.testing.assert_allclose(shares, expected, atol=0.05)  # 4.5 standard errors


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_it_plays_legal_actions_whatever_the_network_says(tmp_path, bad):
    layers = layers_for(STROZZI, 3)
    layers[-1][1][::2] = bad
    write_networks(tmp_path / "w.npz", {ALL: layers})
    for text in (
        "network:weights=W",
        "network:weights=W,temperature=1",
        "ismcts:iterations=20,prior=(network:weights=W)",
    ):
        spec = load_agent(text.replace("W", str(tmp_path / "w.npz")), STROZZI)
        assert match(spec, "random").play(0, 2).games == 2


@pytest.mark.slow_for("strasbourg")
@pytest.mark.parametrize("game", GAMES, ids=OUR_GAMES)
def test_it_knows_what_its_seat_knows(files, game):
    spec = agent(files, 0, game, ",temperature=1")
    found = check_leaks(spec, game, resolve_variant(game, BASE_NAME), players=[game.player_counts[-1]], deals=1)
    assert found.decisions > 0
    assert found.leak is None


# -- the value head --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [1, 3])
def test_its_worth_is_that_of_the_value_head(files, values):
    spec, table, layers = agent(files, values), Position(STROZZI, 4, seed=5, deal=1), files["strozzi", values][1]
    for _ in range(20):
        table.play(table.ask("heuristic"))
    worth = worth_of(compile_evaluator(spec, STROZZI), table)
    said = forward(np.array([observed(table, seat) for seat in range(4)]), layers)[:, STROZZI.actions :].astype(float)
    scores = np.array(table.scores, float)
    leads = scores - (scores.sum() - scores) / 3
    shares = 1 / (1 + np.exp(-said[:, -1]))
    if values == 3:
        scores, leads = scores + said[:, SCORE], leads + said[:, LEAD]
    np.testing.assert_allclose(worth[:, SCORE], scores)
    np.testing.assert_allclose(worth[:, LEAD], leads - leads.mean(), atol=1e-9)
    np.testing.assert_allclose(worth[:, WIN], shares / shares.sum())
    while not table.over:
        table.play(table.ask("heuristic"))
    worth = worth_of(compile_evaluator(spec, STROZZI), table)
    assert worth[:, SCORE].tolist() == list(table.scores)
    assert worth[:, WIN].sum() == 1


@pytest.mark.slow_for("mo_ismcts:iterations=20")
@pytest.mark.parametrize("search", ["flat_mc:playouts=2", "ismcts:iterations=20", "mo_ismcts:iterations=20"])
def test_searches_evaluate_by_it(files, search):
    file = files["strozzi", 1][0]
    by_values = load_agent(f"{search},utility=win,evaluate=(network:weights={file})", STROZZI)
    assert by_values.source_digest
    assert [sent.given for sent in by_values.sent_files] == [str(file)]
    first, again, other = (
        match(spec, "random").play(0, 2, rows=True).rows.tobytes() for spec in (by_values, by_values, search)
    )
    assert first == again != other


# -- files -----------------------------------------------------------------------------------------------------------


def refused(spec, players=4):
    with pytest.raises(InputError) as error:
        check_lineup([load_agent(spec, STROZZI)], STROZZI, players)
    return str(error.value)


def test_a_file_must_be_given(files):
    expected = "agent 'network': weights must be a file, such as network:weights=FILE; it has no default file"
    assert refused("network") == refused("ismcts:prior=network") == expected
    assert "such as network:weights=FILE; it" in refused("network:temperature=1")
    assert load_agent("network", STROZZI).missing == "weights"
    assert agent(files).missing is None
    with pytest.raises(InputError, match=r"weights nowhere\.npz: expected an \.npz file"):
        load_agent("network:weights=nowhere.npz", STROZZI)
    with pytest.raises(InputError, match="File name too long"):
        load_agent(f"network:weights={'x' * 300}", STROZZI)


def test_other_sizes_are_refused_with_the_file_and_both(files, tmp_path):
    n, a = STROZZI.observation_size, STROZZI.actions
    for sizes in ((n, a + 2), (n - 1, a)):
        write_networks(tmp_path / "w.npz", {4: layers_of(*sizes)})
        spec = f"network:weights={tmp_path / 'w.npz'}"
        assert refused(spec) == (
            f"agent '{spec}': weights: weights {tmp_path / 'w.npz'}: 4 players: expected {n} inputs and "
            f"{a} or {a + 1} or {a + 3} outputs, got {sizes[0]} and {sizes[1]}"
        )
        with pytest.raises(InputError, match=f"expected {n} inputs and {a} or"):
            compile_agent(load_agent(spec, STROZZI), STROZZI)
    write_networks(tmp_path / "w.npz", {4: layers_of(n, a)})
    assert "has no network for 5 players" in refused(f"network:weights={tmp_path / 'w.npz'}", 5)
    assert "all players: expected" in refused(f"network:weights={files['strasbourg', 0][0]}")


def test_a_network_without_values_does_not_evaluate(files):
    file = files["strozzi", 0][0]
    told = refused(f"ismcts:evaluate=(network:weights={file})")
    assert (
        f"expected {STROZZI.observation_size} inputs and {STROZZI.actions + 1} or {STROZZI.actions + 3} outputs" in told
    )
    assert told.endswith("(to evaluate positions)")
    with pytest.raises(InputError, match="outputs, got"):
        compile_evaluator(agent(files), STROZZI)


def test_a_count_has_its_own_network_or_that_of_all(tmp_path):
    one, other = layers_for(STROZZI, seed=1), layers_for(STROZZI, seed=2)
    for name, networks in (("own", {ALL: other, 4: one}), ("one", {4: one}), ("other", {3: other})):
        write_networks(tmp_path / f"{name}.npz", networks)

    def games(name, players):
        played = match(f"network:weights={tmp_path / name}.npz", players=players).play(0, 3, rows=True)
        return played.rows.tobytes()

    assert games("own", 4) == games("one", 4)
    assert games("own", 3) == games("other", 3)


# -- the prior -------------------------------------------------------------------------------------------------------


def pointing(game, action, strength, tmp_path):
    """A network that prefers one action, whatever it sees."""
    weights, bias = np.zeros((game.observation_size, game.actions), np.float32), np.zeros(game.actions, np.float32)
    bias[action] = strength
    file = tmp_path / f"{action}-{strength}.npz"
    write_networks(file, {ALL: [(weights, bias)]})
    return f"(network:weights={file})"


@pytest.mark.slow_for("mo_ismcts:iterations=200")
@pytest.mark.parametrize(
    "search", ["ismcts:iterations=200", "mo_ismcts:iterations=200", "ismcts:iterations=200,backup=selfish"]
)
def test_visits_follow_the_prior(search, tmp_path):
    table = Position(STROZZI, 4, seed=5, deal=1)

    def visits(prior=""):
        return table.analyse(f"{search}{prior}").set_index("action")["visits"]

    plain = visits()
    for action in table.legal:
        priors = [f",prior={pointing(STROZZI, action, strength, tmp_path)}" for strength in (4, 50)]
        likely, sure = map(visits, priors)
        assert likely.sum() == sure.sum() == plain.sum() == 200
        assert likely[action] > plain[action]
        assert sure[action] == 200  # the others have next to no probability


def test_a_prior_is_asked_where_the_seat_is_and_bias_takes_its_action(files, tmp_path):
    prior = f"prior=(network:weights={files['strozzi', 0][0]})"
    games = {
        settings: match(f"ismcts:iterations=20{settings}", "random").play(0, 2, rows=True).rows.tobytes()
        for settings in ("", f",{prior}", f",{prior},bias=2", f",{prior},exploration=3", ",prior=heuristic")
    }
    assert games[""] == games[",prior=heuristic"]  # it says no probabilities, and bias is 0
    assert len(set(games.values())) == 4
    spec = load_agent(f"ismcts:{prior}", STROZZI)
    assert spec.source_digest
    found = check_leaks(load_agent(f"ismcts:iterations=10,{prior}", STROZZI), STROZZI, BASE, players=[3], deals=1)
    assert found.leak is None


def _first(state, rules, params, memory, rng):
    return kth_legal(state, rules, 0)


def _evenly(state, rules, params, memory, rng):
    for action in range(len(memory.probabilities)):
        memory.probabilities[action] = 0.25
    return 0


def test_any_compiled_agent_may_say_probabilities():
    memory = np.dtype([probabilities_field(STROZZI.actions)], align=True)
    even = compiled_agent(name="even", games=("strozzi",), memory=memory, probabilities=_evenly)(_first)
    assert asked(spec_of(even), Position(STROZZI, 4), even.probabilities)[1]["probabilities"].tolist() == [0.25] * 15


def test_probabilities_need_a_place(tmp_path):
    (tmp_path / "bots.py").write_text(
        "from strozzi_sim.agent import compiled_agent\n\n\n"
        "@compiled_agent(name='wrong', probabilities=lambda state, rules, params, memory, rng: 0)\n"
        "def wrong(state, rules, params, memory, rng):\n    return 1\n"
    )
    with pytest.raises(AgentFault, match=r"agent 'wrong': memory: an agent with probabilities has a field prob"):
        compile_agent(load_agent(f"ismcts:prior=({tmp_path / 'bots.py'}::wrong)", STROZZI), STROZZI)


# -- the document's example ------------------------------------------------------------------------------------------


def test_the_example_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "agents.md").read_text()
    section = page.split("## Networks from elsewhere")[1].split("\n## ")[0]
    (block,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    exec(block, names := {})
    assert capsys.readouterr().out
    agents = {"network:weights=my.npz", "random"}
    assert agents < set(names["results"].tables["ratings"]["agent"])
