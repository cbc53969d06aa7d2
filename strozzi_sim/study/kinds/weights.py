"""weights: which numbers of the box matter? Each is moved one step up and one step down, on common deals, in a race of three heats.

These are the elementary effects of Morris (1991) at one point, the box itself: a designer asks what a change of this box does, so nothing is
sampled. In the first heat every number is moved; in each later one those that moved the shares of wins furthest play more deals, on which
nothing was chosen. Every heat tests the shares of wins together (Hotelling 1931), the mean score and the length, corrected for all of them
(Holm 1979): a run that says of any number that it changes something though it does not is one of a thousand.

How much a number matters is the largest change of a share of wins by its steps. Every heat has bounds of it that hold for all its numbers at
once (Bonferroni, 95 % over all heats). A number is said to matter less than another only if its upper bound is below the lower one of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from time import monotonic
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.agent import names
from strozzi_sim.agent.names import Agents
from strozzi_sim.errors import ArgumentError, InputError, pluralize, suggest_names
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.game import find_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Tables, listed, pick, some_of
from strozzi_sim.game.variants import AnyVariant, Variant, with_values
from strozzi_sim.stats.intervals import LEVEL, Array, jackknife, t_quantile
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study.arguments import documented
from strozzi_sim.study.cells import CountsOf
from strozzi_sim.study.look import Look, Section, key_numbers, section
from strozzi_sim.study.model import Study
from strozzi_sim.study.progress import ProgressOption, progress_of
from strozzi_sim.study.results import Frames, Results
from strozzi_sim.study.running import counts_in_memory
from strozzi_sim.study.wording import grouped, seat_words

CHUNKS, FEWEST_CHUNKS = 50, 4
FIRST, SECOND = 20, 5  # parts of the deals that the first two heats play
MIDDLE, MOST = 40, 10  # numbers in the second heat and in the last one
KNOWN = 0.001  # share of runs that say of some number that it changes something, though it does not
HEAVY, REAL, NOTHING = "among those that matter most", "matters less", "cannot be told from zero"
TIED = "may matter as much"
SHARE, GAP, SCORE, LENGTH = "win_share", "seat_gap", "score_mean", "decisions_mean"
FEW = 15  # names in a line
COLUMNS = {
    "players": "int64", "variant": "str", "lineup": "str", "key": "str", "from": "float64", "to": "float64", "by": "str",
    "level": "int64", "figure": "str", "value": "float64", "low": "float64", "high": "float64", "n": "int64", "deals": "int64",
    "p": "float64", "status": "str", "least": "float64", "most": "float64", "place_low": "int64", "place_high": "int64",
}  # fmt: skip


@documented
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

    Example: strozzi weights strozzi --players 4

    Args:
        players: number of players; default: 4, or the fewest of the game
        agents: one line-up, separated by commas; default: the game's default agent, which plays itself
        deals: deals of the last ten numbers; all numbers play a twentieth of them, and forty a fifth
        variant: a variant of the components, from which the steps are made
        keys: only numbers whose key has this pattern, such as 'tracks.*'

    >>> import strozzi_sim as ss
    >>> found = ss.weights("strozzi", players=3, agents=["random"], deals=2000, keys="coins.*")
    >>> set(found.tables["weights"]["status"])
    {'cannot be told from zero'}
    """
    the_game, began = find_game(game), monotonic()
    (box,) = names.variants_named(the_game, variant)
    counts, number = (names.one_count(the_game, players),), names.worker_count(workers)
    lineups = names.lineups_of(the_game, agents, counts)
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
            study = Weights.of(
                game=the_game, players=counts, lineups=lineups, variants=(box, *(each.variant for each in chosen)),
                deals=own_deals - own_deals % CHUNKS, chunks=CHUNKS, seed=seed + heat,
            )  # fmt: skip
            studies.append(study)
            return study.effects(chosen, [each.outcome for each in counts_in_memory(study, number, reporter)])

        heats = race(moved, measure, deals)
    first, played = studies[0], sum(study.games for study in studies)
    about = {"refused": {key: why for key, why in refused.items() if fnmatchcase(key.partition("=")[0], keys)}}
    tables = Frames({"weights": table_of(first, heats, judge(heats))})
    seconds = round(monotonic() - began, 3)
    return Results(first, first.look(), tables, None, played, first.summary, played, seconds, about)


