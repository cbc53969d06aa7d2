"""The agent `learned`: chooses by learned values, for every game that implements `learned.verbs`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from strozzi_agents.learned.estimate import DROPPED, add_sample, begin_estimates
from strozzi_agents.learned.value import OUTPUTS, evaluate_quiet, learned_memory, plan_worth, play_to_quiet, utility_at
from strozzi_agents.learned.verbs import guide_action, is_quiet, level_temperature, solve, value_error
from strozzi_sim.agent import Agent, Param, Plan, Weights, compiled_agent
from strozzi_sim.game.contract import actor, apply, conceal, count_legal, determinize, is_over, kth_legal
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import assign, clone, is_stopped
from strozzi_sim.kernel.streams import randbelow, reseed, reseed_evenly

LEVELS = 10  # the highest level


@jit
def _best_follow_up(state, rules, weights, memory, seat, prize):
    """Return the worth to `seat` of its best action in a position in which it decides again before any other seat."""
    best = -1e30
    tried = clone(state)
    for k in range(count_legal(state, rules)):
        assign(tried, state)
        apply(tried, rules, kth_legal(state, rules, k), memory.chance, None)
        play_to_quiet(tried, rules, memory.chance, memory.guide)
        best = max(best, utility_at(tried, rules, weights, memory, seat, prize))
    return best


@jit
def _own_action(state, rules, weights, memory, seat, prize, rng):
    """Return the action that `seat` chooses during a lookahead: the best one by the values one action ahead."""
    count = count_legal(state, rules)
    if count == 1:
        return kth_legal(state, rules, 0)
    reseed(memory.own_sweep, rng)  # separate draws: it must not know those that follow in the lookahead
    tried = clone(state)
    best, chosen = -1e30, 0
    for k in range(count):
        assign(tried, state)
        assign(memory.own_chance, memory.own_sweep)
        apply(tried, rules, kth_legal(state, rules, k), memory.own_chance, None)
        play_to_quiet(tried, rules, memory.own_chance, memory.guide)
        worth = utility_at(tried, rules, weights, memory, seat, prize)
        if worth > best:
            best, chosen = worth, k
    return kth_legal(state, rules, chosen)


@jit
def try_action(played, rules, weights, memory, seat, action, prize, beyond, rng):
    """Return the worth of `action` to `seat` at the quiet position after `beyond` others; `played` is overwritten."""
    apply(played, rules, action, memory.chance, None)
    if beyond == 0:
        if not is_over(played) and actor(played) == seat and not is_quiet(played, rules):
            return _best_follow_up(played, rules, weights, memory, seat, prize)
        play_to_quiet(played, rules, memory.chance, memory.guide)
        return utility_at(played, rules, weights, memory, seat, prize)
    passed = 0
    left = memory.own
    while not is_over(played) and (passed < beyond or not is_quiet(played, rules)):
        passed += is_quiet(played, rules)
        if actor(played) == seat and left > 0:
            left -= count_legal(played, rules) > 1
            chosen = _own_action(played, rules, weights, memory, seat, prize, rng)
        else:
            chosen = guide_action(played, rules, memory.guide)
        apply(played, rules, chosen, memory.chance, None)
    return utility_at(played, rules, weights, memory, seat, prize)


@jit
def _sample_action(worth, count, temperature, rng):
    """Return k with a probability proportional to exp(worth[k] / temperature), or the first best k at temperature 0.

    `worth` is overwritten.
    """
    best = 0
    for k in range(1, count):
        if worth[k] > worth[best]:
            best = k
    if temperature <= 0.0:
        return best
    highest, total = worth[best], 0.0
    for k in range(count):
        worth[k] = np.exp((worth[k] - highest) / temperature)
        total += worth[k]
    threshold = randbelow(rng, 1 << 31) * 2.0**-31 * total
    for k in range(count):
        threshold -= worth[k]
        if threshold < 0.0:
            return k
    return best


@jit
def _keep_contenders(memory, first, count, tried):
    """Drop the options that are DROPPED standard errors behind the best; return how many are still tried."""
    best = first
    for k in range(count):
        if memory.lead[k] > memory.lead[best]:
            best = k
    kept = 0
    for i in range(tried):
        k = memory.option[i]
        memory.option[kept] = k
        kept += k == best or memory.lead[best] - memory.lead[k] <= DROPPED * memory.error[k]
    if kept == 1 and best != first and memory.lead[best] > DROPPED * memory.error[best]:
        return 0
    return kept


@jit
def _look_ahead(state, rules, weights, memory, seat, count, prize, beyond, redraws, trust, rng):
    """Improve the worth of the legal actions in `memory.total` by samples of the chance until later positions.

    In each sample the first action, the best by value, and all contenders meet the same chance. Actions DROPPED
    standard errors behind the best are no longer tried, and the others share the `redraws` * `count` trials.
    """
    first, tried = 0, 0
    for k in range(count):
        if memory.total[k] > memory.total[first]:
            first = k
    for k in range(count):
        memory.option[tried] = k
        tried += k != first
    begin_estimates(memory, first, count, trust)
    samples, left = 0, redraws * count
    reseed(memory.start, rng)
    drawn, played = clone(state), clone(state)
    while not is_stopped(memory):
        tried = _keep_contenders(memory, first, count, tried)
        if tried == 0 or left <= tried:
            break
        assign(drawn, state)
        determinize(drawn, rules, seat, rng)
        reseed_evenly(memory.sweep, memory.start, samples)
        samples += 1
        left -= tried + 1
        worth_of_first = 0.0
        for i in range(tried + 1):
            k = first if i == 0 else memory.option[i - 1]
            assign(played, drawn)
            assign(memory.chance, memory.sweep)
            worth = try_action(played, rules, weights, memory, seat, kth_legal(state, rules, k), prize, beyond, rng)
            if i == 0:
                worth_of_first = worth
            else:
                add_sample(memory, first, k, samples, worth - worth_of_first, trust)
    by_value = memory.total[first]
    for k in range(count):
        memory.total[k] = by_value + memory.lead[k]


@jit
def choose(state, rules, weights, memory, prize, beyond, redraws, trust, rng):
    """Return the legal action with the highest expected lead plus `prize` times the win, or the action of `solve`.

    Args:
        state: position as the acting seat knows it; in training, nothing is concealed.
        rules: rules of the variant.
        weights: address of the table of network addresses by player count.
        memory: record of `learned_memory`, with its temperature (see `_sample_action`).
        prize: points of lead that a win is worth.
        beyond: number of quiet positions that are passed before the value is looked up.
        redraws: number of samples of hidden information and of chance for each action, on average.
        trust: points, the standard deviation of the error of a difference of two values.
        rng: random stream of the agent.
    """
    seat, count = actor(state), count_legal(state, rules)
    if count == 1:
        return kth_legal(state, rules, 0)
    solved = solve(state, rules, weights, memory, prize, beyond, redraws, rng)
    if solved != 0:
        return solved
    drawn, played = clone(state), clone(state)
    determinize(drawn, rules, seat, rng)
    reseed(memory.sweep, rng)
    for k in range(count):
        assign(played, drawn)
        assign(memory.chance, memory.sweep)
        action = kth_legal(state, rules, k)
        memory.total[k] = try_action(played, rules, weights, memory, seat, action, prize, 0, rng)
    if beyond > 0:
        _look_ahead(state, rules, weights, memory, seat, count, prize, beyond, redraws, trust, rng)
    for k in range(count):
        memory.total[k] += plan_worth(state, rules, memory, kth_legal(state, rules, k))
    return kth_legal(state, rules, _sample_action(memory.total, count, memory.temperature, rng))


def learned_agent(
    game: str,
    guide: np.dtype[Any],
    counts: tuple[int, int],
    players: tuple[int, ...],
    weights: Path,
    description: str,
    plans: Plan,
    *,
    redraws: int = 1,
    error_rates: Mapping[int, Sequence[float]] | None = None,
    looks_ahead: bool = False,
) -> Agent:
    """Return the agent `learned` of a game that implements the verbs of `learned.verbs`.

    Args:
        game: name of the game.
        guide: dtype of the guide's memory.
        counts: numbers of common features and of features of each seat.
        players: player counts with a network in the file.
        weights: file of networks, an .npz file.
        description: one sentence on how the agent plays.
        plans: the plans of the game, whose events the verb `plan_events` counts.
        redraws: default of the parameter `redraws`.
        error_rates: points that each level loses per decision, by player count (see `Agent`); None: no levels.
        looks_ahead: whether it compares all actions by `_look_ahead`; else `solve` makes all decisions.
    """
    common, own = counts
    sizes = {count: (common + own * count, OUTPUTS) for count in players}
    levels: dict[str, Any] = {
        "level": Param(
            LEVELS, 0, LEVELS, "strength; each level is ahead of the one below it in about 0.6 of all pairs of seats"
        ),
        "temperature": Param(
            0.0, 0.0, 1e6, "points; above 0, instead of a level: actions are drawn by exp(worth / temperature)"
        ),
    }
    later: dict[str, Any] = {
        "own": Param(
            1, 0, 100, "later decisions of its own in a sample that the values make; the guide makes the others"
        ),
    }
    agent = compiled_agent(
        name="learned",
        games=(game,),
        players=players,
        stochastic=True,
        memory=learned_memory(guide, common, own, max(players)),
        evaluation=_evaluate,
        weights=Weights(weights, sizes, "file of networks, instead of the ones that come with it"),
        prize=Param(30.0, 0.0, 1e6, "points of lead that a win is worth"),
        beyond=Param(0, 0, 100, "quiet positions that are passed before the value is looked up"),
        redraws=Param(redraws, 1, 100_000, "samples of hidden information and of the chance until then", samples=True),
        plan=plans,
        bonus=Param(10.0, -1e6, 1e6, "points that an event of the plan is worth more", label="bonus"),
        **(levels if error_rates is not None else {}),
        **(later if looks_ahead else {}),
    )(_learned_looking_ahead if looks_ahead else _learned_with_levels if error_rates is not None else _learned)
    return replace(agent, description=description, error_rates=error_rates or {})


@jit
def _begin(root, state, rules, params, memory):
    """Prepare a decision: set `root` to what the acting seat knows, and copy what `choose` needs into the memory."""
    memory._stop = params._stop
    memory.plan, memory.bonus = params.plan, params.bonus
    assign(root, state)
    conceal(root, rules, actor(state))


def _learned(state, rules, params, memory, rng):
    root = clone(state)
    _begin(root, state, rules, params, memory)
    return choose(root, rules, params.weights, memory, params.prize, params.beyond, params.redraws, 0.0, rng)


def _learned_with_levels(state, rules, params, memory, rng):
    root = clone(state)
    _begin(root, state, rules, params, memory)
    memory.temperature = params.temperature if params.temperature > 0.0 else level_temperature(state, params.level)
    return choose(root, rules, params.weights, memory, params.prize, params.beyond, params.redraws, 0.0, rng)


def _learned_looking_ahead(state, rules, params, memory, rng):
    root = clone(state)
    _begin(root, state, rules, params, memory)
    memory.temperature = params.temperature if params.temperature > 0.0 else level_temperature(state, params.level)
    memory.own = params.own
    trust = value_error(state)
    return choose(root, rules, params.weights, memory, params.prize, params.beyond, params.redraws, trust, rng)


def _evaluate(state, rules, params, memory, rng):
    """Write the worth of any position to every seat: the guide first plays on to the next quiet position.

    The value of a quiet position ignores the latest result of chance, so the guide leaves a quiet position too.
    """
    played = clone(state)
    reseed(memory.chance, rng)
    if not is_over(played):
        apply(played, rules, guide_action(played, rules, memory.guide), memory.chance, None)
    play_to_quiet(played, rules, memory.chance, memory.guide)
    evaluate_quiet(played, rules, params.weights, memory)
    return 0
