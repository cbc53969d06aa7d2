"""Score sheets of real games, and which strength of play gives such scores.

A game is summed up by its mean score, the winner's lead over the mean, and the winner's margin over the second; scores of one game hang
together, so the game is the unit. The likelihood of a sheet at a strength of play is Student's t (8 degrees of freedom, so that one odd
game decides nothing) around the simulated games of that strength and player count.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.errors import InputError, short_repr
from strozzi_sim.game.contract import Game
from strozzi_sim.runtime.files import storage_errors
from strozzi_sim.runtime.parsing import check_name
from strozzi_sim.stats.intervals import Array
from strozzi_sim.stats.resampling import draws

FEWEST, MOST = 20, 10_000  # sheets; the bands take SETS times their time
_MOST_BYTES = 4 * 2**20  # of a file
SETS = 4000  # sets of simulated games from which bands come
_TAIL = 8  # degrees of freedom
_SHRUNK = 1e-3  # of the variance, so that figures that are equal in every game have a likelihood
_LARGEST = 10**6
_DIGITS = 40  # letters of a score
_SEPARATOR = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)  # Excel's first line
_WHOLE = re.compile(r"[+-]?[0-9]+([.,]0*)?")  # spreadsheets write 41 as 41.0 or 41,0 too
_ALPHA = 0.05
SHARE = "seat_0_share"
FIGURES = {
    "score_mean": "mean score", "score_sd": "standard deviation of scores", "winner_mean": "mean score of the winner",
    "last_mean": "mean score of the last", "margin_mean": "mean margin of the winner", SHARE: "games won by the player who begins",
}  # fmt: skip


@dataclass(frozen=True)
class Sheets:
    """Score sheets.

    Attributes:
        scores: int64[games, P] by player count, in seat order.
        ignored: columns that were not read.
        sign: what makes the highest score the best, see `Game.sign`.
    """

    scores: Mapping[int, Array]
    ignored: tuple[str, ...] = ()
    sign: int = 1

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(map(len, self.scores.values()))


def template(game: Game) -> str:
    """Return a file to fill in: one line a game, the scores in seat order."""
    seats = ",".join(f"seat {seat}" for seat in range(game.max_players))
    return (
        f"# {game.title}: one line a game; the final scores in seat order, beginning with the player who started.\n"
        f"# Leave the seats empty that nobody sat at. At least {FEWEST} games. Lines that begin with # are not read.\n"
        f"game,{seats}\n"
    )


def read_sheets(path: Path, game: Game) -> Sheets:
    """Return the score sheets in a CSV file; columns may be separated by commas, semicolons or tabs.

    Raises:
        InputError: names the file, the line and the column, and what is allowed there.
        StorageError: the file cannot be read.
    """
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
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip() and line[0] != "#"]
    told = _SEPARATOR.fullmatch(lines[0][1]) if lines else None
    lines = lines[1:] if told else lines
    if not lines:
        raise InputError(f"{path}: holds no lines; --template FILE writes one to fill in")
    head = lines[0][1]
    mark = told[1] if told else max(",;\t", key=head.count)
    names = [name.strip().lower().replace("_", " ") for name in _cells(head, mark, f"{path}: line {lines[0][0]}")]
    place = {seat: names.index(f"seat {seat}") for seat in range(game.max_players) if f"seat {seat}" in names}
    least = game.player_counts[0]
    if not set(range(least)) <= set(place):
        raise InputError(
            f"{path}: line {lines[0][0]}: expected columns seat 0 to seat {game.max_players - 1}, got {short_repr(names)}"
        )
    found: dict[int, list[list[int]]] = {}
    for number, line in lines[1:]:
        cells = _cells(line, mark, f"{path}: line {number}")
        scores = _scores(cells, place, f"{path}: line {number}")
        if not scores:
            continue
        if len(scores) not in game.player_counts:
            raise InputError(f"{path}: line {number}: {len(scores)} scores; {game.title} has {game.player_count_text}")
        found.setdefault(len(scores), []).append(scores)
    sheets = Sheets(
        {count: np.array(found[count], np.int64) for count in sorted(found)},
        tuple(name for k, name in enumerate(names) if k not in place.values() and name != "game"),
        game.sign,
    )
    if sheets.games > MOST:
        raise InputError(f"{path}: {sheets.games:,} games; give at most {MOST:,}, such as the latest")
    if sheets.games < FEWEST:
        raise InputError(f"{path}: {sheets.games} games; at least {FEWEST} are needed to tell anything")
    return sheets


def _cells(line: str, mark: str, where: str) -> list[str]:
    """Return the cells of a line.

    Raises:
        InputError: one is longer than `csv` reads.
    """
    try:
        return next(csv.reader([line], delimiter=mark))
    except csv.Error:
        limit = csv.field_size_limit()
        raise InputError(f"{where}: a field has more than {limit:,} characters") from None


def _scores(cells: Sequence[str], place: Mapping[int, int], where: str) -> list[int]:
    """Return the scores of a line, in seat order."""
    scores, empty = [], -1
    for seat, column in place.items():
        text = cells[column].strip() if column < len(cells) else ""
        if not text:
            empty = seat if empty < 0 else empty
            continue
        if empty >= 0:
            raise InputError(f"{where}: seat {empty}: is empty, and seat {seat} is not; seats are filled from 0")
        if not _WHOLE.fullmatch(text) or len(text) > _DIGITS:
            raise InputError(f"{where}: seat {seat}: expected a whole number, got {short_repr(text)}")
        score = int(re.split("[.,]", text)[0])
        if not -_LARGEST <= score <= _LARGEST:
            raise InputError(
                f"{where}: seat {seat}: expected a score between -{_LARGEST:,} and {_LARGEST:,}, got {text}"
            )
        scores.append(score)
    return scores


def likelihood(sheets: Sheets, simulated: Mapping[int, Array]) -> float:
    """Return the log likelihood of sheets among simulated games, int64[games, P] by player count."""
    total = 0.0
    for players, scores in sheets.scores.items():
        games = _summed(simulated[players], sheets.sign)
        center = games.mean(axis=0)
        spread = np.atleast_2d(np.cov(games, rowvar=False))
        spread = spread + _SHRUNK * np.trace(spread) / len(spread) * np.eye(len(spread)) + 1e-9 * np.eye(len(spread))
        spread = spread * (_TAIL - 2) / _TAIL * (1 + 1 / len(games))  # scale of a t with this covariance
        away = _summed(scores, sheets.sign) - center
        distance = np.einsum("ij,ij->i", away, np.linalg.solve(spread, away.T).T)
        dimensions = len(center)
        total += float(
            (-np.linalg.slogdet(spread)[1] / 2 - (_TAIL + dimensions) / 2 * np.log1p(distance / _TAIL)).sum()
        )
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
    return {
        "score_mean": float(flat.mean()),
        "score_sd": float(flat.std(ddof=1)),
        "winner_mean": float(np.concatenate([found[:, 0] for found in ordered]).mean()),
        "last_mean": float(np.concatenate([found[:, -1] for found in ordered]).mean()),
        "margin_mean": float(sign * np.concatenate([found[:, 0] - found[:, 1] for found in ordered]).mean()),
        "seat_0_share": float(np.concatenate([each[:, 0] / each.sum(axis=1) for each in won]).mean()),
    }


def bands(sheets: Sheets, simulated: Mapping[int, Array], seed: int) -> pd.DataFrame:
    """Return each figure of the sheets with its median and band among as many simulated games, and whether it is inside.

    All figures of all but one set of 20 lie inside (Bonferroni).

    Args:
        sheets: the sheets.
        simulated: games of the strength of play, by player count.
        seed: of the draw of sets.
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
    rows: list[dict[str, Any]] = []
    for k, (name, value) in enumerate(figures(sheets.scores, sheets.sign).items()):
        rows.append(
            {
                "figure": name,
                "value": value,
                "simulated": middle[k],
                "band_low": low[k],
                "band_high": high[k],
                "inside": int(low[k] <= value <= high[k]),
                "n": sheets.games,
            }
        )
    return pd.DataFrame(rows)
