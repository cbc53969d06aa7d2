"""play: a person at one seat, in the terminal."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from strozzi_sim.cli import options
from strozzi_sim.errors import AgentFault, InputError, in_ranges

if TYPE_CHECKING:
    from strozzi_sim.play.position import Position


def play(
    game: options.GameName,
    players: options.Players = "",
    agents: Annotated[
        str,
        typer.Option(
            help="the agents of the other seats in turn order, separated by commas; agent i mod k; default: the game's own"
        ),
    ] = "",
    seat: Annotated[int, typer.Option(help="your seat; seat 0 starts")] = 0,
    seed: options.Seed = 0,
    deal: Annotated[int, typer.Option(help="number of the deal")] = 0,
    variant: options.VariantName = "base",
    study: options.StudyFile = None,
) -> None:
    """Play a game yourself against agents; choose by typing a name.

    Example: strozzi play strozzi --players 4 --agents heuristic --seat 1
    """
    from strozzi_sim.games import load_game
    from strozzi_sim.kernel.worker import prints_to_stderr
    from strozzi_sim.play.position import Position

    the_game = load_game(game)
    count = options.one_player_count(players, the_game)
    options.check_range("--seat", seat, 0, count - 1)
    options.check_range("--deal", deal, 0, 2**53 - 1)
    options.check_seed(seed)
    agents = agents or the_game.standard_agent
    others = options.parse_lineup(agents, the_game, count - 1)
    for spec in others:
        if not spec.agent.plays(the_game, count):
            raise InputError(f"--agents: {spec.text!r} does not play {game} with {count} players")
    chosen = options.find_variant(the_game, variant, study)
    others, notes = options.in_counts(others, the_game, [count], chosen)
    options.tell(notes)
    foreign = dict.fromkeys(spec.text for spec in others if spec.foreign)
    if foreign:
        options.say(
            f"{', '.join(foreign)} plays in this process: it cannot be stopped if it hangs, and it ends with this command"
        )
    table = Position(the_game, count, seed=seed, deal=deal, variant=chosen)
    seated = [others[k % len(others)] for k in range(count - 1)]
    seated.insert(seat, seated[0])
    names = [spec.text for spec in seated]
    names[seat] = "you"
    events = the_game.events
    told = 0
    while True:
        lines = table.lines(seat)
        for line in lines[told:]:
            print(events.describe(line, names, table.variant.components))
        told = len(lines)
        if table.over:
            break
        if table.actor == seat:
            if not _ask_person(table, names, seat):
                print("\nYou left the table.")
                return
            continue
        with prints_to_stderr():
            action = table.ask(seated[table.actor])
        if action not in table.legal:
            raise AgentFault(
                f"agent {names[table.actor]!r} at seat {table.actor} chose the illegal action {action} (seed {seed}, deal {deal}); "
                f"replay: strozzi play {game} --players {count} --agents '{agents}' --seat {seat} --seed {seed} --deal {deal}"
            )
        table.play(action)
    print(f"\n{table.text(seat, names)}\n\n{outcome_words(table, names, seat)}")


def outcome_words(table: "Position", names: list[str], seat: int) -> str:
    """Who wins with how much, by name and seat, and how the person did."""
    places, scores = [1 + sum(other < own for other in table.places) for own in table.places], table.scores
    winners = [other for other, place in enumerate(places) if place == 1]
    who = " and ".join(f"{names[other]} (seat {other})" for other in winners)
    if winners[0] == seat:
        who = who[:1].upper() + who[1:]
    verb = "share the win" if len(winners) > 1 else "win" if winners == [seat] else "wins"
    won = f"{who} {verb} with {scores[winners[0]]}"
    if seat in winners:
        return f"{won}."
    verb = "share" if places.count(places[seat]) > 1 else "take"
    return f"{won}; you (seat {seat}) {verb} place {places[seat]} with {scores[seat]}."


def _ask_person(table: "Position", names: list[str], seat: int) -> bool:
    """Show the board and play what the person says; False if they quit."""
    choices, together = dict(zip(table.names, table.legal, strict=True)), table.together
    print(f"\n{table.text(seat, names)}\n\n{table.question}")
    while True:
        print(f"{_spoken(together or list(choices))} (or quit): ", end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            return False
        answer = line.strip().lower()
        matches = names_meant(answer, list(choices), together)
        if not answer or len(matches) != 1:
            several = answer and len(matches) > 1
            print(f"{line.strip()!r} " + (f"may be {_spoken(matches)}." if several else "is not a valid choice."))
            continue
        if matches[0] == "quit":
            return False
        table.play(choices[matches[0]])
        print()
        return True


def names_meant(answer: str, names: Sequence[str], together: Sequence[str]) -> list[str]:
    """The names, "quit" among them, that an answer may stand for: its beginning, or that of each thing chosen together."""
    from strozzi_sim.play.choosing import joined, words_of

    if not together:
        return _begun(answer, [*names, "quit"])
    words = [_begun(word, [*together, "quit"]) for word in words_of(answer)]
    for found in words:
        if len(found) != 1:
            return found
    chosen = [word for (word,) in words]
    if "quit" in chosen:
        return chosen if len(chosen) == 1 else []
    name = joined(chosen, together)
    return [name] if name in names else []


def _begun(answer: str, names: Sequence[str]) -> list[str]:
    """The names that an answer is, or else those that begin with it."""
    matches = [name for name in names if name.lower().startswith(answer)]
    return [name for name in matches if name.lower() == answer] or matches


def _spoken(names: Sequence[str]) -> str:
    """The choices in one line."""
    return " / ".join(in_ranges(names))


COMMANDS = {"play": play}
