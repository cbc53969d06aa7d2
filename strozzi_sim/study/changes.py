"""Changes between two variants: figures of one minus those of the other, and the section that shows them.

A figure has changed if its difference is significant, corrected for the number of figures (Holm 1979) of its table and
breakdown, and not too small to matter. It is too small if the whole interval is closer to 0 than the smallest
difference that matters: `effect` for a share (0.01: one point), `effect` times the mean score for a score or lead,
`effect` times the figure before for any other. A difference that is neither is unclear: more deals decide it. A mean
that differs by the same amount in every chunk has no interval, as the rarity of exceptions is unknown; that amount
alone decides, once exceptions are rarer than `effect`. A figure is equal if its difference and whole interval are 0.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.agent.spec_text import split_specs
from strozzi_sim.declare.figure_tables import (
    CELL,
    FIGURE,
    NUMBER_KEYS,
    OF_CHANGE,
    FigurePart,
    FigureTable,
    Tables,
    TableSpec,
    figures_in,
    pick,
)
from strozzi_sim.declare.pictures import Picture
from strozzi_sim.declare.significance import ALPHA, degrees_of_freedom, p_value
from strozzi_sim.facts.blocks import ALL
from strozzi_sim.facts.figures import DECISIONS, SCORE, WIN_SHARE, Figure, Unit
from strozzi_sim.game import Game
from strozzi_sim.game.component_names import name_of_key
from strozzi_sim.game.sentences import seat_words
from strozzi_sim.game.variants import Variant, differing_keys
from strozzi_sim.stats.differences import paired
from strozzi_sim.stats.intervals import Estimate, divide
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study.cells import SEAT_GAP
from strozzi_sim.study.look import KeyNumber, Section, picture, section
from strozzi_sim.study.wording import lineup_words, plain_player, shortened

CHANGED, SMALL, UNCLEAR, EQUAL = "changed", "too small to matter", "unclear", "equal"
_FIRST, _JUDGED = (*CELL, *OF_CHANGE[:2]), OF_CHANGE[3:]
_BREAKDOWN = "by"  # the key that names the column by which a table is broken down; ALL for the figures of all rows
_RULE_OF_THREE = 3  # if no deal of n is an exception, at most 3 / n of all deals are, with 95 % confidence
_ROUNDING = 1e-9  # of floating-point sums
_MOST_KEYS = 8  # keys of a variant in a table
_MOST_ROWS = 12  # lines of a table
_LETTERS = 40  # letters of a value
_NOT_KNOWN = {UNCLEAR: ", not known to be one", SMALL: ", too small to matter", EQUAL: ", exactly 0"}
_GROUPS = {"share": "shares, in points", "number": "scores and other means"}


def changes(tables: Mapping[str, FigureTable], pairs: Sequence[tuple[str, str]], effect: float) -> pd.DataFrame:
    """Return the differences of figures, second variant minus first, for pairs of names (first, second).

    The tables were made with `sums`; the module says what `effect` is. Columns: players, variant (the second), lineup,
    than (the first), table, the keys of all these tables (missing for tables without the key), figure, value, low,
    high, n, deals, before (the figure of the first), p (below 5 % exactly if 0 is outside the interval), p_corrected,
    size (in smallest differences that matter; 0 for no difference, else NaN if these are 0, as for a mean that was 0
    before), verdict.
    """
    rows = [row for pair in pairs for name, table in tables.items() for row in _rows(name, table, *pair)]
    return _judged(rows, [key for table in tables.values() for key in table.keys], effect)


def changes_between(
    first: Tables, second: Tables, names: tuple[str, str], effect: float, specs: Mapping[str, TableSpec]
) -> pd.DataFrame:
    """Return the differences of the figures that the tables of two variants share, with the columns of `changes`.

    `names` are those of the variants; each table has one variant. `first` has a table `figures`, and `specs` the tables
    that may be compared. The deals may differ, so the differences are not paired: the squares of the half-widths of
    both intervals are added (Newcombe 1998).
    """
    compared = [name for name in first.keys() & second.keys() if name in specs and specs[name].compared]
    compared.sort(key=lambda name: (name != "balance", name))
    rows: list[dict[str, Any]] = []
    for name in compared:
        rows += _unpaired(name, first[name], second[name], names, figures_in(first, name))
    return _judged(rows, [key for name in compared for key in specs[name].keys], effect)


def _rows(name: str, table: FigureTable, first: str, second: str) -> Iterator[dict[str, Any]]:
    """Yield the differences of a table as rows, each with its family for Holm's correction and its `_limit`."""
    before = {_identity(part): part for part in table.parts if part.variant == first}
    of_scores = (part for part in before.values() if part.figure.unit == "score")
    scores = {(part.players, part.lineup): part.estimate.value for part in of_scores}
    score = {cell: float(np.nanmean(values)) for cell, values in scores.items() if not np.isnan(values).all()}
    for part in table.parts:
        first_part = before.get(_identity(part))
        if part.variant != second or first_part is None or not part.figure.measure.scale:
            continue
        axes, old, new, keep = _matched(first_part, part)
        difference, constant = paired(new, old, same=first == second), _is_constant(old, new)
        shared = {"players": part.players, "variant": second, "lineup": part.lineup, "than": first, "table": name}
        shared |= {"figure": part.figure.name, "deals": part.deals}
        for place in np.argwhere(keep):
            index, names = tuple(place), (axis[k] for axis, k in zip(axes.values(), place, strict=True))
            level = {key: name for key, name in part.levels.items() if key not in axes}
            level |= dict(zip(axes, names, strict=True))
            value = float(old.value[index])
            sides = {side: getattr(difference, side)[index].item() for side in ("value", "low", "high", "n")}
            limit = _limit(part.figure, value, score.get((part.players, part.lineup)))
            yield shared | level | sides | {"before": value, "limit": limit, "constant": bool(constant[index])}


