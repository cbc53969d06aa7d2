"""Write, read and replay records: JSON Lines with one event per line, of any number of games.

A record has the events of the rules, not the numbers of the actions. To recover these, the compiled core tries the
legal actions: the one that writes the lines of the record was played. If several do, the following lines decide.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from math import factorial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from strozzi_sim.agent.names import Agents, lineups_of, one_count, variants_named
from strozzi_sim.errors import (
    ArgumentError,
    InputError,
    RuleViolation,
    as_argument_error,
    check_names,
    check_whole,
    short_repr,
)
from strozzi_sim.game import find_game, load_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.converting import converted
from strozzi_sim.game.restricting import restricted
from strozzi_sim.game.variants import NAME, AnyVariant, Variant, from_components
from strozzi_sim.kernel.journal import events_in
from strozzi_sim.runtime.files import RECORD, check_replaceable, open_atomically
from strozzi_sim.runtime.parsing import parse_json, read_lines
from strozzi_sim.simulation.isolation import run_in_worker
from strozzi_sim.simulation.match import Match
from strozzi_sim.simulation.seatings import DESIGNS

FORMAT = "strozzi-sim.record/1"
MAX_NAME = 1_000  # characters of an agent's name
MAX_TRIED = 200_000  # positions examined for a record, at most


class _Header(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    type: Literal["game"]
    format: str
    game: str
    players: int
    agents: list[Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]]
    seed: Annotated[int, Meta(ge=0, le=2**53 - 1)]
    deal: Annotated[int, Meta(ge=0, le=2**53 - 1)]
    seating: Annotated[int, Meta(ge=0)]
    variant: Annotated[str, Meta(pattern=rf"^{NAME.pattern}$(?!\n)")]
    behaviour: Annotated[int, Meta(ge=0)]
    components: dict[str, Any]
    without: list[list[str]] = []  # restrictions by seat


@dataclass
class RecordedGame:
    """One game of a record."""

    header: dict[str, Any]  # the `game` line
    line: int  # number of that line, from 1
    events: list[tuple[int, dict[str, Any]]] = field(default_factory=list)  # the lines after it, each with its number
    place: object = "record"  # the file, for errors

    @staticmethod
    def of(lines: Iterable[Mapping[str, Any]]) -> "RecordedGame":
        """Return the only game of these lines, complete or not."""
        if isinstance(lines, str | bytes | Mapping) or not isinstance(lines, Iterable):
            raise ArgumentError("lines", f"expected the lines of a record, got {short_repr(lines)}")
        recorded, *more = games_in(enumerate(lines, 1), "record")
        if more:
            raise InputError(f"record: line {more[0].line}: expected one game, and another begins here")
        return recorded

    @property
    def names(self) -> list[str]:
        """Name of the agent at each seat."""
        return [str(name) for name in self.header["agents"]]

    @property
    def heading(self) -> str:
        """The game's identity in two lines."""
        title, where = load_game(self.header["game"]).title, ("seed", "deal", "seating", "variant")
        game = f"{title}, {self.header['players']} players: {', '.join(self.names)}"
        return f"{game}\n{', '.join(f'{key} {self.header[key]}' for key in where)}"

    def check(self) -> None:
        """Replay the game through the plain-Python rules; RuleViolation names the file and the line."""
        try:
            load_game(self.header["game"]).verify.REPLAY.check_game(self.header, self.line, self.events)
        except RuleViolation as violation:
            raise RuleViolation(violation.line, violation.message, self.place) from None

    def deal_again(self) -> dict[str, Any]:
        """Return the arguments of `Position` that deal the game again."""
        header, game = self.header, load_game(self.header["game"])
        where = f"{self.place}: line {self.line}: components"
        variant = from_components(game, header["variant"], header["components"], where)
        if without := header.get("without"):
            variant = restricted(game, variant, dict(enumerate(without)))
        return {"game": game, "variant": variant} | {key: header[key] for key in ("players", "seed", "deal")}


def match_of(
    game: str | Game,
    players: int | str | None,
    agents: Agents,
    games: int,
    deal: int | None,
    seating: int | None,
    seatings: str,
    seed: int,
    variant: AnyVariant,
) -> tuple[Match, range]:
    """Return the match and the deals that `one_game.record` plays with these arguments."""
    the_game = find_game(game)
    count = one_count(the_game, players)
    check_whole("games", games, 1, 10**9)
    if deal is not None:
        check_whole("deal", deal, 0, 2**53 - 1)
        if games != 1:
            raise ArgumentError("games", f"`deal` is one game, got {games} games")
    check_whole("seed", seed, 0, 2**53 - 1)
    (chosen,) = variants_named(the_game, [variant])
    (lineup,) = lineups_of(the_game, agents, [count])
    as_argument_error("seatings", check_names, "design", [seatings], DESIGNS)
    match = as_argument_error("agents", Match, the_game, count, lineup, chosen, seed, seatings)
    if seating is not None:
        check_whole("seating", seating, 0, len(match.design) - 1)
    return match, range(games) if deal is None else range(deal, deal + 1)


