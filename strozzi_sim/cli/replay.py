"""replay: a recorded game move by move, as a page with its table, or with an agent's analysis of each decision."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strozzi_sim.cli.explain import explained, header_words, wait_for_enter
from strozzi_sim.cli.show import Answer
from strozzi_sim.errors import ArgumentError, RuleViolation, check_range, pluralize

if TYPE_CHECKING:
    from strozzi_sim.play.records import RecordedGame


def replay(
    file: str | Path, *, game: int | None = None, html: str | Path = "", judge: str = "", redraws: int = 32, step: bool = False,
    explain: str = "", decision: int | None = None, seat: int | None = None, lines: int = 3, depth: int = 6, visits: int = 10,
    tree: str | Path = "",
) -> Answer:  # fmt: skip
    """Show a recorded game move by move, as a page with its table, or with an agent's analysis of each decision.

    Example: strozzi replay games.jsonl --html game.html

    Args:
        file: a record (JSON Lines)
        game: number of the game in the file, from 1; default: 1, for a folder of pages all
        html: write the table as a page, such as game.html; a folder such as games gets a page for every game
        judge: with --html: show each seat's expected share of the win, by this agent
        redraws: with --judge: draws of chance behind each figure
        step: show the board at every decision and wait for Enter
        explain: show this agent's analysis of each decision
        decision: explain only this decision, counted from 1
        seat: explain only the decisions of this seat
        lines: number of best lines of a search to show
        depth: maximum actions in a line and levels in a tree
        visits: minimum visits of an action shown in lines and trees
        tree: write the search trees to this file
    """
    from strozzi_sim.play.records import numbered_game

    check_range("game", 1 if game is None else game, 1, 1e12)
    check_range("redraws", redraws, 1, 10_000)
    if html:
        if explain or step:
            raise ArgumentError("html", f"leave out --{'explain' if explain else 'step'}; --judge AGENT judges a page")
        from strozzi_sim.cli.table_pages import write_tables

        written = write_tables(Path(file), Path(html), game, judge, redraws)
        return Answer(written, [f"{pluralize(len(written['pages']), 'page')} written: open {written['page']}"])
    if judge:
        raise ArgumentError("judge", "only valid with --html PAGE")
    recorded = numbered_game(Path(file), game or 1)
    if explain:
        return explained(
            recorded, str(file), explain, decision=decision, seat=seat, lines=lines, depth=depth, visits=visits, tree=tree, step=step,
        )  # fmt: skip
    for name, value in (("decision", decision), ("seat", seat), ("tree", tree or None)):
        if value is not None:
            raise ArgumentError(name, "only valid with --explain AGENT")
    return _moves(recorded, Path(file), step=step)


def _moves(recorded: "RecordedGame", file: Path, *, step: bool) -> Answer:
    """Return every event of a game in words, with the board after each round."""
    from strozzi_sim.game import load_game

    game = load_game(recorded.header["game"])
    components, names = recorded.header["components"], recorded.names
    try:  # of a game that breaks a rule nothing is shown
        game.verify.check_game(recorded.header, recorded.line, recorded.events)
    except RuleViolation as broken:
        raise RuleViolation(broken.line, broken.message, file) from None

    def steps() -> Iterator[tuple[Any, list[Any], list[str]]]:
        for position, new in game.verify.replay_game(recorded.header, recorded.line, recorded.events):
            yield position, new, [game.events.describe(line, names, components) for line in new]

    def shown() -> Iterator[str]:
        yield f"{header_words(recorded, game.title)}\n"
        for position, new, words in steps():
            yield from words
            if step or position.over or any(line["type"] == "round" for line in new):
                yield f"\n{game.view.render(position, components, names)}\n"
            if step and not position.over and wait_for_enter():
                return

    def document() -> dict[str, Any]:
        said = [word for *_, words in steps() for word in words]
        return {"header": recorded.header, "events": [event for _, event in recorded.events], "words": said}

    return Answer(document, shown())
