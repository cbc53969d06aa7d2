"""Changes between two variants: every figure of one minus that of the other on the same deals, with sentences and a section.

A figure has changed if its difference is significant, corrected for the number of figures (Holm 1979) within its table and
kind of row, and not too small to matter. It is too small to matter if the whole interval is closer to 0 than the effect: a share
by `effect` (0.01: one point), a score by `effect` of the mean score, any other mean by `effect` of itself. A difference that is
neither is unclear: more deals decide it. A mean that differs by the same amount in every chunk has no interval, as the rarity of
exceptions is unknown; that amount alone decides, once exceptions are rarer than the effect.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.errors import pluralize
from strozzi_sim.facts.blocks import ALL
from strozzi_sim.facts.pictures import Figure, Unit
from strozzi_sim.game import Game
from strozzi_sim.game.reporting import CELL, FIGURE, FigureTable, Picture, TablePart, Tables, listed, pick, some_of
from strozzi_sim.game.significance import ALPHA, MAX_CHUNKS, degrees_of_freedom, missed, not_excluded, p_value
from strozzi_sim.game.variants import Variant, differing_keys
from strozzi_sim.stats.differences import paired
from strozzi_sim.stats.intervals import Estimate, divide
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study.look import KeyNumber, Section, picture, section
from strozzi_sim.study.wording import played_by, players_words, seat_words, shortened

CHANGED, SMALL, UNCLEAR, EQUAL = "changed", "too small to matter", "unclear", "equal"
COLUMNS = (*CELL, "than", "table", "level", *FIGURE, "before", "p", "p_corrected", "size", "verdict")
_OF_SCORE = ("score_mean", "lead_mean")  # measured by the mean score
_RULE_OF_THREE = 3  # if no deal of n is an exception, at most 3 / n of all deals are, with 95 % confidence
_ROUNDING = 1e-9  # of floating-point sums
_SHARES = ("seat_gap",)  # figures that are shares and no ratios
_NOT_COMPARED = ("seat_fairness_p", "seat_gap_by_chance", "seat_favour_bound")  # no figures of the game, but of tests
_APART = ("heat_", "explorer", "changes", "worth", "sweep", "precision")  # tables of one study alone
_MOST_KEYS, _MOST_ROWS, _LETTERS = 8, 12, 40  # keys of a variant, lines of a table, letters of a value
_NOT_KNOWN = {UNCLEAR: ", not known to be one", SMALL: ", too small to matter", EQUAL: ", which is none"}
_COUNTED = {CHANGED: "{} changed", SMALL: "{} changed too little to matter", UNCLEAR: "{} are not known to have changed", EQUAL: "{} are equal"}  # fmt: skip
_KINDS: dict[Unit, str] = {"share": "shares, in points", "number": "scores and other means"}
_PARTS: tuple[tuple[str, Unit], ...] = (("who wins", "share"), ("how much is scored", "amount"))


def changes(tables: Mapping[str, FigureTable], pairs: Sequence[tuple[str, str]], effect: float) -> pd.DataFrame:
    """Return the differences of all figures, second variant minus first, for pairs of names (first, second); one figure a row.

    The tables have the counts of ratios. `effect` is the smallest difference that matters, as a part of 1 for shares and of the figure
    for means. Columns: players, variant (the second), lineup, than (the first), table, level ("seat 0"), figure, value, low, high, n,
    deals, before (the figure of the first), p (below 5 % exactly if 0 is outside the interval), p_corrected, size (the difference
    in effects; none where an effect is 0, as of a figure that was 0 before), verdict.
    """
    rows = [row for pair in pairs for name, table in tables.items() for row in _rows(name, table, *pair)]
    return _judged(rows, effect)


def changes_between(first: Tables, second: Tables, names: tuple[str, str], effect: float) -> pd.DataFrame:
    """Return the differences of all figures that two studies of these names share, second minus first, as `changes` does.

    The studies need not have the same deals, so the differences are not paired: an interval adds the squares of both (Newcombe 1998).
    """
    rows = []
    for table in first.keys() & second.keys():
        if {"figure", "value", "n"} <= set(first[table].columns) and not table.startswith(_APART):
            rows += list(_unpaired(table, first[table], second[table], names))
    rows.sort(key=lambda row: (row["table"] != "balance", row["table"]))
    return _judged(rows, effect)


def _rows(name: str, table: FigureTable, first: str, second: str) -> Iterator[dict[str, Any]]:
    """Yield the differences of a table, with the family of each for the correction, and the size to which `effect` is relative."""
    before = {_identity(part): part for part in table.parts if part.variant == first}
    of_scores = (part for part in before.values() if part.figure == "score_mean")
    scores = {(part.players, part.lineup): part.estimate.value for part in of_scores}
    score = {cell: float(np.nanmean(values)) for cell, values in scores.items() if not np.isnan(values).all()}
    for part in table.parts:
        first_part = before.get(_identity(part))
        if part.variant != second or first_part is None or part.figure in _NOT_COMPARED:
            continue
        levels, first_estimate, second_estimate, keep = _matched(first_part, part)
        difference = paired(second_estimate, first_estimate, same=first == second)
        constant, sums = _is_constant(first_estimate, second_estimate), part.estimate.sums
        is_share = part.figure in _SHARES or (sums is not None and sums.n_deals is not None)
        for place in np.argwhere(keep):
            index = tuple(place)
            level = {key: name for key, name in part.levels.items() if not isinstance(name, list)}
            level |= {key: names[k] for k, (key, names) in zip(place, levels.items(), strict=True)}
            value, where = float(first_estimate.value[index]), (part.players, part.lineup)
            yield {
                "players": part.players, "variant": second, "lineup": part.lineup, "than": first, "table": name,
                "level": ", ".join(f"{key} {name}" for key, name in level.items()), "figure": part.figure,
                "value": float(difference.value[index]), "low": float(difference.low[index]), "high": float(difference.high[index]), "n": int(difference.n[index]),
                "deals": part.deals, "before": value, "family": str(level.get("by", "")),
                "limit": _limit(part.figure, value, score.get(where), is_share=is_share), "constant": bool(constant[index]),
            }  # fmt: skip


def _unpaired(name: str, first: pd.DataFrame, second: pd.DataFrame, names: tuple[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the differences of the rows that both tables have; of several variants those of the first."""
    keys = [key for key in first.columns if key not in ("variant", "value", "low", "high", "n", "deals")]
    first_rows, second_rows = (
        pick(each, variant=each["variant"].iloc[0]) if len(each) else each for each in (first, second)
    )
    both = first_rows.merge(second_rows, "inner", keys, suffixes=("_1", "_2"))
    scores = both[both["figure"] == "score_mean"].groupby(["players", "lineup"])["value_1"].mean()
    levels = [key for key in keys if key not in ("players", "lineup", "figure")]
    for row in both.to_dict("records"):
        if row["figure"] in _NOT_COMPARED or np.isnan(row["value_1"] - row["value_2"]):
            continue
        down = np.hypot(row["value_2"] - row["low_2"], row["high_1"] - row["value_1"])
        up = np.hypot(row["high_2"] - row["value_2"], row["value_1"] - row["low_1"])
        difference, score = row["value_2"] - row["value_1"], scores.get((row["players"], row["lineup"]))
        is_share = "share" in row["figure"] or row["figure"] in _SHARES
        yield {
            "players": row["players"], "variant": names[1], "lineup": row["lineup"], "than": names[0], "table": name,
            "level": ", ".join(f"{key} {row[key]}" for key in levels), "figure": row["figure"],
            "value": difference, "low": difference - down, "high": difference + up, "n": min(row["n_1"], row["n_2"]), "deals": min(row["deals_1"], row["deals_2"]),
            "before": row["value_1"], "family": str(row.get("by", "")), "limit": _limit(row["figure"], row["value_1"], score, is_share=is_share),
            "constant": False,
        }  # fmt: skip


