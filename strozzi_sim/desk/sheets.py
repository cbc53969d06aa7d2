"""Boxes and the history of the desk as files: a sheet with a row for each number, TOML, and the table of boxes."""

import csv
import io
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from strozzi_sim.errors import InputError, short_repr
from strozzi_sim.game import Game
from strozzi_sim.game.component_names import name_of_key
from strozzi_sim.game.variants import (
    ADD,
    BASE,
    REMOVE,
    Variant,
    differing_keys,
    from_changes,
    published_value,
    resolve_variant,
)
from strozzi_sim.study.box_numbers import numbers

SHEET = ("key", "name", "published", "mine")  # columns of a sheet
HISTORY = ("game", "box", "players", "who", "games", "note")  # of the table of boxes, then every figure with its ends


def changes_of(game: Game, variant: Variant) -> dict[str, Any]:
    """Return the changes of a variant from the published game, in the form of a study file."""
    found: dict[str, Any] = {}
    for key, _, value in differing_keys(resolve_variant(game, BASE).components, variant.components):
        section, name, *rest = key.split(".")
        data, place = variant.components[section], found.setdefault(section, {})
        if isinstance(data, Mapping):
            place[name] = data[name]  # whole, since a file replaces a table below a section
        elif rest:
            place.setdefault(name, {})[".".join(rest)] = value
        elif value is None:
            place.setdefault(REMOVE, []).append(name)
        else:
            place.setdefault(ADD, []).append({"id": name, **value})
    return found


def lines(table: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Yield a line `KEY = VALUE` for each value of a table; `above` is its own key, such as `variant.`, or ""."""
    for name, value in table.items():
        is_plain = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
        key = above + (name if is_plain else json.dumps(name))
        if isinstance(value, Mapping):
            yield from lines(value, f"{key}.")
        else:
            yield f"{key} = {json.dumps(value, ensure_ascii=False, separators=(', ', ' = '))}\n"


def sheet_of(game: Game, box: Variant) -> str:
    """Return a box as CSV: key, name, published value and own value of every number."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(SHEET)
    for key, value in numbers(game, box):
        published = published_value(game, key)
        writer.writerow([key, name_of_key(game, key).label, "" if published is None else published, value])
    return text.getvalue()


def toml_of(game: Game, box: Variant, name: str) -> str:
    """Return a box as TOML, as a study file has it."""
    return "".join(lines({"variant": {name: changes_of(game, box)}}))


def settings_from(game: Game, text: str) -> list[str]:
    """Return the changes from the published game, KEY=VALUE, in a sheet or in TOML. Raises InputError."""
    if text.lstrip().startswith(SHEET[0]):
        return list(_from_sheet(game, text))
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"neither a sheet, which begins with {','.join(SHEET)}, nor TOML: {error}") from None
    boxes = data.get("variant", {})
    if len(boxes) != 1 or not all(isinstance(each, Mapping) for each in boxes.values()):
        raise InputError(f"expected one box, [variant.NAME], got {len(boxes)}")
    ((name, changes),) = boxes.items()
    box = from_changes(game, name, changes, f"variant.{name}")
    return [line.strip().replace(" = ", "=", 1) for line in lines(changes_of(game, box))]


def _from_sheet(game: Game, text: str) -> Iterator[str]:
    published = dict(numbers(game, resolve_variant(game, BASE)))
    head = text.lstrip().partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text.lstrip()), delimiter=max(",;\t", key=head.count))
    missing = [name for name in (SHEET[0], SHEET[-1]) if name not in (rows.fieldnames or ())]
    if missing:
        raise InputError(f"the sheet lacks the column {missing[0]!r}")
    for number, row in enumerate(rows, 2):
        key, mine = (row[SHEET[0]] or "").strip(), (row[SHEET[-1]] or "").strip()
        if not mine:
            continue
        if key not in published:
            raise InputError(f"line {number} of the sheet: no number has the key {short_repr(key)}")
        try:
            value = float(mine)
        except ValueError:
            raise InputError(f"line {number} of the sheet: {key}: expected a number, got {short_repr(mine)}") from None
        if value != published[key]:
            yield f"{key}={int(value) if value.is_integer() else value}"


def history_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the rows of the history as CSV; each figure has its value and the ends of its interval."""
    text = io.StringIO()
    figures = list(dict.fromkeys(name for row in rows for name in row["figures"]))
    ends = ("", " from", " to")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*HISTORY, *(f"{name}{end}" for name in figures for end in ends)])
    for row in rows:
        found = [row["figures"].get(name, ["", "", ""]) for name in figures]
        writer.writerow([*(row[name] for name in HISTORY), *(end for each in found for end in each)])
    return text.getvalue()
