"""Slots, one for each game that is played at once: the kernels of the mixed loop, and pieces of those of `vector`.

A kernel plays the compiled seats of every slot until each game waits for a seat in Python. In the mixed loop it logs
every action; sorted by game, the log is the script from which the compiled loop plays the games again.
"""

from functools import cache
from typing import Any

import numpy as np
from numba import int64, types

from strozzi_sim.game.contract import (
    Game,
    actor,
    apply,
    conceal,
    count_legal,
    deal,
    is_legal,
    is_over,
    kth_legal,
    observe,
)
from strozzi_sim.kernel.jit import Kernels, inline_source, jit
from strozzi_sim.kernel.pointers import assign, call_at, record_at, zero_at
from strozzi_sim.kernel.record_types import array_type, record_type
from strozzi_sim.kernel.streams import CHANCE, RANDOM, deal_key, random_word, seat_stream, seed_chance
from strozzi_sim.runtime.workers import HEARTBEAT
from strozzi_sim.simulation.loop import AGENT, FAULT, JOB, Seats, games_per_deal, seating_of, take_playouts

# A slot: the place of one game.
SLOT = np.dtype([
    ("game", "i8"),  #      number within the wave, or -1; in `vector` the number of the deal
    ("seating", "i8"),
    ("decisions", "i8"),  # number of decisions of the game so far
    ("action", "i8"),  #    answer of a Python seat, 0 = not yet
    ("asked", "i8"),  #     1 = the game waits for a Python seat, whose view is ready
], align=True)  # fmt: skip

# A decision that waits for Python.
PENDING = np.dtype([("slot", "i8"), ("seat", "i8"), ("position", "i8")], align=True)

# Progress of a wave: number of the next game to deal, of all games, of decisions in the log.
PROGRESS = np.dtype([("next", "i8"), ("games", "i8"), ("logged", "i8")], align=True)

# An entry of the log, one for each decision of the wave in the order of play.
LOGGED = np.dtype([("game", "i4"), ("action", "i4")], align=True)

# Memory of the agent that plays from the script: address of its next action, an int64. It has no parameters.
REPLAY_CURSOR = np.dtype([("place", "i8")], align=True)
_NOTHING = np.dtype([("nothing", "u8")])

WAITS, FINISHED, FULL, FAULTY = 0, 1, -1, -2  # status of a slot after `play_on`


def slot_records(game: Game) -> Any:
    """Return the dtype of the records of the game in a slot."""
    return np.dtype([("state", game.state), ("seen", game.state), ("chance", CHANCE)], align=True)


@inline_source
def deal_to(b, number, seating, job, rules, work, slot, agents, strides, seats):
    """Seat the agents in slot b and set up deal `number` there."""
    players = job.players
    slot.seating = seating
    slot.decisions = 0
    slot.action = 0
    slot.asked = 0
    key = deal_key(job.seed, job.game, players, number)
    for seat in range(players):
        position = int64(seats.design[seating, seat])
        agent = seats.agents[b, seat]
        assign(agent, agents[position])
        agent.memory += b * strides[position]
        if agent.memory_size > 0:
            zero_at(agent.memory, agent.memory_size)
        seats.randoms[b, seat].cursor = seat_stream(key, seat)
    seed_chance(work.chance, key)
    deal(work.state, rules, players, job.start_player, work.chance, None)


@inline_source
def play_on(b, rules, work, slot, seats, log, progress, fault, beat):
    """Play on in slot b until a Python seat must answer, or to the end, a full log or a fault; return the status."""
    state = work.state
    while not is_over(state):
        if log is not None:  # noqa: SIM102 - numba drops this branch if log is None, but not one with a longer condition
            if progress.logged == log.shape[0]:
                return FULL
        seat = actor(state)
        agent = seats.agents[b, seat]
        if not agent.sees_state and slot.asked == 0:
            assign(work.seen, state)
            conceal(work.seen, rules, seat)
        if agent.address == 0:
            if slot.action == 0:
                slot.asked = 1
                return WAITS
            action = slot.action
            slot.action = 0
            slot.asked = 0
        else:
            beat.first = beat.decisions - slot.decisions
            beat.decisions += 1
            beat.seat = seat
            if agent.sees_state:
                action = call_at(agent.address, state, rules, agent.params, agent.memory, seats.randoms[b, seat])
            else:
                action = call_at(agent.address, work.seen, rules, agent.params, agent.memory, seats.randoms[b, seat])
        if not is_legal(state, rules, action):
            fault.found = 1
            fault.seat = seat
            fault.action = action
            return FAULTY
        apply(state, rules, action, work.chance, None)
        if log is not None:
            entry = log[progress.logged]
            entry.game = slot.game
            entry.action = action
            progress.logged += 1
        slot.decisions += 1
    return FINISHED