def _unpaired(
    name: str, first: pd.DataFrame, second: pd.DataFrame, names: tuple[str, str], figures: Mapping[str, Figure]
) -> Iterator[dict[str, Any]]:
    keys = [key for key in first.columns if key not in ("variant", "value", "low", "high", "n", "deals")]
    both = first.merge(second, "inner", keys, suffixes=("_1", "_2"))
    both = both[np.array([bool(figures[figure].measure.scale) for figure in both["figure"]], bool)]
    both = both.dropna(subset=["value_1", "value_2"])
    is_score = np.array([figures[figure].unit == "score" for figure in both["figure"]], bool)
    scores = both[is_score].groupby(["players", "lineup"])["value_1"].mean()
    for row in both.to_dict("records"):
        down = np.hypot(row["value_2"] - row["low_2"], row["high_1"] - row["value_1"])
        up = np.hypot(row["high_2"] - row["value_2"], row["value_1"] - row["low_1"])
        value, score = row["value_2"] - row["value_1"], scores.get((row["players"], row["lineup"]))
        limit = _limit(figures[row["figure"]], row["value_1"], score)
        difference = {key: row[key] for key in keys}
        difference |= {"variant": names[1], "than": names[0], "table": name}
        difference |= {"value": value, "low": value - down, "high": value + up, "before": row["value_1"]}
        difference |= {key: min(row[f"{key}_1"], row[f"{key}_2"]) for key in ("n", "deals")}
        yield difference | {"limit": limit, "constant": False}


def _limit(figure: Figure, value: float, score: float | None) -> float:
    """Return the number that `effect` is relative to; `score` is the mean score, None if the table has none."""
    scale = figure.measure.scale
    if scale == "score" and score is not None:
        return float(score)
    return 1.0 if scale == "share" else abs(value)


