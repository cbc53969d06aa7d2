"""The seats of a study: which win more or less than an equal share, as the answer to the question of fairness."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from strozzi_sim.declare.figure_tables import CELL, Tables, pick
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.printing import format_value
from strozzi_sim.declare.significance import MAX_CHUNKS, MIN_SHARE, missed, rounded_up, size_text, widened
from strozzi_sim.facts.figures import WIN_SHARE
from strozzi_sim.game import Game
from strozzi_sim.game.sentences import listed, seat_words, with_capital
from strozzi_sim.game.variants import BASE
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study.verdict import MOST_WORDS, MOST_WORDS_ON_SCREEN, Verdict, games_at_most, games_of_100, word_count
from strozzi_sim.study.wording import (
    FEW_AGENTS,
    at_players,
    grouped,
    listed_counts,
    players_words,
    strengths,
)

UNEQUAL, EQUAL, OPEN, FEW = "unequal", "equal", "open", "few"
FALSE_ALARMS = 0.02  # largest share of studies of equal seats that name one; verdicts are quoted without notes
_CLEAR = 0.03  # largest gain that could be missed of which it is said that no seat wins more
_MOST_OF_STRENGTHS = MOST_WORDS_ON_SCREEN - MOST_WORDS  # words of the numbers of all strengths
_MOST_NOTED = 4  # most line-ups of whose seats there is a note


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

    The numbers of the answer are those of usual players, if they are among those who play; it also names the player
    counts at which no seat is found to win more. The notes say the same of the other line-ups.
    """
    cells = seat_cells(tables, chunks)
    cells = sorted((cell for cell in cells if cell.variant == cells[0].variant), key=lambda cell: cell.players)
    found = {cell.verdict for cell in cells}
    if found <= {FEW}:
        return Verdict(f"There are too few games of {game.title} to say whether a seat is favoured.")
    statements = sorted(_seat_statements(cells, game), key=lambda statement: -len(statement.cells))
    notes: list[str] = []
    subject = ""
    if statements:
        first = statements[0]
        whole = first.whole_answer(game, cells, statements[1:])
        answer = whole or first.short_answer(game, cells)
        wins = pick(tables["seats"], figure="win_share")
        low, high = widened(wins, chunks)
        wins = pick(wins.assign(low=low, high=high), variant=first.main.variant)
        agents = strengths(game, _lineups(cells))
        unsure = {(cell.lineup, cell.players) for cell in cells if cell.verdict == OPEN}
        subject = _by_strength(first, wins, agents, unsure, is_whole=bool(whole)) if agents else ""
        said = () if not whole else first.lineups if agents else (first.main.lineup,)
        others = [lineup for lineup in _lineups(cells) if lineup not in said]
        notes += [_note(game, cells, lineup, statements) for lineup in others[:_MOST_NOTED]]
        notes += first.others(game, _lineups(cells))
    elif found == {EQUAL}:
        where = _unless_all((cell.players for cell in cells), game)
        answer = f"Every seat of {game.title} wins its share{where}, to within half a game of 100."
    else:
        answer = _no_seat(cells, game)
        unknown = max((cell.bound for cell in cells if cell.verdict == OPEN and cell.bound > 0), default=np.nan)
        if len({(cell.players, cell.lineup) for cell in cells}) > 1 and unknown > 0:
            notes.append(f"Elsewhere {missed(unknown, what='a gain')}.")
    if FEW in found:
        notes.append("Elsewhere there are too few games to say.")
    return Verdict(answer, subject, notes=tuple(filter(None, notes)))


