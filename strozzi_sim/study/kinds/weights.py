"""weights: which numbers of the box matter? Each is moved a step up and a step down, in a race of up to three heats.

These are the elementary effects of Morris (1991) at one point, the box itself: a designer wants the effects of changes
of this box, so no other boxes are sampled. First the box itself plays. The first heat then moves every number, each
later one fewer on more and new deals: those known to change something, then those that moved the shares of wins
furthest. Changes are measured beside the pooled box (`study.screen`). A heat tests the shares of wins together
(Hotelling 1931), the mean score and the length, corrected for all (Holm 1979): at most one run in a thousand reports an
effect of a number that has none.

A number matters by the largest change of a share of wins that its steps make. Bounds hold for all numbers of a heat at
once (Bonferroni, 95 % over all heats): a number matters less only if its upper bound is below another's lower bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Unpack

import numpy as np
import pandas as pd

from strozzi_sim.agent import names
from strozzi_sim.agent.names import Agents
from strozzi_sim.declare.figure_tables import FIGURE, Tables, pick
from strozzi_sim.declare.pictures import HeatMap
from strozzi_sim.declare.printing import format_value
from strozzi_sim.declare.significance import ALPHA
from strozzi_sim.errors import ArgumentError, check_whole, pluralize
from strozzi_sim.facts.figures import DECISIONS, SCORE, WIN_SHARE
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.component_names import name_of_key
from strozzi_sim.game.sentences import listed, seat_words, some_of, with_capital
from strozzi_sim.game.variants import AnyVariant, Variant
from strozzi_sim.stats.intervals import LEVEL, Array, t_quantile
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study.arguments import WHO_PLAYS, StudyOptions, documented
from strozzi_sim.study.box_numbers import tunable_numbers
from strozzi_sim.study.cells import SEAT_GAP
from strozzi_sim.study.files import HEATS
from strozzi_sim.study.look import Look, Section, key_numbers, section
from strozzi_sim.study.model import MOST_DEALS
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import PlayHeat, play
from strozzi_sim.study.screen import Change, Screen, changed_box, moved
from strozzi_sim.study.searching import Heats, SearchStudy
from strozzi_sim.study.targets import Measured
from strozzi_sim.study.verdict import Verdict, games_at_most
from strozzi_sim.study.wording import grouped

CHUNKS = 50
FREE = CHUNKS - 2  # degrees of freedom: means of chunks and a coefficient are fitted
ALONE = 4  # times the deals that the box itself plays first
FIRST, SECOND = 20, 5  # the first two heats play 1/20 and 1/5 of the deals
MIDDLE, MOST = 40, 10  # most numbers in the second heat and in the last one
KNOWN = 0.001  # largest share of runs that report an effect of a number that has none
HEAVY, REAL, NOTHING = "among those that matter most", "matters less", "cannot be told from zero"
TIED = "may matter as much"
CHANGES = tuple(figure.difference() for figure in (WIN_SHARE, SEAT_GAP, SCORE, DECISIONS))  # of these figures
FEW = 5  # most names in a line
KEYS = ("players", "variant", "lineup", "key", "from", "to", "by", "level")
COLUMNS = [*KEYS, *FIGURE, "p", "status", "least", "most", "place_low", "place_high"]


@documented(
    asks="Which numbers matter?",
    about="Every number of the box moves a step up and a step down: which move the shares of wins?",
    front={**WHO_PLAYS, "keys": "Only numbers like"},
    quick={"deals": 30_000},
    tables=("weights",),
)
def weights(
    game: str | Game,
    *,
    players: int | str | None = None,
    agents: Agents = (),
    variant: AnyVariant = "base",
    keys: str = "*",
    **options: Unpack[StudyOptions],
) -> Results:
    """Move every number of the components one step up and down, and measure the effects.

    The box itself first plays four times the deals. All numbers then play a twentieth of the deals, the same ones, up
    to forty that seem to matter most a fifth, and up to ten that still do all of them, each time on new deals.

    Example: strozzi weights strozzi --players 4

    Args:
        players: number of players; default: 4, or the fewest of the game
        agents: one line-up, separated by commas; default: the game's default agent, which plays itself
        deals: deals of the last ten numbers; all numbers play a twentieth of them, and forty a fifth; default: 150,000
        variant: a variant of the components, from which the steps are made
        keys: only numbers whose key matches one of these patterns, separated by commas, such as 'tracks.*'

    >>> import strozzi_sim as ss
    >>> results = ss.weights("strozzi", players=3, agents=["random"], deals=2000, keys="coins.*")
    >>> set(results.tables["weights"]["status"])
    {'cannot be told from zero'}
    """
    the_game = find_game(game)
    counts = (names.one_count(the_game, players),)
    return play(
        Weights,
        options,
        game=the_game,
        players=counts,
        lineups=names.lineups_of(the_game, agents, counts),
        variants=names.variants_named(the_game, variant),
        keys=keys,
    )


@dataclass(frozen=True, kw_only=True)
class Weights(SearchStudy):
    """A race of the steps of one variant's numbers, at one player count with one line-up."""

    kind = "weights"
    keys: str = "*"
    usual_deals, printed = 150_000, ("weights",)
    measured = CHANGES

    @property
    def summary(self) -> str:
        """The study in one line."""
        (lineup,), (players,) = self.lineups, self.players
        numbers_of_keys = "all numbers" if self.keys == "*" else f"numbers like {self.keys}"
        what = f"{self.the_game.title}, {players} players: {','.join(lineup)}; {numbers_of_keys}"
        return f"{what}, a step up and down; at most {self.deals:,} deals each"

    def check(self) -> None:
        """Check the options, deals, players, line-up and keys."""
        super().check()
        for argument, values in (("players", self.players), ("lineups", self.lineups)):
            if len(values) > 1:
                raise ArgumentError(argument, f"a study of weights has one, got {len(values)}")
        if not self.keys.strip():
            raise ArgumentError("keys", "is empty; leave it out")
        check_whole("deals", self.deals, FIRST * CHUNKS, MOST_DEALS // ALONE)
        tunable_numbers(self.the_game, self.box, self.keys, reach=1)

    def search(self, play_heat: PlayHeat) -> dict[str, Any]:
        """Return the tables of a race: steps and their judgements, and heats."""
        moved_once = [*steps(self.the_game, self.box, self.keys)]
        if not moved_once:
            raise ArgumentError("keys", f"no number like {self.keys!r} can be moved")
        (lineup,), (players,) = self.lineups, self.players
        side = "seat" if len(lineup) == 1 else "position"
        of_shares = [Measured(players, lineup, side, WIN_SHARE.name, level) for level in range(players)]
        of_means = [Measured(players, lineup, "balance", figure.name) for figure in (SCORE, DECISIONS)]
        heats = Heats(self, play_heat, [*of_shares, *of_means])
        effects = race(moved_once, Screen(self.box, heats.play, groups_of(players)), self.deals)
        return {"weights": table_of(self, effects, judge(effects)), HEATS: heats.table}

    def verdict(self, tables: Tables, look: Look) -> Verdict:
        """Return how far any number moves a player's wins at most, what is found of them, and notes on each group."""
        by_key = tables["weights"].drop_duplicates("key").set_index("key")
        answer, change, *notes = _headline(tables["weights"], by_key, self.the_game)
        return Verdict(answer, change, (*notes, *_groups(by_key, self.the_game)))

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the steps that were measured longest, their largest changes and those of every seat; and all steps."""
        table = tables["weights"].assign(lineup="", variant="")
        moves = zip(table["key"], table["from"], table["to"], strict=True)
        table["step"] = [f"{name_of_key(self.the_game, key).label}: {old:g} to {new:g}" for key, old, new in moves]
        wins = pick(table, figure=WIN_SHARE.name)
        wins = wins.assign(who=[_who(row) for row in wins.itertuples(index=False)])
        furthest = wins.loc[wins.groupby("step", sort=False)["value"].apply(lambda values: values.abs().idxmax())]
        furthest = furthest.sort_values(["deals", "value"], key=abs, ascending=False, kind="stable")
        named = furthest.assign(step=furthest["step"] + ", " + furthest["who"])
        longest = wins[wins["deals"] == table["deals"].max()]
        is_known = (longest["p"] < ALPHA) & ((longest["low"] > 0) | (longest["high"] < 0))
        seats = longest.assign(row=longest["step"], column=longest["who"], marked=False)
        shown = {
            "furthest": named[named["deals"] == table["deals"].max()],
            "seats": seats.assign(shade=seats["value"].where(is_known)),
            "steps": pd.concat([furthest, table[table["figure"] != WIN_SHARE.name]]),
        }
        numbers = key_numbers(furthest.head(3), CHANGES[0], "points of games won by {who}, {step}", is_change=True)
        of_steps = section("weights", shown, CHANGES, numbers=numbers)
        heat = HeatMap(
            "What each step does to each share of wins",
            "The steps of the numbers that were measured longest.",
            "step",
            "player",
            CHANGES[0],
            shade_label="where it is known, corrected for all steps",
            table="seats",
        )
        return [replace(of_steps, shown=(*of_steps.shown, heat))]


def _headline(table: pd.DataFrame, by_key: pd.DataFrame, game: Game) -> Iterator[str]:
    """Yield how far a step of any number moves a player's wins at most, the number that is found to do most; notes."""
    heavy = by_key[by_key["status"] == HEAVY]
    bound = f"one step of any number moves a player by {games_at_most(by_key['most'].max())}"
    if heavy.empty:
        yield from (f"No number is found to move who wins: {bound}.", "")
        return
    best = heavy.index[0]
    rows = pick(table, key=best, figure=WIN_SHARE.name)
    row = rows.loc[rows["value"].abs().idxmax()]
    is_more = row["value"] > 0
    size = format_value(abs(row["value"]), WIN_SHARE, 1, bare=True)
    low, high = sorted(100 * row[side] * (1 if is_more else -1) for side in ("low", "high"))
    wins = f"{_who(row)} wins {size} of 100 games {'more' if is_more else 'fewer'} ({low:.1f} to {high:.1f})"
    label = name_of_key(game, str(best)).label
    rivals = [str(key) for key in by_key.index[by_key["most"] >= heavy["least"].iloc[0]] if key != best]
    alike = [name_of_key(game, key).label for key in rivals if key in heavy.index]
    clauses = [f"{len(alike)} others do about as much"] if alike else []
    if unknown := len(rivals) - len(alike):
        clauses.append(f"{unknown} of {len(by_key)} may")
    as_much = f" {with_capital(', '.join(clauses))}." if clauses else ""
    yield f"{with_capital(bound)}."
    yield f"Largest found: {label}; at {row['to']:g} instead of {row['from']:g} {wins}.{as_much}"
    if alike:
        yield f"The {pluralize(len(alike), 'other')}: {listed(alike)}."


def _who(row: Any) -> str:
    """Return the player whose share of wins a row is about: at a seat, or at a position of the line-up."""
    return seat_words(int(row.level), row.players) if row.by == "seat" else f"{row.by} {row.level}"


def _groups(by_key: pd.DataFrame, game: Game) -> Iterator[str]:
    """Yield a sentence for each group but HEAVY: its numbers, and unless REAL how large a change could be missed."""
    for status, numbers_of_group in by_key.groupby("status", sort=False):
        size = f"up to {100 * numbers_of_group['most'].max():.1f} games of 100"
        words = {
            TIED: f"change something, and may change who wins by {size}",
            REAL: "change something, but who wins less than those found do",
            NOTHING: f"are not known to change anything; {size} could be missed",
        }
        if status in words:
            keys = some_of([name_of_key(game, str(key)).label for key in numbers_of_group.index], FEW)
            yield f"{len(numbers_of_group)} of {len(by_key)} {words[status]}: {keys}."


def table_of(study: Weights, heats: Sequence[Sequence[Effect]], judged: Mapping[str, Judgement]) -> pd.DataFrame:
    """Return the table weights: each step as its last heat measured it, by group, largest change of a share first."""
    last = {(effect.step.key, effect.step.after): effect for heat in heats for effect in heat}.values()
    groups, furthest = (HEAVY, TIED, REAL, NOTHING), grouped((effect.step.key, effect.change.max()) for effect in last)
    keys = sorted(furthest, key=lambda key: (groups.index(judged[key].status), -max(furthest[key])))
    ordered = sorted(last, key=lambda effect: keys.index(effect.step.key))
    rows = [row for effect in ordered for row in _rows(study, effect, judged[effect.step.key])]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"from": float, "to": float})


