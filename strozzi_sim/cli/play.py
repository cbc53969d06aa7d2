"""play: a human player at one seat, in the terminal or in the browser."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from strozzi_sim.cli.at_table import Person
from strozzi_sim.cli.records import analysis_lines
from strozzi_sim.errors import AgentFault, ArgumentError, InputError, Stopped, as_argument_error, check_range

if TYPE_CHECKING:
    from strozzi_sim.agent import AgentSpec
    from strozzi_sim.game.variants import AnyVariant
    from strozzi_sim.play.position import Position


def play(
    game: str, *, players: str | None = None, agents: str = "", seat: int = 0, seed: int = 0, deal: int = 0, variant: "AnyVariant" = "base",
    study: str | Path = "", judge: str = "", web: bool = False, hint: str = "", port: int = 0, out: str | Path = "",
) -> None:  # fmt: skip
    """Play a game yourself against agents, in the terminal (type a name, or ? for help) or in the browser.

    Example: strozzi play strozzi --players 4 --agents heuristic --seat 1 --web

    Args:
        game: a game; `strozzi games` lists them
        players: player count; default: 4, or the fewest of the game
        agents: the agents of the other seats in turn order after yours, separated by commas; agent i mod k; default: the game's own
        seat: your seat; seat 0 starts
        seed: random seed, below 2^53
        deal: number of the deal
        variant: a variant of the game's components
        study: a study's TOML file that defines the variant
        judge: an agent that evaluates positions, such as learned: afterwards, what each decision cost; default with --web: learned, where
            it does
        web: play in the browser, on this machine alone
        hint: with --web: the agent that gives hints; default: the game's search agent
        port: with --web: port of 127.0.0.1 to listen on; default: a free one
        out: with --web: write the record of each finished game
    """
    from strozzi_sim.agent import check_lineup, load_agent, seat_others
    from strozzi_sim.agent.names import agents_named, game_named, one_count, one_variant
    from strozzi_sim.game.sentences import YOU
    from strozzi_sim.play.analyse import analyse_game, find_judge
    from strozzi_sim.play.position import Position
    from strozzi_sim.runtime.workers import stdout_to_stderr

    the_game = game_named(game)
    count = one_count(the_game, players)
    check_range("seat", seat, 0, count - 1)
    agents = agents or the_game.default_agent
    others = agents_named(the_game, agents, counts=[count])
    if len(others) > count - 1:
        raise ArgumentError("agents", f"{len(others)} agents for {count - 1} seats; give at most {count - 1}")
    table = Position(the_game, count, seed, deal, one_variant(the_game, "variant", variant, study))
    judging = as_argument_error("judge", find_judge, judge, the_game, count, table.variant) if judge else None
    if foreign := dict.fromkeys(spec.text for spec in others if spec.foreign):
        words = "plays in this process: it cannot be stopped if it hangs, and it ends with this command"
        print(f"{', '.join(foreign)} {words}", file=sys.stderr)
    seated = seat_others(others, count, seat)
    if web:
        if judging is None:
            with suppress(InputError):  # no such agent, or it does not evaluate positions of this game
                judging = find_judge(the_game.tiers.get("learned", "learned"), the_game, count, table.variant)
        hint = hint or the_game.tiers.get("search", the_game.default_agent)
        hinting = as_argument_error("hint", load_agent, hint, the_game)
        as_argument_error("hint", check_lineup, [hinting], the_game, count)
        _serve(table, seat, seated, hinting.text, judging, port, Path(out) if out else None)
        return
    for option, value in (("hint", hint), ("port", port), ("out", out)):
        if value:
            raise ArgumentError(option, "only valid with --web")
    names, dealt = [YOU if each == seat else spec.text for each, spec in enumerate(seated)], table.copy()
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
                table.play(table.ask(seated[table.actor]))
        except AgentFault as fault:
            again = f"--players {count} --agents '{agents}' --seat {seat} --seed {seed} --deal {deal}"
            raise AgentFault(f"{fault}; replay: strozzi play {game} {again}") from fault
    person.hear()
    person.show_table()
    print(f"\n{outcome_words(table, names, seat)}")
    if judging is not None:
        print()
        print(*analysis_lines(analyse_game(dealt, table.actions, judging, names=names)), sep="\n")


def _serve(
    table: "Position",
    seat: int,
    agents: Sequence["AgentSpec"],
    hint: str,
    judge: "AgentSpec | None",
    port: int,
    out: Path | None,
) -> None:
    """Print the address of the page, and serve it until the process is interrupted."""
    from strozzi_sim.play.records import write_record
    from strozzi_sim.web.ending import Ending
    from strozzi_sim.web.server import TableServer
    from strozzi_sim.web.session import Session, Sitting

    if out is not None and not out.exists():
        write_record(out, [])  # an unwritable place is an error before the game
    ending, places = Ending(out), (table.game, table.variant, table.players, table.seed, table.deal)
    session = Session(Sitting(*places, seat, agents, hint, judge), ending.add)
    with TableServer(session, ending, port) as server:
        print(f"Open {server.address}\nCtrl+C ends the table.", flush=True)
        try:
            server.serve_forever()
        except (KeyboardInterrupt, Stopped):
            print("The table is closed.")


def outcome_words(table: "Position", names: list[str], seat: int) -> str:
    """Return the winners with their scores, by name and seat, and the player's place."""
    from strozzi_sim.game.sentences import capitalized, listed, seat_name

    places, scores = [1 + sum(other < own for other in table.places) for own in table.places], table.scores
    winners = [other for other, place in enumerate(places) if place == 1]
    who = capitalized(listed([seat_name(names, other) for other in winners]) + " ").strip()
    verb = "share the win" if len(winners) > 1 else "win" if winners == [seat] else "wins"
    won = f"{who} {verb} with {scores[winners[0]]}"
    if seat in winners:
        return f"{won}."
    verb = "share" if places.count(places[seat]) > 1 else "take"
    return f"{won}; you {verb} place {places[seat]} with {scores[seat]}."
