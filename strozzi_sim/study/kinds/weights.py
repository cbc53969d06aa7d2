"""weights: which numbers of the box matter? Each is moved a step up and a step down, in a race of up to three heats.

These are the elementary effects of Morris (1991) at one point, the box itself: a designer wants the effects of changes
of this box, so no other boxes are sampled. The first heat moves every number, each later one fewer on more and new
deals: those known to change something, then those that moved the shares of wins furthest. A heat tests the shares of
wins together (Hotelling 1931), the mean score and the length, corrected for all (Holm 1979): at most one run in a
thousand reports an effect of a number that has none.

A number matters by the largest change of a share of wins that its steps make. Bounds hold for all numbers of a heat at
once (Bonferroni, 95 % over all heats): a number matters less only if its upper bound is below another's lower bound.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from time import monotonic
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.agent import names
from strozzi_sim.agent.names import Agents
from strozzi_sim.declare.figure_tables import FIGURE, Tables, pick
from strozzi_sim.declare.printing import format_value
from strozzi_sim.errors import ArgumentError, InputError, pluralize, suggest_names
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.figures import DECISIONS, SCORE, WIN_SHARE
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.component_names import name_of_key
from strozzi_sim.game.sentences import listed, seat_words, some_of, with_capital
from strozzi_sim.game.variants import AnyVariant, Variant, with_values
from strozzi_sim.simulation.interrupts import stop_flag
from strozzi_sim.stats.intervals import LEVEL, Array, jackknife, t_quantile
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study.arguments import WHO_PLAYS, documented
from strozzi_sim.study.box_numbers import numbers
from strozzi_sim.study.cells import SEAT_GAP
from strozzi_sim.study.games import with_figures
from strozzi_sim.study.look import Look, Section, key_numbers, section
from strozzi_sim.study.model import Study
from strozzi_sim.study.progress import ProgressOption, progress_of
from strozzi_sim.study.results import Frames, Results
from strozzi_sim.study.running import outcomes_in_memory
from strozzi_sim.study.verdict import Verdict
from strozzi_sim.study.wording import grouped

CHUNKS = 50
FIRST, SECOND = 20, 5  # the first two heats play 1/20 and 1/5 of the deals
MIDDLE, MOST = 40, 10  # most numbers in the second heat and in the last one
KNOWN = 0.001  # largest share of runs that report an effect of a number that has none
HEAVY, REAL, NOTHING = "among those that matter most", "matters less", "cannot be told from zero"
TIED = "may matter as much"
CHANGES = tuple(figure.difference() for figure in (WIN_SHARE, SEAT_GAP, SCORE, DECISIONS))  # of these figures
FEW = 15  # most names in a line
KEYS = ("players", "variant", "lineup", "key", "from", "to", "by", "level")
COLUMNS = [*KEYS, *FIGURE, "p", "status", "least", "most", "place_low", "place_high"]


@documented(
    asks="Which numbers matter?",
    about="Every number of the box moves a step up and a step down: which move the shares of wins?",
    front={**WHO_PLAYS, "keys": "Only numbers like"},
    quick={"deals": 10_000},
)
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
    """Move every number of the components one step up and down, and measure the effects.

    All numbers first play a twentieth of the deals, the same ones. Up to forty that seem to matter most then play a
    fifth of the deals, and up to ten that still do play all, each time on new deals.

    Example: strozzi weights strozzi --players 4

    Args:
        players: number of players; default: 4, or the fewest of the game
        agents: one line-up, separated by commas; default: the game's default agent, which plays itself
        deals: deals of the last ten numbers; all numbers play a twentieth of them, and forty a fifth
        variant: a variant of the components, from which the steps are made
        keys: only numbers whose key matches this pattern, such as 'tracks.*'

    >>> import strozzi_sim as ss
    >>> results = ss.weights("strozzi", players=3, agents=["random"], deals=2000, keys="coins.*")
    >>> set(results.tables["weights"]["status"])
    {'cannot be told from zero'}
    """
    the_game, start = find_game(game), monotonic()
    (box,) = names.variants_named(the_game, variant)
    counts, worker_total = (names.one_count(the_game, players),), names.worker_count(workers)
    lineups = names.lineups_of(the_game, agents, counts)
    if deals // FIRST < CHUNKS:
        raise ArgumentError("deals", f"must be at least {FIRST * CHUNKS}, got {deals}")
    all_steps = [step for step in steps(the_game, box) if fnmatchcase(step.key, keys)]
    if not all_steps:
        keys_of_box = [key for key, _ in numbers(the_game, box)]
        why = f"no number that can be moved has a key like {keys!r}"
        raise ArgumentError("keys", f"{why}; {suggest_names(keys, keys_of_box)}")
    studies: list[Weights] = []
    with stop_flag(), progress_of(progress) as reporter:

        def measure(chosen: Sequence[NumberStep], own_deals: int, heat: int) -> list[Effect]:
            study = Weights.of(
                game=the_game,
                players=counts,
                lineups=lineups,
                variants=(box, *(step.variant for step in chosen)),
                deals=own_deals - own_deals % CHUNKS,
                chunks=CHUNKS,
                seed=seed_of(seed, heat),
            )
            studies.append(study)
            base, *moved = (by_chunk(study, outcome) for outcome in outcomes_in_memory(study, worker_total, reporter))
            return [effect_of(step, base, other, study.deals) for step, other in zip(chosen, moved, strict=True)]

        heats = race(all_steps, measure, deals)
    first, played = studies[0], sum(study.games for study in studies)
    tables = Frames(with_figures(first, {"weights": table_of(first, heats, judge(heats))}))
    seconds = round(monotonic() - start, 3)
    return Results(first, first.look(), tables, None, played, first.summary, played, seconds)


class Weights(Study):
    """A heat of a race: the box, and a variant for every step. No study file describes a race, which has several."""

    kind = "weights"
    printed = ("weights",)
    measured = CHANGES

    def verdict(self, tables: Tables, look: Look) -> Verdict:
        """Return the number that moves the shares of wins most, and a sentence on each group of lesser numbers."""
        by_key = tables["weights"].drop_duplicates("key").set_index("key")
        answer, *notes = _headline(tables["weights"], by_key, self.the_game)
        return Verdict(answer, notes=(*notes, *_groups(by_key, self.the_game)))

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return a section: the largest change of a share of wins by each step, and a table with its other figures."""
        table = tables["weights"].assign(lineup="", variant="")
        steps = zip(table["key"], table["from"], table["to"], strict=True)
        table["step"] = [f"{name_of_key(self.the_game, key).label}: {old:g} to {new:g}" for key, old, new in steps]
        wins = pick(table, figure=WIN_SHARE.name)
        furthest = wins.loc[wins.groupby("step", sort=False)["value"].apply(lambda values: values.abs().idxmax())]
        furthest = furthest.assign(who=[_who(row) for row in furthest.itertuples(index=False)])
        numbers = key_numbers(furthest.head(3), CHANGES[0], "points of games won by {who}, {step}", is_change=True)
        steps = pd.concat([furthest, table[table["figure"] != WIN_SHARE.name]])
        return [section("weights", {"furthest": furthest, "steps": steps}, CHANGES, numbers=numbers)]


