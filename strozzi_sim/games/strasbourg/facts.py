"""Writes the facts of Strasbourg while a game is played: the handlers of what its core says."""

from strozzi_sim.facts.sink import sink_dtype
from strozzi_sim.games.strasbourg.cards import add_values, count_cards
from strozzi_sim.games.strasbourg.events import (
    BID,
    DRAWN,
    FULFILLED,
    PLACED,
    PLAN,
    POINTS,
    PRESTIGE,
    ROUND,
    STEP,
    TASK,
    TOTAL,
)
from strozzi_sim.games.strasbourg.fact_tables import AGREEMENTS, TABLES
from strozzi_sim.games.strasbourg.scoring import placed
from strozzi_sim.games.strasbourg.state import MAX_TASKS, SEATS
from strozzi_sim.kernel.jit import force_inline, jit

__all__ = ["AGREEMENTS", "SINK", "TABLES", "close_game", "note", "open_game", "prepare"]

SINK = sink_dtype(TABLES, [  # shape          meaning, of the match, or of the game or round being played
    ("players", "i8"),
    ("penalty", "i8"),
    ("points", "i8", (MAX_TASKS,)),  #       [task]
    ("round", "i8"),  #                      from 1
    ("step", "i8"),
    ("guild", "i8"),
    ("drawn", "i8", (SEATS,)),  #            [P] cards drawn this round
    ("made", "i8", (SEATS,)),  #             [P] stacks of the round
    ("paid", "i8", (SEATS,)),  #             [P] coins of the game
    ("row_of", "i8", (SEATS, MAX_TASKS)),  # [P, task] its row
])  # fmt: skip


@jit
def prepare(facts, rules, players):
    """Before the games of a match."""
    facts.players = players
    facts.penalty = rules.penalty
    for task in range(rules.tasks):
        facts.points[task] = rules.task_points[task]


@jit
def open_game(facts, number):
    """Before a game of deal `number` is dealt."""
    for seat in range(facts.players):
        facts.paid[seat] = 0
        facts.drawn[seat] = 0


@force_inline
def note(facts, kind, a, b, c, d, e):
    """An event, as the core writes it; the kind is known where this is put in place."""
    if kind == DRAWN:
        facts.drawn[a] += 1
    elif kind == BID:
        if b != 0:
            _on_bid(facts, a, b)
    elif kind == STEP:
        facts.step = a
        facts.guild = c
    elif kind == PLACED:
        _on_placed(facts, a, c)
    elif kind == PLAN:
        facts.made[a] = b
    elif kind == ROUND:
        facts.round = a + 1
    elif kind == PRESTIGE:
        _on_prestige(facts, a, b, c)
    elif kind == TASK:
        if c == 1:
            _on_kept(facts, a, b)
    elif kind == FULFILLED:
        row = facts.row_of[a, b]
        facts.task_fulfilled[row] = 1
        facts.task_points[row] = facts.points[b]
    elif kind == POINTS:
        row = facts.seat_rows + a
        facts.seat_seat[row] = a
        facts.seat_council[row] = b
        facts.seat_city[row] = c
        facts.seat_chapels[row] = d
        facts.seat_edifices[row] = e
    elif kind == TOTAL:
        row = facts.seat_rows + a
        facts.seat_privileges[row] = b
        facts.seat_tasks[row] = c
        facts.seat_total[row] = d


@jit
def _on_bid(facts, seat, stack):
    row = facts.bid_rows
    facts.bid_seat[row] = seat
    facts.bid_round[row] = facts.round
    facts.bid_step[row] = facts.step
    facts.bid_cards[row] = count_cards(stack)
    facts.bid_sum[row] = add_values(stack)
    facts.bid_rows = row + 1


@jit
def _on_placed(facts, seat, price):
    row = facts.space_rows
    facts.space_seat[row] = seat
    facts.space_round[row] = facts.round
    facts.space_guild[row] = facts.guild
    facts.space_price[row] = price
    facts.space_rows = row + 1
    facts.paid[seat] += price


@jit
def _on_prestige(facts, seat, prestige, privilege):
    row = facts.round_rows
    facts.round_seat[row] = seat
    facts.round_round[row] = facts.round
    facts.round_drawn[row] = facts.drawn[seat]
    facts.round_stacks[row] = facts.made[seat]
    facts.round_prestige[row] = prestige
    facts.round_privilege[row] = privilege
    facts.round_rows = row + 1
    facts.drawn[seat] = 0


@jit
def _on_kept(facts, seat, task):
    row = facts.task_rows
    facts.row_of[seat, task] = row
    facts.task_seat[row] = seat
    facts.task_task[row] = task
    facts.task_fulfilled[row] = 0
    facts.task_points[row] = -facts.penalty
    facts.task_rows = row + 1


@jit
def close_game(facts, state, rules):
    """The game is over: what is known only now."""
    players, winners = state.players, 0
    best = second = -(2**30)
    for seat in range(players):
        total = state.score[seat]
        if total > best:
            best, second = total, best
        else:
            second = max(second, total)
        better, _ = placed(state, seat)
        winners += better == 0
        row = facts.seat_rows + seat
        facts.seat_paid[row] = facts.paid[seat]
        facts.seat_coins[row] = state.coins[seat]
    facts.seat_rows += players
    row = facts.game_rows
    facts.game_margin[row] = best - second
    facts.game_tie[row] = best == second
    facts.game_shared[row] = winners > 1
    facts.game_rows = row + 1
