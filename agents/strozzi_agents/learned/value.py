"""The learned worth of a quiet position to a seat, and play by the guide from any position to a quiet one.

`learned.verbs` explains quiet positions, the guide and the features.
"""

from typing import Any

import numpy as np
from numba import float64

from strozzi_agents.learned.verbs import describe, feature_counts, guide_action, is_quiet, plan_events
from strozzi_sim.agent.analysis import LEAD, SCORE, WIN, WORTHS, lead_of, share_of_win, worth_field, write_result
from strozzi_sim.game.contract import apply, is_over, score
from strozzi_sim.kernel.jit import force_inline, jit
from strozzi_sim.kernel.network import NETWORK_WORK, WIDEST, run_network
from strozzi_sim.kernel.pointers import STOP_FIELD, int64_at
from strozzi_sim.kernel.streams import CHANCE

MOST_CHOICES = 256  # length of `total`: no decision may compare more actions
OUTPUTS = len(WORTHS)  # of a network: score and lead to come, and the logit of a win


def learned_memory(guide: np.dtype[Any], common: int, own: int, seats: int) -> np.dtype[Any]:
    """Return the dtype of the memory of an agent with learned values.

    Args:
        guide: dtype of the guide's memory.
        common: number of features that belong to no seat.
        own: number of features of each seat.
        seats: largest number of seats.
    """
    assert common + own * seats <= WIDEST
    return np.dtype([  # shape                                 meaning
        worth_field(seats),  #                                 of the evaluated position
        ("sweep", CHANCE),  #                                  chance from which all actions of a sample start
        ("chance", CHANCE),  #                                 chance of the action that is tried
        # of the searching seat's own decisions in a lookahead: as `sweep` and `chance`, see `learned._own_action`
        ("own_sweep", CHANCE),
        ("own_chance", CHANCE),
        ("start", CHANCE),  #                                  start of the even samples of chance
        ("total", "f8", (MOST_CHOICES,)),  #                   [k] worth of the k-th legal action, or of a game's option
        # of `estimate`: of option k over the first one
        ("gain", "f8", (MOST_CHOICES,)),  #                    [k] sum of its leads in the samples
        ("square", "f8", (MOST_CHOICES,)),  #                  [k] sum of their squares
        ("lead", "f8", (MOST_CHOICES,)),  #                    [k] its estimated lead
        ("error", "f8", (MOST_CHOICES,)),  #                   [k] standard error of this estimate
        ("option", "i4", (MOST_CHOICES,)),  #                  [k] number of the k-th action still tried, or an action
        ("plan", "i8"),  #                                     number of the plan that it follows; 0: none
        ("bonus", "f8"),  #                                    points that an event of the plan is worth more
        ("temperature", "f8"),  #                              points; above 0, worse actions are chosen too
        ("own", "i8"),  #                                      later decisions of a sample that it makes by the values
        ("guide", guide),
        ("features", "f4", (common + own * seats,)),  #        of a quiet position
        ("work", NETWORK_WORK),
        (STOP_FIELD, "i8"),  #                                 copy of the parameters' field, for `is_stopped(memory)`
    ], align=True)  # fmt: skip


@force_inline
def play_to_quiet(state, rules, chance, guide):
    """Let the guide play for all seats until the position is quiet or the game is over."""
    while not is_over(state) and not is_quiet(state, rules):
        apply(state, rules, guide_action(state, rules, guide), chance, None)


@jit
def play_beyond(state, rules, chance, guide, beyond):
    """Let the guide play for all seats past `beyond` quiet positions to the next one, or to the end of the game."""
    play_to_quiet(state, rules, chance, guide)
    for _ in range(beyond):
        if is_over(state):
            break
        apply(state, rules, guide_action(state, rules, guide), chance, None)
        play_to_quiet(state, rules, chance, guide)


@jit
def predict(state, weights, memory, seat):
    """Write the network's outputs for `seat` into `memory.work.output`, computed from `memory.features`.

    `weights` is the address of a table of the networks' addresses by player count. The input has the common features,
    then those of each seat, from `seat` on.
    """
    players = state.players
    common, own = feature_counts(state)
    work = memory.work
    for k in range(common):
        work.input[k] = memory.features[k]
    for turn in range(players):
        other = seat + turn if seat + turn < players else seat + turn - players
        to, source = common + turn * own, common + other * own
        for k in range(own):
            work.input[to + k] = memory.features[source + k]
    run_network(int64_at(weights + 8 * players), work)


@force_inline
def _logistic(logit):
    return 1.0 / (1.0 + np.exp(-float64(logit)))


@jit
def utility_at(state, rules, weights, memory, seat, prize):
    """Return the expected lead of `seat` at a quiet position plus `prize` times its win; exact after the end."""
    if is_over(state):
        return lead_of(state, seat) + prize * share_of_win(state, seat)
    describe(state, rules, memory.guide, memory.features)
    predict(state, weights, memory, seat)
    lead = lead_of(state, seat) + memory.work.output[LEAD]
    return lead + prize * _logistic(memory.work.output[WIN]) if prize != 0.0 else lead


@jit
def plan_worth(state, rules, memory, action):
    """Return what the plan of the agent adds to the worth of an action; 0 without a plan."""
    return memory.bonus * plan_events(state, rules, memory.plan, action) if memory.plan > 0 else 0.0


@jit
def evaluate_quiet(state, rules, weights, memory):
    """Write the expected worth of a quiet position to every seat into `memory.worth`, exact after the end."""
    players = state.players
    if is_over(state):
        write_result(state, memory.worth)
        return
    describe(state, rules, memory.guide, memory.features)
    total = leads = 0.0
    for seat in range(players):
        predict(state, weights, memory, seat)
        memory.worth[seat, SCORE] = score(state, seat) + memory.work.output[SCORE]
        memory.worth[seat, LEAD] = lead_of(state, seat) + memory.work.output[LEAD]
        leads += memory.worth[seat, LEAD]
        win = _logistic(memory.work.output[WIN])
        memory.worth[seat, WIN] = win
        total += win
    for seat in range(players):  # each seat's outputs are computed alone, so make leads sum to 0 and wins to 1
        memory.worth[seat, LEAD] -= leads / players
        memory.worth[seat, WIN] /= total