class Weights(Study, frozen=True, kw_only=True, tag="weights"):
    """A heat of a race of numbers: the box, and a variant for every step."""

    printed = ("weights",)

    @property
    def steps(self) -> list[Step]:
        """The steps, of every variant but the first."""
        box, *others = self.variant_of.values()
        before, found = dict(numbers(self.the_game, box)), []
        for other in others:
            moved = ((key, after) for key, after in numbers(self.the_game, other) if before.get(key, after) != after)
            key, after = next(moved, ("", 0.0))
            found.append(Step(key, before.get(key, 0.0), after, other))
        return found

    def check(self) -> None:
        if len(self.players) > 1 or len(self.lineups) > 1 or self.chunks < FEWEST_CHUNKS:
            raise ArgumentError("players", f"expected one player count, one line-up and {FEWEST_CHUNKS} chunks")

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return weights, of this heat alone."""
        heat = corrected(self.effects(self.steps, [counts(cell).outcome for cell in self.cells]))
        return {"weights": table_of(self, [heat], judge([heat]))}

    def effects(self, moved: Sequence[Step], outcomes: Sequence[Array]) -> list[Effect]:
        """Return the effects of steps, from the outcomes of the box and of the box with each."""
        base, *others = (by_chunk(self, outcome) for outcome in outcomes)
        return [effect_of(step, base, other, self.deals) for step, other in zip(moved, others, strict=True)]

    def verdict(self, tables: Tables, look: Look) -> list[str]:
        """Return which numbers move the shares of wins most, and of every other group how large a change could be missed."""
        found = tables["weights"].drop_duplicates("key").set_index("key")
        return [_headline(tables["weights"], found), *_groups(found)]

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the largest change of a share of wins by each step of a number, and all its changes in figures."""
        table = tables["weights"].assign(lineup="", variant="")
        table["step"] = [f"{row['key']}: {row['from']:g} to {row['to']:g}" for row in table.to_dict("records")]
        wins = pick(table, figure=SHARE)
        furthest = wins.loc[wins.groupby("step", sort=False)["value"].apply(lambda values: values.abs().idxmax())]
        furthest = furthest.assign(who=[_who(row) for row in furthest.itertuples(index=False)])
        numbers = key_numbers(furthest.head(3), "share", "points of games won by {who}, {step}", is_change=True)
        steps = pd.concat([furthest, table[table["figure"] != SHARE]])
        return [section("weights", {"furthest": furthest, "steps": steps}, numbers=numbers)]


def _headline(table: pd.DataFrame, found: pd.DataFrame) -> str:
    """Return the number that moves the shares of wins most, and those that cannot be told from it."""
    heavy = found[found["status"] == HEAVY]
    if heavy.empty:
        return "No number is known to move the shares of wins."
    best = heavy.index[0]
    rows = pick(table, key=best, figure=SHARE)
    row = rows.loc[rows["value"].abs().idxmax()]
    low, high = sorted(100 * abs(row[side]) for side in ("low", "high"))
    more = "more" if row["value"] > 0 else "fewer"
    moved = f"from {row['from']:g} to {row['to']:g}, {_who(row)} wins {100 * abs(row['value']):.1f} ({low:.1f} to {high:.1f}) points {more}"
    rivals = [str(key) for key in found.index[found["most"] >= heavy["least"].iloc[0]] if key != best]
    known = [key for key in rivals if key in heavy.index]
    others = [pluralize(len(rivals) - len(known), "other number")] if len(known) < len(rivals) else []
    as_much = f"; {listed([*known, *others])} may move them as much" if rivals else ""
    return f"{best} moves the shares of wins most: {moved}{as_much}."


def _who(row: Any) -> str:
    """Return whose games won a row is about."""
    return seat_words(int(row.level), row.players) if row.by == "seat" else f"{row.by} {row.level}"