def _limit(figure: str, value: float, score: float | None, *, is_share: bool) -> float:
    """Return the size to which the effect is relative; `score` is the mean score of the cell, None if it has none."""
    if score is not None and figure.removesuffix("_minus_position_0") in _OF_SCORE:
        return float(score)
    return 1.0 if is_share else abs(value)


def _judged(rows: Sequence[Mapping[str, Any]], effect: float) -> pd.DataFrame:
    """Return rows of differences with p-values, sizes and verdicts."""
    frame = pd.DataFrame(rows, columns=[*COLUMNS[:-4], "family", "limit", "constant"])
    df = degrees_of_freedom(frame["n"], frame["deals"])
    frame["p"] = p_value(frame["value"], frame["low"], frame["high"], 0.0, df) if rows else np.zeros(0)
    families = frame.groupby(["variant", "than", "table", "family"], sort=False)["p"]
    frame["p_corrected"] = families.transform(lambda of_family: holm(of_family.to_numpy()))
    in_effects = divide(frame["value"].to_numpy(np.float64), effect * frame["limit"].to_numpy(np.float64))
    frame["size"] = np.where(frame["value"] == 0, 0.0, in_effects)
    frame["verdict"] = [_verdict(row, effect) for row in frame.itertuples(index=False)]
    types = dict.fromkeys(COLUMNS, "str") | dict.fromkeys(("players", "n", "deals"), "int64")
    types |= dict.fromkeys(("value", "low", "high", "before", "p", "p_corrected", "size"), "float64")
    return frame[list(COLUMNS)].astype(types)


