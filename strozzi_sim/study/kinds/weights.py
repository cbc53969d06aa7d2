"""weights: which numbers of the box matter?

Each number of the components is moved one step up and one step down from the box as it is, on common deals. These are the elementary
effects of Morris (1991) at one point, the box itself: a designer asks what a change of this box does, so nothing is sampled and no
library is needed. The race has three heats. In the first every number is moved; in each later one those that moved the shares of wins
furthest play more deals, on which nothing was chosen. Every heat tests the shares of wins together (Hotelling 1931), the mean score and
the length, corrected for all of them (Holm 1979): a run that says of any number that it changes something though it does not is one of
a thousand.

How much a number matters is the largest change of a share of wins by its steps. Every heat has bounds of it that hold for all its
numbers at once (Bonferroni, 95 % over all heats). A number is said to matter less than another only if its upper bound is below the
lower one of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from time import monotonic
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.errors import ArgumentError, InputError, suggest_names
from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Picture, Tables, some_of
from strozzi_sim.game.variants import AnyVariant, Variant, with_values
from strozzi_sim.kernel.units import WIN_UNITS
from strozzi_sim.stats.intervals import Array, jackknife, t_quantile
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study import names
from strozzi_sim.study.counts import Counts
from strozzi_sim.study.look import Look
from strozzi_sim.study.model import Study
from strozzi_sim.study.names import Agents
from strozzi_sim.study.pages import Section
from strozzi_sim.study.progress import ProgressOption, progress_of
from strozzi_sim.study.results import Frames, Results
from strozzi_sim.study.running import counts_in_memory, worker_count

FIRST, SECOND = 20, 5  # parts of the deals that the first two heats play
MIDDLE, MOST = 40, 10  # numbers in the second heat and in the last one
CHUNKS = 50
SHARE, GAP, SCORE, LENGTH = "win_share", "seat_gap", "score_mean", "decisions_mean"
HEAVY, REAL, NOTHING = "among those that matter most", "matters less", "cannot be told from zero"
TIED = "may matter as much"
ALPHA = 0.05
KNOWN = 0.001  # share of runs that say of some number that it changes something, though it does not
FEW = 15  # names in a line
COLUMNS = {
    "players": "int64", "variant": "str", "lineup": "str", "key": "str", "from": "float64", "to": "float64", "by": "str",
    "level": "int64", "figure": "str", "value": "float64", "low": "float64", "high": "float64", "n": "int64", "deals": "int64",
    "p": "float64", "status": "str", "least": "float64", "most": "float64", "place_low": "int64", "place_high": "int64",
}  # fmt: skip


def weights(
    game: str | Game,
    *,
    players: int | str | None = None,
    agents: Agents = (),
    deals: int = 150_000,
    variant: AnyVariant = "base",
    keys: str = "*",
    seed: int = 0,
    workers: int | None = None,
    progress: ProgressOption = None,
) -> Results:
    """Move every number of the components one step up and down, and measure what that changes.

    All play a twentieth of the deals first, the same ones. The forty that move shares of wins furthest then play a fifth of the deals, and
    the ten furthest of these all, each time on new deals.

    Args:
        game: a game; `strozzi games` lists them
        players: number of players; default: 4, or the fewest of the game
        agents: one line-up, separated by commas; default: the game's default agent, which plays itself
        deals: deals of the last ten numbers; all numbers play a twentieth of them, and forty a fifth
        variant: a variant of the components, from which the steps are made
        keys: only numbers whose key has this pattern, such as 'tracks.*'
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        progress: True or False to show a bar, or a `Progress`; default: a bar in a terminal or notebook only

    >>> import strozzi_sim.study as ss
    >>> found = ss.weights("strozzi", players=3, agents=["random"], deals=2000, keys="coins.*")
    >>> set(found.tables["weights"]["status"])
    {'cannot be told from zero'}
    """
    the_game, began = names.game_named(game), monotonic()
    (box,) = names.variants_named(the_game, variant)
    counts, number = names.player_counts(the_game, players), worker_count(workers)
    if len(counts) != 1:
        raise ArgumentError("players", f"expected one player count, got {', '.join(map(str, counts))}")
    lineups = names.lineups_of(names.agents_named(the_game, agents or [the_game.default_agent]), counts)
    if deals // FIRST < CHUNKS:
        raise ArgumentError("deals", f"must be at least {FIRST * CHUNKS}, got {deals}")
    moved, refused = steps(the_game, box)
    moved = [step for step in moved if fnmatchcase(step.key, keys)]
    if not moved:
        known = [key for key, _ in numbers(the_game, box)]
        raise ArgumentError("keys", f"no number has a key like {keys!r}; {suggest_names(keys, known)}")
    studies: list[Weights] = []
    with progress_of(progress) as reporter:

        def measure(chosen: Sequence[Step], own_deals: int, heat: int) -> list[Effect]:
            chunks = min(CHUNKS, own_deals)
            study = Weights.of(
                game=the_game, players=counts, lineups=lineups, variants=(box, *(each.variant for each in chosen)),
                deals=own_deals - own_deals % chunks, chunks=chunks, seed=seed + heat,
            )  # fmt: skip
            studies.append(study)
            base, *others = counts_in_memory(study, number, reporter)
            figures = by_chunk(study, base)
            return [
                effect_of(step, figures, by_chunk(study, other), study.deals)
                for step, other in zip(chosen, others, strict=True)
            ]

        heats = race(moved, measure, deals)
    first, played = studies[0], sum(study.games for study in studies)
    about = {"refused": {key: why for key, why in refused.items() if fnmatchcase(key.partition("=")[0], keys)}}
    tables = Frames({"weights": table_of(first, heats, judge(heats))})
    look = Look(name=f"weights-{first.game.replace('_', '-')}")
    return Results(first, look, tables, None, played, round(monotonic() - began, 3), about)


class Weights(Study, frozen=True, kw_only=True, tag="weights"):
    """A heat of a race of numbers: the box, and a variant for every step."""

    printed = ("weights",)

    def verdict(self, tables: Tables, look: Look) -> list[str]:
        """Return which numbers move the shares of wins most, and of every other group how large a change could be missed."""
        table = tables["weights"]
        found = table.drop_duplicates("key").set_index("key")
        return [_headline(table, found), *_groups(found)]

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the changes of the shares of wins."""
        share = Figure(SHARE, "change of a share of wins", "share")
        drawn = Picture(
            "weights",
            "",
            "dots",
            "weights",
            (share,),
            "How far a step of each number moves a share of wins",
            x="key",
            zero=True,
        )
        return [Section("Weights", "Which numbers of the box matter?", (drawn,))]


