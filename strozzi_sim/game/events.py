"""Events of a game, each declared once: its fields, their visibility, and its text.

The numbers of the kinds, the lines of a record, their text, and the calls of fact handlers follow from the declaration:

>>> EVENTS = Events(
...     Event("bid", ("player", number("value", secret="a hidden value")), "{player:bids} {value}."),
...     Event("award", ("player", "coins"), "{player:receives} {coins:coin}."),
... )
>>> BID, AWARD = EVENTS.kinds
>>> lines = list(EVENTS.to_lines([[BID, 1, 5, 0, 0, 0], [AWARD, -1, 3, 0, 0, 0]], {}, 2))
>>> lines
[{'type': 'bid', 'player': 1, 'value': 5}, {'type': 'award', 'player': None, 'coins': 3}]
>>> EVENTS.describe(lines[0], ["ann", "you"], {})
'You bid 5.'
>>> EVENTS.describe(EVENTS.visible(lines[0], {}, 0), ["you", "bob"], {})
'bob (second player) bids a hidden value.'
>>> EVENTS.describe(lines[1], ["you", "bob"], {})
'Nobody receives 3 coins.'
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Any

from strozzi_sim.errors import InputError, pluralize, suggest_names
from strozzi_sim.game.sentences import by_seat, capitalized, seat_name, verb_of, winners_sentence
from strozzi_sim.kernel.jit import force_inline, generated

Components = Mapping[str, Any]
Line = dict[str, Any]
Rows = Mapping[str, Sequence[Sequence[int]]]  # rows (a, b, c, d, e) by the type of their event

_NUMBERS = "abcde"  # the columns of a journal row after the kind


@dataclass(frozen=True)
class Field:
    """A field of an event, made by `number`, `seat`, `yes_no`, `one_of`, `converted` or `unrecorded`."""

    name: str  # key in the line of a record
    kind: str = "number"  # "number", "seat", "yes/no", "id", "converted" or "unrecorded"
    offset: int = 0  # added to a number; rounds count from 0 in a journal and from 1 in a record
    # function of the component data that returns the ids that the numbers index
    ids: Callable[[Components], Sequence[Any]] | None = None
    none: str = "none"  # text of an empty list or None; a seat is "Nobody"
    # text for seats that must not see the value; "" if all seats see it. The line's `player` always sees it.
    secret: str = ""
    # function(number, component data) that returns the value in a record
    convert: Callable[[int, Components], Any] | None = None

    def read(self, value: int, components: Components) -> Any:
        """Return the value that a record has for this number in a journal."""
        if self.convert is not None:
            return self.convert(value, components)
        if self.kind == "number":
            return value + self.offset
        if self.kind == "yes/no":
            return value != 0
        if value < 0 and self.secret:
            raise InputError(f"events.py: secret field {self.name!r}: an index below 0 would be None, as if hidden")
        if value < 0:
            return None
        return value if self.ids is None else self.ids(components)[value]

    def format(self, value: Any) -> Any:
        """Return a value of a record as a text template shows it; `_Shown` formats seats."""
        if value is None:
            return self.secret or self.none  # a secret field has None only where it is hidden
        if isinstance(value, list):
            return ", ".join(map(str, value)) or self.none
        return value


def number(name: str, *, offset: int = 0, secret: str = "") -> Field:
    """Return a field for a whole number; see `Field`."""
    return Field(name, offset=offset, secret=secret)


def seat(name: str) -> Field:
    """Return a field for a seat; a number below 0 is None."""
    return Field(name, "seat")


def yes_no(name: str) -> Field:
    """Return a field for 0 or 1, false or true in a record."""
    return Field(name, "yes/no")


def one_of(
    name: str, ids: Sequence[Any] | Callable[[Components], Sequence[Any]], *, none: str = "none", secret: str = ""
) -> Field:
    """Return a field for an index into ids, a list or function of component data; below 0: None, an error if secret."""
    return Field(name, "id", ids=ids if callable(ids) else lambda components: ids, none=none, secret=secret)


def converted(name: str, convert: Callable[[int, Components], Any]) -> Field:
    """Return a field whose value in a record is convert(number, component data)."""
    return Field(name, "converted", convert=convert)


def unrecorded(name: str) -> Field:
    """Return a field that fact handlers and `make` receive; the lines of a record omit it."""
    return Field(name, "unrecorded")


@dataclass(frozen=True)
class Event:
    """A kind of event."""

    type: str  # name of its fact handler, and type of its line in a record, unless it has `of`
    # up to five fields, in the order of the numbers in the journal; a string is a `number`, "player" a `seat`
    fields: tuple[Field | str, ...] = ()
    # template for `Say`, or function(line, say) that returns the text; of a `by_seat` event the title of a table
    text: "str | Callable[[Mapping[str, Any], Say], str]" = ""
    # whether the journal has one such event per seat, in order, which make one line: the first field is the seat, and
    # the line has a list of each other field
    by_seat: bool = False
    recorded: bool = True  # whether it has a line; an event only for facts, or for the `make` of another, has none
    # function(rows, components) that returns the line's other keys, with `by_seat` all keys. `rows` are the journal's
    # rows by type, after the latest earlier event of one of the types `since` (default: its own type)
    make: Callable[[Rows, Components], Line] | None = None
    since: tuple[str, ...] = ()
    # type of its lines, if several events share it; the line's key `action`, after the first field, is the event's type
    of: str = ""
    # function(line, components, viewer) that returns the line as `viewer`, a seat other than its `player`, sees it;
    # it must hide `secret` fields too
    hide: Callable[[Line, Components, int], Line] | None = None

    @cached_property
    def typed_fields(self) -> tuple[Field, ...]:
        """The fields, with each string replaced by a `Field`."""
        return tuple(
            field if isinstance(field, Field) else seat(field) if field == "player" else number(field)
            for field in self.fields
        )


def _winners(rows: Rows, components: Components) -> Line:
    ends = rows["score_end"]
    return {"total": [end[1] for end in ends], "winners": [end[0] for end in ends if end[2] == 0]}


def final_text(unit: str) -> "Callable[[Mapping[str, Any], Say], str]":
    """Return an `Event.text` for the end of a game: the line's `total`, in this unit, and `winners`."""

    def text(line: Mapping[str, Any], say: "Say") -> str:
        winners = winners_sentence([say.who[winner] for winner in line["winners"]])
        return f"{say.table('The game ends.', {unit: line['total']})}\n{winners}"

    return text


