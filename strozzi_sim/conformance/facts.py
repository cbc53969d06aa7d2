"""Check a game's facts: they are documented, equal from core and journal, and consistent with each other."""

import re
from functools import cache
from typing import Any

import numpy as np
from numba import types

from strozzi_sim.agent import load_agent
from strozzi_sim.conformance.checked import Checked
from strozzi_sim.errors import InputError
from strozzi_sim.facts.columns import SIZES, Column, GameConfig, Levels, Table
from strozzi_sim.facts.sink import batch_for
from strozzi_sim.game.contract import Game, apply, begin_match, close_game, deal, on_decision, open_game
from strozzi_sim.game.protocols import FactsPart
from strozzi_sim.kernel.jit import entry, jit
from strozzi_sim.kernel.journal import write_event
from strozzi_sim.kernel.record_types import array_type
from strozzi_sim.kernel.streams import CHANCE, deal_key, game_key, seed_chance
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.match import Match

DEALS = 8  # deals over which agreements are counted
_NAME = re.compile(r"[a-z][a-z0-9_]*")
Array = np.ndarray[Any, Any]


@jit
def _played(facts, states, rules, chances, key, players, number, actions):
    """Write the facts of a game from its core."""
    sink = facts[0]
    begin_match(sink, rules[0], players)
    open_game(sink, number)
    seed_chance(chances[0], key)
    deal(states[0], rules[0], players, 0, chances[0], sink)
    for k in range(actions.shape[0]):
        on_decision(sink, states[0], rules[0], actions[k])
        apply(states[0], rules[0], actions[k], chances[0], sink)
    close_game(sink, states[0], rules[0])


@jit
def _retold(facts, states, rules, players, number, rows):
    """Write the facts of a finished game from its journal."""
    sink = facts[0]
    begin_match(sink, rules[0], players)
    open_game(sink, number)
    for k in range(rows.shape[0]):
        write_event(sink, rows[k, 0], rows[k, 1], rows[k, 2], rows[k, 3], rows[k, 4], rows[k, 5])
    close_game(sink, states[0], rules[0])


@cache
def _kernels(game: Game) -> tuple[Any, Any]:
    game.register()
    sink, state, rules, chance = (array_type(dtype) for dtype in (game.facts.SINK, game.state, game.rules, CHANCE))
    i8 = types.int64
    return (
        entry(_played, types.void(sink, state, rules, chance, types.uint64, i8, i8, i8[::1]), game.name),
        entry(_retold, types.void(sink, state, rules, i8, i8, types.Array(types.int32, 2, "C")), game.name),
    )


def check_facts(here: Checked) -> None:
    """Check a game's fact tables, and their agreements over some games of a random player."""
    part = here.game.facts
    if part.TABLES is FactsPart.TABLES:  # the default
        return
    setting = GameConfig(here.players, here.variant.components)
    for table in part.TABLES:
        _check_table(here, table, setting)
    here.require("facts", batch_for(part.TABLES, setting) >= 1, "a table is smaller than the rows of one game")
    match = Match(here.game, here.players, (load_agent("random", here.game),), here.variant, here.seed)
    for what, one, other in part.AGREEMENTS:
        for crosstab in (one, other):
            here.require(
                "facts", crosstab.sums, f"agreement {what!r}: the crosstab of {crosstab.fact} has no sums to compare"
            )
        try:
            plan = match.plan([one, other])
        except InputError as error:
            here.require("facts", False, f"agreement {what!r}: {error}")
        counts = match.play(here.deal, here.deal + DEALS, plan=plan).counts[None]
        sums = [
            int(plan.read(crosstab, counts).reshape(-1, 1 + len(crosstab.sums))[:, 1:].sum())
            for crosstab in (one, other)
        ]
        here.require("facts", sums[0] == sums[1], f"{what}: {sums[0]} in {one.fact}, {sums[1]} in {other.fact}")


