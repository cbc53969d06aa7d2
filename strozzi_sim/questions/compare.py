"""compare: which of two agents, or of two variants, and by how much?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strozzi_sim.agent import AnyAgent
    from strozzi_sim.game.contract import Game
    from strozzi_sim.game.variants import AnyVariant
    from strozzi_sim.simulation.seatings import Design
    from strozzi_sim.studies.lookup import Folder, Lineup, Players, Settings
    from strozzi_sim.studies.progress import ProgressOption
    from strozzi_sim.studies.results import Results


def compare(
    game: str | Game,
    first: AnyAgent | AnyVariant | None = None,
    second: AnyAgent | AnyVariant | None = None,
    players: Players = None,
    *,
    study: Folder = None,
    settings: Settings = (),
    effect: float = 0.01,
    opponents: Lineup = (),
    agents: Lineup = (),
    deals: int | None = None,
    precision: float | None = None,
    seatings: Design = "rotate",
    variant: AnyVariant = "base",
    seed: int = 0,
    workers: int | None = None,
    luck: str = "",
    luck_redraws: int | None = None,
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Compare two agents, or two variants, on the same deals: the paired difference with its interval.

    Of variants every figure of the game's report is compared, and each difference called changed, too small to matter, or unclear.

    Args:
        game: a name or a Game.
        first: an agent, or a variant
        second: the other one
        players: player counts: 4, 3-6 or 3,5; default: 4, or the game's minimum
        study: a study's TOML file that defines the variants
        settings: changed keys, KEY=VALUE such as tracks.bonus.7=10, SECTION.KEY=[20,10,5] for a list, SECTION.add=[{id="X",...}] and
            SECTION.remove=["X"] for blocks with ids: B is the variant with them, and A the one without
        effect: smallest difference of variants that matters: 0.01 is one point of a share and 1 % of a score
        opponents: agents in the other seats (agents compared); default: the game's default agent
        agents: line-up (variants compared); one agent plays itself; default: the game's default agent
        deals: deals for every line-up; default: as many as find or exclude a difference of one point of wins (of the effect), at most
            100,000 games, 15,000 of trained and 600 of searching agents; or as many as the precision takes
        precision: play until shares of wins are known to within +- these points, and at most deals
        seatings: one, rotate, spread (each deal once, seatings in turn), all or latin
        variant: a variant of the game's components
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        luck: an agent that evaluates positions, such as learned: takes the luck of chance out of the figures, as more rows
        luck_redraws: number of redraws of each chance event, which measure its luck; default: 8
        folder: keep everything in this folder, and resume there; default: only print
        progress: as in `simulate`

    Returns:
        Tables sides (each by itself) and difference (first - second); of variants also those of `simulate`, and changes, of every
        figure (second - first).

    Raises:
        InputError: an invalid argument; names it.
        StorageError, AgentFault, Interrupted: as `run`.

    >>> import strozzi_sim as ss
    >>> found = ss.compare("strozzi", "heuristic", "random", players=3, deals=60)
    >>> found.tables["difference"].query("figure == 'win_share'")["low"].item() > 0
    True
    """
    from strozzi_sim.errors import ArgumentError, as_argument_error
    from strozzi_sim.game import find_game
    from strozzi_sim.game.variant_names import check_names_differ
    from strozzi_sim.studies.compare import Comparison, find_side, find_sides, most_deals_by_default
    from strozzi_sim.studies.lookup import find_agents, find_players, find_variants, make_lineups
    from strozzi_sim.studies.plan import EFFECT
    from strozzi_sim.studies.planning import make_plan, name_of, usual_deals
    from strozzi_sim.studies.precision import POINTS
    from strozzi_sim.studies.study import run

    game = find_game(game)
    given: dict[str, Any] = {"first": first, "second": second}
    counts, sides = find_players(game, players), find_sides(game, first, second, study, settings, variant)
    unused = {"opponents": opponents, "variant": variant != "base" and not settings}
    if sides is None:
        unused = {"agents": agents, "effect": effect != EFFECT}
    for argument, setting in unused.items():
        if setting:
            other = "variants" if sides is None else "agents"
            raise ArgumentError(argument, f"is for comparing {other}; leave it out")
    if sides is not None:
        as_argument_error("second", check_names_differ, sides)
        lineups = make_lineups(find_agents(agents or [game.default_agent], game), counts)
        played = sides if sides[0].name != sides[1].name else sides[:1]
    else:
        two = [find_side(game, argument, side) for argument, side in given.items()]
        others, most = find_agents(opponents or [game.default_agent], game, "opponents"), min(counts) - 1
        if len(others) > most:
            raise ArgumentError("opponents", f"{len(others)} agents for {most} other seats; give at most {most}")
        lineups = [(side, *(others[k % len(others)] for k in range(n - 1))) for n in counts for side in two]
        played = find_variants(game, variant)
    decided = deals is None and precision is None and effect > 0 and (sides is None or len(played) > 1)
    if decided:
        precision = min(max(POINTS * effect, 0.01), 25)
        one = make_plan(name_of("compare", game), game, lineups, played, counts, 1, seatings=seatings)
        deals = most_deals_by_default(lineups, one.games)
    plan = make_plan(
        name_of("compare", game), game, lineups, played, counts, usual_deals(deals, precision, 1000), precision=precision,
        seatings=seatings, seed=seed, orders=sides is None, effect=effect, luck=luck, luck_redraws=luck_redraws,
    )  # fmt: skip
    return run(Comparison(plan, "agent" if sides is None else "variant", decided), folder, workers, progress)
