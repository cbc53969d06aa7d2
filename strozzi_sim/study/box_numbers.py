"""The numbers of a box: every number of its components, and those that a designer may tune, with steps and ranges."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

import numpy as np
from msgspec import inspect

from strozzi_sim.errors import ArgumentError, InputError, suggest_names
from strozzi_sim.game import Game
from strozzi_sim.game.component_names import Name, name_of_key
from strozzi_sim.game.converting import types_at
from strozzi_sim.game.variants import (
    BASE,
    Variant,
    is_reconstructed,
    published_value,
    resolve_variant,
    shipped_variants,
    with_values,
)
from strozzi_sim.stats.intervals import Array

REACH = 10  # default range of a number up and down, in tenths of it: from nothing to twice as much
_FEWEST_STEPS = 3  # of printing, that a range goes up and down at least
_MOST_VALUES = 60  # about; of a number with more values in its range, a part of them is considered


@dataclass(frozen=True)
class BoxNumber:
    """A number of the box that may change."""

    key: str
    name: Name
    value: float  # before any change
    step: float  # about a tenth of the number
    values: tuple[float, ...]  # those that a designer would print, its own among them, ascending
    is_reconstructed: bool  # whether no source gives it

    def at(self, steps: float) -> float:
        """Return the printable value that is nearest to this many steps from its own."""
        wanted = self.value + steps * self.step
        return min(self.values, key=lambda value: (abs(value - wanted), abs(value - self.value)))

    def moved(self, sign: int, steps: Sequence[int]) -> list[float]:
        """Return the values so many steps up (sign 1) or down (-1); the next one, if the steps lead to no other."""
        side = [value for value in self.values if sign * (value - self.value) > 0]
        reached = [value for value in (self.at(sign * each) for each in steps) if value in side]
        return reached or sorted(side, key=lambda value: abs(value - self.value))[:1]

    def steps_to(self, value: float) -> float:
        """Return the distance of a value, in steps."""
        return (value - self.value) / self.step

    @property
    def positions(self) -> Array:
        """The printable values in steps from its own, float64[V]."""
        return (np.asarray(self.values, np.float64) - self.value) / self.step


def numbers(game: Game, variant: Variant) -> Iterator[tuple[str, float]]:
    """Yield key and value of every number of the components that a variant may change: ("tracks.bonus.7", 5)."""
    pending = [(name, variant.components.get(name)) for name in reversed(game.components_part.VARIABLE)]
    while pending:
        key, data = pending.pop()
        if isinstance(data, list | tuple):  # blocks go by their ids
            data = {each.get("id", k) if isinstance(each, Mapping) else k: each for k, each in enumerate(data)}
        if isinstance(data, Mapping):
            pending += [(f"{key}.{name}", data[name]) for name in reversed([*data]) if name != "id"]
        elif isinstance(data, int | float) and not isinstance(data, bool):
            yield key, data


def whole(value: float) -> str:
    """Return a number as a setting writes it, whole numbers without a point."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def as_settings(game: Game, variant: Variant) -> tuple[str, dict[str, float]] | None:
    """Return the name of a variant that the game has, and the numbers that make this one of it; None if none do."""
    if (
        variant.name in (BASE, *shipped_variants(game))
        and resolve_variant(game, variant.name).components == variant.components
    ):
        return variant.name, {}
    published = resolve_variant(game, BASE)
    before = dict(numbers(game, published))
    changed = {key: value for key, value in numbers(game, variant) if before.get(key) != value}
    try:
        made = with_values(game, published, changed)
    except InputError:  # a list of other length
        return None
    return (BASE, changed) if made.components == variant.components else None


