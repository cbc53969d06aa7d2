"""Kernels of `vector`: one call checks, plays and observes all games, another chooses at random.

A slot's `game` is the number of the deal in it; nothing is logged, since no game is played again from a script.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numba import float32, int64, types, uint64

from strozzi_sim.game.contract import (
    Game,
    actor,
    conceal,
    count_legal,
    is_legal,
    kth_legal,
    merit,
    observe,
    placing,
    score,
)
from strozzi_sim.kernel.jit import Kernels, inline_source, jit
from strozzi_sim.kernel.pointers import address_of, assign, clone, prefetch
from strozzi_sim.kernel.record_types import Array, array_type, record_type
from strozzi_sim.kernel.streams import RANDOM, deal_key, lineup_of, random_word
from strozzi_sim.runtime.workers import HEARTBEAT
from strozzi_sim.simulation.loop import AGENT, FAULT, JOB, Seats
from strozzi_sim.simulation.slots import FAULTY, FINISHED, SLOT, WAITS, deal_to, play_on, show_legal, slot_records

WIN, SCORE, LEAD = 0, 1, 2  # rewards
UNASKED, ILLEGAL = -3, -4  # results of a step that failed; only with ILLEGAL is nothing played
SKIPPED = -(1 << 62)  # the action of a slot whose game waits
MAX_UNASKED = 1000  # most games of a slot that end in one step: the caller's, and then skipped ones
# slots by which a game is prefetched before it is played; saves 20 % of the time with 4,096 games
PREFETCH_DISTANCE = 2
_LINE = 64  # bytes of a cache line
_S32 = np.uint64(32)

# How the games are stepped.
PLAN = np.dtype([
    ("seating", "i8"),  #    its number, or -1 = deal d has seating d modulo the number of seatings
    ("reward", "i8"),  #     WIN, SCORE or LEAD
    ("hidden", "i8"),  #     1 = seats see a concealed state
    ("state_size", "i8"),  # bytes of a state
    ("slot", "i8"),  #       written: slot with an illegal action or without a decision
], align=True)  # fmt: skip


class Rows(NamedTuple):
    """Output of a step for every game, arrays [n, ...]; see `vector.Step` and `vector.Info`."""

    observations: Array
    masks: Array
    seats: Array
    rewards: Array
    done: Array
    words: Array
    choices: Array
    deals: Array

    @classmethod
    def empty(cls, n: int, players: int, size: int, actions: int) -> "Rows":
        """Return new rows of n games with observations of this size."""
        return cls(
            observations=np.empty((n, size), np.float32),
            masks=np.empty((n, actions), np.bool_),
            seats=np.empty(n, np.int64),
            rewards=np.empty((n, players), np.float32),
            done=np.empty(n, np.bool_),
            words=np.empty(n, np.uint64),
            choices=np.empty(n, np.int64),
            deals=np.empty(n, np.int64),
        )


class Finals(NamedTuple):
    """Output of a step for the games that ended in it, in the first rows of arrays [n, ...]."""

    slots: Array
    deals: Array
    seats: Array
    scores: Array
    wins: Array
    observations: Array

    @classmethod
    def empty(cls, n: int, players: int, size: int) -> "Finals":
        """Return uninitialised rows of n games; the system allocates memory for rows that are written."""
        return cls(
            slots=np.empty(n, np.int64),
            deals=np.empty(n, np.int64),
            seats=np.empty(n, np.int64),
            scores=np.empty((n, players), np.int64),
            wins=np.empty((n, players), np.float32),
            observations=np.empty((n, players, size), np.float32),
        )


@inline_source
def _prefetch(address, size):
    for k in range(0, size, _LINE):
        prefetch(address + k)


@inline_source
def _reward(state, seat, players, kind):
    if kind == WIN:
        better, shared = placing(state, seat)
        return float32(1) / float32(shared) if better == 0 else float32(0)
    own_merit = merit(state, score(state, seat))
    if kind == SCORE:
        return float32(own_merit)
    total = 0
    for other in range(players):
        total += merit(state, score(state, other))
    return float32(players * own_merit - total) / float32(players - 1)


@jit
def _finish(b, mover, plan, rules, work, slot, players, rewards, done, finals, row):
    done[b] = True
    state = work.state
    finals.slots[row] = b
    finals.deals[row] = slot.game
    finals.seats[row] = mover
    for seat in range(players):
        rewards[b, seat] = _reward(state, seat, players, plan.reward)
        finals.scores[row, seat] = score(state, seat)
        finals.wins[row, seat] = _reward(state, seat, players, WIN)
        if plan.hidden:
            assign(work.seen, state)
            conceal(work.seen, rules, seat)
            observe(work.seen, rules, seat, finals.observations[row, seat])
        else:
            observe(state, rules, seat, finals.observations[row, seat])


@inline_source
def _show(b, plan, rules, work, slot, randoms, rows):
    seat = actor(work.state)
    state = work.seen if plan.hidden else work.state
    observe(state, rules, seat, rows.observations[b])
    rows.choices[b] = show_legal(state, rules, rows.masks[b])
    rows.seats[b] = seat
    rows.words[b] = random_word(randoms[b, seat])
    rows.deals[b] = slot.game


@jit
def _first_illegal(rules, works, actions):
    for b in range(actions.shape[0]):
        if actions[b] != SKIPPED and not is_legal(works[b].state, rules, actions[b]):
            return b
    return -1


@jit
def _step(plan, job, rules, works, slots, agents, strides, seats, actions, rows, finals, fault, beat):
    """Play an action in every slot, or deal to all of them if there are no actions; return how many games ended.

    A failure returns FAULTY, UNASKED, or ILLEGAL: nothing was played. SKIPPED slots are not counted; only their `done`
    and `rewards` are written, as 0.
    """
    games, players = slots.shape[0], job.players
    is_reset = actions.shape[0] == 0
    illegal_slot = _first_illegal(rules, works, actions)
    if illegal_slot >= 0:
        plan.slot = illegal_slot
        return ILLEGAL
    finished = 0
    first_row, row_size = int64(rows.observations.ctypes.data), rows.observations.shape[1] * rows.observations.itemsize
    for b in range(games):
        slot, work = slots[b], works[b]
        if b + PREFETCH_DISTANCE < games:
            _prefetch(address_of(works[b + PREFETCH_DISTANCE].state), plan.state_size)
            _prefetch(first_row + (b + PREFETCH_DISTANCE) * row_size, row_size)
        rows.done[b] = False
        for seat in range(players):
            rows.rewards[b, seat] = 0
        if not is_reset and actions[b] == SKIPPED:
            continue
        mover = int64(-1)  # the slot gets its next deal
        if is_reset:
            slot.game = job.first + b - games
        else:
            mover = actor(work.state)
            slot.action = actions[b]
        unasked = 0
        while True:
            if mover < 0:
                slot.game += games
                seating = plan.seating if plan.seating >= 0 else slot.game % seats.design.shape[0]
                lineup = lineup_of(deal_key(job.seed, job.game, players, slot.game), agents.shape[0])
                deal_to(b, slot.game, seating, job, rules, work, slot, agents[lineup], strides[lineup], seats)
            beat.deal = slot.game
            status = play_on(b, rules, work, slot, seats, None, None, fault, beat)
            if status == WAITS:
                break
            if status != FINISHED:
                fault.deal = slot.game
                fault.seating = slot.seating
                fault.position = int64(seats.design[slot.seating, fault.seat])
                fault.decision = slot.decisions
                return FAULTY
            if mover >= 0:
                _finish(b, mover, plan, rules, work, slot, players, rows.rewards, rows.done, finals, finished)
                finished += 1
            unasked += 1
            if unasked > MAX_UNASKED:
                plan.slot = b
                return UNASKED
            mover = int64(-1)
        _show(b, plan, rules, work, slot, seats.randoms, rows)
    return finished


@jit
def _show_slot(b, plan, rules, works, slots, randoms, rows):
    """Write the row of slot b again, whose state was replaced by one in which the caller decides."""
    work, slot = works[b], slots[b]
    slot.action = 0
    slot.asked = 1  # `seen` is ready
    if plan.hidden:
        assign(work.seen, work.state)
        conceal(work.seen, rules, actor(work.state))
    _show(b, plan, rules, work, slot, randoms, rows)


@jit
def _observe(plan, rules, works, seats, out):
    for b in range(out.shape[0]):
        if plan.hidden:
            seen = clone(works[b].state)
            conceal(seen, rules, seats[b])
            observe(seen, rules, seats[b], out[b])
        else:
            observe(works[b].state, rules, seats[b], out[b])


@jit
def _choose(rules, works, words, out):
    """Write for every game one of its legal actions, each equally likely, chosen by the game's random word."""
    for b in range(out.shape[0]):
        state = works[b].state
        below = uint64(count_legal(state, rules))
        out[b] = kth_legal(state, rules, int64(((words[b] >> _S32) * below) >> _S32))


