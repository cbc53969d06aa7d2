"""Draw the pictures that games and studies declare: one Picture and the rows of its table -> a picture of any width."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from strozzi_sim.game.reporting import Picture
from strozzi_sim.pictures.bars import draw_bars, draw_spread
from strozzi_sim.pictures.boards import draw_board
from strozzi_sim.pictures.ink import WIDE
from strozzi_sim.pictures.marks import Drawn, rows_of
from strozzi_sim.pictures.points import draw_points
from strozzi_sim.pictures.scatter import draw_scatter
from strozzi_sim.pictures.series import Words, levels_of

_KINDS: Mapping[str, Any] = {
    "intervals": draw_points, "lines": draw_points, "dots": draw_points, "bars": draw_bars, "spread": draw_spread, "scatter": draw_scatter,
}  # fmt: skip


def draw_picture(
    picture: Picture, table: pd.DataFrame, words: Words, components: Mapping[str, Any] | None = None,
    compared: pd.DataFrame | None = None, width: int = WIDE,
) -> Drawn | None:  # fmt: skip
    """Return a picture of any kind except "table", ready to be drawn at any width; None if no row has a value.

    `table` has the rows of one variant and line-up (of all of them if the series is "scenario"), `words` is raw value -> display name,
    `components` the component data of the variant, without which there is no board, and `compared` has the rows of all variants and
    line-ups beside these, which share one scale, by default the table. The wide picture has `width` pixels.
    """
    rows = rows_of(picture, table)
    if rows["value"].isna().all():
        return None
    every = rows if compared is None else rows_of(picture, compared)
    if picture.kind == "board":
        return draw_board(picture, rows, components, every, width) if components else None
    if picture.x in rows:  # the table's order, even if the first player count has no value
        picture = replace(picture, levels=tuple(levels_of(picture, every)))
    known, every = rows.dropna(subset="value"), every.dropna(subset="value")
    drawn: Drawn = _KINDS[picture.kind](picture, known, words, every, width)
    return drawn