def _verdict(row: Any, effect: float) -> str:
    """Return the verdict on a difference."""
    if row.value == 0 and row.low == 0 and row.high == 0:
        return EQUAL
    limit = effect * row.limit
    if row.constant and np.isnan(row.low) and row.deals * effect >= _RULE_OF_THREE:
        return SMALL if abs(row.value) < limit or row.value == 0 else CHANGED
    if max(abs(row.low), abs(row.high)) < limit:
        return SMALL
    return CHANGED if row.p_corrected < ALPHA else UNCLEAR


def _is_constant(first: Estimate, second: Estimate) -> Any:
    """Return whether the figures differ by the same amount in every chunk, bool[...]; of figures without counts whether they are equal."""
    if first.sums is None or second.sums is None:
        return np.asarray(first.value == second.value)
    before, after = (divide(sums.numerator, sums.denominator) / sums.unit for sums in (first.sums, second.sums))
    spread: Any = np.ptp(after - before, axis=0)
    return (len(before) > 1) & (spread <= _ROUNDING)


def _identity(part: TablePart) -> tuple[Any, ...]:
    """Return the properties of a part except its variant and its lists of levels."""
    fixed = tuple((key, name) for key, name in part.levels.items() if not isinstance(name, list))
    return part.players, part.lineup, part.figure, fixed, tuple(part.axes)


def _matched(first: TablePart, second: TablePart) -> tuple[dict[str, list[Any]], Estimate, Estimate, Any]:
    """Return the levels that both parts have, their figures at these levels, and which combinations are possible."""
    axes, others = first.axes, second.axes
    common = {key: [level for level in axis if level in others[key]] for key, axis in axes.items()}
    sides = []
    for part, of_part in ((first, axes), (second, others)):
        places = np.ix_(*[[of_part[key].index(level) for level in levels] for key, levels in common.items()])
        shape = tuple(len(axis) for axis in of_part.values())
        sides.append((part.estimate.at(places), np.broadcast_to(part.keep, shape)[places]))
    (first_figures, keep_first), (second_figures, keep_second) = sides
    return common, first_figures, second_figures, keep_first & keep_second


# -- sentences and section --------------------------------------------------------------------------------------------


