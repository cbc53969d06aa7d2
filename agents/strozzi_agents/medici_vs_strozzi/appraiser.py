"""Search for Medici vs Strozzi: simulate both outcomes of a lot, and solve the price node in closed form.

W_P and W_R are the proposer's final margins, without the price, if the proposer keeps the lot or the rival buys it. A
price p leaves the proposer min(W_P - p, W_R + p), which is largest where both are equal, so prices need no branches.
The search tries the most promising placements of each side in simulated games. The best ones give W_P and W_R, which
give the price and the answer.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
from numba import float64, int64

from strozzi_agents.medici_vs_strozzi.pricing import WEIGHTS
from strozzi_sim.agent import Choice, Param, compiled_agent
from strozzi_sim.agent.analysis import ActionAnalysis
from strozzi_sim.game.contract import apply, conceal, determinize, is_over
from strozzi_sim.games.medici_vs_strozzi import worth
from strozzi_sim.games.medici_vs_strozzi.core import placements
from strozzi_sim.games.medici_vs_strozzi.state import (
    ANSWER,
    BUY,
    DECLINE,
    DISCARD,
    LOAD,
    MAX_HARBORS,
    MAX_SHIPS,
    MEDICI,
    NAME_PRICE,
    PLACE,
    PRICE,
    REVEAL,
    REVEAL_MORE,
    STOP,
    STROZZI,
)
from strozzi_sim.kernel.bits import lowest_bit
from strozzi_sim.kernel.jit import force_inline, jit
from strozzi_sim.kernel.pointers import assign, clone, is_stopped
from strozzi_sim.kernel.streams import CHANCE, RANDOM, randbelow, random_word, reseed

MARGIN, WIN = 0, 1  # values of `utility`
_OPTIONS = 1 + MAX_SHIPS * MAX_HARBORS  # to discard, and every placement
_MIN_SAMPLES = 64


def appraiser_memory(values, game):
    """Return the dtype of the memory of `appraiser`, with a sample of the margin for each playout.

    The number of samples is a power of two, because each size is compiled separately.
    """
    playouts = max(_MIN_SAMPLES, 1 << (int(values["playouts"]) - 1).bit_length())
    return np.dtype([  # shape                   meaning
        ("now", worth.MEMORY),  #                for estimates in this round
        ("next", worth.MEMORY),  #               for estimates in the next round
        ("chance", CHANCE),  #                   chance of the current playout
        ("roll", RANDOM),  #                     random stream of the playouts
        ("action", "i4", (_OPTIONS,)),  #        [option] placements of one side, the most promising first
        ("promise", "f8", (_OPTIONS,)),  #       [option] that side's estimated margin to come
        ("sample", "f8", (3, playouts)),  #      [row, playout] Medici's final margin; row 0: the proposer's best
        #                                        placement, or in PLACE the buyer's, 1: the responder's, 2: on trial
        ("played", "i8"),  #                     playouts of each option that was tried last
        ("tried", "i4"),  #                      number of these options
        ("mean", "f8", (_OPTIONS,)),  #          [option] that side's mean final margin
        ("mine", "f8"),  #                       W_P at the last price or answer
        ("yours", "f8"),  #                      W_R
        ("price", "f8"),  #                      price of the lot, if the last decision was an answer
        ("playouts", "i8"),  #                   playouts in this game
    ], align=True)  # fmt: skip


def appraiser_analyses(memory: Any, legal: Sequence[int], node: Any) -> list[ActionAnalysis]:
    """Return the acting seat's expected final margin in coins for each placement tried, each price or both answers.

    Values of prices assume that the rival may buy, even where the rules or a restriction forbid it.
    """
    tried = int(memory["tried"])
    playouts = int(memory["played"])
    if legal[0] == REVEAL_MORE or node is not None:
        return []  # whether to show another tile is decided without playouts
    if legal[0] == DISCARD:
        options = zip(memory["action"][:tried].tolist(), memory["mean"][:tried].tolist(), strict=True)
        return [ActionAnalysis(action, playouts, value) for action, value in options]
    W_P, W_R = float(memory["mine"]), float(memory["yours"])
    if legal[0] == BUY:
        price = float(memory["price"])
        return [ActionAnalysis(BUY, playouts, -(W_R + price)), ActionAnalysis(DECLINE, playouts, -(W_P - price))]
    return [
        ActionAnalysis(action, playouts, min(W_P - (action - NAME_PRICE), W_R + (action - NAME_PRICE)))
        for action in legal
    ]


@jit
def _list_options(state, rules, params, memory, seat):
    """Fill `action` with the placements of `seat`, the most promising first; return the number worth trying."""
    after = clone(state)
    memory.action[0] = DISCARD
    memory.promise[0] = worth.margin_of(after, rules, params, memory.now, seat)
    count = 1
    places = placements(state, rules, seat)
    while places != 0:
        place = lowest_bit(places)
        places &= places - 1
        worth.place_lot(after, state, rules, seat, place)
        promise = worth.margin_of(after, rules, params, memory.now, seat)
        k = count
        while k > 0 and memory.promise[k - 1] < promise:
            memory.promise[k] = memory.promise[k - 1]
            memory.action[k] = memory.action[k - 1]
            k -= 1
        memory.promise[k], memory.action[k] = promise, LOAD + place
        count += 1
    tried = 1
    while tried < min(count, params.options) and memory.promise[tried] > memory.promise[0] - params.window:
        tried += 1
    return tried


@jit
def _play_lot(state, rules, params, tables, memory):
    """Play one turn as two `fair-price` agents do, but judge another tile by one random tile of the bag.

    A restriction of the proposer's price is ignored.
    """
    kept, sold, own_place, rival_place = worth.outcomes(state, rules, params, tables)
    while state.phase == REVEAL:
        shown, unseen = state.shown, state.unseen
        after = clone(state)
        after.lot[shown] = state.unseen_tile[randbelow(memory.roll, unseen)]
        after.shown = shown + 1
        after.unseen = unseen - 1
        kept_after, sold_after = worth.kept_and_sold(after, rules, params, tables)
        if worth.node(kept_after, sold_after) <= worth.node(kept, sold):
            apply(state, rules, STOP, memory.chance, None)
            break
        apply(state, rules, REVEAL_MORE, memory.chance, None)
        kept, sold, own_place, rival_place = worth.outcomes(state, rules, params, tables)
    half = 0.5 * (kept - sold)
    price = worth.whole_price(rules, half)
    apply(state, rules, NAME_PRICE + price, memory.chance, None)
    buys = float64(price) < half
    if state.phase == ANSWER:
        apply(state, rules, BUY if buys else DECLINE, memory.chance, None)
    else:
        buys = False
    if state.phase == PLACE:
        apply(state, rules, rival_place if buys else own_place, memory.chance, None)


@jit
def _final_margin(state, rules, params, memory, first_round):
    """Return Medici's final margin in coins: exact if the game is over, else its cash lead plus the estimate."""
    cash = float64(state.cash[MEDICI] - state.cash[STROZZI])
    if is_over(state):
        return cash
    proposer = state.proposer
    if state.round == first_round:
        return cash + worth.margin(state, rules, params, memory.now, proposer, False)
    worth.fill_round(state, rules, params, memory.next)
    return cash + worth.margin(state, rules, params, memory.next, proposer, False)