def _headline(table: pd.DataFrame, found: pd.DataFrame) -> str:
    """Return the number that moves the shares of wins most, and those that cannot be told from it."""
    heavy = found[found["status"] == HEAVY]
    if heavy.empty:
        return "No number is known to move the shares of wins."
    best = heavy.index[0]
    rows = table[(table["key"] == best) & (table["figure"] == SHARE)]
    row = rows.loc[rows["value"].abs().idxmax()]
    low, high = sorted(100 * abs(row[side]) for side in ("low", "high"))
    more = "more" if row["value"] > 0 else "fewer"
    moved = f"from {row['from']:g} to {row['to']:g}, {row['by']} {row['level']} wins {100 * abs(row['value']):.1f} ({low:.1f} to {high:.1f}) points {more}"
    rivals = [str(key) for key in found.index[found["most"] >= heavy["least"].iloc[0]] if key != best]
    as_much = f"; {some_of(rivals, FEW)} may move them as much" if rivals else ""
    return f"{best} moves the shares of wins most: {moved}{as_much}."


def _groups(found: pd.DataFrame) -> list[str]:
    said = []
    for status, own in found.groupby("status", sort=False):
        bound = f"{100 * own['most'].max():.1f} points"
        words = {TIED: f"change something; a change of the shares of wins by up to {bound} could be missed", REAL: "change something, and are known to move the shares of wins less",
                 NOTHING: f"{NOTHING}; a change of up to {bound} could be missed"}.get(str(status))  # fmt: skip
        said += (
            [f"{len(own)} of {len(found)} {words}: {some_of([str(key) for key in own.index], FEW)}."] if words else []
        )
    return said


