"""Which seats are favoured: a test of the seats of every cell, all corrected together, and what is said of them by strength of play."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import CELL, Tables, format_estimate, listed, pick
from strozzi_sim.game.significance import MIN_SHARE, missed
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study.wording import PLAY, players_words, seat_words, strengths

FAVOURED, EQUAL, OPEN, FEW = "favoured", "equal", "open", "few"
FEW_GROUPS, MOST_NAMED = 2, 4  # groups of cells, and agents of one, that are named one by one
FALSE_ALARMS = 0.02  # of studies whose seats are equal: a verdict is quoted without its footnote
_EQUAL_WORDS = f"every seat wins its share to within {100 * MIN_SHARE:g} points"
_FEW_WORDS = "there are too few games to say"


@dataclass(frozen=True)
class SeatCell:
    """The seats of one cell.

    Attributes:
        players, variant, lineup: the cell.
        verdict: FAVOURED if its test is significant and the best share is known to be above an equal one, by enough; EQUAL if no interval
            reaches as far; FEW without a test; else OPEN.
        best: row of the seat that wins most; None without one.
        bound: the largest gain of a seat that could be missed; NaN if it is not known.
    """

    players: int
    variant: str
    lineup: str
    verdict: str
    best: Any
    bound: float

    @property
    def place(self) -> str:
        """Who is favoured."""
        return seat_words(int(self.best["seat"]), self.players)


def seat_cells(tables: Tables) -> list[SeatCell]:
    """Return the seats of every cell."""
    tests, wins = pick(tables["balance"], figure="seat_fairness_p"), pick(tables["seats"], figure="win_share")
    bounds = pick(tables["balance"], figure="seat_favour_bound").set_index([*CELL])["value"]
    found = []
    for test, p in zip(tests.itertuples(index=False), holm(tests["value"].to_numpy()), strict=True):
        cell, fair = {key: getattr(test, key) for key in CELL}, 1 / test.players
        known = pick(wins, **cell).dropna(subset="value")
        verdict, best = OPEN, known.loc[known["value"].idxmax()] if len(known) else None
        if np.isnan(p) or best is None:
            verdict = FEW
        elif p < FALSE_ALARMS and best["low"] > fair and best["value"] >= fair + MIN_SHARE:
            verdict = FAVOURED
        elif (known["low"] > fair - MIN_SHARE).all() and (known["high"] < fair + MIN_SHARE).all():
            verdict = EQUAL
        bound = float(bounds.get(tuple(cell.values()), np.nan))
        found.append(SeatCell(**cell, verdict=verdict, best=best, bound=bound if bound > 0 else np.nan))
    return found


def seat_sentences(tables: Tables, game: Game) -> list[str]:
    """Return which seats are favoured and how large a gain could be missed, over all cells; then each player count with its shares.

    Where agents of several strengths each play by themselves, the strengths are named, and their agents last.
    """
    cells = seat_cells(tables)
    tiers = strengths(game, [cell.lineup for cell in cells])
    lines = list(_lines(cells, tiers))
    if not tiers:
        return [_overall(cells, game, tiers), *lines]
    agents = "; ".join(f"{PLAY[strength]}: {agent}" for strength, agent in tiers.items())
    left_out = game.tiers.get("search", "") if "search" not in tiers else ""
    rest = f" {PLAY['search'].capitalize()} ({left_out}) is left out; it takes search_deals." if left_out else ""
    overall = [_overall(cells, game, tiers)] if len(lines) > 1 else []
    return [*overall, *lines, f"{agents[:1].upper()}{agents[1:]}.{rest}"]


def _overall(cells: Sequence[SeatCell], game: Game, tiers: Mapping[str, str]) -> str:
    """Return the verdict on all cells."""
    verdicts, title = {cell.verdict for cell in cells}, game.title
    lineups = list(dict.fromkeys(cell.lineup for cell in cells))
    whom = f"Played by {players_words(game, lineups[0])}, " if len(lineups) == 1 else ""
    bounds = [cell.bound for cell in cells if cell.verdict == OPEN and cell.bound > 0]
    size = missed(max(bounds, default=np.nan), what="a gain")
    few = ", or there are too few games to say" if FEW in verdicts and size else ""
    if FAVOURED in verdicts:
        elsewhere = size + few or (_EQUAL_WORDS if EQUAL in verdicts else _FEW_WORDS) if len(verdicts) > 1 else ""
        words = f"{title} favours {_favours(cells, game, tiers, one=bool(whom))}{f'; elsewhere {elsewhere}' if elsewhere else ''}"
        return f"{whom}{words}."
    if verdicts <= {FEW}:
        words = f"there are too few games of {title} to say whether a seat is favoured"
    elif verdicts == {EQUAL}:
        words = _EQUAL_WORDS.replace("seat", f"seat of {title}", 1)
    else:
        words = f"no seat of {title} is known to win more than its share{f': {size}{few}' if size else ''}"
    return f"{whom}{words}." if whom else f"{words[:1].upper()}{words[1:]}."


def _favours(cells: Sequence[SeatCell], game: Game, tiers: Mapping[str, str], *, one: bool) -> str:
    """Return who is favoured, with whom and at which player counts; or in how many cells, if that is too much."""
    several, played = len({cell.variant for cell in cells}) > 1, {agent: PLAY[each] for each, agent in tiers.items()}
    counts: dict[tuple[str, str, str], list[str]] = {}
    for cell in cells:
        if cell.verdict == FAVOURED:
            counts.setdefault((cell.place, cell.variant, cell.lineup), []).append(str(cell.players))
    lineups: dict[tuple[str, str], list[str]] = {}
    for (place, variant, lineup), at in counts.items():
        where = f"at {listed(at)} players{f' in {variant}' if several else ''}"
        lineups.setdefault((place, where), []).append(played.get(lineup) or players_words(game, lineup))
    if len(lineups) > FEW_GROUPS or any(len(names) > MOST_NAMED for names in lineups.values()):
        places = Counter(cell.place for cell in cells if cell.verdict == FAVOURED)
        return f"{listed([f'{place} in {number}' for place, number in places.most_common()])} of {len(cells)} cells"
    found: dict[str, list[str]] = {}
    for (place, where), names in lineups.items():
        whom = "" if one else f"{'with' if tiers else 'in games of'} {listed(names)} "
        found.setdefault(place, []).append(whom + where)
    return listed([f"{place} {listed(each)}" for place, each in found.items()])


def _lines(cells: Sequence[SeatCell], tiers: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for every player count and variant: the favoured seats, and with strengths also where none is known to be."""
    several, played = len({cell.variant for cell in cells}) > 1, {agent: PLAY[each] for each, agent in tiers.items()}
    for players, variant in dict.fromkeys((cell.players, cell.variant) for cell in cells):
        shares: dict[str, list[str]] = {}
        others: dict[str, list[str]] = {}
        for cell in cells:
            whom = f"with {played[cell.lineup]}" if tiers else f"in games of {cell.lineup.replace(',', ', ')}"
            if (cell.players, cell.variant) != (players, variant):
                continue
            if cell.verdict == FAVOURED:
                shares.setdefault(cell.place, []).append(f"{format_estimate(cell.best, 'share')} {whom}")
            elif tiers:
                size = missed(cell.bound, what="a gain") if cell.verdict == OPEN else ""
                others.setdefault(cell.verdict, []).append(f"{whom}{f' ({size})' if size else ''}")
        words = {EQUAL: _EQUAL_WORDS, OPEN: "no seat is known to win more than its share", FEW: _FEW_WORDS}
        parts = [f"{place} wins {listed(each)}" for place, each in shares.items()]
        parts = [", ".join(parts) + f" ({100 / players:.3g} % would be equal)"] if parts else []
        parts += [f"{words[verdict]} {listed(each)}" for verdict, each in others.items()]
        if parts:
            yield f"At {players} players{f' in {variant}' if several else ''} {'; '.join(parts)}."
