"""tournament, compare, ladder, exploit, leak-check: what these commands print."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from strozzi_sim.cli import options
from strozzi_sim.cli.commands import command
from strozzi_sim.errors import pluralize
from strozzi_sim.questions.compare import compare
from strozzi_sim.questions.exploit import exploit
from strozzi_sim.questions.ladder import ladder
from strozzi_sim.questions.leak_check import leak_check
from strozzi_sim.questions.luck import luck
from strozzi_sim.questions.sweep import sweep
from strozzi_sim.questions.tournament import tournament
from strozzi_sim.questions.weights import weights
from strozzi_sim.questions.worth import worth
from strozzi_sim.runtime.digits import rounded
from strozzi_sim.runtime.text_columns import columns_of

if TYPE_CHECKING:
    from strozzi_sim.simulation.row_dependence import RowCheck
    from strozzi_sim.studies.results import Results

_FEW = 15  # names in a line
_WIDEST = 14  # agents whose pairs still fit a terminal


def _show_tournament(results: "Results", given: dict[str, Any]) -> None:
    from strozzi_sim.game.reporting import pick
    from strozzi_sim.studies.standings import unrated

    if _finish(results, given):
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
    print("\nseats, all games together")
    print(_rows(tables["seat_effects"], ("players", "variant", "seat"), ("win_share", "rank_mean", "score_mean")))
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
        others = [_value(agents.loc[figure, agent]) for figure in ("win_share", "rank_mean", "score_mean")]
        strength = _value(rated.loc["strength", agent])
        place = f"{rank['value']:.0f}" if rank["value"] == rank["value"] else "-"
        rows.append([place, reach, agent, strength, *others, f"{rank['n']:,}"])
    print(columns_of(rows))


def _show_pairs(pairs: Any, order: list[str]) -> None:
    """Print how often the agent of a row finishes ahead of that of a column."""
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


def _show_nash(found: Any) -> None:
    """Print the mixture of agents that no agent beats, and each agent's score against it; most weight first."""
    weights = found.loc["weight"]["value"].to_dict()
    order = sorted(weights, key=lambda agent: (-weights[agent], -found.loc[("score", agent), "value"], agent))
    rows = [["agent", "weight", "score against it", "games"]]
    for agent in order:
        weight, score = found.loc[("weight", agent)], found.loc[("score", agent)]
        rows.append([agent, _value(weight), _value(score), f"{score['n']:,}"])
    print(f"\nNash averaging: the mixture that no agent beats (1/2 is a draw)\n{columns_of(rows)}")


def _show_compare(results: "Results", given: dict[str, Any]) -> None:
    if _finish(results, given):
        return
    tables = results.tables
    if "changes" in tables:
        _show_changes(results)
        return
    of = "agent" if "agent" in tables["sides"] else "variant"
    one, other = tables["difference"].iloc[0][["first", "second"]]
    figures = ("win_share", "rank_mean", "score_mean", "lead_mean")
    saved = tuple(f"{figure}_variance_saved" for figure in figures)
    print(f"\neach by itself\n{_rows(tables['sides'], ('players', of, 'by', 'level'), figures)}")
    keys = ("players", "by", "level")
    print(f"\n{one} - {other}, paired by deal\n{_rows(tables['difference'], keys, figures)}")
    print(f"\nshare of variance that pairing saved\n{_rows(tables['difference'], keys, saved)}")


def _show_changes(results: "Results") -> None:
    """Print the keys in which two variants differ, and what changed: the figures of the whole game, largest change first."""
    from strozzi_sim.reports.changes import changes_in_words

    for line in changes_in_words(results.tables, results.manifest, results.game):
        print(line)


