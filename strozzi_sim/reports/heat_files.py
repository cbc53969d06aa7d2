"""Heat maps as files, drawn by matplotlib: those that a study asks for, every panel in one scale."""

import hashlib
import io
import re
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure as Drawing
from pandas.util import hash_pandas_object

from strozzi_sim.game.contract import Game
from strozzi_sim.game.reporting import Tables, pick
from strozzi_sim.game.significance import MAX_CHUNKS
from strozzi_sim.reports.heat import draw_panels
from strozzi_sim.reports.naming import Naming
from strozzi_sim.reports.study_page import maps_of, variants_of
from strozzi_sim.reports.style import STYLE
from strozzi_sim.studies.made_of import code_digest

_METADATA: dict[str, dict[str, None]] = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}


def heat_map_files(
    manifest: Mapping[str, Any],
    tables: Tables,
    game: Game,
    phase: Callable[[str, int, int], None] | None = None,
    before: Callable[[str], bytes] = lambda name: b"",
) -> dict[str, bytes]:
    """Return figures/heat-<name>--<players>-players.png and .svg of every heat map of a study, by path.

    Args:
        manifest: content of its manifest.json.
        tables: its tables.
        game: its game.
        phase: callback for ("pictures", number of drawn heat maps, 0); default: no callback.
        before: returns the content of a file of an earlier run, or nothing; a heat map of the same cells is not drawn again.
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
            made_of = _digest(rows, table, words, (heat_map.title, heat_map.figure, chunks))
            kept = {f"{at}.{kind}": before(f"{at}.{kind}") for kind in _METADATA}
            if made_of in kept[f"{at}.svg"][:1000] and kept[f"{at}.png"]:
                files |= kept
                continue
            drawn = draw_panels(heat_map, rows, words, chunks=chunks, compared=table)
            for suffix, _, drawing in drawn.drawings if drawn else ():
                files |= {f"{at}{suffix}.{kind}": content for kind, content in _files(drawing, made_of).items()}
    return files


def _digest(rows: pd.DataFrame, every: pd.DataFrame, words: Mapping[str, str], rest: Any) -> bytes:
    """Return a digest of all that a heat map is made of: its cells, its scale, names and code."""
    ends = every["value"].describe().to_numpy().tobytes()
    parts = [
        hash_pandas_object(rows, index=False).to_numpy().tobytes(),
        ends,
        repr((sorted(words.items()), rest)).encode(),
        code_digest(),
    ]
    return hashlib.sha256(b"".join(parts)).hexdigest().encode()


def _files(drawing: Drawing, made_of: bytes) -> dict[str, bytes]:
    """Return a drawing as PNG and SVG; the SVG says of what it is made, without ids that change from run to run."""
    found = {}
    with rc_context(STYLE):
        for kind, metadata in _METADATA.items():
            content = io.BytesIO()
            drawing.savefig(content, format=kind, metadata=metadata)
            found[kind] = content.getvalue()
    svg = re.sub(rb'<g id="text_\d+">', b"<g>", found["svg"])
    found["svg"] = svg.replace(b"<svg ", b"<!-- made of " + made_of + b" -->\n<svg ", 1)
    return found
