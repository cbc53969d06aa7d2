"""Records that are spoiled in one place, and the line that a game's check names."""

from collections.abc import Callable, Iterator
from typing import Any

from strozzi_sim.errors import RuleViolation
from strozzi_sim.game.record_checking import Replay

Numbered = list[tuple[int, dict[str, Any]]]


def named_line(check: Replay, header: dict[str, Any], numbered: Numbered) -> int | None:
    """The line that the check names; None when the game is fine."""
    try:
        check.check_game(header, 1, numbered)
    except RuleViolation as error:
        broken = error
    else:
        return None
    assert "\n" not in broken.message
    return broken.line


def broken_line(check: Replay, header: dict[str, Any], numbered: Numbered, position: int, event: Any) -> int | None:
    """The line that is named when the event at `position` is replaced."""
    changed = [*numbered]
    changed[position] = (numbered[position][0], event)
    return named_line(check, header, changed)


def with_another(value: Any, others: Callable[[Any], list[Any]]) -> list[Any]:
    """All copies of an event in which one number, word or truth is another."""
    if isinstance(value, list):
        changed = [(index, new) for index, item in enumerate(value) for new in with_another(item, others)]
        return [[*value[:index], new, *value[index + 1 :]] for index, new in changed]
    if isinstance(value, dict):
        return [{**value, key: new} for key, item in value.items() for new in with_another(item, others)]
    return others(value)


def with_number(value: Any, change: Callable[[int], Any]) -> list[Any]:
    """All copies of an event in which one number is changed."""
    return with_another(value, lambda leaf: [change(leaf)] if type(leaf) is int else [])


def words_of(value: Any) -> set[str]:
    """All words of an event or of several."""
    if isinstance(value, (list, dict)):
        return set().union(*map(words_of, value.values() if isinstance(value, dict) else value))
    return {value} if isinstance(value, str) else set()


def of_other_types(event: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Copies of an event in which one value is of another type, a list is of another length, or a key is missing."""
    for change in (float, str, bool):
        yield from with_number(event, change)
    for key, value in event.items():
        yield {other: kept for other, kept in event.items() if other != key}
        if isinstance(value, list):
            for other in (tuple(value), value[:-1], [*value, 0], [], None, value[0] if value else 0, {}):
                if other != value:
                    yield {**event, key: other}
        if isinstance(value, dict):
            yield from (
                {**event, key: {other: kept for other, kept in value.items() if other != gone}} for gone in value
            )
        if isinstance(value, bool):
            yield from ({**event, key: other} for other in (int(value), None, str(value).lower()))
    yield {}
