"""A race: the best of many candidates, for at most five times the games of one candidate at the final precision.

Every heat plays the candidates that are left, on deals of its own. Candidates that are significantly worse are out; of the others
the better part stays, ranked by all heats so far (sequential halving: Karnin, Koren and Somekh 2013), so that each heat costs about
equally much. The final plays on deals of its own too. Its winner was chosen in the heats before, so that the winner's figure is free
of the luck by which it was chosen, and the final says which finalists cannot be told from it.

All tests of a race together err in 5 % of races: the final has half of that, heat r a half of 1 / 2^r. In the first heat every
candidate may turn out to be the leader, so all pairs count; later heats test against the leader of the heats before.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import Any

import numpy as np

from strozzi_sim.stats.intervals import jackknife
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.stats.precision import ALPHA, CHUNKS_AT_MOST, mean_half_width
from strozzi_sim.studies.candidates import Candidate

ALLOWANCE = 5  # the race costs at most as many games as so many candidates at the final precision
_FINALISTS = 2
LEAST = 10  # deals of a candidate in a heat
WINNER, OPEN, WORSE, BEHIND = "winner", "not told from the winner", "significantly worse", "behind, and dropped"
_MARGIN = 0.7  # part of an expected number of deals that counts: a final may stop earlier
_CHUNKS, _FEWEST_CHUNKS = 4000, 40  # of all candidates in a heat; of one
_TYPICAL = 9  # best candidates, of which the deals of the final are expected

Measure = Callable[[Sequence[str], int, int], Sequence[Candidate]]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a race.

    Attributes:
        finalists: as measured in the final, the winner first.
        others: the dropped candidates, as measured when they were last in a heat.
        status: status by name.
        spent: number of deals of all candidates together.
        heats: number of heats before the final.
    """

    finalists: tuple[Candidate, ...]
    others: tuple[Candidate, ...]
    status: dict[str, str]
    spent: int
    heats: int


def most_spent(candidates: int, deals: int) -> int:
    """Return the largest number of deals of all candidates together, if the final has this many deals."""
    return max(ALLOWANCE * deals, LEAST * candidates + _finalists(candidates) * deals)


