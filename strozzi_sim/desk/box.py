"""The box of a game for a form: every number, switch and block with its range and its source, and what was changed."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from strozzi_sim.agent.names import one_variant
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import ADD, BASE, REMOVE, component_data, shipped_variants, with_settings

Json = dict[str, Any]
_SILENT = ("provenance", "provenance_note", "id")  # keys that a designer does not change


def box_of(game: Game, variant: str = BASE, settings: Sequence[str] = ()) -> Json:
    """Return the box of a variant with changed keys: groups of fields, and tables of blocks.

    A setting is KEY=VALUE, as `--set` takes it. Each field has its key, value, kind and range, the value before the changes and whether the
    data is reconstructed.

    >>> from strozzi_sim.game import load_game
    >>> box = box_of(load_game("strozzi"), settings=["setup.rounds=2"])
    >>> [field["value"] for group in box["groups"] for field in group.get("fields", ()) if field["key"] == "setup.rounds"]
    [2]

    Raises:
        InputError: a key or value that the game refuses; names it and what is allowed.
    """
    begun = one_variant(game, "variant", variant, "")
    changed = with_settings(game, begun, settings) if settings else begun
    data, schema = component_data(game), _schema(game)
    groups = []
    for section in game.components_part.VARIABLE:
        about, shape = data.get(section), schema["properties"].get(section, {})
        group = {"name": section, **_source(about if isinstance(about, Mapping) else data.get(f"{section}_meta"))}
        now, before = changed.components.get(section), begun.components.get(section)
        if isinstance(now, list) and now and isinstance(now[0], Mapping) and "id" in now[0]:
            groups.append(
                group | _blocks(section, now, before or [], about or [], _resolved(shape.get("items", {}), game))
            )
        elif now is not None:
            groups.append(group | {"fields": _fields(section, now, before, _resolved(shape, game), game)})
    return {
        "game": game.name, "title": game.title, "players": [game.player_counts[0], game.player_counts[-1]], "variant": variant,
        "variants": [{"name": BASE, "about": "the published game"}, *_shipped(game)], "settings": list(settings), "groups": groups,
        "warnings": list(changed.warnings), "reconstructed": list(changed.reconstructed),
    }  # fmt: skip


def _shipped(game: Game) -> list[Json]:
    return [{"name": name, "about": each.get("about", "")} for name, each in shipped_variants(game).items()]


def _source(block: Any) -> Json:
    """Return what a block says of its source."""
    known = block if isinstance(block, Mapping) else {}
    return {"source": known.get("provenance", ""), "note": known.get("provenance_note", "")}


@cache
def _definitions(game: Game) -> Json:
    return msgspec.json.schema(game.components_part.Components)


def _schema(game: Game) -> Json:
    return _resolved(_definitions(game), game)


def _resolved(shape: Json, game: Game) -> Json:
    """Return a JSON schema whose reference is followed."""
    while "$ref" in shape:
        shape = _definitions(game)["$defs"][shape["$ref"].rpartition("/")[2]]
    return shape


def _fields(key: str, now: Any, before: Any, shape: Json, game: Game) -> list[Json]:
    """Return the fields of a value: of a table those of its keys, of anything else one."""
    if isinstance(now, Mapping):
        found: list[Json] = []
        for name, value in now.items():
            if name not in _SILENT:
                inner = shape.get("properties", {}).get(name, shape.get("additionalProperties", {}))
                was = before.get(name) if isinstance(before, Mapping) else None
                found += _fields(
                    f"{key}.{name}", value, was, _resolved(inner if isinstance(inner, dict) else {}, game), game
                )
        return found
    return [_field(key, now, before, shape)]


def _field(key: str, now: Any, before: Any, shape: Json) -> Json:
    """Return one field: its kind is `number`, `switch`, `choice`, `list`, `text`, or `fixed` where nothing can be changed."""
    kind = (
        "switch"
        if isinstance(now, bool)
        else "number"
        if isinstance(now, int | float)
        else "list"
        if isinstance(now, list)
        else "text"
    )
    if len(shape.get("enum", [])) == 1 or "." not in key:
        kind = "fixed"
    elif "enum" in shape and kind != "switch":
        kind = "choice"
    label = key.split(".", 1)[-1].replace("_", " ").replace(".", " ")
    ends = {name: shape[each] for name, each in (("low", "minimum"), ("high", "maximum")) if each in shape}
    return {
        "key": key,
        "label": label,
        "kind": kind,
        "value": now,
        "before": before,
        "choices": shape.get("enum", []),
        **ends,
    }


def _blocks(section: str, now: Sequence[Any], before: Sequence[Any], boxed: Sequence[Any], shape: Json) -> Json:
    """Return a list of blocks with ids as a table, a row each; removed ones stay, marked."""
    columns = [name for name in now[0] if name not in _SILENT]
    kinds = {
        name: _field(f"{section}.{name}", now[0][name], None, shape.get("properties", {}).get(name, {}))
        for name in columns
    }
    old, sources = (
        {each["id"]: each for each in before},
        {each["id"]: each for each in boxed if isinstance(each, Mapping)},
    )

    def row(each: Mapping[str, Any], state: str) -> Json:
        was = old.get(each["id"], {})
        values = [each.get(name) for name in columns]
        return {
            "id": each["id"],
            "state": state,
            "values": values,
            "before": [was.get(name) for name in columns],
            **_source(sources.get(each["id"])),
        }

    kept = {each["id"]: each for each in now}
    rows = [row(kept.get(each["id"], each), "" if each["id"] in kept else "removed") for each in before]
    rows += [row(each, "added") for each in now if each["id"] not in old]
    heads = [
        {"name": name, **{key: kinds[name][key] for key in ("kind", "choices", "low", "high") if key in kinds[name]}}
        for name in columns
    ]
    return {"columns": heads, "rows": rows, "add": f"{section}.{ADD}", "remove": f"{section}.{REMOVE}"}
