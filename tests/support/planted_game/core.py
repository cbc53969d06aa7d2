"""The rules as kernels."""

from numba import uint64

from planted_game.events import END, ROLLED
from planted_game.state import DICE, FATE, LEFT, OVER, RIGHT, ROLL
from strozzi_sim.kernel.bits import placed
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.journal import write_event
from strozzi_sim.kernel.streams import below, draw, hash_combine, reset_source


@jit
def deal(state, rules, players, start_player, chance, journal):
    """Give every seat its head start, and one of them the prize of fate."""
    state.players = players
    state.phase = ROLL
    state.actor = start_player
    state.turn = 0
    for seat in range(players):
        state.score[seat] = rules.head[seat]
    state.score[players - 1] -= rules.debt
    reset_source(chance, DICE)
    reset_source(chance, FATE)
    state.score[draw(chance, FATE, players)] += rules.prize


@jit
def apply(state, rules, action, chance, journal):
    """Roll a die, which the salt turns; crown a king with the last one."""
    seat, faces = state.actor, rules.faces
    turn = below(hash_combine(uint64(rules.salt), uint64(state.turn)), faces)
    spin = rules.spin if action == RIGHT else 0
    pips = 1 + (draw(chance, DICE, faces) + turn + spin) % faces
    state.score[seat] += pips
    state.turn += 1
    state.actor = (seat + 1) % state.players
    write_event(journal, ROLLED, seat, pips, 0, 0, 0)
    if state.turn == rules.rolls * state.players:
        state.score[0 if action == LEFT else 1] += rules.crown
        state.phase = OVER
        for seat in range(state.players):
            write_event(journal, END, seat, state.score[seat], placed(state.score, state.players, seat)[0], 0, 0)


@jit
def count_legal(state, rules):
    """Return the number of legal actions."""
    return 0 if state.phase == OVER else 2 - rules.no_right[state.actor]


@jit
def kth_legal(state, rules, k):
    """Return the k-th legal action."""
    return LEFT + k


@jit
def is_legal(state, rules, action):
    """Return whether `action`, any int64, is legal."""
    return state.phase == ROLL and LEFT <= action <= RIGHT - rules.no_right[state.actor]


@jit
def score(state, seat):
    """Return the points of a seat."""
    return state.score[seat]
