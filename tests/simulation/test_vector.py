"""VectorEnv: every game is the one that positions, self-play and records have of its deal, and mistakes are told in one line."""

import re
from collections import defaultdict

import numpy as np
import pytest

from every_kit import KITS
from our_games import KNOWN_GAMES, OUR_GAMES
from strozzi_games import STROZZI
from strozzi_sim.agent import compiled_agent, load_agent, python_agent, seat_others, spec_of
from strozzi_sim.conformance.kernels import kernels
from strozzi_sim.errors import AgentFault, ArgumentError, InputError
from strozzi_sim.game import load_game
from strozzi_sim.game.contract import count_legal, kth_legal
from strozzi_sim.game.variants import from_changes
from strozzi_sim.games.strozzi.state import CLAIM_WITH, PIRATE_FLAG
from strozzi_sim.play import one_game
from strozzi_sim.play.position import Position
from strozzi_sim.play.records import record_game
from strozzi_sim.simulation.match import Match
from strozzi_sim.simulation.seatings import seating_design
from strozzi_sim.simulation.vector import VectorEnv

pytestmark = pytest.mark.slow

COUNTS = [
    pytest.param(name, players, marks=pytest.mark.slow if players in load_game(name).player_counts[1:-1] else ())
    for name in OUR_GAMES
    for players in load_game(name).player_counts
]
SEED = 5


@compiled_agent(name="grabber", games=("strozzi",))
def grabber(state, rules, params, memory, rng):
    """Takes everything with its pirate flag."""
    claim = CLAIM_WITH + PIRATE_FLAG
    for k in range(count_legal(state, rules)):
        if kth_legal(state, rules, k) == claim:
            return claim
    return kth_legal(state, rules, 0)


@compiled_agent(name="cheat", games=("strozzi",))
def cheat(state, rules, params, memory, rng):
    """Makes every ship fast."""
    rules.sail[0] += 1
    return kth_legal(state, rules, 0)


@compiled_agent(name="wrong", games=("strozzi",))
def wrong(state, rules, params, memory, rng):
    """Chooses what is never legal."""
    return 77


@python_agent(name="slow", games=("strozzi",))
class Slow:
    """Plays, but in Python."""

    def act(self, view, legal, rng):
        return legal[0]


# -- equal to one game at a time -------------------------------------------------------------------------------------


def observed(position, seat):
    out = np.full(position.game.observation_size, np.nan, np.float32)
    kernels(position.game).observe(position.concealed(seat), position.variant.rules, seat, out)
    return out


def results(position):
    """(score, seats placed better, seats that share the place) of every seat."""
    out = np.zeros((position.players, 3), np.int64)
    kernels(position.game).results(position.state, out)
    return out


def rewards_of(position, reward):
    scores, better, shared = results(position).T
    if reward == "win":
        return np.where(better == 0, 1 / shared, 0)
    return scores if reward == "score" else scores - (scores.sum() - scores) / (position.players - 1)


