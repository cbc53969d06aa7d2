"""our-table: which strength of play gives the scores of real games?

A game is summed up by its mean score, the winner's lead over the mean, and the winner's margin over the second; scores of one game hang
together, so the game is the unit. The likelihood of a sheet at a strength of play is Student's t (8 degrees of freedom, so that one odd
game decides nothing) around the simulated games of that strength and player count.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pandas as pd

from strozzi_sim.agent import names
from strozzi_sim.errors import ArgumentError, InputError, as_argument_error, short_repr
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Picture, Tables, listed, pick
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.runtime.files import storage_errors
from strozzi_sim.runtime.parsing import check_name
from strozzi_sim.stats.intervals import Array
from strozzi_sim.stats.resampling import draws
from strozzi_sim.study.arguments import RunOptions, documented
from strozzi_sim.study.cells import CountsOf
from strozzi_sim.study.games import facts_of_games, sections_of_games, tables_of_games
from strozzi_sim.study.look import KeyNumber, Look, Section
from strozzi_sim.study.model import Study
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import run
from strozzi_sim.study.wording import PLAY

FEWEST, MOST = 20, 10_000  # sheets; the bands take SETS times their time
SETS = 4000  # sets of simulated games from which bands come
SHARE = "seat_0_share"
FIGURES = {
    "score_mean": "mean score", "score_sd": "standard deviation of scores", "winner_mean": "mean score of the winner",
    "last_mean": "mean score of the last", "margin_mean": "mean margin of the winner", SHARE: "games won by the player who begins",
}  # fmt: skip
_MOST_BYTES = 4 * 2**20  # of a file
_TAIL = 8  # degrees of freedom
_SHRUNK = 1e-3  # of the variance, so that figures that are equal in every game have a likelihood
_LARGEST, _DIGITS = 10**6, 40  # a score, and its letters
_SEPARATOR = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)  # Excel's first line
_WHOLE = re.compile(r"[+-]?[0-9]+([.,]0*)?")  # spreadsheets write 41 as 41.0 or 41,0 too
_ALPHA = 0.05


@documented
def our_table(
    game: str | Game,
    file: str | Path = "",
    *,
    deals: int | None = None,
    variant: AnyVariant = "base",
    template: str | Path = "",
    seed: int = 0,
    **options: Unpack[RunOptions],
) -> Results:
    """Find the strength of play that fits the score sheets of real games, and what differs from it.

    Example: strozzi our-table strozzi sheets.csv

    Args:
        file: score sheets (CSV): one line a game, at most 10,000, columns `seat 0`, `seat 1`, .. with the final scores
        deals: games of each strength and player count that are simulated; a fraction for agents that search; default: 5,000
        variant: the variant that was played
        template: write an empty sheet to this new file first, and read it if no other file is named
    """
    the_game = names.game_named(game)
    if template:
        write_template(the_game, template)
    if not file:
        raise ArgumentError("file", f"give the score sheets{f'; fill in {template}' if template else ''}")
    sheets = as_argument_error("file", read_sheets, names.path_of("file", file), the_game)
    most = OurTable.usual_deals if deals is None else deals
    study = OurTable.of(
        game=the_game, players=tuple(sheets.scores), deals=deals, seatings="one", variants=names.variants_named(the_game, variant), seed=seed,
        lineups=[[text] for text in the_game.tiers.values()] or [[the_game.default_agent]], search_deals=the_game.search_deals(most),
        sheets={str(players): scores.tolist() for players, scores in sheets.scores.items()},
    )  # fmt: skip
    return run(study, look=study.look(pages=("balance",)), **options)


class OurTable(Study, frozen=True, kw_only=True, tag="our_table"):
    """Score sheets, and games of the agents of each strength."""

    sheets: dict[str, tuple[tuple[int, ...], ...]]  # scores of real games in seat order, by player count
    usual_deals = 5000
    keeps_rows = has_pages = True
    printed = ("fit", "figures")

    @property
    def read(self) -> Sheets:
        """The sheets as arrays."""
        found = {int(players): np.array(scores, np.int64) for players, scores in self.sheets.items()}
        return Sheets(found, (), self.the_game.sign)

    def check(self) -> None:
        if sorted(self.read.scores) != sorted(self.players) or any(len(lineup) > 1 for lineup in self.lineups):
            raise ArgumentError("sheets", "expected scores of every player count, and agents that play themselves")

    def facts(self, look: Look) -> tuple[Crosstab, ...]:
        return facts_of_games(self, look)

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return fit (the likelihood of every strength), figures (of the sheets, with their bands), and the tables of the games."""
        simulated: dict[str, dict[int, Array]] = {}
        for cell in map(counts, self.cells):
            rows = np.sort(np.concatenate(list(cell.read_rows())), order=("deal", "seat"))
            scores = rows["score"].astype(np.int64).reshape(-1, cell.players)
            simulated.setdefault(cell.lineup, {})[cell.players] = scores
        every = self.the_game.tiers or {"usual": self.the_game.default_agent}
        tiers = {tier: text for tier, text in every.items() if text in simulated}
        fits = {tier: likelihood(self.read, simulated[text]) for tier, text in tiers.items()}
        best = max(fits, key=lambda tier: fits[tier])
        weight = np.exp(np.array(list(fits.values())) - fits[best])
        fit = {
            "tier": list(fits), "agent": list(tiers.values()), "log_likelihood": list(fits.values()),
            "probability": weight / weight.sum(), "n": self.read.games,
            "simulated": [sum(map(len, simulated[text].values())) for text in tiers.values()],
        }  # fmt: skip
        figures = bands(self.read, simulated[tiers[best]], self.seed)
        return {"fit": pd.DataFrame(fit), "figures": figures, **tables_of_games(self, counts, look)}

    def verdict(self, tables: Tables, look: Look) -> list[str]:
        """Return the strength that fits best, and which figures of the sheets lie outside the band of its games."""
        fit, figures = tables["fit"], tables["figures"]
        best = fit.loc[fit["log_likelihood"].idxmax()]
        outside = [FIGURES[name] for name in figures[figures["inside"] == 0]["figure"]]
        inside = "all figures of the sheets lie in the band of its games"
        rest = f"outside its band: {listed(outside)}" if outside else inside
        return [
            f"{self.read.games} games of {self.the_game.title} are played most like {PLAY.get(best['tier'], best['tier'])}; {rest}.",
            f"That is how {best['agent']} plays; its probability is {100 * best['probability']:.0f} % among the {len(fit)} strengths that were played.",
        ]

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the figures of the sheets beside those of the strength that fits best, then the pages of the game."""
        figures, agent = tables["figures"], tables["fit"].loc[tables["fit"]["log_likelihood"].idxmax(), "agent"]
        unit = np.where(figures["figure"] == SHARE, 100, 1)
        what = [f"{FIGURES[name]}{', %' * (name == SHARE)}" for name in figures["figure"]]
        rows = figures.assign(what=what, players=self.players[0], variant="", lineup="", deals=figures["n"])
        ours = rows.assign(figure="ours", value=unit * rows["value"], low=np.nan, high=np.nan)
        value, low, high = (unit * rows[name] for name in ("simulated", "band_low", "band_high"))
        theirs = rows.assign(figure="simulated", value=value, low=low, high=high)
        beside = pd.concat([ours, theirs], ignore_index=True)
        shown = Figure("ours", "the sheets", "amount"), Figure("simulated", f"as many games of {agent}", "amount")
        drawn = Picture(
            "fit", "", "intervals", "beside", shown, f"The sheets beside games of {agent}",
            f"Thin lines are the bands in which all figures of 19 of 20 sets of {self.read.games} games of {agent} lie.",
            x="what", series="figure", levels=tuple(what),
        )  # fmt: skip
        table = replace(
            drawn, name="fit-table", kind="table", title="The sheets in figures", series="", x_label="figure"
        )
        pairs = zip(pick(beside, figure="simulated").itertuples(index=False), ours["value"], strict=True)
        numbers = [KeyNumber(row, "amount", f"{row.what}, in games of {agent}; the sheets have {own:.3g}") for row, own in pairs]  # fmt: skip
        question = "How do the figures of the sheets fit those of simulated games?"
        fit = Section("Fit", question, (drawn, table), tables={"beside": beside}, numbers=tuple(numbers[:3]))
        return [fit, *sections_of_games(self, tables, look)]


# -- score sheets ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sheets:
    """Score sheets."""

    scores: Mapping[int, Array]  # int64[games, P] by player count, in seat order
    ignored: tuple[str, ...] = ()  # columns that were not read
    sign: int = 1  # what makes the highest score the best, see `Game.sign`

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(map(len, self.scores.values()))


def write_template(game: Game, file: str | Path) -> None:
    """Write an empty sheet into a new file."""
    path = names.path_of("template", file)
    with storage_errors(f"cannot write {path}"):
        try:
            with path.open("x", encoding="utf-8") as new:
                new.write(empty_sheet(game))
        except FileExistsError:
            raise ArgumentError("template", f"{path} exists; give a new file") from None


def empty_sheet(game: Game) -> str:
    """Return a file to fill in: one line a game, the scores in seat order."""
    seats = ",".join(f"seat {seat}" for seat in range(game.max_players))
    return (
        f"# {game.title}: one line a game; the final scores in seat order, beginning with the player who started.\n"
        f"# Leave the seats empty that nobody sat at. At least {FEWEST} games. Lines that begin with # are not read.\n"
        f"game,{seats}\n"
    )


def read_sheets(path: Path, game: Game) -> Sheets:
    """Return the score sheets in a CSV file, separated by commas, semicolons or tabs; an InputError names file, line and column."""
    check_name(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file; --template FILE writes one to fill in")
    with storage_errors(f"cannot read {path}"), path.open("rb") as file:
        raw = file.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise InputError(f"{path}: is larger than {_MOST_BYTES:,} bytes; give at most {MOST:,} games")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text (byte {error.start}); save it as CSV UTF-8") from None
    places = enumerate(text.splitlines(), 1)
    lines = [(f"{path}: line {number}", line) for number, line in places if line.strip() and line[0] != "#"]
    told = _SEPARATOR.fullmatch(lines[0][1]) if lines else None
    lines = lines[1:] if told else lines
    if not lines:
        raise InputError(f"{path}: holds no lines; --template FILE writes one to fill in")
    (where, head), *lines = lines
    mark = told[1] if told else max(",;\t", key=head.count)
    columns = [name.strip().lower().replace("_", " ") for name in _cells(head, mark, where)]
    place = {seat: columns.index(f"seat {seat}") for seat in range(game.max_players) if f"seat {seat}" in columns}
    if not set(range(game.player_counts[0])) <= set(place):
        expected = f"columns seat 0 to seat {game.max_players - 1}"
        raise InputError(f"{where}: expected {expected}, got {short_repr(columns)}")
    found: dict[int, list[list[int]]] = {}
    for where, line in lines:
        scores = _scores(_cells(line, mark, where), place, where)
        if scores and len(scores) not in game.player_counts:
            raise InputError(f"{where}: {len(scores)} scores; {game.title} has {game.player_count_text}")
        if scores:
            found.setdefault(len(scores), []).append(scores)
    ignored = [name for k, name in enumerate(columns) if k not in place.values() and name != "game"]
    arrays = {count: np.array(found[count], np.int64) for count in sorted(found)}
    sheets = Sheets(arrays, tuple(ignored), game.sign)
    if sheets.games > MOST:
        raise InputError(f"{path}: {sheets.games:,} games; give at most {MOST:,}, such as the latest")
    if sheets.games < FEWEST:
        raise InputError(f"{path}: {sheets.games} games; at least {FEWEST} are needed to tell anything")
    return sheets


def _cells(line: str, mark: str, where: str) -> list[str]:
    """Return the cells of a line."""
    try:
        return next(csv.reader([line], delimiter=mark))
    except csv.Error:
        raise InputError(f"{where}: a field has more than {csv.field_size_limit():,} characters") from None


def _scores(cells: Sequence[str], place: Mapping[int, int], where: str) -> list[int]:
    """Return the scores of a line, in seat order."""
    texts = [cells[column].strip() if column < len(cells) else "" for column in place.values()]
    filled = [seat for seat, text in zip(place, texts, strict=True) if text]
    scores = []
    for seat, text in zip(place, texts, strict=True):
        here = f"{where}: seat {seat}"
        if not text:
            if last := [other for other in filled if other > seat]:
                raise InputError(f"{here}: is empty, and seat {last[0]} is not; seats are filled from 0")
            break
        if not _WHOLE.fullmatch(text) or len(text) > _DIGITS:
            raise InputError(f"{here}: expected a whole number, got {short_repr(text)}")
        scores.append(int(re.split("[.,]", text)[0]))
        if abs(scores[-1]) > _LARGEST:
            raise InputError(f"{here}: expected a score between -{_LARGEST:,} and {_LARGEST:,}, got {text}")
    return scores


# -- what they say ---------------------------------------------------------------------------------------------------


def likelihood(sheets: Sheets, simulated: Mapping[int, Array]) -> float:
    """Return the log likelihood of sheets among simulated games, int64[games, P] by player count."""
    total = 0.0
    for players, scores in sheets.scores.items():
        games = _summed(simulated[players], sheets.sign)
        center = games.mean(axis=0)
        spread, one = np.atleast_2d(np.cov(games, rowvar=False)), np.eye(len(center))
        spread = spread + _SHRUNK * np.trace(spread) / len(spread) * one + 1e-9 * one
        spread = spread * (_TAIL - 2) / _TAIL * (1 + 1 / len(games))  # scale of a t with this covariance
        away = _summed(scores, sheets.sign) - center
        distance = np.einsum("ij,ij->i", away, np.linalg.solve(spread, away.T).T)
        power = (_TAIL + len(center)) / 2
        total += float((-np.linalg.slogdet(spread)[1] / 2 - power * np.log1p(distance / _TAIL)).sum())
    return total


def _best_first(scores: Array, sign: int) -> Array:
    """Return the scores of each game from the winner's to the last, [games, P]."""
    ranked: Array = sign * np.sort(sign * scores, axis=1)[:, ::-1]
    return ranked


