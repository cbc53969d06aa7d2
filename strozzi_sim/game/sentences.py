"""Text for a human player: seats by name, verbs that agree with "you", and tables by seat."""

import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from string import Formatter
from typing import Any

from strozzi_sim.errors import InputError

Verb = Callable[[str], str]  # from a verb in the third person to the form that agrees with a seat

YOU = "you"  # the name of the human player
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NAMED_SEATS = 3  # seats of which an ordinal is the name; later ones are counted: "player 4 of 6"
_IRREGULAR = {"has": "have", "does": "do"}


def seat_name(names: Sequence[str], seat: int) -> str:
    """Return the name of a seat in text: the agent with its place, or only the place, or "you".

    >>> seat_name(["ann", "you", "seat 2"], 0), seat_name(["ann", "you", "seat 2"], 2)
    ('ann (first player)', 'the last player')
    """
    player = seat_words(seat, len(names))
    if names[seat] in (player, f"seat {seat}"):
        return player
    return YOU if names[seat] == YOU else f"{names[seat]} ({player.removeprefix('the ')})"


def verb_of(names: Sequence[str], seat: int) -> Verb:
    """Return a function from a verb in the third person to the form that agrees with the name of the seat.

    >>> does = verb_of(["you", "ann"], 0)
    >>> does("keeps"), does("passes"), does("has")
    ('keep', 'pass', 'have')
    """
    return _second_person if names[seat] == YOU else str


def _second_person(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    return verb.removesuffix("es" if verb.endswith(("sses", "shes", "ches", "xes")) else "s")


def capitalized(text: str) -> str:
    """Return the sentence with a capital if it begins with "you" or a place; names of agents are unchanged."""
    return with_capital(text) if re.match(rf"{YOU}\b|the \w+ player\b|player \d", text) else text


def with_capital(text: str) -> str:
    """Return a text with a capital first letter."""
    return f"{text[:1].upper()}{text[1:]}"


def listed(things: Sequence[str], last: str = "and") -> str:
    """Return things as a list in text: "ann, bob and you"."""
    return f" {last} ".join(filter(None, [", ".join(things[:-1]), *things[-1:]]))


def ordinal(number: int) -> str:
    """Return a rank as text: 1st, 2nd, 11th."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{ending}"


def ordinal_word(number: int) -> str:
    """Return a rank as a word: first, second; from 11 on in digits: 11th."""
    return _ORDINALS[number - 1] if number <= len(_ORDINALS) else ordinal(number)


def seat_words(seat: int, players: int | None) -> str:
    """Return the player at a seat as text; without a player count no player is the last.

    >>> seat_words(0, 2), seat_words(1, 2), seat_words(3, 4), seat_words(3, 6), seat_words(3, None)
    ('the first player', 'the second player', 'the last player', 'player 4 of 6', 'player 4')
    """
    if players is not None and seat == players - 1 > 1:
        return "the last player"
    if seat < _NAMED_SEATS:
        return f"the {ordinal_word(seat + 1)} player"
    return f"player {seat + 1}" if players is None else f"player {seat + 1} of {players}"


def winners_sentence(winners: Sequence[str]) -> str:
    """Return the winners as a sentence."""
    verb = "win" if len(winners) > 1 or list(winners) == [YOU] else "wins"
    return capitalized(f"{listed(winners)} {verb}.")


def by_seat(title: str, who: Sequence[str], columns: Mapping[str, Sequence[Any]]) -> str:
    """Return a table as text, a row per seat; None, a number hidden from the reader, is shown as "?".

    >>> print(by_seat("Round 1", ["you", "ann (second player)"], {"art": [5, 15], "coins": [5, None]}))
    Round 1                art  coins
      you                    5      5
      ann (second player)   15      ?
    """
    rows = [[title, *columns]]
    for name, numbers in zip(who, zip(*columns.values(), strict=True), strict=False):
        rows.append([f"  {name}", *("?" if number is None else f"{number}" for number in numbers)])
    first, *others = (max(map(len, column)) for column in zip(*rows, strict=True))
    return "\n".join("  ".join([row[0].ljust(first), *map(str.rjust, row[1:], others)]) for row in rows)


class _RuleFormatter(Formatter):
    """Formats a list with the separator in its slot: {scoring[ranks]: / } becomes 40 / 20 / 10."""

    def format_field(self, value: Any, format_spec: str) -> Any:
        if isinstance(value, list | tuple):
            return format_spec.join(map(str, value))
        return super().format_field(value, format_spec)


def written_rules(package: str, components: Mapping[str, Any], **slots: Any) -> str:
    """Return `short_rules.txt` of a package with slots filled in, such as {rounds[count]}; "" without the file."""
    place = files(package).joinpath("short_rules.txt")
    if not place.is_file():
        return ""
    try:
        return _RuleFormatter().vformat(place.read_text("utf-8-sig").strip(), (), {**components, **slots})
    except LookupError as error:
        raise InputError(f"{place}: no component {error}") from None


def some_of(words: Sequence[str], most: int = 4) -> str:
    """Return the first `most` words and the number of the others as a list in text: "a, b, c, d and 2 more"."""
    return listed([*words[:most], f"{len(words) - most} more"] if len(words) > most else words)