def _judged(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], effect: float) -> pd.DataFrame:
    keys = list(dict.fromkeys([*keys, _BREAKDOWN]))
    columns = [*_FIRST, *keys, *FIGURE, "before", *_JUDGED]
    frame = pd.DataFrame(rows, columns=[*columns[: -len(_JUDGED)], "limit", "constant"])
    types = dict.fromkeys(columns, "float64") | dict.fromkeys(("players", "n", "deals"), "int64")
    texts = [key for key in keys if key not in NUMBER_KEYS]
    types |= dict.fromkeys((*_FIRST[1:], *texts, "figure", "verdict"), "str")
    types |= dict.fromkeys((key for key in keys if key in NUMBER_KEYS), "Int64")
    frame[texts] = frame[texts].astype(object).mask(frame[texts].isna(), "")
    df = degrees_of_freedom(frame["n"], frame["deals"])
    frame["p"] = p_value(frame["value"], frame["low"], frame["high"], 0.0, df) if rows else np.zeros(0)
    families = frame.groupby(["variant", "than", "table", _BREAKDOWN], sort=False)["p"]
    frame["p_corrected"] = families.transform(lambda of_family: holm(of_family.to_numpy()))
    in_effects = divide(frame["value"].to_numpy(np.float64), effect * frame["limit"].to_numpy(np.float64))
    frame["size"] = np.where(frame["value"] == 0, 0.0, in_effects)
    distance, smallest = frame["value"].abs(), effect * frame["limit"]
    is_rare = frame["constant"].astype(bool) & frame["low"].isna() & (frame["deals"] * effect >= _RULE_OF_THREE)
    is_equal = (frame[["value", "low", "high"]] == 0).all(axis=1)
    is_small = frame[["low", "high"]].abs().max(axis=1, skipna=False) < smallest
    is_near = (distance < smallest) | (distance == 0)
    conditions = [is_equal, is_rare & is_near, is_rare, is_small, frame["p_corrected"] < ALPHA]
    frame["verdict"] = np.select(conditions, [EQUAL, SMALL, CHANGED, SMALL, CHANGED], UNCLEAR)
    return frame[columns].astype(types)


def _is_constant(first: Estimate, second: Estimate) -> Any:
    """Return whether figures differ by the same amount in every chunk; without counts, whether they are equal."""
    if first.sums is None or second.sums is None:
        return np.asarray(first.value == second.value)
    before, after = (divide(sums.numerator, sums.denominator) / sums.unit for sums in (first.sums, second.sums))
    return (len(before) > 1) & (np.ptp(after - before, axis=0) <= _ROUNDING)


def _identity(part: FigurePart) -> tuple[Any, ...]:
    """Return the key by which the parts of two variants match: without the variant and the lists of levels."""
    fixed = tuple((key, name) for key, name in part.levels.items() if key not in part.axes)
    return part.players, part.lineup, part.figure.name, fixed, tuple(part.axes)


def _matched(first: FigurePart, second: FigurePart) -> tuple[dict[str, list[Any]], Estimate, Estimate, Any]:
    """Return the levels in both parts, their figures at these levels, and which combinations are possible in both."""
    common = {key: [level for level in axis if level in second.axes[key]] for key, axis in first.axes.items()}
    figures, keep = [], np.asarray(True)
    for part in (first, second):
        places = np.ix_(*([part.axes[key].index(level) for level in levels] for key, levels in common.items()))
        figures.append(part.estimate.at(places))
        keep = keep & np.broadcast_to(part.keep, [len(axis) for axis in part.axes.values()])[places]
    return common, figures[0], figures[1], keep


