"""record, verify: games as JSON Lines."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from strozzi_sim.cli.show import Answer
from strozzi_sim.errors import ArgumentError, RuleViolation, pluralize

if TYPE_CHECKING:
    from strozzi_sim.game.variants import AnyVariant


def record(
    game: str, *, players: str | None = None, agents: str = "random", games: int = 1, deal: int | None = None, seating: int | None = None,
    seatings: str = "rotate", seed: int = 0, variant: "AnyVariant" = "base", study: str | Path = "", out: str | Path = "", json: bool = False,
) -> Answer:  # fmt: skip
    """Play games and write them down, one event a line.

    Example: strozzi record strozzi --players 4 --agents heuristic,random --games 10 --seed 7 --out games.jsonl

    Args:
        game: a game; `strozzi games` lists them
        players: player count; default: 4, or the fewest of the game
        agents: one line-up, separated by commas; seat i gets agent i mod k
        games: record deals 0 .. games-1 at one seating
        deal: record only this deal
        seating: number of the seating in the design; default: 0, with spread that of the deal
        seatings: the seating design: one, rotate, spread, all or latin
        seed: random seed, below 2^53
        variant: a variant of the game's components
        study: a study's TOML file that defines the variant
        out: file to write, - for standard output; default: <game>.jsonl
        json: print one JSON document and nothing else
    """
    from strozzi_sim.agent.names import game_named, one_variant
    from strozzi_sim.play.one_game import match_of
    from strozzi_sim.play.records import record_games, write_record
    from strozzi_sim.runtime.files import STANDARD_OUTPUT, open_descriptor, storage_errors
    from strozzi_sim.simulation.interrupts import stop_flag

    the_game = game_named(game)
    chosen = one_variant(the_game, "variant", variant, study)
    match, deals = match_of(the_game, players, agents, games, deal, seating, seatings, seed, chosen)
    path = Path(out or f"{game}.jsonl")
    with storage_errors(f"cannot write {path}"):
        to_output = open_descriptor(path) == STANDARD_OUTPUT
    if json and to_output:
        raise ArgumentError("out", f"{path}: it and --json both go to standard output; name a file")
    try:
        with stop_flag():
            written = write_record(path, record_games(match, deals, seating))
    except BrokenPipeError:  # as `| head` leaves it: enough was read
        return Answer(None)
    lines = [] if to_output else [f"{pluralize(written, 'game')} written to {path}"]
    return Answer({"out": str(path), "games": written, "seed": seed}, lines)


def verify(file: str | Path, *, json: bool = False) -> Answer:
    """Replay a record through the plain-Python rules; name the first line that breaks one.

    Example: strozzi verify games.jsonl

    Args:
        file: a record (JSON Lines)
        json: print one JSON document and nothing else
    """
    from strozzi_sim.play.records import verify_record

    document: dict[str, Any] = {"ok": True, "games": None, "line": None, "message": None}
    try:
        document["games"] = verify_record(Path(file))
    except RuleViolation as broken:
        if not json:
            raise RuleViolation(broken.line, broken.message, file) from None
        return Answer(document | {"ok": False, "line": broken.line, "message": broken.message}, code=1)
    return Answer(document, [f"{file}: {pluralize(document['games'], 'game')}, every line follows the rules"])
