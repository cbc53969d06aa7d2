"""The table of a game: the data that a page draws, folded from the lines of a record.

A page that is folded from the lines that a seat may see contains no secret of another seat. A game's folder may have
`table.py` with a class `TABLE`, and `table.js` that draws its view.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from strozzi_sim.errors import InputError
from strozzi_sim.game.contract import Game
from strozzi_sim.game.sentences import YOU, listed, seat_words, verb_of, with_capital
from strozzi_sim.game.tiers import TIERS

FORMAT = "strozzi-sim.table/1"
MANY = 60  # more choices, if all are numbers, are a range instead of buttons
Line = Mapping[str, Any]
Json = dict[str, Any]


class GameTable:
    """The fold of one game. A game's class has `set_up`, and by type of line `on_TYPE(line)`, which returns a sentence.

    A line without a method is folded by `on_line`, which returns the text of its event. After each line `lay_out`
    writes derived values into the view, and `now` becomes the result of `standing`.

    `header` is the record's `game` line; `viewer` is the seat whose lines follow; default: all lines.
    """

    unit: ClassVar[str] = "points"
    families: ClassVar[Sequence[str]] = ()  # the game's own names of the seats
    over_now: ClassVar[str] = "Points so far."
    tie_break: ClassVar[str] = "ahead"  # text of a winner's lead at equal points
    # keys of the lines `score_*` with each seat's points by source; they are summed over the game
    sources: ClassVar[Sequence[str]] = ()
    # columns of the holdings for games whose script declares none: (title, key of a list by seat in the view)
    columns: ClassVar[Sequence[tuple[str, str]]] = ()

    def __init__(self, game: Game, header: Line, viewer: int | None = None) -> None:
        self.game, self.components, self.viewer = game, header["components"], viewer
        self.players: int = header["players"]
        self._names = [YOU if seat == viewer else "" for seat in range(self.players)]
        agents = header.get("agents") or [""] * self.players
        self._speakers = [YOU if seat == viewer else agent or "agent" for seat, agent in enumerate(agents)]
        of_deal = {"variant": header.get("variant", "base"), "seed": header.get("seed"), "deal": header.get("deal")}
        of_game = {"game": game.name, "title": game.title, "unit": self.unit, "lowest_wins": game.lowest_wins}
        of_game |= {"over_now": self.over_now, "columns": [list(pair) for pair in self.columns]}
        rounds = game.components_part.rounds(dict(self.components))
        seats = [{"name": self.name(seat), "agent": _player_name(game, agents[seat])} for seat in range(self.players)]
        # constants, see `table.schema.Head`; `set_up` fills `board`, the data for the game's script
        self.head: Json = {"format": FORMAT, **of_game, **of_deal, "players": self.players, "rounds": rounds}
        for seat, family in zip(seats, self.families, strict=False):
            seat |= {"mark": family[0], "family": family}
        self.head |= {"viewer": viewer, "seats": seats, "board": {}}
        # the data that the script draws: JSON values; no key is removed. Always `round` (0 before the first),
        # `actor` (a seat or None), `over`, and `now`, each seat's points if the game ended now (None: unknown)
        self.view: Json = {"round": 0, "actor": None, "over": False, "now": [0] * self.players}
        self.marks: list[str] = []  # names of the parts of the drawing that the last line touched
        self.last = ""  # type of the last line
        self.winners: Sequence[int] = ()  # seats that won, of a last line that names them
        self.set_up()
        self.lay_out()

    def set_up(self) -> None:
        """Fill `head["board"]` and `view`."""

    def lay_out(self) -> None:
        """Write derived values into the view, after `set_up` and after every line; default: nothing."""

    def apply(self, line: Line) -> str:
        """Fold one line into the view; return its sentence. The line's player is the actor, and marked by default."""
        seat = self.view["actor"] = line.get("player")
        self.marks = [] if seat is None else [f"seat:{seat}"]
        sentence: str = getattr(self, f"on_{line['type']}", self.on_line)(line)
        self.last = line["type"]
        self.winners = line.get("winners", self.winners)
        self.lay_out()
        self.view["now"] = self.standing()
        return with_capital(sentence)

    def on_line(self, line: Line) -> str:
        """Fold a line without a method for its type: round, end, and points `total`; return the event's text."""
        total = line.get("total") or ()
        self.view |= {"round": line.get("round", self.view["round"]), "over": line["type"] == "score_end"}
        if len(total) == self.players:
            self.view["now"] = list(total)
        text: str = self.game.events.EVENTS.describe(dict(line), self._speakers, self.components)
        return text.replace("\n", " ")

    def standing(self) -> list[int | None]:
        """Return each seat's points if the game ended now, None if unknown to the viewer; default: `now` as it is."""
        now: list[int | None] = self.view["now"]
        return now

    def name(self, seat: int) -> str:
        """Return the seat at the beginning of a sentence."""
        return with_capital(self.named(seat))

    def named(self, seat: int) -> str:
        """Return the seat within a sentence: "you", the game's own name, or "the first player"."""
        return YOU if seat == self.viewer else players_of(self.game, self.players)[seat]

    def says(self, seat: int, words: str) -> str:
        """Return a clause with the seat as subject; `words` begins with a verb in the third person."""
        word, blank, rest = words.partition(" ")
        verb = word.rstrip(".,;:")
        return f"{self.name(seat)} {verb_of(self._names, seat)(verb)}{word[len(verb) :]}{blank}{rest}"

    def listed_seats(self, numbers: Sequence[int | None], sign: bool = False) -> str:
        """Return a number for each seat as text: `15 to the first player, 10 to you`; None is `?`."""
        texts = ["?" if value is None else f"{value:+}" if sign else value for value in numbers]
        return listed([f"{value} to {self.named(seat)}" for seat, value in enumerate(texts)])

    def heading(self) -> str:
        """Return the result in one sentence, or that the game was not played to the end."""
        totals = [points or 0 for points in self.view["now"]]
        if not self.view["over"]:
            return f"{self.game.title}, not played to the end"
        ranked = sorted(range(self.players), key=lambda seat: self.game.sign * totals[seat], reverse=True)
        winners = self.winners or [seat for seat in ranked if totals[seat] == totals[ranked[0]]]
        if len(winners) > 1:
            best = listed([self.named(seat) for seat in sorted(winners)])
            return f"{with_capital(best)} have {totals[ranked[0]]} {self.unit} each"
        return self.won(totals, winners[0], next(seat for seat in ranked if seat != winners[0]))

    def won(self, points: Sequence[int], first: int, second: int) -> str:
        """Return the result as text: the seat `first` wins, and `second` is in second place."""
        lead = f"{abs(points[first] - points[second])} ahead" if points[first] != points[second] else self.tie_break
        return f"{self.says(first, 'wins')} with {points[first]} {self.unit}, {lead} of {self.named(second)}"

    def rules(self) -> list[str]:
        """Return the rules in short, a line per paragraph, in the page's words; default: `short_rules` of `view.py`."""
        return self.game.view.short_rules(self.components, self.players).splitlines()

    def question(self, position: Any) -> str:
        """Return the pending decision of the viewer as text; `position` is a Position."""
        return str(position.question)

    def mine(self, position: Any) -> Json:
        """Return what only the viewer may see now, for the script."""
        return {}

    def choice(self, action: int, name: str, position: Any) -> Json:
        """Return how to show a choice: `label`, and optionally `note`, `at` (a part of the drawing), `ghost`, `quiet`.

        `action` is -1 for an item of a compound choice, and for a range, whose `name` is "" and which may have `start`,
        its first proposal.
        """
        return {"label": name.capitalize() if name.isalpha() else name}

    def next_action(self, composed: Any, position: Any) -> int | None:
        """Return the next action towards a choice that the page composed of several actions, None once it is made."""
        raise InputError("this is not one of the choices")

    def next_name(self, seen: Any) -> str:
        """Return the name of chance's last outcome, from the View after it; "" without one."""
        return ""

    def next_given(self, seen: Any) -> Any:
        """Return earlier draws of the last action; `play.judging` compares only outcomes in which they are equal."""
        return ()

    def agreements(self, seen: Any) -> Iterator[tuple[str, Any, Any]]:
        """Yield (name, folded value, known value), which `check_game` compares; `seen` is the View of the viewer."""
        yield from ()