# The end of a game: one row per seat with the total and the number of seats placed better (0 = won).
SCORE_END = Event("score_end", ("player", "total", "better"), final_text("points"), by_seat=True, make=_winners)


class Events:
    """The events of a game, in the order of their kinds, which count from 1.

    `seat_name` takes the agents by seat and a seat, and returns the seat's name in text.
    """

    def __init__(self, *events: Event, seat_name: Callable[[Sequence[str], int], str] = seat_name) -> None:
        self._events = {event.type: event for event in events}
        self._by_kind = dict(enumerate(events, 1))
        self._seat_name = seat_name
        self.kinds = tuple(self._by_kind)  # the number of each event's kind
        # types of the events after which a `make` takes rows
        self._marks = {key for event in events if event.make for key in event.since or (event.type,)}
        if len(self._events) < len(events):
            raise InputError(f"events: types must differ, got {', '.join(event.type for event in events)}")
        for event in events:
            if len(event.fields) > len(_NUMBERS):
                raise InputError(f"event {event.type!r}: {len(event.fields)} fields; a journal row has {len(_NUMBERS)}")

    def to_lines(self, rows: Any, components: Components, players: int, after: int = 0) -> Iterator[Line]:
        """Yield the lines of a record from journal rows int32[events, WIDTH], without the first `after` lines."""
        rows_by_type: dict[str, list[list[int]]] = defaultdict(list)
        rows_at: dict[str, dict[str, int]] = {}  # [type][other]: rows of `other` up to the last event of `type`
        journal = rows.tolist() if hasattr(rows, "tolist") else rows
        for kind, *numbers in journal:
            event = self._by_kind[kind]
            rows_by_type[event.type].append(numbers)
            if event.by_seat and len(rows_by_type[event.type]) % players:
                continue
            if event.recorded:
                if not after:
                    yield self._line(event, rows_by_type, rows_at, components, players)
                after = max(after - 1, 0)
            if event.type in self._marks:
                rows_at[event.type] = {other: len(rows_by_type[other]) for other in rows_by_type}

    def _line(
        self, event: Event, rows: Rows, rows_at: Mapping[str, dict[str, int]], components: Components, players: int
    ) -> Line:
        """Return the line of the last event of this type; `rows_at`: see `to_lines`."""
        line: Line = {"type": event.of or event.type}
        fields = [(k, field) for k, field in enumerate(event.typed_fields) if field.kind != "unrecorded"]
        if not event.by_seat:
            for k, field in fields:
                line[field.name] = field.read(rows[event.type][-1][k], components)
                if event.of:
                    line.setdefault("action", event.type)
        elif not event.make:
            last_rows = rows[event.type][-players:]
            line |= {field.name: [field.read(row[k], components) for row in last_rows] for k, field in fields[1:]}
        if event.make:
            earlier = [rows_at.get(mark, {}) for mark in event.since or (event.type,)]
            starts = {key: max(counts.get(key, 0) for counts in earlier) for key in rows}
            line |= event.make(defaultdict(list, {key: rows[key][start:] for key, start in starts.items()}), components)
        return line

    def _event_of(self, line: Mapping[str, Any]) -> Event | None:
        """Return the event declared for a line, by its `action` if several share its type; None if there is none."""
        event = self._events.get(str(line.get("action")))
        return event if event is not None and event.of == line["type"] else self._events.get(line["type"])

    def visible(self, line: Line, components: Components, viewer: int) -> Line:
        """Return the line without the secrets of other seats."""
        event = self._event_of(line)
        if event is None or line.get("player") == viewer:
            return line
        if event.hide is not None:
            return event.hide(line, components, viewer)
        return line | {field.name: None for field in event.typed_fields if field.secret}

    def describe(self, line: Mapping[str, Any], names: Sequence[str], components: Components) -> str:
        """Return a line as text; `names` are the agents by seat."""
        event = self._event_of(line)
        if event is None or not event.text:
            return str(dict(line))
        say = Say(event, line, names, [self._seat_name(names, seat) for seat in range(len(names))], components)
        if callable(event.text):
            return event.text(line, say)
        if event.by_seat:
            return say.table(event.text, {key: column for key, column in line.items() if key != "type"})
        return say(event.text)

    def handlers(self, **kernels: Any) -> Any:
        """Return the kernel `note` made from fact handlers by event type: it calls handler(facts, field, ...)."""
        for name, kernel in kernels.items():
            if name not in self._events:
                raise InputError(f"handlers: no event {name!r}; {suggest_names(name, list(self._events))}")
            expected = ["facts", *(field.name for field in self._events[name].typed_fields)]
            parameters = list(signature(kernel.py_func).parameters)
            if len(parameters) != len(expected):
                wanted, got = ", ".join(expected), ", ".join(parameters)
                raise InputError(f"handlers: {kernel.py_func.__name__}: event {name!r} needs ({wanted}), got ({got})")
        source = ["def note(facts, kind, a, b, c, d, e):", "    pass"]
        for kind, event in self._by_kind.items():
            if event.type in kernels:
                arguments = ", ".join(["facts", *_NUMBERS[: len(event.fields)]])
                source += [f"    if kind == {kind}:", f"        on_{event.type}({arguments})"]
        bound = {f"on_{name}": kernel for name, kernel in kernels.items()}
        return force_inline(generated("\n".join(source), "note", **bound))


