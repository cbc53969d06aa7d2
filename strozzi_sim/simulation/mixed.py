"""The mixed loop: it plays many games at once, for line-ups with agents in Python.

The kernel of `slots` plays until the game in each slot waits for a Python seat, Python answers all of these decisions,
and so on. The result is a script: the actions of every game, in order. The compiled loop then plays the same games from
the script again, so that results are counted in one place and one order for all agents.

The bits of a matrix product may depend on the size of a batch and on a row's place in it (OpenBLAS on many processors).
So which decisions are in a batch, and where, depends only on the match and the range of deals: games are dealt to slots
in a fixed order, and pending decisions are answered in the order of the slots, BATCH_SIZE per call.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from strozzi_sim.agent import AgentSpec
from strozzi_sim.agent.compile import CompiledAgent
from strozzi_sim.agent.python import (
    BATCH_SIZE,
    InvalidAnswer,
    Replacement,
    TimeLimit,
    aligned,
    ask_batch,
    ask_one,
    make_player,
)
from strozzi_sim.errors import AgentFault
from strozzi_sim.game.components import read_only
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.kernel.record_types import Array
from strozzi_sim.kernel.streams import RANDOM, SeatRng
from strozzi_sim.runtime.threads import limit_loaded, single_threaded_blas
from strozzi_sim.runtime.workers import begin_decision
from strozzi_sim.simulation.loop import AGENT, FAULT, POSITIONS, Games, Seats, Tally
from strozzi_sim.simulation.slots import FULL, LOGGED, PENDING, PROGRESS, REPLAY_CURSOR, SLOT, kernels, slot_records

MAX_SLOTS = 4096  # most games at once
WAVE = 4  # games per slot that are played before they are counted
LOG = 64  # decisions per game for which the log has room at first
_MEMORY = 2**28  # most bytes of compiled agents' memory in all slots; there is at least one slot

# Number of answers of Python agents declared with `replaces`, and of Replacements among them. [position]
ANSWERS = np.dtype([("answers", "i8", (POSITIONS,)), ("replaced", "i8", (POSITIONS,))], align=True)


class MixedLoop:
    """Play of a range of deals with Python seats, wave by wave; see `waves`.

    `positions` are the agents by position, `compiled` their compiled forms, None for those in Python. `games` are those
    of one job, `per_deal` the number of games of a deal. A fault of a compiled agent and the heartbeat are written to
    `tally`; `blame` returns the exception for the fault of an agent in Python.
    """

    def __init__(
        self,
        game: Game,
        variant: Variant,
        positions: Sequence[AgentSpec],
        compiled: Sequence[CompiledAgent | None],
        games: Games,
        tally: Tally,
        per_deal: int,
        blame: Callable[[Any, str], AgentFault],
    ) -> None:
        self.blame, self.games, self.tally = blame, games, tally
        self._per_deal = per_deal
        self.answers = np.zeros(1, ANSWERS)  # of all games so far
        self._beat_words = tally.beat.view(np.int64).data
        self.kernels, self._view_of = kernels(game), game.view.view_of
        players, (job,) = len(positions), games.jobs
        number_of_games = int(job["last"] - job["first"]) * per_deal
        sizes = [agent.memory.itemsize if agent is not None else 0 for agent in compiled]
        slots = max(1, min(MAX_SLOTS, number_of_games, _MEMORY // max(sum(sizes), 1)))
        self.memories = [np.zeros(slots, agent.memory) if agent is not None else None for agent in compiled]
        self.strides = np.array(sizes, np.int64)
        self.compiled = compiled
        self.works, self.slots = np.zeros(slots, slot_records(game)), np.zeros(slots, SLOT)
        self.seats = Seats(np.zeros((slots, players), AGENT), np.zeros((slots, players), RANDOM), games.seats.design)
        self.pending = np.zeros(slots, PENDING)
        self.log = np.zeros(slots * LOG * WAVE, LOGGED)
        self.clock = TimeLimit()
        # positions with the same agent share calls, made for the first of them
        self.specs = positions
        agent_keys = [(spec.text, id(spec.agent)) for spec in positions]
        self.deciding_position = np.array([agent_keys.index(key) for key in agent_keys])
        deciding = zip(self.deciding_position, compiled, strict=True)
        self.asked_positions = sorted({int(first) for first, agent in deciding if agent is None})
        self.components = read_only(variant.components)
        actions = game.actions
        self.legal_each = np.zeros((slots, actions), np.bool_)  # of seats that decide one by one
        self.legal = aligned((BATCH_SIZE, actions), np.bool_)
        self.observations = aligned((BATCH_SIZE, game.observation_size), np.float32)
        self.words = aligned((BATCH_SIZE,), np.uint64)
        self._batch_players: dict[int, Any] = {}
        self._seats: dict[tuple[int, int], tuple[int, Any, SeatRng]] = {}
        self._deals_per_wave = max(1, WAVE * slots // per_deal)

    def waves(self, stop: Array) -> Iterator[Games]:
        """Play the deals of the job; yield the games of each wave, with agents that play them from the script.

        The waves end early at a compiled agent's fault, or once `stop` is not 0.
        """
        job, agents = self.games.jobs, self.games.agents[0]
        for position, memory in enumerate(self.memories):
            if memory is not None:
                agents[position]["memory"] = memory.ctypes.data
        first, last = int(job["first"][0]), int(job["last"][0])
        for low in range(first, last, self._deals_per_wave):
            wave = job.copy()
            wave["first"], wave["last"] = low, min(low + self._deals_per_wave, last)
            script = self._play(wave, agents, stop)
            if self.tally.fault["found"][0] or stop[0] != 0:
                return
            memory = np.zeros(1, REPLAY_CURSOR)
            memory["place"] = script.ctypes.data
            scripted = np.zeros((1, len(self.specs)), AGENT)
            scripted[:] = (self.kernels.scripted.address, memory.ctypes.data, memory.ctypes.data, 0, 1, -1, 0, 0)
            yield self.games._replace(jobs=wave, agents=scripted)

    def _play(self, wave: Array, agents: Array, stop: Array) -> Array:
        """Play the games of a wave; return their actions, game after game, undefined after a fault or stop."""
        games = int(wave["last"][0] - wave["first"][0]) * self._per_deal
        progress, lengths = np.zeros(1, PROGRESS), np.zeros(games, np.int64)
        progress["games"] = games
        self.slots["game"] = -1
        self._seats.clear()
        played = wave[0], self.games.rules, self.works, self.slots, agents, self.strides, self.seats
        written = progress[0], lengths, self.pending, self.tally.fault[0], stop, self.tally.beat[0]
        with single_threaded_blas(), self.clock:
            while True:
                waiting = self.kernels.advance(*played, self.log, *written)
                if waiting == FULL:
                    self.log = np.concatenate([self.log, np.zeros(len(self.log), LOGGED)])
                elif waiting <= 0:
                    break
                else:
                    self._answer(self.pending[:waiting], wave, stop)
        script = np.empty(int(progress["logged"][0]), np.int64)
        if waiting == 0 and stop[0] == 0:
            self.kernels.sort(self.log, len(script), np.cumsum(lengths) - lengths, script)
        return script

    def _answer(self, pending: Array, wave: Array, stop: Array) -> None:
        """Let the agents answer the pending decisions; once `stop` is set, no more calls are made."""
        for position in self.asked_positions:
            part = pending
            if len(self.asked_positions) > 1:
                part = pending[self.deciding_position[pending["position"]] == position]
                if len(part) == 0:
                    continue
            try:
                if self.specs[position].agent.kind == "batch":
                    self._answer_batch(position, part, wave, stop)
                else:
                    self._answer_each(position, part, wave, stop)
            except InvalidAnswer as invalid:
                row = part[invalid.row]
                slot = self.slots[row["slot"]]
                fault = np.zeros(1, FAULT)
                deal_number = int(wave["first"][0]) + int(slot["game"]) // self._per_deal
                fault[0] = (1, deal_number, slot["seating"], row["seat"], row["position"], 0, slot["decisions"])
                raise self.blame(fault[0], invalid.what) from invalid.__cause__

    def _places(self, pending: Array, wave: Array) -> list[tuple[int, int, int, int]]:
        """Return (deal, seating, seat, number of the decision in its game) of every pending decision."""
        slots = self.slots[pending["slot"]]
        deals = int(wave["first"][0]) + slots["game"] // self._per_deal
        columns = (deals, slots["seating"], pending["seat"], slots["decisions"])
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def _look(self, pending: Array, observations: Array, legal: Array, words: Array) -> None:
        """Write legal actions of pending decisions; with rows for them, also observations and random words."""
        self.kernels.look(self.games.rules, self.works, self.slots, pending, self.seats, observations, legal, words)

    def _answer_batch(self, position: int, pending: Array, wave: Array, stop: Array) -> None:
        for first in range(0, len(pending), BATCH_SIZE):
            if stop[0]:
                return
            part = pending[first : first + BATCH_SIZE]
            begin_decision(self._beat_words, *self._places(part[:1], wave)[0])
            if position not in self._batch_players:
                spec = self.specs[position]
                self._batch_players[position] = make_player(spec.agent.function, dict(spec.values), self.clock)
                limit_loaded()
            player = self._batch_players[position]
            self._look(part, self.observations, self.legal, self.words)
            try:
                actions = ask_batch(player, self.observations, self.legal, self.words, len(part), self.clock)
            except InvalidAnswer as invalid:
                raise InvalidAnswer(invalid.what, first + invalid.row) from invalid.__cause__
            self.slots["action"][part["slot"]] = actions

    def _answer_each(self, position: int, pending: Array, wave: Array, stop: Array) -> None:
        spec = self.specs[position]
        legal = self.legal_each[: len(pending)]
        self._look(pending, self.observations[:0], legal, self.words[:0])
        states, games = self.works["seen"], self.slots["game"]
        places = self._places(pending, wave)
        for row, (b, seat, _) in enumerate(pending.tolist()):
            if stop[0]:
                return
            try:
                begin_decision(self._beat_words, *places[row])
                game = int(games[b])
                stored = self._seats.get((b, seat))
                if stored is not None and stored[0] == game:
                    _, player, rng = stored
                else:
                    player = make_player(spec.agent.function, dict(spec.values), self.clock)
                    if not self._seats:
                        limit_loaded()
                    rng = SeatRng(int(self.seats.randoms["cursor"][b, seat]))
                    self._seats[b, seat] = game, player, rng
                view = self._view_of(states[b], self.components, seat)
                choices = tuple(np.flatnonzero(legal[row]).tolist())
                action = ask_one(player, view, choices, rng, self.clock)
                if spec.agent.replaces or isinstance(action, Replacement):
                    self._count(action, int(pending["position"][row]), spec)
                self.slots["action"][b] = action
            except InvalidAnswer as invalid:
                raise InvalidAnswer(invalid.what, row) from invalid.__cause__

    def _count(self, action: int, position: int, spec: AgentSpec) -> None:
        """Count an answer of an agent declared with `replaces`; a Replacement of another agent raises InvalidAnswer."""
        if not spec.agent.replaces:
            raise InvalidAnswer("returned a Replacement; an agent that does is declared with replaces=True")
        self.answers["answers"][0, position] += 1
        self.answers["replaced"][0, position] += isinstance(action, Replacement)