def record_game(match: Match, deal: int, seating: int) -> list[dict[str, Any]]:
    """Return the record of one game, header first."""
    if match.foreign:
        return list(run_in_worker(_record_game, match, deal, seating, blame=partial(match.lost, seating=seating)))
    return _record_game(match, deal, seating)


def record_games(match: Match, deals: Iterable[int], seating: int | None = None) -> Iterator[list[dict[str, Any]]]:
    """Yield the records of several deals; default seating: the first of each deal."""
    for deal in deals:
        yield record_game(match, deal, match.seating_of(deal) if seating is None else seating)


def _record_game(match: Match, deal: int, seating: int) -> list[dict[str, Any]]:
    played = match.play(deal, deal + 1, journal=True, seating=seating)
    assert played.journal is not None
    specs = [match.positions[position] for position in match.design[seating]]
    header = header_line(match.game, match.variant, [spec.text for spec in specs], match.seed, deal, seating)
    if any(spec.without for spec in specs):
        header["without"] = [list(spec.without) for spec in specs]
    rows = events_in(played.journal, match.game.name)
    return [header, *match.game.events.EVENTS.to_lines(rows, match.variant.components, match.players)]


def header_line(
    game: Game, variant: Variant, agents: Sequence[str], seed: int, deal: int, seating: int = 0
) -> dict[str, Any]:
    """Return the first line of a game; `agents` by seat."""
    header = {"type": "game", "format": FORMAT, "game": game.name, "players": len(agents), "agents": list(agents)}
    header |= {"seed": seed, "deal": deal, "seating": seating, "variant": variant.name, "behaviour": game.behaviour}
    return header | {"components": variant.components}