def _by_strength(
    statement: "SeatStatement",
    wins: pd.DataFrame,
    agents: Mapping[str, str],
    unsure: set[tuple[str, int]],
    *,
    is_whole: bool,
) -> str:
    """Return the games of 100 that the statement's seat wins among players of the other strengths, as a sentence.

    A strength that has too few games at one of the player counts is left out, and an equal share if there is no room.

    Args:
        statement: what the headline says, with the numbers of one strength.
        wins: the share of wins of every seat, with intervals widened for the number of all seats.
        agents: strength -> agent, of all who play.
        unsure: agents and player counts at which it is not known whether any seat wins more, which a "?" marks where
            the interval of this seat alone suggests it.
        is_whole: whether the headline has the numbers of its strength; otherwise they are among these.
    """
    main = statement.main.lineup
    counts = [cell.players for cell in statement.of(main)]
    at = at_players(counts) if len(counts) < wins["players"].nunique() else ""
    # a headline on whoever plays does not say whose the numbers are
    whose = next(name for name, agent in agents.items() if agent == main)
    whose = f"{whose} players" if is_whole and len(statement.lineups) == len(agents) else ""
    seat = statement.seat if len(counts) == 1 and not whose else ""  # the headline may name another seat beside it
    first = " ".join(filter(None, [seat, whose, at]))
    texts = [first] if first else []
    halves: list[float] = []
    is_any_doubtful = False
    for strength, agent in agents.items():
        rows = wins[(wins["lineup"] == agent) & wins["value"].notna()].itertuples(index=False)
        own = {row.players: row for row in rows if seat_words(int(row.seat), row.players) == statement.seat}
        shown = [own[count] for count in counts if count in own]
        if (agent != main or not is_whole) and len(shown) == len(counts):
            half = max(max(row.high - row.value, row.value - row.low) for row in shown)
            is_doubtful = [abs(row.value - 1 / row.players) > half and (agent, row.players) in unsure for row in shown]
            shares = zip([_games(row.value) for row in shown], is_doubtful, strict=True)
            texts.append(f"{strength}: {', '.join(share + '?' * doubt for share, doubt in shares)}")
            halves.append(half)
            is_any_doubtful |= any(is_doubtful)
    if halves:
        widths = dict.fromkeys([rounded_up(min(halves)), rounded_up(max(halves))])
        texts.append(f"± {' to '.join(widths)}")
    if is_any_doubtful:
        texts.append("?: unsure")
    fair = f"fair: {', '.join(_games(1 / count) for count in counts)}"
    if word_count(" ".join([*texts, fair])) <= _MOST_OF_STRENGTHS:
        texts.append(fair)
    return f"{with_capital('; '.join(texts))}." if texts else ""


def _games(share: float) -> str:
    return format_value(share, WIN_SHARE, 0, bare=True)


