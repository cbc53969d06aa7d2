"""Digests of all that tables and pages depend on, so that unchanged ones are not made again."""

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from strozzi_sim.game.contract import Game
from strozzi_sim.studies.plan import Plan
from strozzi_sim.studies.store import Store

if TYPE_CHECKING:
    import pandas as pd

_PACKAGE = Path(__file__).resolve().parents[1]
_SOURCES = (".py", ".toml", ".html", ".css", ".js")
_LIBRARIES = ("pillow", "jinja2", "vl-convert-python")  # that draw and write beside those in the manifest
_OF_TABLES = ("plan_hash", "report", "counted", "kept", "held", "versions")
_OF_THE_RUN = ("host", "seconds", "played_now", "made_of")


def digest_of_tables(manifest: Mapping[str, Any], cut: Plan, store: Store, kind: str) -> str:
    """Return the digest of all that the tables of a study are made of.

    Args:
        manifest: the study's manifest.
        cut: the plan as far as it was played.
        store: holds the plan's chunks.
        kind: class of the study and everything that determines its tables except the plan.
    """
    chunks = [
        (cell.number, chunk, store.done[cell.number, chunk][1].hex())
        for cell in cut.cells
        for chunk in range(cut.chunks)
    ]
    decisive = {key: manifest[key] for key in _OF_TABLES}
    return _digest(_plain([decisive, cut.deals, cut.rows, chunks, kind, _code(cut.game.package)]))


def digest_of_page(manifest: Mapping[str, Any], tables: "Mapping[str, pd.DataFrame]", game: Game) -> str:
    """Return the digest of all that the page of these results and its pictures are made of."""
    decisive = {key: value for key, value in manifest.items() if key not in _OF_THE_RUN}
    return _digest(_plain([decisive, _code(game.package)]), *_contents(tables))


def code_digest() -> bytes:
    """Return the digest of our source files and of the libraries that draw."""
    return _code(__package__.partition(".")[0]).encode()


def _contents(tables: "Mapping[str, pd.DataFrame]") -> Iterator[bytes]:
    from pandas.util import hash_pandas_object

    for name in sorted(tables):
        table = tables[name]
        yield f"{name} {list(table.columns)}".encode()
        yield hash_pandas_object(table, index=False).to_numpy().tobytes()


@cache
def _code(package: str) -> str:
    """Return the digest of our source files and of those of a game's package."""
    spec = find_spec(package)
    places = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    folders = [_PACKAGE, *(place for place in places if not place.resolve().is_relative_to(_PACKAGE))]
    files = [file for folder in folders for file in sorted(folder.rglob("*")) if file.suffix in _SOURCES]
    return _digest(*(f"{name} {version(name)}".encode() for name in _LIBRARIES), *(file.read_bytes() for file in files))


def _plain(value: Any) -> bytes:
    return msgspec.json.encode(value, order="sorted")


def _digest(*parts: bytes) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "big"))
        whole.update(part)
    return whole.hexdigest()
