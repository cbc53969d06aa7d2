"""Names of component data: what a key is called at the table, how a change of it reads, and how a number is changed.

A game declares them in `names.toml` beside `components.toml`, a table for each pattern of a key; keys without one get
names made of their own words. Names have no effect on play and are part of no study.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
from msgspec.structs import replace

from strozzi_sim.errors import InputError, pluralize
from strozzi_sim.game.contract import Game
from strozzi_sim.game.converting import converted
from strozzi_sim.game.sentences import listed, ordinal_word
from strozzi_sim.game.variants import BASE, Variant, differing_keys, resolve_variant, shipped_variants

CHANGED_BOX = "the changed box"  # a variant with several changes
_NOTHING = "nothing"  # the value of an entry that is missing
_MOST_CLAUSES = 2  # changes of a variant in one sentence; of more the first one
_LETTERS = 40  # most of a change that names a box


class Name(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A name of the data at a key, and the numbers that a designer would print there.

    In texts `{0}`, `{1}` are the parts of the key that `*` in its pattern stands for, and `{0:place}` is the place in a
    list, from 0 on, as text: first, second, 11th.
    """

    label: str  # noun: "prize on space {0} of the tracks"
    text: str = ""  # a clause with {value}: "space {0} of the tracks pays {value}"; default: "LABEL is {value}"
    unit: str = ""  # what is counted, in the singular: "coin"
    when: dict[str, str] = {}  # of a switch (true, false) or a choice: value -> a clause
    step: int = 1  # between the numbers that a designer would print
    low: int | None = None  # least number that a designer would print; default: the least that the type allows
    high: int | None = None  # largest such number
    falling: bool = False  # of a list: whether none of its numbers should exceed the one before it
    tunable: bool = True  # whether a designer may want to change the number to balance the game
    entries: dict[str, str] = {}  # of a section: id of a block -> what it is called in the texts of its keys

    def clause(self, value: Any) -> str:
        """Return the clause for a value: "space 9 of the tracks pays 15 coins"."""
        return self.when.get(_key_of(value)) or self._filled(self._amount(value))

    def change(self, before: Any, after: Any) -> str:
        """Return the clause for a changed value: "space 9 of the tracks pays 20 coins instead of 15"."""
        if _key_of(after) in self.when:
            return self.when[_key_of(after)]
        if isinstance(after, list) and not self.text:
            return f"{self.label}: changed"
        if type(before) is int and type(after) is int:
            return f"{self._filled(self._amount(after))} instead of {before}"
        return f"{self._filled(self._amount(after))} instead of {self._amount(before)}"

    def _filled(self, amount: str) -> str:
        return (self.text or f"{self.label} is {{value}}").replace("{value}", amount)

    def _amount(self, value: Any) -> str:
        if value is None or value == "":
            return _NOTHING
        if isinstance(value, list | tuple):
            return listed([str(entry) for entry in value])
        if isinstance(value, bool):
            return "on" if value else "off"
        return pluralize(value, self.unit) if self.unit and isinstance(value, int) else str(value)


