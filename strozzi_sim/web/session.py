"""A human player's game for the page: the position stays here, and the page receives what the player's seat may see.

While `thinking` names a seat, agents play in a separate thread, and only that thread changes the position. The hinting
agent searches on copies. No search holds the lock, so that pages are answered meanwhile. A line is a line of play; each
line of the record is a step of the page.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from threading import Condition, Thread
from typing import Any

from strozzi_sim.agent import AgentSpec
from strozzi_sim.errors import InputError, StrozziError
from strozzi_sim.game.contract import Game
from strozzi_sim.game.sentences import YOU
from strozzi_sim.game.table import ask
from strozzi_sim.game.variants import Variant
from strozzi_sim.play.position import Position
from strozzi_sim.table.plain import next_steps, table_of

Json = dict[str, Any]
MAX_GAMES = 1_000  # games of one server
MAX_LINES = 50  # lines of play kept per game
PATIENCE = 0.08  # seconds that an answer waits for fast agents
MAX_COMPOSED = 200  # actions of one composed choice; a compound choice, of several things at once, is one action


class Refused(InputError):
    """A request that does not fit the state of the game: too early, too late, or twice."""


@dataclass(frozen=True)
class Sitting:
    """The setup of a player's games; each new game is the next deal."""

    game: Game
    variant: Variant
    players: int
    seed: int
    deal: int  # the first one
    seat: int  # the player's
    agents: Sequence[AgentSpec]  # by seat; the player's own is ignored
    hint: str  # agent that gives hints
    judge: AgentSpec | None = None  # agent that judges finished games

    @property
    def names(self) -> list[str]:
        """The agent of each seat, and "you" for the player."""
        return [YOU if seat == self.seat else spec.text for seat, spec in enumerate(self.agents)]


@dataclass
class _Line:
    actions: tuple[int, ...]
    position: Position  # before the choice at which the player left it
    name: str  # that choice
    said: str  # that choice as shown
    value: str = ""  # the hinting agent's evaluation of the choice, once it is known