@dataclass(frozen=True)
class Step:
    """A number moved one step: its key, its value before and after, and the box with it."""

    key: str
    before: float
    after: float
    variant: Variant


@dataclass(frozen=True)
class Effect:
    """The effect of a step.

    Attributes:
        step: the step.
        differences: variant minus base by chunk: every share of wins, mean score, length; float64[C, K + 2].
        gap: difference of the gap between seats: value, low, high.
        p: p-values of the shares together, the score and the length; not corrected.
        deals: number of deals.
    """

    step: Step
    differences: Array
    gap: tuple[float, float, float]
    p: tuple[float, float, float]
    deals: int

    @property
    def size(self) -> float:
        """How far the shares of wins move, squared, less what chance adds; without bias."""
        shares = self.differences[:, :-2]
        return float((shares.mean(axis=0) ** 2 - shares.var(axis=0, ddof=1) / len(shares)).sum())

    def bounds(self, figures: int) -> tuple[float, float]:
        """Return the least and the most that the largest change of a share can be, of `figures` bounded at once."""
        shares = self.differences[:, :-2]
        change = np.abs(shares.mean(axis=0))
        half = t_quantile(len(shares) - 1, figures) * shares.std(axis=0, ddof=1) / np.sqrt(len(shares))
        return float(np.maximum(change - half, 0).max()), float((change + half).max())


@dataclass(frozen=True)
class Judged:
    """What the heats say of a number.

    Attributes:
        status: HEAVY: it is in the last heat and known to move the shares of wins. TIED and REAL: it is known to
            change something, and may move the shares as much as the lightest of those, or is known to move them less.
            NOTHING: neither.
        least, most: bounds of the largest change of a share, for all numbers at once.
        places: first and last place that it can have among all numbers, from 1.
    """

    status: str
    least: float
    most: float
    places: tuple[int, int]


def numbers(game: Game, variant: Variant) -> Iterator[tuple[str, float]]:
    """Yield every number of the components that a variant may change, with its key: ("tracks.bonus.7", 5)."""
    for section in game.components_part.VARIABLE:
        yield from _numbers_in(variant.components.get(section), section)


def _numbers_in(data: Any, key: str) -> Iterator[tuple[str, float]]:
    if isinstance(data, Mapping):
        for name, each in data.items():
            if name != "id":
                yield from _numbers_in(each, f"{key}.{name}")
    elif isinstance(data, list | tuple):
        ids = [each.get("id") if isinstance(each, Mapping) else None for each in data]
        for place, each in enumerate(data):
            yield from _numbers_in(each, f"{key}.{place if ids[place] is None else ids[place]}")
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield key, data


def steps(game: Game, variant: Variant) -> tuple[list[Step], dict[str, str]]:
    """Return every number moved one step up and down, and those that cannot be moved with the reason.

    A step is 1 for a whole number below 20, else a tenth of the number.
    """
    found: list[Step] = []
    refused: dict[str, str] = {}
    for key, value in numbers(game, variant):
        step = value / 10 if isinstance(value, float) else max(1, round(abs(value) / 10))
        for after in (value + step, value - step):
            try:
                changed = with_values(game, variant, {key: after})
            except InputError as error:
                refused[f"{key}={after:g}"] = str(error)
                continue
            if changed.components == variant.components:
                refused[f"{key}={after:g}"] = "is counted from the other data, whatever is written there"
            else:
                found.append(Step(key, value, after, changed))
    return found, refused