@dataclass(frozen=True)
class SeatStatement:
    """A seat that wins more than an equal share in some cells, or less."""

    seat: str  # in words
    is_more: bool
    cells: tuple[SeatCell, ...]  # in which this is known, and no other seat is further from an equal share
    lineups: tuple[str, ...]  # line-ups of whose games it is said: at all their player counts, or else a single one
    main: SeatCell  # the cell of the headline

    def of(self, lineup: str) -> list[SeatCell]:
        """Return the cells of a line-up."""
        return [cell for cell in self.cells if cell.lineup == lineup]

    def _row(self, cell: SeatCell) -> Any:
        return cell.above[0] if self.is_more else cell.below[0]

    def _numbers(self, cells: Sequence[SeatCell]) -> str:
        """Return the games of 100 that the seat wins in some cells: "39, 31 and 25"."""
        shares = [(self._row(cell).value, 1 / cell.players) for cell in cells]
        close = [fair for share, fair in shares if games_of_100(share) == games_of_100(fair)]
        return games_of_100(*(share for share, _ in shares), among=close)

    def wins(self, cells: Sequence[SeatCell]) -> str:
        """Return how often the seat wins in some cells: "the last player wins only 19 of 100"."""
        return f"{self.seat} wins {'' if self.is_more else 'only '}{self._numbers(cells)} of 100"

    def _more(self, game: Game, every: Sequence[str]) -> str:
        """Return the statement without numbers, beginning with who plays if several of the line-ups `every` do."""
        return f"{self._who(game, every)}{self.seat} wins {'more' if self.is_more else 'less'} than its share"

    def _who(self, game: Game, every: Sequence[str]) -> str:
        """Return who plays: "whoever plays, ", "with usual and trained players "; "" if one line-up plays."""
        if len(self.lineups) == len(every) and strengths(game, every):
            return "whoever plays, "
        return _with(game, self.lineups, every)

    def whole_answer(self, game: Game, cells: Sequence[SeatCell], others: Sequence["SeatStatement"]) -> str:
        """Return the answer of a study with these cells that has the headline's results at all player counts.

        At some of them it may be of the `others`, or that nothing is found. "" if it takes more than MOST_WORDS.
        """
        texts = self._whole_answers(game, cells, others)
        return next((with_capital(f"{text}.") for text in texts if word_count(text) <= MOST_WORDS), "")

    def _whole_answers(self, game: Game, cells: Sequence[SeatCell], others: Sequence["SeatStatement"]) -> Iterator[str]:
        own, every = self.of(self.main.lineup), _lineups(cells)
        counts, numbers = [cell.players for cell in own], f"{self._numbers(own)} of 100 games"
        who, more = self._who(game, every), self._more(game, every)
        if len(self.lineups) > 1 and strengths(game, every):
            who = who if len(self.lineups) == len(every) else _with(game, [self.main.lineup], every)
            share = f"{self.seat} wins {'more' if self.is_more else 'less'} than its share"
            yield f"{who}{share}: {numbers} at {listed_counts(counts)} players"
        elif len(self.lineups) > 1:
            of_main = f"({players_words(game, self.main.lineup, bare=True)}: {numbers})"
            yield f"{more} {at_counts(counts, game)} {of_main}"
            yield f"{more}{_unless_all(counts, game)} {of_main}"
        elif len(own) == 1:
            yield f"{who}{self._at_one_count(' games')}{self._rest(cells, others, is_short=False)}"
            for games in (" games", ""):
                yield f"{who}{self._at_one_count(games)}{self._rest(cells, others, is_short=True)}"
        elif self._rest(cells, others, is_short=True):
            at = listed([str(count) for count in counts])
            yield f"{who}{self.wins(own)} games at {at} players{self._rest(cells, others, is_short=False)}"
            for games in (" games", ""):
                yield f"{who}{self.wins(own)}{games} at {at}{self._rest(cells, others, is_short=True)}"
        else:
            yield f"{more} {at_counts(counts, game)}: {numbers}"

    def _rest(self, cells: Sequence[SeatCell], others: Sequence["SeatStatement"], *, is_short: bool) -> str:
        """Return the results at the other player counts as clauses: "; at 6 no seat wins over 2 points more"."""
        clauses = []
        wins = "" if is_short else " wins"
        for statement in others:
            if own := statement.of(self.main.lineup):
                seat = statement.seat.removesuffix(" player") if is_short else statement.seat
                only = "" if statement.is_more else " only"
                clauses.append((own, f"{seat}{wins}{only} {statement._numbers(own)}"))
        if none := _without_a_seat(cells, self.main.lineup):
            clauses.append((none, f"no seat{wins} {_most_gained(none, 'over')}"))
        return "".join(f"; at {listed([str(cell.players) for cell in own])} {clause}" for own, clause in clauses)

    def short_answer(self, game: Game, cells: Sequence[SeatCell]) -> str:
        """Return the answer of a study with these cells that has one number, or none if it has no room."""
        counts = [cell.players for cell in self.of(self.main.lineup)]
        sentence = f"{self._more(game, _lineups(cells))}{_unless_all(counts, game)}"
        usual = f" with {players_words(game, self.main.lineup, bare=True)}" if len(self.lineups) > 1 else ""
        at = f" at {self.main.players}" if len(counts) > 1 else ""
        whole = f"{sentence}: {self._numbers([self.main])} of 100 games{usual}{at}"
        return with_capital(f"{whole if word_count(whole) <= MOST_WORDS else sentence}.")

    def _at_one_count(self, games: str) -> str:
        """Return the share of wins in the main cell, beside that of the seat that wins least, or an equal share."""
        fair = 1 / self.main.players
        words = f"{self.seat} wins {self._numbers([self.main])} of 100{games} at {self.main.players} players"
        other = next(iter(self.main.below), None) if self.is_more else None
        if other is None:
            return f"{words}, where {games_of_100(fair, among=[self._row(self.main).value])} would be fair"
        other_seat = seat_words(int(other.seat), self.main.players)
        other_seat = other_seat.replace(" player", " one") if other_seat.startswith("the ") else f"{other_seat} wins"
        return f"{words}, {other_seat} {games_of_100(other.value, among=[fair])}"

    def others(self, game: Game, every: Sequence[str]) -> Iterator[str]:
        """Yield a sentence on the other seats of the main cell that are not equal; it says which of `every` plays."""
        fair, seats = 1 / self.main.players, [*self.main.above, *self.main.below[::-1]]
        first, last = self._row(self.main), next(iter(self.main.below), None) if self.is_more else None
        is_last_said = len(self.lineups) == 1 == len(self.of(self.main.lineup))
        rows = [row for row in seats if row is not first and not (row is last and is_last_said)]
        others = [
            f"{seat_words(int(row.seat), self.main.players)} wins {games_of_100(row.value, among=[fair])}"
            for row in rows
        ]
        if others:
            at = "" if is_last_said else f"at {self.main.players} players "
            with_whom = f"with {players_words(game, self.main.lineup)} " if len(every) > 1 else ""
            equal = games_of_100(fair, among=[row.value for row in rows])
            yield with_capital(f"{at}{with_whom}{listed(others)}; {equal} would be fair.")


