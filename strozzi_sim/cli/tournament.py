"""tournament, compare, ladder: which agent is best, by how much, and how certain that is."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strozzi_sim.cli.options import (
    GameName,
    Json,
    Players,
    Seed,
    VariantName,
    Workers,
    check_range,
    columns_of,
    json_rows,
    noted_in,
    one_player_count,
    out_option,
    parse_players,
    parse_workers,
    print_json,
    progress_bar,
    say,
    tell,
    with_counts,
)
from strozzi_sim.errors import InputError

if TYPE_CHECKING:
    from strozzi_sim.games.contract import Game
    from strozzi_sim.play.calibrate import Calibration
    from strozzi_sim.studies.compare import Comparison
    from strozzi_sim.studies.ladder import Ladder
    from strozzi_sim.studies.run import Results
    from strozzi_sim.studies.tournament import Tournament

Deals = Annotated[int, typer.Option(help="deals for every line-up")]
Out = Annotated[Path | None, out_option("keep everything in this folder, and resume there; default: only print")]
OnePlayers = Annotated[str, typer.Option("--players", help="player count; default: 4, or the fewest the game allows")]
_WIDEST = 14  # agents whose pairs still fit a terminal
Seatings = Annotated[str, typer.Option(help="one, rotate, all or latin")]


def tournament(
    game: GameName,
    agents: Annotated[str, typer.Option(help="the agents, separated by commas")],
    players: OnePlayers = "",
    deals: Deals = 200,
    seatings: Annotated[str, typer.Option(help="latin, all or rotate")] = "latin",
    matchups: Annotated[int, typer.Option(help="maximum number of line-ups; more are sampled")] = 5000,
    until: Annotated[
        str, typer.Option(help="stop when win shares are known to within +- this, or all pairs are `decided`")
    ] = "",
    variant: Annotated[list[str] | None, typer.Option(help="a variant; may be given several times")] = None,
    seed: Seed = 0,
    workers: Workers = None,
    out: Out = None,
    json: Json = False,
) -> None:
    """Rank a field of agents: every combination of them on the same deals, in every seating.

    Example: strozzi tournament strozzi --players 4 --agents random,greedy,heuristic,florence,racer --deals 200
    """
    from strozzi_sim.agent import split_specs
    from strozzi_sim.games import load_game
    from strozzi_sim.studies.tournament import plan_tournament, unrated

    the_game = load_game(game)
    counts = parse_players(players, the_game) if players else [one_player_count("", the_game)]
    check_range("--matchups", matchups, 1, 100_000)
    names, notes = _in_counts(split_specs(agents), the_game, counts, variant or ["base"], out)
    planned = plan_tournament(
        the_game, names, players=counts, deals=deals, seatings=seatings, seed=seed,
        variants=variant or ["base"], most=matchups, until=until,
    )  # fmt: skip
    tables = _play(planned, workers, out, json, notes)
    if json:
        return
    for key, ratings in tables["ratings"].groupby(["players", "variant"], sort=False):
        strength = ratings[ratings["figure"] == "strength"].sort_values("value", ascending=False, kind="stable")
        order = list(strength["agent"])
        _show_standing(tables, ratings.set_index(["figure", "agent"]), order, *key)
        if len(order) <= _WIDEST:
            _show_pairs(tables, order, *key)
        _show_nash(tables, *key)
    print("\nseats, all games together")
    print(_rows(tables["seat_effects"], ("players", "variant", "seat"), ("win_share", "rank_mean", "score_mean")))
    strengths = tables["ratings"].query("figure == 'strength'")
    if unrated(tables["ratings"]):
        say("the fit of strengths did not converge: there are no strengths and ranks; the other figures are valid")
    elif strengths["low"].isna().any():
        say("an agent was never ahead of another, or there are too few deals: strengths have no interval")


def _show_standing(tables: dict[str, Any], rated: Any, order: list[str], players: int, variant: str) -> None:
    """One line an agent, best first."""
    agents = tables["agents"].query("players == @players and variant == @variant").set_index(["figure", "agent"])
    rows = [["rank", "(95 %)", "agent", "strength", "win share", "mean rank", "mean score", "games"]]
    for agent in order:
        rank = rated.loc["rank", agent]
        reach = "" if rank["low"] != rank["low"] else f"{rank['low']:.0f}-{rank['high']:.0f}"
        others = [_value(agents.loc[figure, agent]) for figure in ("win_share", "rank_mean", "score_mean")]
        strength = _value(rated.loc["strength", agent])
        rows.append(
            [
                f"{rank['value']:.0f}" if rank["value"] == rank["value"] else "-",
                reach,
                agent,
                strength,
                *others,
                f"{rank['n']:,}",
            ]
        )
    print(f"\nstanding, {players} players, variant {variant}\n{columns_of(rows)}")


def _show_pairs(tables: dict[str, Any], order: list[str], players: int, variant: str) -> None:
    """How often the agent of a row finishes ahead of that of a column."""
    pairs = tables["pairwise"].query("players == @players and variant == @variant").set_index(["agent", "opponent"])
    rows = [["", *(f"{k + 1}" for k in range(len(order)))]]
    for k, agent in enumerate(order):
        cells = [
            _value(pairs.loc[(agent, other)]).split(" ")[0] if (agent, other) in pairs.index else "-" for other in order
        ]
        rows.append([f"{k + 1} {agent}", *cells])
    widest = ((pairs["high"] - pairs["low"]) / 2)[pairs["value"].notna()].max()
    fewest = pairs["n"].min()
    reach = f"at most +-{widest:.3f}, " if widest == widest else ""
    print(f"\nahead of (row of column; {reach}at least {fewest:,} games a pair)\n{columns_of(rows)}")


def _show_nash(tables: dict[str, Any], players: int, variant: str) -> None:
    """The mixture of agents that no agent beats, and how each fares against it; most weight first."""
    if "nash" not in tables:
        return
    found = tables["nash"].query("players == @players and variant == @variant").set_index(["figure", "agent"])
    if len(found) == 0:
        return
    weights = found.loc["weight"]["value"].to_dict()
    order = sorted(weights, key=lambda agent: (-weights[agent], -found.loc[("score", agent), "value"], agent))
    rows = [["agent", "weight", "score against it", "games"]]
    for agent in order:
        weight, score = found.loc[("weight", agent)], found.loc[("score", agent)]
        rows.append([agent, _value(weight), _value(score), f"{score['n']:,}"])
    print(f"\nNash averaging: the mixture that no agent beats (1/2 is even)\n{columns_of(rows)}")


def compare(
    game: GameName,
    first: Annotated[str, typer.Argument(metavar="[A]", help="an agent, or a variant")] = "",
    second: Annotated[str, typer.Argument(metavar="[B]", help="the other one")] = "",
    variants: Annotated[str, typer.Option(help="two variants, separated by a comma, instead of A and B")] = "",
    players: Players = "",
    against: Annotated[
        str, typer.Option(help="who sits in the other seats (agents compared); default: the game's own")
    ] = "",
    agents: Annotated[
        str, typer.Option(help="who plays (variants compared); one agent = self-play; default: the same")
    ] = "",
    deals: Deals = 1000,
    seatings: Seatings = "rotate",
    variant: VariantName = "base",
    seed: Seed = 0,
    workers: Workers = None,
    out: Out = None,
    json: Json = False,
) -> None:
    """Compare two agents, or two variants, on the same deals: the paired difference with its interval.

    Example: strozzi compare strozzi greedy florence --players 4 --against heuristic --deals 1000
    """
    from strozzi_sim.agent import split_specs
    from strozzi_sim.games import load_game
    from strozzi_sim.studies.compare import plan_agents, plan_variants

    the_game = load_game(game)
    counts = parse_players(players, the_game) if players else [one_player_count("", the_game)]
    sides = _sides(the_game, first, second, variants)
    if sides is None:
        (first, second, *others), notes = _in_counts(
            [first, second, *split_specs(against or the_game.standard_agent)], the_game, counts, [variant], out
        )
        planned = plan_agents(
            the_game, first, second, against=others, players=counts, deals=deals, seatings=seatings,
            seed=seed, variant=variant,
        )  # fmt: skip
    else:
        names, notes = _in_counts(split_specs(agents or the_game.standard_agent), the_game, counts, sides, out)
        planned = plan_variants(
            the_game, *sides, agents=names, players=counts, deals=deals, seatings=seatings, seed=seed
        )
    tables = _play(planned, workers, out, json, notes)
    if json:
        return
    of = planned.of
    figures = ("win_share", "rank_mean", "score_mean", "lead_mean")
    saved = tuple(f"{figure}_variance_saved" for figure in figures)
    print(f"\neach by itself\n{_rows(tables['sides'], ('players', of, 'by', 'level'), figures)}")
    keys = ("players", "by", "level")
    print(f"\n{planned.first} - {planned.second}, paired by deal\n{_rows(tables['difference'], keys, figures)}")
    print(f"\nshare of variance that pairing saved\n{_rows(tables['difference'], keys, saved)}")


def _sides(game: "Game", first: str, second: str, variants: str) -> tuple[str, str] | None:
    """The two variants to compare; None if it is agents that are compared."""
    from strozzi_sim.games.variants import BASE, shipped_variants

    if variants:
        pieces = [piece.strip() for piece in variants.split(",")]
        if first or second:
            raise InputError("--variants: replaces A and B; give one or the other")
        if len(pieces) != 2 or not all(pieces):
            raise InputError(f"--variants: expected two variants, separated by a comma, got {variants!r}")
        return pieces[0], pieces[1]
    if not (first and second):
        example = f"strozzi compare {game.name} {game.standard_agent} random"
        raise InputError(f"compare: give two agents or two variants, as in: {example}")
    if {first, second} <= {BASE, *shipped_variants(game)}:
        return first, second
    return None


def ladder(
    game: GameName,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="an agent with a budget, such as playouts")],
    param: Annotated[str, typer.Option(help="the parameter that is the budget")] = "iterations",
    start: Annotated[float, typer.Option("--from", help="the smallest budget")] = 250,
    steps: Annotated[int, typer.Option(help="number of doublings")] = 5,
    players: OnePlayers = "",
    deals: Deals = 200,
    seatings: Seatings = "rotate",
    variant: VariantName = "base",
    seed: Seed = 0,
    workers: Workers = None,
    out: Out = None,
    json: Json = False,
) -> None:
    """Does doubling the budget win, and where does that stop? One seat has twice the budget of the others.

    Example: strozzi ladder strozzi greedy --param margin --from 4 --steps 3 --deals 200
    """
    from strozzi_sim.games import load_game
    from strozzi_sim.studies.ladder import flattens_at, plan_ladder

    the_game = load_game(game)
    check_range("--steps", steps, 1, 30)
    planned = plan_ladder(
        the_game, agent, param=param, start=start, steps=steps, players=one_player_count(players, the_game),
        deals=deals, seatings=seatings, seed=seed, variant=variant,
    )  # fmt: skip
    table = _play(planned, workers, out, json)["ladder"]
    if json:
        return
    figures = ("win_share", "rank_mean", "lead_mean")
    print(f"\n{_rows(table, ('step', 'budget', 'against'), figures)}")
    flat = flattens_at(table)
    if flat is None:
        print("every doubling wins or loses more than its fair share: no step is flat yet")
    else:
        budget = planned.budgets[flat - 1]
        print(f"flat from step {flat}: {2 * budget:g} is not significantly better or worse than {budget:g}")


def _in_counts(
    texts: Sequence[str], game: "Game", players: Sequence[int], variants: Sequence[str], out: Path | None
) -> "tuple[list[str], tuple[Calibration, ...]]":
    """The agents by spec strings, with counts in place of seconds, and how that came."""
    from strozzi_sim.agent import load_agent
    from strozzi_sim.games.variants import resolve_variant

    try:
        given = [load_agent(text) for text in texts]
    except InputError:
        return list(texts), ()  # the plan refuses it, in its turn and in its words
    resolved = [resolve_variant(game, name) for name in variants]
    played, notes = with_counts(given, game, players, resolved, out)
    return [spec.text for spec in played], notes


def _play(
    planned: "Tournament | Comparison | Ladder",
    workers: int | None,
    out: Path | None,
    json: bool,
    notes: "tuple[Calibration, ...]" = (),
) -> Any:
    """Say the plan, play it, and give its tables, printed if as JSON."""
    from strozzi_sim.studies.run import run_in_memory, run_study

    plan, team = replace(planned.plan, calibrated=notes), parse_workers(workers)
    stopping_rule = planned.stopping_rule() if plan.until else None  # type: ignore[union-attr]
    command = shlex.join(["strozzi", *sys.argv[1:]])

    def told() -> None:
        print(planned.summary(), flush=True)
        tell(notes)

    with progress_bar(json) as progress:
        if not json:
            progress.ready = told
        if out is None:
            progress.ready()
            cut, frames = run_in_memory(
                plan, planned.tables, workers=team, progress=progress, stopping_rule=stopping_rule
            )
            games, deals = cut.games, cut.deals
        else:
            results = run_study(
                plan,
                out,
                workers=team,
                command=command,
                progress=progress,
                tables=planned.tables,
                stopping_rule=stopping_rule,
            )
            frames, games, deals = results.frames, results.games, results.manifest["deals"]
            page = _page(results, plan.game)
    if json:
        tables = {name: json_rows(frame) for name, frame in frames.items()}
        print_json({"plan": noted_in({**plan.resolved, "deals": deals, "games": games}, notes), "tables": tables})
        return frames
    if plan.until:
        print(
            f"stopped after {deals:,} deals = {games:,} games"
            if deals < plan.deals
            else "not stopped before the last deal"
        )
    if out is not None:
        print(f"{results.played_now:,} games played in {results.seconds:.1f} s; tables: {out / 'tables'}")
        if page is not None:
            print(f"report: {page}")
    return frames


def _page(results: "Results", game: "Game") -> Path | None:
    """The report of a tournament; comparisons and ladders have none."""
    from strozzi_sim.reports.tournament import write_tournament

    if "ratings" not in results.frames:
        return None
    return write_tournament(results.folder, results.manifest, results.frames, game)


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
    return columns_of(rows)


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
