"""What a sweep shows: figures over the values, which differ from those at the reference on the same deals, and where that is published."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from strozzi_sim.facts.pictures import Figure, HeatMap
from strozzi_sim.game.reporting import Picture, Tables, pick
from strozzi_sim.game.significance import ALPHA, degrees_of_freedom, p_value
from strozzi_sim.game.variants import is_reconstructed, published_value
from strozzi_sim.stats.multiple_testing import holm
from strozzi_sim.study.look import KeyNumber, Section
from strozzi_sim.study.model import Study

GAP = Figure("seat_gap", "gap between the seats", "share")
_SHOWN = (
    GAP, Figure("score_mean", "mean score", "amount"), Figure("margin_mean", "the winner's margin", "amount"),
    Figure("decisions_mean", "decisions in a game", "amount"),
)  # fmt: skip
_CELL = ["players", "variant", "lineup"]


def values_section(study: Study, keys: Mapping[str, Sequence[float]], tables: Tables) -> Section:
    """Return the section of the values: a line over those of one key, a map over those of two, and all of them in figures."""
    known = set(tables["sweep"].dropna(subset="value")["figure"])
    figures = [figure for figure in _SHOWN if figure.name in known]
    made = {f"sweep-{figure.name}": _rows(study, list(keys), tables, figure.name) for figure in figures}
    every = pd.concat(made.values(), ignore_index=True)
    shown = [_picture(list(keys), figure, f"sweep-{figure.name}") for figure in figures]
    in_figures = Picture(
        "values", "", "table", "values", tuple(figures), "The values in figures",
        "(*) marks the values that the others are compared with. What is called higher or lower differs significantly from them, corrected for "
        "all values, player counts and line-ups of a figure.", x="at", x_label=" and ".join(keys),
    )  # fmt: skip
    first = every[every["figure"] == GAP.name].dropna(subset="value")
    numbers = tuple(_numbers(first)) if len(first) else ()
    return Section(
        "Values", f"What do the values of {' and '.join(keys)} change?", (*shown, in_figures), tuple(_published(study, keys)),
        numbers=numbers, tables={**made, "values": every},
    )  # fmt: skip


def _picture(keys: Sequence[str], figure: Figure, table: str) -> Picture | tuple[str, HeatMap]:
    title = f"{figure.label[:1].upper()}{figure.label[1:]} over {' and '.join(keys)}"
    if len(keys) > 1:
        caption = "The framed cell has the values that the others are compared with, on the same deals and corrected for the number of values."
        row, column = keys
        return table, HeatMap(
            title, caption, row, column, figure, shade_label="from the framed cell, where significant"
        )
    caption = "Filled marks are known to differ from the reference (*), on the same deals and corrected for the number of values. Thin lines are 95 % intervals"
    caption += "; those of a gap reach as far as chance moves equal seats." if figure == GAP else "."
    return Picture(
        table.replace("_", "-"), "", "intervals", table, (figure,), title, caption, x="at", x_label=keys[0], series="told", series_levels=_TOLD,
    )  # fmt: skip


_TOLD = ("reference", "differs from the reference", "not told apart from it")


def _rows(study: Study, keys: Sequence[str], tables: Tables, figure: str) -> pd.DataFrame:
    """Return the rows of a figure in the order of the values: `at`, the values as text, `told`, `row`, `column`, `shade` and `marked`.

    The interval of a gap reaches as far as chance moves the largest difference of any two seats (Tukey).
    """
    rows = pick(tables["sweep"], figure=figure)
    less = pick(tables["changes"], table="balance", figure=figure, than=study.reference, level="").reset_index(
        drop=True
    )
    df = degrees_of_freedom(less["n"], less["deals"], study.chunks)
    differs = holm(p_value(less["value"], less["low"], less["high"], 0.0, df)) < ALPHA
    less = less.assign(change=np.where(differs, less["value"], np.nan))[[*_CELL, "change"]]
    rows = rows.merge(less, "left", _CELL).sort_values([*keys], kind="stable", ignore_index=True)
    is_reference = (rows["variant"] == study.reference).to_numpy()
    if figure == GAP.name:
        chance = pick(tables["sweep"], figure="seat_gap_by_chance")[[*_CELL, "value"]].rename(
            columns={"value": "chance"}
        )
        rows = rows.merge(chance, "left", _CELL)
        rows["low"] = rows["low"].fillna((rows["value"] - rows["chance"]).clip(lower=0))
        rows["high"] = rows["high"].fillna((rows["value"] + rows["chance"]).clip(upper=1))
    at = [" and ".join(f"{row[key]:g}" for key in keys) for row in rows.to_dict("records")]
    down, across = ([f"{value:g}" for value in rows[key]] for key in (keys[0], keys[-1]))
    return rows.assign(
        at=[f"{text} (*)" if same else text for text, same in zip(at, is_reference, strict=True)], row=down, column=across,
        told=np.where(is_reference, _TOLD[0], np.where(rows["change"].notna(), _TOLD[1], _TOLD[2])),
        shade=rows["change"], marked=is_reference, variant="",
    )  # fmt: skip


def _numbers(gaps: pd.DataFrame) -> Iterator[KeyNumber]:
    """Yield the gap at the reference, and the smallest and the largest, at the first player count and line-up."""
    cell = gaps.iloc[0]
    here = pick(gaps, players=cell["players"], lineup=cell["lineup"])
    named = {k: here.loc[k] for k in (*here.index[here["marked"]][:1], here["value"].idxmin(), here["value"].idxmax())}
    for row in sorted(named.values(), key=lambda row: float(row["value"])):
        yield KeyNumber(
            row, "share", f"gap between the seats at {row['at']}, {row['players']} players ({row['lineup']})"
        )


def _published(study: Study, keys: Mapping[str, Sequence[float]]) -> Iterator[str]:
    """Yield sentences on published values that are not among these, and those that no source gives."""
    for key, values in keys.items():
        value = published_value(study.the_game, key)
        shown = "no value" if value is None else f"{key} = {value}"
        if is_reconstructed(study.the_game, key):
            yield f"In the published game {shown} is reconstructed: no source gives it."
        if value not in values:
            yield f"The published game has {shown}, which is not among the values; they are compared with the first."
