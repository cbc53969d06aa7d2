"""play: a human player at one seat, in the terminal or in the browser."""

import shlex
import sys
from collections.abc import Mapping, Sequence
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
from strozzi_sim.game.sentences import YOU
from strozzi_sim.game.variants import AnyVariant
from strozzi_sim.play.analyse import analyse_game, find_judge
from strozzi_sim.play.position import Position
from strozzi_sim.play.records import write_record
from strozzi_sim.play.start import joined, split_names
from strozzi_sim.runtime.workers import stdout_to_stderr
from strozzi_sim.study.arguments import refuse_given
from strozzi_sim.web.session import Sitting

HELP = """Type a choice, or its first letters if no other choice begins with them; type numbers whole. Or type
  board  to print the whole table; otherwise the parts that changed are printed
  undo   to take your last choice back; chance is unchanged
  quit   to leave the table"""
_WIDTH = 100  # most columns used of a terminal


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
            default agent
        seat: your seat; seat 0 starts
        deal: number of the deal
        judge: agent that evaluates positions and shows what decisions cost; default with --web: the game's learned
            agent, if it can
        web: play in the browser, on this machine alone
        hint: with --web: the agent that gives hints; default: the game's search agent, else its default agent
        port: with --web: port of 127.0.0.1 to listen on; default: a free one
        out: with --web: file for the records of finished games
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
        words = "plays in this process: if it hangs or exits, so does the game"
        print(f"{', '.join(foreign)} {words}", file=sys.stderr)
    seat_agents = seat_others(others, count, seat)
    if not web:
        refuse_given("only valid with --web", hint=hint, port=port or None, out=out)
        given = {"players": count, "agents": agents, "seat": seat, "seed": seed, "deal": deal}
        given |= {"variant": table.variant.origin or table.variant.name, "study": table.variant.file}
        options = [f"--{name}={value}" for name, value in given.items() if value != ""]
        options += [f"--set={setting}" for setting in table.variant.settings]
        _play(table, seat, seat_agents, judge_spec, shlex.join(["strozzi", "play", game, *options]))
        return
    if judge_spec is None:
        with suppress(InputError):  # no such agent, or none that can judge games of this variant
            judge_spec = find_judge(the_game.tiers.get("trained", "learned"), the_game, count, table.variant)
    hint = hint or the_game.tiers.get("strong", the_game.default_agent)
    hint_spec = as_argument_error("hint", load_agent, hint, the_game)
    as_argument_error("hint", check_lineup, [hint_spec], the_game, count)
    sitting = Sitting(the_game, table.variant, count, seed, deal, seat, seat_agents, hint_spec.text, judge_spec)
    from strozzi_sim.web.local import LocalServer
    from strozzi_sim.web.server import PlayedTable

    if out and not Path(out).exists():
        write_record(Path(out), [])  # so that a file that cannot be created is an error before the game
    with LocalServer(PlayedTable(sitting, Path(out) if out else None), port) as server:
        server.serve_until_interrupted("table")


def _play(table: Position, seat: int, agents: Sequence[AgentSpec], judge: AgentSpec | None, command: str) -> None:
    """Play in the terminal until the game ends or the player leaves; an AgentFault names `command` as its replay."""
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
    if judge is not None:
        print("", *analysis_lines(analyse_game(start, table.actions, judge, names=names)), sep="\n")


class Person:
    """The human player, and what of the game the terminal has shown."""

    def __init__(self, table: Position, names: Sequence[str], seat: int) -> None:
        self.table, self.names, self.seat = table, names, seat
        self._lines_shown = 0  # of the record
        self._parts_shown: set[str] = set()  # of the table, as they were last printed
        self._choice_starts: list[int] = []  # number of actions before each choice of the player
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="backslashreplace")  # so that bytes that are no text are answered too

    def hear(self) -> None:
        """Print the events since the last call."""
        lines = self.table.lines(self.seat)
        print("".join(f"{text}\n" for text in self.table.sentences(lines[self._lines_shown :], self.names)), end="")
        self._lines_shown = len(lines)

    def decide(self) -> bool:
        """Prompt until the player has chosen, and play the choice; return False if they leave."""
        self._ask()
        while (answer := _typed()) is not None:
            choices = dict(zip(self.table.names, self.table.legal, strict=True))
            command = "" if answer in choices else answer.lower()
            meant = names_meant(answer.lower(), list(choices), self.table.compound_choices)
            if command in ("q", "quit"):
                return False
            if command == "undo":
                self._undo()
            elif command in ("?", "help"):
                print(HELP)
            elif command == "board":
                print(f"\n{self.table.text(self.seat, self.names)}\n")
            elif not answer:
                print(self._spoken())
            elif not meant:
                print(f"{short_repr(answer)} is not a valid choice; type a whole name, or ? for help.")
            elif len(meant) > 1:
                print(f"{short_repr(answer)} may be {' / '.join(in_ranges(meant))}.")
            elif self._is_confirmed(choices[meant[0]]):
                self._choice_starts.append(len(self.table.actions))
                self.table.play(meant[0])
                print()
                return True
        return False

    def show_table(self) -> None:
        """Print the parts of the table that changed since the last call; the first call prints all."""
        parts = self.table.text(self.seat, self.names).split("\n\n")
        print("".join(f"\n{part}\n" for part in parts if part not in self._parts_shown), end="")
        self._parts_shown = set(parts)

    def _ask(self) -> None:
        self.show_table()
        print(f"\n{self.table.question}\n{self._spoken()}")

    def _spoken(self) -> str:
        return spoken(self.table.compound_choices or self.table.names, self.table.meanings)

    def _is_confirmed(self, action: int) -> bool:
        warning = self.table.game.view.caution(action, self.table.view(self.seat))
        if warning:
            print(f"{warning} Type yes to do it, or anything else to choose again.")
        return not warning or str(_typed()).lower() in ("y", "yes")

    def _undo(self) -> None:
        if not self._choice_starts:
            print("There is no choice of yours to take back.")
            return
        before, undone = self._choice_starts.pop(), 0
        while len(self.table.actions) > before:
            undone = self.table.undo()
        self._lines_shown = len(self.table.lines(self.seat))
        print(f"Taken back: {self.table.names[self.table.legal.index(undone)]}, and all that followed.")
        self._ask()


def _typed() -> str | None:
    try:
        return input(" > ").strip()
    except EOFError:
        return None


def spoken(names: Sequence[str], meanings: Mapping[str, str]) -> str:
    """Return the names of choices with their meanings as text, wrapped to the width of the terminal."""
    line = " / ".join(f"{name} ({meanings[name]})" if name in meanings else name for name in in_ranges(names))
    width = min(_WIDTH, get_terminal_size((_WIDTH, 24)).columns)
    return fill(line, width, break_long_words=False, break_on_hyphens=False)


def names_meant(answer: str, names: Sequence[str], items: Sequence[str]) -> list[str]:
    """Return the choices that an answer can mean; of a compound choice, the items that its first unclear part fits."""
    if not items:
        return _names_beginning(answer, names)
    words = [_names_beginning(word, items) for word in split_names(answer)]
    for matches in words:
        if len(matches) != 1:
            return matches
    name = joined([word for (word,) in words], items)
    return [name] if name in names else []


def _names_beginning(answer: str, names: Sequence[str]) -> list[str]:
    matches = [name for name in names if name.lower().startswith(answer)]
    return [name for name in matches if name.lower() == answer] or [name for name in matches if not name[:1].isdigit()]
