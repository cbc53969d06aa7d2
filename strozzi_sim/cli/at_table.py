"""A human player at one seat of a game: display and input."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from io import TextIOWrapper
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING

from strozzi_sim.errors import in_ranges, short_repr

if TYPE_CHECKING:
    from strozzi_sim.play.position import Position

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


class Person:
    """The human player, and what was displayed so far."""

    def __init__(self, table: "Position", names: Sequence[str], seat: int) -> None:
        self.table, self.names, self.seat = table, names, seat
        self._told = 0  # lines of the record
        self._answered = True  # whether an empty line is due before what comes next
        self._shown: list[list[str]] = []  # the parts of the table as they were last printed, by lines
        self._chose: list[int] = []  # number of actions before each choice of the player
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="backslashreplace")  # whatever is typed is answered

    def hear(self) -> None:
        """Print what has happened since the last time."""
        lines = self.table.lines(self.seat)
        if self._answered and lines[self._told :]:
            print()
            self._answered = False
        self._print_lines(lines[self._told :])
        self._told = len(lines)

    def decide(self) -> bool:
        """Prompt until the player has chosen, and play the choice; return False if they leave."""
        self._show_changes()
        self._ask()
        doubtful = ""  # the choice that is to be confirmed
        while line := self._read():
            answer = line.strip().lower()
            if doubtful and answer in ("y", "yes"):
                return self._choose(doubtful)
            answer = "" if doubtful and answer in ("n", "no") else answer
            choices = dict(zip(self.table.names, self.table.legal, strict=True))
            matches, doubtful = names_meant(answer, list(choices), self.table.compound_choices), ""
            if not answer:
                print(self._spoken(), end="")
            elif not matches:
                print(f"{short_repr(line.strip())} is not a valid choice; type a whole name, or ? for help.", end="")
            elif len(matches) > 1:
                print(f"{short_repr(line.strip())} may be {' / '.join(in_ranges(matches))}.", end="")
            elif matches == ["quit"] and "quit" not in choices:
                return False
            elif (found := matches[0]) not in choices:
                self._obey(found)
            elif warning := self.table.game.view.caution(choices[found], self.table.view(self.seat)):
                print(f"{warning} Type yes to do it, or choose again.", end="")
                doubtful = found
            else:
                return self._choose(found)
        return False

    def show_table(self) -> None:
        """Print the whole table."""
        text = self.table.text(self.seat, self.names)
        self._shown = _parts_of(text)
        print(f"\n{text}")

    def _show_changes(self) -> None:
        """Print what has changed on the table."""
        parts = _parts_of(self.table.text(self.seat, self.names))
        changed = ["\n".join(lines) for part in parts if (lines := _changed_lines(part, self._shown))]
        self._shown = parts
        if changed:
            print()
        for number, text in enumerate(changed):
            tight = number == 0 or ("\n" not in text and "\n" not in changed[number - 1])
            print(text if tight else f"\n{text}")

    def _ask(self) -> None:
        print(f"\n{self.table.question}\n{self._spoken()}", end="")

    def _read(self) -> str:
        """Return what is typed, repeated where it does not show; "" at the end of input."""
        print(" > ", end="", flush=True)
        line = sys.stdin.readline()
        if not sys.stdin.isatty():
            plain = line.isascii() and line.strip().isprintable() and len(line) < _WIDTH
            print(line.strip() if plain else short_repr(line))
        return line

    def _choose(self, name: str) -> bool:
        self._chose.append(len(self.table.actions))
        self.table.play(name)
        self._answered = True
        return True

    def _obey(self, command: str) -> None:
        """Do what a command asks for, then print the choices again."""
        if command == "undo":
            if not self._chose:
                print("There is no choice of yours to take back.", end="")
                return
            self._undo()
        elif command == "board":
            self.show_table()
        elif command == "log":
            print()
            self._print_lines(self.table.lines(self.seat))
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
        before, undone = self._chose.pop(), 0
        while len(self.table.actions) > before:
            undone = self.table.undo()
        self._told = len(self.table.lines(self.seat))
        print(f"\nTaken back: {self.table.names[self.table.legal.index(undone)]}, and all that followed.")
        self._show_changes()

    def _print_lines(self, lines: Iterable[Mapping[str, object]]) -> None:
        for sentence in self.table.sentences(lines, self.names):
            print(sentence)

    def _spoken(self) -> str:
        """Return the choices with their meanings."""
        names = self.table.compound_choices or self.table.names
        return spoken(names, self.table.game.view.meanings(self.table.view(), int(self.table.state["phase"][0])))


def spoken(names: Sequence[str], meanings: Mapping[str, str]) -> str:
    """Return choices with their meanings: in one line if they fit, else one per line, or as many as fit."""
    listed = in_ranges(names)
    line = " / ".join(f"{name} ({meanings[name]})" if name in meanings else name for name in listed)
    if len(line) <= _width() or not any(len(meanings.get(name, "")) > _SHORT for name in listed):
        return fill(line, _width(), break_long_words=False, break_on_hyphens=False)
    longest = max(map(len, listed))
    return "\n".join(f"  {name:<{longest}}  {meanings.get(name, '')}".rstrip() for name in listed) + "\n"


def _parts_of(text: str) -> list[list[str]]:
    """Split the text of a table into its parts, which are divided by empty lines, and these into lines."""
    return [part.split("\n") for part in text.split("\n\n")]


def _changed_lines(part: Sequence[str], before: Iterable[Sequence[str]]) -> Sequence[str]:
    """Return the heading of a part and the lines that its last print did not have; all if its heading is new or lines are gone.

    Lines are compared without their blanks, as columns may have become wider.
    """
    heading = part[0].split()
    for old in before:
        if old[0].split() == heading:
            if len(part) < len(old):
                return part
            known = [line.split() for line in old]
            lines = [line for line in part if line.split() not in known]
            return [part[0], *lines] if lines else []
    return part


def names_meant(answer: str, names: Sequence[str], together: Sequence[str]) -> list[str]:
    """Return the names, commands included, that an answer abbreviates: its beginning, or that of each item of a compound choice."""
    from strozzi_sim.play.action_parsing import joined, split_names

    command = ["help"] if answer == "?" else _begun(answer, list(COMMANDS))
    if not together:
        whole = [name for name in names if name.lower() == answer]
        return whole or ([answer] if answer in COMMANDS else _begun(answer, names) or command)
    if len(command) == 1 and not _begun(answer, together):
        return command
    words = [_begun(word, together) for word in split_names(answer)]
    for matches in words:
        if len(matches) != 1:
            return matches
    name = joined([word for (word,) in words], together)
    return [name] if name in names else []


def _begun(answer: str, names: Sequence[str]) -> list[str]:
    """Return the names equal to an answer, else those that begin with it; a name that begins with a digit is typed in full."""
    matches = [name for name in names if name.lower().startswith(answer)]
    return [name for name in matches if name.lower() == answer] or [name for name in matches if not name[:1].isdigit()]


def _width() -> int:
    return min(_WIDTH, get_terminal_size((_WIDTH, 24)).columns)
