"""The table of a game that has none of its own: events as text, beside the fields of SLICES or the board as text."""

from collections.abc import Sequence
from typing import Any

from strozzi_sim.game.contract import Game
from strozzi_sim.game.sentences import YOU
from strozzi_sim.game.slices import name_of, things_shown
from strozzi_sim.game.table import Json, Line, Table, fold


class PlainTable(Table):
    """Sentences of `events.describe`; the view has `text`, a picture, where a seat decided.

    The points so far are the attribute `score` (or `scores`) of the View, or of the reference game in a replay; else the
    core's, if nothing is hidden; else they are unknown until the end.
    """

    def __init__(self, game: Game, header: Line, viewer: int | None = None) -> None:
        super().__init__(game, header, viewer)
        self.position: Any = None  # that the next line shows, a View or the reference game
        self.points: Sequence[int] | None = None  # by seat in that position, as the core counts them; None: hidden
        self.names = [YOU if seat == viewer else f"seat {seat}" for seat in range(self.players)]

    def set_up(self) -> None:
        """Begin without a picture and points."""
        self.view |= {"text": "", "now": [None] * self.players}
        self.has_zones = not self.game.view.declares("render")  # type: ignore[attr-defined]
        if self.has_zones:
            self.view["zones"] = []
            self.head["columns"] = [
                [name_of(part), part.name]
                for part in self.game.slices.values()
                if part.group and part.source and part.source.kind == "number" and part.source.field != "score"
            ]

    def apply(self, line: Line) -> str:
        """Fold one line; return its text."""
        self.view |= {
            "round": line.get("round", self.view["round"]), "actor": line.get("player"), "over": line["type"] == "score_end",
        }  # fmt: skip
        if len(line.get("total") or ()) == self.players:
            self.view["now"] = list(line["total"])
        self.marks = [f"seat:{line['player']}"] if line.get("player") is not None else []
        self.last = line["type"]
        if self.position is not None:
            self._show(self.position)
            self.position = None
        agents = [each["agent"] or "agent" for each in self.head["seats"]]
        speakers = [YOU if seat == self.viewer else agent for seat, agent in enumerate(agents)]
        text = self.game.events.EVENTS.describe(dict(line), speakers, self.components).replace("\n", " ")
        return text[:1].upper() + text[1:]

    def _show(self, position: Any) -> None:
        """Put the picture of a position and its points so far into the view."""
        self.view["text"] = self.game.view.render(position, self.components, self.names)
        if self.has_zones:
            self._lay_out(position)
        attributes = [getattr(position, name, None) for name in ("score", "scores")]
        listed = (each for each in attributes if isinstance(each, Sequence) or hasattr(each, "tolist"))
        points = next(listed, self.points)
        if points is not None:
            self.view["now"] = [int(number) for number in points][: self.players]

    def _lay_out(self, position: Any) -> None:
        """Put the fields that SLICES name into zones, the numbers of the seats into the holdings."""
        shared, holdings = list[tuple[str, Any]](), list[tuple[str, Any]]()
        for part, value in things_shown(self.game.slices, position):
            if part.group is None:
                shared.append((name_of(part), value if isinstance(value, Sequence) else [value]))
            elif isinstance(value[0], Sequence):
                pairs = zip(self.names, value, strict=False)
                holdings += [(f"{name_of(part)}, {who}", value_of_seat) for who, value_of_seat in pairs]
            else:
                self.view[part.name] = list(value[: self.players])
        self.view["zones"] = [
            {"name": name, "items": [{"text": item} for item in items]} for name, items in [*shared, *holdings]
        ]


def table_of(game: Game, header: Line, viewer: int | None = None) -> Table:
    """Return the table of a game: its own, or the plain one."""
    table: Table = (game.table or PlainTable)(game, header, viewer)
    return table


def replayed_steps(table: Table, header: Line, lines: Sequence[Line]) -> list[Json]:
    """Return the steps of a whole record; a plain table has the picture of the reference game at each decision."""
    if not isinstance(table, PlainTable):
        return fold(table, lines)
    before: dict[str, bytes] = {}
    replay = table.game.verify.REPLAY.replay_game(dict(header), 1, list(enumerate(map(dict, lines), 2)))
    return [step for position, new in replay for step in _with_picture(table, new, position, before)]


def next_steps(table: Table, lines: Sequence[Line], position: Any, before: dict[str, bytes]) -> list[Json]:
    """Return the steps of the next lines; `position` is the Position after them."""
    if isinstance(table, PlainTable):
        view = position.view(table.viewer or 0)
        table.points = None if position.variant.hidden else position.scores
        return _with_picture(table, lines, view, before)
    return fold(table, lines, before)


def _with_picture(table: PlainTable, lines: Sequence[Line], position: Any, before: dict[str, bytes]) -> list[Json]:
    """Fold lines; the last of them shows the position that they led to."""
    steps = fold(table, lines[:-1], before)
    table.position = position
    return steps + fold(table, lines[-1:], before)
