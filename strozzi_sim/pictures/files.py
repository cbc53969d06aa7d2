"""Heat maps as files, drawn by matplotlib, every panel in one scale."""

import io
import re

import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure as Drawing

from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.game.reporting import pick
from strozzi_sim.pictures.heat import draw_panels
from strozzi_sim.pictures.series import Words
from strozzi_sim.pictures.style import STYLE

_METADATA: dict[str, dict[str, None]] = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}


def heat_map_files(name: str, heat_map: HeatMap, table: pd.DataFrame, words: Words, chunks: int) -> dict[str, bytes]:
    """Return <name>--<players>-players.png and .svg of a heat map by file name, one of each for every player count.

    Args:
        name: name of the files.
        heat_map: the heat map.
        table: its table heat_<name>.
        words: raw row or column -> display name.
        chunks: chunks of the study from which the intervals were estimated.
    """
    files: dict[str, bytes] = {}
    counts = sorted(int(players) for players in table["players"].unique())
    for players in counts:
        at = name + (f"--{players}-players" if len(counts) > 1 else "")
        drawn = draw_panels(heat_map, pick(table, players=players), words, chunks=chunks, compared=table)
        for suffix, _, drawing in drawn.drawings if drawn else ():
            files |= {f"{at}{suffix}.{kind}": content for kind, content in _files(drawing).items()}
    return files


def _files(drawing: Drawing) -> dict[str, bytes]:
    """Return a drawing as PNG and SVG, without ids that change from run to run."""
    found = {}
    with rc_context(STYLE):
        for kind, metadata in _METADATA.items():
            content = io.BytesIO()
            drawing.savefig(content, format=kind, metadata=metadata)
            found[kind] = content.getvalue()
    found["svg"] = re.sub(rb'<g id="text_\d+">', b"<g>", found["svg"])
    return found