def _key_of(value: Any) -> str:
    """Return the key of a value in `when`, as TOML writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class _Part(str):
    """A part of a key, which the format `place` shows as an ordinal: 0 is first, 10 is 11th."""

    def __format__(self, form: str) -> str:
        if form != "place":
            return str(self)
        return ordinal_word(int(self) + 1)


@cache
def declared_names(game: Game) -> dict[str, Name]:
    """Return pattern of a key -> Name, as the game declares them; {} without a `names.toml`. Raises InputError."""
    file = files(game.package).joinpath("names.toml")
    if not file.is_file():
        return {}
    try:
        raw = tomllib.loads(file.read_text("utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file}: not a TOML file: {error}") from None
    names: dict[str, Name] = converted(raw, dict[str, Name], str(file))
    for pattern, name in names.items():
        parts = [_Part("0")] * pattern.split(".").count("*")
        try:
            _with_parts(name, parts)  # a trial, so that a wrong placeholder is reported here
        except (IndexError, KeyError, ValueError) as error:
            allowed = f"{{value}} and {len(parts)} parts of the key, from {{0}}" if parts else "{value}"
            raise InputError(f"{file}: {pattern}: a text may use {allowed}: {error}") from None
    return names


def name_of_key(game: Game, key: str) -> Name:
    """Return the name of the data at a key, such as `tracks.bonus.9`, of a section, or of a block.

    The first pattern that matches counts.

    >>> from strozzi_sim.game import load_game
    >>> name_of_key(load_game("strozzi"), "tracks.bonus.9").change(15, 20)
    'space 9 of the tracks pays 20 coins instead of 15'
    """
    parts = key.split(".")
    for pattern, name in declared_names(game).items():
        pattern_parts = pattern.split(".")
        if len(pattern_parts) != len(parts):
            continue
        pairs = list(zip(pattern_parts, parts, strict=True))
        if all(expected in ("*", part) for expected, part in pairs):
            of_section = declared_names(game).get(parts[0], name).entries
            return _with_parts(name, [_Part(of_section.get(part, part)) for expected, part in pairs if expected == "*"])
    section, *rest = (part.replace("_", " ") for part in parts)
    return Name(f"{section}: {' '.join(rest)}" if rest else section)


def _with_parts(name: Name, matched: Sequence[_Part]) -> Name:
    """Return a name with the parts of a key filled into its texts; `{value}` remains."""

    def filled(text: str) -> str:
        return text.format(*matched, value="{value}")

    when = {value: filled(clause) for value, clause in name.when.items()}
    return replace(name, label=filled(name.label), text=filled(name.text), when=when)


def changes_in_words(game: Game, first: Any, second: Any, within: str = "") -> Iterator[tuple[str, str]]:
    """Yield each key, below `within`, at which the data of a second variant differ, and the change as a clause."""
    for key, before, after in differing_keys(first, second, within):
        if isinstance(before, Mapping) or isinstance(after, Mapping):
            label = name_of_key(game, key).label
            yield key, f"{label} is {'removed' if after is None else 'added'}"
        elif _is_plain_list(before) and _is_plain_list(after) and len(before) == len(after):
            for index, (old, new) in enumerate(zip(before, after, strict=True)):
                if old != new:
                    yield f"{key}.{index}", name_of_key(game, f"{key}.{index}").change(old, new)
        else:
            yield key, name_of_key(game, key).change(before, after)


def _is_plain_list(data: Any) -> bool:
    return isinstance(data, list) and not any(isinstance(each, Mapping) for each in data)


def difference_in_words(game: Game, first: Variant, second: Variant, beginning: str = "You changed") -> str:
    """Return a sentence on what differs in the second variant, the first changes in words, or "" for nothing."""
    clauses = [clause for _, clause in changes_in_words(game, first.components, second.components)]
    if not clauses:
        return ""
    if len(clauses) > _MOST_CLAUSES:
        clauses = [clauses[0], pluralize(len(clauses) - 1, "more change")]
    return f"{beginning}: {listed(clauses)}."


def boxes_in_words(game: Game, variants: Mapping[str, Variant]) -> dict[str, str]:
    """Return each variant in words: the published box, a shipped variant's name, the only change, or the changed box.

    If two would be called alike, they have their names.
    """
    published = resolve_variant(game, BASE)
    boxes = {}
    for name, variant in variants.items():
        changes = list(differing_keys(published.components, variant.components))
        boxes[name] = CHANGED_BOX
        if not changes:
            boxes[name] = "the published box"
        elif name in shipped_variants(game):
            boxes[name] = name
        elif len(changes) == 1 and len(words := _box_with(game, *changes[0])) <= _LETTERS:
            boxes[name] = words
    return boxes if len(set(boxes.values())) == len(boxes) else {name: name for name in variants}


def _box_with(game: Game, key: str, before: Any, after: Any) -> str:
    """Return a box with one change in words: "without block S01", "space 9 of the tracks pays 20 coins"."""
    name = name_of_key(game, key)
    if after is None or before is None:
        return f"{'without' if after is None else 'with'} {name.label}"
    return name.clause(after)
