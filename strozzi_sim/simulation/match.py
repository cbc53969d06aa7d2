"""A match: one game, player count, line-up, variant, seed and seating design, ready to play any range of deals."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from strozzi_sim.agent import AgentSpec, check_lineup
from strozzi_sim.agent.compile import CompiledAgent, compile_agent, compile_evaluator
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.facts.columns import GameConfig
from strozzi_sim.facts.crosstabs import Crosstab, CrosstabPlan
from strozzi_sim.facts.row_storage import NO_ROWS, RowRecorder, RowSelection
from strozzi_sim.facts.sink import batch_for
from strozzi_sim.game.contract import Game
from strozzi_sim.game.restricting import check_restrictions, restricted
from strozzi_sim.game.variants import Variant
from strozzi_sim.kernel.record_types import Array, exact_copy
from strozzi_sim.kernel.streams import RANDOM, game_key
from strozzi_sim.runtime.workers import active_heartbeat, heartbeat, raised_in_compiled_code
from strozzi_sim.simulation import loop
from strozzi_sim.simulation.interrupts import call_interruptible, current_stop
from strozzi_sim.simulation.luck import LUCK_FIELDS, LuckMethod, luck_records
from strozzi_sim.simulation.mixed import ANSWERS, MixedLoop
from strozzi_sim.simulation.seatings import SPREAD, seating_design
from strozzi_sim.simulation.slots import kernels


@dataclass(frozen=True)
class Measures:
    """The measurements to take while deals are played, beside their outcome."""

    crosstabs: tuple[Crosstab, ...] = ()  # facts to count
    keep: RowSelection = NO_ROWS  # rows of facts to store
    rows: bool = False  # one row per game and seat
    journal: bool = False  # the journal of one game, without facts
    luck: LuckMethod | None = None  # the fields LUCK_FIELDS of the outcome
    answers: bool = False  # the fields ANSWERS of the outcome

    @property
    def one_range(self) -> bool:
        """Whether these can be measured for one range of deals at a time only."""
        return self.journal or bool(self.keep.tables)


@dataclass
class MatchResult:
    """Result of a range of deals."""

    games: int
    outcome: Array  # record of `outcome_dtype`, array of shape (1,)
    counts: Array  # of the facts, int64[plan.size], or empty; see `pool.PlayTask` for orders
    rows: Array  # ROW records, one per game and seat, or empty
    journal: Array | None  # of one game, if requested
    playouts: int = 0  # number of playouts of the agents that count them
    kept: bytes = b""  # the stored rows of facts (see `facts.row_storage`)


@dataclass(frozen=True)
class Match:
    """One cell of a study. The same range of deals has the same result on every call and worker."""

    game: Game
    players: int
    lineup: tuple[AgentSpec, ...]  # k agents; position i has agent i mod k
    variant: Variant
    seed: int  # 0 .. 2^53 - 1
    seatings: str = "one"  # name of a design

    def __post_init__(self) -> None:
        check_players(self.game, self.players, self.variant)
        object.__setattr__(self, "lineup", tuple(spec.resolve_for(self.game) for spec in self.lineup))
        if not 1 <= len(self.lineup) <= self.players:
            agents = ", ".join(spec.text for spec in self.lineup)
            given = f"{len(self.lineup)} agents ({agents}) for {self.players} seats"
            raise InputError(f"a line-up of {given}; give 1 to {self.players}")
        if not 0 <= self.seed < 2**53:
            raise InputError(f"seed: must be between 0 and 2^53 - 1, got {self.seed}")
        check_lineup(self.lineup, self.game, self.players)
        for spec in self.lineup:
            check_restrictions(self.game, self.variant, spec.without, f"agent {spec.text!r}")
        seating_design(self.seatings, self.players)

    @property
    def positions(self) -> list[AgentSpec]:
        """Agent of every position."""
        return [self.lineup[position % len(self.lineup)] for position in range(self.players)]

    def __getstate__(self) -> dict[str, Any]:
        """Return all attributes but the plans and `design`, an array, which Ray would make read-only."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_plans", "design")}

    @property
    def setting(self) -> GameConfig:
        """The data on which columns of facts depend: player count, components, largest number of events of a game."""
        return GameConfig(self.players, self.variant.components, self.game.journal_rows)

    @cached_property
    def _plans(self) -> dict[tuple[Crosstab, ...], CrosstabPlan]:
        return {}

    def count_like(self, other: "Match") -> None:
        """Share the crosstab plans of another match of the same game, player count and variant."""
        self.__dict__["_plans"] = other._plans

    @property
    def in_python(self) -> bool:
        """Whether an agent of the line-up is written in Python."""
        return any(spec.agent.kind != "compiled" for spec in self.lineup)

    @property
    def foreign(self) -> bool:
        """Whether an agent of the line-up or its policy is third-party; studies and records then play in a worker."""
        return any(spec.foreign for spec in self.lineup)

    @cached_property
    def design(self) -> Array:
        """Seatings, uint8[S, P]."""
        return seating_design(self.seatings, self.players)

    @property
    def games_per_deal(self) -> int:
        """Number of games of each deal."""
        return 1 if self.seatings == SPREAD else len(self.design)

    def seating_of(self, deal: int) -> int:
        """Return the number of the first seating in which a deal is played; with SPREAD it is the only one."""
        return deal % len(self.design) if self.seatings == SPREAD else 0

    @cached_property
    def _rules(self) -> Array:
        """Rules records, one for each seating, or one for all seatings if no agent is restricted."""
        if not any(spec.without for spec in self.lineup):
            return self.variant.rules
        forbidden = [
            {seat: self.positions[position].without for seat, position in enumerate(seats)} for seats in self.design
        ]
        return np.concatenate([restricted(self.game, self.variant, by_seat).rules for by_seat in forbidden])

    def plan(self, crosstabs: Sequence[Crosstab]) -> CrosstabPlan:
        """Return the plan that counts these crosstabs in this match; equal arguments have the same plan."""
        key = tuple(dict.fromkeys(crosstabs))
        if key not in self._plans:
            facts = self.game.facts
            self._plans[key] = CrosstabPlan(facts.TABLES, facts.SINK, self.setting, key)
        return self._plans[key]

    def warm(self, *, counted: bool = False, luck: LuckMethod | None = None) -> None:
        """Compile what workers load to play this match, except third-party agents; `warm_all` has two processes."""
        loop.compiled_loop(self.game, "facts" if counted else "", luck is not None)
        if luck is not None:
            compile_evaluator(luck.agent, self.game)
        for spec in self.lineup:
            if spec.agent.kind == "compiled" and not spec.foreign:
                compile_agent(spec, self.game)
        if self.in_python:
            kernels(self.game)

    def play(
        self,
        first: int,
        last: int,
        *,
        plan: CrosstabPlan | None = None,
        seating: int | None = None,
        stop: Array | None = None,
        **measured: Any,
    ) -> MatchResult:
        """Play deals first .. last - 1, see `play_ranges`; `measured`: fields of Measures, `plan` for its crosstabs."""
        measures = Measures(**measured) if plan is None else Measures(crosstabs=plan.crosstabs, **measured)
        (result,) = self.play_ranges([(first, last)], measures, seating=seating, stop=stop)
        return result

    def play_ranges(
        self,
        ranges: Sequence[tuple[int, int]],
        measures: Measures,
        *,
        seating: int | None = None,
        stop: Array | None = None,
    ) -> list[MatchResult]:
        """Play deals first .. last - 1 of each range (first, last), with their seatings or only number `seating`.

        Return a result for each range. Once `stop`, int64[1] (default: `current_stop`), is not 0, play ends before
        the next game, searches before the next playout, and the results must be discarded. With agents in Python, and
        measures of `one_range`, there must be one range.
        """
        assert len(ranges) == 1 or not (self.in_python or measures.one_range)
        stop = current_stop.get() if stop is None else stop
        table, compiled, _memories = self.agent_table(stop)
        games = self._games_of(ranges, table, seating)
        original_rules = games.rules.tobytes()
        per_deal = self.games_per_deal if seating is None else 1
        number_of_games = per_deal * sum(last - first for first, last in ranges)
        assert number_of_games == 1 or not measures.journal
        rows = np.zeros(number_of_games * self.players if measures.rows else 0, loop.ROW)
        tally = loop.Tally(np.zeros(len(ranges), loop.OUTCOME), rows, np.zeros(1, loop.FAULT), heartbeat())
        measuring = _Measuring(self, measures, len(ranges), stop)
        play = loop.compiled_loop(self.game, measuring.output, measures.luck is not None)

        def blame(fault: Any, what: str) -> AgentFault:
            fault["seating"] += seating or 0  # the loops number the seatings that they play from 0
            return self.fault(fault, what)

        written_by_core = measuring.sink, measuring.facts, measuring.lucks
        parts, answers, played = iter([games]), np.zeros(1, ANSWERS), 0
        if self.in_python:
            mixed = MixedLoop(self.game, self.variant, self.positions, compiled, games, tally, per_deal, blame)
            parts, answers = mixed.waves(stop), mixed.answers
        with active_heartbeat(tally.beat, self.players, ranges[0][0]):
            for part in parts:
                rest = tally._replace(rows=rows[played * self.players :])
                played += call_interruptible(stop, partial(play, part, stop, rest, *written_by_core))
        if games.rules.tobytes() != original_rules:
            raise AgentFault(f"{_foreign(self.positions, compiled)} changed the rules that it received")
        if tally.fault["found"][0]:
            raise blame(tally.fault[0], "")
        return measuring.results(tally, answers, games.agents["playouts"].sum(axis=1).tolist())

    def _games_of(self, ranges: Sequence[tuple[int, int]], table: Array, seating: int | None) -> loop.Games:
        jobs = np.zeros(len(ranges), loop.JOB)
        jobs["game"], jobs["seed"], jobs["players"] = game_key(self.game.name), self.seed, self.players
        jobs["first"], jobs["last"] = np.transpose(ranges)
        jobs["spread"] = self.seatings == SPREAD
        design, rules = self.design, self._rules
        if seating is not None:
            design = design[seating : seating + 1]
            rules = rules if len(rules) == 1 else rules[seating : seating + 1]
        seats = loop.Seats(np.zeros(self.players, loop.AGENT), np.zeros(self.players, RANDOM), design)
        agents = np.repeat(table[np.newaxis], len(ranges), axis=0)
        # a copy of the rules is writable, and a change by an agent is found and stays there
        return loop.Games(jobs, exact_copy(rules), agents, seats, np.zeros(1, loop.work_dtype(self.game)))

    def agent_table(self, stop: Array | None = None) -> tuple[Array, list[CompiledAgent | None], list[Array | None]]:
        """Return the AGENT records of the positions, and what must outlive them: compiled agents and their memories."""
        lineup_agents = [
            compile_agent(spec, self.game, stop=stop) if spec.agent.kind == "compiled" else None for spec in self.lineup
        ]
        compiled = [lineup_agents[position % len(lineup_agents)] for position in range(self.players)]
        memories = [np.zeros(1, agent.memory) if agent else None for agent in compiled]
        agents = np.zeros(self.players, loop.AGENT)
        for position, (spec, agent, memory) in enumerate(zip(self.positions, compiled, memories, strict=True)):
            # in Python: address 0; without secrets the observations of a batch agent are made from the state itself
            if agent is None or memory is None:
                agents[position]["counter"] = -1
                agents[position]["sees_state"] = spec.agent.kind == "batch" and not self.variant.hidden
                continue
            agents[position] = agent_row(agent, memory, self.variant)
            if spec.is_uniform and not self.in_python:  # the mixed loop calls it as any other
                agents[position]["address"] = loop.UNIFORM
        return agents, compiled, memories

    def lost(self, beat: Array, what: str, seating: int | None = None) -> AgentFault:
        """Return the fault of a worker process that ended while it played this match; `beat` is its last heartbeat."""
        last = beat[0]
        if not last["busy"]:
            agents = " or ".join(dict.fromkeys(f"agent {spec.text!r}" for spec in self.lineup if spec.foreign))
            return AgentFault(f"{agents} {what} outside a decision, in {self.game.name}")
        fault = np.zeros(1, loop.FAULT)
        number = int(last["seating"]) + (seating or 0)
        position = int(self.design[number, last["seat"]])
        decision = int(last["decisions"] - last["first"]) - 1
        fault[0] = (1, last["deal"], number, last["seat"], position, 0, decision)
        return self.fault(fault[0], what)

    def fault(self, fault: Any, what: str = "") -> AgentFault:
        """Return a FAULT record as an exception, with the replay of a study's game; `what`: the failure, if known."""
        names = [spec.text for spec in self.positions]
        deal, seating = int(fault["deal"]), int(fault["seating"])
        variant = self.variant
        changes = [f"--study {variant.file}"] * bool(variant.file) + [f"--set '{key}'" for key in variant.settings]
        variant_options = " ".join([f"--variant {variant.origin or variant.name}", *changes])
        replay = (
            f"strozzi record {self.game.name} --players {self.players} --agents '{','.join(names)}' --seed {self.seed} "
            f"--deal {deal} --seating {seating} --seatings {self.seatings} {variant_options} --out fault.jsonl"
        )
        what = what or describe_failure(int(fault["action"]))
        return AgentFault(
            f"agent {names[fault['position']]!r} at seat {fault['seat']} {what} (decision {fault['decision']} of "
            f"{self.game.name}, seed {self.seed}, deal {deal}, seating {seating}); replay: {replay}"
        )