@pytest.mark.nightly_for("strasbourg-4", "strasbourg-5")
@pytest.mark.slow_for("strasbourg")  # whose environment takes 20 s to compile
@pytest.mark.parametrize("variant", ["base", "all-flipped"])
@pytest.mark.parametrize(("name", "players"), COUNTS)
def test_every_step_is_that_of_one_game_at_a_time(name, players, variant):
    """Observations, masks, seats, rewards, ends; `all-flipped` hides what can be hidden."""
    game, played = load_game(name), KITS[name].variant(variant)
    n, reward = 3, ("win", "score", "lead")[players % 3]
    env = VectorEnv(game, players, n, reward=reward, variant=played)
    positions = [Position(game, players, seed=SEED, deal=deal, variant=played) for deal in range(n)]
    step, ends = env.reset(SEED), 0
    while ends < 3 * n:
        for i, position in enumerate(positions):
            assert step.seats[i] == position.actor
            assert tuple(np.flatnonzero(step.masks[i])) == position.legal
            assert step.info.num_legal[i] == len(position.legal)
            assert np.array_equal(step.observations[i], observed(position, position.actor))
            assert step.info.deals[i] == position.deal == env.deals[i]
        actions = env.random_actions()
        movers = step.seats
        step, row = env.step(actions), 0
        for i, position in enumerate(positions):
            position.play(int(actions[i]))
            assert step.done[i] == position.over
            if not position.over:
                assert not step.rewards[i].any()
                continue
            assert step.rewards[i].tolist() == pytest.approx(rewards_of(position, reward).tolist())
            info = step.info
            assert (info.finished[row], info.final_deals[row], info.final_seats[row]) == (i, position.deal, movers[i])
            assert info.final_scores[row].tolist() == results(position)[:, 0].tolist()
            for seat in range(players):
                assert np.array_equal(info.final_observations[row, seat], observed(position, seat))
            positions[i] = Position(game, players, seed=SEED, deal=position.deal + n, variant=played)
            row, ends = row + 1, ends + 1
        assert row == len(step.info.finished) == step.done.sum()
    assert step.rewards.dtype == step.observations.dtype == np.float32


# -- equal to self-play and records ----------------------------------------------------------------------------------


def play(env, steps, seed=SEED):
    """Random play; returns {deal: (scores, learner's decisions, last seat)} of the games that ended."""
    found, decisions = {}, defaultdict(int)
    step = env.reset(seed)
    for _ in range(steps):
        for deal in step.info.deals.tolist() if env.num_envs < 100 else ():
            decisions[deal] += 1
        step = env.step(env.random_actions())
        info = step.info
        for deal, seat, scores in zip(
            info.final_deals.tolist(), info.final_seats.tolist(), info.final_scores.tolist(), strict=True
        ):
            found[deal] = scores, decisions[deal], seat
    return found


def scores_of(match, deals, seating_of):
    """{deal: (scores, decisions)} of self-play, at the seating of each deal."""
    rows = match.play(0, deals, rows=True).rows.reshape(deals, -1, match.players)
    return {
        deal: (rows[deal, seating_of(deal)]["score"].tolist(), int(rows[deal, seating_of(deal), 0]["decisions"]))
        for deal in range(deals)
    }


@pytest.mark.nightly_for("strasbourg-4", "strasbourg-5")
@pytest.mark.slow_for("strasbourg")
@pytest.mark.parametrize(("name", "players"), COUNTS)
def test_random_play_is_self_play_of_the_agent_random(name, players):
    env = VectorEnv(name, players, 8)
    found = play(env, 400)
    assert env.steps == 400
    assert len(found) > env.num_envs  # some have begun anew
    match = Match(env.game, players, (load_agent("random"),), env.variant, SEED)
    wanted = scores_of(match, max(found) + 1, lambda deal: 0)
    for deal, (scores, decisions, _) in found.items():
        assert (scores, decisions) == wanted[deal], deal
    lines = record_game(match, max(found), 0)
    final = lines[-1]
    assert final["type"] == "score_end"
    assert final["total"] == found[max(found)][0]


OPPONENTS = [
    ("strozzi", 3, ["heuristic", "greedy"]),
    ("strozzi", 4, "random"),
    ("strozzi", 5, ["greedy", "random", "ismcts:iterations=8"]),
    ("strozzi", 6, ["promoter", "racer"]),
    ("medici_vs_strozzi", 2, ["fair-price"]),
    ("medici_vs_strozzi", 2, "ismcts:iterations=8"),
]