def change_sentences(tables: Tables, game: Game, chunks: int = MAX_CHUNKS) -> list[str]:
    """Return sentences: whether each variant changes wins and scores, the size that could be missed, and the number of changed figures."""
    sentences = []
    for (first, second), rows in _pairs(tables):
        wins, scores = _wins(rows), pick(rows, table="balance", figure="score_mean")
        parts = [_verdict_words(of, words, unit, chunks, game) for of, (words, unit) in zip((wins, scores), _PARTS, strict=True) if len(of)]  # fmt: skip
        parts.sort(key=lambda part: not part.startswith("changes"))
        counts = rows["verdict"].value_counts()
        counted = listed([words.format(f"{counts[each]:,}") for each, words in _COUNTED.items() if counts.get(each, 0)])
        played = f"{game.title}, {played_by(game, rows['lineup'])}"
        words = f"Compared with {first}, {second} {', and '.join(parts)} in {played}" if parts else f"There are too few games of {played}, to compare {second} with {first}"  # fmt: skip
        sentences += [f"{words}.", f"Of {len(rows):,} figures, {counted}."]
    return sentences


def _verdict_words(rows: pd.DataFrame, words: str, unit: Unit, chunks: int, game: Game) -> str:
    verdicts, changed_lineups = set(rows["verdict"]), set(rows.loc[rows["verdict"] == CHANGED, "lineup"])
    if changed_lineups:
        names = [players_words(game, lineup) for lineup in dict.fromkeys(rows["lineup"]) if lineup in changed_lineups]
        return f"changes {words}{'' if changed_lineups == set(rows['lineup']) else f' in games of {some_of(names)}'}"
    if verdicts <= {SMALL, EQUAL}:
        return f"does not change {words} enough to matter" if SMALL in verdicts else f"leaves {words} exactly as it was"
    size = missed(not_excluded(rows[rows["verdict"] == UNCLEAR], chunks=chunks), unit)
    return f"is not known to change {words}{f' ({size})' if size else ''}"


def changes_section(
    tables: Tables, variants: Mapping[str, Variant], labels: Mapping[str, Figure], *, paired: bool = True
) -> Section:
    """Return the section of changes; `labels` are the figures of the pictures of the page by name, `paired`: on the same deals."""
    pictures: list[Picture] = []
    tables_of_section: dict[str, pd.DataFrame] = {}
    deals = ", on the same deals" if paired else ""
    for number, ((first, second), rows) in enumerate(_pairs(tables)):
        wins, name = _wins(rows), f"changes-{number}" if number else "changes"
        several = rows["lineup"].nunique() > 1
        places = [f"{row.players} players{f', {row.lineup}' if several else ''}, {row.level}" for row in wins.itertuples(index=False)]  # fmt: skip
        tables_of_section[name] = wins.assign(place=places, variant="", lineup="")
        words = {"first": first, "second": second, "deals": deals or "; the deals may differ"}
        pictures.append(replace(picture("changes", tables_of_section, **words), name=name, table=name))
        for unit, group in _KINDS.items():
            changed_rows = _changed_rows(rows, labels, shares=unit == "share")
            if len(changed_rows):
                table = f"{name}-{unit}"
                tables_of_section[table] = changed_rows
                columns = Figure("before", f"in {first}", unit), Figure("change", f"{second} minus {first}", unit)
                drawn = picture("most-changed", tables_of_section, called=group, most=str(_MOST_ROWS))
                levels = tuple(dict.fromkeys(changed_rows["what"]))[:_MOST_ROWS]
                pictures.append(replace(drawn, name=table, table=table, figures=columns, levels=levels))
    compared = [(variants[first], variants[second]) for (first, second), _ in _pairs(tables) if {first, second} <= variants.keys()]  # fmt: skip
    sentences, keys = _differing(compared)
    numbers, unused = tuple(_numbers(tables)), dict.fromkeys(("first", "second", "called", "most"), "")
    declared = section("changes", tables_of_section, numbers=numbers, deals=deals, **unused)
    return replace(declared, shown=tuple(pictures), sentences=sentences, keys=keys)


def _pairs(tables: Tables) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    """Yield (first, second) and the changes of every two variants that are compared."""
    for (first, second), rows in tables["changes"].dropna(subset="value").groupby(["than", "variant"], sort=False):
        yield (str(first), str(second)), rows


