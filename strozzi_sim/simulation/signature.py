"""The signature of a game: one number over games of all built-in agents, equal on machines that play equally.

Machines compare it before they share a study. Another processor, library or version could round differently and choose
another move; results would then depend on which machine played which chunk.
"""

import hashlib
import json
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

from strozzi_sim.agent import AgentSpec, agent_names, load_agent
from strozzi_sim.errors import StorageError
from strozzi_sim.game import load_game
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import BASE, resolve_variant
from strozzi_sim.runtime.cache import cache_root, folder_of
from strozzi_sim.runtime.files import write_atomically
from strozzi_sim.simulation.match import Match

DEALS, SEARCH_DEALS = 20, 1  # of an agent that answers at once, and of one that searches
BUDGET = 16  # of an agent that searches, for each decision
SEED = 20_081_024
STORED = "signatures.json"  # in the root of the cache: folder of compiled code -> signature


def signature(game: str) -> str:
    """Return the signature of a game, 16 hexadecimal digits, and store it for `known_signature`.

    Every built-in agent plays itself, and a table with the game's default agent, at the smallest and the largest player
    count; all facts of the game's report are counted.

    Raises:
        InputError: there is no such game.
    """
    found = _signature(game)
    stored = _stored()
    if stored.get(folder_of(game).name) != found:
        with suppress(StorageError):  # it is computed again
            write_atomically(_file(), json.dumps({**stored, folder_of(game).name: found}).encode())
    return found


def known_signature(game: str) -> str | None:
    """Return the signature of a game if this machine has computed it with these versions, else None."""
    return _stored().get(folder_of(game).name)


@cache
def _signature(game: str) -> str:
    the_game = load_game(game)
    variant = resolve_variant(the_game, BASE)
    rival = load_agent(the_game.default_agent, the_game)
    facts = tuple(the_game.report.crosstabs(the_game.report.PAGES)) if the_game.facts else ()
    whole = hashlib.sha256(f"{game} {the_game.behaviour}".encode())
    for players in sorted({the_game.player_counts[0], the_game.player_counts[-1]}):
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
        if spec.builtin and not spec.missing and spec.agent.plays(game, players):
            budgets = [key for key in ("iterations", "playouts") if key in spec.values]
            found.append(spec.with_values(dict.fromkeys(budgets, BUDGET)) if budgets else spec)
    return found


def _file() -> Path:
    return cache_root() / STORED


def _stored() -> dict[str, str]:
    try:
        found = json.loads(_file().read_bytes())
    except (OSError, ValueError):
        return {}
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}
