"""tournament, compare, exploit, leak-check: what the commands about agents print."""

from typing import TYPE_CHECKING, Any

from strozzi_sim.cli import options
from strozzi_sim.cli.commands import command
from strozzi_sim.cli.estimates import estimate_text, figure_rows, finish, print_without_luck
from strozzi_sim.questions.compare import compare
from strozzi_sim.questions.exploit import exploit
from strozzi_sim.questions.leak_check import leak_check
from strozzi_sim.questions.tournament import tournament
from strozzi_sim.runtime.digits import rounded
from strozzi_sim.runtime.text_columns import columns_of

if TYPE_CHECKING:
    from strozzi_sim.studies.results import Results

_WIDEST = 14  # agents whose pairs still fit a terminal


def _show_tournament(results: "Results", given: dict[str, Any]) -> None:
    from strozzi_sim.game.reporting import pick
    from strozzi_sim.studies.standings import unrated

    if finish(results, given):
        return
    tables = results.tables
    from strozzi_sim.reports.dominance import dominance_sentences, field_orders

    for sentence in dominance_sentences(field_orders(tables, results.plan["chunks"])):
        print(f"\n{sentence}")
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
    print_without_luck(tables["agents"], ("players", "variant", "agent"))
    print("\nseats, all games together")
    print(figure_rows(tables["seat_effects"], ("players", "variant", "seat"), ("win_share", "rank_mean", "score_mean")))
    strengths = tables["ratings"].query("figure == 'strength'")
    if unrated(tables["ratings"]):
        options.print_status(
            "the fit of strengths did not converge: there are no strengths and ranks; the other figures are valid"
        )
    elif strengths["low"].isna().any():
        options.print_status(
            "an agent was never ahead of another, or there are too few deals: strengths have no interval"
        )


def _show_standing(agents: Any, rated: Any, order: list[str]) -> None:
    """Print one line per agent, best first."""
    rows = [["rank", "(95 %)", "agent", "strength", "win share", "mean rank", "mean score", "games"]]
    for agent in order:
        rank = rated.loc["rank", agent]
        reach = "" if rank["low"] != rank["low"] else f"{rank['low']:.0f}-{rank['high']:.0f}"
        others = [estimate_text(agents.loc[figure, agent]) for figure in ("win_share", "rank_mean", "score_mean")]
        strength = estimate_text(rated.loc["strength", agent])
        place = f"{rank['value']:.0f}" if rank["value"] == rank["value"] else "-"
        rows.append([place, reach, agent, strength, *others, f"{rank['n']:,}"])
    print(columns_of(rows))


def _show_pairs(pairs: Any, order: list[str]) -> None:
    """Print how often the agent of a row finishes ahead of that of a column."""
    from strozzi_sim.stats.precision import reach

    rows = [["", *(f"{k + 1}" for k in range(len(order)))]]
    for k, agent in enumerate(order):
        cells = [
            estimate_text(pairs.loc[(agent, other)]).split(" ")[0] if (agent, other) in pairs.index else "-"
            for other in order
        ]
        rows.append([f"{k + 1} {agent}", *cells])
    widest = reach(pairs["value"], pairs["low"], pairs["high"]).max()
    fewest = pairs["n"].min()
    within = f"at most +-{widest:.3f}, " if widest == widest else ""
    print(f"\nahead of (row of column; {within}at least {fewest:,} games a pair)\n{columns_of(rows)}")


def _show_nash(found: Any) -> None:
    """Print the mixture of agents that no agent beats, and each agent's score against it; most weight first."""
    weights = found.loc["weight"]["value"].to_dict()
    order = sorted(weights, key=lambda agent: (-weights[agent], -found.loc[("score", agent), "value"], agent))
    rows = [["agent", "weight", "score against it", "games"]]
    for agent in order:
        weight, score = found.loc[("weight", agent)], found.loc[("score", agent)]
        rows.append([agent, estimate_text(weight), estimate_text(score), f"{score['n']:,}"])
    print(f"\nNash averaging: the mixture that no agent beats (1/2 is a draw)\n{columns_of(rows)}")


