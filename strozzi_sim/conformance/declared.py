"""Check what a game declares of its statistics: its facts and its report.

A page omits a picture without rows, since a study may lack such events, so that a misspelt name would go unnoticed.
"""

import re
from collections.abc import Iterable, Mapping
from functools import partial
from operator import gt
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.agent import load_agent
from strozzi_sim.conformance.checked import Checked
from strozzi_sim.conformance.kernels import kernels
from strozzi_sim.declare.finding import Comparison
from strozzi_sim.declare.pages import report_of
from strozzi_sim.declare.pictures import SCENARIO, Picture, unknown_figures
from strozzi_sim.errors import InputError, short_repr, suggest_names
from strozzi_sim.facts.columns import SIZES, Column, GameConfig, Table
from strozzi_sim.facts.sink import batch_for
from strozzi_sim.game.parts import FactsPart
from strozzi_sim.game.variants import BASE
from strozzi_sim.kernel.streams import CHANCE, deal_key, game_key
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.match import Match
from strozzi_sim.study.cells import CellCounts
from strozzi_sim.study.games import figures_of_games

DEALS = 8  # deals over which agreements are counted
CHUNK_DEALS, CHUNKS = 4, 2  # of a report: deals per chunk, and chunks per player count and line-up
_NAME = re.compile(r"[a-z][a-z0-9_]*")
Array = np.ndarray[Any, Any]


def check_facts(checked: Checked) -> None:
    """Check a game's fact tables, and their agreements over some games of a random player."""
    part = checked.game.facts
    if part.TABLES is FactsPart.TABLES:  # the default
        return
    config, require = checked.setting, partial(checked.require, "facts")
    for table in part.TABLES:
        _check_table(checked, table, config)
    try:
        batch_for(part.TABLES, config)
    except InputError as error:
        require(False, str(error))
    match = Match(checked.game, checked.players, (load_agent("random", checked.game),), checked.variant, checked.seed)
    for agreement, first, second in part.AGREEMENTS:
        try:
            plan = match.plan([first, second])
        except InputError as error:
            require(False, f"agreement {agreement!r}: {error}")
            continue
        counts = match.play(checked.deal, checked.deal + DEALS, plan=plan).counts[None]
        sums = []
        for crosstab in (first, second):
            rows_and_sums = plan.read(crosstab, counts).reshape(-1, 1 + len(crosstab.sums))
            sums.append(int(rows_and_sums[:, bool(crosstab.sums) :].sum()))
        require(sums[0] == sums[1], f"{agreement}: {sums[0]} in {first.fact}, {sums[1]} in {second.fact}")