@jit
def _lineups(job, lineups, deals, out):
    for k in range(deals.shape[0]):
        out[k] = lineup_of(deal_key(job.seed, job.game, job.players, deals[k]), lineups)


@cache
def kernels(game: Game) -> Kernels:
    """Return the kernels of `VectorEnv`."""
    game.register()
    i8, u8, f4, b1 = types.int64, types.uint64, types.float32, types.boolean
    job, plan = record_type(JOB), record_type(PLAN)
    rules, works = record_type(game.rules), array_type(slot_records(game))
    rows = types.NamedTuple((f4[:, ::1], b1[:, ::1], i8[::1], f4[:, ::1], b1[::1], u8[::1], i8[::1], i8[::1]), Rows)
    finals = types.NamedTuple((i8[::1], i8[::1], i8[::1], i8[:, ::1], f4[:, ::1], f4[:, :, ::1]), Finals)
    agents, randoms = array_type(AGENT, 2), array_type(RANDOM, 2)
    seats = types.NamedTuple((agents, randoms, types.uint8[:, ::1]), Seats)
    played = plan, job, rules, works, array_type(SLOT), agents, i8[:, ::1], seats
    written = i8[::1], rows, finals, record_type(FAULT), record_type(HEARTBEAT)
    table = {
        "step": (_step, i8(*played, *written)),
        "show_slot": (_show_slot, types.void(i8, plan, rules, works, array_type(SLOT), randoms, rows)),
        "observe": (_observe, types.void(plan, rules, works, i8[::1], f4[:, ::1])),
        "lineups": (_lineups, types.void(job, i8, i8[::1], i8[::1])),
        "choose": (_choose, types.void(rules, works, u8[::1], i8[::1])),
    }
    return Kernels(game.name, table).loaded()
