"""The JSON of a table as types: the data from which a page is made, and which a game's script draws."""

from typing import Any, Literal

import msgspec

from strozzi_sim.game.converting import built, json_schema


class TableSeat(msgspec.Struct, forbid_unknown_fields=True):
    """A seat: name in sentences, agent, sign on its disc (default: its number), and the game's name for it (or "")."""

    name: str
    agent: str
    mark: str = ""
    family: str = ""


class Head(msgspec.Struct, forbid_unknown_fields=True):
    """Constants of a game; `board` is for the game's script, `columns` are those of the plain table's holdings."""

    format: Literal["strozzi-sim.table/1"]
    game: str
    title: str
    unit: str
    variant: str
    players: int
    rounds: int
    seed: int | None
    deal: int | None
    viewer: int | None
    over_now: str
    lowest_wins: bool
    columns: list[tuple[str, str]]
    seats: list[TableSeat]
    board: dict[str, Any]


class TableStep(msgspec.Struct, forbid_unknown_fields=True):
    """A line of the record: sentence, type, the parts of the drawing that it touched, and the view's keys that it set.

    A view is all keys set so far. It has at least `round`, `actor`, `over` and `now`.
    """

    said: str
    type: str
    marks: list[str]
    set: dict[str, Any]


class TableChoice(msgspec.Struct, forbid_unknown_fields=True):
    """A legal action, or an item of a compound choice (without `action`).

    `at` is the part of the drawing that chooses it; `ghost` is for the script; a `quiet` choice has a smaller button.
    """

    name: str
    label: str
    action: int | None = None
    note: str = ""
    at: str | None = None
    ghost: dict[str, Any] | None = None
    quiet: bool = False


class Ask(msgspec.Struct, forbid_unknown_fields=True):
    """The viewer's decision: `choices`, items to choose `together`, or an integer in a `range` (`label` and `start`).

    `mine` is what the viewer alone sees now; `cautions` are warnings by name of an action.
    """

    question: str
    mine: dict[str, Any]
    cautions: dict[str, str] = {}
    choices: list[TableChoice] | None = None
    together: list[TableChoice] | None = None
    range: tuple[int, int] | None = None
    label: str = ""
    start: int | None = None


class Turn(msgspec.Struct, forbid_unknown_fields=True):
    """A turning point: its step, from 0, the seat, and the change of the seat's share of the win."""

    step: int
    kind: Literal["error", "luck"]
    seat: int
    change: float
    said: str


class StepDraws(msgspec.Struct, forbid_unknown_fields=True):
    """The possible draws of a step; a row: index in `names`, ways, 1 if drawn, and each seat's win share in 1/1000."""

    note: str
    rows: list[list[int]]


class Next(msgspec.Struct, forbid_unknown_fields=True):
    """The possible draws by step, from 0; `names` lists the name of every draw once."""

    names: list[str]
    steps: dict[str, StepDraws]


class Judged(msgspec.Struct, forbid_unknown_fields=True):
    """An analysis: the win share `win[step][seat]`, a note on each step or "", turning points, and possible draws."""

    agent: str
    redraws: int
    turned: str
    win: list[list[float]]
    notes: list[str]
    turns: list[Turn]
    next: Next | None = None


class Kept(msgspec.Struct, forbid_unknown_fields=True):
    """A line of play that the player left at the choice `said`, with the hinting agent's evaluation of it, or ""."""

    number: int
    said: str
    value: str


class Costly(msgspec.Struct, forbid_unknown_fields=True):
    """A costly decision of the player; its step is counted from 0."""

    step: int
    said: str


class Result(msgspec.Struct, forbid_unknown_fields=True):
    """A player's result: points by source and seat, sentences on record and rating, and costly decisions."""

    sources: dict[str, list[int]]
    words: list[str]
    costly: list[Costly]
    judging: bool
    rating: list[str] = []


class Page(msgspec.Struct, forbid_unknown_fields=True):
    """The JSON of a page, which opens at the step `start`, from 1; default: the step in its address, or 1.

    Served pages have the keys from `version` on and open at the last step: the page keeps its first `keep` steps, which
    `steps` follow, and `thinking` is the seat whose agent thinks.
    """

    head: Head
    steps: list[TableStep]
    ask: Ask | None = None
    judged: Judged | None = None
    start: int | None = None
    version: int | None = None
    keep: int = 0
    thinking: int | None = None
    fault: str = ""
    lines: list[Kept] = []
    can_undo: bool = False
    heading: str = ""
    result: Result | None = None


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a page's JSON.

    >>> sorted(schema()["$defs"]["TableStep"]["required"])
    ['marks', 'said', 'set', 'type']
    """
    return json_schema(Page)


def check(data: Any) -> None:
    """Check the JSON of a page. Raises msgspec.ValidationError, which names the wrong key."""
    msgspec.convert(data, built(Page))