@pytest.mark.slow
@pytest.mark.parametrize("seat", ["rotate", 1])
@pytest.mark.parametrize(("name", "players", "opponents"), OPPONENTS)
def test_opponents_play_as_in_self_play(name, players, opponents, seat):
    """The learner draws its actions as `random` does, so self-play of [random, opponents ...] is the same games."""
    env = VectorEnv(name, players, 6, opponents=opponents, seat=seat)
    found = play(env, 300)
    names = [opponents] if isinstance(opponents, str) else opponents
    lineup = ["random", *(names[k % len(names)] for k in range(players - 1))]
    match = Match(env.game, players, tuple(load_agent(text, env.game) for text in lineup), env.variant, SEED, "rotate")
    seating_of = (lambda deal: deal % players) if seat == "rotate" else (lambda deal: 1)
    wanted = scores_of(match, max(found) + 1, seating_of)
    assert len(found) >= 12
    for deal, (scores, _, last_seat) in found.items():
        assert scores == wanted[deal][0], deal
        assert last_seat == seating_of(deal)


@pytest.mark.parametrize(
    ("seat", "around"),
    [
        (0, ["me", "heuristic", "greedy", "heuristic"]),
        (1, ["heuristic", "me", "heuristic", "greedy"]),
        (2, ["greedy", "heuristic", "me", "heuristic"]),
        (3, ["heuristic", "greedy", "heuristic", "me"]),
    ],
)
def test_opponents_follow_one_rule_everywhere(seat, around):
    """After the caller's seat in turn order: in environments, at a person's table, for assistants, and in `compare`."""
    names = ["heuristic", "greedy"]
    specs = [load_agent(name, STROZZI) for name in names]
    env = VectorEnv(STROZZI, 4, 1, names, seat)
    positions = seating_design("rotate", 4)[seat]
    assert [["me", *(spec.text for spec in env.pool[0])][position] for position in positions] == around
    others = seat_others(specs, 4, seat)
    assert [spec.text if each != seat else "me" for each, spec in enumerate(others)] == around
    text = one_game.position("strozzi", 4, opponents=",".join(names), seat=seat)["text"]
    assert re.findall(r"^ +[0-3] (\w+)", text, re.MULTILINE) == ["you" if name == "me" else name for name in around]


