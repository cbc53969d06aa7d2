"""The box of a game for a form: all numbers, switches and blocks with ranges, sources, and values before changes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import inspect

from strozzi_sim.game import Game, find_game
from strozzi_sim.game.component_names import name_of_key
from strozzi_sim.game.converting import types_at
from strozzi_sim.game.restricting import restrictions
from strozzi_sim.game.variants import BASE, component_data, resolve_variant, shipped_variants, with_settings

Json = dict[str, Any]
_SILENT = ("provenance", "provenance_note", "id")  # keys without a field: a designer does not change them
_KINDS = {bool: "switch", int: "number", float: "number", list: "list"}


def box_of(game: str | Game, variant: str = BASE, settings: Sequence[str] = ()) -> Json:
    """Return the box of a variant with changed keys, and the names that questions about it can use.

    A setting is KEY=VALUE, as `--set` takes it; a refused one raises InputError. A group of the box has fields, each
    with key, label, kind, range, step, value before and after the changes, and both in words; or it has blocks, as a
    table. Groups and blocks name the source of their data.
    """
    game = find_game(game)
    unchanged, changed = resolve_variant(game, variant), with_settings(game, variant, settings)
    data = component_data(game)
    kind = inspect.type_info(game.components_part.Components)
    groups = []
    for section in game.components_part.VARIABLE:
        boxed, now, before = data.get(section, {}), changed.components[section], unchanged.components[section]
        label = name_of_key(game, section).label
        group = {
            "name": section,
            "label": label,
            **_source(boxed if isinstance(boxed, Mapping) else data.get(f"{section}_meta", {})),
        }
        if isinstance(now, list) and now and isinstance(now[0], Mapping) and "id" in now[0]:
            groups.append(group | _blocks(kind, section, now, before, boxed))
        else:
            groups.append(group | {"fields": list(_fields(game, kind, (section,), now, before))})
    shipped = {name: each.get("about", "") for name, each in shipped_variants(game).items()}
    columns = sorted({column.name for table in game.fact_tables for column in table.columns})
    box: Json = {"groups": groups, "variant": variant, "settings": list(settings), "warnings": list(changed.warnings)}
    box |= {"variants": {BASE: "the published game", **shipped}, "players": list(game.player_counts)}
    box |= {"columns": columns, "things": list(restrictions(game, unchanged))}
    return box | {"tiers": game.tiers, "agent": game.default_agent}


def _source(block: Mapping[str, Any]) -> Json:
    return {"source": block.get("provenance", ""), "note": block.get("provenance_note", "")}


def _fields(game: Game, kind: inspect.Type, path: tuple[str, ...], now: Any, before: Any) -> Iterator[Json]:
    if not isinstance(now, Mapping):
        key = ".".join(path)
        name = name_of_key(game, key)
        says = name.clause(now) if now == before else name.change(before, now)
        words = {"label": name.label, "says": says, "step": name.step}
        yield {"key": key, "value": now, "before": before, **words, **_control(kind, path, now)}
        return
    for name, value in now.items():
        if name not in _SILENT:
            old = before.get(name) if isinstance(before, Mapping) else None
            yield from _fields(game, kind, (*path, name), value, old)


def _control(kind: inspect.Type, path: Sequence[str | int], value: Any) -> Json:
    """Return the input of a value: `kind` (number, switch, choice, list, text or fixed), choices and, if any, range."""
    found: Json = {"kind": _KINDS.get(type(value), "text"), "choices": []}
    for each in types_at(kind, path):
        if isinstance(each, inspect.LiteralType):
            found |= {"kind": "choice" if len(each.values) > 1 else "fixed", "choices": list(each.values)}
        elif isinstance(each, inspect.IntType | inspect.FloatType):
            found |= {"low": each.ge, "high": each.le}
    return found | ({"kind": "fixed"} if len(path) == 1 else {})  # a section without keys


def _blocks(kind: inspect.Type, section: str, now: list[Json], before: list[Json], boxed: list[Json]) -> Json:
    """Return blocks with ids as a table with a row for each; added and removed ones are marked."""
    columns = [name for name in now[0] if name not in _SILENT]
    kept, old, sources = ({each["id"]: each for each in blocks} for blocks in (now, before, boxed))

    def row(name: str) -> Json:
        state = "added" if name not in old else "" if name in kept else "removed"
        shown, was = kept.get(name) or old[name], old.get(name, {})
        cells = {"values": [shown.get(column) for column in columns], "before": [was.get(column) for column in columns]}
        return {"id": name, "state": state, **cells, **_source(sources.get(name, {}))}

    heads = [{"name": name, **_control(kind, (section, 0, name), now[0][name])} for name in columns]
    return {"columns": heads, "rows": [row(name) for name in {**old, **kept}]}