def _wins(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the changes of games won, by agent where they differ, else by seat."""
    wins = rows[rows["table"].isin(["seats", "lineup"]) & (rows["figure"] == "win_share")]
    mixed = set(wins.loc[wins["table"] == "lineup", "lineup"])
    return wins[(wins["table"] == "lineup") | ~wins["lineup"].isin(mixed)]


def _changed_rows(rows: pd.DataFrame, labels: Mapping[str, Figure], *, shares: bool) -> pd.DataFrame:
    """Return the changed figures of this kind, the largest first: before, and the change; no breakdowns by another column."""
    is_share = np.array([_unit(name, labels) == "share" for name in rows["figure"]], bool)
    is_part = np.array([bool(re.search(rf"\bby (?!{ALL}\b)", level)) for level in rows["level"]], bool)
    chosen = rows[(is_share == shares) & ~is_part & (rows["verdict"] == CHANGED).to_numpy()]
    chosen = chosen.sort_values("size", key=abs, ascending=False, kind="stable", na_position="first")
    several = rows["lineup"].nunique() > 1
    what = [
        ", ".join([
            labels[row.figure].label if row.figure in labels else re.sub("_(mean|share)?", " ", row.figure).strip(),
            *(part.replace("_", " ") for part in row.level.split(", ") if part and not part.endswith(f" {ALL}")), *([row.lineup] * several),
        ])
        for row in chosen.itertuples(index=False)
    ]  # fmt: skip
    chosen = chosen.assign(what=what, variant="", lineup="")
    before = chosen.assign(figure="before", value=chosen["before"], low=np.nan, high=np.nan)
    return pd.concat([before, chosen.assign(figure="change")], ignore_index=True)


def _unit(figure: str, labels: Mapping[str, Figure]) -> Unit:
    figure_of_label = labels.get(figure.removesuffix("_minus_position_0"))
    if figure_of_label:
        return figure_of_label.unit
    return "share" if "share" in figure or figure == "seat_gap" else "number"


def _differing(pairs: Sequence[tuple[Variant, Variant]]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return a sentence for every two variants, and a table of the component data in which they differ."""
    sentences, lines = [], []
    for first, second in pairs:
        differences = list(differing_keys(first.components, second.components))
        counted = (
            f"changes {pluralize(len(differences), 'value')} of {first.name}"
            if differences
            else f"has the same components as {first.name}"
        )
        more = f"; the first {_MOST_KEYS} are in the table" if len(differences) > _MOST_KEYS else ""
        sentences.append(f"{second.name} {counted}{more}.")
        several = [f"{second.name}: "] * (len(pairs) > 1)
        lines += [("".join([*several, key]), _short(old), _short(new)) for key, old, new in differences[:_MOST_KEYS]]
    return tuple(sentences), (("component", "before", "after"), *lines) if lines else ()


def _short(value: Any) -> str:
    return "\N{EN DASH}" if value is None else shortened(str(value), _LETTERS)


def _who(row: Any) -> str:
    """Return the level of a change, a seat in words."""
    name, _, seat = row["level"].partition(" ")
    return seat_words(int(seat), row["players"]) if name == "seat" and seat.isdecimal() else str(row["level"])


def _numbers(tables: Tables) -> Iterator[KeyNumber]:
    """Yield the largest significant change of games won, of the gap, of the mean score and the length; else the largest one."""
    table = tables["changes"].dropna(subset=["value", "low"])
    kinds: tuple[tuple[pd.DataFrame, Unit, str], ...] = (
        (_wins(table), "share", "points of games won"),
        (pick(table, table="balance", figure="seat_gap"), "share", "points of gap between the seats"),
        (pick(table, table="balance", figure="score_mean"), "amount", "mean score"),
        (pick(table, table="balance", figure="decisions_mean"), "amount", "decisions in a game"),
    )
    for rows, unit, what in kinds:
        if len(rows):
            candidates = rows[rows["verdict"] == CHANGED] if CHANGED in set(rows["verdict"]) else rows
            row = candidates.loc[candidates["size"].abs().fillna(np.inf).idxmax()]  # without a size: it was 0 before
            place = ", ".join(filter(None, [what, _who(row), f"{row['players']} players"]))
            yield KeyNumber(row, unit, f"{place}: change to {row['variant']}{_NOT_KNOWN.get(row['verdict'], '')}", is_change=True)  # fmt: skip