def changes_section(
    tables: Tables, game: Game, variants: Mapping[str, Variant], labels: Mapping[str, Figure], *, paired: bool = True
) -> Section:
    """Return the section of changes. `labels`: figures of the page by name; `paired`: played on the same deals."""
    pictures: list[Picture] = []
    shown: dict[str, pd.DataFrame] = {}
    compared, deals = list[tuple[Variant, Variant]](), ", on the same deals" if paired else ""
    for number, ((first, second), rows) in enumerate(pairs_of(tables)):
        wins, name = wins_of(rows), f"changes-{number}" if number else "changes"
        lineups = ", " + wins["lineup"].map(partial(lineup_words, game)) if rows["lineup"].nunique() > 1 else ""
        who = [winner_words(row, game) for row in wins.to_dict("records")]
        places = wins["players"].astype("str") + " players" + lineups + ", "
        shown[name] = wins.assign(place=places + pd.Series(who, wins.index, "str"), variant="", lineup="")
        words = {"first": first, "second": second, "deals": deals or "; the deals may differ"}
        drawn = picture("changes", shown, [WIN_SHARE.difference()], **words)
        pictures.append(replace(drawn, name=name, table=name))
        for group, called in _GROUPS.items():
            if len(changed := _changed_rows(tables, rows, labels, shares=group == "share")):
                shown[table := f"{name}-{group}"] = changed
                unit: Unit = "share" if group == "share" else "number"
                before = Figure("before", f"in {first}", unit, f"the figure that the line names, in {first}")
                label = f"{second} minus {first}"
                change = replace(before.difference("change"), label=label, definition=f"its change: {label}{deals}")
                columns = before, change
                drawn = picture("most-changed", shown, called=called, most=str(_MOST_ROWS))
                levels = tuple(changed["what"].unique()[:_MOST_ROWS])
                pictures.append(replace(drawn, name=table, table=table, figures=columns, levels=levels))
        if {first, second} <= variants.keys():
            compared.append((variants[first], variants[second]))
    unused = dict.fromkeys(("first", "second", "called", "most"), "")  # words of pictures that `pictures` replaces
    declared = section("changes", shown, [WIN_SHARE], numbers=tuple(_numbers(tables)), deals=deals, **unused)
    return replace(declared, shown=tuple(pictures), keys=_differing(game, compared))


def pairs_of(tables: Tables) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    """Yield (first, second) and the known changes of every pair of variants."""
    known = tables["changes"].dropna(subset="value")
    if _BREAKDOWN not in known:  # a table whose levels are one text, from before they were columns
        known = known.assign(**{_BREAKDOWN: ""})
    for (first, second), rows in known.groupby(["than", "variant"], sort=False):
        yield (str(first), str(second)), rows


def wins_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of shares of wins: of the positions of mixed line-ups, of the seats of others."""
    wins = rows[rows["table"].isin(["seats", "lineup"]) & (rows["figure"] == "win_share")]
    mixed = set(wins.loc[wins["table"] == "lineup", "lineup"])
    return wins[(wins["table"] == "lineup") | ~wins["lineup"].isin(mixed)]


def winner_words(row: Any, game: Game) -> str:
    """Return whose share of wins a row is about: the player at a seat, or the agent at a position."""
    if row["table"] == "seats":
        return seat_words(int(row["seat"]), int(row["players"]))
    return plain_player(game, split_specs(row["lineup"])[int(row["position"])])


def listed_changes(
    tables: Tables, labels: Mapping[str, Figure], *, every: bool
) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield (first, second, changes) of every pair of variants: wins, seat gap, mean score, then others, largest first.

    The changes are rows as `_named` returns them. The others are the figures that changed, without breakdowns by a
    column, or with `every` all figures.
    """
    for (first, second), rows in pairs_of(tables):
        balance = pick(rows, table="balance")
        headlines = pd.concat([wins_of(rows), *(pick(balance, figure=each.name) for each in (SEAT_GAP, SCORE))])
        others = rows[(every | _is_changed(rows)) & ~rows.index.isin(headlines.index)]
        yield first, second, _named(tables, pd.concat([headlines, _largest_first(others)]), labels)


def _changed_rows(tables: Tables, rows: pd.DataFrame, labels: Mapping[str, Figure], *, shares: bool) -> pd.DataFrame:
    """Return changed shares (see `_is_changed`), or else other figures, by size: all rows `before`, then `change`."""
    chosen = _named(tables, _largest_first(rows[_is_changed(rows)]), labels)
    is_share = [figure.measure.factor > 1 for figure in chosen["measured"]]
    chosen = chosen[np.array(is_share, bool) == shares].assign(variant="", lineup="", figure="change")
    before = chosen.assign(figure="before", value=chosen["before"], low=np.nan, high=np.nan)
    return pd.concat([before, chosen], ignore_index=True)


def _is_changed(rows: pd.DataFrame) -> pd.Series:
    """Return whether each figure changed; False for breakdowns by a column."""
    return (rows["verdict"] == CHANGED) & rows[_BREAKDOWN].isin(["", ALL])