def _show_ladder(results: "Results", given: dict[str, Any]) -> None:
    from strozzi_sim.studies.ladder import flattens_at

    if _finish(results, given):
        return
    table = results.tables["ladder"]
    figures = ("win_share", "rank_mean", "lead_mean")
    print(f"\n{_rows(table, ('step', 'budget', 'against'), figures)}")
    flat = flattens_at(table)
    if flat is None:
        print("every doubling wins or loses more than its fair share: no step is flat yet")
    elif flat == 0:
        print("too few games to determine whether it flattens")
    else:
        twice, once = table[table["step"] == str(flat)].iloc[0][["budget", "against"]]
        print(f"flat from step {flat}: {twice} is not significantly better or worse than {once}")


def _finish(results: "Results", given: dict[str, Any]) -> bool:
    """Print how much was played and where it is; with --json the tables alone, and return True."""
    if given["json"]:
        options.print_tables(results)
        return True
    for line in options.precision_words(results):
        print(line)
    if "until" in results.plan and "precision" not in results.tables:
        played = results.plan["deals"]
        stopped = f"stopped after {pluralize(played, 'deal')} = {pluralize(results.n_games, 'game')}"
        print(stopped if played < given["deals"] else "not stopped before the last deal")
    if results.folder is not None:
        tables = results.folder / "tables"
        print(f"{pluralize(results.new_games, 'game')} played in {results.seconds:.1f} s; tables: {tables}")
    if given["page"] is not None:
        print(f"report: {given['page']}")
    return False


def _rows(table: Any, keys: Sequence[str], figures: Sequence[str]) -> str:
    """Return a tidy table for the terminal: a line for each value of the keys that vary, a column for each figure."""
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
    """Return a figure and its interval."""
    value, low, high = row["value"], row["low"], row["high"]
    if value != value:
        return "-"
    shown, least, most = rounded((value, low, high), (high - low) / 2, 3 if abs(value) < 20 else 1)
    return shown if low != low else f"{shown} ({least} to {most})"


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
    best = shares[shares["chosen"]].iloc[0]
    bound = best["low"] - fair
    print(f"\nthe best response on other deals: {best['challenger']}")
    if bound > 0:
        print(f"{target} loses at least {100 * bound:.1f} points of win share to it")
    else:
        print(f"it does not win significantly more than the fair share {fair:.3f} against {target}")


def _show_leak_check(results: "Results", given: dict[str, Any]) -> int:
    found = results.leak_check
    leak = found.leak
    if given["json"]:
        document: dict[str, Any] = {"ok": leak is None, "agent": found.agent, "game": results.plan["game"]}
        document |= {"decisions": found.decisions, "leak": None if leak is None else leak.where}
        if found.rows is not None:
            document["row_independent"] = found.rows.independent
        if "calibrated" in results.plan:
            document["calibrated"] = results.plan["calibrated"]
        options.print_json(document)
    elif leak is None:
        print(f"{found.agent}: no leak in {found.decisions:,} decisions")
        if found.rows is not None:
            print(_describe_rows(found.rows))
    else:
        print(
            f"{leak.shown}\n\n{found.agent} chose {leak.action!r}, but {leak.moved_to!r} after a change of {leak.changed}"
            f"\n({leak.players} players, seed {leak.seed}, deal {leak.deal}, decision {leak.decision})"
        )
    return 0 if leak is None else 1


def _describe_rows(rows: "RowCheck") -> str:
    if rows.independent:
        return f"In batches: 0 of {rows.rows:,} decisions depend on their place in the batch or on the other rows."
    return (
        f"In batches: {rows.moved:,} of {rows.rows:,} decisions depend on their place in the batch or on the other rows. Studies "
        "repeat to the byte on one type of processor; a game played alone may differ from the same game in a study."
    )


