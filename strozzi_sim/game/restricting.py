"""Restricted play: actions forbidden to a seat, as data in the rules record that kernels read.

A thing is worth what a seat loses by doing without it. The kernels of legal actions enforce a restriction; it is void
at a decision where it would leave no action. Component data and records are unchanged.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from strozzi_sim.errors import ArgumentError, InputError, as_argument_error, short_repr, suggest_names
from strozzi_sim.facts.columns import Array
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import Variant
from strozzi_sim.kernel.record_types import exact_copy


def restrictions(game: Game, variant: Variant) -> Mapping[str, "Restriction"]:
    """Return a game's restrictions by name; the N of a name that ends in -N stands for a number."""
    part = game.restrictions
    return part.restrictions(variant.components) if part else {}


def restricted(game: Game, variant: Variant, forbidden: Mapping[int, Iterable[str]]) -> Variant:
    """Return the variant with restrictions in its rules: `forbidden` is seat -> their names. Raises InputError."""
    declared, rules = restrictions(game, variant), exact_copy(variant.rules)
    for seat, names in forbidden.items():
        if not 0 <= seat < game.max_players:
            raise InputError(f"restriction of seat {seat}: {game.name} has the seats 0 to {game.max_players - 1}")
        for name in names:
            pattern = _pattern_of(declared, name)
            if pattern is None:
                message = f"restriction {short_repr(name)}: unknown in {game.name}; {suggest_names(name, declared)}"
                raise InputError(message)
            if "restricted" in (rules.dtype.names or ()):
                rules["restricted"] = 1
            number = _number(name, pattern) if pattern.endswith("-N") else 0
            declared[pattern].forbid(rules[0], seat, number)
            assert game.restrictions is not None
            game.restrictions.check(rules[0], seat, name)
    return replace(variant, rules=rules)


def _pattern_of(declared: Iterable[str], name: str) -> str | None:
    """Return the declared name that `name` equals, but for any text in place of N; None for an unknown name."""
    matching = (each for each in declared if each == name or (each.endswith("-N") and name.startswith(each[:-1])))
    return next(matching, None)


def check_restrictions(game: Game, variant: Variant, names: Iterable[str], place: str) -> None:
    """Check that a seat of this variant can have all these restrictions. Raises InputError."""
    try:
        restricted(game, variant, {0: names})
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


@dataclass(frozen=True)
class Occasions:
    """The rows of a fact table in which a use could occur, such as all rounds of all seats."""

    fact: str
    words: str  # what a row is, in the plural: "used in 40 % of {words}"
    where: str = ""  # condition on its rows; "" for all
    times: int = 1  # occasions per row, such as the auctions of a round


@dataclass(frozen=True)
class Use:
    """Facts that show that a seat used what a restriction forbids."""

    fact: str
    where: str  # condition on its rows: the thing was used. An occasion has at most one such row.
    of: Occasions
    # column with the seat that used it; one other than `seat` needs two players, since a user who is not the row's seat
    # has the part of the win that this seat lacks
    user: str = "seat"

    @property
    def crosstabs(self) -> tuple[Crosstab, Crosstab]:
        """The crosstabs of the uses, with the wins of the rows' seats, and of the occasions."""
        by = () if self.user == "seat" else ("seat", self.user)
        return Crosstab(self.fact, by, ("win",), self.where), Crosstab(self.of.fact, (), (), self.of.where)

    def uses_and_wins(self, counted: Array, unit: int) -> tuple[Array, Array]:
        """Return the uses and the wins of their users by chunk, int64[C] each, the wins in 1 / unit.

        `counted` is the first of `crosstabs` by chunk, int64[C, levels of each column, 2]: rows and wins.
        """
        uses, wins = counted[..., 0], counted[..., 1]
        if self.user == "seat":
            return uses, wins
        seats = np.arange(uses.shape[1])
        is_user = seats[:, None] == seats
        return uses.sum(axis=(1, 2)), np.where(is_user, wins, unit * uses - wins).sum(axis=(1, 2))