def _headline(table: pd.DataFrame, by_key: pd.DataFrame, game: Game) -> Iterator[str]:
    """Yield the number that moves the shares of wins most, its interval, and those that may move them as much."""
    heavy = by_key[by_key["status"] == HEAVY]
    if heavy.empty:
        yield "No number is known to move the shares of wins."
        return
    best = heavy.index[0]
    rows = pick(table, key=best, figure=WIN_SHARE.name)
    row = rows.loc[rows["value"].abs().idxmax()]
    more = "more" if row["value"] > 0 else "fewer"
    size = format_value(abs(row["value"]), WIN_SHARE, 1, bare=True)
    label = with_capital(name_of_key(game, str(best)).label)
    change = f"at {row['to']:g} instead of {row['from']:g} {_who(row)} wins {size} of 100 games {more}"
    yield f"{label} matters most: {change}."
    low, high = sorted((100 if row["value"] > 0 else -100) * row[side] for side in ("low", "high"))
    yield f"The interval is {low:.1f} to {high:.1f} games of 100."
    rivals = [str(key) for key in by_key.index[by_key["most"] >= heavy["least"].iloc[0]] if key != best]
    known_rivals = [name_of_key(game, key).label for key in rivals if key in heavy.index]
    unknown = len(rivals) - len(known_rivals)
    others = [pluralize(unknown, "other number")] if unknown else []
    if rivals:
        yield f"May matter as much: {listed([*known_rivals, *others])}."


