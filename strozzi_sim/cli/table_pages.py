"""replay --html: the table of a recorded game as a page, or of all games of a file as a folder of pages."""

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strozzi_sim.errors import ArgumentError, RuleViolation, as_argument_error, pluralize

if TYPE_CHECKING:
    from strozzi_sim.play.analyse import GameAnalysis
    from strozzi_sim.play.next_draws import Outcome
    from strozzi_sim.play.records import RecordedGame

MAX_PAGES = 1_000


def write_tables(file: Path, html: Path, game: int | None, judge: str, redraws: int) -> dict[str, Any]:
    """Write the page of a game, or a folder with a page for each game and a list; return what was written.

    Args:
        file: the record.
        html: a file ending in .html or .htm, else a folder.
        game: number of the game; default: all games of a folder, the first for a file.
        judge: an agent that evaluates positions, "" for none.
        redraws: draws behind each of its figures.

    Raises:
        InputError: an invalid record or option.
        RuleViolation: a line of the record breaks a rule.
        StorageError: a page cannot be written.
    """
    from strozzi_sim.play.records import read_record
    from strozzi_sim.report.replay import list_page, replay_page, write_page
    from strozzi_sim.runtime.files import storage_errors

    one = html.suffix.lower() in (".html", ".htm")
    first = game or 1
    stop = first if one or game else MAX_PAGES
    found = enumerate(islice(read_record(file), first - 1, stop), first)
    pages: list[str] = []
    listed: list[tuple[str, str, str]] = []
    if not one and html.is_file():
        raise ArgumentError("html", f"{html} is a file; name a page that ends in .html, or a folder")
    for number, recorded in found:
        page, heading = replay_page(recorded, *_judged(recorded, file, judge, redraws))
        if not one and not pages:
            with storage_errors(f"cannot write {html}"):
                html.mkdir(parents=True, exist_ok=True)
        path = html if one else html / f"game-{number}.html"
        write_page(path, page)
        header = recorded.header
        pages.append(str(path))
        about = f"seed {header['seed']}, deal {header['deal']}; {', '.join(recorded.names)}"
        listed.append((path.name, f"Game {number}: {heading}", about))
    if not pages:
        raise ArgumentError("game", f"{file} holds {pluralize(sum(1 for _ in read_record(file)), 'game')}, got {game}")
    if not one:
        write_page(html / "index.html", list_page(f"{pluralize(len(pages), 'game')} of {file.name}", listed))
    return {"pages": pages, "page": str(html if one else html / "index.html")}


def _judged(
    recorded: "RecordedGame", file: Path, judge: str, redraws: int
) -> "tuple[GameAnalysis | None, dict[int, list[Outcome]]]":
    """Check a game against the rules; return its analysis and what could have come, if a judge is named."""
    from strozzi_sim.game import load_game
    from strozzi_sim.play.analyse import analyse_game, find_judge
    from strozzi_sim.play.next_draws import outcomes_of_game
    from strozzi_sim.play.position import Position
    from strozzi_sim.play.reconstruct import reconstruct_actions, recorded_deal
    from strozzi_sim.table.plain import table_of

    try:
        load_game(recorded.header["game"]).verify.check_game(recorded.header, recorded.line, recorded.events)
    except RuleViolation as broken:
        raise RuleViolation(broken.line, broken.message, file) from None
    if not judge:
        return None, {}
    dealt = Position(**recorded_deal(recorded, str(file)))
    spec = as_argument_error("judge", find_judge, judge, dealt.game, dealt.players, dealt.variant)
    actions = reconstruct_actions(recorded, dealt, str(file))
    namer = table_of(dealt.game, recorded.header)
    return analyse_game(dealt.copy(), actions, spec, redraws), outcomes_of_game(dealt.copy(), actions, spec, namer)