class _Measuring:
    """The arrays in which a call of the loop measures several ranges, and the record that the core writes events to."""

    def __init__(self, match: Match, measures: Measures, ranges: int, stop: Array) -> None:
        self.match, self.measures = match, measures
        self.output = ""  # see `compiled_loop`
        self.sink: Any = None  # record of the facts or the journal
        self.facts: loop.FactCounts | None = None
        self.counts = np.zeros((ranges, 0), np.int64)
        self.journal: Array | None = None
        self.recorder: RowRecorder | None = None
        self.lucks: Array | None = None
        if measures.luck is not None:
            self.lucks, self._evaluator = luck_records(measures.luck, match.game, stop, ranges)
        if measures.journal:
            self.journal = np.zeros(1, match.game.journal)
            self.output, self.sink = "journal", self.journal[0]
        elif measures.crosstabs or measures.keep.tables:
            self._count_facts(match.plan(measures.crosstabs), ranges)

    def _count_facts(self, plan: CrosstabPlan, ranges: int) -> None:
        tables, kept = self.match.game.facts.TABLES, self.measures.keep
        records = np.zeros(1, self.match.game.facts.SINK)
        asked = plan.asked | sum(1 << k for k, table in enumerate(tables) if table.name in kept.tables)
        records["batch"], records["asked"] = batch_for(tables, self.match.setting, asked), asked
        if kept.tables:
            self.recorder = RowRecorder(tables, records, kept)
            records["taker"] = self.recorder.address
        self.counts = np.zeros((ranges, plan.size), np.int64)
        self.output, self.sink = "facts", records[0]
        self.facts = loop.FactCounts(tuple(plan.counting(records)), self.counts)

    def results(self, tally: loop.Tally, answers: Array, playouts: Sequence[int]) -> list[MatchResult]:
        dtype = outcome_dtype(self.measures.luck is not None, self.measures.answers)
        kept = self.recorder.content() if self.recorder is not None else b""
        results, end = list[MatchResult](), 0
        for k, games in enumerate(tally.outcomes["games"].tolist()):
            begin, end = end, end + games * self.match.players if self.measures.rows else 0
            luck_sums = None if self.lucks is None else self.lucks[k : k + 1]
            outcome = _merged(dtype, tally.outcomes[k : k + 1], luck_sums, answers)
            rows = tally.rows[begin:end]
            results.append(MatchResult(games, outcome, self.counts[k], rows, self.journal, playouts[k], kept))
        return results


