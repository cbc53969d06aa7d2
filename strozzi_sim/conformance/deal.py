"""Check `deal`: previous bytes of the state record, and earlier draws of chance, must not affect the game.

Records are reused, so `deal` receives one with the bytes of the previous game. It need not write all of them: bytes
that no game uses stay zero, and others are written before they are read.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from strozzi_sim.agent import load_agent
from strozzi_sim.conformance.checked import Checked
from strozzi_sim.kernel.record_types import exact_copy
from strozzi_sim.kernel.streams import SeatRng
from strozzi_sim.play.start import set_up_game
from strozzi_sim.simulation.match import Match

GAMES = 12  # games from which the used bytes of the record are found
OTHER = 0xAA  # a byte that `deal` is unlikely to write
Array = np.ndarray[Any, Any]


class _Table:
    """A game whose state record was not empty before the deal."""

    def __init__(self, here: Checked, before: Array) -> None:
        self._here = here
        start = set_up_game(here.game, here.players, here.seed, here.deal, here.variant)
        self._kernels = start.moving
        self.state: Array = before.copy().view(here.game.state)  # the state, array of shape (1,)
        self._chance, _ = start.chance()
        # the seat that decides, -1 when the game is over
        self.actor = int(self._kernels.deal(self.state, here.variant.rules, self._chance, here.players, 0))

    def play(self, action: int) -> None:
        self.actor = int(self._kernels.step(self.state, self._here.variant.rules, self._chance, action))

    @property
    def legal(self) -> list[int]:
        found = np.zeros(self._here.game.actions, np.int64)
        count = self._kernels.legal(self.state, self._here.variant.rules, found)
        return [int(action) for action in found[:count]]

    def concealed(self, seat: int) -> Array:
        known = exact_copy(self.state)
        self._here.kernels.conceal(known, self._here.variant.rules, seat)
        return known

    def observed(self, seat: int) -> bytes:
        """Return the observation of the state itself, as agents receive it if nothing is hidden."""
        out = np.zeros(self._here.game.observation_size, np.float32)
        self._here.kernels.observe(self.state, self._here.variant.rules, seat, out)
        return out.tobytes()

    def results(self) -> Any:
        out = np.zeros((self._here.players, 3), np.int64)
        self._kernels.results(self.state, out)
        return out.tolist()


def check_deal(checked: Checked, deals: int) -> None:
    """Deal into records with other bytes, and play: every seat's knowledge and observation must equal those in a record of zeros."""
    size, names = checked.game.state.itemsize, checked.game.state.names or ()
    used = _used(checked)
    for deal in range(deals):
        here = replace(checked, deal=deal, actions=[])
        for fill in (used, np.where(used > 0, OTHER, 0).astype(np.uint8)):
            clean, filled = _Table(here, np.zeros(size, np.uint8)), _Table(here, fill)
            left = [name for name in names if clean.state[name].tobytes() != filled.state[name].tobytes()]
            if left and (what := _first_difference(here, clean, filled)):
                at = list(here.actions)
                shown = [name for name in left if _shows_alone(here, fill, name)]
                here.actions = at
                here.require("deal", False, f"`deal` does not reset {', '.join(shown or left)}: {what}")
            here.require("deal", True, "")
    _check_alone(checked, deals)


def _check_alone(here: Checked, deals: int) -> None:
    """Check that a deal ends as it does after others, whose chance record it gets."""
    match = Match(here.game, here.players, (load_agent("random", here.game),), here.variant, here.seed)
    several = match.play(0, deals, rows=True).rows
    for deal in range(deals):
        alone = match.play(deal, deal + 1, rows=True).rows
        same = alone.tobytes() == several[deal * here.players : (deal + 1) * here.players].tobytes()
        what = "the game ends differently after other deals: `deal` must call reset_source for every source of chance"
        replace(here, deal=deal, actions=[]).require("deal", same, what)


def _used(here: Checked) -> Array:
    """Return for every byte of the record the bits that some games set, uint8[itemsize]; 0 between the fields."""
    used = np.zeros(here.game.state.itemsize, np.uint8)
    for deal in range(GAMES):
        table = _Table(replace(here, deal=deal), np.zeros(len(used), np.uint8))
        used |= table.state.view(np.uint8)
        for action in _choices(here, table):
            table.play(action)
            used |= table.state.view(np.uint8)
    return used


def _choices(here: Checked, table: _Table) -> Iterable[int]:
    """Yield a random legal action at each decision of the game."""
    rng = SeatRng((here.seed << 40) + (here.deal << 8) + here.players)
    while table.actor >= 0:
        legal = table.legal
        yield legal[rng.below(len(legal))]


def _first_difference(here: Checked, clean: _Table, filled: _Table) -> str:
    """Play two games with equal actions, `here.actions`, up to the first difference; return it as text, or ""."""
    here.actions = []
    if what := _difference(here, clean, filled):
        return what
    for action in _choices(here, clean):
        clean.play(action)
        filled.play(action)
        here.actions.append(action)
        if what := _difference(here, clean, filled):
            return what
    return ""


def _difference(here: Checked, clean: _Table, filled: _Table) -> str:
    """Return the first difference between two positions in a seat's knowledge or the results, or ""."""
    if clean.actor != filled.actor:
        who, instead = (f"seat {table.actor}" if table.actor >= 0 else "no seat" for table in (clean, filled))
        return f"{instead} decides, {who} in a record of zeros"
    for seat in range(here.players):
        one, other = clean.concealed(seat), filled.concealed(seat)
        shown = [name for name in here.game.state.names or () if one[name].tobytes() != other[name].tobytes()]
        if shown:
            return f"seat {seat} is shown other bytes of {', '.join(shown)} than in a record of zeros"
        if not here.variant.hidden and clean.observed(seat) != filled.observed(seat):
            return f"seat {seat} observes other numbers than in a record of zeros"
    if clean.actor >= 0 and clean.legal != filled.legal:
        return f"legal actions are {filled.legal}, in a record of zeros {clean.legal}"
    if clean.results() != filled.results():
        return "scores or places differ from those in a record of zeros"
    return ""


def _shows_alone(here: Checked, fill: Array, name: str) -> bool:
    """Return whether a game differs if only this field had other bytes."""
    kind, first = here.game.state.fields[name][:2]  # type: ignore[index]
    alone = np.zeros(len(fill), np.uint8)
    alone[first : first + kind.itemsize] = fill[first : first + kind.itemsize]
    return bool(_first_difference(here, _Table(here, np.zeros(len(fill), np.uint8)), _Table(here, alone)))
