"""The compiled loop: whole games, one after another, agents called by address.

A job is a range of deals with all their seatings, whose results are added to exact integer counts of its own. The loop
plays many jobs without returning to Python. It reads a stop flag between games and ends at the first illegal action of
an agent. Before each decision it moves the heartbeat, which shows the parent process whether the decision ends.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import int64, types

from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.counting import COUNTING, count_rows, empty, end_game, finish_counts
from strozzi_sim.game.contract import (
    Game,
    actor,
    apply,
    begin_match,
    close_game,
    conceal,
    count_legal,
    deal,
    is_legal,
    is_over,
    kth_legal,
    on_decision,
    open_game,
    placing,
    score,
)
from strozzi_sim.kernel.jit import entry, force_inline, inline_source, jit
from strozzi_sim.kernel.pointers import assign, call_at, call_back, int64_at, zero_at
from strozzi_sim.kernel.record_types import array_type, keep_words, record_type
from strozzi_sim.kernel.streams import CHANCE, RANDOM, below, deal_key, next_word, random_word, seat_stream, seed_chance
from strozzi_sim.runtime.workers import HEARTBEAT
from strozzi_sim.simulation.luck import luck_dtype
from strozzi_sim.simulation.luck_kernels import add_luck, after_action, before_action, measure_deal

POSITIONS = 6  # most seats of any game
UNIFORM = -1  # address of the agent `random`, which the loop plays by itself

# What to play.
JOB = np.dtype([
    ("game", "i8"),  #      game_key(name)
    ("seed", "i8"),
    ("players", "i8"),
    ("first", "i8"),  #     deals first .. last - 1
    ("last", "i8"),
    ("start_player", "i8"),
    ("spread", "i8"),  #    1 = one game of each deal d, in seating d modulo their number; 0 = one in every seating
], align=True)  # fmt: skip

# The agent at a position of the line-up.
AGENT = keep_words(np.dtype([
    ("address", "i8"),  #      of its function in this process, or UNIFORM
    ("params", "i8"),  #       address of its parameters
    ("memory", "i8"),  #       address of its memory
    ("memory_size", "i8"),
    ("sees_state", "i8"),  #   1 = receives the state itself, 0 = a concealed copy
    ("counter", "i8"),  #      offset of its `playouts` in the memory, or -1
    ("playouts", "i8"),  #     of the games so far
    ("word", "u8"),  #         of UNIFORM: the next word of its stream
], align=True))  # fmt: skip

# Sums of results, the same for every game. [position, seat]
OUTCOME = np.dtype([
    ("games", "i8"),
    ("decisions", "i8"),
    ("played", "i8", (POSITIONS, POSITIONS)),  # games of this position at this seat
    ("wins", "i8", (POSITIONS, POSITIONS)),  #   in WIN_UNITS
    ("places", "i8", (POSITIONS, POSITIONS)),  # sum of twice the place; a shared place is the mean of the places
    ("scores", "i8", (POSITIONS, POSITIONS)),
], align=True)  # fmt: skip

# One row per game and seat, if requested.
_OF_ROW = ("seating", "seat", "position", "score", "twice_place", "decisions")
ROW = np.dtype([("deal", "i8"), *((name, "i4") for name in _OF_ROW)], align=True)

# An agent's illegal action; `found` is 1 if there was one.
_OF_FAULT = ("found", "deal", "seating", "seat", "position", "action", "decision")
FAULT = np.dtype([(name, "i8") for name in _OF_FAULT], align=True)


class Seats(NamedTuple):
    """The seats of one game, arrays [P], or of the game in every slot, [n, P]."""

    agents: Any  # AGENT of each seat
    randoms: Any  # RANDOM of each seat
    design: Any  # the seatings, uint8[S, P]: `design[s, seat]` is the position at `seat`


@inline_source
def play_game(state, rules, seat_agents, randoms, chance, seen, sink, counting, luck, fault, beat):
    """Play the game set up in `state` to its end; return its number of decisions, negative after a fault."""
    decisions = 0
    while not is_over(state):
        seat = actor(state)
        agent = seat_agents[seat]
        if agent.address == UNIFORM:
            action = kth_legal(state, rules, below(agent.word, count_legal(state, rules)))
            random_word(randoms[seat])
            agent.word = next_word(randoms[seat])  # before `apply`: ready by the time a branch was guessed wrong
        else:
            beat.decisions = beat.first + decisions + 1
            beat.seat = seat
            if agent.sees_state:
                action = call_at(agent.address, state, rules, agent.params, agent.memory, randoms[seat])
            else:
                assign(seen, state)
                conceal(seen, rules, seat)
                action = call_at(agent.address, seen, rules, agent.params, agent.memory, randoms[seat])
            if not is_legal(state, rules, action):
                fault.found = 1
                fault.seat = seat
                fault.action = action
                fault.decision = decisions
                return -1
        if counting is not None:
            on_decision(sink, state, rules, action)
        if luck is not None:
            before_action(luck, state, chance)
        apply(state, rules, action, chance, sink)
        if luck is not None:
            after_action(luck, state, rules, action, agent.address == UNIFORM, chance)
        decisions += 1
    beat.decisions = beat.first + decisions
    return decisions


@jit
def take_playouts(agent, memory):
    """Add the simulated games of a finished game, in the memory at that address, to the agent's count."""
    if agent.counter >= 0:
        agent.playouts += int64_at(memory + agent.counter)


