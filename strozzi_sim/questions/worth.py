"""worth: what is a part of the game worth to a player?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strozzi_sim.agent import AgentSpec
    from strozzi_sim.game.contract import Game
    from strozzi_sim.game.variants import AnyVariant
    from strozzi_sim.studies.lookup import Folder, Lineup, Players, Things
    from strozzi_sim.studies.progress import ProgressOption
    from strozzi_sim.studies.results import Results

_USUAL_DEALS = 1000


def worth(
    game: str | Game,
    things: Things = (),
    players: Players = None,
    agents: Lineup = (),
    deals: int | None = None,
    variant: AnyVariant = "base",
    seed: int = 0,
    workers: int | None = None,
    *,
    every: bool = False,
    precision: float | None = None,
    search_deals: int | None = None,
    luck: str = "",
    luck_redraws: int | None = None,
    folder: Folder = None,
    progress: ProgressOption = None,
) -> Results:
    """Measure what a thing is worth: an agent that must do without it, against itself on the same deals.

    The loss is causal, unlike the share of wins of those who use the thing, which stands beside it. Every deal is played
    from every seat (seatings rotate), since both sides play the same deals.

    Args:
        game: a name or a Game.
        things: restrictions by name, or patterns such as '*:any'; without one they are listed
        players: player counts: 4, 3-6 or 3,5; default: 4, or the game's minimum
        agents: agents, separated by commas, each measured by itself; default: the game's weak and middle agents
        deals: deals for every restriction and player count; default: 1,000, or as many as the precision takes
        precision: play until shares of wins are known to within +- these points, and at most deals
        variant: a variant of the game's components
        seed: random seed, below 2^53
        workers: number of workers; default: all cores
        every: measure everything that can be restricted
        search_deals: deals of agents that search; default: a fiftieth of deals, of a game with long games fewer, and at least 20
        luck: an agent that evaluates positions, such as learned: takes the luck of chance out of the figures, as more rows
        luck_redraws: number of redraws of each chance event, which measure its luck; default: 8
        folder: keep everything in this folder, with a report, and resume there; default: only print
        progress: as in `simulate`

    Returns:
        Table worth with the keys thing and agent: win_share_lost and score_lost (positive: the thing is worth having),
        popularity (the share of its occasions, such as rounds or games, in which a seat uses it;
        `game.restricting.occasions` names them) and naive_win_share (the share of wins of the seats that use it, each
        use counted).

    Raises:
        InputError: an invalid argument, or a thing that cannot be restricted; lists those that can.
        StorageError, AgentFault, Interrupted: as `run`.

    >>> import strozzi_sim as ss
    >>> table = ss.worth("strozzi", "flag:ware", players=3, agents="heuristic", deals=200).tables["worth"]
    >>> bool(table.set_index("figure")["low"]["score_lost"] > 0)
    True
    """
    from dataclasses import replace

    from strozzi_sim.errors import ArgumentError, suggest_names
    from strozzi_sim.game import find_game
    from strozzi_sim.game.restricting import find_things
    from strozzi_sim.game.restricting import things as restrictable
    from strozzi_sim.studies.lookup import find_agents, find_players, find_variants
    from strozzi_sim.studies.planning import make_plan, name_of, usual_deals
    from strozzi_sim.studies.study import run
    from strozzi_sim.studies.worth_study import Worth

    game = find_game(game)
    (played,) = find_variants(game, variant)
    counts = find_players(game, players)
    known = restrictable(game, played)
    if not known:
        raise ArgumentError("game", f"{game.name} has no restrictions")
    wanted = [things] if isinstance(things, str) else list(things)
    if bool(wanted) == every:
        named = (
            "leave out the things" if every else f"name things or patterns such as {next(iter(known))}, or everything"
        )
        raise ArgumentError("every" if every else "things", f"{named}; {suggest_names('', known)}")
    measured = known if every else find_things(game, played, wanted)
    specs = find_agents(agents or list(dict.fromkeys(["random", game.default_agent])), game)
    lineups: list[tuple[AgentSpec, ...]] = [(one,) for one in specs]
    lineups += [
        (one.restricted(thing), *[one] * (count - 1)) for one in specs for thing in measured for count in counts
    ]
    most = usual_deals(deals, precision, _USUAL_DEALS)
    fewer = min(game.search_deals(most or _USUAL_DEALS), most or _USUAL_DEALS) if search_deals is None else search_deals
    plan = make_plan(
        name_of("worth", game),
        game,
        lineups,
        [played],
        counts,
        most,
        precision=precision,
        seed=seed,
        pages=(),
        search_deals=fewer,
        luck=luck,
        luck_redraws=luck_redraws,
    )
    asked = tuple(dict.fromkeys(each for use in measured.values() if use for each in use.crosstabs))
    return run(Worth(replace(plan, asked=asked, counted=asked), tuple(measured.items())), folder, workers, progress)
