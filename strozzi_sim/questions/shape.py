"""shape: how long and how wide is a game, and how fast is it here?"""

from __future__ import annotations

from time import monotonic, process_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strozzi_sim.game.contract import Game
    from strozzi_sim.game.variants import AnyVariant, Variant
    from strozzi_sim.studies.lookup import Players
    from strozzi_sim.studies.progress import ProgressOption
    from strozzi_sim.studies.results import Results

EXAMPLE = "strozzi shape strozzi --players 3-6"
_SECONDS = 0.1  # of play that games_per_s is measured over


def shape(
    game: str | Game,
    players: Players = None,
    deals: int = 1000,
    variant: AnyVariant = "base",
    seed: int = 0,
    *,
    progress: ProgressOption = None,
) -> Results:
    """Measure a game's size by random play: decisions, legal actions, game tree, bytes of state, games per second.

    Args:
        game: a name or a Game
        players: player counts: 4, 3-6 or 3,5; default: all that the game allows
        deals: games for each player count
        variant: variant of the game's components
        seed: random seed, below 2^53
        progress: as in `simulate`

    Returns:
        Table shape with the key players and the figures decisions_mean and choices_mean (per decision; forced moves are no
        decisions), choices_max, tree_log10_mean (digits of the number of lines of play, had every line the choices of this
        one), actions, state_bytes, observation_size, and games_per_s (one core of this machine; not reproducible).

    Raises:
        InputError: an invalid argument; names it.

    >>> import strozzi_sim as ss
    >>> table = ss.shape("medici_vs_strozzi", deals=50).tables["shape"].set_index("figure")["value"]
    >>> bool(table["choices_mean"] > 2), int(table["state_bytes"])
    (True, 272)
    """
    import numpy as np
    import pandas as pd

    from strozzi_sim.errors import check_whole
    from strozzi_sim.game import find_game
    from strozzi_sim.simulation.vector import VectorEnv
    from strozzi_sim.stats.intervals import ratio
    from strozzi_sim.studies.lookup import find_players, find_variants
    from strozzi_sim.studies.results import Results

    game, began, rows = find_game(game), monotonic(), []
    counts, (played,) = find_players(game, "all" if players is None else players), find_variants(game, variant)
    check_whole("deals", deals, 1, 2**20)
    for count in counts:
        env = VectorEnv(game, count, deals, variant=played)
        step, most, playing = env.reset(seed), 0, np.ones(deals, bool)
        sums = np.zeros((4, deals))  # games, decisions, choices, digits of the tree
        while playing.any():
            choices = step.info.num_legal
            sums += np.where(playing, (playing * 0, playing, choices, np.log10(choices)), 0)
            most = max(most, int(choices[playing].max()))
            step = env.step(env.random_actions())
            playing &= ~step.done
        sums[0] = 1
        games, decisions, choices, digits = np.add.reduceat(sums, np.arange(0, deals, -(-deals // 200)), axis=1)
        means = {
            "decisions_mean": ratio(decisions, games),
            "choices_mean": ratio(choices, decisions),
            "tree_log10_mean": ratio(digits, games),
        }
        sizes = {"choices_max": most, "actions": game.actions - 1, "state_bytes": game.state.itemsize,
                 "observation_size": env.slices.size, "games_per_s": _games_per_second(game, count, played)}  # fmt: skip
        rows += [(count, name, *map(float, (each.value, each.low, each.high)), deals) for name, each in means.items()]
        rows += [(count, name, float(size), np.nan, np.nan, deals) for name, size in sizes.items()]
    plan = {"game": game.name, "players": list(counts), "deals": deals, "seed": seed, "variant": played.name}
    table = pd.DataFrame(rows, columns=["players", "figure", "value", "low", "high", "n"])
    return Results(plan, {"shape": table}, deals * len(counts), deals * len(counts), round(monotonic() - began, 3))


def _games_per_second(game: Game, players: int, variant: Variant) -> float:
    """Return the games per second of random play on one core."""
    from strozzi_sim.agent import load_agent
    from strozzi_sim.simulation.match import Match

    match, games, seconds = Match(game, players, (load_agent("random", game),), variant, 0), 128, 0.0
    match.warm()
    while seconds < _SECONDS:
        games, began = 2 * games, process_time()
        match.play(0, games)
        seconds = process_time() - began
    return games / seconds