def _show_worth(results: "Results", given: dict[str, Any]) -> None:
    from strozzi_sim.studies.plan import EFFECT
    from strozzi_sim.studies.worth import verdicts

    if _finish(results, given):
        return
    found = list(verdicts(results.tables["worth"], EFFECT))
    for players, agent in dict.fromkeys((line["players"], line["agent"]) for line in found):
        rows = [["thing", "win share lost", "score lost", "used", "wins of its users", "verdict"]]
        lines = [line for line in found if (line["players"], line["agent"]) == (players, agent)]
        for line in sorted(lines, key=lambda line: -line["win_share_lost"].value):
            rows.append([line["thing"], *_worth_cells(line), line["verdict"] + (" (!)" if line["misleads"] else "")])
        print(f"\n{players} players, {agent}; a fair share is {100 / players:.1f} %\n{columns_of(rows)}")
    print(
        "\nLost: by the agent that does without, against the same deals without restrictions; positive: worth having. Users: the share of "
        "wins of those who use it, which also counts what else they do; (!) marks where it points elsewhere."
    )


def _worth_cells(line: Mapping[str, Any]) -> list[str]:
    """Return the figures of a thing as text: points of win share, score, how often it is used, wins of its users."""
    shares = [line.get("popularity"), line.get("naive_win_share")]
    told = ["-" if row is None or row.value != row.value else _per_cent(row) for row in shares]
    return [_points(line["win_share_lost"]), _value(line["score_lost"]._asdict()), *told]


def _per_cent(row: Any) -> str:
    """Return a share in per cent, without its interval."""
    return f"{rounded((100 * row.value,), 50 * (row.high - row.low), 1)[0]} %"


def _points(row: Any) -> str:
    """Return a difference of shares in points, with its interval."""
    if row.low != row.low:
        return "-"
    ends = tuple(100 * each for each in (row.value, row.low, row.high))
    value, low, high = (
        each if each.startswith("-") or not each.strip("0.") else f"+{each}"
        for each in rounded(ends, (ends[2] - ends[1]) / 2, 1)
    )
    return f"{value} ({low} to {high})"


def _show_luck(results: "Results", given: dict[str, Any]) -> None:
    if _finish(results, given):
        return
    table = results.tables["luck"]
    for (players, lineup), here in table.groupby(["players", "lineup"], sort=False):
        shares = here[here["figure"] == "variance_share"]
        won = shares[shares["outcome"] == "win"].set_index("source")
        figures = here[here["source"] == "all"].set_index(["outcome", "figure"])
        told = ", ".join(f"{_per_cent(won.loc[source])} {words}" for source, words in _SOURCES.items())
        print(f"\n{players} players, {lineup}\nof what decides who wins: {told}\n")
        rows = [["source of variance, %", "wins", "scores"]]
        for source, words in _SOURCES.items():
            of = {
                outcome: shares[(shares["outcome"] == outcome) & (shares["source"] == source)].iloc[0]
                for outcome in ("win", "score")
            }
            rows.append([words, *(_points(row).replace("+", "") for row in of.values())])
        print(columns_of(rows))
        length, minutes = (figures.loc[("game", name)] for name in ("decisions_mean", "minutes_mean"))
        print(
            f"\n{_value(length)} decisions in a game: {_value(minutes)} minutes, if each takes {given['seconds']:g} seconds (an assumption)"
        )
    print("\nShares are of these agents; with two players what the deal does cannot be told from chance in play.")


_SOURCES = {
    "agents": "the agents",
    "seats": "the seats",
    "agents_at_seats": "which agent sits where",
    "deal": "the deal, for all alike",
    "deal_of_seat": "what the deal gives a seat",
    "deal_of_agent": "what the deal gives an agent",
    "rest": "how the games went",
}


def _first_few(names: Sequence[str]) -> str:
    """Return names in a line; of many the first ones."""
    more = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f", and {more} more (--json has all)" if more > 0 else "")


