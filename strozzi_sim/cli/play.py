"""play: a human player at one seat, in the terminal or in the browser."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from strozzi_sim.cli.at_table import Person
from strozzi_sim.cli.records import analysis_lines
from strozzi_sim.errors import AgentFault, ArgumentError, InputError, Stopped, as_argument_error, check_range

if TYPE_CHECKING:
    from strozzi_sim.agent import AgentSpec
    from strozzi_sim.game.contract import Game
    from strozzi_sim.game.variants import AnyVariant, Variant
    from strozzi_sim.play.position import Position
    from strozzi_sim.web.session import Sitting


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
    from strozzi_sim.agent import seat_others
    from strozzi_sim.agent.names import agents_named, game_named, one_count, one_variant
    from strozzi_sim.game.sentences import YOU
    from strozzi_sim.play.analyse import analyse_game, find_judge
    from strozzi_sim.play.position import Position
    from strozzi_sim.runtime.workers import stdout_to_stderr
    from strozzi_sim.web.session import Sitting

    the_game = game_named(game)
    count = one_count(the_game, players)
    check_range("seat", seat, 0, count - 1)
    check_range("deal", deal, 0, 2**53 - 1)
    check_range("seed", seed, 0, 2**53 - 1)
    others = agents_named(the_game, agents or the_game.default_agent, counts=[count])
    if len(others) > count - 1:
        raise ArgumentError("agents", f"{len(others)} agents for {count - 1} seats; give at most {count - 1}")
    chosen = one_variant(the_game, "variant", variant, study)
    judging = as_argument_error("judge", find_judge, judge, the_game, count, chosen) if judge else None
    if foreign := dict.fromkeys(spec.text for spec in others if spec.foreign):
        print(
            f"{', '.join(foreign)} plays in this process: it cannot be stopped if it hangs, and it ends with this command",
            file=sys.stderr,
        )
    seated = seat_others(others, count, seat)
    if web:
        judging = judging or _default_judge(the_game, count, chosen)
        given = Sitting(the_game, chosen, count, seed, deal, seat, seated, _hinting(hint, the_game, count), judging)
        _serve(given, port, Path(out) if out else None)
        return
    for option, value in (("hint", hint), ("port", port), ("out", out)):
        if value:
            raise ArgumentError(option, "only valid with --web")
    table = Position(the_game, count, seed=seed, deal=deal, variant=chosen)
    names = [spec.text for spec in seated]
    names[seat] = YOU
    person = Person(table, names, seat)
    print("Type ? at any question for help.")
    while True:
        person.hear()
        if table.over:
            break
        if table.actor == seat:
            if not person.decide():
                print("\nYou left the table.")
                return
            continue
        with stdout_to_stderr():
            action = table.ask(seated[table.actor])
        if action not in table.legal:
            raise AgentFault(
                f"agent {names[table.actor]!r} at seat {table.actor} chose the illegal action {action} (seed {seed}, deal {deal}); "
                f"replay: strozzi play {game} --players {count} --agents '{agents or the_game.default_agent}' --seat {seat} --seed {seed} --deal {deal}"
            )
        table.play(action)
    person.show_table()
    print(f"\n{outcome_words(table, names, seat)}")
    if judging is not None:
        dealt = Position(the_game, count, seed=seed, deal=deal, variant=chosen)
        print()
        print(*analysis_lines(analyse_game(dealt, table.actions, judging, names=names)), sep="\n")


def _serve(sitting: "Sitting", port: int, out: Path | None) -> None:
    """Print the address of the page, and serve it until the process is interrupted.

    Raises:
        InputError: the port is out of range, or cannot be listened on.
        StorageError: the record cannot be written to `out`.
    """
    from strozzi_sim.play.records import write_record
    from strozzi_sim.web.ending import Ending
    from strozzi_sim.web.server import TableServer, port_error
    from strozzi_sim.web.session import Session

    check_range("port", port, 0, 65_535)
    if out is not None and not out.exists():
        write_record(out, [])  # an unwritable place is an error before the game
    ending = Ending(out)
    try:
        server = TableServer(Session(sitting, ending.add), ending, port)
    except OSError as error:
        raise port_error(port, error) from error
    with server:
        print(f"Open {server.address}\nCtrl+C ends the table.", flush=True)
        try:
            server.serve_forever()
        except (KeyboardInterrupt, Stopped):
            print("The table is closed.")


def _hinting(text: str, game: "Game", players: int) -> str:
    """Return the agent that gives hints: by default the game's search tier.

    Raises:
        InputError: no such agent, or it does not play this game and player count.
    """
    from strozzi_sim.agent import check_lineup, load_agent

    spec = as_argument_error("hint", load_agent, text or game.tiers.get("search", game.default_agent), game)
    as_argument_error("hint", check_lineup, [spec], game, players)
    return spec.text


def _default_judge(game: "Game", players: int, variant: "Variant") -> "AgentSpec | None":
    """Return the agent that judges games in the browser if none is named, None where there is none."""
    from strozzi_sim.play.analyse import find_judge

    try:
        return find_judge(game.tiers.get("learned", "learned"), game, players, variant)
    except InputError:  # no such agent, or it does not evaluate positions of this game
        return None


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