@jit
def _advance(job, tables, works, slots, agents, strides, seats, log, progress, lengths, pending, fault, stop, beat):
    """Play on in every slot; return the number of decisions that wait for Python, or FULL or FAULTY."""
    waiting, turns = 0, games_per_deal(job, seats.design)
    for b in range(slots.shape[0]):
        slot = slots[b]
        work = works[b]
        while stop[0] == 0:
            if slot.game < 0:
                if progress.next == progress.games:
                    break
                game = progress.next
                progress.next = game + 1
                slot.game = game
                number = job.first + game // turns
                seating = seating_of(job, seats.design, number, game % turns)
                rules = tables[min(seating, tables.shape[0] - 1)]
                deal_to(b, number, seating, job, rules, work, slot, agents, strides, seats)
            beat.deal = job.first + slot.game // turns
            beat.seating = slot.seating
            rules = tables[min(slot.seating, tables.shape[0] - 1)]
            status = play_on(b, rules, work, slot, seats, log, progress, fault, beat)
            if status == FINISHED:
                lengths[slot.game] = slot.decisions
                for seat in range(job.players):
                    take_playouts(agents[int64(seats.design[slot.seating, seat])], seats.agents[b, seat].memory)
                slot.game = -1
            elif status == WAITS:
                row = pending[waiting]
                row.slot = b
                row.seat = actor(work.state)
                row.position = int64(seats.design[slot.seating, row.seat])
                waiting += 1
                break
            else:
                if status == FAULTY:
                    fault.deal = job.first + slot.game // turns
                    fault.seating = slot.seating
                    fault.position = int64(seats.design[slot.seating, fault.seat])
                    fault.decision = slot.decisions
                return status
    return waiting


@inline_source
def show_legal(state, rules, legal):
    """Write which actions are legal into bool legal[A]; return their number."""
    for action in range(legal.shape[0]):
        legal[action] = False
    count = count_legal(state, rules)
    for k in range(count):
        legal[kth_legal(state, rules, k)] = True
    return count


@jit
def _look(tables, works, slots, pending, seats, observations, legal, words):
    """Write the legal actions of pending decisions, in batches also observation and word; empty the other rows."""
    observing = observations.shape[0] > 0
    for row in range(legal.shape[0]):
        if row >= pending.shape[0]:
            for action in range(legal.shape[1]):
                legal[row, action] = False
            legal[row, 0] = True
            if observing:
                words[row] = 0
                for k in range(observations.shape[1]):
                    observations[row, k] = 0
            continue
        b, seat = pending[row].slot, pending[row].seat
        state = works[b].state if seats.agents[b, seat].sees_state else works[b].seen
        rules = tables[min(slots[b].seating, tables.shape[0] - 1)]
        show_legal(state, rules, legal[row])
        if observing:
            observe(state, rules, seat, observations[row])
            words[row] = random_word(seats.randoms[b, seat])


@jit
def _sort(log, logged, places, script):
    """Write the actions of the log into the script; `places` has the index of each game's next action there."""
    for k in range(logged):
        game = log[k].game
        script[places[game]] = log[k].action
        places[game] += 1


def _next_of_script(state, rules, params, memory, rng):
    place = memory.place
    memory.place = place + 8
    return record_at(place, memory).place  # the int64 at `place`, read as a record of the same dtype


@cache
def kernels(game: Game) -> Kernels:
    """Return the kernels of the mixed loop."""
    game.register()
    i8, pending = types.int64, array_type(PENDING)
    seats = types.NamedTuple((array_type(AGENT, 2), array_type(RANDOM, 2), types.uint8[:, ::1]), Seats)
    games = array_type(game.rules), array_type(slot_records(game)), array_type(SLOT)
    played = record_type(JOB), *games, array_type(AGENT), i8[::1], seats
    written = array_type(LOGGED), record_type(PROGRESS), i8[::1], pending, record_type(FAULT)
    seen = types.float32[:, ::1], types.boolean[:, ::1], types.uint64[::1]
    records = [record_type(dtype) for dtype in (game.state, game.rules, _NOTHING, REPLAY_CURSOR, RANDOM)]
    table = {
        "advance": (_advance, i8(*played, *written, i8[::1], record_type(HEARTBEAT))),
        "look": (_look, types.void(*games, pending, seats, *seen)),
        "sort": (_sort, types.void(array_type(LOGGED), i8, i8[::1], i8[::1])),
        "scripted": (_next_of_script, i8(*records)),
    }
    return Kernels(game.name, table).loaded()