class Session:
    """The games of one player, one at a time; `on_end` receives a copy of each finished game, in its own thread."""

    def __init__(self, sitting: Sitting, on_end: Callable[["Session", Position], None] | None = None) -> None:
        self.sitting, self._on_end = sitting, on_end
        self.changed = Condition()
        self.version, self.games = 0, 0
        self.thinking: int | None = None  # seat of the agent that decides now
        self.fault = ""
        self.result: Json | None = None
        self._chosen: list[int] = []  # number of actions before each decision of the player
        self._cuts: list[tuple[int, int]] = []  # (version, steps that it kept of the version before)
        self._steps: list[Json] = []
        self._record_lines: list[Json] = []  # lines that are folded into `_steps`
        self._before: dict[str, bytes] = {}  # the encoded view after the last step
        self._ask: Json | None = None
        self._deal = sitting.deal - 1
        with self.changed:
            self._begin()

    def state(self, have: int = 0, version: int = -1) -> Json:
        """Return the table for a page with `have` steps of `version`: it keeps the first `keep`; `steps` follow."""
        with self.changed:
            return self._answer(have, version)

    def wait(self, seconds: float) -> None:
        """Wait until the agents have played, or `seconds` have passed."""
        with self.changed:
            self.changed.wait_for(lambda: self.thinking is None, seconds)

    def play(self, version: int, *, action: Any = None, name: Any = None, composed: Any = None) -> None:
        """Play a choice of the player: the number of an action, its name, or a composed choice of several actions."""
        with self.changed:
            self._check(version)
            position = self._position
            if position.over or position.actor != self.sitting.seat:
                raise Refused("it is not your turn")
            count = len(position.actions)
            if composed is not None:
                self._compose(composed)
            else:
                position.play(self._chosen_action(action, name))
            self._chosen.append(count)
            self._play_on()

    def undo(self, version: int) -> None:
        """Take the player's last choice back; keep the line of play if there is room. Future chance is unchanged."""
        with self.changed:
            self._check(version)
            if not self._chosen:
                raise Refused("there is no choice of yours to take back")
            left = self._leave(self._chosen.pop())
        self._evaluate(left)

    def line(self, version: int, number: Any) -> None:
        """Return to a line of play that was left, and keep the present one as `undo` does."""
        with self.changed:
            self._check(version)
            if type(number) is not int or number not in self._left:
                raise Refused("there is no such line of play")
            kept_line, left = self._left.pop(number), None
            position = self._position
            common = _common(position.actions, kept_line.actions)
            if common < len(position.actions):
                left = self._leave(common)
            self._chosen = [count for count in self._chosen if count < common]
            for action in kept_line.actions[common:]:
                if position.actor == self.sitting.seat:
                    self._chosen.append(len(position.actions))
                position.play(action)
            self._play_on()
        self._evaluate(left)

    def hint(self, version: int) -> Json:
        """Return the hinting agent's choice: `name`, and a sentence `words`."""
        with self.changed:
            self._check(version)
            if self._position.over:
                raise Refused("the game is over")
            if self._position.actor != self.sitting.seat:  # an agent failed; a hint would show what its seat knows
                raise Refused("it is not your turn")
            position, agent, labels, tries = self._position.copy(), self.sitting.hint, self._labels(), ""
        if (analysis := self._hinted(position)) is None:
            name = position.names[position.legal.index(int(position.ask(agent)))]
        else:
            name = str(analysis[analysis["chosen"]].iloc[0]["name"])
            shares = zip(analysis["name"].head(3), analysis["share"].head(3), strict=True)
            tries = f" (its tries: {', '.join(f'{labels[choice]} {share:.0%}' for choice, share in shares)})"
        names = self.sitting.game.player_names
        who = f"The {names[agent]} player" if agent in names else agent
        return {"name": name, "words": f"{who} would choose {labels[name]}{tries}."}

    def new(self) -> None:
        """Begin the next game; agents that think about the last one are not awaited."""
        with self.changed:
            self._begin()

    def record(self) -> bytes:
        """Return the record of the finished game as lines of JSON. Raises Refused before the end."""
        with self.changed:
            if self.thinking is not None or not self._position.over:
                raise Refused("the record is written when the game is over")  # it has all secrets
            lines = self._position.record(self.sitting.names)
        return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()

    def finished(self) -> Position | None:
        """Return a copy of the position of the finished game, or None before the end."""
        with self.changed:
            position = self._position
            return position.copy() if self.thinking is None and position.over else None

    def set_result(self, position: Position, result: Json) -> None:
        """Show the result of a finished game, unless the player has left it."""
        with self.changed:
            own = self._position
            if own.over and (own.deal, own.actions) == (position.deal, position.actions):
                self.result = result

    def _check(self, version: int) -> None:
        if self.thinking is not None:
            raise Refused("the agents are still thinking")
        if version != self.version:
            raise Refused("the table has moved on; load the page again")

    def _begin(self) -> None:
        if self.games == MAX_GAMES:
            raise Refused(f"{MAX_GAMES:,} games were begun here; end this table and open another")
        sitting = self.sitting
        self.games += 1
        self._deal += 1
        self._position = Position(sitting.game, sitting.players, sitting.seed, self._deal, sitting.variant)
        self._chosen = []
        self._left: dict[int, _Line] = {}  # lines of play that the player left, by number
        self.result = None
        self._cut(0)
        self._restart_fold()
        self._play_on()

    def _restart_fold(self) -> None:
        header = self._position.record(self.sitting.names)[0]
        self._table = table_of(self.sitting.game, header, self.sitting.seat)
        self._before, self._record_lines, self._steps = {}, [], []

    def _cut(self, kept: int) -> None:
        """Begin a version that keeps the first `kept` steps of the last one."""
        self.version += 1
        self._cuts.append((self.version, kept))

    def _chosen_action(self, action: Any, name: Any) -> int | str:
        position = self._position
        if type(action) is int and action in position.legal:
            return action
        if isinstance(name, str) and len(name) < 1_000:
            return name
        raise InputError("this is not one of the choices")

    def _compose(self, composed: Any) -> None:
        """Play the actions of a composed choice, or none of them."""
        position, count = self._position, 0
        try:
            while not position.over and position.actor == self.sitting.seat and count < MAX_COMPOSED:
                action = self._table.next_action(composed, position)
                if action is None:
                    break
                position.play(action)
                count += 1
            if not count:
                raise InputError("this is not one of the choices")
        except InputError:
            for _ in range(count):
                position.undo()
            raise

    def _play_on(self) -> None:
        self.fault = ""
        self._show()
        position = self._position
        agents_done = position.over or position.actor == self.sitting.seat
        self.thinking = None if agents_done else position.actor
        if agents_done:
            self._notify_if_over(position)
            return
        Thread(target=self._agents_play, args=(position,), daemon=True).start()

    def _agents_play(self, position: Position) -> None:
        sitting, fault = self.sitting, ""
        while not position.over and position.actor != sitting.seat:
            spec = sitting.agents[position.actor]
            try:
                position.play(position.ask(spec))
            except StrozziError as error:  # an agent failed, or chose an illegal action
                fault = str(error)
            with self.changed:
                if position is not self._position:  # another game has begun
                    return
                agents_done = bool(fault) or position.over or position.actor == sitting.seat
                self.thinking, self.fault = None if agents_done else position.actor, fault
                self._show()
                self.changed.notify_all()
                if agents_done:
                    if not fault:
                        self._notify_if_over(position)
                    return

    def _notify_if_over(self, position: Position) -> None:
        if position.over and self._on_end is not None:
            Thread(target=self._on_end, args=(self, position.copy()), daemon=True).start()

    def _leave(self, count: int) -> _Line | None:
        """Undo all but the first `count` actions; keep and return the line of play, if it is new and has room."""
        position = self._position
        actions = position.actions
        while len(position.actions) > count:
            position.undo()
        self._show()
        name = position.names[position.legal.index(actions[count])]
        self.fault, self.result = "", None
        if len(self._left) >= MAX_LINES or any(line.actions == actions for line in self._left.values()):
            return None
        number = 1 + max(self._left, default=0)
        self._left[number] = _Line(actions, position.copy(), name, self._labels()[name])
        return self._left[number]

    def _evaluate(self, line: _Line | None) -> None:
        if line is not None and (analysis := self._hinted(line.position)) is not None:
            row = analysis[analysis["name"] == line.name].iloc[0]
            value = f", value {row['value']:.2f}" if row["visits"] else ""
            line.value = f"{self.sitting.hint}: {row['share']:.0%} of its tries{value}"

    def _hinted(self, position: Position) -> Any:
        agent = self.sitting.hint
        return None if position.seated(agent).spec.agent.analyse is None else position.analyse(agent)

    def _labels(self) -> dict[str, str]:
        position = self._position
        if position.actor != self.sitting.seat or position.compound_choices:
            return {name: name for name in position.names}
        pairs = zip(position.legal, position.names, strict=True)
        return {name: self._table.choice(int(action), name, position).get("label", name) for action, name in pairs}

    def _show(self) -> None:
        """Fold the new record lines; if an undo took lines back, fold all lines again."""
        position, seat = self._position, self.sitting.seat
        record_lines = position.lines(seat)
        common = _common(record_lines, self._record_lines)
        if common < len(self._record_lines):
            self._restart_fold()
            self._cut(common)
        else:
            self.version += 1
        new_lines = record_lines[len(self._record_lines) :]
        self._steps += next_steps(self._table, new_lines, position, self._before)
        self._record_lines = record_lines
        self._ask = ask(self._table, position)

    def _answer(self, have: int, version: int) -> Json:
        keep = min([have, len(self._steps), *(kept for cut, kept in self._cuts if cut > version)])
        lines = [{"number": number, "said": line.said, "value": line.value} for number, line in self._left.items()]
        page = {"head": self._table.head, "keep": keep, "steps": self._steps[keep:], "ask": self._ask}
        page |= {"version": self.version, "thinking": self.thinking, "fault": self.fault, "lines": lines}
        return page | {"can_undo": bool(self._chosen), "heading": self._heading(), "result": self.result}

    def _heading(self) -> str:
        if self._table.view["over"]:
            return self._table.heading()
        seat = self._table.head["seats"][self.sitting.seat]
        return f"{self.sitting.game.title}: you are {seat.get('family', f'player {self.sitting.seat + 1}')}"

    @property
    def rules(self) -> list[str]:
        """The rules in short, a line for each paragraph."""
        return self._table.rules()


def _common(first: Sequence[Any], second: Sequence[Any]) -> int:
    """Return the number of first elements that both sequences share."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
