"""heatmap: two columns of a fact table against each other, of a game or of a study that has been played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Unpack

import msgspec

from strozzi_sim.agent import names
from strozzi_sim.agent.names import Agents, Players, Variants
from strozzi_sim.declare.custom_heatmaps import custom_heat_map, heat_map_spec, map_table_name
from strozzi_sim.errors import ArgumentError
from strozzi_sim.game import Game, find_game, game_names
from strozzi_sim.study.arguments import REPEATED, WHO_PLAYS, StudyOptions, documented, refuse_given
from strozzi_sim.study.files import UnwritableError
from strozzi_sim.study.folders import read_study
from strozzi_sim.study.look import HEATMAPS, Look
from strozzi_sim.study.model import Study
from strozzi_sim.study.results import Results
from strozzi_sim.study.running import look_at, play, run


@documented(
    asks="A heat map of my own",
    about="Any column of what is counted against any other.",
    front={"rows": "Rows", "columns": "Columns", "value": "Value", "where": "Only where", **WHO_PLAYS},
    quick={"deals": 500},
)
def heatmap(
    source: str | Path | Game | Results,
    *,
    rows: str,
    columns: str,
    value: str = "share",
    where: str = "",
    fact: str = "",
    name: str = "",
    title: str = "",
    players: Players = None,
    agents: Agents = (),
    variant: Annotated[Variants, REPEATED] = (),
    code: Sequence[str | Path] = (),
    **options: Unpack[StudyOptions],
) -> Results:
    """Draw a custom heat map of a game, or of a study that has been played.

    Of a study that is being played, or whose folder cannot be written, it has the finished chunks, and is not kept.

    Example: strozzi heatmap strozzi --rows seat --columns round --value "mean coins" --where "place == 1"

    Args:
        source: a results folder of a study, or a game; in Python also results
        rows: column whose values are the rows; see strozzi facts GAME
        columns: column whose values are the columns
        value: count, share, 'mean COLUMN' or 'share COLUMN'
        where: condition, such as 'round == 3 and seat != 0'
        fact: fact table, if several have these columns
        name: name of the map; default: from its value, rows, columns and condition
        title: title of the picture; default: made from the other arguments
        players: (game) player counts: 4, 3-6, 3,5 or all; default: 4, or the fewest of the game
        agents: (game) one line-up, separated by commas; default: the game's default agent
        deals: (game) deals for every player count, line-up and variant; default: 5,000
        variant: (game) a variant; may be given several times; default: base
        seed: (game) random seed, below 2^53; default: 0
        code: (folder) files of agents that the study may run

    >>> import strozzi_sim as ss
    >>> results = ss.heatmap(
    ...     "strozzi", rows="seat", columns="round", value="mean coins", fact="round", agents="random", deals=100
    ... )
    >>> len(results.tables["heat_mean_coins_by_seat_and_round"]) >= 12
    True
    """
    spec = heat_map_spec(rows, columns, value, where, fact, name, title)
    if isinstance(source, Results) or _is_folder(source):
        why = f"{source} is a study that has been played; leave it out"
        workers, progress = options.pop("workers", None), options.pop("progress", None)
        refuse_given(why, players=players, agents=agents, variant=variant, **options)
        if isinstance(source, Results):
            refuse_given("results have their agents", code=code or None)
            study, look, folder = source.study, source.look, source.folder
        else:
            folder = names.path_of("source", source)
            study, look = read_study(folder, code)
        if not study.has_pages:
            raise ArgumentError("source", f"{source}: a {study.kind} has no facts, which a heat map needs")
        others = tuple(heat_map for heat_map in look.heatmap if heat_map.name != spec.name)
        look = msgspec.structs.replace(look, heatmap=(*others, spec))
        custom_heat_map(study.the_game, spec)  # refuses columns that the game lacks
        try:
            results = run(study, folder, look=look, workers=workers, progress=progress)
        except UnwritableError:
            why = "Not kept in the folder, which cannot be written now"
            results = look_at(folder or Path(), study, look, why, workers=workers, progress=progress)
        return replace(results, added_map=map_table_name(spec.name))
    refuse_given("is for the agents of a results folder; name those of a game with agents", code=code or None)
    the_game = find_game(source, "source")  # type: ignore[arg-type]
    custom_heat_map(the_game, spec)
    counts = names.player_counts(the_game, players)
    lineups, variants = names.lineups_of(the_game, agents, counts), names.variants_named(the_game, variant or "base")
    study_name = f"heatmap-{the_game.name}".replace("_", "-")
    look = Look(name=study_name, pages=("balance",), heatmap=(spec,), question=HEATMAPS)
    return play(Study, options, look, kind="balance", game=the_game, players=counts, lineups=lineups, variants=variants)


def _is_folder(source: Any) -> bool:
    if isinstance(source, Path):
        return True
    return isinstance(source, str) and source not in ("", *game_names()) and ("/" in source or Path(source).exists())
