"""play: a human player at one seat, in the terminal or in the browser."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill

from strozzi_sim.agent import AgentSpec, check_lineup, load_agent, seat_others
from strozzi_sim.agent.names import agents_named, comes_with, one_count, one_variant
from strozzi_sim.cli.records import analysis_lines
from strozzi_sim.errors import (
    AgentFault,
    ArgumentError,
    InputError,
    as_argument_error,
    check_range,
    in_ranges,
    short_repr,
)
from strozzi_sim.game import find_game
from strozzi_sim.game.sentences import YOU, capitalized, listed, seat_name
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.play.analyse import analyse_game, find_judge
from strozzi_sim.play.position import Position
from strozzi_sim.play.records import write_record
from strozzi_sim.play.start import joined, split_names
from strozzi_sim.runtime.workers import stdout_to_stderr
from strozzi_sim.web.session import Sitting

COMMANDS = {
    "help": "print this",
    "board": "print the whole table; without it only the parts that changed are printed",
    "log": "print what has happened",
    "rules": "print the rules of the game in short",
    "undo": "take your last choice back; chance is unchanged",
    "quit": "leave the table",
}
_WIDTH = 100  # maximum columns of the terminal in use
_SHORT = 12  # maximum letters of a choice's name for several choices on one line


def play(
    game: str,
    *,
    players: str | None = None,
    agents: str = "",
    seat: int = 0,
    seed: int = 0,
    deal: int = 0,
    variant: AnyVariant = "base",
    study: str | Path = "",
    judge: str = "",
    web: bool = False,
    hint: str = "",
    port: int = 0,
    out: str | Path = "",
) -> None:
    """Play a game yourself against agents, in the terminal (type a name, or ? for help) or in the browser.

    Example: strozzi play strozzi --players 4 --agents heuristic --seat 1 --web

    Args:
        players: player count; default: 4, or the fewest of the game
        agents: agents of the other seats in turn order after yours, comma-separated, agent i mod k; default: the game's
        seat: your seat; seat 0 starts
        deal: number of the deal
        judge: agent that evaluates positions and shows what decisions cost; default with --web: learned, if it can
        web: play in the browser, on this machine alone
        hint: with --web: the agent that gives hints; default: the game's search agent
        port: with --web: port of 127.0.0.1 to listen on; default: a free one
        out: with --web: write the record of each finished game
    """
    the_game = find_game(game)
    count = one_count(the_game, players)
    check_range("seat", seat, 0, count - 1)
    agents = agents or the_game.default_agent
    others = agents_named(the_game, agents, counts=[count])
    if len(others) > count - 1:
        raise ArgumentError("agents", f"{len(others)} agents for {count - 1} seats; give at most {count - 1}")
    table = Position(the_game, count, seed, deal, one_variant(the_game, "variant", variant, study))
    judge_spec = as_argument_error("judge", find_judge, judge, the_game, count, table.variant) if judge else None
    if foreign := dict.fromkeys(spec.text for spec in others if not comes_with(spec, the_game)):
        words = "plays in this process: it cannot be stopped if it hangs, and it ends with this command"
        print(f"{', '.join(foreign)} {words}", file=sys.stderr)
    seat_agents = seat_others(others, count, seat)
    if not web:
        for option, value in (("hint", hint), ("port", port), ("out", out)):
            if value:
                raise ArgumentError(option, "only valid with --web")
        options = f"--players {count} --agents '{agents}' --seat {seat} --seed {seed} --deal {deal}"
        _play(table, seat, seat_agents, judge_spec, f"strozzi play {game} {options}")
        return
    if judge_spec is None:
        with suppress(InputError):  # no such agent, or it does not evaluate positions of this game
            judge_spec = find_judge(the_game.tiers.get("learned", "learned"), the_game, count, table.variant)
    hint = hint or the_game.tiers.get("search", the_game.default_agent)
    hint_spec = as_argument_error("hint", load_agent, hint, the_game)
    as_argument_error("hint", check_lineup, [hint_spec], the_game, count)
    sitting = Sitting(the_game, table.variant, count, seed, deal, seat, seat_agents, hint_spec.text, judge_spec)
    from strozzi_sim.web.server import TableServer

    if out and not Path(out).exists():
        write_record(Path(out), [])  # an unwritable place is an error before the game
    with TableServer(sitting, Path(out) if out else None, port) as server:
        server.serve_until_interrupted("table")


def _play(table: Position, seat: int, agents: Sequence[AgentSpec], judge: AgentSpec | None, command: str) -> None:
    """Play in the terminal to the end, or until the player leaves."""
    names, start = [YOU if number == seat else spec.text for number, spec in enumerate(agents)], table.copy()
    person = Person(table, names, seat)
    print("Type ? at any question for help.")
    while not table.over:
        person.hear()
        if table.actor == seat:
            if not person.decide():
                print("\nYou left the table.")
                return
            continue
        try:
            with stdout_to_stderr():
                table.play(table.ask(agents[table.actor]))
        except AgentFault as fault:
            raise AgentFault(f"{fault}; replay: {command}") from fault
    person.hear()
    person.show_table()
    print(f"\n{outcome_words(table, names, seat)}")
    if judge is not None:
        print()
        print(*analysis_lines(analyse_game(start, table.actions, judge, names=names)), sep="\n")


def outcome_words(table: Position, names: list[str], seat: int) -> str:
    """Return the winners with their scores, by name and seat, and the player's place."""
    places, scores = [1 + sum(other < place for other in table.places) for place in table.places], table.scores
    winners = [other for other, place in enumerate(places) if place == 1]
    who = capitalized(listed([seat_name(names, other) for other in winners]) + " ").strip()
    verb = "share the win" if len(winners) > 1 else "win" if winners == [seat] else "wins"
    won = f"{who} {verb} with {scores[winners[0]]}"
    if seat in winners:
        return f"{won}."
    verb = "share" if places.count(places[seat]) > 1 else "take"
    return f"{won}; you {verb} place {places[seat]} with {scores[seat]}."