def _groups(found: pd.DataFrame) -> Iterator[str]:
    """Yield for each group of numbers but the first how large a change of the shares of wins could be missed."""
    for status, own in found.groupby("status", sort=False):
        size = f"up to {100 * own['most'].max():.1f} points could be missed"
        words = {
            TIED: f"change something; a change of the shares of wins by {size}", NOTHING: f"{NOTHING}; a change of {size}",
            REAL: "change something, and are known to move the shares of wins less",
        }  # fmt: skip
        if status in words:
            yield f"{len(own)} of {len(found)} ({some_of([str(key) for key in own.index], FEW)}) {words[status]}."


def table_of(study: Study, heats: Sequence[Sequence[Effect]], judged: Mapping[str, Judged]) -> pd.DataFrame:
    """Return the table weights: each step as its last heat measured it, those that moved a share most first."""
    last = {(each.step.key, each.step.after): each for heat in heats for each in heat}.values()
    groups, furthest = (HEAVY, TIED, REAL, NOTHING), grouped((each.step.key, each.change.max()) for each in last)
    keys = sorted(furthest, key=lambda key: (groups.index(judged[key].status), -max(furthest[key])))
    ordered = sorted(last, key=lambda each: keys.index(each.step.key))
    rows = [row for each in ordered for row in _rows(study, each, judged[each.step.key])]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _rows(study: Study, effect: Effect, judged: Judged) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a step: its effect on every figure."""
    cell, step, chunks = study.cells[0], effect.step, len(effect.differences)
    where = (cell.match.players, cell.match.variant.name, cell.lineup, step.key, step.before, step.after)
    n = effect.deals * cell.match.games_per_deal
    value = effect.differences.mean(axis=0)
    half = t_quantile(chunks - 1) * effect.differences.std(axis=0, ddof=1) / np.sqrt(chunks)
    ends = list(zip(value, value - half, value + half, strict=True))
    by = "seat" if cell.selfplay else "position"
    said = (judged.status, judged.least, judged.most, *judged.places)
    for k in range(len(value) - 2):
        yield (*where, by, k, SHARE, *ends[k], n, effect.deals, effect.p[0], *said)
    yield (*where, "", 0, GAP, *effect.gap, n, effect.deals, effect.p[0], *said)
    for k, figure in ((-2, SCORE), (-1, LENGTH)):
        yield (*where, "", 0, figure, *ends[k], n, effect.deals, effect.p[k], *said)


# -- the numbers and their steps -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """A number moved one step: its key, its value before and after, and the box with it."""

    key: str
    before: float
    after: float
    variant: Variant


def numbers(game: Game, variant: Variant) -> Iterator[tuple[str, float]]:
    """Yield every number of the components that a variant may change, with its key: ("tracks.bonus.7", 5)."""
    for name in game.components_part.VARIABLE:
        yield from _numbers_in(variant.components.get(name), name)


def _numbers_in(data: Any, key: str) -> Iterator[tuple[str, float]]:
    if isinstance(data, Mapping):
        for name, each in data.items():
            if name != "id":
                yield from _numbers_in(each, f"{key}.{name}")
    elif isinstance(data, list | tuple):
        for place, each in enumerate(data):
            name = each.get("id") if isinstance(each, Mapping) else None
            yield from _numbers_in(each, f"{key}.{place if name is None else name}")
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


# -- the race and what it says ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Effect:
    """The effect of a step."""

    step: Step
    differences: Array  # variant minus base by chunk: every share of wins, mean score, length; float64[C, K + 2]
    gap: tuple[float, float, float]  # difference of the gap between seats: value, low, high
    p: tuple[float, ...]  # p-values of the shares together, the score and the length
    deals: int

    @property
    def change(self) -> Array:
        """How far every share of wins moves."""
        return np.asarray(np.abs(self.differences[:, :-2].mean(axis=0)))

    @property
    def size(self) -> float:
        """How far the shares of wins move, squared, less what chance adds; without bias."""
        shares = self.differences[:, :-2]
        return float((shares.mean(axis=0) ** 2 - shares.var(axis=0, ddof=1) / len(shares)).sum())

    def bounds(self, figures: int) -> tuple[float, float]:
        """Return the least and the most that the largest change of a share can be, of `figures` bounded at once.

        Deals that differ may be so rare that none is among these; the most is no less than what they then change.
        """
        shares = self.differences[:, :-2]
        half = t_quantile(len(shares) - 1, figures) * shares.std(axis=0, ddof=1) / np.sqrt(len(shares))
        unseen = np.log(2 * figures / (1 - LEVEL)) / self.deals
        return float(np.maximum(self.change - half, 0).max()), max(float((self.change + half).max()), unseen)


@dataclass(frozen=True)
class Judged:
    """What the heats say of a number."""

    # HEAVY: it is in the last heat and known to move the shares of wins. TIED and REAL: it is known to change something, and
    # may move the shares as much as the lightest of those, or is known to move them less. NOTHING: neither.
    status: str
    least: float  # bounds of the largest change of a share, for all numbers at once
    most: float
    places: tuple[int, int]  # first and last place that it can have among all numbers, from 1


Measure = Callable[[Sequence[Step], int, int], list[Effect]]  # of steps, a number of deals, and the number of the heat


def race(moved: Sequence[Step], measure: Measure, deals: int) -> list[list[Effect]]:
    """Return the effects of the steps in each heat: of all, of those that go on, and of the last few, which play `deals`."""
    heats = [corrected(measure(moved, deals // FIRST, 0))]
    for number, (size, own_deals) in enumerate(((MIDDLE, deals // SECOND), (MOST, deals)), 1):
        if chosen := _furthest(heats, size):
            heats.append(corrected(measure([each for each in moved if each.key in chosen], own_deals, number)))
    return heats


def _furthest(heats: Sequence[Sequence[Effect]], size: int) -> set[str]:
    """Return the numbers that go on: those known to change something, then those that moved the shares furthest."""
    known = _changing(heats)
    sizes = grouped((each.step.key, each.size) for each in heats[-1] if each.differences.any())
    return set(sorted(sizes, key=lambda key: (key not in known, -max(sizes[key])))[:size])


def corrected(heat: Sequence[Effect]) -> list[Effect]:
    """Return the effects of a heat with p-values corrected for all of them."""
    every = holm(np.array([each.p for each in heat]).reshape(-1, 3))
    return [replace(each, p=tuple(own)) for each, own in zip(heat, every, strict=True)]


def _changing(heats: Sequence[Sequence[Effect]]) -> set[str]:
    """Return the numbers that are known to change something."""
    return {each.step.key for heat in heats for each in heat if any(p < KNOWN / len(heats) for p in each.p)}


def judge(heats: Sequence[Sequence[Effect]]) -> dict[str, Judged]:
    """Return what the heats say of each number; the first heat has all of them."""
    least: dict[str, float] = {}
    most: dict[str, float] = {}
    for heat in heats:
        figures = len(heats) * sum(each.differences.shape[1] - 2 for each in heat)
        for key, bounds in grouped((each.step.key, each.bounds(figures)) for each in heat).items():
            lows, highs = zip(*bounds, strict=True)
            least[key] = max(least.get(key, 0.0), *lows)
            most[key] = min(most.get(key, np.inf), max(highs))
    changing = _changing(heats)
    heavy = {each.step.key for each in heats[-1] if each.p[0] < KNOWN / len(heats)}
    lightest = min((least[key] for key in heavy), default=0.0)
    judged = {}
    for key in least:
        known = NOTHING if key not in changing else REAL if most[key] < lightest else TIED
        places = 1 + sum(each > most[key] for each in least.values()), sum(each >= least[key] for each in most.values())
        judged[key] = Judged(HEAVY if key in heavy else known, least[key], most[key], places)
    return judged


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


def by_chunk(study: Study, outcome: Array) -> Array:
    """Return shares of wins (by seat; of a line-up by position), mean score and length by chunk, float64[C, P + 2]."""
    (players,), axis = study.players, 1 if len(study.lineups[0]) == 1 else 2
    wins, scores = (outcome[name].sum(axis=axis)[:, :players] for name in ("wins", "scores"))
    games = outcome["games"][:, None]
    means = scores.sum(axis=1, keepdims=True) / players / games, outcome["decisions"][:, None] / games
    return np.concatenate([wins / WIN_UNITS / games, *means], axis=1)


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
