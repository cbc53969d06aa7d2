"""Thousands of games stepped at once, for learning: arrays in, arrays out, one compiled call per step.

After `reset(deal=d)` slot i of n plays the deals d + i, d + i + n, ... Each dealt game is the one that studies and
records have of that deal, if the same actions are chosen: it depends on (seed, game, players, deal, variant, line-up,
seating) and on the caller's actions alone, not on n or on what happens in other slots.
"""

from collections.abc import Sequence
from secrets import randbits
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from strozzi_sim.agent import AnyAgent
from strozzi_sim.errors import AgentFault, ArgumentError, InputError, as_argument_error, check_names, check_whole
from strozzi_sim.game import find_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.slices import Layout
from strozzi_sim.game.variants import BASE, AnyVariant, Variant, resolve_variant
from strozzi_sim.kernel.record_types import Array, exact_copy
from strozzi_sim.kernel.streams import CHANCE, RANDOM, game_key
from strozzi_sim.runtime.workers import HEARTBEAT
from strozzi_sim.simulation.loop import AGENT, FAULT, JOB, Seats
from strozzi_sim.simulation.match import check_players
from strozzi_sim.simulation.opponents import Opponents
from strozzi_sim.simulation.seatings import seating_design
from strozzi_sim.simulation.slots import FAULTY, SLOT, slot_records
from strozzi_sim.simulation.vector_arrays import Info, SlotState, Space, Step, SupportsSlot, record_bytes
from strozzi_sim.simulation.vector_kernels import (
    ILLEGAL,
    LEAD,
    MAX_UNASKED,
    PLAN,
    SCORE,
    UNASKED,
    WIN,
    Finals,
    Rows,
    kernels,
)

MAX_GAMES = 2**20  # most games at once
MAX_SEED = 2**53 - 1
ROTATE = "rotate"
Reward = Literal["win", "score", "lead"]
REWARDS: dict[Reward, int] = {"win": WIN, "score": SCORE, "lead": LEAD}