def _who(row: Any) -> str:
    """Return the player whose share of wins a row is about: at a seat, or at a position of the line-up."""
    return seat_words(int(row.level), row.players) if row.by == "seat" else f"{row.by} {row.level}"


def _groups(by_key: pd.DataFrame, game: Game) -> Iterator[str]:
    """Yield a sentence for each group but HEAVY: its numbers, and unless REAL how large a change could be missed."""
    for status, numbers_of_group in by_key.groupby("status", sort=False):
        size = f"up to {100 * numbers_of_group['most'].max():.1f} points could be missed"
        words = {
            TIED: f"change something; a change of the shares of wins by {size}",
            REAL: "change something, and are known to move the shares of wins less",
            NOTHING: f"{NOTHING}; a change of {size}",
        }
        if status in words:
            keys = some_of([name_of_key(game, str(key)).label for key in numbers_of_group.index], FEW)
            yield f"{len(numbers_of_group)} of {len(by_key)} ({keys}) {words[status]}."


def table_of(study: Study, heats: Sequence[Sequence[Effect]], judged: Mapping[str, Judgement]) -> pd.DataFrame:
    """Return the table weights: each step as its last heat measured it, by group, largest change of a share first."""
    last = {(effect.step.key, effect.step.after): effect for heat in heats for effect in heat}.values()
    groups, furthest = (HEAVY, TIED, REAL, NOTHING), grouped((effect.step.key, effect.change.max()) for effect in last)
    keys = sorted(furthest, key=lambda key: (groups.index(judged[key].status), -max(furthest[key])))
    ordered = sorted(last, key=lambda effect: keys.index(effect.step.key))
    rows = [row for effect in ordered for row in _rows(study, effect, judged[effect.step.key])]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"from": float, "to": float})


def _rows(study: Study, effect: Effect, judged: Judgement) -> Iterator[tuple[Any, ...]]:
    cell, step, chunks = study.cells[0], effect.step, len(effect.differences)
    where = (cell.match.players, cell.match.variant.name, cell.lineup, step.key, step.before, step.after)
    n = effect.deals * cell.match.games_per_deal
    value = effect.differences.mean(axis=0)
    half_width = t_quantile(chunks - 1) * effect.differences.std(axis=0, ddof=1) / np.sqrt(chunks)
    low, high = value - half_width, value + half_width
    low[:-2], high[:-2] = np.maximum(low[:-2], -1), np.minimum(high[:-2], 1)  # differences of shares
    ends = list(zip(value, low, high, strict=True))
    by = "seat" if cell.selfplay else "position"
    judgement = (judged.status, judged.least, judged.most, *judged.places)
    for k in range(len(value) - 2):
        yield (*where, by, k, WIN_SHARE.name, *ends[k], n, effect.deals, effect.p[0], *judgement)
    yield (*where, "", 0, SEAT_GAP.name, *effect.gap, n, effect.deals, effect.p[0], *judgement)
    for k, figure in ((-2, SCORE), (-1, DECISIONS)):
        yield (*where, "", 0, figure.name, *ends[k], n, effect.deals, effect.p[k], *judgement)


