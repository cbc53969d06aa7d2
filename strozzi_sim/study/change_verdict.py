"""The verdict on variants: what a change does to who wins, or else to scores and to the length of a game.

One change of who wins is named: that of the gap between the seats, or else the largest one of a share of wins; in a
mixed line-up a share comes before the gap. It is named if it is known to have changed, and by enough that another seed
finds it too (see `_is_named`).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.declare.figure_tables import Tables, headline_players, pick
from strozzi_sim.declare.printing import digits_for, format_value, half_width
from strozzi_sim.declare.significance import rounded_up
from strozzi_sim.facts.figures import DECISIONS, SCORE
from strozzi_sim.game import Game
from strozzi_sim.game.component_names import difference_in_words
from strozzi_sim.game.sentences import listed, with_capital
from strozzi_sim.game.variants import Variant
from strozzi_sim.study.cells import SEAT_GAP
from strozzi_sim.study.changes import CHANGED, EQUAL, SMALL, UNCLEAR, pairs_of, winner_words, wins_of
from strozzi_sim.study.precision import missed_wins
from strozzi_sim.study.verdict import MOST_WORDS, Verdict, games_at_most, games_of_100, with_unit, word_count
from strozzi_sim.study.wording import players_words

_COUNTED = {
    CHANGED: "{} changed",
    SMALL: "{} changed too little to matter",
    UNCLEAR: "{} are not known to have changed",
    EQUAL: "{} are equal",
}
_LARGE = 2  # smallest differences that matter
_HARDLY, _SAME = "scores hardly change", "scores stay the same"


def change_verdict(
    tables: Tables, game: Game, boxes: Mapping[str, Variant], effect: float, chunks: int, *, beside: bool = False
) -> Verdict:
    """Return what each second variant changes, the largest change as the answer; the others are notes.

    Of several pairs, or `beside` another study, the answer names its pair. That nobody wins more or less is said only
    if changes of `effect` are excluded for all shares of wins together, by the intervals of the table precision too.
    """
    pairs = sorted(pairs_of(tables), key=lambda pair: -change_size(pair[1], game))
    several, answers, notes, counts = beside or len(pairs) > 1, list[str](), list[str](), list[str]()
    subject = ""
    for (first, second), rows in pairs:
        cell = _headline_cell(rows, game)
        where = f" at {cell['players'].iloc[0]} players" if rows["players"].nunique() > 1 else ""
        of_pair = f"{second} beside {first}: " if several else ""
        if rows["lineup"].nunique() > 1:
            who = f"played by {players_words(game, str(cell['lineup'].iloc[0]), bare=True)}"
            where += "" if several else f", {who}"
            notes += [f"{of_pair}{who}."] if several else []
        told, more = _told(
            cell, game, missed_wins(tables, wins_of(cell), chunks), effect, notes_missed="precision" not in tables
        )
        answers.append(f"{with_capital(f'{of_pair}{told}')}{where}.")
        notes += [*more, *_elsewhere(rows, cell, game, effect)] if len(pairs) == 1 else []
        rows_of = rows["verdict"].value_counts()
        counted = listed([words.format(f"{rows_of[each]:,}") for each, words in _COUNTED.items() if each in rows_of])
        counts.append(f"{of_pair}Of {len(rows):,} figures, {counted}.")
        notes.append(counts[-1])
        beginning = "Changed" if beside else f"Changed in {second}" if several else "You changed"
        if len(answers) == 1 and word_count(answers[0]) > MOST_WORDS:
            answers[0], beginning = f"{with_capital(told)}{where}.", f"{second} beside {first}"
        if not subject and {first, second} <= boxes.keys():
            subject = with_capital(difference_in_words(game, boxes[first], boxes[second], beginning))
    if not answers:
        return Verdict(f"There are too few games of {game.title} to compare the variants.")
    return Verdict(answers[0], subject, (*answers[1:], *notes), unprinted=tuple(counts))


def change_size(rows: pd.DataFrame, game: Game) -> float:
    """Return the size of the largest change of wins or of the gap in the headline's cell; 0 if none is significant."""
    changed = pick(_headline_cell(rows, game), verdict=CHANGED)
    shares = pd.concat([wins_of(changed), pick(changed, table="balance", figure=SEAT_GAP.name)])
    return float(shares["value"].abs().max()) if len(shares) else 0.0


def _headline_cell(rows: pd.DataFrame, game: Game) -> pd.DataFrame:
    """Return the rows of the headline: of usual players, or else those of the last line-up; 4 players or the fewest."""
    usual = pick(rows, lineup=game.default_agent)
    rows = usual if len(usual) else pick(rows, lineup=rows["lineup"].iloc[-1])
    return pick(rows, players=headline_players(rows))


