"""Kernels that judge positions and actions with an agent that evaluates; see `play.analyse`."""

from functools import cache
from typing import Any

from numba import types

from strozzi_sim.agent.worth import LEAD, SCORE, WIN
from strozzi_sim.game.contract import (
    Game,
    actor,
    apply,
    conceal,
    count_legal,
    deal,
    determinize,
    kth_legal,
    lead_of,
    score,
    share_of_win,
)
from strozzi_sim.kernel.jit import entry, jit
from strozzi_sim.kernel.pointers import assign, int64_at
from strozzi_sim.kernel.record_types import array_type, record_type
from strozzi_sim.kernel.streams import deal_key, hash_combine, mix, stream_key
from strozzi_sim.simulation.luck import luck_dtype
from strozzi_sim.simulation.luck_kernels import add_worth, evaluate, redraw_all

_PURPOSE = 4_000  # of the deals that could have come


@jit
def _judge_actions(states, rules, luck, word, worths):
    state = states[0]
    seat = actor(state)
    for k in range(luck.redraws):
        if int64_at(luck.stop) != 0:
            return
        drawn = hash_combine(word, k)
        assign(luck.before, state)
        conceal(luck.before, rules[0], seat)
        luck.random.cursor = drawn
        determinize(luck.before, rules[0], seat, luck.random)
        for place in range(count_legal(state, rules[0])):
            assign(luck.trial, luck.before)
            redraw_all(luck, drawn)
            apply(luck.trial, rules[0], kth_legal(state, rules[0], place), luck.other, None)
            evaluate(luck, luck.trial, rules[0], mix(drawn + 1))
            add_worth(luck, state.players, worths[place], 1.0 / luck.redraws)


@jit
def _judge_position(states, rules, luck, word, worth):
    for k in range(luck.redraws):
        if int64_at(luck.stop) != 0:
            return
        evaluate(luck, states[0], rules[0], hash_combine(word, k))
        add_worth(luck, states[0].players, worth, 1.0 / luck.redraws)


@jit
def _judge_deals(states, rules, luck, game, seed, players, number, start_player, worth):
    key = stream_key(deal_key(seed, game, players, number), _PURPOSE)
    for k in range(luck.redraws):
        if int64_at(luck.stop) != 0:
            return
        word = hash_combine(key, k)
        redraw_all(luck, word)
        deal(states[0], rules[0], players, start_player, luck.other, None)
        evaluate(luck, states[0], rules[0], mix(word + 1))
        add_worth(luck, players, worth, 1.0 / luck.redraws)


@jit
def _write_result(states, worth):
    for seat in range(states[0].players):
        worth[seat, SCORE] = score(states[0], seat)
        worth[seat, LEAD] = lead_of(states[0], seat)
        worth[seat, WIN] = share_of_win(states[0], seat)


@cache
def judging_kernels(game: Game) -> tuple[Any, Any, Any, Any]:
    """Return the compiled functions that judge all actions, a position, the deals that could have come, and a finished game."""
    game.register()
    start = [array_type(game.state), array_type(game.rules), record_type(luck_dtype(game))]
    worth, worths = types.float64[:, ::1], types.float64[:, :, ::1]
    return (
        entry(_judge_actions, types.void(*start, types.uint64, worths), game.name),
        entry(_judge_position, types.void(*start, types.uint64, worth), game.name),
        entry(_judge_deals, types.void(*start, *[types.int64] * 5, worth), game.name),
        entry(_write_result, types.void(start[0], worth), game.name),
    )
