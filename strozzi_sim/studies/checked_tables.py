"""Check that the tables of a results folder have the columns, types, cells and rows that a run writes.

The digests in study.sqlite detect damage. A forged folder can have tables and digests that match each other.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from strozzi_sim.agent.registry import SEPARATOR
from strozzi_sim.errors import InputError, pluralize, short_repr, suggest_names
from strozzi_sim.game import load_game
from strozzi_sim.game.reporting import FigureTable
from strozzi_sim.game.variants import from_components
from strozzi_sim.studies.folder import MANIFEST
from strozzi_sim.studies.illegal_answers import COLUMNS as ANSWERS
from strozzi_sim.studies.illegal_answers import TABLE as ANSWERS_TABLE
from strozzi_sim.studies.precision import COLUMNS as PRECISION
from strozzi_sim.studies.standings import KEYS
from strozzi_sim.studies.tables import EXPLORER, EXPLORER_KEYS, study_tables
from strozzi_sim.studies.worth import KEYS as WORTH_KEYS

_OUTCOME = ("win_share", "rank_mean", "score_mean")
_OF_CELL = ("seat_gap", "seat_gap_by_chance", "seat_favour_bound", "seat_fairness_p", "decisions_mean")
_OF_STUDY = (*_OUTCOME, "lead_mean")
_OF_WORTH = ("win_share_lost", "score_lost")
_OF_TABLE = {"agents": _OUTCOME, "ratings": ("strength", "rank"), "seat_effects": (*_OUTCOME, "win_share_minus_equal")}
COMPARED = {
    "sides": ("variant", "by", "level"),
    "difference": ("first", "second", "by", "level"),
}  # keys of a comparison
_LISTED = 20  # values that an error lists
_COPY = re.compile(r" #([0-9]{1,9})$")  # what a tournament writes behind the name of a copy
_NEVER_EMPTY = ("balance", "seats", "agents", "pairwise", "ratings", "seat_effects", "worth")


def check_tables(folder: Path, manifest: Mapping[str, Any], frames: Mapping[str, pd.DataFrame]) -> None:
    """Refuse tables of a study, tournament or worth study that no run of its plan writes.

    Raises:
        InputError: names the file and the column; or the plan's components cannot be played.
    """
    plan = manifest["plan"]
    if "counts" in plan and "ratings" not in frames and "worth" not in frames:
        return  # of a comparison, which has no page
    for name, components in plan["variants"].items():
        from_components(load_game(manifest["game"]), name, components, f"{folder / MANIFEST}: plan.variants.{name}")
    counts = load_game(manifest["game"]).player_counts
    for players in plan["players"]:
        if players not in counts:
            allowed = " to ".join(str(end) for end in dict.fromkeys((counts[0], counts[-1])))
            place = f"{folder / MANIFEST}: was changed by hand: plan.players"
            raise InputError(f"{place}: must be {allowed}, got {players}")
    empty = _empty_tables(manifest, frames)
    for name, like in empty.items():
        where = f"{folder / 'tables' / name}.parquet"
        if name not in frames:
            raise InputError(f"{where}: is missing; run the study again")
        frame = frames[name]
        if list(frame.columns) != list(like.columns):
            raise InputError(
                f"{where}: was changed by hand: columns must be {', '.join(like.columns)}, got {short_repr(list(frame.columns))}"
            )
        if not len(frame) and name in _NEVER_EMPTY:
            raise InputError(f"{where}: was changed by hand: has no rows; run the study again")
        for column, dtype in like.dtypes.items():
            if not _has_type(frame[column], dtype):
                raise InputError(f"{where}: was changed by hand: {column}: must be {dtype}, got {frame[column].dtype}")
    for name in frames.keys() - empty.keys():
        raise InputError(f"{folder / 'tables' / name}.parquet: no run of this study writes such a table")
    of_kind = _of_study(plan) if "counts" not in plan else _of_worth(plan) if "worth" in frames else None
    known, wanted = of_kind or _of_tournament(plan, frames)
    for name in empty:
        try:
            of_table = {**known, "thing": _things(plan)} if name == "worth" else known
            _check_rows(frames[name], of_table, wanted.get(name, ()))
        except InputError as error:
            raise InputError(f"{folder / 'tables' / name}.parquet: was changed by hand: {error}") from None


_Known = dict[str, Collection[Any]]  # column -> the values that it may have
_Wanted = dict[str, list[tuple[Any, ...]]]  # table -> the rows that it has in any case, by their keys and figure


def _of_study(plan: Mapping[str, Any]) -> tuple[_Known, _Wanted]:
    """Return the values and rows of the tables of a study. Rows of facts depend on the game and are not among them."""
    lineups = [",".join(lineup) for lineup in plan["lineups"]]
    wanted: _Wanted = {"balance": [], "seats": [], "lineup": [], "worth": []}
    for players, lineup, variant in product(plan["players"], plan["lineups"], plan["variants"]):
        if len(lineup) not in (1, players):
            continue
        cell = (players, variant, ",".join(lineup))
        wanted["balance"] += [(*cell, figure) for figure in _OF_CELL]
        wanted["seats"] += [(*cell, seat, figure) for figure in _OF_STUDY for seat in range(players)]
        if len(lineup) == 1:
            things = product(plan.get("worth", ()), lineup, _OF_WORTH)
            wanted["worth"] += [(*cell, *thing) for thing in things]
        else:
            positions = list(enumerate(lineup))
            wanted["lineup"] += [(*cell, *position, figure) for figure in _OF_STUDY for position in positions]
            less = [f"{figure}_minus_position_0" for figure in _OF_STUDY]
            wanted["lineup"] += [(*cell, *position, figure) for figure in less for position in positions[1:]]
    return {"players": plan["players"], "variant": plan["variants"], "lineup": lineups}, wanted


def _things(plan: Mapping[str, Any]) -> list[str]:
    """Return the restrictions that a plan names, by the key worth or in its agents."""
    specs = (spec for lineup in plan["lineups"] for spec in lineup)
    return sorted({*plan.get("worth", ()), *(thing for spec in specs for thing in spec.split(SEPARATOR)[1:])})


def _of_worth(plan: Mapping[str, Any]) -> tuple[_Known, _Wanted]:
    """Return the values and rows of the table worth. Those on uses depend on the game and are not among them."""
    agents = [lineup[0] for lineup in plan["lineups"] if len(lineup) == 1]
    rows: list[tuple[Any, ...]] = []
    for lineup, variant in product((each for each in plan["lineups"] if len(each) > 1), plan["variants"]):
        restricted, agent = lineup[:2]
        for thing in set(restricted.split(SEPARATOR)[1:]) - set(agent.split(SEPARATOR)[1:]):
            rows += [(len(lineup), variant, agent, thing, agent, figure) for figure in _OF_WORTH]
    return {"players": plan["players"], "variant": plan["variants"], "lineup": agents, "agent": agents}, {"worth": rows}


def _of_tournament(plan: Mapping[str, Any], frames: Mapping[str, pd.DataFrame]) -> tuple[_Known, _Wanted]:
    """Return the values and rows of the tables of a tournament. Only they name copies, and agents that a sample left out."""
    both = pd.concat([frames["agents"][["lineup", "agent"]], frames["ratings"][["lineup", "agent"]]])
    written = both["lineup"].unique()[:2].tolist()  # a run writes one
    agents = {agent for lineup in plan["lineups"] for agent in lineup}
    agents |= {agent for agent in both["agent"].unique() if any(agent in lineup for lineup in written)}
    field = sorted(agents, key=lambda label: (_COPY.sub("", label), *map(int, _COPY.findall(label))))
    lineup = ",".join(field)
    wanted: _Wanted = {name: [] for name in _OF_TABLE}
    for players, variant in product(plan["players"], plan["variants"]):
        for name, figures in _OF_TABLE.items():
            levels = range(players) if name == "seat_effects" else field
            wanted[name] += [(players, variant, lineup, level, figure) for figure in figures for level in levels]
    known: _Known = {"players": plan["players"], "variant": plan["variants"], "lineup": [lineup]}
    return known | {"agent": field, "opponent": field}, wanted


def _check_rows(frame: pd.DataFrame, known: _Known, wanted: Sequence[tuple[Any, ...]]) -> None:
    """Refuse rows that the plan does not have, duplicate rows, and missing rows.

    Raises:
        InputError: names the column and the value.
    """
    keys = list(frame.columns[: list(frame.columns).index("figure") + 1])
    for column, values in known.items():
        allowed = set(values)
        unknown = [value for value in frame[column].unique().tolist() if value not in allowed] if column in keys else []
        if unknown:
            many = f"it has {pluralize(len(values), 'other')}"
            names = suggest_names(unknown[0], [str(value) for value in values]) if len(values) <= _LISTED else many
            raise InputError(f"{column}: the plan has no {short_repr(unknown[0])}; {names}")
    twice = frame[keys][frame.duplicated(keys)]
    if len(twice):
        raise InputError(
            f"figure: {_in_words(keys, next(twice.itertuples(index=False)))} occurs twice; run the study again"
        )
    there = set(frame[keys].itertuples(index=False, name=None)) if wanted else set()
    missing = next((row for row in wanted if row not in there), None)
    if missing is not None:
        raise InputError(f"figure: {_in_words(keys, missing)} is missing; run the study again")


def _in_words(keys: Sequence[str], row: Iterable[Any]) -> str:
    """Return a row by its keys and figure: 'win_share' of players 3, variant 'base', ..."""
    *levels, figure = row
    return f"{short_repr(figure)} of {', '.join(f'{key} {short_repr(level)}' for key, level in zip(keys, levels, strict=False))}"


def _empty_tables(manifest: Mapping[str, Any], frames: Collection[str]) -> dict[str, pd.DataFrame]:
    """Return the tables of a study, tournament, worth study or comparison of variants without their rows."""
    found = _empty_tables_of_kind(manifest, frames)
    if manifest["plan"].get("answers"):
        found[ANSWERS_TABLE] = pd.DataFrame(columns=list(ANSWERS)).astype(ANSWERS)
    return found


def _empty_tables_of_kind(manifest: Mapping[str, Any], frames: Collection[str]) -> dict[str, pd.DataFrame]:
    plan, report, compares = manifest["plan"], manifest["report"], "difference" in frames
    precision = pd.DataFrame(columns=list(PRECISION)).astype(PRECISION)
    if "counts" in plan and "worth" in frames:
        return {"worth": FigureTable(*WORTH_KEYS).frame()} | ({"precision": precision} if plan.get("until") else {})
    if "counts" in plan:
        return {name: FigureTable(*keys).frame() for name, keys in KEYS.items()}
    game = load_game(manifest["game"])
    names = list(plan["variants"])
    compared = [(names[0], names[-1])] if compares or len(names) > 1 else []
    tables = study_tables(game, (), [page for page in report["pages"] if page in game.report.PAGES], {}, compared)
    maps = [*report["heatmaps"], *(own["name"] for own in report.get("own", []))]
    heat = FigureTable("row", "column").frame()
    if report.get("explorer"):
        tables[EXPLORER] = FigureTable(*EXPLORER_KEYS).frame()
    if report.get("sweep"):
        tables["sweep"] = FigureTable(*report["sweep"]).frame().astype(dict.fromkeys(report["sweep"], "float64"))
    if plan.get("worth"):
        tables["worth"] = FigureTable(*WORTH_KEYS).frame()
    if plan.get("until"):
        tables["precision"] = precision
    if compares:
        tables |= {name: FigureTable(*keys).frame() for name, keys in COMPARED.items()}
    return tables | {f"heat_{name.replace('-', '_')}": heat for name in maps}


def _has_type(column: pd.Series, dtype: Any) -> bool:
    """Return whether a column has a type; text may be stored in several ways, but is text in every row."""
    if pd.api.types.is_numeric_dtype(dtype):
        return bool(column.dtype == dtype)
    return all(isinstance(value, str) for value in column.unique())