class _Shown:
    """A value in a text template, whose text is a function of the format, a verb or a noun."""

    def __init__(self, show: Callable[[str], str]) -> None:
        self._show = show

    def __format__(self, form: str) -> str:
        return self._show(form)


class Say:
    """The formatter of a line's text. By seat, `names` are the agents, and `who` the names that the text shows."""

    def __init__(
        self, event: Event, line: Mapping[str, Any], names: Sequence[str], who: list[str], components: Components
    ) -> None:
        self.who, self.components = who, components
        self._names = names
        fields = {field.name: field for field in event.typed_fields}
        self._values = {key: self._shown(fields.get(key, Field(key)), value) for key, value in line.items()}
        if line.get("player") is not None:
            self._values["does"] = _Shown(verb_of(names, line["player"]))  # {does:passes} agrees with the player

    def _shown(self, field: Field, value: Any) -> _Shown:
        """Return a value: `{player:bids}` is a seat and a verb that agrees, `{coins:coin}` a number and its noun."""

        def show(form: str) -> str:
            if field.kind == "seat":
                name = "Nobody" if value is None else self.who[value]
                agreeing = str if value is None else verb_of(self._names, value)
                return f"{name} {agreeing(form)}" if form else name
            shown = field.format(value)
            return pluralize(shown, *form.split("|")) if form and isinstance(shown, int) else str(shown)

        return _Shown(show)

    def __call__(self, template: str, **more: Any) -> str:
        """Return a sentence: {field}, {number:noun}, {seat:verb} and {does:verb} are replaced.

        A noun is in the singular (`{coins:coin}`, `{losses:loss|losses}`), a verb in the third person.
        """
        try:
            return capitalized(template.format_map(self._values | more))
        except (LookupError, ValueError) as error:
            raise InputError(f"events.py: the text {template!r} cannot be filled in: {error}") from None

    def table(self, title: str, columns: Mapping[str, Sequence[Any]]) -> str:
        """Return a table with a row per seat."""
        return by_seat(title, self.who, columns)