def test_a_game_does_not_depend_on_the_number_of_games():
    """Nor on the slot: what is seen of a deal, step by step, is the same for every n."""
    seen = []
    for n in (1, 4, 12):
        env, courses = VectorEnv("strozzi", 3, n, opponents="random"), defaultdict(list)
        step = env.reset(SEED)
        for _ in range(600 // n):
            for i, deal in enumerate(step.info.deals.tolist()):
                courses[deal].append(
                    (step.observations[i].tobytes(), step.masks[i].tobytes(), int(step.info.random_bits[i]))
                )
            step = env.step(env.random_actions())
        seen.append(courses)
    common = set(seen[0]) & set(seen[1]) & set(seen[2])
    assert len(common) > 8
    whole = [deal for deal in common if deal + 12 in seen[2] and deal + 4 in seen[1] and deal + 1 in seen[0]]
    assert len(whole) > 8
    for deal in whole:
        assert seen[0][deal] == seen[1][deal] == seen[2][deal]


@pytest.mark.slow
def test_reset_begins_again_and_seeds_differ():
    env = VectorEnv("medici_vs_strozzi", 2, 16)
    first = env.reset(1)
    for _ in range(30):
        env.step(env.random_actions())
    again, other = env.reset(1), env.reset(2)
    assert np.array_equal(first.observations, again.observations)
    assert not np.array_equal(first.observations, other.observations)
    assert (env.seed, env.steps, env.deals.tolist()) == (2, 0, list(range(16)))
    assert np.array_equal(env.reset().observations, env.reset(0).observations)


def test_arrays_are_the_callers_to_keep():
    env = VectorEnv("strozzi", 3, 4)
    first = env.reset(1)
    kept = first.observations.copy()
    second = env.step(env.random_actions())
    assert np.array_equal(first.observations, kept)
    for one, other in zip(first[:5], second[:5], strict=True):
        assert not np.shares_memory(one, other)
    second.masks[:] = False  # whatever the caller writes, the games go on as they are
    env.step(np.array([np.flatnonzero(row)[0] for row in env.reset(1).masks]))


def test_a_game_in_which_the_learner_is_not_asked_is_passed_over():
    """One card, and whoever is first takes it as a pirate: the others have nothing to say."""
    card = from_changes(STROZZI, "card", {"setup": {"rounds": 1, "cards_removed": {"4": 28}}}, "tests")
    pirates = spec_of(grabber, STROZZI)
    env = VectorEnv(STROZZI, 4, 3, opponents=[pirates], variant=card)
    step = env.reset(1)
    asked = set()
    for _ in range(40):
        asked |= {int(deal) % 4 for deal in step.info.deals}
        assert (step.info.deals % 3 == [0, 1, 2]).all()
        step = env.step(env.random_actions())
    assert 0 in asked
    assert asked < {0, 1, 2, 3}
    with pytest.raises(InputError, match="slot 0: no decision for the caller in 1,000 deals"):
        VectorEnv(STROZZI, 4, 1, opponents=[pirates], seat=3, variant=card).reset(1)


# -- what may go wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (("strozi", 4, 8), {}, f"game: unknown game 'strozi'; {KNOWN_GAMES}; did you mean 'strozzi'?"),
        (("strozzi", 7, 8), {}, "players: strozzi takes 3-6 players, got 7"),
        (("strozzi", 4, 0), {}, "num_envs: must be between 1 and 1,048,576, got 0"),
        (("strozzi", 4, 8), {"reward": "money"}, "reward: unknown reward 'money'; known: win, score, lead"),
        (("strozzi", 4, 8), {"seat": 0}, "seat: without opponents every seat is the caller's; leave it out"),
        (("strozzi", 4, 8), {"seat": 4, "opponents": "random"}, "seat: must be between 0 and 3, got 4"),
        (("strozzi", 4, 8), {"seat": "any", "opponents": "random"}, "seat: must be 'rotate' or a seat from 0 to 3, got 'any'"),
        (("strozzi", 4, 8), {"opponents": ["random"] * 4}, "opponents: expected 1 to 3 beside the learner, got 4"),
        (("strozzi", 4, 8), {"opponents": 3}, "opponents: expected None, an agent, a list of agents, or a list of such lists, got 3"),
        (("strozzi", 4, 8), {"opponents": [["random"], "greedy"]}, "opponents: expected None, an agent, a list of agents, or a list of such"),
        (("strozzi", 4, 8), {"opponents": spec_of(Slow, STROZZI)}, "opponents: agent 'slow' is written in Python, and only compiled"),
        (("strozzi", 4, 2**20), {"opponents": "ismcts:iterations=100000"}, "num_envs: the opponents need "),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_named(arguments, options, words):
    with pytest.raises(InputError, match=re.escape(words)):
        VectorEnv(*arguments, **options)


def test_wrong_actions_are_named_and_nothing_is_played():
    env = VectorEnv("strozzi", 4, 4)
    step = env.reset(1)
    for actions, found in (
        (np.ones(3, int), "int64[3]"),
        (np.ones((4, 1), int), "int64[4, 1]"),
        (np.ones(4), "float64[4]"),
        (np.ones(4, bool), "bool[4]"),
        (3, "int64[]"),
        (None, "object[]"),
    ):
        with pytest.raises(ArgumentError, match=re.escape(f"whole numbers [4], one for each game, got {found}")):
            env.step(actions)
    before = env._works.tobytes()
    for action in (0, -1, 14, 10**9):
        actions = env.random_actions()
        actions[2] = action
        with pytest.raises(ArgumentError, match=rf"slot 2 \(deal 2\), seat 0: {action} is not legal; legal: 1, 2, 3"):
            env.step(actions)
    assert env._works.tobytes() == before
    assert env.steps == 0
    env.step(np.array(env.random_actions(), np.uint8))
    env.step(env.random_actions().tolist())
    assert step.seats.tolist() == [0] * 4


def test_a_step_needs_a_reset_and_an_open_environment():
    env = VectorEnv("strozzi", 4, 4)
    for call in (lambda: env.step([1] * 4), env.random_actions, lambda: env.deals, lambda: env.lineups([0])):
        with pytest.raises(InputError, match=r"no games are dealt; call reset\(seed\) first"):
            call()
    for seed, words in (
        (-1, "seed: must be between 0 and 9,007,199,254,740,991, got -1"),
        (0.5, "seed: must be a whole"),
    ):
        with pytest.raises(ArgumentError, match=words):
            env.reset(seed)
    with env:
        env.reset(1)
        with pytest.raises(ArgumentError, match="deal: must be between 0 and"):
            env.reset(2, deal=-1)
        assert env.seed == 1  # that of the games
    for call in (env.reset, lambda: env.step([1] * 4)):
        with pytest.raises(InputError, match="it is closed; make a new one"):
            call()


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (wrong, r"agent 'wrong' at seat \d chose the illegal action 77 \(decision \d+ of strozzi, 4 players, seed 1, deal \d, seating \d\)"),
        (cheat, "agent 'cheat' changed the rules that it received"),
    ],
)  # fmt: skip
def test_the_fault_of_an_opponent_is_told_and_only_a_reset_helps(agent, words):
    env = VectorEnv(STROZZI, 4, 4, opponents=spec_of(agent, STROZZI), seat=0)

    def go_on():
        env.reset(1)
        for _ in range(9):
            env.step(env.random_actions())

    with pytest.raises(AgentFault, match=words):
        go_on()
    with pytest.raises(InputError, match="no games are dealt"):
        env.random_actions()
    assert env.reset(1).seats.tolist() == [0] * 4


