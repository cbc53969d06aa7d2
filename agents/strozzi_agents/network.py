"""The agent `network`: plays, and evaluates positions, by any dense network over a game's observation."""

import numpy as np

from strozzi_sim.agent import Param, Weights, compiled_agent
from strozzi_sim.agent.analysis import LEAD, SCORE, WIN, WORTHS, lead_of, probabilities_field, worth_field, write_result
from strozzi_sim.game.contract import actor, conceal, count_legal, is_over, kth_legal, observe, score
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.network import network_outputs, network_work, run_network
from strozzi_sim.kernel.pointers import clone, int64_at
from strozzi_sim.kernel.streams import random_word

NO_NETWORK = 0  # instead of an address: no network for this player count; `check_lineup` refuses such agents
ILLEGAL = 0  # no game has an action 0, so it is reported as a fault of the agent
VALUE_COUNTS = (1, len(WORTHS))  # outputs after the actions: logit of a win, or score and lead to come and that logit
_UNIT = 2.0**-53


def network_sizes(game, evaluates):
    """Return (number of inputs, allowed numbers of outputs) by player count; see `agent.Weights`."""
    counts = VALUE_COUNTS if evaluates else (0, *VALUE_COUNTS)
    outputs = tuple(game.actions + count for count in counts)
    return dict.fromkeys(game.player_counts, (game.observation_size, outputs))


def network_memory(values, game):
    """Return the dtype of the memory of `network`; every call overwrites what it reads there."""
    return np.dtype([
        worth_field(game.max_players),  #  [seat, worth], written by `_evaluate`
        probabilities_field(game.actions),  #  [action], written by `_probabilities`, and as weights by `_weigh`
        ("work", network_work(game.observation_size)),  #  input and output of the network
    ], align=True)  # fmt: skip


@jit
def _network_of(params, players):
    """Return the address of the network for a player count, or NO_NETWORK."""
    return int64_at(params.weights + 8 * players)


@jit
def _run(state, rules, address, memory, seat):
    """Write the outputs of the network at `address`, for what `seat` knows, into `memory.work.output`."""
    concealed = clone(state)
    conceal(concealed, rules, seat)
    observe(concealed, rules, seat, memory.work.input)
    run_network(address, memory.work)


@jit
def _weigh(state, rules, memory, temperature):
    """Write e^(logit / temperature) of every legal action, up to a factor, into `memory.probabilities`; return the sum.

    If the highest logit is infinite or any logit is nan, all weights are 1; otherwise a logit of -inf has weight 0.
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
    if total >= 1.0:  # the highest logit has weight 1; a sum of nan is not >= 1
        return total
    for k in range(count):
        weights[kth_legal(state, rules, k)] = 1.0
    return float(count)


def _probabilities(state, rules, params, memory, rng):
    """Write the probabilities of the legal actions: softmax of logit / temperature, of the logits at temperature 0."""
    address = _network_of(params, state.players)
    if address == NO_NETWORK:
        return 0
    _run(state, rules, address, memory, actor(state))
    total = _weigh(state, rules, memory, params.temperature if params.temperature > 0.0 else 1.0)
    for k in range(count_legal(state, rules)):
        memory.probabilities[kth_legal(state, rules, k)] /= total
    return 0


def _evaluate(state, rules, params, memory, rng):
    """Write the worth of a position to every seat, from what that seat knows; exact after the end."""
    players, actions = state.players, len(memory.probabilities)
    address = _network_of(params, players)
    if is_over(state) or address == NO_NETWORK:
        write_result(state, memory.worth)
        return 0
    outputs = network_outputs(address)
    has_all_worths = outputs - actions == len(WORTHS)
    leads = wins = 0.0
    for seat in range(players):
        _run(state, rules, address, memory, seat)
        output = memory.work.output
        memory.worth[seat, SCORE] = score(state, seat)
        memory.worth[seat, LEAD] = lead_of(state, seat)
        if has_all_worths:  # score and lead are still to come, so add them to those now
            memory.worth[seat, SCORE] += output[actions + SCORE]
            memory.worth[seat, LEAD] += output[actions + LEAD]
        leads += memory.worth[seat, LEAD]
        memory.worth[seat, WIN] = 1.0 / (1.0 + np.exp(-np.float64(output[outputs - 1])))
        wins += memory.worth[seat, WIN]
    for seat in range(players):  # each from one seat's knowledge: shift the leads to a sum of 0, scale the wins to 1
        memory.worth[seat, LEAD] -= leads / players
        memory.worth[seat, WIN] = memory.worth[seat, WIN] / wins if wins > 0.0 else 1.0 / players
    return 0


@compiled_agent(
    name="network",
    stochastic=True,
    memory=network_memory,
    evaluation=_evaluate,
    probabilities=_probabilities,
    weights=Weights(None, network_sizes, "file of networks over the game's observation; required"),
    temperature=Param(0.0, 0.0, 1000.0, "0: the likeliest action; more: drawn by e^(logit / temperature)"),
)
def network(state, rules, params, memory, rng):
    """Plays by any dense network from a file: a logit for each action, and optional values for searches."""
    address = _network_of(params, state.players)
    if address == NO_NETWORK:
        return ILLEGAL
    _run(state, rules, address, memory, actor(state))
    count = count_legal(state, rules)
    if params.temperature > 0.0:
        uniform = np.int64(random_word(rng) >> np.uint64(11)) * _UNIT  # in [0, 1)
        threshold = _weigh(state, rules, memory, params.temperature) * uniform
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