@jit
def play_on(state, rules, params, memory, seat, action, stream, row):
    """Play `params.playouts` games on from a placement, and return the mean final margin for `seat`, which places.

    Medici's margins are written to row `row` of `memory.sample`. Calls with the same `stream`, the initial cursor of
    `memory.roll`, meet the same tiles.
    """
    root = clone(state)
    root.phase = PLACE
    root.actor = seat
    root.buyer = seat
    root.price = 0
    first_round = state.round
    played = clone(root)
    total = 0.0
    memory.roll.cursor = stream
    for k in range(params.playouts):
        if is_stopped(params):
            break
        assign(played, root)
        reseed(memory.chance, memory.roll)
        playout_cursor = random_word(memory.roll)
        next_cursor = memory.roll.cursor
        memory.roll.cursor = playout_cursor
        apply(played, rules, action, memory.chance, None)
        lots = 0
        while lots < params.lots and not is_over(played) and played.round == first_round:
            _play_lot(played, rules, params, memory.now, memory)
            lots += 1
        memory.roll.cursor = next_cursor
        margin = _final_margin(played, rules, params, memory, first_round)
        memory.sample[row, k] = margin
        total += margin
    memory.playouts += params.playouts
    return total / params.playouts if seat == MEDICI else -total / params.playouts