def _seat_statements(cells: Sequence[SeatCell], game: Game) -> Iterator[SeatStatement]:
    """Yield a statement on each seat that is known to win more, or less: a cell is in that of its furthest seat.

    Of seats that are not told apart, it is in that of the one which is furthest in most cells: so one seat is named.
    """
    lineups = _lineups(cells)
    counts = grouped((cell.lineup, cell.players) for cell in cells)
    unequal = [cell for cell in cells if cell.verdict == UNEQUAL]
    leads = Counter(int(cell.above[0].seat) for cell in unequal if cell.above)
    unequal = [_led_by_the_usual(cell, leads) for cell in unequal]
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
        yield SeatStatement(seat, is_more, tuple(own), tuple(said), headline)


def _led_by_the_usual(cell: SeatCell, leads: Mapping[int, int]) -> SeatCell:
    """Return a cell whose first favoured seat, of those not told apart from it, is the one that leads most often."""
    if not cell.above:
        return cell
    lowest = cell.above[0].least
    first = max((row for row in cell.above if row.most >= lowest), key=lambda row: leads[int(row.seat)])
    return cell._replace(above=(first, *(row for row in cell.above if row is not first)))


def _lineups(cells: Sequence[SeatCell]) -> list[str]:
    """Return the line-ups of some cells in order."""
    return list(dict.fromkeys(cell.lineup for cell in cells))


def _without_a_seat(cells: Sequence[SeatCell], lineup: str) -> list[SeatCell]:
    """Return the cells of a line-up in which no seat is known to win more or less."""
    return [cell for cell in cells if cell.lineup == lineup and cell.verdict in (OPEN, EQUAL)]


def _most_gained(cells: Sequence[SeatCell], least: str) -> str:
    """Return the largest gain of a seat that could be missed in some cells, after `least`: "over 2 points more"."""
    bounds = [cell.bound for cell in cells if cell.bound > 0]
    return f"{least} {size_text(max(bounds))} more" if bounds else "clearly more"


def _with(game: Game, lineups: Sequence[str], every: Sequence[str]) -> str:
    """Return who plays as the beginning of a sentence, "with usual players "; "" if one line-up plays in all."""
    return f"with {players_words(game, *lineups, most=FEW_AGENTS, bare=True)} " if len(every) > 1 else ""


def _note(game: Game, cells: Sequence[SeatCell], lineup: str, statements: Sequence[SeatStatement]) -> str:
    """Return a sentence on the seats of a line-up at all its player counts; "" if there are too few games."""
    counts = {cell.players for cell in cells if cell.lineup == lineup}
    clauses = []
    for statement in statements:
        if own := statement.of(lineup):
            at = f" {at_players(cell.players for cell in own)}" if len(counts) > 1 else ""
            clauses.append(f"{statement.wins(own)} games{at}")
    if none := _without_a_seat(cells, lineup):
        at = f" {at_players(cell.players for cell in none)}" if len(none) < len(counts) else ""
        is_open = any(cell.verdict == OPEN for cell in none)  # as a picture's interval may suggest
        known = "it is not certain that a seat wins more" if is_open else "no seat is found to win more"
        clauses.append(f"{known}{at}: {_most_gained(none, 'at most')}")
    return with_capital(f"{_with(game, [lineup], _lineups(cells))}{'; '.join(clauses)}.") if clauses else ""


def _no_seat(cells: Sequence[SeatCell], game: Game) -> str:
    """Return the most that a seat wins, as this is known of usual players, or else of those that are first."""
    known = [cell for cell in cells if cell.bound > 0]
    if not known:
        where = _unless_all((cell.players for cell in cells), game)
        return f"No seat of {game.title} is found to win more than its share{where}."
    shown = game.default_agent if game.default_agent in _lineups(known) else known[0].lineup
    usual = [cell for cell in known if cell.lineup == shown]
    with_whom = f" with {players_words(game, usual[0].lineup, bare=True)}" if len(_lineups(cells)) > 1 else ""
    if len(usual) > 1:
        numbers = listed([size_text(1 / cell.players + cell.bound).removesuffix(" points") for cell in usual])
        at = listed([str(cell.players) for cell in usual])
        return f"No seat clearly wins more{with_whom}: at most {numbers} of 100 games at {at} players."
    (cell,) = usual
    fair, most = 1 / cell.players, 1 / cell.players + cell.bound
    where = f" at {cell.players} players{with_whom}" if len(game.player_counts) > 1 else with_whom
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