@dataclass(frozen=True)
class NumberStep:
    """A number moved one step: its key, its value before and after, and the box with the new value."""

    key: str
    before: float
    after: float
    variant: Variant


def steps(game: Game, variant: Variant) -> Iterator[NumberStep]:
    """Yield every number moved one step up and one down, unless the game refuses or ignores the new value.

    A step is a tenth of the number; for a whole number it is rounded, and at least 1.
    """
    for key, value in numbers(game, variant):
        step = value / 10 if isinstance(value, float) else max(1, round(abs(value) / 10))
        for after in (value + step, value - step):
            with suppress(InputError):  # a value that the game does not allow
                changed = with_values(game, variant, {key: after})
                if changed.components != variant.components:  # else the number is derived from others
                    yield NumberStep(key, value, after, changed)


@dataclass(frozen=True)
class Effect:
    """The effect of a step."""

    step: NumberStep
    differences: Array  # variant minus base by chunk: every share of wins, mean score, length; float64[C, P + 2]
    gap: tuple[float, float, float]  # difference of the gap between seats: value, low, high
    p: tuple[float, ...]  # p-values of the shares together, the score and the length
    deals: int

    @property
    def change(self) -> Array:
        """Absolute change of every share of wins, float64[P]."""
        return np.asarray(np.abs(self.differences[:, :-2].mean(axis=0)))

    @property
    def size(self) -> float:
        """Squared distance that the shares of wins move, minus its error squared: an estimate without bias."""
        shares = self.differences[:, :-2]
        return float((shares.mean(axis=0) ** 2 - shares.var(axis=0, ddof=1) / len(shares)).sum())

    def bounds(self, figures: int) -> tuple[float, float]:
        """Return the bounds of the largest change of a share, which hold for `figures` changes at once (Bonferroni).

        The upper bound is at least the share of deals that may differ even if none of the deals played does.
        """
        shares = self.differences[:, :-2]
        half = t_quantile(len(shares) - 1, figures) * shares.std(axis=0, ddof=1) / np.sqrt(len(shares))
        unseen = np.log(2 * figures / (1 - LEVEL)) / self.deals
        most = max(float((self.change + half).max()), unseen)
        return float(np.maximum(self.change - half, 0).max()), min(most, 1.0)


@dataclass(frozen=True)
class Judgement:
    """The judgement on a number after all heats."""

    # HEAVY: known to move the shares of wins in the last heat. TIED: known to change something, and may move the shares
    # as much as the lightest heavy number. REAL: known to change something, but to move them less. NOTHING: the rest.
    status: str
    least: float  # bounds of the largest change of a share, valid for all numbers at once
    most: float
    places: tuple[int, int]  # best and worst rank, from 1, that these bounds allow among all numbers


Measure = Callable[[Sequence[NumberStep], int, int], list[Effect]]  # function(steps, deals, number of the heat)


