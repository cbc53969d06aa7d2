"""The drama of a game: when it is decided, whether leaders run away, and whether seats that cannot win choose who does.

A game is followed along its decisions. The chance of each seat to win is its share of play-outs from there, in which
all chance to come is redrawn: the view of an observer who knows every hand and not the future.
"""

from dataclasses import replace
from functools import partial
from struct import pack
from typing import Any, NamedTuple

import numpy as np

from strozzi_sim import stats
from strozzi_sim.agent import AgentSpec, load_agent
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.kernel.siphash import siphash
from strozzi_sim.kernel.streams import game_key
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.isolation import run_in_worker
from strozzi_sim.simulation.match import Match
from strozzi_sim.simulation.rollouts import Rollouts
from strozzi_sim.stats.intervals import Array, Estimate

POINTS = 40  # decisions of a game at which the chances are estimated, at most
DECIDED = 0.95  # chance of the winners from which a game counts as decided, if it stays there
CLEAR = 0.10  # by which a favourite is ahead of the next, and by which a choice changes a rival's chance
HOPELESS = 0.01  # chance of a seat that cannot win any more
TESTS = 1000  # play-outs on which two chosen actions are compared


def drama_of_agent(match: Match, games: int, playouts: int) -> dict[str, Estimate]:
    """Return the figures of followed games; if the agent is not quick, a quick one plays the play-outs."""
    playing = match
    if not is_quick(match.lineup[0]):
        default = load_agent(match.game.default_agent, match.game)
        playing = replace(match, lineup=(default if is_quick(default) else load_agent("random", match.game),))
    run_games = partial(drama_figures, match, playing, games, playouts)
    figures: dict[str, Estimate] = (
        run_in_worker(run_games, blame=match.lost) if match.foreign or playing.foreign else run_games()
    )
    return figures


def is_quick(spec: AgentSpec) -> bool:
    """Return whether an agent is compiled and neither searches nor looks learned values up."""
    return spec.agent.kind == "compiled" and not spec.searches and spec.agent.evaluation is None


class Story(NamedTuple):
    """The course of one game, or of several as arrays."""

    decisions: Any
    decided: Any  # share of the decisions that had been taken when the game was decided
    runaway: Any  # 1 if that was in the first half, else 0
    lead_changes: Any  # how often one clear favourite followed another
    lowest: Any  # lowest chance of the later winners
    points: Any  # decisions at which chances were estimated
    kingmaking: Any  # number of them at which a seat that could not win chose between two rivals


def follow(match: Match, playing: Match, deal: int, playouts: int) -> Story:
    """Return the story of a deal of `match`, with `playouts` play-outs by `playing` at each followed decision."""
    decisions, winners = _play_game(match, deal)
    at = np.unique(np.linspace(0, len(decisions) - 1, min(POINTS, len(decisions))).astype(np.int64))
    rollouts = Rollouts(playing)
    chances = np.zeros((len(at), match.players))
    kingmaking = 0
    for place, number in enumerate(at):
        state, actor, legal = decisions[number]
        # the key of the play-outs at a decision is the same on every machine
        word = siphash(pack("<Qq", match.seed, game_key("play-outs")), pack("<QQ", deal, int(number))) >> 1
        chances[place] = _win_shares(rollouts, state, word, playouts)
        if match.players > 2 and chances[place, actor] <= HOPELESS and len(legal) > 1:
            kingmaking += _makes_a_king(rollouts, state, actor, legal, word + 1, playouts)
    decided, lead_changes, lowest = drama_of(chances, winners, at / len(decisions), playouts)
    return Story(len(decisions), decided, int(decided < 0.5), lead_changes, lowest, len(at), kingmaking)


def drama_of(chances: Array, winners: Array, at: Array, playouts: int) -> tuple[float, int, float]:
    """Return when a game was decided, its changes of lead, and the lowest chance of its winners (bool[P]) together.

    A leader is ahead by CLEAR and by three standard errors, so that noise of the play-outs changes no leader. `chances`
    to win are of every seat, float64[points, P], each of `playouts`; `at` is the share of the decisions before a point.
    """
    of_winners = chances[:, winners].sum(axis=1)
    open_points = np.flatnonzero(of_winners < DECIDED)
    last_open = open_points[-1] if len(open_points) else -1
    decided = float(at[last_open + 1]) if last_open + 1 < len(at) else 1.0
    ordered = np.sort(chances, axis=1)
    first, second = ordered[:, -1], ordered[:, -2]
    error = np.sqrt((first + second - (first - second) ** 2) / playouts)
    leaders = chances.argmax(axis=1)[first - second >= np.maximum(CLEAR, 3 * error)]
    return decided, int((leaders[1:] != leaders[:-1]).sum()), float(of_winners.min())


def drama_figures(match: Match, playing: Match, games: int, playouts: int) -> dict[str, Estimate]:
    """Return the figures of `games` games by name; see `follow` for the arguments."""
    from joblib import Parallel, delayed

    per_game = Parallel(require="sharedmem")(delayed(follow)(match, playing, deal, playouts) for deal in range(games))
    stories, ones = Story(*map(np.array, zip(*per_game, strict=True))), np.ones(games, np.int64)
    figures = {
        "decisions_mean": stats.ratio(stories.decisions, ones),
        "decided_mean": stats.ratio(stories.decided, ones, span=(0, 1)),
        "runaway_share": stats.ratio(stories.runaway, ones, n_deals=games),
        "lead_changes_mean": stats.ratio(stories.lead_changes, ones),
        "winner_lowest_mean": stats.ratio(stories.lowest, ones, span=(0, 1)),
    }
    if match.players > 2:
        figures["kingmaking_share"] = stats.ratio(stories.kingmaking, stories.points, n_deals=games)
    return figures


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
    """Return every seat's share of wins, float64[P]."""
    wins, _ = rollouts.from_state(state, word, count, action)
    return wins.mean(axis=0) / WIN_UNITS


def _makes_a_king(
    rollouts: Rollouts, state: Array, actor: int, legal: tuple[int, ...], word: int, playouts: int
) -> bool:
    """Return whether a seat that cannot win chooses which rival does.

    Two actions are chosen on some play-outs and compared on others, so that noise makes no kings.
    """
    chances = np.array([_win_shares(rollouts, state, word, playouts, action) for action in legal])
    if chances[:, actor].max() > HOPELESS:
        return False
    rivals = chances.copy()
    rivals[:, actor] = 0
    rival = int(np.ptp(rivals, axis=0).argmax())
    if np.ptp(rivals[:, rival]) < CLEAR:  # the largest of noisy differences, so the true one is smaller still
        return False
    best, worst = (legal[int(place)] for place in (rivals[:, rival].argmax(), rivals[:, rival].argmin()))
    for_rival = [_win_shares(rollouts, state, word + 1, TESTS, action)[rival] for action in (best, worst)]
    return bool(for_rival[0] - for_rival[1] >= CLEAR)
