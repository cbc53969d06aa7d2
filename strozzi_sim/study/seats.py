"""The seats of a study: which win more or less than an equal share, as the answer to the question of fairness."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from strozzi_sim.declare.figure_tables import CELL, Tables, pick
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.significance import MAX_CHUNKS, MIN_SHARE, size_text, widened
from strozzi_sim.game import Game
from strozzi_sim.game.sentences import listed, seat_words, with_capital
from strozzi_sim.game.tiers import RANDOM_MOVES, TIERS
from strozzi_sim.game.variants import BASE
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study.verdict import MOST_WORDS, Verdict, games_at_most, games_of_100, word_count
from strozzi_sim.study.wording import (
    FEW_AGENTS,
    at_players,
    grouped,
    player_name,
    players_words,
)

UNEQUAL, EQUAL, OPEN, FEW = "unequal", "equal", "open", "few"
FALSE_ALARMS = 0.02  # largest share of studies of equal seats that name one; verdicts are quoted without notes
_CLEAR = 0.03  # largest gain that could be missed of which it is said that no seat wins more
_MOST_NOTED = 4  # most statements on seats


class SeatCell(NamedTuple):
    """The significant results of the seats of one cell."""

    players: int
    variant: str
    lineup: str
    # UNEQUAL if its corrected p is below FALSE_ALARMS, and a seat is known to win more or less than an equal share, by
    # MIN_SHARE or more; EQUAL if all intervals, widened too, are within MIN_SHARE of it; FEW without a test; else OPEN
    verdict: str
    above: tuple[Any, ...]  # rows of the seats known to win more than an equal share, the largest share first
    below: tuple[Any, ...]  # rows of the seats known to win less, the smallest share first
    bound: float  # the largest gain of a seat that could be missed; NaN if it is not known


def seat_cells(tables: Tables, chunks: int = MAX_CHUNKS) -> list[SeatCell]:
    """Return the significant results of the seats of every cell.

    A seat is above or below an equal share if its interval is, widened for the number of all seats in the table.
    """
    tests, wins = pick(tables["balance"], figure="seat_fairness_p"), pick(tables["seats"], figure="win_share")
    bounds = pick(tables["balance"], figure="seat_favour_bound").set_index([*CELL])["value"]
    low, high = widened(wins, chunks)
    wins = wins.assign(least=low, most=high)
    cells = []
    for test, p in zip(tests.itertuples(index=False), holm(tests["value"].to_numpy()), strict=True):
        cell, fair = {key: getattr(test, key) for key in CELL}, 1 / test.players
        shares = pick(wins, **cell).dropna(subset="value").sort_values("value", ascending=False, kind="stable")
        is_unequal = p < FALSE_ALARMS
        above = shares[is_unequal & (shares["least"] > fair) & (shares["value"] >= fair + MIN_SHARE)]
        below = shares[is_unequal & (shares["most"] < fair) & (shares["value"] <= fair - MIN_SHARE)]
        verdict = OPEN
        if np.isnan(p) or shares.empty:
            verdict = FEW
        elif len(above) or len(below):
            verdict = UNEQUAL
        elif (shares["least"] > fair - MIN_SHARE).all() and (shares["most"] < fair + MIN_SHARE).all():
            verdict = EQUAL
        bound = float(bounds.get(tuple(cell.values()), np.nan))
        above_rows, below_rows = (tuple(side.itertuples(index=False)) for side in (above, below[::-1]))
        cells.append(SeatCell(**cell, verdict=verdict, above=above_rows, below=below_rows, bound=bound))
    return cells


def held_elsewhere(tables: Tables, game: Game) -> Iterator[str]:
    """Yield a sentence for each seat of `report.held` favoured in the base box: in how many other boxes it was too."""
    favoured = [cell for cell in seat_cells(tables) if cell.above and cell.variant == BASE]
    favoured_seats = {(cell.players, cell.lineup, int(cell.above[0].seat)) for cell in favoured}
    for entry in report_of(game).held:
        if (entry.players, entry.agent, entry.seat) in favoured_seats:
            seat, players = with_capital(seat_words(entry.seat, entry.players)), players_words(game, entry.agent)
            boxes = f"{entry.held} of {entry.boxes} other reconstructions that fit the known facts as well"
            yield f"{seat} was favoured at {entry.players} players, played by {players}, in {boxes}"


def seat_verdict(tables: Tables, game: Game, chunks: int = MAX_CHUNKS) -> Verdict:
    """Return which seat wins more or less than an equal share, or how much a seat wins at most; of the first variant.

    The numbers are those of usual players, if they are among those who play.
    """
    cells = seat_cells(tables, chunks)
    cells = sorted((cell for cell in cells if cell.variant == cells[0].variant), key=lambda cell: cell.players)
    found = {cell.verdict for cell in cells}
    if found <= {FEW}:
        return Verdict(f"There are too few games of {game.title} to say whether a seat is favoured.")
    statements = sorted(_seat_statements(cells, game), key=lambda statement: -len(statement.cells))
    unknown = max((cell.bound for cell in cells if cell.verdict == OPEN and cell.bound > 0), default=np.nan)
    notes: list[str] = []
    if statements:
        answer = statements[0].answer(game)
        notes += statements[0].others(game)
        notes += [statement.note(game) for statement in statements[1:_MOST_NOTED]]
        if unknown > 0:
            notes.append(f"Elsewhere a gain of up to {size_text(unknown)} could be missed.")
    elif found == {EQUAL}:
        where = _unless_all((cell.players for cell in cells), game)
        answer = f"Every seat of {game.title} wins its share{where}, to within half a game of 100."
    else:
        answer = _no_seat(cells, game)
        if len({(cell.players, cell.lineup) for cell in cells}) > 1 and unknown > 0:
            notes.append(f"Elsewhere a gain of up to {size_text(unknown)} could be missed.")
    if FEW in found:
        notes.append("Elsewhere there are too few games to say.")
    return Verdict(answer, notes=tuple(notes))


@dataclass(frozen=True)
class SeatStatement:
    """A seat that wins more than an equal share in some cells, or less."""

    seat: str  # in words
    is_more: bool
    cells: tuple[SeatCell, ...]  # in which this is known, and no other seat is further from an equal share
    lineups: tuple[str, ...]  # line-ups of whose games it is said: at all their player counts, or else a single one
    every: tuple[str, ...]  # all line-ups that play
    main: SeatCell  # the cell whose numbers are said

    @property
    def counts(self) -> list[int]:
        """The player counts at which it is said."""
        return sorted({cell.players for cell in self.cells if cell.lineup in self.lineups})

    def _row(self, cell: SeatCell) -> Any:
        return cell.above[0] if self.is_more else cell.below[0]

    def _players(self, game: Game) -> str:
        """Return who plays, if not all play alike: "with usual and trained players"; "" if one line-up plays."""
        if len(self.every) == 1:
            return ""
        names = [player_name(game, lineup) for lineup in self.lineups]
        if set(self.lineups) == set(self.every) and set(names) <= {*TIERS, RANDOM_MOVES}:
            return f"whoever plays, {listed(names, 'or')}"
        return f"with {players_words(game, *self.lineups, most=FEW_AGENTS, bare=True)}"

    @property
    def _more(self) -> str:
        return f"wins {'more' if self.is_more else 'less'} than its share"

    def _number(self) -> str:
        """Return the share of wins in the main cell as text."""
        return f"{games_of_100(self._row(self.main).value, among=[1 / self.main.players])} of 100 games"

    def answer(self, game: Game) -> str:
        """Return the statement as the answer of a study; of several line-ups with the number of one if it fits."""
        players = self._players(game)
        if len(self.lineups) == 1 == len(self.counts):
            return with_capital(f"{self._at_one_count()}{f', {players}' if players else ''}.")
        where = at_counts(self.counts, game)
        if not players:
            fair, shares = [1 / count for count in self.counts], [self._row(cell).value for cell in self.cells]
            return with_capital(f"{self.seat} {self._more} {where}: {games_of_100(*shares, among=fair)} of 100 games.")
        if len(self.lineups) == 1:
            number = f"{self._number()} at {self.main.players}"
            return with_capital(f"{players} {self.seat} {self._more} {where}: {number}.")
        sentence = f"{players}{',' * players.startswith('whoever')} {self.seat} {self._more}"
        sentence = f"{sentence}{_unless_all(self.counts, game)}"
        whole = f"{sentence}: {self._number_of_main(game)}"
        return with_capital(f"{whole if word_count(whole) <= MOST_WORDS else sentence}.")

    def _at_one_count(self) -> str:
        """Return the share of wins in the main cell, beside that of the seat that wins least, or an equal share."""
        fair = 1 / self.main.players
        words = f"{self.seat} wins {self._number()} at {self.main.players} players"
        other = next(iter(self.main.below), None) if self.is_more else None
        if other is None:
            return f"{words}, where {games_of_100(fair, among=[self._row(self.main).value])} would be fair"
        other_seat = seat_words(int(other.seat), self.main.players)
        other_seat = other_seat.replace(" player", " one") if other_seat.startswith("the ") else f"{other_seat} wins"
        return f"{words}, {other_seat} {games_of_100(other.value, among=[fair])}"

    def _number_of_main(self, game: Game) -> str:
        """Return the number with whose games, and which player count, it is of."""
        at = f" at {self.main.players}" if len(self.counts) > 1 else ""
        return f"{self._number()} with {players_words(game, self.main.lineup, bare=True)}{at}"

    def others(self, game: Game) -> Iterator[str]:
        """Yield the number of the main cell if the answer lacks it, and the other seats of that cell not equal."""
        if len(self.lineups) > 1 and (number := self._number_of_main(game)) not in self.answer(game):
            yield with_capital(f"{self.seat} wins {number}{' players' if len(self.counts) > 1 else ''}.")
        fair, seats = 1 / self.main.players, [*self.main.above, *self.main.below[::-1]]
        first, last = self._row(self.main), next(iter(self.main.below), None) if self.is_more else None
        is_last_said = len(self.lineups) == 1 == len(self.counts)
        rows = [row for row in seats if row is not first and not (row is last and is_last_said)]
        others = [
            f"{seat_words(int(row.seat), self.main.players)} wins {games_of_100(row.value, among=[fair])}"
            for row in rows
        ]
        if others:
            at = "" if is_last_said else f"at {self.main.players} players "
            with_whom = f"with {players_words(game, self.main.lineup)} " if len(self.lineups) > 1 else ""
            equal = games_of_100(fair, among=[row.value for row in rows])
            yield with_capital(f"{at}{with_whom}{listed(others)}; {equal} would be fair.")

    def note(self, game: Game) -> str:
        """Return the statement as a note beside another one."""
        players = self._players(game)
        players = f" {players}" if players.startswith("with") or not players else f", {players}"
        number = f"{self._number()} at {self.main.players} players"
        if len(self.lineups) > 1:
            number += f" with {players_words(game, self.main.lineup)}"
        return with_capital(f"{self.seat} {self._more}{players}: {number}.")


def _seat_statements(cells: Sequence[SeatCell], game: Game) -> Iterator[SeatStatement]:
    """Yield a statement on each seat that is known to win more, or less: a cell is in that of its furthest seat."""
    lineups = tuple(dict.fromkeys(cell.lineup for cell in cells))
    counts = grouped((cell.lineup, cell.players) for cell in cells)
    unequal = [cell for cell in cells if cell.verdict == UNEQUAL]
    usual = next((lineup for lineup in lineups if lineup == game.default_agent), lineups[-1])
    rows = ((bool(cell.above), (*cell.above, *cell.below)[0], cell) for cell in unequal)
    by_seat = grouped(((seat_words(int(row.seat), cell.players), is_more), cell) for is_more, row, cell in rows)
    for (seat, is_more), own in by_seat.items():
        own_counts = grouped((cell.lineup, cell.players) for cell in own)
        whole = [lineup for lineup in own_counts if own_counts[lineup] == counts[lineup]]
        said = whole or [usual if usual in own_counts else [*own_counts][-1]]
        main = usual if usual in said else said[-1]
        here = [cell for cell in own if cell.lineup == main]
        headline = next((cell for cell in here if cell.players == 4), here[0])
        yield SeatStatement(seat, is_more, tuple(own), tuple(said), lineups, headline)


def _no_seat(cells: Sequence[SeatCell], game: Game) -> str:
    """Return the most that a seat wins, as this is known of the headline's cell: usual players, 4 players."""
    known = [cell for cell in cells if cell.bound > 0]
    if not known:
        where = _unless_all((cell.players for cell in cells), game)
        return f"No seat of {game.title} is found to win more than its share{where}."
    usual = [cell for cell in known if cell.lineup == game.default_agent] or known
    cell = next((cell for cell in usual if cell.players == 4), usual[0])
    fair, most = 1 / cell.players, 1 / cell.players + cell.bound
    where = f" at {cell.players} players" if len(game.player_counts) > 1 else ""
    if len({each.lineup for each in cells}) > 1:
        where += f" with {players_words(game, cell.lineup, bare=True)}"
    if cell.bound <= _CLEAR:
        return f"No seat of {game.title} wins more than {games_at_most(most).removeprefix('at most ')}{where}."
    share = f"{games_at_most(most)}, {games_of_100(fair, among=[most])} would be fair"
    return f"No seat is found to win more than its share{where}: {share}."


def _unless_all(counts: Iterable[int], game: Game) -> str:
    """Return player counts as text, " at 3 and 4 players"; "" if they are all of the game's."""
    played = sorted(set(counts))
    return "" if played == sorted(game.player_counts) else f" {at_players(played)}"


def at_counts(counts: Sequence[int], game: Game) -> str:
    """Return player counts as text: "at every player count", "at 3 and 4 players"."""
    return "at every player count" if sorted(counts) == sorted(game.player_counts) else at_players(counts)