def write_record(path: Path, games: Iterable[list[dict[str, Any]]], *, overwrite: bool = False) -> int:
    """Write games to a file atomically, or to a device or pipe as they come, and return their number.

    `-` is standard output. Only a record is replaced, unless `overwrite`.
    """
    check_replaceable(path, RECORD, "out", overwrite=overwrite)
    count = 0
    with open_atomically(path, lasting=True) as file:
        for lines in games:
            for line in lines:
                file.write(json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n")
            count += 1
    return count


def read_record(path: Path) -> Iterator[RecordedGame]:
    """Yield the games of a record."""
    yield from games_in(((number, _parsed(path, number, content)) for number, content in read_lines(path)), path)


def numbered_game(path: Path, number: int) -> RecordedGame:
    """Return a game of a record by its number, from 1."""
    game = next(islice(read_record(path), number - 1, None), None)
    if game is None:
        raise ArgumentError("game", f"{path} holds {sum(1 for _ in read_record(path))} games, got {number}")
    return game


def games_in(lines: Iterable[tuple[int, Any]], place: object) -> Iterator[RecordedGame]:
    """Yield the games of a record from its numbered lines; errors begin with `place`."""
    game: RecordedGame | None = None
    for number, line in lines:
        where = f"{place}: line {number}"
        if not isinstance(line, dict) or not isinstance(line.get("type"), str):
            raise InputError(f"{where}: expected an object with a type, got {short_repr(line)}")
        if line["type"] == "game":
            if game is not None:
                yield game
            check_header(line, where)
            game, limit = RecordedGame(line, number, place=place), load_game(line["game"]).journal_rows
        elif game is None:
            raise InputError(f"{place}: line 1: expected a line of type game, got {short_repr(line['type'])}")
        elif len(game.events) == limit:
            raise InputError(f"{where}: no game of {game.header['game']} has more than {limit:,} lines")
        else:
            game.events.append((number, line))
    if game is None:
        raise InputError(f"{place}: holds no game")
    yield game


def _parsed(path: Path, number: int, content: bytes) -> Any:
    if content.isspace():
        raise InputError(f"{path}: line {number}: a blank line inside the record; remove it")
    try:
        return parse_json(content)
    except ValueError as error:
        torn = "" if content.endswith(b"\n") else " (the file ends in the middle of a line)"
        raise InputError(f"{path}: line {number}: not a line of JSON: {error}{torn}") from None


def check_header(header: dict[str, Any], where: str) -> None:
    """Check every key of a `game` line, those of its components as in a study; raise InputError if one is invalid.

    Missing keys of a section of the components are added with the values of `base`; see `variants.from_components`.
    """
    if header.get("format") != FORMAT:
        raise InputError(f"{where}: format: expected {FORMAT!r}, got {short_repr(header.get('format'))}")
    parsed: _Header = converted(header, _Header, where)
    players = parsed.players
    try:
        game = as_argument_error("game", load_game, parsed.game)
        if players not in game.player_counts:
            raise InputError(f"players: {game.name} takes {game.player_count_text}, got {players}")
        if len(parsed.agents) != players:
            raise InputError(f"agents: expected {players} names, got {len(parsed.agents)}")
        for name in parsed.agents:
            if not name.isprintable():
                raise InputError(f"agents: expected a name of printable characters, got {short_repr(name)}")
        if parsed.seating >= (seatings := factorial(players)):
            raise InputError(f"seating: {players} players have {seatings:,} seatings, got {parsed.seating}")
        variant = from_components(game, parsed.variant, parsed.components, "components")
        if parsed.without and len(parsed.without) != players:
            raise InputError(f"without: expected a list for each of {players} seats, got {len(parsed.without)}")
        if parsed.without:
            restricted(game, variant, dict(enumerate(parsed.without)))
        game.components_part.check_players(variant.components, players, "components")
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    header["components"] = variant.components


def verify_record(path: Path) -> int:
    """Replay every game through the plain-Python rules; return the number of games."""
    games = 0
    for game in read_record(path):
        game.check()
        games += 1
    return games


def reconstruct_actions(recorded: RecordedGame, table: Any, *, complete: bool = True) -> list[int]:
    """Return the actions of a recorded game in order; `table` is its Position as dealt.

    If it need not be `complete`, the record may stop at any decision: the actions end with the last that wrote a line.
    """
    lines = [event for _, event in recorded.events]
    furthest, fits = _agreement(table, lines, 0)
    stack = [(table, furthest)] if fits else []  # each with its number of matching lines, most last
    examined = 0
    while stack and examined < MAX_TRIED:
        position, matched = stack.pop()
        if matched == len(lines) and (position.over or not complete):
            return list(position.actions)
        branches = []
        # the stack pops its end: of equal matches the lowest action is tried first
        for action in reversed(position.legal):
            after = position.copy()
            after.play(action)
            matched_after, fits = _agreement(after, lines, matched)
            furthest = max(furthest, matched_after)
            if fits:
                branches.append((after, matched_after))
        examined += len(position.legal)
        stack += sorted(branches, key=lambda branch: branch[1])
    header = recorded.header
    described = f"the game of seed {header['seed']}, deal {header['deal']}, behaviour {table.game.behaviour}"
    line_numbers = [recorded.line, *(number for number, _ in recorded.events)]  # of the header, then of the events
    first_wrong = line_numbers[min(furthest + 1, len(lines))]
    if stack:
        why = f"its action is not found among {MAX_TRIED:,} positions that agree with the lines before"
        raise InputError(f"{recorded.place}: line {first_wrong}: {why}")
    behaviour = header.get("behaviour")
    note = "" if behaviour == table.game.behaviour else f" (it was recorded with behaviour {behaviour})"
    if furthest == len(lines):  # all of them follow, but the game writes more
        raise InputError(f"{recorded.place}: line {first_wrong}: the record ends here, but {described} continues{note}")
    raise InputError(f"{recorded.place}: line {first_wrong}: does not follow from {described}{note}")


def _agreement(table: Any, lines: Sequence[Mapping[str, Any]], matched: int) -> tuple[int, bool]:
    """Return how many lines of the table match the record (`matched` are known to), and whether none contradicts it."""
    events, rows = table.game.events, table.journal
    for line in events.EVENTS.to_lines(rows, table.variant.components, table.players, after=matched):
        if matched == len(lines) or any(lines[matched].get(key) != value for key, value in line.items()):
            return matched, False
        matched += 1
    following = lines[matched:]
    return matched, not following or all(_is_begun(line, following) for line in events.begun(rows, table.state[0]))


def _is_begun(begun: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the next line of the same type and player continues this partial line."""
    for line in lines:
        if all(line.get(key) == begun[key] for key in ("type", "player")):
            return all(key in line and _begins(line[key], value) for key, value in begun.items())
    return False


def _begins(recorded: Any, beginning: Any) -> bool:
    """Return whether a recorded value begins with that of an unfinished event; a list may be longer, not a tuple."""
    if not isinstance(beginning, list | tuple):
        return bool(recorded == beginning)
    if not isinstance(recorded, list) or len(recorded) < len(beginning):
        return False
    if type(beginning) is tuple and len(recorded) != len(beginning):
        return False
    return all(_begins(*pair) for pair in zip(recorded, beginning, strict=False))
