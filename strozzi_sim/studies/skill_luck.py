"""The skill-luck index of a game at a strength of play, beside the indices published for other games.

Silver 2025 (arXiv 2511.11611) defines S = (K - L) / (K + L): K is the advantage of the best decisions over random ones, L the swing
of the outcome under one policy when chance is redrawn. Here K is the advantage of an agent of the package, so that K and S are
lower bounds. Both are scaled so that they fit any number of players: K = 1 if the agent always wins, L = 1 if chance alone
decides as a die would. So every game whose chance is fresh and whose good players always beat random ones is at 0, as backgammon is:
the index does not distinguish such games; the shares of variance of the table luck do.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from strozzi_sim import stats
from strozzi_sim.agent import load_agent
from strozzi_sim.kernel.units import WIN_UNITS
from strozzi_sim.simulation.match import Match
from strozzi_sim.simulation.rollouts import AGENTS, Rollouts
from strozzi_sim.stats.intervals import Array, Estimate, divide

PUBLISHED = {"coin toss": -1.0, "baccarat": -1.0, "backgammon": 0.0, "poker": 0.33, "chess": 1.0}  # Silver 2025
SKILL, LUCK, INDEX = "skill_leverage", "luck_leverage", "skill_luck_index"
CHUNKS = 50


def skill_luck(match: Match, deals: int) -> Iterator[tuple[str, Estimate]]:
    """Yield skill leverage, luck leverage and their index; its interval is that of both leverages, and so covers more than 95 %.

    Args:
        match: an agent that plays itself; it must have play-outs (see `Rollouts`).
        deals: deals, each played once by the agent in every seat among random players, and twice by the agent with itself.
    """
    from joblib import Parallel, delayed

    ends = np.linspace(0, deals, min(CHUNKS, deals) + 1).astype(np.int64)
    (agent,), players = match.lineup, match.players
    weak = load_agent("random", match.game)
    among = Match(match.game, players, (agent, *[weak] * (players - 1)), match.variant, match.seed, "rotate")
    chunks = Parallel(require="sharedmem")(
        delayed(_of_chunk)(match, among, int(first), int(last)) for first, last in pairwise(ends)
    )
    wins, changes = np.array(chunks).T
    counts = np.diff(ends)
    share = stats.ratio(wins, counts * players, unit=WIN_UNITS, n_deals=deals)
    of_a_die = 2 * (players - 1) / players  # squared changes of a deal, summed over seats
    skill = _scaled(share, 1 / players, 1 - 1 / players)
    if agent.text == weak.text:  # copies that sit in every seat win equally often
        skill = Estimate(np.zeros(()), np.zeros(()), np.zeros(()), share.n)
    luck = _scaled(stats.ratio(changes, counts, unit=WIN_UNITS**2, span=(0, 2), deals=deals), 0.0, of_a_die)
    yield SKILL, skill
    yield LUCK, luck
    value, low, high = _index(skill.value, luck.value), _index(skill.low, luck.high), _index(skill.high, luck.low)
    yield INDEX, Estimate(value, low, high, luck.n)


def _scaled(found: Estimate, zero: float, one: float) -> Estimate:
    """Return the estimate on a scale from `zero` upwards in units of `one`."""
    return Estimate((found.value - zero) / one, (found.low - zero) / one, (found.high - zero) / one, found.n)


def _index(skill: Any, luck: Any) -> Array:
    """Return (K - L) / (K + L); an agent that wins less than random players has no skill."""
    positive = np.maximum(skill, 0.0)
    return divide(positive - luck, positive + luck)


def between(low: float, high: float) -> str:
    """Return where an interval of the index lies among the published games, as text."""
    levels = sorted(set(PUBLISHED.values()))
    names = {level: " and ".join(name for name, own in PUBLISHED.items() if own == level) for level in levels}
    inside = [level for level in levels if low <= level <= high]
    if len(inside) == 1:
        return f"at {names[inside[0]]}"
    below, above = [level for level in levels if level <= low], [level for level in levels if level >= high]
    return f"between {names[below[-1]]} and {names[above[0]]}" if below and above else "anywhere"


def _of_chunk(match: Match, among: Match, first: int, last: int) -> tuple[int, int]:
    """Return the wins of position 0 among random players, and the squared changes of wins with chance redrawn."""
    wins = among.play(first, last).outcome["wins"][0][0, : match.players].sum()
    redrawn = np.array([np.zeros(AGENTS + 1), np.ones(AGENTS + 1)], np.uint8)
    redealt = Rollouts(match).redealt(first, last, redrawn)[0]
    return int(wins), int(((redealt[:, 1] - redealt[:, 0]) ** 2).sum())
