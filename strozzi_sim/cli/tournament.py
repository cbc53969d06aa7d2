"""tournament, compare, ladder: which agent is best, by how much, and how certain that is."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strozzi_sim.cli import options
from strozzi_sim.errors import InputError, counted

if TYPE_CHECKING:
    from strozzi_sim.games.contract import Game
    from strozzi_sim.games.variants import Variant
    from strozzi_sim.studies.played import Played

Deals = Annotated[int, typer.Option(help="deals for every line-up")]
Out = Annotated[
    Path | None, options.out_option("keep everything in this folder, and resume there; default: only print")
]
_WIDEST = 14  # agents whose pairs still fit a terminal


def tournament(
    game: options.GameName,
    agents: Annotated[str, typer.Option(help="the agents, separated by commas")],
    players: options.Players = "",
    deals: Deals = 200,
    seatings: Annotated[str, typer.Option(help="latin, all or rotate")] = "latin",
    matchups: Annotated[int, typer.Option(help="maximum number of line-ups; more are sampled")] = 5000,
    until: Annotated[
        str, typer.Option(help="stop when win shares are known to within +- this, or all pairs are `decided`")
    ] = "",
    variant: options.Variants = None,
    seed: options.Seed = 0,
    workers: options.Workers = None,
    out: Out = None,
    json: options.Json = False,
) -> None:
    """Rank a field of agents: every combination of them on the same deals, in every seating.

    Example: strozzi tournament strozzi --players 4 --agents random,greedy,heuristic,florence,racer --deals 200
    """
    from strozzi_sim.agent import split_specs
    from strozzi_sim.games import load_game
    from strozzi_sim.games.reporting import pick
    from strozzi_sim.studies.standings import unrated
    from strozzi_sim.studies.tournament import Sample, tournament

    the_game = load_game(game)
    counts, field = options.parse_players(players, the_game) if players else None, split_specs(agents)
    with options.how_to_run(workers, out, json) as how:
        results = tournament(
            the_game, agents=field, players=counts, deals=deals, seatings=seatings, variants=variant or "base",
            seed=seed, sample=Sample(matchups, until), how=how,
        )  # fmt: skip
        page = options.write_page(results, how)
    if _finish(results, deals, json, page):
        return
    tables = results.tables
    for (players_of, name), ratings in tables["ratings"].groupby(["players", "variant"], sort=False):
        here = {key: pick(table, players=players_of, variant=name) for key, table in tables.items()}
        strength = ratings[ratings["figure"] == "strength"].sort_values("value", ascending=False, kind="stable")
        order = list(strength["agent"])
        print(f"\nstanding, {players_of} players, variant {name}")
        _show_standing(here["agents"].set_index(["figure", "agent"]), ratings.set_index(["figure", "agent"]), order)
        if len(order) <= _WIDEST:
            _show_pairs(here["pairwise"].set_index(["agent", "opponent"]), order)
        if len(here.get("nash", ())):
            _show_nash(here["nash"].set_index(["figure", "agent"]))
    print("\nseats, all games together")
    print(_rows(tables["seat_effects"], ("players", "variant", "seat"), ("win_share", "rank_mean", "score_mean")))
    strengths = tables["ratings"].query("figure == 'strength'")
    if unrated(tables["ratings"]):
        options.say(
            "the fit of strengths did not converge: there are no strengths and ranks; the other figures are valid"
        )
    elif strengths["low"].isna().any():
        options.say("an agent was never ahead of another, or there are too few deals: strengths have no interval")


def _show_standing(agents: Any, rated: Any, order: list[str]) -> None:
    """One line an agent, best first."""
    rows = [["rank", "(95 %)", "agent", "strength", "win share", "mean rank", "mean score", "games"]]
    for agent in order:
        rank = rated.loc["rank", agent]
        reach = "" if rank["low"] != rank["low"] else f"{rank['low']:.0f}-{rank['high']:.0f}"
        others = [_value(agents.loc[figure, agent]) for figure in ("win_share", "rank_mean", "score_mean")]
        strength = _value(rated.loc["strength", agent])
        place = f"{rank['value']:.0f}" if rank["value"] == rank["value"] else "-"
        rows.append([place, reach, agent, strength, *others, f"{rank['n']:,}"])
    print(options.columns_of(rows))


def _show_pairs(pairs: Any, order: list[str]) -> None:
    """How often the agent of a row finishes ahead of that of a column."""
    rows = [["", *(f"{k + 1}" for k in range(len(order)))]]
    for k, agent in enumerate(order):
        cells = [
            _value(pairs.loc[(agent, other)]).split(" ")[0] if (agent, other) in pairs.index else "-" for other in order
        ]
        rows.append([f"{k + 1} {agent}", *cells])
    widest = ((pairs["high"] - pairs["low"]) / 2)[pairs["value"].notna()].max()
    fewest = pairs["n"].min()
    reach = f"at most +-{widest:.3f}, " if widest == widest else ""
    print(f"\nahead of (row of column; {reach}at least {fewest:,} games a pair)\n{options.columns_of(rows)}")


def _show_nash(found: Any) -> None:
    """The mixture of agents that no agent beats, and how each fares against it; most weight first."""
    weights = found.loc["weight"]["value"].to_dict()
    order = sorted(weights, key=lambda agent: (-weights[agent], -found.loc[("score", agent), "value"], agent))
    rows = [["agent", "weight", "score against it", "games"]]
    for agent in order:
        weight, score = found.loc[("weight", agent)], found.loc[("score", agent)]
        rows.append([agent, _value(weight), _value(score), f"{score['n']:,}"])
    print(f"\nNash averaging: the mixture that no agent beats (1/2 is even)\n{options.columns_of(rows)}")


def compare(
    game: options.GameName,
    first: Annotated[str, typer.Argument(metavar="[A]", help="an agent, or a variant")] = "",
    second: Annotated[str, typer.Argument(metavar="[B]", help="the other one")] = "",
    variants: Annotated[str, typer.Option(help="two variants, separated by a comma, instead of A and B")] = "",
    players: options.Players = "",
    against: Annotated[
        str, typer.Option(help="who sits in the other seats (agents compared); default: the game's own")
    ] = "",
    agents: Annotated[
        str, typer.Option(help="who plays (variants compared); one agent = self-play; default: the same")
    ] = "",
    deals: Deals = 1000,
    seatings: options.Seatings = "rotate",
    variant: options.VariantName = "base",
    seed: options.Seed = 0,
    workers: options.Workers = None,
    out: Out = None,
    json: options.Json = False,
) -> None:
    """Compare two agents, or two variants, on the same deals: the paired difference with its interval.

    Example: strozzi compare strozzi greedy florence --players 4 --against heuristic --deals 1000
    """
    from strozzi_sim.agent import split_specs
    from strozzi_sim.games import load_game
    from strozzi_sim.studies.compare import compare

    the_game = load_game(game)
    counts = options.parse_players(players, the_game) if players else None
    sides = _sides(the_game, first, second, variants)
    with options.how_to_run(workers, out, json) as how:
        results = compare(
            the_game, first=sides[0], second=sides[1], against=split_specs(against) if against else [],
            agents=split_specs(agents) if agents else [], players=counts, deals=deals, seatings=seatings,
            variant=variant, seed=seed, how=how,
        )  # fmt: skip
    if _finish(results, deals, json):
        return
    tables = results.tables
    of = "agent" if "agent" in tables["sides"] else "variant"
    one, other = tables["difference"].iloc[0][["first", "second"]]
    figures = ("win_share", "rank_mean", "score_mean", "lead_mean")
    saved = tuple(f"{figure}_variance_saved" for figure in figures)
    print(f"\neach by itself\n{_rows(tables['sides'], ('players', of, 'by', 'level'), figures)}")
    keys = ("players", "by", "level")
    print(f"\n{one} - {other}, paired by deal\n{_rows(tables['difference'], keys, figures)}")
    print(f"\nshare of variance that pairing saved\n{_rows(tables['difference'], keys, saved)}")


def _sides(game: "Game", first: str, second: str, variants: str) -> "Sequence[str | Variant]":
    """The two things to compare: variants if --variants names some, or what A and B name."""
    from strozzi_sim.studies.names import find_variants

    if variants:
        pieces = [piece.strip() for piece in variants.split(",")]
        if first or second:
            raise InputError("--variants: replaces A and B; give one or the other")
        if len(pieces) != 2 or not all(pieces):
            raise InputError(f"--variants: expected two variants, separated by a comma, got {variants!r}")
        return find_variants(game, pieces)
    if not (first and second):
        example = f"strozzi compare {game.name} {game.standard_agent} random"
        raise InputError(f"compare: give two agents or two variants, as in: {example}")
    return first, second


def ladder(
    game: options.GameName,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="an agent with a budget, such as playouts")],
    param: Annotated[str, typer.Option(help="the parameter that is the budget")] = "iterations",
    start: Annotated[float, typer.Option("--from", help="the smallest budget")] = 250,
    steps: Annotated[int, typer.Option(help="number of doublings")] = 5,
    players: options.OnePlayers = "",
    deals: Deals = 200,
    seatings: options.Seatings = "rotate",
    variant: options.VariantName = "base",
    seed: options.Seed = 0,
    workers: options.Workers = None,
    out: Out = None,
    json: options.Json = False,
) -> None:
    """Does doubling the budget win, and where does that stop? One seat has twice the budget of the others.

    Example: strozzi ladder strozzi greedy --param margin --from 4 --steps 3 --deals 200
    """
    from strozzi_sim.games import load_game
    from strozzi_sim.studies.ladder import Climb, flattens_at, ladder

    the_game = load_game(game)
    count = options.one_player_count(players, the_game)
    with options.how_to_run(workers, out, json) as how:
        results = ladder(
            the_game, agent=agent, climb=Climb(param, start, steps), players=count, deals=deals, seatings=seatings,
            variant=variant, seed=seed, how=how,
        )  # fmt: skip
    if _finish(results, deals, json):
        return
    table = results.tables["ladder"]
    figures = ("win_share", "rank_mean", "lead_mean")
    print(f"\n{_rows(table, ('step', 'budget', 'against'), figures)}")
    flat = flattens_at(table)
    if flat is None:
        print("every doubling wins or loses more than its fair share: no step is flat yet")
    elif flat == 0:
        print("too few games to tell whether it flattens")
    else:
        twice, once = table[table["step"] == str(flat)].iloc[0][["budget", "against"]]
        print(f"flat from step {flat}: {twice} is not significantly better or worse than {once}")


def _finish(results: "Played", deals: int, json: bool, page: Path | None = None) -> bool:
    """Say how far something was played and where it is; true if JSON was all asked for."""
    if json:
        options.print_tables(results)
        return True
    if "until" in results.plan:
        played = results.plan["deals"]
        stopped = f"stopped after {counted(played, 'deal')} = {counted(results.games, 'game')}"
        print(stopped if played < deals else "not stopped before the last deal")
    if results.folder is not None:
        tables = results.folder / "tables"
        print(f"{counted(results.played_now, 'game')} played in {results.seconds:.1f} s; tables: {tables}")
    if page is not None:
        print(f"report: {page}")
    return False


def _rows(table: Any, keys: Sequence[str], figures: Sequence[str]) -> str:
    """A tidy table for the terminal: a line for each value of the keys that vary, a column for each figure."""
    kept = [key for key in keys if table[key].nunique() > 1 or key in ("step", "budget", "against", "seat")]
    lines: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in table.to_dict("records"):
        lines.setdefault(tuple(str(row[key]) for key in kept), {})[row["figure"]] = row
    shown = [figure.removesuffix("_variance_saved").replace("_", " ") for figure in figures]
    rows = [[*kept, *shown, "games"]]
    for levels, found in lines.items():
        cells = [_value(found[figure]) if figure in found else "-" for figure in figures]
        rows.append([*levels, *cells, f"{found[figures[0]]['n']:,}"])
    return options.columns_of(rows)


def _value(row: Any) -> str:
    """A figure and its interval."""
    value, low, high = row["value"], row["low"], row["high"]
    if value != value:
        return "-"
    digits = 3 if abs(value) < 20 else 1
    if low != low:
        return f"{value:.{digits}f}"
    return f"{value:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


COMMANDS = {"tournament": tournament, "compare": compare, "ladder": ladder}
