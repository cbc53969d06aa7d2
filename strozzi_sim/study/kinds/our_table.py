"""our-table: which strength of play gives the scores of real games?

A game is summarized by its mean score, the winner's lead over the mean, and the winner's margin over the second; scores
of one game depend on each other, so the game is the unit. The likelihood of a sheet at a strength of play is Student's
t around the simulated games of that strength and player count, with 8 degrees of freedom: one odd game decides nothing.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pandas as pd

from strozzi_sim.agent import names
from strozzi_sim.declare.figure_tables import Tables
from strozzi_sim.errors import ArgumentError, InputError, as_argument_error, short_repr
from strozzi_sim.facts.figures import SCORE, Figure, share
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.sentences import listed
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.kernel.streams import draws
from strozzi_sim.runtime.parsing import read_lines
from strozzi_sim.stats.intervals import Array
from strozzi_sim.study.arguments import StudyOptions, documented
from strozzi_sim.study.cells import CountsOf
from strozzi_sim.study.look import Look, Section, key_numbers, section
from strozzi_sim.study.model import Study
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import play
from strozzi_sim.study.wording import PLAY

FEWEST, MOST = 20, 10_000  # games on the sheets; the bands draw SETS sets of as many
SETS = 4000  # sets of simulated games from which bands come
OF_SHEETS = (
    SCORE,
    Figure("score_sd", "standard deviation of scores", "amount"),
    Figure("winner_mean", "mean score of the winner", "amount"),
    Figure("last_mean", "mean score of the last", "amount"),
    Figure("margin_mean", "mean margin of the winner", "amount"),
    share("seat_0_share", label="games won by the player who begins"),
)
FIGURES = {figure.name: figure for figure in OF_SHEETS}
_SIDES = [Figure(name, "", "amount") for name in ("ours", "simulated")]  # of a figure, on one axis with the others
_TAIL = 8  # degrees of freedom of Student's t
_SHRUNK = 1e-3  # of the variance, so that figures that are equal in every game have a likelihood
_LARGEST = 10**6  # score on a sheet, or its negative
_NUMBERS = re.compile(r'[-+\d\s.,;"]+')  # a line that is no heading
_ALPHA = 0.05  # largest probability that any figure of a simulated set is outside its band
Scores = Mapping[int, Array]  # player count -> final scores, int64[games, P] in seat order


@documented(
    asks="Is this our table?",
    about="Which strength of play gives scores like those of your games?",
    front={"file": "Final scores, a line a game, seat 0 first"},
    quick={"deals": 500},
)
def our_table(
    game: str | Game,
    file: str | Path,
    *,
    variant: AnyVariant = "base",
    **options: Unpack[StudyOptions],
) -> Results:
    """Find the strength of play that fits score sheets of real games, and the figures that differ.

    Example: strozzi our-table strozzi sheets.csv

    Args:
        file: score sheets (CSV): one line per game, 20 to 10,000 games; columns `seat 0`, `seat 1`, .. with the final
            scores, or no heading and the seats in order; empty for seats not played
        deals: games simulated at each strength and player count, fewer of agents that search; default: 5,000
        variant: the variant that was played
    """
    the_game = find_game(game)
    sheets = as_argument_error("file", read_sheets, names.path_of("file", file), the_game)
    deals = options.get("deals")
    return play(
        OurTable,
        options,
        game=the_game,
        players=tuple(sheets),
        seatings="one",
        variants=names.variants_named(the_game, variant),
        lineups=[[text] for text in the_game.tiers.values()] or [[the_game.default_agent]],
        search_deals=the_game.search_deals(OurTable.usual_deals if deals is None else deals),
        sheets={str(players): scores.tolist() for players, scores in sheets.items()},
    )


@dataclass(frozen=True, kw_only=True)
class OurTable(Study):
    """Score sheets of real games, and simulated games of the agent of each strength."""

    kind = "our_table"
    sheets: dict[str, tuple[tuple[int, ...], ...]]  # scores of real games in seat order, by player count
    usual_deals, keeps_rows = 5000, True
    printed = ("fit", "bands")

    def check(self) -> None:
        counts = {str(players): {players} for players in self.players}
        if {players: set(map(len, scores)) for players, scores in self.sheets.items()} != counts or any(
            len(lineup) > 1 for lineup in self.lineups
        ):
            raise ArgumentError("sheets", "expected scores of every player count, and agents that play themselves")

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return fit (the likelihood of every strength) and bands (of the figures of the sheets)."""
        sheets = {int(players): np.array(scores, np.int64) for players, scores in self.sheets.items()}
        simulated: dict[str, dict[int, Array]] = {}
        for cell in map(counts, self.cells):
            rows = np.sort(np.concatenate(list(cell.read_rows())), order=("deal", "seat"))
            scores = rows["score"].astype(np.int64).reshape(-1, cell.players)
            simulated.setdefault(cell.lineup, {})[cell.players] = scores
        tier_agents, sign = self.the_game.tiers or {"usual": self.the_game.default_agent}, self.the_game.sign
        tiers = {tier: text for tier, text in tier_agents.items() if text in simulated}
        fits = np.array([likelihood(sheets, simulated[text], sign) for text in tiers.values()])
        weight = np.exp(fits - fits.max())
        fit = pd.DataFrame({"tier": list(tiers), "agent": list(tiers.values()), "log_likelihood": fits})
        fit = fit.assign(probability=weight / weight.sum(), n=sum(map(len, sheets.values())))
        fit["simulated"] = [sum(map(len, simulated[text].values())) for text in tiers.values()]
        best = simulated[list(tiers.values())[int(fits.argmax())]]
        return {"fit": fit, "bands": bands(sheets, best, sign, self.seed)}

    def verdict(self, tables: Tables, look: Look) -> list[str]:
        """Return the strength that fits best, and the figures of the sheets outside the band of its games."""
        fit, figures = tables["fit"], tables["bands"]
        best = fit.loc[fit["log_likelihood"].idxmax()]
        outside = [FIGURES[name].label for name in figures[figures["inside"] == 0]["figure"]]
        inside = "all figures of the sheets lie in the band of its games"
        finding = f"outside its band: {listed(outside)}" if outside else inside
        play = f"{best['n']} games of {self.the_game.title} are played most like {PLAY.get(best['tier'], best['tier'])}"
        probability = f"{100 * best['probability']:.0f} % among the {len(fit)} strengths that were played"
        return [f"{play}; {finding}.", f"That is how {best['agent']} plays; its probability is {probability}."]

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the figures of the sheets beside those of the strength that fits best."""
        figures, agent = tables["bands"], tables["fit"].loc[tables["fit"]["log_likelihood"].idxmax(), "agent"]
        measured = [FIGURES[name] for name in figures["figure"]]
        # shares are in per cent, since they are on one axis with scores
        unit = np.array([figure.measure.factor for figure in measured])
        what = [f"{figure.label}{', %' if figure.is_share else ''}" for figure in measured]
        rows = figures.assign(what=what, players=self.players[0], variant="", lineup="", deals=figures["n"])
        sheet_rows = rows.assign(figure="ours", value=unit * rows["value"], low=np.nan, high=np.nan)
        value, low, high = (unit * rows[name] for name in ("simulated", "band_low", "band_high"))
        simulated_rows = rows.assign(figure="simulated", value=value, low=low, high=high, sheets=sheet_rows["value"])
        words = f"{{what}}, in games of {agent}; the sheets have {{sheets:.3g}}"
        numbers = key_numbers(simulated_rows.head(3), _SIDES[1], words)
        beside = pd.concat([sheet_rows, simulated_rows], ignore_index=True)
        return [section("fit", {"beside": beside}, _SIDES, numbers=numbers, agent=agent)]


def read_sheets(path: Path, game: Game) -> dict[int, Array]:
    """Return the scores in a file of cells between commas, semicolons or tabs, by player count.

    Raises InputError, which names file and line.
    """
    separator, is_headed = ",", True
    rows = dict[int, list[str]]()  # by number of the line, without empty ones and comments
    for number, raw in read_lines(path):
        where = f"{path}: line {number}"
        try:
            line = raw.decode("utf-8-sig").strip("\r\n")
            if line.strip() and not line.lstrip().startswith("#"):
                if not rows:
                    separator, is_headed = _layout_of(line)
                rows[number] = [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]
        except UnicodeDecodeError:
            raise InputError(f"{where}: is not UTF-8 text; save the sheets as CSV UTF-8") from None
        except csv.Error as error:
            raise InputError(f"{where}: {error}") from None
        if len(rows) > MOST + is_headed:
            raise InputError(f"{where}: more than {MOST:,} games; give fewer, such as the latest")
    first = next(iter(rows), 1)
    seats = [f"seat {seat}" for seat in range(game.max_players)]
    head = [name.lower().replace("_", " ") for name in rows.pop(first, [])] if is_headed else seats
    named = [name for name in head if re.fullmatch(r"seat \d+", name)]
    if len(named) < game.player_counts[0] or sorted(named) != sorted(seats[: len(named)]):  # too few, a gap, or a twin
        expected = f"expected columns {seats[0]} to {seats[-1]}"
        raise InputError(f"{path}: line {first}: {expected}, got {short_repr(head)}")
    columns = [head.index(name) for name in seats[: len(named)]]
    for number, row in rows.items():
        if more := [cell for cell in row[len(head) :] if cell]:
            raise InputError(f"{path}: line {number}: no column for {short_repr(more[0])}; there are {len(head)}")
    texts = [[row[column] if column < len(row) else "" for column in columns] for row in rows.values()]
    cells = pd.DataFrame(texts, list(rows), dtype="str")
    scores = cells.apply(lambda each: pd.to_numeric(each.str.replace(",", "."), errors="coerce"))  # "41,0" is 41
    is_given = (cells != "").iloc[:, ::-1].cummax(axis=1).iloc[:, ::-1]  # up to the last seat that is filled
    is_wrong = is_given & ~((scores == np.floor(scores)) & (scores.abs() <= _LARGEST))
    if is_wrong.any(axis=None):
        row, seat = np.argwhere(is_wrong.to_numpy())[0]
        expected = f"expected a whole number up to {_LARGEST:,}, got {short_repr(cells.iat[row, seat])}"
        raise InputError(f"{path}: line {cells.index[row]}: seat {seat}: {expected}")
    counts = is_given[is_given.any(axis=1)].sum(axis=1)
    for number, count in counts[~counts.isin(game.player_counts)].items():
        raise InputError(f"{path}: line {number}: {count} scores; {game.title} has {game.player_count_text}")
    if len(counts) < FEWEST:
        raise InputError(f"{path}: {len(counts)} games; at least {FEWEST} are needed")
    by_count = scores.groupby(counts)
    return {int(count): of_count.iloc[:, : int(count)].to_numpy(np.int64) for count, of_count in by_count}


def _layout_of(line: str) -> tuple[str, bool]:
    """Return the separator of the cells of a sheet's first line, and whether the line is a heading."""
    if _NUMBERS.fullmatch(line):  # where a comma may be that of decimals
        return next((mark for mark in "\t;" if mark in line), ","), False
    return max(",;\t", key=line.count), True


