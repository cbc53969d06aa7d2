"""The agent `network`: the policy, and the values, of any dense network over a game's observation."""

import numpy as np

from strozzi_sim.agent import Param, Weights, compiled_agent
from strozzi_sim.agent.analysis import LEAD, SCORE, WIN, WORTHS, probabilities_field, worth_field, write_result
from strozzi_sim.game.contract import actor, conceal, count_legal, is_over, kth_legal, lead_of, observe, score
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.network import network_outputs, network_work, run_network
from strozzi_sim.kernel.pointers import clone, int64_at
from strozzi_sim.kernel.streams import random_word

NO_NETWORK = 0  # address; `check_lineup` refuses an agent without one
ILLEGAL = 0
VALUES = (1, len(WORTHS))  # outputs after the actions of a network that evaluates: the logit of a win, or all of WORTHS
_UNIT = 2.0**-53


def network_sizes(game, evaluates):
    """Return inputs and outputs of a network of a game, by player count; see `agent.Weights`."""
    values = VALUES if evaluates else (0, *VALUES)
    outputs = tuple(game.actions + extra for extra in values)
    return dict.fromkeys(game.player_counts, (game.observation_size, outputs))


def network_memory(values, game):
    """Return the memory of `network`, which remembers nothing."""
    return np.dtype([  # shape                      meaning
        worth_field(game.max_players),  #           of the position that was evaluated
        probabilities_field(game.actions),  #       [action] weight, or probability, of a legal one
        ("work", network_work(game.observation_size)),
    ], align=True)  # fmt: skip


@jit
def _run(state, rules, address, memory, seat):
    """Compute the network at `address` for what `seat` knows of a position; the result is `memory.work.output`."""
    concealed = clone(state)
    conceal(concealed, rules, seat)
    observe(concealed, rules, seat, memory.work.input)
    run_network(address, memory.work)


@jit
def _weigh(state, rules, memory, temperature):
    """Write e^(logit / temperature) of every legal action, up to a factor, into `memory.probabilities`; return the sum.

    All are 1 if a logit is not finite.
    """
    count = count_legal(state, rules)
    logits, weights = memory.work.output, memory.probabilities
    highest = np.float64(logits[kth_legal(state, rules, 0)])
    for k in range(1, count):
        highest = max(highest, np.float64(logits[kth_legal(state, rules, k)]))
    total = 0.0
    for k in range(count):
        action = kth_legal(state, rules, k)
        weights[action] = np.exp((np.float64(logits[action]) - highest) / temperature)
        total += weights[action]
    if total >= 1.0:  # the highest has 1; false for nan
        return total
    for k in range(count):
        weights[kth_legal(state, rules, k)] = 1.0
    return float(count)


def _probabilities(state, rules, params, memory, rng):
    """Write the probabilities of the legal actions: the softmax of their logits, with temperature 1 in place of 0."""
    address = int64_at(params.weights + 8 * state.players)
    if address == NO_NETWORK:
        return 0
    _run(state, rules, address, memory, actor(state))
    total = _weigh(state, rules, memory, params.temperature if params.temperature > 0.0 else 1.0)
    for k in range(count_legal(state, rules)):
        memory.probabilities[kth_legal(state, rules, k)] /= total
    return 0


def _evaluate(state, rules, params, memory, rng):
    """Write the worth of a position to every seat: the network's values, from what that seat knows."""
    players, actions = state.players, len(memory.probabilities)
    address = int64_at(params.weights + 8 * players)
    if is_over(state) or address == NO_NETWORK:
        write_result(state, memory.worth)
        return 0
    last = network_outputs(address) - 1
    knows_scores = last - actions == WIN
    leads = wins = 0.0
    for seat in range(players):
        _run(state, rules, address, memory, seat)
        output = memory.work.output
        memory.worth[seat, SCORE] = score(state, seat)
        memory.worth[seat, LEAD] = lead_of(state, seat)
        if knows_scores:
            memory.worth[seat, SCORE] += output[actions + SCORE]
            memory.worth[seat, LEAD] += output[actions + LEAD]
        leads += memory.worth[seat, LEAD]
        memory.worth[seat, WIN] = 1.0 / (1.0 + np.exp(-np.float64(output[last])))
        wins += memory.worth[seat, WIN]
    for seat in range(players):  # the seats' outputs need not add up
        memory.worth[seat, LEAD] -= leads / players
        memory.worth[seat, WIN] = memory.worth[seat, WIN] / wins if wins > 0.0 else 1.0 / players
    return 0


@compiled_agent(
    name="network",
    stochastic=True,
    memory=network_memory,
    evaluation=_evaluate,
    probabilities=_probabilities,
    weights=Weights(None, network_sizes, "file of networks over the game's observation; it has to be given"),
    temperature=Param(0.0, 0.0, 1000.0, "0: the likeliest action; more: drawn by e^(logit / temperature)"),
)
def network(state, rules, params, memory, rng):
    """Plays by any dense network, from a file: a logit for each action, and values for searches that ask for them."""
    address = int64_at(params.weights + 8 * state.players)
    if address == NO_NETWORK:
        return ILLEGAL
    _run(state, rules, address, memory, actor(state))
    count = count_legal(state, rules)
    if params.temperature > 0.0:
        threshold = _weigh(state, rules, memory, params.temperature) * (
            np.int64(random_word(rng) >> np.uint64(11)) * _UNIT
        )
        for k in range(count - 1):
            threshold -= memory.probabilities[kth_legal(state, rules, k)]
            if threshold < 0.0:
                return kth_legal(state, rules, k)
        return kth_legal(state, rules, count - 1)
    best = kth_legal(state, rules, 0)
    for k in range(1, count):
        action = kth_legal(state, rules, k)
        if memory.work.output[action] > memory.work.output[best]:
            best = action
    return best