def race(steps: Sequence[NumberStep], measure: Measure, deals: int) -> list[list[Effect]]:
    """Return the effects in each heat: of all steps, then of at most 40 numbers, and of at most 10 on `deals` deals."""
    heats = [corrected(measure(steps, deals // FIRST, 0))]
    for number, (size, own_deals) in enumerate(((MIDDLE, deals // SECOND), (MOST, deals)), 1):
        if chosen := _furthest(heats, size):
            heats.append(corrected(measure([step for step in steps if step.key in chosen], own_deals, number)))
    return heats


def seed_of(seed: int, heat: int) -> int:
    """Return the seed of a heat: the run's own for heat 0, then one-way hashes, so that no two seeds share deals.

    >>> seed_of(7, 0), seed_of(7, 1) < 2**53
    (7, True)
    """
    digest = hashlib.sha256(f"weights {seed} {heat}".encode()).digest()
    return int.from_bytes(digest[:8]) >> 11 if heat else seed


def _furthest(heats: Sequence[Sequence[Effect]], size: int) -> set[str]:
    """Return up to `size` keys of the last heat: of numbers known to change something, then those of largest size."""
    changing = _changing(heats)
    sizes = grouped((effect.step.key, effect.size) for effect in heats[-1] if effect.differences.any())
    return set(sorted(sizes, key=lambda key: (key not in changing, -max(sizes[key])))[:size])


def corrected(heat: Sequence[Effect]) -> list[Effect]:
    """Return the effects of a heat with p-values corrected for all of them."""
    p_values = holm(np.array([effect.p for effect in heat]).reshape(-1, 3))
    return [replace(effect, p=tuple(p)) for effect, p in zip(heat, p_values, strict=True)]


def _changing(heats: Sequence[Sequence[Effect]]) -> set[str]:
    return {effect.step.key for heat in heats for effect in heat if any(p < KNOWN / len(heats) for p in effect.p)}


def judge(heats: Sequence[Sequence[Effect]]) -> dict[str, Judgement]:
    """Return the judgement on each number, by key; the first heat has all numbers."""
    least: dict[str, float] = {}
    most: dict[str, float] = {}
    for heat in heats:
        figures = len(heats) * sum(effect.differences.shape[1] - 2 for effect in heat)
        for key, bounds in grouped((effect.step.key, effect.bounds(figures)) for effect in heat).items():
            lows, highs = zip(*bounds, strict=True)
            least[key] = max(least.get(key, 0.0), *lows)
            most[key] = min(most.get(key, np.inf), max(highs))
    changing = _changing(heats)
    heavy = {effect.step.key for effect in heats[-1] if effect.p[0] < KNOWN / len(heats)}
    lightest = min((least[key] for key in heavy), default=0.0)
    judged = {}
    for key in least:
        status = NOTHING if key not in changing else REAL if most[key] < lightest else TIED
        first = 1 + sum(bound > most[key] for bound in least.values())
        places = first, sum(bound >= least[key] for bound in most.values())
        judged[key] = Judgement(HEAVY if key in heavy else status, least[key], most[key], places)
    return judged


def effect_of(step: NumberStep, base: Array, moved: Array, deals: int) -> Effect:
    """Return the effect of a step, from the figures by chunk (`by_chunk`) of the box and of the box with the step."""
    differences = moved - base
    gaps = []
    for side in (moved, base):
        without = (side[:, :-2].sum(axis=0) - side[:, :-2]) / (len(side) - 1)
        gaps.append((np.ptp(side[:, :-2].mean(axis=0)), np.ptp(without, axis=1)))
    half_width = t_quantile(len(base) - 1) * float(jackknife(gaps[0][1] - gaps[1][1]))
    gap = float(gaps[0][0] - gaps[1][0])
    # Shares sum to 1, so the last one is left out.
    p = (hotelling(differences[:, :-3]), _t_test(differences[:, -2]), _t_test(differences[:, -1]))
    return Effect(step, differences, (gap, max(gap - half_width, -1.0), min(gap + half_width, 1.0)), p, deals)


def by_chunk(study: Study, outcome: Array) -> Array:
    """Return shares of wins (by seat in self-play, else by position), mean score and length by chunk, [C, P + 2]."""
    (players,), axis = study.players, 1 if len(study.lineups[0]) == 1 else 2
    wins, scores = (outcome[name].sum(axis=axis)[:, :players] for name in ("wins", "scores"))
    games = outcome["games"][:, None]
    means = scores.sum(axis=1, keepdims=True) / players / games, outcome["decisions"][:, None] / games
    return np.concatenate([wins / WIN_UNITS / games, *means], axis=1)


def hotelling(differences: Array) -> float:
    """Return the p-value of "all means are 0" (Hotelling 1931); 1 if the covariance of the columns is singular."""
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