def _check_table(here: Checked, table: Table, setting: GameConfig) -> None:
    """Check names, texts, dtypes, and that levels fit the dtypes."""
    words = [(f"table {table.name}", table.name, table.text)]
    words += [(f"table {table.name}, column {column.name!r}", column.name, column.text) for column in table.columns]
    for where, own, text in words:
        here.require("facts", _NAME.fullmatch(own), f"{where}: a name must be lower-case letters, digits and _")
        here.require("facts", text.strip(), f"{where}: is not documented; describe it in `text`")
    for column in table.columns:
        name = f"table {table.name}, column {column.name!r}"
        here.require(
            "facts", column.dtype in SIZES, f"{name}: dtype {column.dtype!r} must be one of {', '.join(SIZES)}"
        )
        try:
            levels = column.levels_in(setting)
            for base in column.derived_from:
                table.column(base)
        except (InputError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            here.require("facts", False, f"{name}: {type(error).__name__}: {error}")
            return
        if levels is not None:
            limits = np.iinfo(np.dtype(column.dtype))
            fits = limits.min <= levels.starts[0] and levels.starts[-1] <= limits.max
            what = f"{name}: levels from {levels.starts[0]} to {levels.starts[-1]} do not fit {column.dtype}"
            here.require("facts", fits, what)
        if column.derived_from:
            _check_derived(here, table, column, setting, name)


def _check_derived(here: Checked, table: Table, column: Column, setting: GameConfig, name: str) -> None:
    """Check that a derived column has a value for each value of the columns that it is derived from."""
    bases = [table.column(base) for base in column.derived_from]
    is_grouped = all(base.levels_in(setting) is not None and not base.derived_from for base in bases)
    here.require("facts", is_grouped, f"{name}: derived from a column without levels, or from a derived column")
    shape = np.asarray(column.values(setting)).shape if column.values else ()
    tops = [base.levels_in(setting) for base in bases]
    enough = len(shape) == len(tops) and all(
        isinstance(top, Levels) and size > top.starts[-1] for size, top in zip(shape, tops, strict=True)
    )
    here.require("facts", enough, f"{name}: values of shape {shape} do not cover {', '.join(column.derived_from)}")


def check_core_matches_journal(here: Checked, position: Position) -> None:
    """Check that the core and the journal of a finished game have equal facts, and that these fit into the tables."""
    part = here.game.facts
    if part.TABLES is FactsPart.TABLES:  # the default
        return
    played, retold = np.zeros(1, part.SINK), np.zeros(1, part.SINK)
    played["asked"] = retold["asked"] = (1 << len(part.TABLES)) - 1
    state, chance = np.zeros(1, here.game.state), np.zeros(1, CHANCE)
    key = np.uint64(deal_key(here.seed, game_key(here.game.name), here.players, here.deal))
    actions = np.array(here.actions, np.int64)
    play, retell = _kernels(here.game)
    play(played, state, here.variant.rules, chance, key, here.players, here.deal, actions)
    retell(retold, position.state, here.variant.rules, here.players, here.deal, np.ascontiguousarray(position.journal))
    setting = GameConfig(here.players, here.variant.components)
    for table in part.TABLES:
        rows, most = int(played[f"{table.name}_rows"][0]), table.max_rows(setting)
        here.require("facts", rows <= most, f"table {table.name}: {rows} rows in a game, `most` is {most}")
        for column in table.written:
            levels, values = column.levels_in(setting), played[f"{table.name}_{column.name}"][0, :rows]
            if levels is not None and levels.exact:  # sums of such a column are computed from the rows of each level
                strange = np.setdiff1d(values, levels.starts).tolist()
                here.require(
                    "facts", not strange, f"table {table.name}: {column.name} is {strange}, not one of its levels"
                )
        if table.of_choices:
            continue
        again = int(retold[f"{table.name}_rows"][0])
        here.require("facts", rows == again, f"table {table.name}: {rows} rows from the core, {again} from the journal")
        for column in table.written:
            one, other = (sink[f"{table.name}_{column.name}"][0, :rows] for sink in (played, retold))
            here.require(
                "facts", (one == other).all(), f"table {table.name}: {column.name} differs between core and journal"
            )