def _largest_first(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.sort_values("size", key=abs, ascending=False, kind="stable", na_position="first")


def _named(tables: Tables, rows: pd.DataFrame, labels: Mapping[str, Figure]) -> pd.DataFrame:
    """Return rows of changes with `what`, figure and levels as text with the page's labels, and `measured`, the figure.

    `labels` has the figures of the page by name.
    """
    known = {name: figures_in(tables, str(name)) for name in rows["table"].unique()}
    places = zip(rows["table"], rows["figure"], strict=True)
    measured = [known[table].get(name) or labels.get(name) or Figure(name) for table, name in places]
    names = [labels.get(figure.name, figure).words for figure in measured]
    levels = _levels_of(rows, without=ALL).str.replace("_", " ")
    lineups = list(rows["lineup"]) if rows["lineup"].nunique() > 1 else [""] * len(rows)
    what = [", ".join(filter(None, words)) for words in zip(names, levels, lineups, strict=True)]
    return rows.assign(what=what, measured=pd.Series(measured, rows.index, object))


def _levels_of(rows: pd.DataFrame, without: str = "") -> pd.Series:
    """Return the levels of each row as text: "the first player", "round 2"; a level `without` is left out."""
    keys = list(rows.columns)[rows.columns.get_loc("table") + 1 : rows.columns.get_loc("figure")]
    texts = []
    for row, players in zip(rows[keys].to_dict("records"), rows["players"], strict=True):
        levels = {key: level for key, level in row.items() if not pd.isna(level) and level not in ("", without)}
        seat = levels.get("seat", ALL)
        named = {} if seat == ALL else {"seat": seat_words(int(seat), players)}
        texts.append(", ".join(named.get(key, f"{key} {level}") for key, level in levels.items()))
    return pd.Series(texts, rows.index, "str")


def _differing(game: Game, pairs: Sequence[tuple[Variant, Variant]]) -> tuple[tuple[str, ...], ...]:
    """Return a table of the component data that differ in each pair of variants; () without any."""
    lines: list[tuple[str, ...]] = []
    for first, second in pairs:
        name = f"{second.name}: " if len(pairs) > 1 else ""
        for key, *values in list(differing_keys(first.components, second.components))[:_MOST_KEYS]:
            texts = ("\N{EN DASH}" if value is None else shortened(_data_words(value), _LETTERS) for value in values)
            lines.append((f"{name}{name_of_key(game, key).label}", *texts))
    return (("component", "before", "after"), *lines) if lines else ()


def _data_words(value: Any) -> str:
    """Return component data as text: "kind adjacent to edifice, points 3"."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_data_words(each)}".replace("_", " ") for key, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_data_words, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value).replace("_", " ")


def _numbers(tables: Tables) -> Iterator[KeyNumber]:
    """Yield the largest significant change, or else the largest one, each of wins, seat gap, mean score and length."""
    table = tables["changes"].dropna(subset=["value", "low"])
    balance = pick(table, table="balance")
    kinds = (
        (wins_of(table), WIN_SHARE, "points of games won"),
        (pick(balance, figure=SEAT_GAP.name), SEAT_GAP, "points of gap between the seats"),
        (pick(balance, figure=SCORE.name), SCORE, "mean score"),
        (pick(balance, figure=DECISIONS.name), DECISIONS, "decisions in a game"),
    )
    for rows, figure, what in kinds:
        if len(rows):
            candidates = pick(rows, verdict=CHANGED) if CHANGED in set(rows["verdict"]) else rows
            largest = candidates["size"].abs().fillna(np.inf).idxmax()  # no size: the figure was 0
            row = candidates.loc[largest]
            place = ", ".join(filter(None, [what, _levels_of(candidates)[largest], f"{row['players']} players"]))
            change = f"change to {row['variant']}" if table["variant"].nunique() > 1 else "change"
            words = f"{place}: {change}{_NOT_KNOWN.get(row['verdict'], '')}"
            yield KeyNumber(row, figure.difference(), words, is_change=True)
