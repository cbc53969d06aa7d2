"""fairness: may this agent see what it should not?"""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strozzi_sim.cli import options
from strozzi_sim.errors import about

if TYPE_CHECKING:
    from strozzi_sim.games.contract import Game
    from strozzi_sim.games.variants import Variant
    from strozzi_sim.play.fairness import Fairness, Leak
    from strozzi_sim.selfplay.rows import RowCheck


def fairness(
    game: options.GameName,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="the agent, by its spec string")],
    players: options.EveryPlayers = "",
    deals: Annotated[int, typer.Option(help="games at each player count")] = 5,
    seed: options.Seed = 0,
    variant: options.VariantName = "base",
    study: options.StudyFile = None,
    json: options.Json = False,
) -> int:
    """Does an agent's choice depend on what it must not know, or on more than its game? Exits with 1 if it does, and shows the decision.

    Example: strozzi fairness strozzi greedy:margin=4 --players 3-6 --deals 20
    """
    from strozzi_sim.agent import load_agent
    from strozzi_sim.games import load_game
    from strozzi_sim.play.fairness import check_fairness
    from strozzi_sim.selfplay.apart import ask_apart
    from strozzi_sim.selfplay.interrupts import stop_flag

    the_game = load_game(game)
    counts = options.parse_players(players, the_game)
    options.check_range("--deals", deals, 1, 1e9)
    options.check_seed(seed)
    chosen = options.find_variant(the_game, variant, study)
    (spec,), notes = options.in_counts([about("agent", load_agent, agent, the_game)], the_game, counts, chosen)
    with stop_flag():
        check = partial(check_fairness, players=counts, deals=deals, seed=seed)
        result: Fairness = ask_apart(check, spec, the_game, chosen, seed=seed)
    leak = result.leak
    names = [] if leak is None else _names(leak, the_game, chosen)
    if json:
        document: dict[str, Any] = {"ok": leak is None, "agent": spec.text, "game": the_game.name}
        document |= {"decisions": result.decisions, "leak": None}
        if result.rows is not None:
            document["row_independent"] = result.rows.independent
        if leak is not None:
            document["leak"] = {key: getattr(leak, key) for key in ("players", "seed", "deal", "decision", "seat")}
            document["leak"] |= {"action": names[0], "moved_to": names[1], "changed": leak.what}
        options.print_json(document, notes)
        return 0 if leak is None else 1
    options.tell(notes)
    if leak is None:
        print(f"{spec.text}: {result.decisions:,} decisions, none of them depends on what a seat must not know")
        if result.rows is not None:
            print(_rows_in_words(result.rows))
    else:
        view = the_game.view
        seen = view.view_of(leak.state[0], chosen.components, leak.seat)
        print(view.render(seen, chosen.components, [spec.text] * leak.players))
        print(f"\nSeat {leak.seat}: {view.question(seen, int(leak.state[0]['phase']))}")
        print(
            f"\n{spec.text} chose {names[0]!r}, but {names[1]!r} after a change of {leak.what}"
            f"\n({leak.players} players, seed {leak.seed}, deal {leak.deal}, decision {leak.decision})"
        )
    return 0 if leak is None else 1


def _rows_in_words(rows: "RowCheck") -> str:
    if rows.independent:
        return f"In batches: none of {rows.rows:,} decisions depends on its place in the batch or on the other rows."
    return (
        f"In batches: {rows.moved:,} of {rows.rows:,} decisions depend on their place in the batch or on the other rows. Studies "
        "repeat to the byte on one type of processor; a game played alone may differ from the same game in a study."
    )


def _names(leak: "Leak", game: "Game", variant: "Variant") -> list[str]:
    """Both choices in words; an illegal one by its number."""
    view = game.view
    seen = view.view_of(leak.state[0], variant.components, leak.seat)
    names = []
    for action in (leak.action, leak.moved_to):
        try:
            names.append(str(view.action_name(action, seen)))
        except IndexError:
            names.append(f"illegal action {action}")
    return names


COMMANDS = {"fairness": fairness}
