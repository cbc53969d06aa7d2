"""The box of a game for a form: every number, switch and block with its range and its source, and what was changed."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from strozzi_sim.agent.names import one_variant
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import ADD, BASE, REMOVE, Variant, component_data, shipped_variants, with_settings

Json = dict[str, Any]
_SILENT = ("provenance", "provenance_note", "id")  # keys that a designer does not change


def box_of(game: Game, variant: str = BASE, settings: Sequence[str] = ()) -> Json:
    """Return the box of a variant with changed keys: groups of fields, and tables of blocks.

    A setting is KEY=VALUE, as `--set` takes it. Each field has its key, value, kind and range, and the value before the changes; each
    group and block has the source of its data.

    >>> from strozzi_sim.game import load_game
    >>> box = box_of(load_game("strozzi"), settings=["setup.rounds=2"])
    >>> [field["value"] for group in box["groups"] for field in group.get("fields", ()) if field["key"] == "setup.rounds"]
    [2]

    Raises:
        InputError: a key or value that the game refuses; names it and what is allowed.
    """
    begun, changed = one_variant(game, "variant", variant), changed_variant(game, variant, settings)
    data, sections = component_data(game), _schema(game)["properties"]
    groups = []
    for section in game.components_part.VARIABLE:
        about, shape = data.get(section), _followed(sections.get(section, {}), game)
        now, before = changed.components.get(section), begun.components.get(section)
        group = {"name": section, **_source(about if isinstance(about, Mapping) else data.get(f"{section}_meta"))}
        if isinstance(now, list) and now and isinstance(now[0], Mapping) and "id" in now[0]:
            groups.append(group | _blocks(section, now, before or [], about or [], _followed(shape["items"], game)))
        elif now is not None:
            groups.append(group | {"fields": list(_fields(section, now, before, shape, game))})
    shipped = [{"name": name, "about": each.get("about", "")} for name, each in shipped_variants(game).items()]
    variants = [{"name": BASE, "about": "the published game"}, *shipped]
    box = {"game": game.name, "title": game.title, "players": [game.player_counts[0], game.player_counts[-1]]}
    box |= {"variant": variant, "variants": variants, "settings": list(settings), "groups": groups}
    return box | {"warnings": list(changed.warnings), "reconstructed": list(changed.reconstructed)}


def changed_variant(game: Game, variant: str, settings: Sequence[str]) -> Variant:
    """Return a variant with changed keys, unchanged without any."""
    begun = one_variant(game, "variant", variant)
    return with_settings(game, begun, settings) if settings else begun


def _source(block: Any) -> Json:
    """Return what a block says of its source."""
    known = block if isinstance(block, Mapping) else {}
    return {"source": known.get("provenance", ""), "note": known.get("provenance_note", "")}


@cache
def _schema(game: Game) -> Json:
    """Return the JSON schema of the components of a game."""
    schema = msgspec.json.schema(game.components_part.Components)
    return {**schema["$defs"][schema["$ref"].rpartition("/")[2]], "$defs": schema["$defs"]}


def _followed(shape: Any, game: Game) -> Json:
    """Return a part of the schema whose reference is followed."""
    while isinstance(shape, dict) and "$ref" in shape:
        shape = _schema(game)["$defs"][shape["$ref"].rpartition("/")[2]]
    return shape if isinstance(shape, dict) else {}


def _fields(key: str, now: Any, before: Any, shape: Json, game: Game) -> Iterator[Json]:
    """Yield the fields of a value: of a table those of its keys, of anything else one."""
    if not isinstance(now, Mapping):
        label = key.split(".", 1)[-1].replace("_", " ").replace(".", " ")
        yield {"key": key, "label": label, "value": now, "before": before, **_control(now, shape, "." not in key)}
        return
    for name, value in now.items():
        if name not in _SILENT:
            inner = shape.get("properties", {}).get(name, shape.get("additionalProperties"))
            was = before.get(name) if isinstance(before, Mapping) else None
            yield from _fields(f"{key}.{name}", value, was, _followed(inner, game), game)


def _control(value: Any, shape: Json, is_section: bool = False) -> Json:
    """Return how a value is changed: `kind` is number, switch, choice, list, text, or fixed; with its choices and its range."""
    choices = shape.get("enum", [])
    kinds = {bool: "switch", int: "number", float: "number", list: "list"}
    kind = "choice" if choices and not isinstance(value, bool) else kinds.get(type(value), "text")
    ends = {end: shape[key] for end, key in (("low", "minimum"), ("high", "maximum")) if key in shape}
    return {"kind": "fixed" if is_section or len(choices) == 1 else kind, "choices": choices, **ends}


def _blocks(section: str, now: Sequence[Any], before: Sequence[Any], boxed: Sequence[Any], shape: Json) -> Json:
    """Return a list of blocks with ids as a table, a row each; removed ones stay, marked."""
    columns = [name for name in now[0] if name not in _SILENT]
    kept, old = ({each["id"]: each for each in blocks} for blocks in (now, before))
    sources = {each["id"]: each for each in boxed if isinstance(each, Mapping)}
    heads = [{"name": name, **_control(now[0][name], shape.get("properties", {}).get(name, {}))} for name in columns]

    def row(name: str) -> Json:
        was, each = old.get(name, {}), kept.get(name) or old[name]
        state = "added" if name not in old else "" if name in kept else "removed"
        cells = {"values": [each.get(column) for column in columns], "before": [was.get(column) for column in columns]}
        return {"id": name, "state": state, **cells, **_source(sources.get(name))}

    rows = [row(name) for name in {**old, **kept}]
    return {"columns": heads, "rows": rows, "add": f"{section}.{ADD}", "remove": f"{section}.{REMOVE}"}
