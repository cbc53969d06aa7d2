"""`check_agent`: check the agent contract on games that the agent plays against itself."""

from collections.abc import Sequence

from strozzi_sim.agent import AnyAgent
from strozzi_sim.agent.names import agents_named
from strozzi_sim.conformance.deal import dependent_deal
from strozzi_sim.errors import ContractViolation
from strozzi_sim.game import find_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import BASE, Variant, resolve_variant
from strozzi_sim.play.leak_check import LeakVerdict, check_leaks
from strozzi_sim.simulation.match import Match


def check_agent(
    agent: AnyAgent,
    game: str | Game,
    *,
    variant: str | Variant = BASE,
    players: Sequence[int] | None = None,
    deals: int = 2,
    seed: int = 0,
) -> LeakVerdict:
    """Check that an agent plays legally, uses only its seat's knowledge, and has one result per deal.

    Args:
        agent: spec string, or an agent declared in code.
        game: name or Game.
        variant: name of a shipped variant, or a Variant made in code; default: base.
        players: player counts, without those that the agent does not play; default: all of the game.
        deals: number of deals per player count.
        seed: seed of the deals.

    Returns:
        the LeakVerdict, with the number of decisions checked.

    Raises:
        ContractViolation: a choice depends on more than its seat knows, or a non-batch agent's result on other deals.
        AgentFault: the agent failed, or chose an illegal action.
        InputError: an unknown name, or an agent that plays none of these player counts.

    >>> check_agent("random", "strozzi", players=[3], deals=1).leak is None
    True
    """
    game = find_game(game)
    (spec,) = agents_named(game, [agent], "agent")
    chosen, counts = resolve_variant(game, variant), players or game.player_counts
    result = check_leaks(spec, game, chosen, players=counts, deals=deals, seed=seed)
    if (leak := result.leak) is not None:
        where = f"{game.name}, {leak.players} players, seed {leak.seed}, deal {leak.deal}"
        where = f"{where}, decision {leak.decision}, seat {leak.seat}"
        what = f"it chose {leak.action!r}, but {leak.moved_to!r} after a change of {leak.changed}"
        raise ContractViolation("leak-check", f"agent {spec.text}: leak-check: {what} ({where})")
    for count in counts:
        if not spec.agent.plays(game, count) or spec.agent.kind == "batch":  # rows of a batch may depend on each other
            continue
        if (deal := dependent_deal(Match(game, count, (spec,), chosen, seed), deals)) is not None:
            promise, where = "one result per deal", f"{game.name}, {count} players, seed {seed}"
            what = f"deal {deal} ends differently alone than among other deals"
            raise ContractViolation(promise, f"agent {spec.text}: {promise}: {what} ({where})")
    return result