def table_of(study: Study, heats: Sequence[Sequence[Effect]], judged: Mapping[str, Judged]) -> pd.DataFrame:
    """Return the table weights: each step as its last heat measured it, those that moved a share most first."""
    p = {_place(each): own for heat in heats for each, own in zip(heat, _adjusted(heat), strict=True)}
    last = {_place(each): each for heat in heats for each in heat}
    groups = (HEAVY, TIED, REAL, NOTHING)
    furthest: dict[str, float] = {}
    for each in last.values():
        furthest[each.step.key] = max(
            furthest.get(each.step.key, 0.0), np.abs(each.differences[:, :-2].mean(axis=0)).max()
        )
    keys = sorted(furthest, key=lambda key: (groups.index(judged[key].status), -furthest[key]))
    rank = {key: number for number, key in enumerate(keys)}
    ordered = sorted(last.items(), key=lambda place: rank[place[1].step.key])
    rows = [row for place, each in ordered for row in _rows(study, each, p[place], judged[each.step.key])]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _place(effect: Effect) -> tuple[str, float]:
    return effect.step.key, effect.step.after


Measure = Callable[[Sequence[Step], int, int], list[Effect]]


def race(moved: Sequence[Step], measure: Measure, deals: int) -> list[list[Effect]]:
    """Return the effects of the steps in each heat: of all, of those that go on, and of the last few.

    Args:
        moved: the steps.
        measure: returns the effects of steps, given the number of deals and that of the heat.
        deals: deals of the last heat.
    """
    heats = [measure(moved, deals // FIRST, 0)]
    for number, (size, own_deals) in enumerate(((MIDDLE, deals // SECOND), (MOST, deals)), 1):
        chosen = _furthest(heats, size)
        if not chosen:
            break
        heats.append(measure([each for each in moved if each.key in chosen], own_deals, number))
    return heats


def _furthest(heats: Sequence[Sequence[Effect]], size: int) -> set[str]:
    """Return the numbers that go on: those known to change something, then those that moved the shares furthest."""
    known, sizes = _changing(heats), dict[str, float]()
    for each in heats[-1]:
        if each.differences.any():
            sizes[each.step.key] = max(sizes.get(each.step.key, -np.inf), each.size)
    return set(sorted(sizes, key=lambda key: (key not in known, -sizes[key]))[:size])


def _adjusted(heat: Sequence[Effect]) -> Array:
    """Return the p-values of a heat, corrected for all of them, float64[effects, 3]."""
    return holm(np.array([each.p for each in heat]).reshape(-1, 3))


def _changing(heats: Sequence[Sequence[Effect]]) -> set[str]:
    """Return the numbers that are known to change something."""
    found = [(each, own) for heat in heats for each, own in zip(heat, _adjusted(heat), strict=True)]
    return {each.step.key for each, own in found if (own < KNOWN / len(heats)).any()}


def judge(heats: Sequence[Sequence[Effect]]) -> dict[str, Judged]:
    """Return what the heats say of each number; the first heat has all of them."""
    least: dict[str, float] = {}
    most: dict[str, float] = {}
    for heat in heats:
        figures = len(heats) * sum(each.differences.shape[1] - 2 for each in heat)
        bounds: dict[str, list[tuple[float, float]]] = {}
        for each in heat:
            bounds.setdefault(each.step.key, []).append(each.bounds(figures))
        for key, own in bounds.items():
            lows, highs = zip(*own, strict=True)
            least[key] = max(least.get(key, 0.0), *lows)
            most[key] = min(most.get(key, np.inf), max(highs))
    last = zip(heats[-1], _adjusted(heats[-1]), strict=True)
    heavy = {each.step.key for each, own in last if own[0] < KNOWN / len(heats)}
    lightest = min((least[key] for key in heavy), default=0.0)
    changing = _changing(heats)

    def status(key: str) -> str:
        if key in heavy:
            return HEAVY
        if key not in changing:
            return NOTHING
        return REAL if most[key] < lightest or most[key] == 0 else TIED

    ends = np.array([[least[key], most[key]] for key in least]).reshape(-1, 2)

    def places(key: str) -> tuple[int, int]:
        return 1 + int((ends[:, 0] > most[key]).sum()), int((ends[:, 1] >= least[key]).sum())

    return {key: Judged(status(key), least[key], most[key], places(key)) for key in least}


def by_chunk(study: Study, counts: Counts) -> Array:
    """Return shares of wins (by seat; of a line-up by position), mean score and length by chunk, float64[C, P + 2]."""
    (players,), axis, outcome = study.players, 1 if len(study.lineups[0]) == 1 else 2, counts.outcome
    wins, scores = (outcome[name].sum(axis=axis)[:, :players] for name in ("wins", "scores"))
    games = outcome["games"][:, None]
    means = scores.sum(axis=1, keepdims=True) / players / games, outcome["decisions"][:, None] / games
    return np.concatenate([wins / WIN_UNITS / games, *means], axis=1)


def effect_of(step: Step, base: Array, moved: Array, deals: int) -> Effect:
    """Return the effect of a step, from the figures of the box and of the moved box by chunk; see `by_chunk`."""
    differences = moved - base
    gaps = []
    for side in (moved, base):
        without = (side[:, :-2].sum(axis=0) - side[:, :-2]) / (len(side) - 1)
        gaps.append((np.ptp(side[:, :-2].mean(axis=0)), np.ptp(without, axis=1)))
    half = t_quantile(len(base) - 1) * float(jackknife(gaps[0][1] - gaps[1][1]))
    gap = float(gaps[0][0] - gaps[1][0])
    p = (hotelling(differences[:, :-3]), _t_test(differences[:, -2]), _t_test(differences[:, -1]))
    return Effect(step, differences, (gap, gap - half, gap + half), p, deals)


def hotelling(differences: Array) -> float:
    """Return the p-value of means that are all 0 (Hotelling 1931); the last share is left out, as shares sum to 1."""
    from scipy.special import fdtrc

    chunks, figures = differences.shape
    mean, spread = differences.mean(axis=0), np.atleast_2d(np.cov(differences, rowvar=False))
    if not spread.any() or np.linalg.matrix_rank(spread) < figures:
        return 1.0
    t2 = chunks * float(mean @ np.linalg.solve(spread, mean))
    return float(fdtrc(figures, chunks - figures, t2 * (chunks - figures) / (figures * (chunks - 1))))


def _t_test(differences: Array) -> float:
    from scipy.special import stdtr

    error = differences.std(ddof=1) / np.sqrt(len(differences))
    if error == 0:
        return float(differences.mean() == 0)
    return float(2 * stdtr(len(differences) - 1, -abs(differences.mean()) / error))


def _rows(study: Study, effect: Effect, p: Array, judged: Judged) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a step: its effect on every figure."""
    cell = study.cells[0]
    step, chunks = effect.step, len(effect.differences)
    where = (cell.match.players, cell.match.variant.name, cell.lineup, step.key, step.before, step.after)
    n = effect.deals * cell.match.games_per_deal
    value = effect.differences.mean(axis=0)
    half = t_quantile(chunks - 1) * effect.differences.std(axis=0, ddof=1) / np.sqrt(chunks)
    by = "seat" if cell.selfplay else "position"
    said = (judged.status, judged.least, judged.most, *judged.places)
    for k in range(len(value) - 2):
        ends = (value[k], value[k] - half[k], value[k] + half[k])
        yield (*where, by, k, SHARE, *ends, n, effect.deals, p[0], *said)
    yield (*where, "", 0, GAP, *effect.gap, n, effect.deals, p[0], *said)
    for k, figure in ((-2, SCORE), (-1, LENGTH)):
        yield (*where, "", 0, figure, value[k], value[k] - half[k], value[k] + half[k], n, effect.deals, p[k], *said)
