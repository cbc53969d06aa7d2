"""simulate, and the command balance: play games and count what happens in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strozzi_sim.game.contract import Game
    from strozzi_sim.simulation.seatings import Design
    from strozzi_sim.studies.lookup import Folder, Lineup, Players, Variants
    from strozzi_sim.studies.progress import ProgressOption
    from strozzi_sim.studies.results import Results


def simulate(
    game: str | Game,
    players: Players = None,
    agents: Lineup = (),
    deals: int | None = None,
    seatings: Design = "rotate",
    variant: Variants = "base",
    seed: int = 0,
    workers: int | None = None,
    facts: Sequence[str] = (),
    *,
    precision: float | None = None,
    search_deals: int | None = None,
    luck: str = "",
    luck_redraws: int | None = None,
    heatmaps: Sequence[str | Mapping[str, str]] = (),
    folder: Folder = None,
    progress: ProgressOption = None,
    name: str = "simulate",
) -> Results:
    """Play games and count what happens in them.

    Args:
        game: a name (see `games`) or a Game.
        players: player counts: 4, 3-6 or 3,5; default: 4, or the game's minimum
        agents: one line-up, separated by commas; one agent = self-play; seat i gets agent i mod k; `tiers`: the game's agents of each
            strength by themselves; one that searches only with search_deals, or deals enough for a share of wins to 4 points
        deals: deals for every cell; default: 5,000, of `tiers` 14,000 shared by the player counts, or as many as the precision takes
        precision: play until shares of wins are known to within +- these points, and at most deals
        search_deals: deals of line-ups with an agent that searches; default: as the others, with `tiers` a fraction or none
        luck: an agent that evaluates positions, such as learned: takes the luck of chance out of every figure, as one more row
        luck_redraws: number of redraws of each chance event, which measure its luck; default: 8
        seatings: one, rotate, spread (each deal once, seatings in turn), all or latin
        variant: a variant, or several: a name, or changes as in a study's file under a new name,
            {"rich": {"tracks": {"bonus": {7: 10}}}}
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        facts: fact tables whose rows are kept; see `Results.facts`.
        heatmaps: additional heat maps: names of the game's, or for a custom one the keys of `[[heatmap]]` in
            a study's file, such as {"rows": "seat", "columns": "round", "fact": "round"}. Table and picture are called
            heat_<name>; of a map without a name the rest makes one.
        folder: keep everything in this folder, with a report; default: only print
        progress: True or False to show a progress bar, or a `Progress` with callbacks; default: only in a terminal or notebook.
        name: name of the study.

    Raises:
        InputError: an invalid argument; names it.
        StorageError, AgentFault, Interrupted: as `run`.

    >>> import strozzi_sim as ss
    >>> results = ss.simulate("strozzi", players=3, agents=["heuristic", "random", "random"], deals=100)
    >>> results.tables["lineup"].query("figure == 'win_share' and position == 0")["value"].item() > 0.6
    True
    """
    from strozzi_sim.errors import ArgumentError, short_repr
    from strozzi_sim.game.custom_heatmaps import split_maps
    from strozzi_sim.studies.study import lineup_study, run

    if not isinstance(facts, Iterable):
        raise ArgumentError("facts", f"expected names of fact tables, got {short_repr(facts)}")
    shipped, own = split_maps(heatmaps)
    kept: dict[str, Any] = {
        "precision": precision,
        "luck": luck,
        "facts": [facts] if isinstance(facts, str) else list(facts),
        "heatmaps": shipped,
        "own_maps": own,
        "explorer": folder is not None,  # of the page that is written there
    }
    if luck_redraws is not None:
        kept["luck_redraws"] = luck_redraws
    if search_deals is not None:
        kept["search_deals"] = search_deals
    study = lineup_study(name, game, players, agents, deals, seatings, variant, seed, **kept)
    return run(study, folder, workers, progress)