def _rows(study: Weights, effect: Effect, judged: Judgement) -> Iterator[tuple[Any, ...]]:
    (cell,), step = study.cells, effect.step
    where = (cell.match.players, cell.match.variant.name, cell.lineup, step.key, step.before, step.after)
    n = effect.deals * cell.match.games_per_deal
    half_width = t_quantile(FREE) * effect.error
    low, high = effect.value - half_width, effect.value + half_width
    low[:-2], high[:-2] = np.maximum(low[:-2], -1), np.minimum(high[:-2], 1)  # differences of shares
    ends = list(zip(effect.value, low, high, strict=True))
    by = "seat" if cell.selfplay else "position"
    judgement = (judged.status, judged.least, judged.most, *judged.places)
    for k in range(len(ends) - 2):
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


def steps(game: Game, variant: Variant, keys: str = "*") -> Iterator[NumberStep]:
    """Yield every number moved one printable step up and one down, unless the game refuses or ignores the new value."""
    for number in tunable_numbers(game, variant, keys, reach=1):
        for after, changed in moved(number, (1,), partial(_changed, game, variant, number.key)):
            yield NumberStep(number.key, number.value, after, changed)


def _changed(game: Game, variant: Variant, key: str, value: float) -> Variant | None:
    return changed_box(game, variant, {key: value})


