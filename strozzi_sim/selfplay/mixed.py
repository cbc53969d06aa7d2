"""The mixed loop: many games at once, for line-ups with agents in Python.

The kernel plays compiled seats inline, on every game in flight, until each game waits for a Python seat; Python answers
all of them as one batch, and so on. What comes out of it is only the actions of every game, in order. The compiled
loop then plays the same games once more from this script, so that results are counted in one place, in one order,
whatever the batch size and whoever sat there.
"""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import from_dtype, int64, types

from strozzi_sim.games.contract import (
    Game,
    actor,
    apply,
    count_legal,
    deal,
    determinize,
    is_legal,
    is_over,
    kth_legal,
    observe,
)
from strozzi_sim.kernel.jit import entry, function_at, jit, merged
from strozzi_sim.kernel.pointers import assign, call_at, record_at, zero_at
from strozzi_sim.kernel.streams import CHANCE, RANDOM, absorb, deal_key, random_word, seat_stream
from strozzi_sim.python_agent import (
    PAD,
    BadAnswer,
    Clock,
    SeatRandom,
    ask_batch,
    ask_one,
    make_player,
    read_only,
    seconds_allowed,
)
from strozzi_sim.selfplay.loop import AGENT, DETERMINIZE, FAULT, JOB, array_of

if TYPE_CHECKING:
    from strozzi_sim.agent import Bound
    from strozzi_sim.selfplay.match import Match

BATCH = 4096  # games in flight
WAVE = 4  # batches of games that are played before they are counted
_MEMORY = 2**28  # bytes of agents' memory at once; fewer games are in flight when they need more

Array = np.ndarray[Any, Any]

# A place for a game in flight.
SLOT = np.dtype([
    ("game", "i8"),  #      number within the wave, or -1
    ("seating", "i8"),
    ("decisions", "i8"),
    ("action", "i8"),  #    what a Python seat answered, 0 = nothing yet
    ("asked", "i8"),  #     1 = `seen` is ready for the Python seat
], align=True)  # fmt: skip

# A decision that waits for Python.
PENDING = np.dtype([("slot", "i8"), ("seat", "i8"), ("position", "i8")], align=True)

# How far a wave is: games [0, games) of the job's deals with all seatings.
PROGRESS = np.dtype([("next", "i8"), ("games", "i8"), ("logged", "i8")], align=True)

# One decision of the wave, in the order in which they were made; sorted by game they are the script.
LOGGED = np.dtype([("game", "i4"), ("action", "i4")], align=True)

# The memory of the agent that plays from the script: where its next action lies.
SCRIPT = np.dtype([("place", "i8")], align=True)
_NOTHING = np.dtype([("nothing", "u8")])

_WAITS, _OVER, _FULL, _FAULT = 0, 1, -1, -2


def _flying(game: Game) -> Any:
    """The records of a game in flight."""
    return np.dtype([("state", game.state), ("seen", game.state), ("chance", CHANCE)], align=True)


# -- kernels ---------------------------------------------------------------------------------------------------------


