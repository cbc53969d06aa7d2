"""Pictures of a page as `Drawing`s, for notebooks and files."""

from itertools import takewhile
from typing import Any

from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.reporting import Picture
from strozzi_sim.pictures.declare import declare
from strozzi_sim.pictures.drawing import Drawing
from strozzi_sim.pictures.heat import draw_panels
from strozzi_sim.pictures.series import players_title, scenarios
from strozzi_sim.pictures.vega import Legend
from strozzi_sim.report.layout import Layout
from strozzi_sim.study.pages import Section


def drawing_of(layout: Layout, within: Section, shown: Picture | tuple[str, HeatMap]) -> Drawing:
    """Return a picture or heat map in all its variants and line-ups."""
    if isinstance(shown, tuple):
        return _heat_map(layout, within, *shown)
    figures: dict[str, Any] = {}
    legends: dict[str, Legend] = {}
    titles: dict[str, str] = {}
    scenes, compared = layout.scenes(within, shown)
    for scene in scenes:
        declared = declare(shown, scene.rows, scene.words, scene.components, compared)
        if declared is not None:
            name = shown.name + scene.slug
            figures[name], legends[name] = declared.wide, declared.legend
            titles[name] = f"{shown.title}: {scene.name}" if scene.name else shown.title
    return Drawing(_common(list(titles.values())), figures, layout.table(within, shown), titles, legends)


def _heat_map(layout: Layout, within: Section, name: str, heat_map: HeatMap) -> Drawing:
    table = layout.table(within, (name, heat_map))
    drawn = draw_panels(heat_map, table, layout.words("", ""), chunks=layout.results.study.chunks)
    one = table["players"].nunique() == 1 and len(scenarios(table)) > 1
    count = f", {players_title(table['players'].iloc[0])}" if one else ""
    figures, titles = {}, {}
    for suffix, variant, figure in drawn.drawings if drawn else ():
        figures[name + suffix] = figure
        titles[name + suffix] = ": ".join(filter(None, [heat_map.title, variant])) + count
    return Drawing(_common(list(titles.values())), figures, table, titles)


def _common(titles: list[str]) -> str:
    """Return the common beginning of several titles, in whole parts between colons."""
    parts = zip(*(title.split(": ") for title in titles), strict=False)
    return ": ".join(part[0] for part in takewhile(lambda part: len(set(part)) == 1, parts)) or titles[0]