@dataclass(frozen=True)
class Effect:
    """The effect of a step."""

    step: NumberStep
    value: Array  # changes of every share of wins, mean score, length; float64[P + 2]
    error: Array  # their standard errors, float64[P + 2]
    gap: tuple[float, float, float]  # change of the gap between seats: value, low, high
    p: tuple[float, ...]  # p-values of the shares together, the score and the length
    deals: int

    @property
    def change(self) -> Array:
        """Absolute change of every share of wins, float64[P]."""
        return np.asarray(np.abs(self.value[:-2]))

    @property
    def size(self) -> float:
        """Squared distance that the shares of wins move, minus its error squared, by which squares are too large."""
        return float((self.value[:-2] ** 2 - self.error[:-2] ** 2).sum())

    def bounds(self, figures: int) -> tuple[float, float]:
        """Return the bounds of the largest change of a share, which hold for `figures` changes at once (Bonferroni).

        The upper bound is at least the share of deals that may differ even if none of the deals played does.
        """
        half = t_quantile(FREE, figures) * self.error[:-2]
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


def race(steps: Sequence[NumberStep], screen: Screen, deals: int) -> list[list[Effect]]:
    """Return the effects in each heat: of all steps, then of at most 40 numbers, and of at most 10 on `deals` deals."""
    screen.play([screen.box], ALONE * deals, CHUNKS)
    heats = [_heat(steps, screen, deals // FIRST)]
    for size, own_deals in ((MIDDLE, deals // SECOND), (MOST, deals)):
        if chosen := _furthest(heats, size):
            heats.append(_heat([step for step in steps if step.key in chosen], screen, own_deals))
    return heats


def _heat(steps: Sequence[NumberStep], screen: Screen, deals: int) -> list[Effect]:
    """Return the effects of steps on new deals, with p-values corrected for all of them."""
    changes = screen.measure([step.variant for step in steps], deals, CHUNKS)
    return corrected([effect_of(step, change, screen) for step, change in zip(steps, changes, strict=True)])


def _furthest(heats: Sequence[Sequence[Effect]], size: int) -> set[str]:
    """Return up to `size` keys of the last heat: of numbers known to change something, then those of largest size."""
    changing = _changing(heats)
    sizes = grouped((effect.step.key, effect.size) for effect in heats[-1] if effect.value.any())
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
        figures = len(heats) * sum(len(effect.change) for effect in heat)
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


def groups_of(players: int) -> list[int]:
    """Return the groups of the columns of a race: the shares of wins have one coefficient, so that they sum to 1."""
    return [0] * players + [1, 2]


def effect_of(step: NumberStep, change: Change, screen: Screen) -> Effect:
    """Return the effect of a step, from its change of every share of wins, mean score and length."""
    own = change.covariance
    own[:-2, :-2] += _unlikely(change, screen)
    covariance = own + np.multiply.outer(1 - change.joint, 1 - change.joint) * screen.covariance
    error = np.sqrt(np.diag(covariance))
    # Shares sum to 1, so the last one is left out.
    p_of_shares = hotelling(change.value[:-3], covariance[:-3, :-3])
    p_of_means = [_t_test(float(change.value[k]), float(error[k])) for k in (-2, -1)]
    gap = _gap(change, own[:-2, :-2], screen)
    return Effect(step, change.value, error, gap, (p_of_shares, *p_of_means), change.deals)


def _unlikely(change: Change, screen: Screen) -> Array:
    """Return what the covariance of the shares of wins lacks to that of the box on as many deals, float64[P, P].

    A seat that wins too seldom by chance seems to be known too well. That matters as far as a share is compared with
    the pooled box, and not with the same deals.
    """
    joint = change.joint[0]
    box = screen.covariance[:-2, :-2] * screen.deals / change.deals
    sizes, directions = np.linalg.eigh((1 - joint**2) * box - change.covariance[:-2, :-2])
    return np.asarray((1 - joint) * (directions * np.maximum(sizes, 0)) @ directions.T)


def _gap(change: Change, own: Array, screen: Screen) -> tuple[float, float, float]:
    """Return the change of the gap between seats, low and high; `own` is the covariance of the shares' series."""
    known = screen.figures[:-2]
    shares = known + change.value[:-2]
    apart, before = (np.eye(len(each))[each.argmax()] - np.eye(len(each))[each.argmin()] for each in (shares, known))
    of_known = change.joint[0] * apart - before
    variance = apart @ own @ apart + of_known @ screen.covariance[:-2, :-2] @ of_known
    gap = float(apart @ shares - before @ known)
    half_width = float(t_quantile(FREE) * np.sqrt(variance))
    return gap, max(gap - half_width, -1.0), min(gap + half_width, 1.0)


def hotelling(value: Array, covariance: Array) -> float:
    """Return the p-value of "all are 0" (Hotelling 1931), from means and their covariance; 1 if that is singular."""
    from scipy.special import fdtrc

    figures = len(value)
    if not covariance.any() or np.linalg.matrix_rank(covariance, hermitian=True) < figures:
        return 1.0
    t2 = float(value @ np.linalg.solve(covariance, value))
    return float(fdtrc(figures, FREE + 1 - figures, t2 * (FREE + 1 - figures) / (figures * FREE)))


def _t_test(value: float, error: float) -> float:
    from scipy.special import stdtr

    if error == 0:
        return float(value == 0)
    return float(2 * stdtr(FREE, -abs(value) / error))
