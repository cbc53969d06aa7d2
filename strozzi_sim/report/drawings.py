"""Pictures of a page as `Drawing`s, for notebooks and files, and on axes."""

from itertools import takewhile
from typing import Any

from strozzi_sim.errors import ArgumentError
from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.reporting import Picture
from strozzi_sim.pictures.draw import draw_picture
from strozzi_sim.pictures.drawing import Drawing
from strozzi_sim.pictures.heat import draw_heat
from strozzi_sim.pictures.heat_tables import heat_tables
from strozzi_sim.pictures.marks import Drawn
from strozzi_sim.report.layout import Layout
from strozzi_sim.study.look import Section


def drawing_of(layout: Layout, within: Section, shown: Picture | tuple[str, HeatMap]) -> Drawing:
    """Return a picture or heat map in all its variants and line-ups."""
    found: dict[str, Drawn] = {}
    titles: dict[str, str] = {}
    if isinstance(shown, tuple):
        name, heat_map = shown
        heat = heat_tables(heat_map, layout.table(within, shown), layout.words("", ""), chunks=layout.results.study.chunks)  # fmt: skip
        if heat is not None:
            found[name], titles[name] = draw_heat(heat, heat_map.figure.label), heat_map.title
    else:
        scenes, compared = layout.scenes(within, shown)
        for scene in scenes:
            drawn = draw_picture(shown, scene.rows, scene.words, scene.components, compared)
            if drawn is not None:
                name = shown.name + scene.slug
                found[name], titles[name] = drawn, f"{shown.title}: {scene.name}" if scene.name else shown.title
    return Drawing(_common(list(titles.values())), found, layout.table(within, shown), titles)


def on_axes(layout: Layout, within: Section, shown: Picture | tuple[str, HeatMap], axes: Any, players: int | None) -> Any:  # fmt: skip
    """Draw one panel on axes and return them: of several variants and line-ups, and of several figures, the first.

    Raises:
        ArgumentError: the picture has no values, or none at this player count.
    """
    drawn = next(iter(drawing_of(layout, within, shown).drawn.values()), None)
    if drawn is None:
        raise ArgumentError("name", "this picture has no values")
    drawn.on(axes, players)
    return axes


def _common(titles: list[str]) -> str:
    """Return the common beginning of several titles, in whole parts between colons."""
    parts = zip(*(title.split(": ") for title in titles), strict=False)
    return ": ".join(part[0] for part in takewhile(lambda part: len(set(part)) == 1, parts)) or titles[0]
