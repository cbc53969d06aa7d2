"""Score sheets of real games: a table of final scores, read from what spreadsheets and people write."""

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from strozzi_sim.errors import InputError, short_repr, short_text
from strozzi_sim.game import Game
from strozzi_sim.runtime.parsing import read_lines
from strozzi_sim.stats.intervals import Array

FEWEST, MOST = 20, 10_000  # games on the sheets
Scores = Mapping[int, Array]  # player count -> final scores, int64[games, P] in seat order
_LARGEST = 10**6  # score on a sheet, or its negative
_NUMBERS = re.compile(r'[-+\d\s.,;"]+')  # a line that is no heading


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
    if is_headed:
        head = rows.pop(first, [])
        columns = _columns_of(head, game, f"{path}: line {first}")
    else:
        head = [f"column {number}" for number in range(1, game.max_players + 1)]
        columns = {name: place for place, name in enumerate(head)}
    for number, row in rows.items():
        if more := [cell for cell in row[len(head) :] if cell]:
            raise InputError(f"{path}: line {number}: no column for {short_repr(more[0])}; there are {len(head)}")
    texts = [[row[column] if column < len(row) else "" for column in columns.values()] for row in rows.values()]
    cells = pd.DataFrame(texts, list(rows), dtype="str")
    scores = cells.apply(lambda each: pd.to_numeric(each.str.replace(",", "."), errors="coerce"))  # "41,0" is 41
    is_given = (cells != "").iloc[:, ::-1].cummax(axis=1).iloc[:, ::-1]  # up to the last seat that is filled
    is_wrong = is_given & ~((scores == np.floor(scores)) & (scores.abs() <= _LARGEST))
    if is_wrong.any(axis=None):
        row, seat = np.argwhere(is_wrong.to_numpy())[0]
        expected = f"expected a whole number up to {_LARGEST:,}, got {short_repr(cells.iat[row, seat])}"
        hint = "leave out columns that are not scores"
        raise InputError(f"{path}: line {cells.index[row]}: {list(columns)[seat]}: {expected}; {hint}")
    counts = is_given[is_given.any(axis=1)].sum(axis=1)
    for number, count in counts[~counts.isin(game.player_counts)].items():
        raise InputError(f"{path}: line {number}: {count} scores; {game.title} has {game.player_count_text}")
    if len(counts) < FEWEST:
        raise InputError(f"{path}: {len(counts)} games; at least {FEWEST} are needed")
    for name, column in zip(columns, scores, strict=True):
        if (scores[column].diff().iloc[1:] == 1).all() and not name.startswith("seat "):
            raise InputError(f"{path}: line {first}: {short_text(name)} numbers the games; leave it out")
    by_count = scores.groupby(counts)
    return {int(count): of_count.iloc[:, : int(count)].to_numpy(np.int64) for count, of_count in by_count}


def _columns_of(head: Sequence[str], game: Game, where: str) -> dict[str, int]:
    """Return the place of every column of scores by its name, in the order of the seats.

    These are the columns `seat 0`, `seat 1`, .., or without them all columns. `where` names file and line.
    """
    seats = [f"seat {seat}" for seat in range(game.max_players)]
    names_of_seats = [name.lower().replace("_", " ") for name in head]
    named = [name for name in names_of_seats if re.fullmatch(r"seat \d+", name)]
    if named:
        is_whole = sorted(named) == sorted(seats[: len(named)])  # no gap and no twin
        columns = {name: names_of_seats.index(name) for name in seats[: len(named)] if name in named}
    else:
        last = max((column for column, name in enumerate(head, 1) if name), default=0)
        columns = {name: column for column, name in enumerate(head[:last]) if name}
        is_whole = len(columns) == last <= game.max_players
    if not is_whole or len(columns) < game.player_counts[0]:
        expected = f"expected columns {seats[0]} to {seats[-1]}, or a name for every seat in order"
        raise InputError(f"{where}: {expected} ({game.player_count_text}), got {short_repr(head)}")
    return columns


def _layout_of(line: str) -> tuple[str, bool]:
    """Return the separator of the cells of a sheet's first line, and whether the line is a heading."""
    if _NUMBERS.fullmatch(line):  # where a comma may be that of decimals
        return next((mark for mark in "\t;" if mark in line), ","), False
    return max(",;\t", key=line.count), True