def _check_table(checked: Checked, table: Table, config: GameConfig) -> None:
    require = partial(checked.require, "facts")
    described = [(f"table {table.name}", table.name, table.text)]
    described += [(f"table {table.name}, column {column.name!r}", column.name, column.text) for column in table.columns]
    for where, word, text in described:
        require(_NAME.fullmatch(word), f"{where}: a name must be lower-case letters, digits and _, a letter first")
        require(text.strip(), f"{where}: is not documented; describe it in `text`")
    for column in table.columns:
        name = f"table {table.name}, column {column.name!r}"
        require(column.dtype in SIZES, f"{name}: dtype {column.dtype!r} must be one of {', '.join(SIZES)}")
        try:
            levels = column.levels_in(config)
            for base in column.derived_from:
                table.column(base)
        except (InputError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            require(False, f"{name}: {type(error).__name__}: {error}")
            continue
        if levels is not None:
            limits = np.iinfo(np.dtype(column.dtype))
            fits = limits.min <= levels.starts[0] and levels.starts[-1] <= limits.max
            what = f"{name}: levels from {levels.starts[0]} to {levels.starts[-1]} do not fit {column.dtype}"
            require(fits, what)
        if column.derived_from:
            _check_derived(checked, table, column, config, name)


def _check_derived(checked: Checked, table: Table, column: Column, config: GameConfig, name: str) -> None:
    require = partial(checked.require, "facts")
    bases = [table.column(base) for base in column.derived_from]
    is_grouped = all(base.levels_in(config) is not None and not base.derived_from for base in bases)
    require(is_grouped, f"{name}: derived from a column without levels, or from a derived column")
    shape = np.asarray(column.values(config)).shape if column.values else ()
    highest = [levels.starts[-1] for base in bases if (levels := base.levels_in(config))]
    is_covered = len(shape) == len(bases) == len(highest) and all(map(gt, shape, highest))
    require(is_covered, f"{name}: values of shape {shape} do not cover {', '.join(column.derived_from)}")


def check_core_matches_journal(checked: Checked, position: Position) -> None:
    """Check that a finished game's facts fit into the tables; all but tables of choices equal those of the journal."""
    part = checked.game.facts
    if part.TABLES is FactsPart.TABLES:  # the default
        return
    from_core, from_journal = np.zeros(1, part.SINK), np.zeros(1, part.SINK)
    from_core["asked"] = from_journal["asked"] = (1 << len(part.TABLES)) - 1
    state, chance = np.zeros(1, checked.game.state), np.zeros(1, CHANCE)
    key = np.uint64(deal_key(checked.seed, game_key(checked.game.name), checked.players, checked.deal))
    actions = np.array(checked.actions, np.int64)
    compiled = kernels(checked.game)
    rules, journal = checked.variant.rules, np.ascontiguousarray(position.journal)
    compiled.facts_of_core(from_core, state, rules, chance, key, checked.players, checked.deal, actions)
    compiled.facts_of_journal(from_journal, position.state, rules, checked.players, checked.deal, journal)
    config, require = checked.setting, partial(checked.require, "facts")
    for table in part.TABLES:
        rows, limit = int(from_core[f"{table.name}_rows"][0]), table.max_rows(config)
        require(rows <= limit, f"table {table.name}: {rows} rows in a game, and `max_rows` is {limit}")
        for column in table.written:
            levels, values = column.levels_in(config), from_core[f"{table.name}_{column.name}"][0, :rows]
            if levels is not None and levels.exact:  # sums of such a column are computed from the rows of each level
                unknown = np.setdiff1d(values, levels.starts).tolist()
                require(not unknown, f"table {table.name}: {column.name} is {unknown}, not one of its levels")
        if table.of_choices:
            continue
        journal_rows = int(from_journal[f"{table.name}_rows"][0])
        require(rows == journal_rows, f"table {table.name}: {rows} rows from the core, {journal_rows} from the journal")
        for column in table.written:
            name = f"{table.name}_{column.name}"
            is_equal = np.array_equal(from_core[name][0, :rows], from_journal[name][0, :rows])
            require(is_equal, f"table {table.name}: {column.name} differs between core and journal")


def check_report(checked: Checked) -> None:
    """Make the tables of a small study of all player counts; check names in pictures, findings and heat maps."""
    if checked.variant.name != BASE:
        return
    try:
        part = report_of(checked.game)
        if part.is_default:
            return
        agent_counts = (1, 2)  # one agent alone has no table of positions
        cells = [_cell(checked, players, agents) for players in checked.game.player_counts for agents in agent_counts]
        figures = figures_of_games(checked.game, cells, list(part.pages), part.heat_maps)
        tables = {name: table.frame() for name, table in figures.items()}
        pictures = part.pictures(tables)
    except (InputError, LookupError) as error:
        what = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        checked.require("report", False, f"the tables and pictures of a study: {what}")
        return
    for picture in pictures:
        _check_picture(checked, picture, tables)
    for picture, compared, _ in part.comparisons(tables).values():
        _check_finding(checked, picture.name, compared, tables[picture.table])
    for name, heat_map in part.heat_maps.items():
        drawn = Picture(name, "", "table", "", (heat_map.figure,), "")
        unknown = unknown_figures(drawn, tables[f"heat_{name.replace('-', '_')}"])
        checked.require("report", not unknown, f"heat map {name!r}: {'; '.join(unknown)}")


def _cell(checked: Checked, players: int, agents: int) -> CellCounts:
    part = report_of(checked.game)
    lineup = (load_agent("random", checked.game),) * agents
    match = Match(checked.game, players, lineup, checked.variant, checked.seed)
    maps = [heat_map.block.crosstab for heat_map in part.heat_maps.values() if heat_map.block]
    plan = match.plan(list(dict.fromkeys([*part.crosstabs(part.pages), *maps])))
    deals = CHUNKS * CHUNK_DEALS
    chunks = [match.play(first, first + CHUNK_DEALS, plan=plan) for first in range(0, deals, CHUNK_DEALS)]
    outcome = np.concatenate([chunk.outcome for chunk in chunks])
    counts = np.stack([chunk.counts for chunk in chunks])
    return CellCounts(0, match, deals, outcome=outcome, counts=counts, plan=plan)


def _require_known(checked: Checked, where: str, kind: str, name: Any, names: Iterable[Any]) -> None:
    listed = [str(each) for each in names]
    what = f"{where}: unknown {kind} {short_repr(name)}; {suggest_names(name, listed)}"
    checked.require("report", str(name) in listed, what)


def _check_picture(checked: Checked, picture: Picture, tables: Mapping[str, pd.DataFrame]) -> None:
    where = f"picture {picture.name!r}"
    _require_known(checked, where, "page", picture.page, report_of(checked.game).pages)
    _require_known(checked, where, "table", picture.table, tables)
    table = tables[picture.table]
    where += f", table {picture.table!r}"
    unknown = unknown_figures(picture, table)
    checked.require("report", not unknown, f"{where}: {'; '.join(unknown)}")
    columns = (picture.x, picture.series if picture.series != SCENARIO else "")
    _check_rows(checked, where, table, columns, picture.where)
    for column, levels in ((picture.x, picture.levels), (picture.series, picture.series_levels)):
        _check_levels(checked, where, table, column, levels)


def _check_finding(checked: Checked, picture: str, compared: Comparison, table: pd.DataFrame) -> None:
    where = f"finding of picture {picture!r}"
    figures = table["figure"].unique()
    for figure in compared.figures if len(table) else ():
        _require_known(checked, where, "figure", figure.name, figures)
    _check_rows(checked, where, table, (compared.key, compared.at), compared.where)
    _check_levels(checked, where, table, compared.key, compared.levels)


def _check_rows(
    checked: Checked, where: str, table: pd.DataFrame, columns: Iterable[str], rows: Mapping[str, str]
) -> None:
    """Check that `columns` and the columns of `rows` exist, and that the latter have the values in `rows`."""
    for column in filter(None, (*columns, *rows)):
        _require_known(checked, where, "column", column, table.columns)
    for column, level in rows.items():
        _require_known(checked, where, f"value of {column}", level, table[column].unique())


def _check_levels(checked: Checked, where: str, table: pd.DataFrame, column: str, levels: tuple[str, ...]) -> None:
    """Check that a column has one of the declared levels; a small study may lack the others."""
    levels_in_table = set(table[column]) if levels else set()
    known = suggest_names("", map(str, sorted(levels_in_table)))
    what = f"{where}: unknown levels {short_repr(list(levels))} of {column}; {known}"
    checked.require("report", not levels or levels_in_table & set(levels), what)