def tunable_numbers(game: Game, variant: Variant, keys: str = "", reach: int = REACH) -> list[BoxNumber]:
    """Return the numbers that match patterns such as 'tracks.*, scoring.x = 0 to 30'. Raises ArgumentError.

    Without patterns they are those that the game declares a designer may want to tune, and that have another value.

    Args:
        game: the game.
        variant: the box before any change.
        keys: patterns of keys, each with a range if wanted, separated by commas.
        reach: range of a number without one, up and down from its value and from the published one, in tenths of it.
    """
    known = dict(numbers(game, variant))
    if not keys.strip():
        tunable = [
            _box_number(game, key, value, "", reach) for key, value in known.items() if name_of_key(game, key).tunable
        ]
        tunable = [number for number in tunable if len(number.values) > 1]
        if not tunable:
            raise ArgumentError(
                "keys", f"{game.name} has no number that a designer would tune; name keys, or * for all"
            )
        return tunable
    chosen: dict[str, BoxNumber] = {}
    for piece in keys.split(","):
        pattern, _, limits = (part.strip() for part in piece.partition("="))
        matching = [key for key in known if fnmatchcase(key, pattern)]
        if not matching:
            raise ArgumentError("keys", f"no number has a key like {pattern!r}; {suggest_names(pattern, [*known])}")
        chosen |= {key: _box_number(game, key, known[key], limits, reach) for key in matching}
    return list(chosen.values())


def box_number(game: Game, variant: Variant, key: str, reach: int = REACH) -> BoxNumber:
    """Return a number of a box, with the values around its own and the published one. Raises ArgumentError."""
    known = dict(numbers(game, variant))
    if key not in known:
        raise ArgumentError("key", f"no number has the key {key!r}; {suggest_names(key, [*known])}")
    return _box_number(game, key, known[key], "", reach)


def _box_number(game: Game, key: str, value: float | int, limits: str, reach: int) -> BoxNumber:
    name, published = name_of_key(game, key), published_value(game, key)
    origins = [value, published] if isinstance(published, int | float) else [value]
    if isinstance(value, float):
        step = abs(value) / 10 or 0.1
    else:
        step = max(name.step, name.step * round(abs(value) / 10 / name.step))
    if limits:
        low, high = _range_of(limits, key)
    else:
        width = max(reach * abs(value) / REACH, _FEWEST_STEPS * name.step)
        least, most = _allowed(game, key)
        least = max(least, name.low if name.low is not None else 0 if min(origins) >= 0 else -np.inf)
        low = max(min(origins) - width, least)
        high = min(max(origins) + width, most, np.inf if name.high is None else name.high)
    grain = step / 4 if isinstance(value, float) else name.step
    stride = grain * max(1, round((high - low) / grain / _MOST_VALUES))
    first, last = np.ceil(low / stride), np.floor(high / stride)
    printed = {round(float(stride * place), 6) for place in np.arange(first, last + 1)}
    printed |= {float(origin) for origin in origins if low <= origin <= high} | {float(value)}
    values = tuple(each if isinstance(value, float) else round(each) for each in sorted(printed))
    return BoxNumber(key, name, value, step, values, is_reconstructed(game, key))


@cache
def _allowed(game: Game, key: str) -> tuple[float, float]:
    """Return the least and the largest value that the type of a number allows; other numbers may forbid more."""
    low, high = -np.inf, np.inf
    for each in types_at(inspect.type_info(game.components_part.Components), key.split(".")):
        if isinstance(each, inspect.LiteralType):
            choices = [value for value in each.values if isinstance(value, int)]
            low, high = min(choices), max(choices)
        elif isinstance(each, inspect.IntType | inspect.FloatType):
            low = low if each.ge is None else each.ge
            high = high if each.le is None else each.le
    return low, high


def _range_of(limits: str, key: str) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in limits.split("to"))
    except ValueError:
        raise ArgumentError("keys", f"{key} = {limits}: expected KEY = LOW to HIGH") from None
    if not low < high:
        raise ArgumentError("keys", f"{key} = {limits}: the range is empty")
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ArgumentError("keys", f"{key} = {limits}: both ends must be numbers")
    return low, high