def likelihood(sheets: Scores, simulated: Scores, sign: int) -> float:
    """Return the log likelihood of sheets given simulated games; `sign` is 1 if the highest score wins, else -1."""
    from scipy.stats import multivariate_t

    total = 0.0
    for players, scores in sheets.items():
        games = _summary(simulated[players], sign)
        spread = np.atleast_2d(np.cov(games, rowvar=False))
        spread = spread + (_SHRUNK * np.trace(spread) / len(spread) + 1e-9) * np.eye(len(spread))
        spread = spread * (_TAIL - 2) / _TAIL * (1 + 1 / len(games))  # scale of a t with this covariance
        total += float(multivariate_t(games.mean(axis=0), spread, _TAIL).logpdf(_summary(scores, sign)).sum())
    return total


def _best_first(scores: Array, sign: int) -> Array:
    return np.asarray(sign * np.sort(sign * scores, axis=1)[:, ::-1])


def _summary(scores: Array, sign: int) -> Array:
    """Return mean, the winner's lead over it (3 or more players), and the winner's margin, float64[games, 3 or 2]."""
    ordered = _best_first(scores, sign).astype(np.float64)
    mean, margin = ordered.mean(axis=1), sign * (ordered[:, 0] - ordered[:, 1])
    return np.stack([mean, margin] if scores.shape[1] == 2 else [mean, sign * (ordered[:, 0] - mean), margin], axis=1)