def describe_failure(action: int) -> str:
    """Return as text that a compiled agent chose an illegal action, or for action 0 why it failed, if known."""
    if action != 0:
        return f"chose the illegal action {action}"
    raised = raised_in_compiled_code()
    return f"raised {raised}" if raised else "failed inside compiled code, or chose action 0"


def outcome_dtype(luck: bool, answers: bool) -> np.dtype[Any]:
    """Return the dtype of a range's outcome: OUTCOME, LUCK_FIELDS if luck is measured, ANSWERS if they are counted."""
    fields: list[Any] = [*loop.OUTCOME.descr]
    if luck:
        fields += LUCK_FIELDS
    if answers:
        fields += ANSWERS.descr
    return np.dtype(fields, align=True)


def _merged(dtype: np.dtype[Any], *parts: Array | None) -> Array:
    """Return a record of `dtype`, each field from the first part that has it; all are arrays of shape (1,)."""
    merged = np.zeros(1, dtype)
    for part in reversed([part for part in parts if part is not None]):
        for name in set(dtype.names or ()) & set(part.dtype.names or ()):
            merged[name] = part[name]
    return merged


def agent_row(agent: CompiledAgent, memory: Array, variant: Variant) -> tuple[int, ...]:
    """Return the fields of the AGENT record of a compiled agent, whose memory is the array `memory`."""
    params, sees_state = agent.params.ctypes.data, agent.sees_state(variant.hidden)
    fields = agent.memory.fields
    counter = int(fields["playouts"][1]) if fields and "playouts" in fields else -1
    return agent.address, params, memory.ctypes.data, agent.memory_size, sees_state, counter, 0, 0


def _foreign(positions: Sequence[AgentSpec], compiled: Sequence[CompiledAgent | None]) -> str:
    """Return the third-party compiled agents as text; policies are not looked at."""
    pairs = zip(positions, compiled, strict=True)
    names = dict.fromkeys(f"agent {spec.text!r}" for spec, agent in pairs if agent and not agent.trusted)
    return " or ".join(names) or "an agent of the package"


def check_players(game: Game, players: int, variant: Variant) -> None:
    """Raise InputError unless a game and a variant allow a player count."""
    if players not in game.player_counts:
        raise InputError(f"players: {game.name} takes {game.player_count_text}, got {players}")
    game.components_part.check_players(variant.components, players, f"{game.name} variant {variant.name}")
