"""our_table: which strength of play fits the scores of real games?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strozzi_sim.game.contract import Game
    from strozzi_sim.game.variants import AnyVariant
    from strozzi_sim.studies.lookup import Folder
    from strozzi_sim.studies.progress import ProgressOption
    from strozzi_sim.studies.results import Results


def our_table(
    game: str | Game,
    file: str = "",
    deals: int = 5000,
    variant: AnyVariant = "base",
    seed: int = 0,
    workers: int | None = None,
    *,
    template: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Find the strength of play that fits the score sheets of real games, and what differs from it.

    Args:
        game: a name or a Game.
        file: score sheets (CSV): one line a game, at most 10,000, columns `seat 0`, `seat 1`, .. with the final scores
        deals: games of each strength and player count that are simulated; a fraction for agents that search
        variant: the variant that was played
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        template: write an empty sheet to this new file instead
        progress: as in `simulate`

    Returns:
        Tables fit (each tier's log likelihood, and its probability if one of them is right), figures (of the sheets, with the band in
        which those of the best tier lie in 19 of 20 such sets of games, all together), and those of `simulate` of the tiers.

    Raises:
        InputError: a sheet that cannot be read; names file, line and column.
        StorageError, AgentFault, Interrupted: as `run`.
    """
    import numpy as np
    import pandas as pd

    from strozzi_sim.errors import ArgumentError, as_argument_error
    from strozzi_sim.game import find_game
    from strozzi_sim.runtime.files import storage_errors
    from strozzi_sim.studies.lookup import path_of
    from strozzi_sim.studies.results import Results
    from strozzi_sim.studies.score_sheets import bands, likelihood, read_sheets
    from strozzi_sim.studies.score_sheets import template as empty_sheet
    from strozzi_sim.studies.study import TIERS, lineup_study, run

    game = find_game(game)
    if bool(file) == (template is not None):
        raise ArgumentError("file", "give the score sheets, or a new file for the template")
    if template is not None:
        path = path_of("template", template)
        with storage_errors(f"cannot write {path}"):
            try:
                with path.open("x", encoding="utf-8") as new:
                    new.write(empty_sheet(game))
            except FileExistsError:
                raise ArgumentError("template", f"{path} exists; give a new file") from None
        return Results({"game": game.name, "template": str(path)}, {}, 0, 0, 0.0)
    sheets = as_argument_error("file", read_sheets, path_of("file", file), game)
    study = lineup_study(
        "our-table",
        game,
        tuple(sheets.scores),
        TIERS,
        deals,
        "one",
        variant,
        seed,
        rows=True,
        pages=("balance",),
        search_deals=game.search_deals(deals),
    )
    played = run(study, None, workers, progress)
    simulated: dict[str, dict[int, np.ndarray]] = {}
    for (players, lineup), rows in played.games.groupby(["players", "lineup"], sort=False):
        ordered = rows.sort_values(["deal", "seat"])["score"].to_numpy(np.int64)
        simulated.setdefault(str(lineup), {})[int(players)] = ordered.reshape(-1, int(players))
    tiers = {tier: text for tier, text in game.tiers.items() if text in simulated}
    fits = {tier: likelihood(sheets, simulated[text]) for tier, text in tiers.items()}
    best = max(fits, key=lambda tier: fits[tier])
    weight = np.exp(np.array(list(fits.values())) - fits[best])
    fit = pd.DataFrame(
        {
            "tier": list(fits), "agent": [tiers[tier] for tier in fits], "log_likelihood": list(fits.values()),
            "probability": weight / weight.sum(), "n": sheets.games,
            "simulated": [sum(map(len, simulated[tiers[tier]].values())) for tier in fits],
        }
    )  # fmt: skip
    figures = bands(sheets, simulated[tiers[best]], seed)
    plan = {
        **played.plan, "best": best, "ignored": list(sheets.ignored),
        "sheets": {str(players): len(scores) for players, scores in sheets.scores.items()},
    }  # fmt: skip
    return Results(
        plan, {"fit": fit, "figures": figures, **played.tables}, played.n_games, played.new_games, played.seconds,
        manifest=played.manifest, workers=workers, watch=progress,
    )  # fmt: skip