def _told(cell: pd.DataFrame, game: Game, missed: float, effect: float, *, notes_missed: bool) -> tuple[str, list[str]]:
    """Return the change of who wins in a cell as text, or else the largest one of scores and length; and notes.

    Args:
        cell: rows of the table changes.
        game: the game.
        missed: largest change of a share of wins that is not excluded, or 0.
        effect: smallest share of wins that matters.
        notes_missed: whether a note says what could be missed, if the text does not; a precision has its own.
    """
    changed = _other_changes(cell, game)
    others = [words for words, _ in changed]
    notes = [f"{with_capital(words)}." for words in others]
    if wins := _changed_wins(cell, game, effect):
        return wins, notes
    of_wins = wins_of(cell)
    if of_wins.empty:
        return others[0] if others else "no change of scores is found", [*notes[1:], "No games won are compared."]
    least = "a game of 100" if effect == 0.01 else f"{100 * effect:g} games of 100"
    # If any, it is others[0], since what hardly changes is sorted last; so all notes after the first are left to say.
    joined = next((f", but {words}" for words, is_large in changed if is_large), "")
    if set(of_wins["verdict"]) <= {SMALL, EQUAL} and not missed > effect:
        if set(of_wins["verdict"]) == {EQUAL} and others == [_SAME]:
            return "nobody wins more or less, and every score stays the same", []
        joined = joined or "".join(f"; {words}" for words in others[:1])
        return f"nobody wins {least} more or less{joined}", notes[1:]
    told = "who wins hardly changes" if missed <= _LARGE * effect else _nothing_large(cell)
    if not joined:
        return f"{told}: {games_at_most(missed)} more or less" if missed > 0 else told, notes
    unseen = [f"{rounded_up(missed)} of 100 games more or less could be missed."] if notes_missed and missed > 0 else []
    return f"{told}{joined}", [*unseen, *notes[1:]]


def _nothing_large(cell: pd.DataFrame) -> str:
    """Return as text that no change of who wins is named in a cell: no large one, if a small one is significant."""
    of_gap = pick(cell, table="balance", figure=SEAT_GAP.name)
    is_any = CHANGED in {*wins_of(cell)["verdict"], *of_gap["verdict"]}
    return f"no {'large ' * is_any}change of who wins is found"


def _other_changes(cell: pd.DataFrame, game: Game) -> list[tuple[str, bool]]:
    """Return what is known of the changes of the mean score and of the length of a game, the largest first.

    Each is text, and whether it is a change that is not known to be too small to matter.
    """
    balance = pick(cell, table="balance")
    told = list[tuple[float, str]]()
    for figure in (SCORE, DECISIONS):
        for row in pick(balance, figure=figure.name).itertuples(index=False):
            words = _score_words(row, game) if figure is SCORE else _length_words(row)
            if words:
                is_large = row.verdict == CHANGED and words != _HARDLY
                size = float(np.nan_to_num(abs(row.size), nan=np.inf))
                told.append((size if is_large else -1.0, words))
    return [(words, size >= 0) for size, words in sorted(told, key=lambda each: -each[0])]


def _is_named(rows: pd.DataFrame, effect: float) -> pd.Series:
    """Return which figures are known to have changed by `effect`, or have changed by _LARGE times as much."""
    distance = rows["value"].abs()
    half = (rows["high"] - rows["low"]) / 2
    return (rows["verdict"] == CHANGED) & ((distance - half >= effect) | (distance >= _LARGE * effect))


def _changed_wins(cell: pd.DataFrame, game: Game, effect: float) -> str:
    """Return the change of the gap between the seats, or else the largest of a share of wins; "" if none is named."""
    named = cell[_is_named(cell, effect)]
    gap = next(pick(named, table="balance", figure=SEAT_GAP.name).itertuples(index=False), None)
    wins = wins_of(named)
    if gap is not None and (wins["table"] != "lineup").all():
        fairer, falls = ("fairer", "falls") if gap.value < 0 else ("less fair", "rises")
        before, after = (format_value(side, SEAT_GAP, bare=True) for side in (gap.before, gap.before + gap.value))
        return f"{fairer}: the gap between the seats {falls} from {before} to {after} points"
    if wins.empty:
        return ""
    row = wins.loc[wins["value"].abs().idxmax()]
    old, new = float(row["before"]), float(row["before"] + row["value"])
    shares = games_of_100(new, among=[old]), games_of_100(old, among=[new])
    return f"{winner_words(row, game)} wins {shares[0]} of 100 games instead of {shares[1]}"


def _score_words(row: Any, game: Game) -> str:
    """Return the change of the mean score as text; "" if it is unclear."""
    digits = max(digits_for(row.value, half_width(row), SCORE, 0), 0)
    is_known = row.verdict == CHANGED or (row.verdict == SMALL and not row.low <= 0 <= row.high)
    if is_known and round(abs(row.value), digits) > 0:
        size = with_unit(format_value(abs(row.value), SCORE, digits), game)
        return f"scores {'rise' if row.value > 0 else 'fall'} by {'only ' * (row.verdict == SMALL)}{size}"
    return {CHANGED: _HARDLY, SMALL: _HARDLY, EQUAL: _SAME}.get(row.verdict, "")


def _length_words(row: Any) -> str:
    """Return the change of the decisions in a game as text; "" unless they are known to change, by enough to show."""
    after, before = (format_value(side, DECISIONS, 0) for side in (row.before + row.value, row.before))
    return f"a game takes {after} decisions instead of {before}" if row.verdict == CHANGED and after != before else ""


def _elsewhere(rows: pd.DataFrame, cell: pd.DataFrame, game: Game, effect: float) -> Iterator[str]:
    """Yield for each other player count and line-up what changed there."""
    shown = (cell["players"].iloc[0], cell["lineup"].iloc[0])
    for (players, lineup), own in rows.groupby(["players", "lineup"], sort=False):
        if (players, lineup) != shown:
            told = _changed_wins(own, game, effect) or _nothing_large(own)
            who = f", played by {players_words(game, str(lineup))}" if rows["lineup"].nunique() > 1 else ""
            yield f"At {players} players{who}: {told}."
