"""Heat maps as files, drawn by matplotlib: those that a study asks for, every panel in one scale."""

import io
import re
from collections.abc import Callable, Mapping
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure as Drawing

from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Tables, pick
from strozzi_sim.game.significance import MAX_CHUNKS
from strozzi_sim.reports.heat import draw_panels
from strozzi_sim.reports.naming import Naming
from strozzi_sim.reports.study_page import maps_of, variants_of
from strozzi_sim.reports.style import STYLE

_METADATA: dict[str, dict[str, None]] = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}


def heat_map_files(
    manifest: Mapping[str, Any],
    tables: Tables,
    game: Game,
    phase: Callable[[str, int, int], None] | None = None,
) -> dict[str, bytes]:
    """Return figures/heat-<name>--<players>-players.png and .svg of every heat map of a study, by path.

    Args:
        manifest: content of its manifest.json.
        tables: its tables.
        game: its game.
        phase: callback for ("pictures", number of drawn heat maps, 0); default: no callback.
    """
    files: dict[str, bytes] = {}
    if "seats" not in tables:
        return files
    maps = maps_of(manifest, game)
    words = Naming(game, tables, variants_of(manifest)).of_all() if maps else {}
    chunks = manifest.get("plan", {}).get("chunks") or MAX_CHUNKS
    for number, (name, heat_map) in enumerate(maps.items()):
        table = tables.get("heat_" + name.replace("-", "_"))
        if table is None:
            continue
        if phase is not None:
            phase("pictures", number, 0)
        counts = sorted(int(players) for players in table["players"].unique())
        for players in counts:
            rows = pick(table, players=players)
            at = f"figures/heat-{name}" + (f"--{players}-players" if len(counts) > 1 else "")
            drawn = draw_panels(heat_map, rows, words, chunks=chunks, compared=table)
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
