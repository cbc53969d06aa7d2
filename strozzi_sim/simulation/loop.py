"""The compiled loop: it plays whole games, one after another, and calls agents by address.

A job is a range of deals with their seatings, and has its own exact integer counts. The loop plays many jobs without
returning to Python. It reads a stop flag between games and ends at the first illegal action of an agent.
Before each call of an agent it advances the heartbeat, from which the parent process sees whether the agent hangs.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import int64, types

from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.counting import COUNTING, count_rows, empty, end_game, finish_counts
from strozzi_sim.facts.sink import SEATS
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
from strozzi_sim.kernel.record_types import array_type, keep_words, record_type, tuple_type
from strozzi_sim.kernel.streams import CHANCE, RANDOM, below, deal_key, next_word, random_word, seat_stream, seed_chance
from strozzi_sim.runtime.workers import HEARTBEAT
from strozzi_sim.simulation.luck import add_luck, after_action, before_action, luck_dtype, measure_deal

POSITIONS = SEATS  # most positions of a line-up
UNIFORM = -1  # address of the agent `random`, which the loop plays by itself

JOB = np.dtype([
    ("game", "i8"),  #      game_key(name)
    ("seed", "i8"),
    ("players", "i8"),
    ("first", "i8"),  #     deals first .. last - 1; `vector` ignores `last`
    ("last", "i8"),
    ("start_player", "i8"),
    ("spread", "i8"),  #    1 = deal d once, in seating d modulo S; 0 = each deal in all S seatings of `Seats.design`
], align=True)  # fmt: skip

# The agent at a position of the line-up.
AGENT = keep_words(np.dtype([
    ("address", "i8"),  #      of its function in this process, or UNIFORM, or 0 = Python decides (never in this loop)
    ("params", "i8"),  #       address of its parameters
    ("memory", "i8"),  #       address of its memory
    ("memory_size", "i8"),
    ("sees_state", "i8"),  #   1 = receives the state itself, 0 = a concealed copy
    ("counter", "i8"),  #      offset of the field `playouts` in its memory, or -1 without one
    ("playouts", "i8"),  #     number of its playouts in all games so far
    ("word", "u8"),  #         the next word of its stream, for UNIFORM
], align=True))  # fmt: skip

# Sums of results, with the same fields for every board game. [position, seat]
OUTCOME = np.dtype([
    ("games", "i8"),
    ("decisions", "i8"),
    ("played", "i8", (POSITIONS, POSITIONS)),  # games of this position at this seat
    ("wins", "i8", (POSITIONS, POSITIONS)),  #   in WIN_UNITS
    ("places", "i8", (POSITIONS, POSITIONS)),  # twice the place, from 1; a shared place is the mean of the places
    ("scores", "i8", (POSITIONS, POSITIONS)),
], align=True)  # fmt: skip

# One row per game and seat, if requested.
_ROW_FIELDS = ("seating", "seat", "position", "score", "twice_place", "decisions")
ROW = np.dtype([("deal", "i8"), *((name, "i4") for name in _ROW_FIELDS)], align=True)

# An agent's illegal action or other failure; `found` is 1 if there was one.
_FAULT_FIELDS = ("found", "deal", "seating", "seat", "position", "action", "decision")
FAULT = np.dtype([(name, "i8") for name in _FAULT_FIELDS], align=True)


class Seats(NamedTuple):
    """The seats of one game, arrays [P], or of the n games that `simulation.slots` plays at once, [n, P]."""

    agents: Any  # AGENT of each seat
    randoms: Any  # RANDOM of each seat
    design: Any  # the seatings, uint8[S, P]: `design[s, seat]` is the position at `seat`


class Games(NamedTuple):
    """The games of a call of the loop: K jobs, and what plays them."""

    jobs: Any  # JOB[K]
    rules: Any  # records of the rules: one for all seatings, or one for each
    agents: Any  # by job and position, AGENT[K, P]
    seats: Seats
    work: Any  # `work_dtype`, of shape (1,)


class Tally(NamedTuple):
    """The results that each call of the loop writes; incomplete for a job that was not finished."""

    outcomes: Any  # OUTCOME[K]
    rows: Any  # ROW of each seat of each game, in the order of play, or empty
    fault: Any  # FAULT, of shape (1,)
    beat: Any  # HEARTBEAT, of shape (1,)


class FactCounts(NamedTuple):
    """The counts of facts, and how to count them."""

    counting: Any  # see `facts.counting`
    counts: Any  # int64[K, size of the plan]


@inline_source
def play_game(state, rules, seat_agents, randoms, chance, seen, sink, facts, luck, fault, beat):
    """Play a game on from `state` to its end; return the number of decisions played, or -1 after a fault.

    Before: the caller seeds the random sources and sets `beat.first`. After a fault: it sets the deal, seating and
    position of `fault`.
    """
    decisions = 0
    while not is_over(state):
        seat = actor(state)
        agent = seat_agents[seat]
        if agent.address == UNIFORM:
            action = kth_legal(state, rules, below(agent.word, count_legal(state, rules)))
            random_word(randoms[seat])  # advances the stream past `agent.word`
            agent.word = next_word(randoms[seat])  # before `apply`, to be ready when a mispredicted branch restarts
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
        if facts is not None:
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
    """Add a finished game's playouts, counted in the agent's memory at address `memory`, to `agent.playouts`."""
    if agent.counter >= 0:
        agent.playouts += int64_at(memory + agent.counter)


@jit
def _count(state, positions, decisions, outcome, sink, facts):
    outcome.games += 1
    outcome.decisions += decisions
    for seat in range(len(positions)):
        position = int64(positions[seat])
        better, shared = placing(state, seat)
        twice_place, points = 2 * better + shared + 1, score(state, seat)
        win_units = WIN_UNITS // shared if better == 0 else 0
        outcome.played[position, seat] += 1
        outcome.wins[position, seat] += win_units
        outcome.places[position, seat] += twice_place
        outcome.scores[position, seat] += points
        if facts is not None:
            game = sink.games
            sink.of_seat_position[game, seat] = position
            sink.of_seat_score[game, seat] = points
            sink.of_seat_place[game, seat] = twice_place
            sink.of_seat_win[game, seat] = win_units


@jit
def _close_facts(sink, state, rules, deal_number, seating, counting, counts):
    """Write the facts of the end of a game; count those in the sink if it has a full batch of games."""
    close_game(sink, state, rules)
    game = sink.games
    sink.deal[game] = deal_number
    sink.seating[game] = seating
    int32s = counting[2]  # see `facts.counting.Counting`
    tables = counting[3]
    end_game(game, int32s, tables)
    sink.games = game + 1
    if sink.games == sink.batch:
        _count_facts(sink, counting, counts)


@jit
def _count_facts(sink, counting, counts):
    """Count the facts in the sink, store their rows if requested, and empty it."""
    count_rows(sink.games, counts, *counting)
    if sink.taker != 0:
        call_back(sink.taker)
    int32s = counting[2]
    tables = counting[3]
    empty(int32s, tables)
    sink.games = 0


@jit
def _write_rows(rows, state, deal_number, seating, positions, decisions):
    for seat in range(state.players):
        row = rows[seat]
        better, shared = placing(state, seat)
        row.deal = deal_number
        row.seating = seating
        row.seat = seat
        row.position = positions[seat]
        row.score = score(state, seat)
        row.twice_place = 2 * better + shared + 1
        row.decisions = decisions


@force_inline
def games_per_deal(job, seatings):
    """Return the number of games of each deal."""
    return 1 if job.spread != 0 else seatings.shape[0]


@force_inline
def seating_of(job, seatings, deal, turn):
    """Return the number of the seating of game `turn` of a deal."""
    return deal % seatings.shape[0] if job.spread != 0 else turn


@jit
def _play(games, k, stop, tally, first_row, sink, facts, luck):
    """Play job k, whose rows begin at `first_row`; return the number of its games that were finished."""
    job, agents, outcome, rows = games.jobs[k], games.agents[k], tally.outcomes[k], tally.rows[first_row:]
    state, seen, chance = games.work[0].state, games.work[0].seen, games.work[0].chance
    fault, beat = tally.fault[0], tally.beat[0]
    seat_agents, randoms, design = games.seats
    players = job.players
    played = 0
    rules = games.rules[0]  # one row for all seatings, or one for each
    if facts is not None:
        begin_match(sink, rules, players)
    for number in range(job.first, job.last):
        key = deal_key(job.seed, job.game, players, number)
        for turn in range(games_per_deal(job, design)):
            if stop[0] != 0:
                return played
            seating = seating_of(job, design, number, turn)
            positions = design[seating]
            if games.rules.shape[0] > 1:
                rules = games.rules[seating]
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
            if facts is not None:
                open_game(sink, number)
            deal(state, rules, players, job.start_player, chance, sink)
            if luck is not None:
                measure_deal(luck, state, rules, key, job.start_player)
            decisions = play_game(state, rules, seat_agents, randoms, chance, seen, sink, facts, luck, fault, beat)
            if decisions < 0:
                fault.deal = number
                fault.seating = seating
                fault.position = positions[fault.seat]
                return played
            _count(state, positions, decisions, outcome, sink, facts)
            if luck is not None:
                add_luck(luck, state, positions)
            for seat in range(players):
                agent = agents[positions[seat]]
                take_playouts(agent, agent.memory)
            if facts is not None:
                _close_facts(sink, state, rules, number, seating, facts.counting, facts.counts[k])
            if rows.shape[0] > 0:
                _write_rows(rows[played * players :], state, number, seating, positions, decisions)
            played += 1
    if facts is not None:
        _count_facts(sink, facts.counting, facts.counts[k])
        finish_counts(facts.counts[k], *facts.counting)
    return played


@jit
def _play_all(games, stop, tally, sink, facts, lucks):
    """Play all jobs, or until a fault or stop; return the number of finished games. See `compiled_loop`."""
    finished = 0  # all jobs have one player count, so the rows of job k begin at finished * players
    for k in range(games.jobs.shape[0]):
        luck = None if lucks is None else lucks[k]
        finished += _play(games, k, stop, tally, finished * games.jobs[k].players, sink, facts, luck)
        if tally.fault[0].found != 0 or stop[0] != 0:
            break
    return finished


def work_dtype(game: Game) -> Any:
    """Return the dtype of one thread's records; `spare` separates the cache lines of threads."""
    fields = [("state", game.state), ("seen", game.state), ("chance", CHANCE), ("spare", "u1", (128,))]
    return np.dtype(fields, align=True)


@cache
def compiled_loop(game: Game, output: str = "", luck: bool = False) -> Any:
    """Return the loop, compiled for `game` or loaded from the cache folder.

    `output`: "journal" to write the journal of one game, "facts" to count facts, "" for neither. `luck`: measure it.
    """
    game.register()
    sink = record_type(game.facts.SINK if output == "facts" else game.journal) if output else types.none
    i8, agents = types.int64, array_type(AGENT, 2)
    seats = tuple_type(Seats, array_type(AGENT), array_type(RANDOM), types.uint8[:, ::1])
    played = array_type(JOB), array_type(game.rules), agents, seats, array_type(work_dtype(game))
    written = array_type(OUTCOME), array_type(ROW), array_type(FAULT), array_type(HEARTBEAT)
    games, tally = tuple_type(Games, *played), tuple_type(Tally, *written)
    facts = tuple_type(FactCounts, COUNTING, i8[:, ::1]) if output == "facts" else types.none
    measured = array_type(luck_dtype(game)) if luck else types.none
    return entry(_play_all, i8(games, i8[::1], tally, sink, facts, measured), game.name)