class Person:
    """The human player, and the text displayed so far."""

    def __init__(self, table: Position, names: Sequence[str], seat: int) -> None:
        self.table, self.names, self.seat = table, names, seat
        self._lines_shown = 0  # lines of the record
        self._answered = True  # whether an empty line is due before what comes next
        self._shown: list[list[str]] = []  # the parts of the table as they were last printed, by lines
        self._choice_starts: list[int] = []  # number of actions before each choice of the player
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="backslashreplace")  # so that any typed bytes get an answer

    def hear(self) -> None:
        """Print the events since the last call."""
        lines = self.table.lines(self.seat)
        if self._answered and lines[self._lines_shown :]:
            print()
            self._answered = False
        self._print(lines[self._lines_shown :])
        self._lines_shown = len(lines)

    def decide(self) -> bool:
        """Prompt until the player has chosen, and play the choice; return False if they leave."""
        self._show_changes()
        self._ask()
        unconfirmed = ""  # the choice that is to be confirmed
        while line := self._read():
            answer = line.strip().lower()
            if unconfirmed and answer in ("y", "yes"):
                return self._choose(unconfirmed)
            answer = "" if unconfirmed and answer in ("n", "no") else answer
            choices = dict(zip(self.table.names, self.table.legal, strict=True))
            matches, unconfirmed = names_meant(answer, list(choices), self.table.compound_choices), ""
            if not answer:
                print(self._spoken(), end="")
            elif not matches:
                print(f"{short_repr(line.strip())} is not a valid choice; type a whole name, or ? for help.", end="")
            elif len(matches) > 1:
                print(f"{short_repr(line.strip())} may be {' / '.join(in_ranges(matches))}.", end="")
            elif matches == ["quit"] and "quit" not in choices:
                return False
            elif (choice := matches[0]) not in choices:
                self._obey(choice)
            elif warning := self.table.game.view.caution(choices[choice], self.table.view(self.seat)):
                print(f"{warning} Type yes to do it, or choose again.", end="")
                unconfirmed = choice
            else:
                return self._choose(choice)
        return False

    def show_table(self) -> None:
        """Print the whole table."""
        text = self.table.text(self.seat, self.names)
        self._shown = _parts_of(text)
        print(f"\n{text}")

    def _show_changes(self) -> None:
        """Print the changed parts of the table."""
        parts = _parts_of(self.table.text(self.seat, self.names))
        changed = ["\n".join(lines) for part in parts if (lines := _changed_lines(part, self._shown))]
        self._shown = parts
        if changed:
            print()
        for number, text in enumerate(changed):
            is_tight = number == 0 or ("\n" not in text and "\n" not in changed[number - 1])
            print(text if is_tight else f"\n{text}")

    def _ask(self) -> None:
        print(f"\n{self.table.question}\n{self._spoken()}", end="")

    def _read(self) -> str:
        """Return a typed line, printed again if input is no terminal; "" at the end of input."""
        print(" > ", end="", flush=True)
        line = sys.stdin.readline()
        if not sys.stdin.isatty():
            plain = line.isascii() and line.strip().isprintable() and len(line) < _WIDTH
            print(line.strip() if plain else short_repr(line))
        return line

    def _choose(self, name: str) -> bool:
        self._choice_starts.append(len(self.table.actions))
        self.table.play(name)
        self._answered = True
        return True

    def _obey(self, command: str) -> None:
        """Carry out a command, then print the choices again."""
        if command == "undo":
            if not self._choice_starts:
                print("There is no choice of yours to take back.", end="")
                return
            self._undo()
        elif command == "board":
            self.show_table()
        elif command == "log":
            print()
            self._print(self.table.lines(self.seat))
        elif command == "rules":
            rules = self.table.game.view.short_rules(self.table.variant.components, self.table.players)
            print("" if rules else f"\n{self.table.game.name} has no rules in short.")
            for paragraph in rules.splitlines():
                print(fill(paragraph, _width(), subsequent_indent="  "))
        else:
            print("\nType a choice, or as much of it as no other begins with; numbers are typed whole. Or type")
            print("\n".join(f"  {name:<6} {what}" for name, what in COMMANDS.items()))
        self._ask()

    def _undo(self) -> None:
        """Undo to the player's last choice."""
        before, undone = self._choice_starts.pop(), 0
        while len(self.table.actions) > before:
            undone = self.table.undo()
        self._lines_shown = len(self.table.lines(self.seat))
        print(f"\nTaken back: {self.table.names[self.table.legal.index(undone)]}, and all that followed.")
        self._show_changes()

    def _print(self, lines: Iterable[Mapping[str, object]]) -> None:
        print("".join(f"{sentence}\n" for sentence in self.table.sentences(lines, self.names)), end="")

    def _spoken(self) -> str:
        """Return the choices with their meanings."""
        names = self.table.compound_choices or self.table.names
        return spoken(names, self.table.game.view.meanings(self.table.view(), int(self.table.state["phase"][0])))


