"""our-table: which strength of play gives scores like those on the sheets of real games?

The scores of a game depend on each other, so the game is the unit. How strong players are follows from two of its
figures: the mean score, and the distance from the highest score to the lowest. Their means over the sheets are nearly
normal around those of simulated games. Sheets are like a strength only if both figures, and how far the mean scores of
games spread, fit it. Players who are not equally strong have scores further apart, or lead at seats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import NormalDist
from typing import Any, Unpack

import numpy as np
import pandas as pd

from strozzi_sim.agent import AgentSpec, load_agent, names
from strozzi_sim.declare.figure_tables import Tables, pick
from strozzi_sim.errors import ArgumentError, as_argument_error, check_whole
from strozzi_sim.facts.figures import SCORE, Figure
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.sentences import listed, seat_words, with_capital
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.stats.intervals import Array
from strozzi_sim.study.arguments import StudyOptions, documented
from strozzi_sim.study.cells import CountsOf
from strozzi_sim.study.look import Look, Section, key_numbers, section
from strozzi_sim.study.model import MOST_DEALS, Study
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import play
from strozzi_sim.study.score_sheets import read_sheets
from strozzi_sim.study.sheet_figures import STEP, Strength, capped, figures_of, misfit, scale_of
from strozzi_sim.study.verdict import Verdict, score_unit, with_unit
from strozzi_sim.study.wording import players_words

OF_LEVELS, OF_TIERS = 2_000, 5_000  # usual deals of each level, which take half a minute on two cores, and of each tier
EXPECTED = (40, 200)  # numbers of games for which a study says how well they tell a level
DISTANCE = Figure("distance_mean", "mean distance from the highest score to the lowest", "amount")
SPREAD = Figure("mean_spread", "spread of the games' mean scores", "amount", "standard deviation over games")
LEAD = Figure("lead_mean", "lead of a seat", "amount", "mean of the score at the seat less the mean score of its game")
LEVEL = Figure("level", "level of play", "number", "level of the player whose games have such scores", lowest=0.0)
OF_LEVEL = Figure("level_expected", "level of play", "number", "interval that is expected of n games at this level")
ERRORS = "What a level loses a decision is expected lead, in games among its like, as the trained player judges it."
OF_GAMES = (SCORE, DISTANCE, SPREAD)  # the first figures of `GameFigures`; the leads of the seats follow
# of a figure, on one axis with the others
_SIDES = [
    Figure(name, "", "amount", f"what the line names, in {games}")
    for name, games in {"ours": "the games of the sheets", "simulated": "simulated games among equal players"}.items()
]
_SIDE = 0.025  # probability that twice the log likelihood of a strength is too far below the best by chance, each way
_LEADS, _FIGURE = 0.025, 0.01  # probability that of equal players any lead, or another figure, is outside its band
MOST_EXCESS = NormalDist().inv_cdf(1 - _SIDE) ** 2  # of the misfit of a strength that is not excluded


@documented(
    asks="Is this our table?",
    about="Which strength of play gives scores like those of your games?",
    front={"file": "Final scores, a line a game, in the order of the seats"},
    quick={"deals": 500},
)
def our_table(
    game: str | Game,
    file: str | Path,
    *,
    variant: AnyVariant = "base",
    **options: Unpack[StudyOptions],
) -> Results:
    """Find the strength of play that fits score sheets of real games, and whether all players are equally strong.

    Of a game whose trained player has levels, all levels and the tiers that do not search are fitted; of another one,
    all tiers.

    Example: strozzi our-table strozzi sheets.csv

    Args:
        file: score sheets (CSV): one line per game, 20 to 10,000 games, with the final scores in the order of the
            seats, under any names or none; columns `seat 0`, `seat 1`, .. may be in any order, among others; empty for
            seats not played
        deals: games simulated at each strength and player count; default: 2,000 at each level, half a minute on two
            cores; without levels 5,000 at each tier, fewer of agents that search
        variant: the variant that was played
    """
    the_game = find_game(game)
    sheets = as_argument_error("file", read_sheets, names.path_of("file", file), the_game)
    if (deals := options.pop("deals", None)) is None:
        deals = OF_LEVELS if levels_of(the_game) else OF_TIERS
    return play(
        OurTable,
        options,
        game=the_game,
        players=tuple(sheets),
        seatings="one",
        variants=names.variants_named(the_game, variant),
        lineups=[[text] for text in _compared(the_game)],
        deals=deals,
        search_deals=the_game.search_deals(deals),
        sheets={str(players): scores.tolist() for players, scores in sheets.items()},
    )


def levels_of(game: Game) -> list[AgentSpec]:
    """Return the levels of the first agent among the tiers that declares levels, from the lowest up, else []."""
    for text in game.tiers.values():
        spec = load_agent(text, game)
        if rates := spec.agent.error_rates:
            return [load_agent(spec.source, game)(level=level) for level in range(len(next(iter(rates.values()))))]
    return []


def _compared(game: Game) -> list[str]:
    """Return the agents whose games are compared with sheets: all levels, then the tiers that are none of them."""
    tiers = [load_agent(text, game) for text in game.tiers.values() or [game.default_agent]]
    levels = [spec.text for spec in levels_of(game)]
    return [*levels, *(spec.text for spec in tiers if not levels or not (spec.searches or spec.text in levels))]


@dataclass(frozen=True, kw_only=True)
class OurTable(Study):
    """Score sheets of real games, and simulated games of the agent of each strength."""

    kind = "our_table"
    sheets: dict[str, tuple[tuple[int, ...], ...]]  # scores of real games in seat order, by player count
    usual_deals, keeps_rows = OF_TIERS, True
    printed = ("fit", "bands")
    measured = (LEVEL, OF_LEVEL, *OF_GAMES, LEAD)

    def check(self) -> None:
        check_whole("deals", self.deals, 2, MOST_DEALS)
        counts = {str(players): {players} for players in self.players}
        if {players: set(map(len, scores)) for players, scores in self.sheets.items()} != counts or any(
            len(lineup) > 1 for lineup in self.lineups
        ):
            raise ArgumentError("sheets", "expected scores of every player count, and agents that play themselves")

    @property
    def levels(self) -> list[AgentSpec]:
        """The levels of the graded player if the first line-ups are all of them, else []."""
        levels = levels_of(self.the_game)
        return levels if self.lineups[: len(levels)] == tuple((spec.text,) for spec in levels) else []

    @property
    def tiers(self) -> list[str]:
        """The agents that are compared beside the levels."""
        return [agent for (agent,) in self.lineups[len(self.levels) :]]

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return fit (of every strength), bands (of figures of the sheets), and of a scale of levels level."""
        sheets = {int(players): np.array(scores, np.int64) for players, scores in self.sheets.items()}
        simulated: dict[str, dict[int, Array]] = {}
        for cell in map(counts, self.cells):
            rows = np.sort(np.concatenate(list(cell.read_rows())), order=("deal", "seat"))
            scores = rows["score"].astype(np.int64).reshape(-1, cell.players)
            simulated.setdefault(cell.lineup, {})[cell.players] = scores
        ours = figures_of(capped(sheets, list(simulated.values())))
        played = [figures_of(scores) for scores in simulated.values()]
        levels = len(self.levels)
        of_levels = scale_of(played[:levels]) if levels else []
        scale = [*of_levels, *played[levels:]]
        misfits = np.array([misfit(ours, strength) for strength in scale])
        figures = bands(ours, scale[int(misfits.argmin())])
        fit = pd.DataFrame(self._strengths(list(simulated)))
        fit["excess"] = [misfit(ours, strength) - misfits.min() for strength in played]
        fit["inside"] = ((fit["excess"] <= MOST_EXCESS) & (not is_unlike(figures))).astype(np.int64)
        fit["n"] = sum(own.games for own in ours.values())
        fit["simulated"] = [sum(each.games for each in strength.values()) for strength in played]
        tables = {"fit": fit, "bands": figures}
        if not levels:
            return tables
        level = level_table(ours, of_levels, misfits[: len(of_levels)])
        if is_unlike(figures) or int(misfits.argmin()) >= len(of_levels):
            level[["low", "high"]] = np.nan
        return {**tables, "level": level}

    def _strengths(self, agents: Sequence[str]) -> list[dict[str, Any]]:
        """Return of each agent its strength, its spec string, and the points that it loses per decision (or NaN)."""
        names = {load_agent(text, self.the_game).text: tier for tier, text in self.the_game.tiers.items()}
        of_tiers = [{"strength": names.get(text, text), "agent": text, "error_rate": np.nan} for text in self.tiers]
        if not self.levels:
            return of_tiers
        games = [len(self.sheets[str(players)]) for players in self.players]
        unknown = [np.nan] * len(self.levels)
        by_count = [self.levels[0].agent.error_rates.get(players, unknown) for players in self.players]
        rates = enumerate(np.average(by_count, axis=0, weights=games))
        of_levels = [{"strength": f"level {k}", "agent": agents[k], "error_rate": rate} for k, rate in rates]
        return [*of_levels, *of_tiers]

    @property
    def cast(self) -> str:
        """Who plays, as text: players of all levels, or the agents of the line-ups."""
        if not self.levels:
            return super().cast
        others = f" and by {players_words(self.the_game, *self.tiers)}" if self.tiers else ""
        return f"played by trained players of levels 0 to {len(self.levels) - 1}{others}"

    def verdict(self, tables: Tables, look: Look) -> Verdict:
        """Return the strength that fits best or why none does, then how sure that is."""
        fit, figures = tables["fit"], tables["bands"]
        leader = self._leader(figures)
        if is_unlike(figures):
            why, *others = self._outside(figures)
            like_none = f"are unlike those of {self._players()}: {why}."
            answers = [f"Your games {like_none}", leader]
            is_lead = figures["figure"] == LEAD.name
            far = excess(figures).where(~_is_far_apart(figures), 0)
            if leader and far[is_lead].max() > far[~is_lead].max():
                answers = [leader, f"Together they {like_none}"]
            notes = [f"The nearest are {self._nearest(tables)}.", *(f"{with_capital(other)}." for other in others)]
            if _is_far_apart(figures).any():
                notes.append("Players who are not equally strong, or play in another style, are further apart.")
            return Verdict(answers[0], notes=tuple(filter(None, [*answers[1:], *notes])))
        games = f"{fit['n'].iloc[0]:,} games"
        is_level = "level" in tables and not self._best_tier(fit)
        is_alone = is_level or ("level" in tables and fit["inside"].sum() == 1)
        look_like = f"look {'' if is_alone else 'most ' * (len(fit) > 1)}like {self._like(tables)}."
        if leader:
            return Verdict(leader, notes=(f"Together they {look_like}",))
        answer = f"Your games {look_like}"
        if not is_level:
            return Verdict(answer, notes=(self._excluded(fit, games),))
        own, *expected = tables["level"].itertuples(index=False)
        powers = [
            f"{each.n} games tell it to \N{PLUS-MINUS SIGN} {(each.high - each.low) / 2:.1f}" for each in expected
        ]
        sure = f"With 95 % certainty it is level {own.low:.1f} to {own.high:.1f}, from {games}."
        equal = "No seat leads more than among equally strong players."
        possible = [text for text in pick(fit, inside=1)["agent"] if text in self.tiers]
        also = [f"They may be {players_words(self.the_game, *possible)} too."] if possible else []
        return Verdict(answer, notes=(equal, sure, *also, f"At this level {listed(powers)}."))

    def _players(self) -> str:
        """Return all players that are compared as text: "weak, usual and trained players"."""
        compared = [agent for (agent,) in self.lineups]
        tiers = [text for text in self.the_game.tiers.values() if load_agent(text, self.the_game).text in compared]
        return players_words(self.the_game, *(tiers or compared))

    def _best_tier(self, fit: pd.DataFrame) -> str:
        """Return the agent beside the levels that fits best; "" if a level does."""
        tiers = fit[fit["agent"].isin(self.tiers)]
        return str(tiers.loc[tiers["excess"].idxmin(), "agent"]) if (tiers["excess"] == 0).any() else ""

    def _nearest(self, tables: Tables) -> str:
        """Return the players that fit best as text: a level, or an agent."""
        fit = tables["fit"]
        if "level" in tables and not self._best_tier(fit):
            return f"trained players of level {round(tables['level']['value'].iloc[0])} of {len(self.levels) - 1}"
        return players_words(self.the_game, str(fit.loc[fit["excess"].idxmin(), "agent"]))

    def _like(self, tables: Tables) -> str:
        """Return whose games those of the sheets are like, of a level with what it loses per decision if known."""
        nearest = self._nearest(tables)
        if "level" not in tables or self._best_tier(tables["fit"]):
            return f"those of {nearest}"
        level = round(tables["level"]["value"].iloc[0])
        rate = tables["fit"]["error_rate"].iloc[level]
        if np.isnan(rate):
            return f"those of {nearest}"
        error = with_unit(f"{rate:.1f}", self.the_game)
        weakest = tables["fit"]["error_rate"].iloc[0]
        place = f"level {level} of {len(self.levels) - 1}"
        place += f"; level 0 errs about {weakest:.1f}" if level and weakest > 0 else ""
        return f"those of trained players who err about {error} a decision ({place})"

    def _outside(self, figures: pd.DataFrame) -> Iterator[str]:
        """Yield the figures of games outside their bands, the farthest first, each as a clause with its band."""
        words = {
            SCORE.name: "the mean score is {}",
            DISTANCE.name: "first and last are {} apart",
            SPREAD.name: "mean scores of games vary by {}",
        }
        farthest = figures.loc[excess(figures).sort_values(ascending=False).index]
        for row in farthest[farthest["figure"].isin(words) & (farthest["inside"] == 0)].itertuples(index=False):
            ends = (row.value, row.band_low, row.band_high)
            digits = 0 if len({f"{end:.0f}" for end in ends}) == len(ends) else 1
            value, low, high = (f"{end:.{digits}f}" for end in ends)
            yield f"{words[row.figure].format(with_unit(value, self.the_game))}, not {low} to {high}"

    def _excluded(self, fit: pd.DataFrame, games: str) -> str:
        """Return how many strengths were compared, and which of them the sheets exclude."""
        without = "" if levels_of(self.the_game) else f"{self.the_game.title} has no levels: "
        if len(fit) == 1:
            return with_capital(f"{without}only one strength was compared.")
        inside = fit.sort_values("excess").query("inside == 1")["agent"]
        levels = [spec.text for spec in self.levels]
        likely = [players_words(self.the_game, agent) for agent in inside if agent not in levels]
        if possible := sorted(levels.index(agent) for agent in inside if agent in levels):
            ends = dict.fromkeys((possible[0], possible[-1]))
            likely.append(f"trained players of level {' to '.join(map(str, ends))}")
        excluded = "all others" if len(inside) == 1 else f"all but {listed(likely)}"
        excluded = "none" if len(inside) == len(fit) else excluded
        return f"{without}{len(fit)} strengths were compared, and {games} exclude {excluded}."

    def _leader(self, figures: pd.DataFrame) -> str:
        """Return the sentence that a seat leads more than among equal players, or "" if none does."""
        leads = pick(figures, figure=LEAD.name, inside=0)
        if leads.empty:
            return ""
        lead = leads.loc[excess(leads).idxmax()]
        more = lead["value"] - lead["simulated"]
        who = seat_words(int(lead["seat"]), max(self.players))
        amount = with_unit(f"{abs(more):.{_digits(more)}f}", self.the_game)
        why = f"{who} scores {amount} {'more' if more > 0 else 'less'} than among equals"
        return f"Your players are not equally strong, or play in another style: {why}."

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the figures of the sheets beside those of the strength that fits best, and how every strength fits."""
        figures, fit = tables["bands"], tables["fit"]
        most = max(self.players)
        seats = [f"lead of {seat_words(int(seat), most)}" if seat >= 0 else "" for seat in figures["seat"].fillna(-1)]
        labels = {figure.name: figure.label for figure in OF_GAMES}
        what = [seat or labels[name] for seat, name in zip(seats, figures["figure"], strict=True)]
        rows = figures.assign(what=what, players=self.players[0], variant="", lineup="", deals=figures["n"])
        ours = rows.assign(figure="ours", low=np.nan, high=np.nan)
        low, high = rows["band_low"], rows["band_high"]
        simulated = rows.assign(figure="simulated", value=rows["simulated"], low=low, high=high)
        beside = pd.concat([ours, simulated], ignore_index=True)
        apart = beside.assign(**beside[["value", "low", "high"]].sub(beside["simulated"], axis=0))
        words = "{what} at such a strength; the sheets have {sheets:.1f}"
        numbers = key_numbers(simulated.assign(sheets=rows["value"]).head(2), _SIDES[1], words)
        if "level" in tables and not is_unlike(figures) and not self._best_tier(fit):
            numbers = (*key_numbers(pick(tables["level"], figure=LEVEL.name), LEVEL, "level of play"), *numbers)
        best = fit.loc[fit["excess"].idxmin(), "strength"]
        shown = section("fit", {"beside": beside, "apart": apart}, _SIDES, numbers=numbers, strength=best)
        keys = _fit_keys(fit, score_unit(self.the_game))
        return [replace(shown, keys=keys, sentences=(ERRORS,) if "level" in tables else ())]


def _digits(difference: float) -> int:
    """Return the decimals at which a difference of scores is not 0, at most two."""
    return 0 if abs(difference) >= 1 else 1 if abs(difference) >= 1 / 10 else 2


def _fit_keys(fit: pd.DataFrame, unit: str) -> tuple[tuple[str, ...], ...]:
    """Return the table of strengths as text: what each loses per decision, and whether the sheets exclude it."""
    rows = [("strength", "player", f"{unit} lost a decision", "excluded by the sheets")]
    for each in fit.itertuples(index=False):
        error = "unknown" if np.isnan(each.error_rate) else f"{each.error_rate:.1f}"
        rows.append((each.strength, each.agent, error, "no" if each.inside else "yes"))
    return tuple(rows)


def level_table(ours: Strength, scale: Sequence[Strength], misfits: Array) -> pd.DataFrame:
    """Return the level of the sheets with its interval, then those that EXPECTED games at this level would have."""
    best, games = int(misfits.argmin()), sum(own.games for own in ours.values())
    rows = [level_row(LEVEL, games, misfits)]
    for count in EXPECTED:
        part = {key: replace(scale[best][key], games=max(1, count * own.games // games)) for key, own in ours.items()}
        rows.append(level_row(OF_LEVEL, count, np.array([misfit(part, strength) for strength in scale])))
    return pd.DataFrame(rows)


def level_row(figure: Figure, games: int, misfits: Array) -> dict[str, Any]:
    """Return the level that fits best, and the first and last that are not excluded, by misfits on the scale."""
    fitting = np.flatnonzero(misfits - misfits.min() <= MOST_EXCESS)
    places = [STEP * int(place) for place in (misfits.argmin(), fitting[0], fitting[-1])]
    return {"figure": figure.name, "n": games, **dict(zip(("value", "low", "high"), np.round(places, 1), strict=True))}


def bands(ours: Strength, strength: Strength) -> pd.DataFrame:
    """Return each figure of the sheets, what a strength has, and the band of as many games among equal players.

    A figure of games is outside its band in 1 of 100 sheets, any of the leads in 1 of 40.
    """
    rows, most, of_games = [], max(ours), len(OF_GAMES)
    for column in range(of_games + most):
        games = {players: own.games for players, own in ours.items() if column < len(own.mean)}
        part = np.array(list(games.values())) / sum(games.values())
        value = part @ [ours[players].mean[column] for players in games]
        simulated = part @ [strength[players].mean[column] for players in games]
        variance = part**2 @ [strength[players].error_of(count)[column, column] for players, count in games.items()]
        if column >= of_games:  # leads of unequal players who change seats vary more, and yet no seat leads
            own = part**2 @ [ours[players].covariance[column, column] / count for players, count in games.items()]
            variance = max(variance, own)
        is_lead = column >= of_games
        outside = _LEADS / most if is_lead else _FIGURE
        half = NormalDist().inv_cdf(1 - outside / 2) * variance**0.5
        ends = np.array([value, simulated, simulated - half, simulated + half])
        figure = LEAD if is_lead else OF_GAMES[column]
        if figure is SPREAD:
            ends = np.sqrt(np.maximum(ends, 0.0))
        row = dict(zip(("value", "simulated", "band_low", "band_high"), ends.tolist(), strict=True))
        row |= {"inside": int(abs(value - simulated) <= half), "n": sum(games.values())}
        rows.append({"figure": figure.name, "seat": column - of_games if is_lead else np.nan, **row})
    return pd.DataFrame(rows)


def is_unlike(figures: pd.DataFrame) -> bool:
    """Return whether sheets are like no strength: a figure of games is outside its band.

    `figures` is a table of `bands`. Scores that are far apart fit sheets on which a seat leads.
    """
    outside = figures["inside"] == 0
    is_lead = figures["figure"] == LEAD.name
    has_leader = (outside & is_lead).any()
    return bool((outside & ~is_lead & ~(has_leader & _is_far_apart(figures))).any())


def excess(figures: pd.DataFrame) -> pd.Series:
    """Return how far each figure of a table of `bands` is from the simulated one, in halves of its band."""
    return (figures["value"] - figures["simulated"]).abs() / (figures["band_high"] - figures["band_low"]) * 2


def _is_far_apart(figures: pd.DataFrame) -> pd.Series:
    """Return which rows are a distance of first and last above its band."""
    return (figures["figure"] == DISTANCE.name) & (figures["value"] > figures["band_high"])