def heat_chunks(candidates: int) -> int:
    """Return the number of chunks of each candidate in a heat: more of fewer candidates, whose spread is then better known."""
    return min(max(_CHUNKS // candidates, _FEWEST_CHUNKS), CHUNKS_AT_MOST)


def _finalists(candidates: int) -> int:
    """Return the number of finalists: all of a few candidates, else two."""
    return candidates if candidates < ALLOWANCE else _FINALISTS


def race(
    names: Sequence[str],
    sign: int,
    heat: Measure,
    final: Callable[[Sequence[str], float], Sequence[Candidate]],
    expected: Callable[[Candidate | None], float],
    precision: float | None = None,
) -> Outcome:
    """Return the outcome of a race of two or more candidates.

    Args:
        names: the candidates.
        sign: 1 if the highest figure is the best, -1 if the lowest.
        heat: measures candidates with a number of deals in heat 1, 2, ..; each heat has deals of its own.
        final: measures the finalists, of which the first is the winner, given the number of deals that it is expected to take.
        expected: returns the number of deals that the final is expected to take, given a candidate, or nothing at first.
        precision: half width to which the final measures the winner, as a part of 1; default: its deals are fixed.
    """
    left, spent, per_candidate, number = list(names), 0, 0, 0
    finalists = _finalists(len(names))
    share = (ALLOWANCE - finalists) * (1.0 if precision is None else _MARGIN)
    total: dict[str, Any] = dict.fromkeys(names, 0.0)
    last: dict[str, Candidate] = {}
    status: dict[str, str] = {}
    need = expected(None)
    heats = max(1, min(_halvings(len(left), finalists), int(share * need // (LEAST * len(left)))))
    while heats:
        number += 1
        deals = max(LEAST, int(min((share * need - spent) / heats / len(left), need / 2)))
        leader = left[0] if number > 1 else ""
        for each in heat(left, deals, number):
            last[each.name] = each
            total[each.name] = total[each.name] + deals * each.means
        per_candidate += deals
        spent += deals * len(left)
        pooled = {name: last[name].pooled(total[name] / per_candidate) for name in left}
        known = [name for name in left if not np.isnan(pooled[name])] or left
        status |= dict.fromkeys(set(left) - set(known), BEHIND)
        left = sorted(known, key=lambda name: -sign * pooled[name])
        worse = _worse([last[name] for name in left], leader, sign, ALPHA / 2 / 2**number)
        status |= dict.fromkeys(worse, WORSE)
        left = [name for name in left if name not in worse]
        need = float(np.median([expected(last[name]) for name in left[:_TYPICAL]]))
        stay, heats = _next_heats(len(left), finalists, share * need - spent, deals)
        status |= dict.fromkeys(left[stay:], BEHIND)
        left = left[:stay]
    measured = list(final(left, need))
    winner, *rest = measured
    spent += sum(each.deals for each in measured)
    worse = _worse_than_winner(winner, rest, sign, precision)
    status |= {each.name: WORSE if each.name in worse else OPEN for each in rest} | {winner.name: WINNER}
    others = [last[name] for name in names if name not in left]
    return Outcome(tuple(measured), tuple(others), status, spent, number)


def _halvings(left: int, finalists: int) -> int:
    """Return how often candidates can be halved, until the finalists are left."""
    return ceil(log2(max(left / finalists, 1)))


def _next_heats(left: int, finalists: int, budget: float, deals: int) -> tuple[int, int]:
    """Return how many candidates stay after a heat, and the number of heats until the final.

    Args:
        left: number of candidates.
        finalists: number of finalists.
        budget: deals of all candidates together until the final.
        deals: deals of a candidate in the heat; the next heats have no fewer.
    """
    halvings = _halvings(left, finalists)
    if halvings and budget / halvings / left >= 2 * deals:  # the first guess of the final was too low
        return left, halvings
    for heats in range(halvings - 1, 0, -1):
        stay = max(finalists, ceil(left * (finalists / left) ** (1 / (heats + 1))))
        if budget / heats / stay >= deals:
            return stay, heats
    return min(left, finalists), 0


def _worse(ranked: Sequence[Candidate], leader: str, sign: int, alpha: float) -> list[str]:
    """Return the names of candidates that are significantly worse than the leader of the heats before, or than the first one."""
    first = next((each for each in ranked if each.name == leader), ranked[0])
    others = [each for each in ranked if each is not first]
    p = np.array([_p_not_worse(each, first, sign) for each in others])
    adjusted = holm(p) if leader else p * len(ranked) * len(others)
    return [each.name for each, value in zip(others, adjusted, strict=True) if value < alpha]


def _worse_than_winner(winner: Candidate, others: Sequence[Candidate], sign: int, precision: float | None) -> list[str]:
    """Return the names of finalists that are significantly worse than the winner."""
    if precision is None:
        return _worse([winner, *others], winner.name, sign, ALPHA / 2)
    alpha = ALPHA / max(len(others), 1)  # of two sides, so half of it is on this one
    return [
        each.name
        for each in others
        if sign * (winner.value - each.value) > float(mean_half_width(each.parts - winner.parts, alpha))
    ]


def _p_not_worse(candidate: Candidate, than: Candidate, sign: int) -> float:
    """Return the p-value of "the candidate is not worse", paired by deal."""
    from scipy.special import stdtr

    less = candidate.parts - than.parts
    behind, freedom = sign * (than.value - candidate.value), len(less) - 1
    error = float(jackknife(less)) / freedom if freedom else float("nan")
    if not error >= 0:
        return 1.0
    return float(stdtr(freedom, -behind / error)) if error > 0 else float(behind <= 0)