def spoken(names: Sequence[str], meanings: Mapping[str, str]) -> str:
    """Return choices with their meanings: in one line if they fit, else one per line, or as many as fit."""
    names_in_ranges = in_ranges(names)
    line = " / ".join(f"{name} ({meanings[name]})" if name in meanings else name for name in names_in_ranges)
    if len(line) <= _width() or not any(len(meanings.get(name, "")) > _SHORT for name in names_in_ranges):
        return fill(line, _width(), break_long_words=False, break_on_hyphens=False)
    longest = max(map(len, names_in_ranges))
    return "\n".join(f"  {name:<{longest}}  {meanings.get(name, '')}".rstrip() for name in names_in_ranges) + "\n"


def _parts_of(text: str) -> list[list[str]]:
    """Split the text of a table into its parts, which are divided by empty lines, and these into lines."""
    return [part.split("\n") for part in text.split("\n\n")]


def _changed_lines(part: Sequence[str], before: Iterable[Sequence[str]]) -> Sequence[str]:
    """Return the heading of a part and its new lines; all if the heading is new or lines are gone.

    Lines are compared without their blanks, as columns may have become wider.
    """
    heading = part[0].split()
    for old_part in before:
        if old_part[0].split() == heading:
            if len(part) < len(old_part):
                return part
            old_lines = [line.split() for line in old_part]
            lines = [line for line in part if line.split() not in old_lines]
            return [part[0], *lines] if lines else []
    return part


def names_meant(answer: str, names: Sequence[str], items: Sequence[str]) -> list[str]:
    """Return the names, or commands, that begin with an answer; of a compound choice each item may be abbreviated."""
    command = ["help"] if answer == "?" else _names_beginning(answer, list(COMMANDS))
    if not items:
        equal = [name for name in names if name.lower() == answer]
        return equal or ([answer] if answer in COMMANDS else _names_beginning(answer, names) or command)
    if len(command) == 1 and not _names_beginning(answer, items):
        return command
    words = [_names_beginning(word, items) for word in split_names(answer)]
    for matches in words:
        if len(matches) != 1:
            return matches
    name = joined([word for (word,) in words], items)
    return [name] if name in names else []


def _names_beginning(answer: str, names: Sequence[str]) -> list[str]:
    """Return the names equal to an answer, else those that begin with it, but not with a digit."""
    matches = [name for name in names if name.lower().startswith(answer)]
    return [name for name in matches if name.lower() == answer] or [name for name in matches if not name[:1].isdigit()]


def _width() -> int:
    return min(_WIDTH, get_terminal_size((_WIDTH, 24)).columns)