@jit
def _best(state, rules, params, memory, seat, stream, row):
    """Return (best placement of `seat`, its mean margin for `seat`), and write its samples to row `row`."""
    count = _list_options(state, rules, params, memory, seat)
    memory.tried, memory.played = count, params.playouts
    best, chosen = -1e30, DISCARD
    for option in range(count):
        action = memory.action[option]
        mean = play_on(state, rules, params, memory, seat, action, stream, int64(2))
        memory.mean[option] = mean
        if mean > best:
            best, chosen = mean, action
            for k in range(params.playouts):
                memory.sample[row, k] = memory.sample[2, k]
    return chosen, best


@force_inline
def _chance_to_win(params, memory, seat, row, cash, spread):
    """Return the probability that `seat` wins with `cash` more coins: the mean over a row, smoothed by `spread`."""
    total = 0.0
    for k in range(params.playouts):
        margin = (memory.sample[row, k] if seat == MEDICI else -memory.sample[row, k]) + cash
        total += 0.5 + 0.5 * margin / sqrt(margin * margin + spread * spread)
    return total / params.playouts


@jit
def _indifference_price(params, memory, proposer, spread, top):
    """Return the price up to `top` at which the proposer's chances with and without the lot are closest (bisection)."""
    low, high = 0.0, float64(top)
    for _ in range(24):
        price = 0.5 * (low + high)
        keeps = _chance_to_win(params, memory, proposer, int64(0), -price, spread)
        sells = _chance_to_win(params, memory, proposer, int64(1), price, spread)
        if keeps > sells:
            low = price
        else:
            high = price
    return 0.5 * (low + high)


@compiled_agent(
    name="appraiser",
    games=("medici_vs_strozzi",),
    stochastic=True,
    memory=appraiser_memory,
    analyse=appraiser_analyses,
    playouts=Param(40, 1, 1_000_000, "simulated games for each placement tried"),
    options=Param(3, 1, _OPTIONS, "most placements of each side that it tries, the most promising first"),
    window=Param(15.0, 0.0, 1000.0, "coins; placements estimated this much below the best, or more, are not tried"),
    lots=Param(3, 0, 1_000, "turns played before the estimate; at most to the end of the round"),
    utility=Choice("margin", ("margin", "win"), "what its prices and answers maximize: coins, or wins"),
    safe=Param(60.0, 0.0, 1e6, "for utility=win: lead in coins that wins 17 of 20 games, with one round to come"),
    **WEIGHTS,
)
def appraiser(state, rules, params, memory, rng):
    """Simulates both outcomes of a lot, and names the price at which they are worth the same.

    Simulated turns are those of two `fair-price` agents, except that one random tile of the bag decides whether to show
    another. The rest of the game is estimated as `fair-price` does.
    All placements meet the same tiles (common random numbers).
    """
    worth.fill_round(state, rules, params, memory.now)
    root = clone(state)
    conceal(root, rules, state.actor)
    determinize(root, rules, state.actor, rng)
    phase = state.phase
    proposer = state.proposer
    if phase == REVEAL:
        kept, sold = worth.kept_and_sold(root, rules, params, memory.now)
        with_another_tile = worth.another_tile(root, rules, params, memory.now)
        return REVEAL_MORE if with_another_tile > worth.node(kept, sold) else STOP
    stream = random_word(rng)
    if phase == PLACE:
        return _best(root, rules, params, memory, state.actor, stream, int64(0))[0]
    _, own_margin = _best(root, rules, params, memory, proposer, stream, int64(0))
    _, rival_margin = _best(root, rules, params, memory, 1 - proposer, stream, int64(1))
    memory.mine, memory.yours, memory.price = own_margin, -rival_margin, float64(state.price)
    if params.utility == WIN:
        spread = 1.0 + params.safe * sqrt(float64(rules.rounds - state.round - 1))
        fair = _indifference_price(params, memory, proposer, spread, rules.price_cap[proposer])
    else:
        fair = 0.5 * (own_margin + rival_margin)
    if not worth.may_buy(state, rules, 1 - proposer):
        fair = 0.0  # the proposer pays the price that it names
    if phase == PRICE:
        return NAME_PRICE + min(worth.whole_price(rules, fair), rules.price_cap[proposer])
    return BUY if float64(state.price) < fair else DECLINE