@merged
def _start(b, job, rules, work, slot, agents, strides, seat_agents, randoms, resample, seatings, progress):
    """Deal the next game of the wave to slot b."""
    game = int64(progress.next)
    progress.next = game + 1
    players = int64(job.players)
    seating = game % seatings.shape[0]
    slot.game = game
    slot.seating = seating
    slot.decisions = 0
    slot.action = 0
    slot.asked = 0
    key = deal_key(job.seed, job.game, players, int64(job.first) + game // seatings.shape[0])
    for seat in range(players):
        position = int64(seatings[seating, seat])
        agent = seat_agents[b, seat]
        assign(agent, agents[position])
        agent.memory = int64(agent.memory) + b * strides[position]
        if agent.memory_size > 0:
            zero_at(agent.memory, agent.memory_size)
        randoms[b, seat].cursor = seat_stream(key, seat)
        resample[b, seat].cursor = absorb(key, int64(DETERMINIZE) + seat)
    work.chance.key = key
    deal(work.state, rules, players, int64(job.start_player), work.chance, None)


@merged
def _run(b, rules, work, slot, seat_agents, randoms, resample, log, progress, fault):
    """Play on in slot b until a Python seat must answer or the game is over."""
    state = work.state
    while not is_over(state):
        if int64(progress.logged) == log.shape[0]:
            return int64(_FULL)
        seat = actor(state)
        agent = seat_agents[b, seat]
        if not agent.sees_state and slot.asked == 0:
            assign(work.seen, state)
            determinize(work.seen, rules, seat, resample[b, seat])
        if agent.address == 0:
            if slot.action == 0:
                slot.asked = 1
                return int64(_WAITS)
            action = int64(slot.action)
            slot.action = 0
            slot.asked = 0
        elif agent.sees_state:
            action = call_at(agent.address, state, rules, agent.params, agent.memory, randoms[b, seat])
        else:
            action = call_at(agent.address, work.seen, rules, agent.params, agent.memory, randoms[b, seat])
        if not is_legal(state, rules, action):
            fault.found = 1
            fault.seat = seat
            fault.action = action
            return int64(_FAULT)
        apply(state, rules, action, work.chance, None)
        entry = log[int64(progress.logged)]
        entry.game = slot.game
        entry.action = action
        progress.logged += 1
        slot.decisions += 1
    return int64(_OVER)


@jit
def _advance(job, rules, works, slots, agents, strides, seat_agents, randoms, resample, seatings, log, progress, lengths,
             pending, fault, stop):  # fmt: skip
    """Play on in every slot; returns the number of decisions that wait for Python, or _FULL or _FAULT."""
    waiting = int64(0)
    for b in range(slots.shape[0]):
        slot = slots[b]
        work = works[b]
        while True:
            if slot.game < 0:
                if progress.next == progress.games or stop[0] != 0:
                    break
                _start(b, job, rules, work, slot, agents, strides, seat_agents, randoms, resample, seatings, progress)
            what = _run(b, rules, work, slot, seat_agents, randoms, resample, log, progress, fault)
            if what == _OVER:
                lengths[slot.game] = slot.decisions
                slot.game = -1
            elif what == _WAITS:
                row = pending[waiting]
                row.slot = b
                row.seat = actor(work.state)
                row.position = int64(seatings[slot.seating, row.seat])
                waiting += 1
                break
            else:
                if what == _FAULT:
                    fault.deal = int64(job.first) + slot.game // seatings.shape[0]
                    fault.seating = slot.seating
                    fault.position = int64(seatings[slot.seating, fault.seat])
                    fault.decision = slot.decisions
                return what
    return waiting


@jit
def _look(rules, works, asked, randoms, hidden, observations, legal, words):
    """Write the rows of a batch: what the seat sees, what is legal, one random word; then clear the empty rows."""
    observing = observations.shape[0] > 0
    for row in range(legal.shape[0]):
        for action in range(legal.shape[1]):
            legal[row, action] = False
        if row >= asked.shape[0]:
            legal[row, 0] = True
            if observing:
                words[row] = 0
                for k in range(observations.shape[1]):
                    observations[row, k] = 0
            continue
        b, seat = int64(asked[row].slot), int64(asked[row].seat)
        state = works[b].seen if hidden else works[b].state
        for k in range(count_legal(state, rules)):
            legal[row, kth_legal(state, rules, k)] = True
        if observing:
            observe(state, rules, seat, observations[row])
            words[row] = random_word(randoms[b, seat])


@jit
def _sort(log, logged, lengths, script):
    """Write the actions of the log into the script, game after game."""
    place = np.zeros(lengths.shape[0] + 1, np.int64)
    for game in range(lengths.shape[0]):
        place[game + 1] = place[game] + lengths[game]
    for k in range(logged):
        game = int64(log[k].game)
        script[place[game]] = log[k].action
        place[game] += 1


@jit
def _next_of_script(state, rules, params, memory, random):
    place = int64(memory.place)
    memory.place = place + 8
    return record_at(place, memory).place  # the number that lies there


class _Kernels:
    """The compiled pieces for a game."""

    def __init__(self, game: Game) -> None:
        game.module("core")
        game.module("view")
        i8, u1 = types.int64, types.uint8
        rules, works = from_dtype(game.rules), array_of(_flying(game))
        random = array_of(RANDOM, 2)
        self.advance = entry(
            _advance,
            i8(
                from_dtype(JOB), rules, works, array_of(SLOT), array_of(AGENT), i8[::1], array_of(AGENT, 2), random,
                random, types.Array(u1, 2, "C"), array_of(LOGGED), from_dtype(PROGRESS), i8[::1], array_of(PENDING),
                from_dtype(FAULT), i8[::1],
            ),
            game.name,
        )  # fmt: skip
        self.look = entry(
            _look,
            types.void(
                rules, works, array_of(PENDING), random, types.boolean, types.float32[:, ::1], types.boolean[:, ::1],
                types.uint64[::1],
            ),
            game.name,
        )  # fmt: skip
        self.sort = entry(_sort, types.void(array_of(LOGGED), i8, i8[::1], i8[::1]), game.name)
        records = [from_dtype(dtype) for dtype in (game.state, game.rules, _NOTHING, SCRIPT, RANDOM)]
        self.scripted = function_at(_next_of_script.py_func, i8(*records), game.name)


@cache
def kernels(game: Game) -> _Kernels:
    """What the mixed loop needs, compiled for `game` or taken from the cache folder."""
    return _Kernels(game)


# -- the Python side -------------------------------------------------------------------------------------------------


class MixedLoop:
    """Plays a match with Python seats, wave by wave; see `waves`.

    Attributes:
        playouts: games that searching agents have simulated.
    """

    def __init__(
        self, match: "Match", bound: "list[Bound | None]", *, seating: int | None, batch: int, games: int
    ) -> None:
        self.match, self.first_seating = match, seating or 0
        self.design = match.design if seating is None else match.design[seating : seating + 1]
        game, players = match.game, match.players
        self.kernels = kernels(game)
        self.hidden, self.rules = match.variant.hidden, match.variant.rules[0]
        sizes = [each.memory.itemsize if each is not None else 0 for each in bound]
        slots = max(1, min(batch, games, _MEMORY // max(sum(sizes), 1)))
        self.memories = [np.zeros(slots, each.memory) if each is not None else None for each in bound]
        self.strides = np.array(sizes, np.int64)
        self.bound = bound
        self.works, self.slots = np.zeros(slots, _flying(game)), np.zeros(slots, SLOT)
        self.seat_agents = np.zeros((slots, players), AGENT)
        self.randoms, self.resample = np.zeros((slots, players), RANDOM), np.zeros((slots, players), RANDOM)
        self.pending = np.zeros(slots, PENDING)
        self.log = np.zeros(slots * 64 * WAVE, LOGGED)
        in_python = [spec.text for spec, each in zip(match.positions, bound, strict=True) if each is None]
        self.clock = Clock(seconds_allowed(), game.name, " or ".join(repr(text) for text in dict.fromkeys(in_python)))
        # positions with the same agent are asked together
        self.specs = match.positions
        self.asks = np.array([self.specs.index(spec) for spec in self.specs])
        self.asked_positions = sorted({int(ask) for ask, each in zip(self.asks, bound, strict=True) if each is None})
        self.components = read_only(match.variant.components)
        rows = -(-slots // PAD) * PAD
        view = game.module("view")
        self.legal = np.zeros((rows, game.module("state").ACTIONS), np.bool_)
        self.observations = np.zeros((rows, view.OBSERVATION), np.float32)
        self.words = np.zeros(rows, np.uint64)
        self._no_observations, self._no_words = self.observations[:0], self.words[:0]
        self._batch_players: dict[int, Any] = {}
        self._seats: dict[tuple[int, int], tuple[int, Any, SeatRandom]] = {}
        self._deals = max(1, WAVE * slots // len(self.design))

    @property
    def playouts(self) -> int:
        """Games that searching agents have simulated."""
        counts = [m["playouts"].sum() for m in self.memories if m is not None and "playouts" in (m.dtype.names or ())]
        return int(sum(counts))

    def waves(self, job: Array, agents: Array, fault: Array, stop: Array) -> Iterator[tuple[int, int, Array]]:
        """Play the deals of `job`; yields (first deal, last deal, agents that play these deals from the script).

        A compiled agent's fault is written to `fault`, and ends it.

        Raises:
            AgentFault: of a Python agent.
        """
        for position, memory in enumerate(self.memories):
            if memory is not None:
                agents[position]["memory"] = memory.ctypes.data
        first, last = int(job["first"][0]), int(job["last"][0])
        for low in range(first, last, self._deals):
            wave = job.copy()
            wave["first"], wave["last"] = low, min(low + self._deals, last)
            games = int(wave["last"][0] - low) * len(self.design)
            script = self._play(wave, agents, fault, stop, games)
            if fault["found"][0] or stop[0] != 0:
                return
            memory = np.zeros(1, SCRIPT)
            memory["place"] = script.ctypes.data
            scripted = np.zeros(self.match.players, AGENT)
            scripted[:] = (self.kernels.scripted.address, memory.ctypes.data, memory.ctypes.data, 0, 1)
            yield low, int(wave["last"][0]), scripted

    def _play(self, wave: Array, agents: Array, fault: Array, stop: Array, games: int) -> Array:
        """Play the games of a wave; returns their actions, game after game."""
        progress, lengths = np.zeros(1, PROGRESS), np.zeros(games, np.int64)
        progress["games"] = games
        self.slots["game"] = -1
        self._seats.clear()
        records = wave[0], progress[0], fault[0]
        with self.clock:
            while True:
                waiting = self.kernels.advance(
                    records[0], self.rules, self.works, self.slots, agents, self.strides, self.seat_agents,
                    self.randoms, self.resample, self.design, self.log, records[1], lengths, self.pending, records[2], stop,
                )  # fmt: skip
                if waiting == _FULL:
                    self.log = np.concatenate([self.log, np.zeros(len(self.log), LOGGED)])
                elif waiting <= 0:
                    break
                else:
                    self._answer(self.pending[:waiting], wave)
        script = np.empty(int(progress["logged"][0]), np.int64)
        if waiting == 0 and stop[0] == 0:
            self.kernels.sort(self.log, len(script), lengths, script)
        return script

    def _answer(self, pending: Array, wave: Array) -> None:
        """Have every pending decision answered by its agent."""
        for position in self.asked_positions:
            asked = pending
            if len(self.asked_positions) > 1:
                asked = pending[self.asks[pending["position"]] == position]
                if len(asked) == 0:
                    continue
            try:
                if self.specs[position].agent.kind == "batch":
                    self._answer_batch(position, asked)
                else:
                    self._answer_each(position, asked)
            except BadAnswer as bad:
                row = asked[bad.row]
                slot = self.slots[row["slot"]]
                fault = np.zeros(1, FAULT)
                deal_number = int(wave["first"][0]) + int(slot["game"]) // len(self.design)
                seating = int(slot["seating"]) + self.first_seating
                fault[0] = (1, deal_number, seating, row["seat"], row["position"], 0, slot["decisions"])
                raise self.match.fault(fault[0], bad.what) from bad.__cause__

    def _answer_batch(self, position: int, asked: Array) -> None:
        if position not in self._batch_players:
            spec = self.specs[position]
            self._batch_players[position] = make_player(spec.agent.function, dict(spec.values), self.clock)
        rows = len(asked)
        size = -(-rows // PAD) * PAD
        observations, legal, words = self.observations[:size], self.legal[:size], self.words[:size]
        self.kernels.look(self.rules, self.works, asked, self.randoms, self.hidden, observations, legal, words)
        player = self._batch_players[position]
        self.slots["action"][asked["slot"]] = ask_batch(player, observations, legal, words, rows, self.clock)

    def _answer_each(self, position: int, asked: Array) -> None:
        spec = self.specs[position]
        view_of = self.match.game.module("view").view_of
        legal = self.legal[: len(asked)]
        self.kernels.look(
            self.rules, self.works, asked, self.randoms, self.hidden, self._no_observations, legal,
            self._no_words,
        )  # fmt: skip
        states, games = self.works["seen" if self.hidden else "state"], self.slots["game"]
        for row, (b, seat, _) in enumerate(asked.tolist()):
            try:
                game = int(games[b])
                known = self._seats.get((b, seat))
                if known is None or known[0] != game:
                    player = make_player(spec.agent.function, dict(spec.values), self.clock)
                    known = self._seats[b, seat] = game, player, SeatRandom(int(self.randoms["cursor"][b, seat]))
                view = view_of(states[b], self.components, seat)
                choices = tuple(np.flatnonzero(legal[row]).tolist())
                self.slots["action"][b] = ask_one(known[1], view, choices, known[2], self.clock)
            except BadAnswer as bad:
                raise BadAnswer(bad.what, row) from bad.__cause__