@dataclass(frozen=True)
class Restriction:
    """An action that can be forbidden to a seat; with a name that ends in -N it has a number in place of N."""

    words: str  # what the seat then may not do
    forbid: Callable[[Any, int, int], None]  # function(row of the rules, seat, N or 0) that forbids it in this row
    use: Use | None = None  # the facts that show its use
    numbers: tuple[int, ...] = ()  # the numbers in place of N that patterns find, and whose use is counted
    noun: str = ""  # what the seat must do without, in a sentence: "the left door"; default: its name

    def numbered(self, number: int) -> "Restriction":
        """Return the restriction with a number in place of N."""
        use = self.use and replace(self.use, where=re.sub(r"\bN\b", str(number), self.use.where))
        return replace(self, words=_numbered(self.words, number), noun=_numbered(self.noun, number), use=use)


def _numbered(words: str, number: int) -> str:
    """Return words with a number in place of N: "no more than N doors" with 1 is "no more than 1 door"."""
    return re.sub(r"\b1 (\w+?)s\b", r"1 \1", re.sub(r"\bN\b", str(number), words))


def never(field: str, members: int) -> Callable[[Any, int, int], None]:
    """Return a `forbid` that adds `members`, a bit set, to what the seat may not use: the set `field` of the rules."""

    def forbid(rules: Any, seat: int, number: int) -> None:
        rules[field][seat] |= rules[field].dtype.type(members)

    return forbid


def at_most(field: str) -> Callable[[Any, int, int], None]:
    """Return a `forbid` that lowers the seat's limit, the number `field` of the rules, to N."""

    def forbid(rules: Any, seat: int, number: int) -> None:
        rules[field][seat] = min(int(rules[field][seat]), number)

    return forbid


def things(game: Game, variant: Variant) -> dict[str, Restriction]:
    """Return the things that patterns can name: restrictions by name, with each of their `numbers` in place of N."""
    measured: dict[str, Restriction] = {}
    for name, restriction in restrictions(game, variant).items():
        if name.endswith("-N"):
            stem = name.removesuffix("N")
            measured |= {f"{stem}{number}": restriction.numbered(number) for number in restriction.numbers}
        else:
            measured[name] = restriction
    return measured


def noun_of(game: Game, variant: Variant, name: str) -> str:
    """Return the noun of a thing in a sentence; default: its name."""
    declared = restrictions(game, variant)
    pattern = _pattern_of(declared, name)
    if pattern is None:
        return name
    found = declared[pattern]
    return (found.numbered(_number(name, pattern)) if pattern.endswith("-N") else found).noun or name


def find_things(game: Game, variant: Variant, wanted: Iterable[str], argument: str = "things") -> dict[str, Use | None]:
    """Return name -> `Use` (or None) of things by name or pattern, `KIND:*`; `KIND:above-15` may have any number."""
    declared, uses = things(game, variant), dict[str, Use | None]()
    for pattern in wanted:
        matching = [name for name in declared if fnmatchcase(name, pattern)]
        meant = [name for name in declared if name.partition(":")[2] == pattern]
        if not matching and meant:
            raise ArgumentError(argument, f"{short_repr(pattern)} is of no kind; did you mean {' or '.join(meant)}?")
        if not matching:
            as_argument_error(argument, check_restrictions, game, variant, [pattern], "cannot be restricted")
            matching = [pattern]
        uses |= {name: declared[name].use if name in declared else None for name in matching}
    return uses


def _number(name: str, pattern: str) -> int:
    number = name.removeprefix(pattern.removesuffix("N"))
    if not number.isascii() or not number.isdecimal() or len(number) > 6 or int(number) < 1:
        message = f"restriction {short_repr(name)}: expected a whole number above 0, of up to 6 digits, in place of N"
        raise InputError(message)
    return int(number)
