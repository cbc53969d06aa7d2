"""The table of a game that has none of its own: events as text, beside the fields of SLICES or the board as text."""

from collections.abc import Sequence
from typing import Any

from strozzi_sim.game.contract import Game
from strozzi_sim.game.sentences import YOU
from strozzi_sim.game.slices import name_of, things_shown
from strozzi_sim.game.table import GameTable, Json, Line, fold


class PlainTable(GameTable):
    """Sentences of `events.describe`; the view has `text`, the rendered board.

    A picture is what the view shows of a position, see `replayed_steps` and `next_steps`. The points so far are the
    attribute `score` (or `scores`) of the View, or of the reference game in a replay; else, in play, the core's, if
    nothing is hidden; else the last `total` of a line, and unknown before it.
    """

    def __init__(self, game: Game, header: Line, viewer: int | None = None) -> None:
        self.picture: Json = {}  # what the next line shows beside its own keys
        self.points: Sequence[int] | None = None  # by seat, as the core counts them; None: hidden, or a replay
        super().__init__(game, header, viewer)

    def set_up(self) -> None:
        """Begin with an empty board and unknown points."""
        self.names = [YOU if seat == self.viewer else f"seat {seat}" for seat in range(self.players)]
        self.view |= {"text": "", "now": [None] * self.players}
        self.has_zones = not self.game.view.declares("render")
        if self.has_zones:
            self.view["zones"] = []
            self.head["columns"] = [
                [name_of(part), part.name]
                for part in self.game.slices.values()
                if part.group and part.source and part.source.kind == "number" and part.source.field != "score"
                if len(part.shape) == 1
            ]

    def lay_out(self) -> None:
        """Put the picture into the view."""
        self.view |= self.picture
        self.picture = {}

    def picture_of(self, position: Any) -> Json:
        """Return what the view shows of a View or of the reference game: the text, and zones and points if any."""
        picture: Json = {"text": self.game.view.render(position, self.components, self.names)}
        if self.has_zones:
            picture |= self._zones(position)
        attributes = [getattr(position, name, None) for name in ("score", "scores")]
        listed = (each for each in attributes if isinstance(each, Sequence) or hasattr(each, "tolist"))
        points = next(listed, self.points)
        return picture if points is None else picture | {"now": [int(number) for number in points][: self.players]}

    def _zones(self, position: Any) -> Json:
        shared, of_seats, columns = list[tuple[str, Any]](), list[tuple[str, Any]](), Json()
        players = [self.named(seat) for seat in range(self.players)]
        for part, value in things_shown(self.game.slices, position, players):
            if part.group is None:
                shared.append((name_of(part), value if isinstance(value, Sequence) else [value]))
            elif isinstance(value[0], Sequence):
                pairs = zip(players, value, strict=False)
                of_seats += [(f"{name_of(part)}, {who}", value_of_seat) for who, value_of_seat in pairs]
            else:
                columns[part.name] = list(value[: self.players])
        zones = [{"name": name, "items": [{"text": item} for item in items]} for name, items in [*shared, *of_seats]]
        return {**columns, "zones": zones}


def table_of(game: Game, header: Line, viewer: int | None = None) -> GameTable:
    """Return the table of a game: its own, or the plain one."""
    table: GameTable = (game.table or PlainTable)(game, header, viewer)
    return table


def replayed_steps(table: GameTable, header: Line, lines: Sequence[Line]) -> list[Json]:
    """Return the steps of a whole record; a plain table shows the reference game from the first decision on."""
    if not isinstance(table, PlainTable):
        return fold(table, lines)
    plain, before, steps, pictures = table, dict[str, bytes](), list[Json](), list[Json]()
    replay = plain.game.verify.REPLAY.replay_game(dict(header), 1, list(enumerate(map(dict, lines), 2)))
    for position, new in replay:
        steps += _with_pictures(plain, new, [*pictures[: len(new) - 1], plain.picture_of(position)], before)
        pictures.clear()
        position.on_line = lambda game: pictures.append(plain.picture_of(game))
    return steps


def next_steps(table: GameTable, lines: Sequence[Line], position: Any, before: dict[str, bytes]) -> list[Json]:
    """Return the steps of the next lines; `position` is the Position after them, shown in a plain table's last step."""
    if isinstance(table, PlainTable):
        table.points = None if position.variant.hidden else position.scores
        return _with_pictures(table, lines, [table.picture_of(position.view(table.viewer or 0))], before)
    return fold(table, lines, before)


def _with_pictures(
    table: PlainTable, lines: Sequence[Line], pictures: Sequence[Json], before: dict[str, bytes]
) -> list[Json]:
    """Fold lines, of which the last ones show these pictures; an action that writes no line shows nothing."""
    pictures = pictures[: len(lines)]
    steps = fold(table, lines[: len(lines) - len(pictures)], before)
    for line, table.picture in zip(lines[len(lines) - len(pictures) :], pictures, strict=True):
        steps += fold(table, [line], before)
    return steps
