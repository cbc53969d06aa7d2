"""Parts of every search: common parameters, playouts by a policy, and the rewards of the seats at their end."""

from numba import float64, int64

from strozzi_sim.agent import Choice, Param, Policy
from strozzi_sim.agent.analysis import SCORE, WORTHS
from strozzi_sim.agent.analysis import WIN as WIN_WORTH
from strozzi_sim.agent.parameters import Evaluator
from strozzi_sim.game.contract import (
    apply,
    count_legal,
    determinize,
    imagine,
    is_legal,
    is_over,
    kth_legal,
    merit,
    placing,
    score,
)
from strozzi_sim.kernel.jit import force_inline, jit
from strozzi_sim.kernel.pointers import call_at, float64_at, zero_at
from strozzi_sim.kernel.streams import below, next_word, randbelow, random_word

WIN, RANK, MARGIN = 0, 1, 2  # `utility`
RANDOM_POLICY = 0  # instead of an address: the agent `random`, whose code is inlined
ILLEGAL = 0  # an action that is never legal: what a search returns if its policy chose an illegal one

UTILITY = Choice("margin", ("win", "rank", "margin"), "rewarded: a win, a good place or a high margin")
SPREAD = Param(20.0, 0.001, 1e6, "for utility=margin: lead, in points, with reward 3/4")
MODEL = Policy(
    "random", "agent assumed to have made the others' secret choices; random: no model, the game samples them"
)
DEPTH = Param(
    0, 0, 1_000_000, "decisions of all seats until standings or `evaluate` count; 0: all, or none with an evaluator"
)
EVALUATE = Evaluator("none", "agent that evaluates the end of a playout; none: the standings count")
NO_EVALUATOR = 0  # instead of an address: none


@force_inline
def query(address, params, memory, state, rules, rng):
    """Return the action of the policy at `address`; see `agent.Policy`."""
    if address == RANDOM_POLICY:
        return kth_legal(state, rules, randbelow(rng, count_legal(state, rules)))
    return call_at(address, state, rules, params, memory, rng)


@force_inline
def reset_memory(memory, size):
    """Zero a policy's memory, once per decision of the search: results must not depend on earlier games."""
    if size > 0:
        zero_at(memory, size)


@force_inline
def redraw(state, rules, params, seat, rng):
    """Draw the unknowns of a concealed state; the agent `params.model`, if any, makes others' secret choices."""
    determinize(state, rules, seat, rng)
    if params.model != RANDOM_POLICY:
        imagine(state, rules, seat, (params.model, params.model_params, params.model_memory), rng)


@jit
def play_on(state, rules, chance, rng, params):
    """Play `params.depth` decisions with the policy `params.rollout`; return False if it chose an illegal action.

    Depth 0 means all decisions to the end, but none if there is an evaluator.
    """
    address = params.rollout
    decisions_left = params.depth if params.depth > 0 or params.evaluate != NO_EVALUATOR else 1 << 60
    if address == RANDOM_POLICY:
        word = next_word(rng)
        while decisions_left > 0 and not is_over(state):
            action = kth_legal(state, rules, below(word, count_legal(state, rules)))
            random_word(rng)
            word = next_word(rng)  # before `apply`, so that it overlaps with mispredicted branches there
            apply(state, rules, action, chance, None)
            decisions_left -= 1
        return True
    while decisions_left > 0 and not is_over(state):
        action = call_at(address, state, rules, params.rollout_params, params.rollout_memory, rng)
        if not is_legal(state, rules, action):
            return False
        apply(state, rules, action, chance, None)
        decisions_left -= 1
    return True


@jit
def reward(state, players, seat, utility, spread):
    """Return the reward of the standings for `seat`, between 0 and 1.

    - win : 1 / k for a win shared by k
    - rank : 1 for the first place, 0 for the last, linear in between; a shared place is the mean of the places
    - margin : 1/2 at the score of the best rival, 3/4 with a lead of `spread` points, close to 1 with a long lead (by
      `merit`: if the lowest score wins, a lower score leads)
    """
    if utility == MARGIN:
        rival = int64(-(1 << 60))
        for other in range(players):
            if other != seat:
                rival = max(rival, merit(state, score(state, other)))
        margin = float(merit(state, score(state, seat)) - rival)
        return 0.5 + 0.5 * margin / (spread + abs(margin))
    better, shared = placing(state, seat)
    if utility == WIN:
        return 1.0 / shared if better == 0 else 0.0
    return 1.0 - 0.5 * (2 * better + shared - 1) / (players - 1)


@jit
def rewards(state, players, utility, spread, out):
    """Write the reward of the standings for every seat into float64 `out[P]`."""
    if utility == MARGIN:
        best = second = int64(-(1 << 60))
        leader = 0
        for seat in range(players):
            points = merit(state, score(state, seat))
            if points > best:
                best, second, leader = points, best, int64(seat)
            elif points > second:
                second = points
        for seat in range(players):
            margin = float(merit(state, score(state, seat)) - (second if seat == leader else best))
            out[seat] = 0.5 + 0.5 * margin / (spread + abs(margin))
    elif utility == WIN:
        for seat in range(players):
            out[seat] = 0.0
        winners = 0
        for seat in range(players):
            better, shared = placing(state, seat)
            if better == 0:
                out[seat] = 1.0 / shared
                winners += 1
                if winners == shared:
                    return
    else:
        for seat in range(players):
            out[seat] = reward(state, players, seat, utility, spread)


@force_inline
def _worth_of(params, seat, kind):
    return float64_at(params.evaluate_worth + 8 * (len(WORTHS) * seat + kind))


@jit
def _expected_reward(state, params, players, seat):
    """Return the reward of `seat` from the evaluator's expected scores, or for WIN its expected share of the win."""
    if params.utility == WIN:
        return _worth_of(params, seat, WIN_WORTH)
    own_score, rival, better = merit(state, _worth_of(params, seat, SCORE)), -1e30, 0
    for other in range(players):
        if other != seat:
            other_score = merit(state, _worth_of(params, other, SCORE))
            rival = max(rival, other_score)
            better += other_score > own_score
    if params.utility == MARGIN:
        margin = own_score - rival
        return 0.5 + 0.5 * margin / (params.spread + abs(margin))
    return 1.0 - float64(better) / (players - 1)


@force_inline
def _run_evaluator(state, rules, params, rng):
    """Let the evaluator write the position's worth; return False without an evaluator or after the end."""
    if params.evaluate == NO_EVALUATOR or is_over(state):
        return False
    call_at(params.evaluate, state, rules, params.evaluate_params, params.evaluate_memory, rng)
    return True


@jit
def end_reward(state, rules, params, players, seat, rng):
    """Return the reward of `seat` at the end of a playout, by the evaluator or the standings."""
    if _run_evaluator(state, rules, params, rng):
        return _expected_reward(state, params, players, seat)
    return reward(state, players, seat, params.utility, params.spread)


@jit
def end_rewards(state, rules, params, players, rng, out):
    """Write the reward of every seat at the end of a playout into float64 `out[P]`."""
    if _run_evaluator(state, rules, params, rng):
        for seat in range(players):
            out[seat] = _expected_reward(state, params, players, seat)
    else:
        rewards(state, players, params.utility, params.spread, out)