def _show_compare(results: "Results", given: dict[str, Any]) -> None:
    if finish(results, given):
        return
    tables = results.tables
    if "changes" in tables:
        _show_changes(results)
        return
    for sentence in results.findings:
        print(f"\n{sentence}")
    of = "agent" if "agent" in tables["sides"] else "variant"
    one, other = tables["difference"].iloc[0][["first", "second"]]
    figures = ("win_share", "rank_mean", "score_mean", "lead_mean")
    saved = tuple(f"{figure}_variance_saved" for figure in figures)
    print(f"\neach by itself\n{figure_rows(tables['sides'], ('players', of, 'by', 'level'), figures)}")
    keys = ("players", "by", "level")
    print(f"\n{one} - {other}, paired by deal\n{figure_rows(tables['difference'], keys, figures)}")
    print(f"\nshare of variance that pairing saved\n{figure_rows(tables['difference'], keys, saved)}")
    print_without_luck(tables["difference"], keys)


def _show_changes(results: "Results") -> None:
    """Print the keys in which two variants differ, and what changed: the figures of the whole game, largest change first."""
    from strozzi_sim.reports.changes import changes_in_words

    for line in changes_in_words(results.tables, results.manifest, results.game):
        print(line)


def _show_exploit(results: "Results", given: dict[str, Any]) -> None:
    if given["json"]:
        options.print_tables(results)
        return
    table, target, fair = results.tables["challengers"], results.plan["agent"], 1 / results.plan["players"]
    shares = table[table["figure"] == "win_share"]
    rows = [["win share", "95 % interval", "n", "challenger"]]
    for row in shares.itertuples(index=False):
        share, low, high = rounded((row.value, row.low, row.high), (row.high - row.low) / 2, 3)
        rows.append([share, f"{low} to {high}", f"{row.n:,}", row.challenger])
    print(columns_of(rows))
    if shares["low"].isna().all():
        print("\ntoo few held-out deals for an interval")
        return
    _show_bound(shares, target, fair)


def _show_bound(shares: Any, target: str, fair: float) -> None:
    best = shares[shares["chosen"]].iloc[0]
    bound = best["low"] - fair
    print(f"\nthe best response on other deals: {best['challenger']}")
    if bound > 0:
        print(f"{target} loses at least {100 * bound:.1f} points of win share to it")
    else:
        from strozzi_sim.game.missed import missed

        size = missed(best["high"] - fair, what="a gain")
        print(f"it does not win significantly more than the fair share {fair:.3f} against {target}: {size}")


def _show_leak_check(results: "Results", given: dict[str, Any]) -> int:
    found = results.leak_check
    leak = found.leak
    if given["json"]:
        document: dict[str, Any] = {"ok": leak is None, "agent": found.agent, "game": results.plan["game"]}
        document |= {"decisions": found.decisions, "leak": None if leak is None else leak.where}
        options.print_json(document)
    elif leak is None:
        print(f"{found.agent}: no leak in {found.decisions:,} decisions")
    else:
        print(
            f"{leak.shown}\n\n{found.agent} chose {leak.action!r}, but {leak.moved_to!r} after a change of {leak.changed}"
            f"\n({leak.players} players, seed {leak.seed}, deal {leak.deal}, decision {leak.decision})"
        )
    return 0 if leak is None else 1


COMMANDS = {
    "tournament": command(
        tournament,
        _show_tournament,
        "Example: strozzi tournament strozzi --players 4 --agents random,greedy,heuristic,florence,racer --deals 200",
    ),
    "compare": command(
        compare,
        _show_compare,
        "Example: strozzi compare strozzi greedy florence --players 4 --opponents heuristic --deals 1000",
    ),
    "exploit": command(
        exploit, _show_exploit, "Example: strozzi exploit strozzi greedy --players 4 --generations 6"
    ),
    "leak-check": command(
        leak_check, _show_leak_check, "Example: strozzi leak-check strozzi greedy:margin=4 --players 3-6 --deals 20",
        words={"": "Check that an agent's choices depend only on what its seat knows in the current game; exit with 1 if not."},
    ),
}  # fmt: skip