def _summed(scores: Array, sign: int) -> Array:
    """Return mean, the winner's lead over it, and the winner's margin, float64[games, 3]; of two players mean and margin."""
    ordered = _best_first(scores, sign).astype(np.float64)
    mean, margin = ordered.mean(axis=1), sign * (ordered[:, 0] - ordered[:, 1])
    return np.stack([mean, margin] if scores.shape[1] == 2 else [mean, sign * (ordered[:, 0] - mean), margin], axis=1)


def figures(scores: Mapping[int, Array], sign: int) -> dict[str, float]:
    """Return the figures of sheets, of all games together."""
    ordered = [_best_first(found, sign) for found in scores.values()]
    won = [found == best[:, :1] for found, best in zip(scores.values(), ordered, strict=True)]
    flat = np.concatenate([found.ravel() for found in ordered]).astype(np.float64)

    def mean(parts: list[Array]) -> float:
        return float(np.concatenate(parts).mean())

    return {
        "score_mean": float(flat.mean()),
        "score_sd": float(flat.std(ddof=1)),
        "winner_mean": mean([found[:, 0] for found in ordered]),
        "last_mean": mean([found[:, -1] for found in ordered]),
        "margin_mean": sign * mean([found[:, 0] - found[:, 1] for found in ordered]),
        SHARE: mean([each[:, 0] / each.sum(axis=1) for each in won]),
    }


def bands(sheets: Sheets, simulated: Mapping[int, Array], seed: int) -> pd.DataFrame:
    """Return each figure of the sheets with its median and band among as many simulated games, and whether it is inside.

    All figures of all but one set of 20 lie inside (Bonferroni). The seed is that of the draw of sets.
    """
    counts = {players: len(sheets.scores[players]) for players in simulated if players in sheets.scores}

    def drawn_set(k: int) -> dict[int, Array]:  # one at a time: all sets of many sheets do not fit into memory
        return {
            players: simulated[players][draws(seed, players, (count,), len(simulated[players]), skip=k * count)]
            for players, count in counts.items()
        }

    drawn = [list(figures(drawn_set(k), sheets.sign).values()) for k in range(SETS)]
    tail = _ALPHA / 2 / len(FIGURES)
    low, middle, high = np.quantile(np.array(drawn), (tail, 0.5, 1 - tail), axis=0)
    found = figures(sheets.scores, sheets.sign)
    table = pd.DataFrame({"figure": list(found), "value": list(found.values()), "simulated": middle, "band_low": low, "band_high": high})  # fmt: skip
    return table.assign(inside=table["value"].between(low, high).astype(np.int64), n=sheets.games)