class VectorEnv:
    """Many games at once. A step takes an action for each game and advances every game to the caller's next decision.

    Without opponents the caller decides for every seat. With opponents the caller is the learner at one seat, position
    0 of the line-up [learner, opponent 1, ...]; the opponents, compiled agents, play inside the step, in the caller's
    process. A seat with one legal action never decides. A finished game is followed by the slot's next deal; games
    without a decision for the caller are skipped.

    Args:
        game: the game, or its name.
        players: number of seats.
        num_envs: number of games n, 1 to 2^20.
        opponents: an agent, a spec string such as "random" or one declared in code, or a list of k of them, at most
            players - 1: the i-th seat after the learner in turn order gets agent i mod k (i from 0), as in `play` and
            `compare`; default: the caller decides for every seat. Or a list of such lists, of which one is drawn for
            each game (see `lineups`): [["random"], ["flat_mc", "random"]].
        seat: seat of the learner: a number, or "rotate": in deal d it is d modulo players. At seat s the game is
            seating s of `record --seatings rotate` with all agents: `me,h,g,h` for opponents `[h, g]` at 4 seats.
        reward: "win": 1 for the winner, shared if the win is; "score": the final score (negated where the lowest
            wins); "lead": its lead over the mean of the others.
        variant: a Variant, the name of a shipped one, or changes by name: {"rich": {"tracks": {"bonus": {7: 10}}}}.

    The arguments are attributes, and so are `pool`, the line-ups of opponents at positions 1 .. players - 1, `seed`,
    None before the first `reset`, and `steps`, the number of calls of `step` since then that did not fail.

    >>> import strozzi_sim as ss
    >>> env = ss.VectorEnv("strozzi", 4, 2, opponents="random")
    >>> observations, masks, seats, rewards, done, info = env.reset(seed=7)
    >>> observations.shape == (2, *env.observation_shape), seats.tolist()
    (True, [0, 1])
    >>> env.step(env.random_actions()).rewards.tolist()
    [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
    """

    def __init__(
        self,
        game: str | Game,
        players: int,
        num_envs: int,
        opponents: AnyAgent | Sequence[AnyAgent] | None = None,
        seat: int | Literal["rotate"] = "rotate",
        reward: Reward = "win",
        *,
        variant: AnyVariant = BASE,
    ) -> None:
        self.game = find_game(game)
        self.variant = as_argument_error("variant", resolve_variant, self.game, variant)
        self.players = check_whole("players", players)
        check_players(self.game, self.players, self.variant)
        self.num_envs = check_whole("num_envs", num_envs, 1, MAX_GAMES)
        as_argument_error("reward", check_names, "reward", [reward], REWARDS)
        self.seat, self.reward = seat, reward
        self._opponents = Opponents(self.game, self.variant, self.players, self.num_envs, opponents)
        self.pool = self._opponents.pool
        self.seed: int | None = None
        self.steps = 0
        self._plan, self._job = np.zeros(1, PLAN), np.zeros(1, JOB)
        self._plan["seating"] = self._seating(seat)
        self._plan["reward"], self._plan["hidden"] = REWARDS[reward], self.variant.hidden
        self._plan["state_size"] = self.game.state.itemsize
        self._rules = exact_copy(self.variant.rules)
        self._design = seating_design(ROTATE if self.pool else "one", self.players)
        self._works, self._slots = np.zeros(self.num_envs, slot_records(self.game)), np.zeros(self.num_envs, SLOT)
        self._seat_agents = np.zeros((self.num_envs, self.players), AGENT)
        self._randoms = np.zeros((self.num_envs, self.players), RANDOM)
        self._fault, self._beat = np.zeros(1, FAULT), np.zeros(1, HEARTBEAT)
        self._finals = Finals.empty(self.num_envs, self.players, self.slices.size)
        self._kernels = kernels(self.game)
        self._last: Step | None = None
        self._closed = False

    @property
    def num_actions(self) -> int:
        """Number of actions A; action numbers are 1 to A - 1."""
        return self.game.actions

    @property
    def slices(self) -> Layout:
        """Named slices of an observation: `env.slices["phase"].of(observations)`; see `game.slices.Slice`."""
        return self.game.slices

    @property
    def observation_shape(self) -> tuple[int]:
        """Shape of one observation, (F,)."""
        return (self.slices.size,)

    @property
    def spaces(self) -> dict[str, Space]:
        """Shape, type and limits of `actions` and of the arrays of a Step, by name.

        >>> import strozzi_sim as ss
        >>> spaces = ss.VectorEnv("strozzi", 4, 8).spaces
        >>> spaces["actions"].shape, spaces["actions"].high, spaces["masks"].shape
        ((8,), 14, (8, 15))
        """
        n, (low, high), bits = self.num_envs, self.slices.limits(), np.dtype(np.bool_)
        highest = 1.0 if self.reward == "win" else np.inf
        return {
            "actions": Space((n,), np.dtype(np.int64), 1, self.num_actions - 1),
            "observations": Space((n, *self.observation_shape), np.dtype(np.float32), low, high),
            "masks": Space((n, self.num_actions), bits, False, True),
            "seats": Space((n,), np.dtype(np.int64), 0, self.players - 1),
            "rewards": Space((n, self.players), np.dtype(np.float32), min(0.0, 1.0 - highest), highest),
            "done": Space((n,), bits, False, True),
        }

    @property
    def deals(self) -> NDArray[np.int64]:
        """Deal in each slot, int64[n]."""
        return self._last_step().info.deals.copy()

    def describe(self) -> str:
        """Return the slices of an observation as a table: name, shape, range, meaning."""
        return self.slices.describe()

    def __repr__(self) -> str:
        lineups = [", ".join(spec.text for spec in lineup) for lineup in self.pool]
        opponents = ", ".join(f"[{lineup}]" for lineup in lineups) if len(lineups) > 1 else "".join(lineups)
        options = f"opponents=[{opponents}], variant={self.variant.name!r}"
        return f"VectorEnv({self.game.name!r}, {self.players}, {self.num_envs}, {options})"

    def slot(self, slot: int) -> SlotState:
        """Return the game in a slot; `Position.from_slot` makes a position of it."""
        last, slot = self._last_step(), check_whole("slot", slot, 0, self.num_envs - 1)
        work = self._works[slot : slot + 1]
        copies = (np.frombuffer(bytearray(record_bytes(work[name])), work[name].dtype) for name in ("state", "chance"))
        return SlotState(int(self._slots["game"][slot]), int(last.seats[slot]), *copies)

    def put(self, slot: int, position: SupportsSlot) -> Step:
        """Replace the game in a slot by a copy of a position; return the last Step, with the slot's new decision.

        The position is a `Position` of the same game, players and variant, in which the caller decides. It counts as
        the slot's current deal, and the slot's next deal follows it. Opponents begin there with empty memories; the
        random streams of all seats are the position's, from their beginning.
        """
        last, slot = self._last_step(), check_whole("slot", slot, 0, self.num_envs - 1)
        if (position.game, position.players) != (self.game, self.players) or position.chance.dtype != CHANCE:
            needed = f"{self.game.name}, {self.players} players, without scripted chance"
            raise ArgumentError("position", f"must be of {needed}")
        if position.variant.rules.tobytes() != self.variant.rules.tobytes():
            raise ArgumentError("position", f"must be of variant {self.variant.name!r}, got {position.variant.name!r}")
        seats = set(range(self.players)) if not self.pool else {int(last.seats[slot])}
        if position.actor not in seats:
            raise ArgumentError("position", f"one of these seats must decide: {sorted(seats)}; got {position.actor}")
        work = self._works[slot : slot + 1]
        for name, record in (("state", position.state), ("chance", position.chance)):
            record_bytes(work[name])[:] = record_bytes(record)
        self._randoms[slot] = position.rng
        self._slots["decisions"][slot] = 0
        for memory in self._opponents.memories:
            memory[slot] = 0
        rows = Rows(*(part.copy() for part in (*last[:5], *last.info[:3])))
        self._kernels.show_slot(slot, self._plan[0], self._rules[0], self._works, self._slots, self._randoms, rows)
        info = last.info._replace(random_bits=rows.words, num_legal=rows.choices, deals=rows.deals)
        self._last = Step(*rows[:5], info)
        return self._last

    def copy(self) -> "VectorEnv":
        """Return a copy with the same games, future chance and memories of opponents."""
        self._check_open()
        return _restored(*self._saved())

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "VectorEnv":
        return self.copy()

    def __reduce__(self) -> Any:
        """Pickle the arguments, the games and the opponents' memories. Raises InputError if it is closed."""
        self._check_open()
        return _restored, self._saved()

    def _saved(self) -> tuple[Any, ...]:
        opponents = [list(lineup) for lineup in self.pool] or None
        arguments = (self.game, self.players, self.num_envs, opponents, self.seat, self.reward)
        games = [exact_copy(part) for part in (self._works, self._slots, self._randoms, self._job)]
        memories = [memory.copy() for memory in self._opponents.memories]
        course = self.seed, self.steps, self._last
        return arguments, self.variant, self.game.behaviour, games, memories, course

    def reset(self, seed: int | None = 0, *, deal: int = 0) -> Step:
        """Deal n deals of a seed, one to each slot, and advance each game to the caller's first decision.

        The first deal of slot i is deal + i, its next one deal + i + n. A seed None is drawn by the operating system.
        """
        self._check_open()
        first = check_whole("deal", deal, 0, MAX_SEED)
        self.seed = randbits(53) if seed is None else check_whole("seed", seed, 0, MAX_SEED)
        self._job[0] = (game_key(self.game.name), self.seed, self.players, first, 0, 0, 0)
        self.steps = 0
        self._rules = exact_copy(self.variant.rules)  # an opponent may have changed them
        return self._step(np.zeros(0, np.int64))

    def step(self, actions: Any) -> Step:
        """Play one action in every game, and advance each to the caller's next decision.

        Args:
            actions: whole numbers [n], each legal in `masks`. SKIPPED (`vector_kernels`) makes a game wait.

        Raises:
            InputError: invalid actions, or `reset` was not called: nothing was played. Or no decision for the caller in
                1,000 deals: only `reset` helps then.
            AgentFault: an opponent chose an illegal action or failed; only `reset` helps then.
        """
        previous, chosen = self._last_step(), np.asarray(actions)
        if chosen.dtype.kind not in "iu" or chosen.shape != (self.num_envs,):
            got = f"{chosen.dtype}{list(chosen.shape)}"
            raise ArgumentError("actions", f"expected whole numbers [{self.num_envs}], one for each game, got {got}")
        step = self._step(np.ascontiguousarray(chosen, np.int64))
        step.keep_rows(previous, chosen)
        self.steps += 1
        return step

    def random_actions(self) -> NDArray[np.int64]:
        """Return a uniformly random legal action of every game, int64[n], as the agent `random` chooses.

        It uses the decisions' own `random_bits`, so that a second call returns the same actions.
        """
        out = np.empty(self.num_envs, np.int64)
        self._kernels.choose(self._rules[0], self._works, self._last_step().info.random_bits, out)
        return out

    def observe(self, seats: Any) -> NDArray[np.float32]:
        """Return the observation of one seat in every game, float32[n, F]; it need not be the acting seat.

        `seats` are whole numbers [n], or one for all games.
        """
        self._last_step()
        chosen = np.asarray(seats)
        if chosen.dtype.kind not in "iu" or chosen.shape not in ((), (self.num_envs,)):
            got = f"{chosen.dtype}{list(chosen.shape)}"
            raise ArgumentError("seats", f"expected one or {self.num_envs} whole numbers, got {got}")
        if chosen.size and not 0 <= chosen.min() <= chosen.max() < self.players:
            raise ArgumentError("seats", f"must be from 0 to {self.players - 1}, got {chosen.min()} to {chosen.max()}")
        seat_of_game = np.full(self.num_envs, chosen, np.int64)
        out = np.empty((self.num_envs, *self.observation_shape), np.float32)
        self._kernels.observe(self._plan[0], self._rules[0], self._works, seat_of_game, out)
        return out

    def lineups(self, deals: Any = None) -> NDArray[np.int64]:
        """Return the number of the line-up of `pool` that plays each deal of the seed, int64[k]; 0 without opponents.

        Line-ups are equally likely; the draw depends on (seed, game, players, deal) alone. `deals` are whole numbers
        [k], such as `info.final_deals`; default: the deal in each slot.
        """
        current = self._last_step().info.deals
        deal_array = np.asarray(current if deals is None else deals)
        if deal_array.dtype.kind not in "iu" or deal_array.ndim != 1:
            raise ArgumentError("deals", f"expected whole numbers [k], got {deal_array.dtype}{list(deal_array.shape)}")
        out = np.empty(len(deal_array), np.int64)
        self._kernels.lineups(self._job[0], max(len(self.pool), 1), np.ascontiguousarray(deal_array, np.int64), out)
        return out

    def close(self) -> None:
        """Release the memory. Later calls of `reset` and `step` raise InputError."""
        self._closed, self._last = True, None
        self._opponents.memories = []
        self._finals = Finals(*(part[:0] for part in self._finals))
        arrays = self._works, self._slots, self._seat_agents, self._randoms
        self._works, self._slots, self._seat_agents, self._randoms = (part[:0] for part in arrays)

    def __enter__(self) -> "VectorEnv":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise InputError("VectorEnv: it is closed; make a new one")

    def _last_step(self) -> Step:
        """Return the last Step. Raises InputError without games: before `reset`, after a failure, once it is closed."""
        self._check_open()
        if self._last is None:
            raise InputError("VectorEnv: no games are dealt; call reset(seed) first")
        return self._last

    def _step(self, actions: Array) -> Step:
        rows = Rows.empty(self.num_envs, self.players, self.slices.size, self.num_actions)
        seats = Seats(self._seat_agents, self._randoms, self._design)
        played = self._works, self._slots, self._opponents.agents, self._opponents.strides, seats
        written = rows, self._finals, self._fault[0], self._beat[0]
        ended = self._kernels.step(self._plan[0], self._job[0], self._rules[0], *played, actions, *written)
        if ended < 0:
            raise self._refused(ended, actions)
        if self._opponents.untrusted and self._rules.tobytes() != self.variant.rules.tobytes():
            self._last = None
            raise AgentFault(f"agent {self._opponents.untrusted} changed the rules that it received")
        finals = (part[:ended].copy() for part in self._finals)
        self._last = Step(*rows[:5], Info(*rows[5:], *finals))
        return self._last

    def _refused(self, code: int, actions: Array) -> Exception:
        """Return the exception for a failed step, and drop games that it has played; `code`: the kernel's result."""
        slot = int(self._plan["slot"][0])
        if code == ILLEGAL:
            last = self._last_step()
            legal = ", ".join(map(str, np.flatnonzero(last.masks[slot])))
            where = f"slot {slot} (deal {last.info.deals[slot]}), seat {last.seats[slot]}"
            return ArgumentError("actions", f"{where}: {actions[slot]} is not legal; legal: {legal}")
        self._last = None
        if code == UNASKED:
            why = f"no decision for the caller in {MAX_UNASKED:,} deals; check the components"
            return InputError(f"VectorEnv: slot {slot}: {why}")
        assert code == FAULTY
        fault = self._fault[0]
        lineup = np.zeros(1, np.int64)
        self._kernels.lineups(self._job[0], len(self.pool), np.array([fault["deal"]], np.int64), lineup)
        spec = self.pool[lineup[0]][int(fault["position"]) - 1]
        seat, action = int(fault["seat"]), int(fault["action"])
        what = f"chose the illegal action {action}" if action else "failed inside compiled code, or chose action 0"
        where = f"decision {fault['decision']} of {self.game.name}, {self.players} players"
        game = f"seed {self.seed}, deal {fault['deal']}, seating {fault['seating']}"
        return AgentFault(f"agent {spec.text!r} at seat {seat} {what} ({where}, {game})")

    def _seating(self, seat: Any) -> int:
        """Return the seating of every deal, or -1 if it rotates."""
        if seat == ROTATE and isinstance(seat, str):
            return -1 if self.pool else 0
        if not self.pool:
            raise ArgumentError("seat", "without opponents every seat is the caller's; leave it out")
        if isinstance(seat, str):
            raise ArgumentError("seat", f"must be {ROTATE!r} or a seat from 0 to {self.players - 1}, got {seat!r}")
        return check_whole("seat", seat, 0, self.players - 1)


def _restored(
    arguments: Any, variant: Variant, behaviour: int, games: list[Array], memories: list[Array], course: Any
) -> VectorEnv:
    """Return the environment that `VectorEnv._saved` saved. Raises InputError if the game's behaviour has changed."""
    env = VectorEnv(*arguments, variant=variant)
    if env.game.behaviour != behaviour:
        now = f"which is now {env.game.behaviour}"
        raise InputError(f"VectorEnv: saved at behaviour {behaviour} of {env.game.name}, {now}")
    env._works, env._slots, env._randoms, env._job = (exact_copy(part) for part in games)
    for memory, saved in zip(env._opponents.memories, memories, strict=True):
        memory[:] = saved
    env.seed, env.steps, env._last = course
    if env._last is not None:
        env._seat_agents = env._opponents.seated(env.lineups(env._slots["game"]), env._design[env._slots["seating"]])
    return env