def fold(table: GameTable, lines: Iterable[Line], before: dict[str, bytes] | None = None) -> list[Json]:
    """Return a step for each line: `said`, `type`, `marks`, and under `set` the keys of the view that changed.

    `before` is the encoded view of the last step, updated in place; default: the first line sets all keys.
    """
    encoded: dict[str, bytes] = {} if before is None else before
    steps = []
    for line in lines:
        sentence = table.apply(line)
        view = {key: msgspec.json.encode(value) for key, value in table.view.items()}
        changed = {key: msgspec.json.decode(value) for key, value in view.items() if encoded.get(key) != value}
        steps.append({"said": sentence, "type": str(line["type"]), "marks": list(table.marks), "set": changed})
        encoded.update(view)
    return steps


def ask(table: GameTable, position: Any) -> Json | None:
    """Return the pending decision of the viewer with its choices; None if another seat decides or the game is over."""
    if position.over or position.actor != table.viewer:
        return None
    names, legal, part, view = position.names, position.legal, position.game.view, position.view()
    question: Json = {"question": table.question(position), "mine": table.mine(position)}
    if items := position.compound_choices:
        return question | {"together": [{"name": name, **table.choice(-1, name, position)} for name in items]}
    cautions = {name: part.caution(int(action), view) for action, name in zip(legal, names, strict=True)}
    if warnings := {name: caution for name, caution in cautions.items() if caution}:
        question["cautions"] = warnings
    if len(names) > MANY and all(name.isdigit() for name in names):
        return question | {"range": [int(names[0]), int(names[-1])], **table.choice(-1, "", position)}
    meanings = part.meanings(view, int(position.state["phase"][0]))
    choices = []
    for action, name in zip(legal, names, strict=True):
        note = {"note": meanings[name]} if name in meanings else {}
        choices.append({"action": int(action), "name": name, **note, **table.choice(int(action), name, position)})
    return question | {"choices": choices}


def pay(amounts: list[Any], ranked: Sequence[int], prizes: Sequence[int]) -> None:
    """Add prizes in place to the amounts of seats: the first prize to the first seat of `ranked`."""
    for seat, prize in zip(ranked, prizes, strict=False):
        amounts[seat] += prize


def players_of(game: Game, players: int) -> list[str]:
    """Return the player at each seat as text: the game's own name of the seat, or "the third player"."""
    families = (game.table or GameTable).families
    return list(families) or [seat_words(seat, players) for seat in range(players)]


def _player_name(game: Game, agent: str) -> str:
    """Return an agent as players at a table call it: "usual player", "random moves"; one without a name as it is."""
    name = game.player_names.get(agent, agent)
    return f"{name} player" if name in TIERS else name
