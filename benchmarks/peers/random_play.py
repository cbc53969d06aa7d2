"""Decisions of random self-play for a CPU-second in one library; run by race.py, in an environment of that library.

    python random_play.py ROW SECONDS

Prints a line of JSON: decisions and games a CPU-second, seconds from the start to the first result, peak memory in MiB. A decision is
any action of a player, forced ones too.
"""

import json
import random
import resource
import sys
import time
from itertools import count


def openspiel_python(name):
    """Whole games by a loop in Python over the C++ states."""
    import pyspiel

    game, rng = pyspiel.load_game(name), random.Random(1)

    def play():
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, weights)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                decisions += 1
        return decisions, 1

    return play


def openspiel_cpp(name):
    """Whole games in C++ alone, by its own uniformly random bots; their length is that of games of the loop in Python."""
    import pyspiel

    loop, seeds = openspiel_python(name), count(1)
    length = sum(loop()[0] for _ in range(300)) / 300
    game = pyspiel.load_game(name)
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in range(game.num_players())]

    def play():
        pyspiel.evaluate_bots(game.new_initial_state(), bots, next(seeds))
        return length, 1

    return play


def rlcard(name):
    """Whole games of its environments and its RandomAgent."""
    import rlcard
    from rlcard.agents import RandomAgent

    env = rlcard.make(name, config={"seed": 1})
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])

    def play():
        env.timestep = 0
        env.run(is_training=False)
        return env.timestep, 1

    return play


def pettingzoo(name):
    """The loop of its documents, with legal random actions."""
    from importlib import import_module

    env, rng, seeds = import_module(f"pettingzoo.classic.{name}").env(), random.Random(1), count(1)

    def play():
        env.reset(seed=next(seeds))
        decisions = 0
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                env.step(rng.choice(observation["action_mask"].nonzero()[0]))
                decisions += 1
        return decisions, 1

    return play


def catanatron(_):
    """Whole games of four RandomPlayers."""
    from catanatron import Color, Game, RandomPlayer

    def play():
        game = Game([RandomPlayer(color) for color in (Color.RED, Color.BLUE, Color.WHITE, Color.ORANGE)])
        game.play()
        records = getattr(game.state, "action_records", None) or game.state.actions
        return len(records), 1

    return play


def pgx(name):
    """Batches of 1,024 games, each restarted when it ends, in one compiled function of 100 steps."""
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env, batch, steps = pgx.make(name), 1024, 100
    step = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def walk(state, key):
        def one(carry, key):
            state, ended = carry
            logits = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
            state = step(state, jax.random.categorical(key, logits), jax.random.split(key, batch))
            return (state, ended + state.terminated.sum()), None

        (state, ended), _ = jax.lax.scan(one, (state, 0), jax.random.split(key, steps))
        return state, ended

    keys = count(1)
    held = [jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), batch))]

    def play():
        held[0], ended = walk(held[0], jax.random.PRNGKey(next(keys)))
        return batch * steps, int(ended)

    return play


def strozzi_sim(name):
    """Games in compiled code, in one call a slice of 10,000; NAME is a game and a player count."""
    from strozzi_sim.agent import load_agent
    from strozzi_sim.game import load_game
    from strozzi_sim.game.variants import BASE, resolve_variant
    from strozzi_sim.simulation.match import Match

    game_name, players = name.split()
    game, size = load_game(game_name), 10_000
    match = Match(game, int(players), (load_agent("random", game),), resolve_variant(game, BASE), 0)
    match.warm()
    deals = count(0, size)

    def play():
        first = next(deals)
        return int(match.play(first, first + size).outcome["decisions"][0]), size

    return play


def main():
    """Measure one row."""
    began = time.perf_counter()
    kind, _, name = sys.argv[1].partition(" ")
    libraries = (openspiel_python, openspiel_cpp, rlcard, pettingzoo, catanatron, pgx, strozzi_sim)
    play = {each.__name__: each for each in libraries}[kind.replace("-", "_")](name)
    play()
    start = time.perf_counter() - began
    decisions = games = 0
    until = time.process_time() + float(sys.argv[2])
    cpu = time.process_time()
    while time.process_time() < until:
        more, ended = play()
        decisions, games = decisions + more, games + ended
    spent = time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"decisions": decisions / spent, "games": games / spent, "start": start, "peak": peak}))


if __name__ == "__main__":
    main()