@jit
def _count(state, seats, decisions, outcome, facts, counting):
    """Add one finished game to the outcome, and every seat's result to the facts."""
    outcome.games += 1
    outcome.decisions += decisions
    for seat in range(len(seats)):
        position = int64(seats[seat])
        better, shared = placing(state, seat)
        place, points = 2 * better + shared + 1, score(state, seat)
        win_units = WIN_UNITS // shared if better == 0 else 0
        outcome.played[position, seat] += 1
        outcome.wins[position, seat] += win_units
        outcome.places[position, seat] += place
        outcome.scores[position, seat] += points
        if counting is not None:
            game = facts.games
            facts.of_seat_position[game, seat] = position
            facts.of_seat_score[game, seat] = points
            facts.of_seat_place[game, seat] = place
            facts.of_seat_win[game, seat] = win_units


@jit
def _close_facts(facts, state, rules, deal_number, seating, counting, counts):
    """Write the facts of the end of a game."""
    close_game(facts, state, rules)
    game = facts.games
    facts.deal[game] = deal_number
    facts.seating[game] = seating
    end_game(game, counting[2], counting[3])
    facts.games = game + 1
    if facts.games == facts.batch:
        _count_facts(facts, counting, counts)


@jit
def _count_facts(facts, counting, counts):
    """Count the facts in the sink, store their rows if requested, and empty it."""
    count_rows(facts.games, counts, *counting)
    if facts.taker != 0:
        call_back(facts.taker)
    empty(counting[2], counting[3])
    facts.games = 0


@force_inline
def games_per_deal(job, seatings):
    """Return the number of games of each deal."""
    return 1 if job.spread != 0 else seatings.shape[0]


@force_inline
def seating_of(job, seatings, deal, turn):
    """Return the seating of game `turn` of a deal."""
    return deal % seatings.shape[0] if job.spread != 0 else turn


