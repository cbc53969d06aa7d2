"""Check `deal`: previous bytes of the state record, and earlier draws of chance, must not affect the game.

Records are reused, so `deal` receives one with the bytes of the previous game. It need not write every byte: some are
zero in all games, and some are written later, before they are read.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from strozzi_sim.agent import load_agent
from strozzi_sim.conformance.checked import Checked, differing_fields
from strozzi_sim.kernel.streams import SeatRng
from strozzi_sim.play.position import Position
from strozzi_sim.play.start import set_up_game
from strozzi_sim.simulation.match import Match

GAMES = 12  # games from which the used bytes of the record are found
OTHER = 0xAA  # a byte that `deal` is unlikely to write
Array = np.ndarray[Any, Any]


def _dealt(checked: Checked, before: Array) -> Position:
    """Return the game dealt into a state record that held the bytes `before`, uint8[itemsize]."""
    position = checked.position()
    start = set_up_game(checked.game, checked.players, checked.seed, checked.deal, checked.variant)
    position.state.view(np.uint8)[:], position.chance[:] = before, start.chance()[0]
    position.actor = start.kernels.deal(position.state, checked.variant.rules, position.chance, checked.players, 0)
    return position


def check_deal(checked: Checked, deals: int) -> None:
    """Check that games dealt into used records equal those dealt into a record of zeros, in all that seats can see."""
    zeros, used = np.zeros(checked.game.state.itemsize, np.uint8), _used(checked)
    for deal in range(deals):
        checked_deal = replace(checked, deal=deal, actions=[])
        for fill in (used, np.where(used > 0, OTHER, 0).astype(np.uint8)):
            clean, filled = _dealt(checked_deal, zeros), _dealt(checked_deal, fill)
            left = differing_fields(clean.state, filled.state)  # not reset
            if left and (what := _first_difference(checked_deal, clean, filled)):
                causes = [name for name in left if _shows_alone(replace(checked_deal), fill, name)]
                checked_deal.require("deal", False, f"`deal` does not reset {', '.join(causes or left)}: {what}")
            checked_deal.require("deal", True, "")
    _check_alone(checked, deals)


def _check_alone(checked: Checked, deals: int) -> None:
    """Check that every deal ends alone as it does among other deals, which share a chance record."""
    match = Match(checked.game, checked.players, (load_agent("random", checked.game),), checked.variant, checked.seed)
    deal = dependent_deal(match, deals)
    what = "the game ends differently after other deals: `deal` must call reset_source for every source of chance"
    replace(checked, deal=deal or 0, actions=[]).require("deal", deal is None, what)


def dependent_deal(match: Match, deals: int) -> int | None:
    """Return the first of the deals 0 to `deals` - 1 that ends differently alone than among the others, or None."""
    several = match.play(0, deals, rows=True).rows
    for deal in range(deals):
        alone = match.play(deal, deal + 1, rows=True).rows
        if alone.tobytes() != several[deal * match.players : (deal + 1) * match.players].tobytes():
            return deal
    return None


def _used(checked: Checked) -> Array:
    """Return the bits of the state record that are set at any time in GAMES games, uint8[itemsize]."""
    used = np.zeros(checked.game.state.itemsize, np.uint8)
    for deal in range(GAMES):
        table = _dealt(replace(checked, deal=deal), np.zeros(len(used), np.uint8))
        used |= table.state.view(np.uint8)
        for action in _choices(checked, table):
            table.play(action)
            used |= table.state.view(np.uint8)
    return used


def _choices(checked: Checked, table: Position) -> Iterable[int]:
    rng = SeatRng((checked.seed << 40) + (checked.deal << 8) + checked.players)
    while table.actor >= 0:
        legal = table.legal
        yield legal[rng.below(len(legal))]


def _first_difference(checked: Checked, clean: Position, filled: Position) -> str:
    checked.actions = []
    if what := _difference(checked, clean, filled):
        return what
    for action in _choices(checked, clean):
        clean.play(action)
        filled.play(action)
        checked.actions.append(action)
        if what := _difference(checked, clean, filled):
            return what
    return ""


def _difference(checked: Checked, clean: Position, filled: Position) -> str:
    if clean.actor != filled.actor:
        actors = [f"seat {table.actor}" if table.actor >= 0 else "no seat" for table in (clean, filled)]
        return f"{actors[1]} decides, {actors[0]} in a record of zeros"
    for seat in range(checked.players):
        if changed := differing_fields(*(checked.concealed(table.state, seat) for table in (clean, filled))):
            return f"seat {seat} is shown other bytes of {', '.join(changed)} than in a record of zeros"
        observations = [checked.observation(table.state, seat).tobytes() for table in (clean, filled)]
        if not checked.variant.hidden and observations[0] != observations[1]:
            return f"seat {seat} observes other numbers than in a record of zeros"
    if clean.actor >= 0 and clean.legal != filled.legal:
        return f"legal actions are {list(filled.legal)}, in a record of zeros {list(clean.legal)}"
    if not np.array_equal(checked.results(clean.state), checked.results(filled.state)):
        return "scores or places differ from those in a record of zeros"
    return ""


def _shows_alone(checked: Checked, fill: Array, name: str) -> bool:
    """Return whether the game differs if only the field `name` of the record held the bytes of `fill`."""
    kind, first = checked.game.state.fields[name][:2]  # type: ignore[index]
    one_field = np.zeros(len(fill), np.uint8)
    one_field[first : first + kind.itemsize] = fill[first : first + kind.itemsize]
    clean, filled = _dealt(checked, np.zeros(len(fill), np.uint8)), _dealt(checked, one_field)
    return bool(_first_difference(checked, clean, filled))
