"""The drama of a game: when it is decided, whether leaders run away, and whether seats that cannot win choose who does.

A game is followed along its decisions. The chance of each seat to win is its share of play-outs from there, in which all chance
to come is redrawn: the view of an observer who knows every hand and not the future.
"""

from dataclasses import dataclass
from struct import pack
from typing import Any

import numpy as np

from strozzi_sim import stats
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.kernel.siphash import siphash
from strozzi_sim.kernel.streams import game_key
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.match import Match
from strozzi_sim.simulation.rollouts import Rollouts
from strozzi_sim.stats.intervals import Array, Estimate

POINTS = 40  # decisions of a game at which the chances are estimated, at most
DECIDED = 0.95  # chance of the winners from which a game counts as decided, if it stays there
CLEAR = 0.10  # by which a favourite is ahead of the next, and by which a choice changes a rival's chance
HOPELESS = 0.01  # chance of a seat that cannot win any more
TESTS = 1000  # play-outs on which two chosen actions are compared
FEWEST = 30  # games, below which there are no intervals


@dataclass(frozen=True)
class Story:
    """The course of one game.

    Attributes:
        decisions: number of its decisions.
        decided: share of the decisions that had been taken when the game was decided.
        runaway: 1 if that was in the first half, else 0.
        lead_changes: how often one clear favourite followed another.
        lowest: lowest chance of the later winners.
        points: decisions that were looked at.
        kingmaking: those at which a seat that could not win chose between two rivals.
    """

    decisions: int
    decided: float
    runaway: int
    lead_changes: int
    lowest: float
    points: int
    kingmaking: int


def follow(match: Match, playing: Match, deal: int, playouts: int) -> Story:
    """Return the story of one game.

    Args:
        match: the agents that play the game.
        playing: the agents of the play-outs, of the same game, players and variant.
        deal: the deal of the game.
        playouts: play-outs at each decision.
    """
    decisions, winners = _played(match, deal)
    at = np.unique(np.linspace(0, len(decisions) - 1, min(POINTS, len(decisions))).astype(np.int64))
    rollouts = Rollouts(playing)
    chances = np.zeros((len(at), match.players))
    kingmaking = 0
    for place, number in enumerate(at):
        state, actor, legal = decisions[number]
        word = _word(match.seed, deal, int(number))
        chances[place] = _shares(rollouts, state, word, playouts)
        if match.players > 2 and chances[place, actor] <= HOPELESS and len(legal) > 1:
            kingmaking += _makes_a_king(rollouts, state, actor, legal, word + 1, playouts)
    decided, lead_changes, lowest = drama_of(chances, winners, at / len(decisions), playouts)
    return Story(len(decisions), decided, int(decided < 0.5), lead_changes, lowest, len(at), kingmaking)


def drama_of(chances: Array, winners: Array, at: Array, playouts: int) -> tuple[float, int, float]:
    """Return when a game was decided, its changes of lead, and the lowest chance of its winners.

    A leader is ahead by CLEAR and by three standard errors, so that noise of the play-outs changes no leader.

    Args:
        chances: every seat's chance to win, float64[points, P].
        winners: the seats that won, bool[P]; the chances of several are added.
        at: share of the decisions before each point, float64[points].
        playouts: play-outs behind each chance.
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

    stories = Parallel(require="sharedmem")(delayed(follow)(match, playing, deal, playouts) for deal in range(games))
    ones = np.ones(games, np.int64)

    def column(name: str) -> Array:
        return np.array([getattr(story, name) for story in stories])

    figures = {
        "decisions_mean": stats.ratio(column("decisions"), ones),
        "decided_mean": stats.ratio(column("decided"), ones, span=(0, 1)),
        "runaway_share": stats.ratio(column("runaway"), ones, n_deals=games),
        "lead_changes_mean": stats.ratio(column("lead_changes"), ones),
        "winner_lowest_mean": stats.ratio(column("lowest"), ones, span=(0, 1)),
    }
    if match.players > 2:
        figures["kingmaking_share"] = stats.ratio(column("kingmaking"), column("points"), n_deals=games)
    return figures


def _played(match: Match, deal: int) -> tuple[list[tuple[Array, int, tuple[int, ...]]], Array]:
    """Return state, acting seat and legal actions of every decision of a game, and who won it, bool[P]."""
    position = Position(match.game, match.players, match.seed, deal, match.variant)
    decisions = []
    while not position.over:
        decisions.append((position.state.copy(), position.actor, position.legal))
        position.play(position.ask(match.positions[position.actor]))
    places = np.array(position.places)
    return decisions, places == places.min()


def _word(seed: int, deal: int, number: int) -> int:
    """Return the key of the play-outs at a decision, the same on every machine."""
    return siphash(pack("<Qq", seed, game_key("play-outs")), pack("<QQ", deal, number)) >> 1


def _shares(rollouts: Rollouts, state: Array, word: int, count: int, action: int = 0) -> Any:
    """Return every seat's share of wins, float64[P]."""
    wins, _ = rollouts.from_state(state, word, count, action)
    return wins.mean(axis=0) / WIN_UNITS


def _makes_a_king(
    rollouts: Rollouts, state: Array, actor: int, legal: tuple[int, ...], word: int, playouts: int
) -> bool:
    """Return whether a seat that cannot win chooses who does: by two actions, chosen and tested on different play-outs."""
    chances = np.array([_shares(rollouts, state, word, playouts, action) for action in legal])
    if chances[:, actor].max() > HOPELESS:
        return False
    rivals = chances.copy()
    rivals[:, actor] = 0
    rival = int(np.ptp(rivals, axis=0).argmax())
    if np.ptp(rivals[:, rival]) < CLEAR:  # the largest of noisy differences, so the true one is smaller still
        return False
    best, worst = (legal[int(place)] for place in (rivals[:, rival].argmax(), rivals[:, rival].argmin()))
    for_rival = [_shares(rollouts, state, word + 1, TESTS, action)[rival] for action in (best, worst)]
    return bool(for_rival[0] - for_rival[1] >= CLEAR)