@jit
def _play(job, tables, work, agents, seats, outcome, rows, fault, stop, beat, sink, counting, counts, luck):
    """Play a job; return the number of its games that were finished."""
    state, seen, chance = work.state, work.seen, work.chance
    seat_agents, randoms, design = seats
    players = job.players
    played = 0
    rules = tables[0]  # of all seatings, or one row for each
    if counting is not None:
        begin_match(sink, rules, players)
    for number in range(job.first, job.last):
        key = deal_key(job.seed, job.game, players, number)
        for turn in range(games_per_deal(job, design)):
            if stop[0] != 0:
                return played
            seating = seating_of(job, design, number, turn)
            positions = design[seating]
            if tables.shape[0] > 1:
                rules = tables[seating]
            for seat in range(players):
                agent = agents[positions[seat]]
                assign(seat_agents[seat], agent)
                randoms[seat].cursor = seat_stream(key, seat)
                seat_agents[seat].word = next_word(randoms[seat])
                if agent.memory_size > 0:
                    zero_at(agent.memory, agent.memory_size)
            seed_chance(chance, key)
            beat.deal = number
            beat.seating = seating
            beat.first = beat.decisions
            if counting is not None:
                open_game(sink, number)
            deal(state, rules, players, job.start_player, chance, sink)
            if luck is not None:
                measure_deal(luck, state, rules, chance, key, job.start_player)
            decisions = play_game(state, rules, seat_agents, randoms, chance, seen, sink, counting, luck, fault, beat)
            if decisions < 0:
                fault.deal = number
                fault.seating = seating
                fault.position = positions[fault.seat]
                return played
            _count(state, positions, decisions, outcome, sink, counting)
            if luck is not None:
                add_luck(luck, state, positions)
            for seat in range(players):
                agent = agents[positions[seat]]
                take_playouts(agent, agent.memory)
            if counting is not None:
                _close_facts(sink, state, rules, number, seating, counting, counts)
            if rows.shape[0] > 0:
                for seat in range(players):
                    row = rows[played * players + seat]
                    better, shared = placing(state, seat)
                    row.deal = number
                    row.seating = seating
                    row.seat = seat
                    row.position = positions[seat]
                    row.score = score(state, seat)
                    row.twice_place = 2 * better + shared + 1
                    row.decisions = decisions
            played += 1
    if counting is not None:
        _count_facts(sink, counting, counts)
        finish_counts(counts, *counting)
    return played


@jit
def _play_all(jobs, tables, work, agents, seats, outcomes, rows, fault, stop, beat, sink, counting, counts, lucks):
    """Play K jobs, or until a fault or stop; return the number of games.

    agents : AGENT[K, P]
    outcomes, counts, lucks : [K, ...] the results of each job; not of those that were not finished
    rows : ROW, of all games one after the other, or empty
    """
    games = 0
    for k in range(jobs.shape[0]):
        job, luck = jobs[k], None if lucks is None else lucks[k]
        own = rows[games * job.players :]
        games += _play(
            job, tables, work, agents[k], seats, outcomes[k], own, fault, stop, beat, sink, counting, counts[k], luck
        )
        if fault.found != 0 or stop[0] != 0:
            break
    return games


def work_dtype(game: Game) -> Any:
    """Return the records of one thread, with a cache line between threads."""
    fields = [("state", game.state), ("seen", game.state), ("chance", CHANCE), ("spare", "u1", (128,))]
    return np.dtype(fields, align=True)


def playouts_offset(memory: np.dtype[Any]) -> int:
    """Return the offset of the field `playouts` in an agent's memory, or -1."""
    return int(memory.fields["playouts"][1]) if memory.fields and "playouts" in memory.fields else -1


@cache
def compiled_loop(game: Game, output: str = "", luck: bool = False) -> Any:
    """Return the loop, compiled for `game`: without output, with the "journal" of one game, or one that counts "facts".

    With `luck` it measures it too.
    """
    game.register()
    sink = record_type(game.facts.SINK if output == "facts" else game.journal) if output else types.none
    seats = types.NamedTuple((array_type(AGENT), array_type(RANDOM), types.uint8[:, ::1]), Seats)
    played = array_type(JOB), array_type(game.rules), record_type(work_dtype(game)), array_type(AGENT, 2), seats
    written = array_type(OUTCOME), array_type(ROW), record_type(FAULT), types.int64[::1], record_type(HEARTBEAT)
    counted = sink, COUNTING if output == "facts" else types.none, types.int64[:, ::1]
    measured = array_type(luck_dtype(game)) if luck else types.none
    return entry(_play_all, types.int64(*played, *written, *counted, measured), game.name)