def figures(scores: Scores, sign: int) -> dict[str, float]:
    """Return the FIGURES of scores, over the games of all player counts together."""
    ordered = [_best_first(of_count, sign) for of_count in scores.values()]
    flat = np.concatenate([games.ravel() for games in ordered]).astype(np.float64)
    best, second, last = (np.concatenate([games[:, place] for games in ordered]) for place in (0, 1, -1))
    won = [of_count == best_first[:, :1] for of_count, best_first in zip(scores.values(), ordered, strict=True)]
    wins_of_seat_0 = np.concatenate([is_best[:, 0] / is_best.sum(axis=1) for is_best in won])
    margin = sign * (best - second).mean()
    values = (flat.mean(), flat.std(ddof=1), best.mean(), last.mean(), margin, wins_of_seat_0.mean())
    return dict(zip(FIGURES, map(float, values), strict=True))


def bands(sheets: Scores, simulated: Scores, sign: int, seed: int) -> pd.DataFrame:
    """Return each figure of the sheets, its median and band among as many simulated games, and whether it is inside.

    At least 19 of 20 simulated sets have all figures inside (Bonferroni). `seed` draws the sets.
    """
    counts = {players: len(sheets[players]) for players in simulated if players in sheets}

    def drawn_set(k: int) -> dict[int, Array]:  # one at a time: all sets of many sheets do not fit into memory
        pools = ((players, count, simulated[players]) for players, count in counts.items())
        return {key: pool[draws(seed, key, (count,), len(pool), skip=k * count)] for key, count, pool in pools}

    drawn = [list(figures(drawn_set(k), sign).values()) for k in range(SETS)]
    tail = _ALPHA / 2 / len(FIGURES)
    low, middle, high = np.quantile(np.array(drawn), (tail, 0.5, 1 - tail), axis=0)
    sheet_figures = figures(sheets, sign)
    table = pd.DataFrame({"figure": list(sheet_figures), "value": list(sheet_figures.values()), "simulated": middle})
    inside = table["value"].between(low, high).astype(np.int64)
    return table.assign(band_low=low, band_high=high, inside=inside, n=sum(map(len, sheets.values())))
