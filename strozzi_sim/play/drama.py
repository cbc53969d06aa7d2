"""The drama of a game: when it is decided, whether leaders run away, and whether seats that cannot win choose who does.

A game is followed along its decisions. A seat's chance to win at a decision is its share of the wins of playouts from
there, in which all future chance is redrawn: the view of an observer who knows every hand and not the future. Only
compiled agents play playouts: one takes microseconds, and there are millions of them. For third-party agents the caller
of `Rollouts` must be in a worker process (`simulation.isolation`).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from struct import pack
from typing import Any, NamedTuple

import numpy as np
from numba import types

from strozzi_sim import stats
from strozzi_sim.agent import AgentSpec, load_agent
from strozzi_sim.errors import AgentFault, InputError
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.figures import DECISIONS, Figure, share
from strozzi_sim.game.contract import Game, apply, placing, score
from strozzi_sim.kernel.jit import entry, jit
from strozzi_sim.kernel.pointers import assign, zero_at
from strozzi_sim.kernel.record_types import array_type, exact_copy, record_type
from strozzi_sim.kernel.streams import RANDOM, SOURCES, game_key, hash_combine, next_word, redraw, seat_stream, siphash
from strozzi_sim.play.position import Position
from strozzi_sim.runtime.workers import HEARTBEAT, active_heartbeat, heartbeat
from strozzi_sim.simulation.interrupts import call_interruptible
from strozzi_sim.simulation.isolation import run_in_worker
from strozzi_sim.simulation.loop import AGENT, FAULT, play_game, work_dtype
from strozzi_sim.simulation.match import Match, describe_failure
from strozzi_sim.stats.intervals import Array, Estimate

POINTS = 40  # decisions of a game at which the chances are estimated, at most
DECIDED = 0.95  # chance of the winners from which a game counts as decided, if it stays there
CLEAR = 0.10  # least lead of a clear favourite; least effect on a rival's chance of a choice that makes a king
HOPELESS = 0.01  # highest chance of a seat that counts as unable to win
TESTS = 1000  # playouts on which two chosen actions are compared
HALVES = 300  # games of compiled agents, at least, whose leader after half of the decisions is known
DECIDED_AFTER = share(
    "decided_mean", "part of its decisions after which a game is decided", "decisions taken when a game is decided"
)
RUNAWAY = share(
    "runaway_share", "games decided in the first half of their decisions / games", "games decided in their first half"
)
HALFWAY = share(
    "halfway_leader_share",
    "games won by the seat with the best chance after half of the decisions / games; equal chances count equally",
    "games won by the leader after half the game",
)
LEAD_CHANGES = Figure("lead_changes_mean", "changes of the clear leader", "amount", lowest=0.0)
WINNER_LOWEST = share("winner_lowest_mean", "lowest chance of the winner", "lowest chance of the later winner")
KINGMAKING = share(
    "kingmaking_share",
    "decisions in which a seat that can no longer win chooses which rival does / decisions",
    "decisions that make a rival win",
)
KINGS = Figure(
    "kings_mean",
    "times a game that a player without hope picks the winner",
    "amount",
    "decisions of a game in which a seat that can no longer win chooses which rival does",
    lowest=0.0,
)
OF_DRAMA = (DECISIONS, DECIDED_AFTER, RUNAWAY, HALFWAY, LEAD_CHANGES, WINNER_LOWEST, KINGMAKING, KINGS)


@jit
def _seat_agents(agents, seat_agents, randoms, key):
    for seat in range(agents.shape[0]):
        assign(seat_agents[seat], agents[seat])
        randoms[seat].cursor = seat_stream(key, seat)
        seat_agents[seat].word = next_word(randoms[seat])
        if agents[seat].memory_size > 0:
            zero_at(agents[seat].memory, agents[seat].memory_size)


@jit
def _playouts(starts, rules, work, agents, seat_agents, randoms, word, action, wins, scores, stop, fault, beat):
    state, seen, chance = work.state, work.seen, work.chance
    for k in range(wins.shape[0]):
        if stop[0] != 0:
            return
        key = hash_combine(word, k)
        assign(state, starts[0])
        for source in range(SOURCES):
            redraw(chance, source, key)
        _seat_agents(agents, seat_agents, randoms, key)
        if action > 0:
            apply(state, rules[0], action, chance, None)
        if play_game(state, rules[0], seat_agents, randoms, chance, seen, None, None, None, fault, beat) < 0:
            return
        for seat in range(wins.shape[1]):
            better, shared = placing(state, seat)
            wins[k, seat] = WIN_UNITS // shared if better == 0 else 0
            scores[k, seat] = score(state, seat)


@cache
def _playouts_of(game: Game) -> Any:
    game.register()
    results = [types.int64[:, ::1], types.int64[:, ::1]]
    records = [array_type(game.rules), record_type(work_dtype(game)), *map(array_type, (AGENT, AGENT, RANDOM))]
    ends = [types.int64[::1], record_type(FAULT), record_type(HEARTBEAT)]
    arguments = [array_type(game.state), *records, types.uint64, types.int64, *results, *ends]
    return entry(_playouts, types.void(*arguments), game.name)


class Rollouts:
    """The agents of a match, seated in the order of positions, for playouts; every thread needs its own."""

    def __init__(self, match: Match) -> None:
        if match.in_python or any(spec.without for spec in match.lineup):
            names = ", ".join(spec.text for spec in match.lineup)
            raise InputError(f"playouts need compiled agents without restrictions, got {names}")
        self.match = match
        self._stop = np.zeros(1, np.int64)
        self._agents, self._compiled, self._memories = match.agent_table(self._stop)
        self._rules = exact_copy(match.variant.rules)
        self._work, self._seated = np.zeros(1, work_dtype(match.game)), np.zeros(match.players, AGENT)
        self._randoms, self._fault = np.zeros(match.players, RANDOM), np.zeros(1, FAULT)

    def from_state(self, state: Array, word: int, count: int, action: int = 0) -> tuple[Array, Array]:
        """Return the wins, in WIN_UNITS, and the scores of `count` playouts, int64[count, P] each, by seat.

        `state` is a full state, shape (1,), that is not over. Each playout begins with `action`, or, if that is 0, with
        the choice of the agent at the acting seat. Playout k redraws all future chance by `word` and k alone, so that
        playouts of several actions are paired, and a repeated call has the same results.
        """
        wins, scores = np.zeros((2, count, self.match.players), np.int64)
        kernel, beat = _playouts_of(self.match.game), heartbeat()
        arrays = self._rules, self._work[0], self._agents, self._seated, self._randoms
        ends = self._stop, self._fault[0], beat[0]
        with active_heartbeat(beat, self.match.players):
            call_interruptible(self._stop, lambda: kernel(state, *arrays, np.uint64(word), action, wins, scores, *ends))
        if self._fault["found"][0]:
            seat, what = int(self._fault["seat"][0]), describe_failure(int(self._fault["action"][0]))
            agent = self.match.positions[seat].text
            raise AgentFault(f"agent {agent!r} at seat {seat} {what} (in a playout of {self.match.game.name})")
        return wins, scores


def drama_of_lineup(
    match: Match, games: int, playouts: int, tick: Callable[[int], None] = lambda done: None
) -> dict[Figure, Estimate]:
    """Return the figures of a line-up's games; in playouts a quick agent plays for those that are not quick.

    `tick` is told the number of games that are done, but not beside third-party agents, which play in a worker.
    """
    playing = quick_match(match)
    run_games = partial(drama_figures, match, playing, games, playouts)
    if not (match.foreign or playing.foreign):
        return run_games(tick)
    figures: dict[Figure, Estimate] = run_in_worker(run_games, blame=match.lost)
    return figures


def quick_match(match: Match) -> Match:
    """Return the match that plays playouts: the default agent, or a random one, plays for those that are not quick."""
    default = load_agent(match.game.default_agent, match.game)
    quick = default if is_quick(default) else load_agent("random", match.game)
    return replace(match, lineup=tuple(spec if is_quick(spec) else quick for spec in match.lineup))


def is_quick(spec: AgentSpec) -> bool:
    """Return whether an agent is compiled, does not search, and does not evaluate positions."""
    return spec.agent.kind == "compiled" and not spec.searches and spec.agent.evaluation is None


class Story(NamedTuple):
    """The course of one game, or of several as arrays."""

    decisions: Any
    decided: Any  # share of the decisions that had been taken when the game was decided
    runaway: Any  # 1 if that was in the first half, else 0
    halfway: Any  # part of the win of the seat with the best chance after half of the decisions
    lead_changes: Any  # how often one clear favourite followed another
    lowest: Any  # lowest chance of the later winners
    points: Any  # decisions at which chances were estimated
    kingmaking: Any  # number of them with a choice that makes a king, see `_makes_a_king`


def follow(match: Match, playing: Match, deal: int, playouts: int) -> Story:
    """Return the story of a deal of `match`, with `playouts` playouts by `playing` at each followed decision."""
    decisions, winners = _play_game(match, deal)
    numbers, half = _points(len(decisions))
    rollouts = Rollouts(playing)
    chances = np.zeros((len(numbers), match.players))
    kingmaking = 0
    for point, number in enumerate(numbers):
        state, actor, legal = decisions[number]
        word = _word(match, deal, int(number))
        chances[point] = _win_shares(rollouts, state, word, playouts)
        if match.players > 2 and chances[point, actor] <= HOPELESS and len(legal) > 1:
            kingmaking += _makes_a_king(rollouts, state, actor, legal, word + 1, playouts)
    taken = numbers / len(decisions)
    decided, lead_changes, lowest = drama_of(chances, winners, taken, playouts)
    halfway, runaway = _won_by_leader(chances[half], winners), int(decided < 0.5)
    return Story(len(decisions), decided, runaway, halfway, lead_changes, lowest, len(numbers), kingmaking)


def follow_to_half(match: Match, playing: Match, deal: int, playouts: int) -> float:
    """Return `halfway` of the story of a deal, without the rest of it."""
    decisions, winners = _play_game(match, deal)
    numbers, half = _points(len(decisions))
    number = int(numbers[half])
    chances = _win_shares(Rollouts(playing), decisions[number][0], _word(match, deal, number), playouts)
    return _won_by_leader(chances, winners)


def _points(decisions: int) -> tuple[Array, int]:
    """Return the followed decisions of a game, and which of them is the first after half of all."""
    numbers = np.unique(np.linspace(0, decisions - 1, min(POINTS, decisions)).astype(np.int64))
    return numbers, min(int(np.searchsorted(numbers / decisions, 0.5)), len(numbers) - 1)


def _word(match: Match, deal: int, number: int) -> int:
    """Return the key of the playouts from a decision, the same on every machine."""
    return siphash(pack("<Qq", match.seed, game_key("play-outs")), pack("<QQ", deal, number)) >> 1


def _won_by_leader(chances: Array, winners: Array) -> float:
    return float(winners[chances == chances.max()].mean() / winners.sum())


def drama_of(chances: Array, winners: Array, taken: Array, playouts: int) -> tuple[float, int, float]:
    """Return when a game was decided, its number of lead changes, and the lowest chance of its `winners`, bool[P].

    `chances`: of every seat to win, float64[points, P], each from `playouts`; several winners' chances are added.
    `taken`: share of the decisions taken before each point; a game is decided at such a share, or at 1. A leader is
    ahead by CLEAR and by three standard errors, so that noise of the playouts rarely changes the leader.
    """
    of_winners = chances[:, winners].sum(axis=1)
    open_points = np.flatnonzero(of_winners < DECIDED)
    last_open = open_points[-1] if len(open_points) else -1
    decided = float(taken[last_open + 1]) if last_open + 1 < len(taken) else 1.0
    second, first = np.sort(chances, axis=1)[:, -2:].T
    error = np.sqrt((first + second - (first - second) ** 2) / playouts)
    leaders = chances.argmax(axis=1)[first - second >= np.maximum(CLEAR, 3 * error)]
    return decided, int((leaders[1:] != leaders[:-1]).sum()), float(of_winners.min())


def halves_of(match: Match, games: int) -> int:
    """Return of how many games the leader after half is known: HALVES, since one costs a hundredth of a story.

    In games of agents in Python, whose play takes longer than the playouts, only of those that are followed.
    """
    return games if match.in_python else max(games, HALVES)


def drama_figures(
    match: Match, playing: Match, games: int, playouts: int, tick: Callable[[int], None] = lambda done: None
) -> dict[Figure, Estimate]:
    """Return the figures of deals 0 .. games - 1, of the leader after half of a game those of `halves_of`.

    See `follow` for the arguments. The seats rotate.
    """
    from joblib import Parallel, delayed

    deals = range(halves_of(match, games))
    seated = [(_rotated(match, deal), _rotated(playing, deal), deal, playouts) for deal in deals]
    parallel = Parallel(require="sharedmem", return_as="generator")
    per_game = []
    for story in parallel(delayed(follow)(*game) for game in seated[:games]):
        per_game.append(story)
        tick(len(per_game))
    halves = list(parallel(delayed(follow_to_half)(*game) for game in seated[games:]))
    stories, ones = Story(*map(np.array, zip(*per_game, strict=True))), np.ones(games, np.int64)
    figures = {
        DECISIONS: stats.ratio(stories.decisions, ones),
        DECIDED_AFTER: stats.ratio(stories.decided, ones, span=(0, 1)),
        RUNAWAY: stats.ratio(stories.runaway, ones, n_deals=games),
        HALFWAY: stats.ratio(np.append(stories.halfway, halves), np.ones(len(seated), np.int64), span=(0, 1)),
        LEAD_CHANGES: stats.ratio(stories.lead_changes, ones),
        WINNER_LOWEST: stats.ratio(stories.lowest, ones, span=(0, 1)),
    }
    if match.players > 2:
        kings = stats.ratio(stories.kingmaking, stories.points, n_deals=games)
        figures[KINGMAKING] = kings
        a_game = float(figures[DECISIONS].value)
        figures[KINGS] = Estimate(kings.value * a_game, kings.low * a_game, kings.high * a_game, np.asarray(games))
    return figures


def _rotated(match: Match, by: int) -> Match:
    """Return the match with position p at seat p + `by`, modulo the number of seats."""
    first = -by % match.players
    return replace(match, lineup=(*match.positions[first:], *match.positions[:first]))


def _play_game(match: Match, deal: int) -> tuple[list[tuple[Array, int, tuple[int, ...]]], Array]:
    """Play a game; return state, acting seat and legal actions of every decision, and its winners, bool[P]."""
    position = Position(match.game, match.players, match.seed, deal, match.variant)
    decisions = []
    while not position.over:
        decisions.append((position.state.copy(), position.actor, position.legal))
        position.play(position.ask(match.positions[position.actor]))
    places = np.array(position.places)
    return decisions, places == places.min()


def _win_shares(rollouts: Rollouts, state: Array, word: int, count: int, action: int = 0) -> Any:
    wins, _ = rollouts.from_state(state, word, count, action)
    return wins.mean(axis=0) / WIN_UNITS


def _makes_a_king(
    rollouts: Rollouts, state: Array, actor: int, legal: tuple[int, ...], word: int, playouts: int
) -> bool:
    """Return whether the choice of a seat that cannot win changes a rival's chance by CLEAR or more.

    Two actions are chosen on some playouts and compared on others, so that noise makes few kings.
    """
    chances = np.array([_win_shares(rollouts, state, word, playouts, action) for action in legal])
    if chances[:, actor].max() > HOPELESS:
        return False
    rivals = chances.copy()
    rivals[:, actor] = 0
    rival = int(np.ptp(rivals, axis=0).argmax())
    if np.ptp(rivals[:, rival]) < CLEAR:  # the largest noisy difference, so the true one is likely smaller
        return False
    best, worst = (legal[int(place)] for place in (rivals[:, rival].argmax(), rivals[:, rival].argmin()))
    for_rival = [_win_shares(rollouts, state, word + 1, TESTS, action)[rival] for action in (best, worst)]
    return bool(for_rival[0] - for_rival[1] >= CLEAR)