def _show_weights(results: "Results", given: dict[str, Any]) -> None:
    if _finish(results, given):
        return
    from strozzi_sim.studies.weights import HEAVY, NOTHING, REAL

    table = results.tables["weights"]
    shares = table[table["figure"] == "win_share"]
    ten = shares[shares["status"] == HEAVY]
    by = "seat" if len(shares) and shares["by"].iloc[0] == "seat" else "position"
    rows = [
        [
            "number",
            "from",
            "to",
            *(f"{by} {level}, points" for level in sorted(shares["level"].unique())),
            "gap, points",
            "score",
            "length",
        ]
    ]
    for key, of_step in table[table["status"] == HEAVY].groupby(["key", "from", "to"], sort=False):
        figures = {(row.figure, row.level): row for row in of_step.itertuples(index=False)}
        own = [_points(row) for (figure, _), row in figures.items() if figure in ("win_share", "seat_gap")]
        others = [_value(figures[figure, 0]._asdict()) for figure in ("score_mean", "decisions_mean")]
        rows.append([str(key[0]), f"{key[1]:g}", f"{key[2]:g}", *own, *others])
    if len(ten):
        most = ten.loc[ten["value"].abs().idxmax()]
        print(
            f"what moves the shares of wins most is {most['key']}: from {most['from']:g} to {most['to']:g}, {by} {most['level']} wins "
            f"{_points(most)} points more\n\n{columns_of(rows)}"
        )
    groups = table.groupby("status")["key"].unique()
    for status, words in ((REAL, "change something, but less"), (NOTHING, f"{NOTHING} at this number of deals")):
        if status in groups:
            print(f"\n{len(groups[status])} {words}: {_first_few(groups[status])}")
    refused = results.manifest["refused"]
    if refused:
        print(f"\n{len(refused)} steps make no valid box: {_first_few(list(refused))}")
    print(
        f"\n{pluralize(results.n_games, 'game')} in {results.seconds:.0f} s; the ten on deals on which nothing was chosen"
    )


def _show_sweep(results: "Results", given: dict[str, Any]) -> None:
    if _finish(results, given):
        return
    if "best" in results.tables:
        _show_best(results)
        return
    table = results.tables["sweep"]
    keys = list(results.manifest["report"]["sweep"])
    figures = ("seat_gap", "score_mean", "margin_mean", "decisions_mean")
    cells = [column for column in ("players", "lineup") if table[column].nunique() > 1]
    print(f"\n{_rows(table, (*cells, *keys), [figure for figure in figures if figure in set(table['figure'])])}")
    options.print_status("tables/sweep has every figure; --best FIGURE searches the value with the lowest one")


def _show_best(results: "Results") -> None:
    """Print the race for the best value: the finalists, and how many were worse."""
    table = results.tables["best"]
    keys = list(table.columns[1 : list(table.columns).index("status")])
    figure = table["figure"].iloc[0]
    rows = [[*keys, figure.replace("_", " "), "minus the winner", "deals", "status"]]
    for row in table.to_dict("records"):
        less = {"value": row["minus_winner"], "low": row["minus_winner_low"], "high": row["minus_winner_high"]}
        rows.append([*(f"{row[key]:g}" for key in keys), _value(row), _value(less), f"{row['deals']:,}", row["status"]])
    print(f"\n{columns_of(rows)}\n{pluralize(results.n_games, 'game')}; finalists on deals on which none was chosen")


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
    "sweep": command(sweep, _show_sweep, "Example: strozzi sweep experiments/strozzi_bonus.toml --best seat_gap"),
    "luck": command(luck, _show_luck, "Example: strozzi luck strozzi --players 3-6"),
    "weights": command(weights, _show_weights, "Example: strozzi weights strozzi --players 4"),
    "worth": command(worth, _show_worth, "Example: strozzi worth strozzi 'flag:*' --players 4 --deals 2000"),
    "ladder": command(
        ladder, _show_ladder, "Example: strozzi ladder strozzi greedy --param margin --from 4 --steps 3 --deals 200"
    ),
    "exploit": command(
        exploit, _show_exploit, "Example: strozzi exploit strozzi greedy --players 4 --generations 6"
    ),
    "leak-check": command(
        leak_check, _show_leak_check, "Example: strozzi leak-check strozzi greedy:margin=4 --players 3-6 --deals 20",
        words={"": "Check that an agent's choices depend only on what its seat knows in the current game; exit with 1 if not."},
    ),
}  # fmt: skip
