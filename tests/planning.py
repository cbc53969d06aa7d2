"""Tournaments, comparisons and ladders from names, planned and not played."""

from strozzi_sim.studies.compare import plan_agents, plan_variants
from strozzi_sim.studies.ladder import Climb, find_budgets, plan_ladder
from strozzi_sim.studies.names import find_agents, find_variants
from strozzi_sim.studies.plan import Extent
from strozzi_sim.studies.tournament import Sample, plan_tournament


def tournament_of(game, agents, *, players, deals, seatings="latin", seed=0, variants=("base",), **sample):
    extent = Extent(players, deals, seatings, seed)
    return plan_tournament(game, find_agents(agents, game), extent, find_variants(game, variants), Sample(**sample))


def comparison_of(game, first, second, *, against, players, deals):
    (base,) = find_variants(game, "base")
    return plan_agents(
        game, find_agents([first, second], game), find_agents(against, game), Extent(players, deals), base
    )


def variants_of(game, first, second, *, agents, players, deals):
    return plan_variants(game, find_variants(game, [first, second]), find_agents(agents, game), Extent(players, deals))


def ladder_of(game, agent, *, param, start, steps, players, deals):
    (spec,), (base,) = find_agents([agent], game), find_variants(game, "base")
    budgets = find_budgets(spec, Climb(param, start, steps))
    return plan_ladder(game, spec, param, budgets, Extent([players], deals), base)
