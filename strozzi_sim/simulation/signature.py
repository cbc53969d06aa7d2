"""The signature of a game: one number over games of all built-in agents, equal on machines that play equally.

Machines compare it before they share a study. Another processor, library or version could round differently and choose
another move; results would then depend on which machine played which chunk.
"""

import hashlib
from functools import cache

import numpy as np

from strozzi_sim.agent import AgentSpec, Seconds, agent_names, load_agent
from strozzi_sim.game import load_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import BASE, resolve_variant
from strozzi_sim.simulation.match import Match

DEALS, SEARCH_DEALS = 40, 1  # of an agent that answers at once, and of one that searches
BUDGET = 24  # of an agent that searches, for each decision
SEED = 20_081_024


@cache
def signature(game: str) -> str:
    """Return the signature of a game, 16 hexadecimal digits.

    Every built-in agent plays itself, and a table with the game's default agent, at the smallest and the largest player count; with
    the first agent all facts of the game's report are counted too.

    Raises:
        InputError: there is no such game.
    """
    the_game = load_game(game)
    variant = resolve_variant(the_game, BASE)
    counts = sorted({the_game.player_counts[0], the_game.player_counts[-1]})
    whole = hashlib.sha256(f"{game} {the_game.behaviour}".encode())
    for players in counts:
        rival = load_agent(the_game.default_agent, the_game)
        facts = tuple(the_game.report.crosstabs(the_game.report.PAGES)) if the_game.facts else ()
        for spec in builtin_agents(the_game, players):
            deals = SEARCH_DEALS if spec.searches else DEALS
            for lineup in dict.fromkeys([(spec,), (spec, rival)]):
                match = Match(the_game, players, lineup, variant, SEED)
                played = match.play(0, deals, plan=match.plan(facts) if facts else None, rows=True)
                for part in (played.outcome, played.counts, played.rows):
                    whole.update(np.ascontiguousarray(part).tobytes())
    return whole.hexdigest()[:16]


def builtin_agents(game: Game, players: int) -> list[AgentSpec]:
    """Return the built-in agents that play a game with this number of players; those that search have a small budget."""
    found = []
    for name in agent_names(game):
        spec = load_agent(name, game)
        if spec.builtin and spec.agent.plays(game, players):
            budgets = [param.of for param in spec.agent.params.values() if isinstance(param, Seconds)]
            found.append(spec.with_values(dict.fromkeys(budgets, BUDGET)) if budgets else spec)
    return found