# -- pools of opponents ----------------------------------------------------------------------------------------------

POOL = [["random"], ["greedy", "random"], ["flat_mc:playouts=1,per=decision", "heuristic"], ["heuristic"]]


def finals_by_deal(num_envs, opponents, most=48):
    """(final scores, line-up) of the first deals, where the learner takes the last legal action."""
    env = VectorEnv("strozzi", 4, num_envs, opponents)
    step, found = env.reset(SEED), {}
    while not set(range(most)) <= set(found):
        last = step.masks.shape[1] - 1 - step.masks[:, ::-1].argmax(axis=1)
        step = env.step(last)
        info = step.info
        for deal, scores, lineup in zip(
            info.final_deals, info.final_scores, env.lineups(info.final_deals), strict=True
        ):
            found[int(deal)] = (scores.tolist(), int(lineup))
    return {deal: found[deal] for deal in range(most)}


def test_a_game_of_a_pool_is_that_of_its_lineup_whatever_the_number_of_games():
    one, other = finals_by_deal(3, POOL), finals_by_deal(16, POOL)
    assert one == other
    drawn = [lineup for _, lineup in one.values()]
    assert set(drawn) == {0, 1, 2, 3}
    alone = [finals_by_deal(16, lineup) for lineup in POOL]
    assert {deal: (alone[lineup][deal][0], lineup) for deal, (_, lineup) in one.items()} == one


def test_lineups_of_a_pool_are_equally_likely_and_another_seed_draws_others():
    env = VectorEnv("strozzi", 4, 2, POOL)
    with pytest.raises(InputError, match="no games are dealt"):
        env.lineups()
    counts, drawn = [], []
    for seed in (1, 2):
        env.reset(seed)
        drawn.append(env.lineups(np.arange(4000)))
        counts.append(np.bincount(drawn[-1], minlength=4))
    assert (np.abs(np.array(counts) - 1000) < 120).all()  # 4.4 standard deviations
    assert 0.2 < (drawn[0] == drawn[1]).mean() < 0.3
    assert (env.lineups() == drawn[1][[0, 1]]).all()
    assert "opponents=[[random, random, random], [greedy, random, greedy], " in repr(env)
    assert repr(env.pool[0][0]) == "AgentSpec(source='random', settings='', game='strozzi', without=())"
    assert len(repr((env.pool, env.variant))) < 2000  # neither every default nor the component data
    with pytest.raises(ArgumentError, match=r"deals: expected whole numbers \[k\], got float64\[1\]"):
        env.lineups([0.5])
