"""Draw a picture on a matplotlib axes of the user's: dots with intervals of one player count, by level and series."""

from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.errors import ArgumentError
from strozzi_sim.game.reporting import Picture, headline_players
from strozzi_sim.pictures.declare import rows_of
from strozzi_sim.pictures.series import Words, figures_of, in_order, named, players_title, series_of

KINDS = ("intervals", "lines", "dots")


def draw_on(axes: Any, picture: Picture, table: pd.DataFrame, words: Words, players: int | None = None) -> Any:
    """Draw the picture on axes and return them; of several figures the first, of several player counts one.

    Args:
        axes: a matplotlib Axes.
        picture: picture of kind intervals, lines or dots.
        table: its table for one variant and line-up, or for all if its series are these.
        words: raw value -> display name.
        players: player count; default: 4, or the smallest. Pictures with the player counts as levels show all.

    Raises:
        ArgumentError: a picture of another kind, or a player count without rows.
    """
    if picture.kind not in KINDS:
        raise ArgumentError("ax", f"a picture of kind {picture.kind} cannot be drawn on given axes; leave out ax")
    rows = rows_of(picture, table).dropna(subset="value")
    figure = figures_of(picture, rows)[0]
    across = picture.x == "players" or picture.series == "players"
    if not across:
        chosen = headline_players(rows) if players is None else players
        if not (rows["players"] == chosen).any():
            raise ArgumentError("players", f"{chosen}: this picture has {sorted(rows['players'].unique().tolist())}")
        rows = rows[rows["players"] == chosen]
        axes.set_title(players_title(chosen), loc="left")
    if picture.series != "figure":
        rows = rows[rows["figure"] == figure.name]
    levels = in_order(rows[picture.x], picture.levels)
    keys, names = series_of(picture, rows, words, rows)
    factor = 100 if figure.unit == "share" else 1
    for k, (key, name) in enumerate(zip(keys, names, strict=True)):
        own = rows if key is None else rows[rows[picture.series] == key]
        at = np.array([levels.index(level) for level in own[picture.x]]) + 0.6 * ((k + 0.5) / len(keys) - 0.5)
        reach = np.abs(own[["low", "high"]].sub(own["value"], axis=0).fillna(0).to_numpy().T)
        line = "-" if picture.kind == "lines" else "none"
        axes.errorbar(
            at, factor * own["value"], yerr=factor * reach, fmt="o", linestyle=line, label=name or None, capsize=2
        )
    if picture.equal and not across:
        axes.axhline(factor / int(rows["players"].iloc[0]), color="0.4", linestyle="--", linewidth=0.9)
    if picture.zero:
        axes.axhline(0, color="0.4", linestyle="--", linewidth=0.9)
    axes.set_xticks(range(len(levels)), [named(level, words, picture.x) for level in levels])
    axes.set_xlabel(picture.x_label)
    axes.set_ylabel(figure.label + (", %" if figure.unit == "share" else ""))
    if any(names):
        axes.legend()
    return axes
