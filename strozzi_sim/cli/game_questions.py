"""worth, sweep, weights, luck, our-table: what the commands about a game print."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from strozzi_sim.cli import options
from strozzi_sim.cli.commands import command
from strozzi_sim.cli.estimates import estimate_text, figure_rows, finish, per_cent, points, print_without_luck
from strozzi_sim.errors import pluralize
from strozzi_sim.questions.luck import luck
from strozzi_sim.questions.our_table import our_table
from strozzi_sim.questions.sweep import sweep
from strozzi_sim.questions.weights import weights
from strozzi_sim.questions.worth import worth
from strozzi_sim.runtime.digits import rounded
from strozzi_sim.runtime.text_columns import columns_of

if TYPE_CHECKING:
    from strozzi_sim.studies.results import Results

_FEW = 15  # names in a line
_MOST_PAIRS = 5  # of numbers that work together


def _show_worth(results: "Results", given: dict[str, Any]) -> None:
    from strozzi_sim.studies.plan import EFFECT
    from strozzi_sim.studies.worth import verdicts

    if finish(results, given):
        return
    found = list(verdicts(results.tables["worth"], EFFECT))
    for players, agent in dict.fromkeys((line["players"], line["agent"]) for line in found):
        rows = [["thing", "win share lost", "score lost", "used", "wins of its users", "verdict"]]
        lines = [line for line in found if (line["players"], line["agent"]) == (players, agent)]
        for line in sorted(lines, key=lambda line: -line["win_share_lost"].value):
            rows.append([line["thing"], *_worth_cells(line), line["verdict"] + (" (!)" if line["misleads"] else "")])
        print(f"\n{players} players, {agent}; a fair share is {100 / players:.1f} %\n{columns_of(rows)}")
    print_without_luck(results.tables["worth"], ("players", "agent", "thing"))
    print(
        "\nLost: by the agent that does without, against the same deals without restrictions; positive: worth having. Users: the share of "
        "wins of those who use it, which also counts what else they do; (!) marks where it points elsewhere."
    )


def _worth_cells(line: Mapping[str, Any]) -> list[str]:
    """Return the figures of a thing as text: points of win share, score, how often it is used, wins of its users."""
    shares = [line.get("popularity"), line.get("naive_win_share")]
    told = ["-" if row is None or row.value != row.value else per_cent(row) for row in shares]
    return [points(line["win_share_lost"]), estimate_text(line["score_lost"]._asdict()), *told]


def _show_luck(results: "Results", given: dict[str, Any]) -> None:
    if finish(results, given):
        return
    from strozzi_sim.reports.comparisons import SOURCES

    table = results.tables["luck"]
    for (players, lineup), here in table.groupby(["players", "lineup"], sort=False):
        shares = here[here["figure"] == "variance_share"]
        won = shares[shares["outcome"] == "win"].set_index("source")
        figures = here[here["source"] == "all"].set_index(["outcome", "figure"])
        told = ", ".join(f"{per_cent(won.loc[source])} {words}" for source, words in SOURCES.items())
        print(f"\n{players} players, {lineup}\nof what decides who wins: {told}\n")
        rows = [["source of variance, %", "wins", "scores"]]
        for source, words in SOURCES.items():
            of = {
                outcome: shares[(shares["outcome"] == outcome) & (shares["source"] == source)].iloc[0]
                for outcome in ("win", "score")
            }
            rows.append([words, *(points(row).replace("+", "") for row in of.values())])
        print(columns_of(rows))
        length, minutes = (figures.loc[("game", name)] for name in ("decisions_mean", "minutes_mean"))
        print(
            f"\n{estimate_text(length)} decisions in a game: {estimate_text(minutes)} minutes, if each takes {given['seconds']:g} seconds (an assumption)"
        )
    print("\nShares are of these agents; with two players what the deal does cannot be told from chance in play.")
    _show_streams(results.tables["streams"])
    _show_index(results.tables["index"])
    if "drama" in results.tables:
        _show_drama(results.tables["drama"], given["playouts"])


def _show_streams(table: Any) -> None:
    """Print what each source of chance decides, by strength of play."""
    found = {
        (*row[:4], row.outcome, row.figure): points(row).replace("+", "")
        for row in table[
            ["players", "strength", "agent", "source", "outcome", "figure", "value", "low", "high"]
        ].itertuples(index=False)
    }
    columns = [("win", "first_order"), ("win", "total"), ("score", "first_order"), ("score", "total")]
    rows = [["players", "agent", "source of chance, %", "wins: alone", "with others", "scores: alone", "with others"]]
    for players, strength, agent, source in dict.fromkeys(key[:4] for key in found):
        cells = [found.get((players, strength, agent, source, *column), "-") for column in columns]
        rows.append([str(players), agent, source, *cells])
    print(
        f"\n{columns_of(rows)}\n\nAlone: what it decides whatever the rest is; with others: what is left open as long as it is."
    )


def _show_index(table: Any) -> None:
    """Print the skill-luck index by strength of play, and the published games that it is between."""
    from strozzi_sim.studies.skill_luck import INDEX, LUCK, PUBLISHED, SKILL, between

    rows = [["players", "agent", "skill K", "luck L", "index S", "among published games", "games"]]
    for (players, agent), here in table.groupby(["players", "agent"], sort=False):
        figures = here.set_index("figure")
        cells = [estimate_text(figures.loc[name]) for name in (SKILL, LUCK, INDEX)]
        index = figures.loc[INDEX]
        rows.append([str(players), agent, *cells, between(index["low"], index["high"]), f"{figures.loc[SKILL, 'n']:,}"])
    known = ", ".join(f"{name} {level:g}" for name, level in PUBLISHED.items())
    print(
        f"\n{columns_of(rows)}\n\nS = (K - L) / (K + L) (Silver 2025, arXiv 2511.11611; published: {known}). K: this agent among random players, 1 if it "
        "always wins; the best play may have more. L: how much its games change with chance drawn anew, 1 if a die decides. Games in which good players always beat "
        "random ones and chance is fresh are all at 0."
    )


def _show_drama(table: Any, playouts: int) -> None:
    """Print how games went, by strength of play."""
    rows = [["players", "agent", *_DRAMA.values(), "games"]]
    for (players, agent), here in table.groupby(["players", "agent"], sort=False):
        figures = here.set_index("figure")
        cells = []
        for figure in _DRAMA:
            row = figures.loc[figure] if figure in figures.index else None
            share = row is not None and not figure.startswith("lead")
            cells.append("-" if row is None else points(row).replace("+", "") if share else estimate_text(row))
        rows.append([str(players), agent, *cells, str(int(figures.loc["decided_mean", "n"]))])
    print(
        f"\n{columns_of(rows)}\n\nChances from {playouts} play-outs that know all hands: decided, once those of the winners stay at 95 % or more; "
        "a leader is clearly ahead of the next, by 10 points or more; a king is made where a seat that cannot win moves a rival's chance by 10 points."
    )


_DRAMA = {
    "decided_mean": "decided after, % of the game",
    "runaway_share": "decided in the first half, %",
    "lead_changes_mean": "changes of leader",
    "winner_lowest_mean": "winner's lowest chance, %",
    "kingmaking_share": "decisions that make a king, %",
}


def _show_our_table(results: "Results", given: dict[str, Any]) -> None:
    if "template" in results.plan:
        print(f"template: {results.plan['template']}")
        return
    if given["json"]:
        options.print_tables(results)
        return
    from strozzi_sim.reports.findings import PLAY, headline_by_strength, strength_of
    from strozzi_sim.studies.score_sheets import FIGURES

    tables, plan = results.tables, results.plan
    fit = tables["fit"].set_index("tier")
    best = fit.loc[plan["best"]]
    games, strength = sum(plan["sheets"].values()), strength_of(plan["best"], best["agent"])
    print(
        f"these {games} games fit {PLAY[strength]} ({best['agent']}) best: {_probability(best['probability'])} if one of these is right"
    )
    rows = [["strength", "agent", "probability", "simulated games"]]
    rows += [
        [tier, row["agent"], _probability(row["probability"]), f"{row['simulated']:,}"] for tier, row in fit.iterrows()
    ]
    print(f"\n{columns_of(rows)}")
    outside = int((tables["figures"]["inside"] == 0).sum())
    rows = [["", "your games", f"{games} such games of {best['agent']}", ""]]
    for row in tables["figures"].itertuples(index=False):
        ends = rounded((row.value, row.band_low, row.band_high), (row.band_high - row.band_low) / 2, 3)
        rows.append([FIGURES[row.figure], ends[0], f"{ends[1]} to {ends[2]}", "" if row.inside else "outside"])
    print(
        f"\n{outside or 'none'} of {len(tables['figures'])} figures outside what such games give (95 %, all together); "
        f"a difference that stays within the band could be missed\n{columns_of(rows)}"
    )
    print(f"\n{headline_by_strength(tables, {strength: best['agent']})}")
    if plan["ignored"]:
        print(f"not read: the columns {', '.join(plan['ignored'])}")


def _probability(value: float) -> str:
    """Return a probability in per cent, never as certain."""
    return "below 1 %" if value < 0.01 else "above 99 %" if value > 0.99 else f"{100 * value:.0f} %"


def _first_few(names: Sequence[str]) -> str:
    """Return names in a line; of many the first ones."""
    more = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f", and {more} more (--json has all)" if more > 0 else "")


def _show_weights(results: "Results", given: dict[str, Any]) -> None:
    if finish(results, given):
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
        own = [points(row) for (figure, _), row in figures.items() if figure in ("win_share", "seat_gap")]
        others = [estimate_text(figures[figure, 0]._asdict()) for figure in ("score_mean", "decisions_mean")]
        rows.append([str(key[0]), f"{key[1]:g}", f"{key[2]:g}", *own, *others])
    if len(ten):
        most = ten.loc[ten["value"].abs().idxmax()]
        print(
            f"what moves the shares of wins most is {most['key']}: from {most['from']:g} to {most['to']:g}, {by} {most['level']} wins "
            f"{points(most)} points more\n\n{columns_of(rows)}"
        )
    if "interactions" in results.tables:
        _show_interactions(results.tables["interactions"], results.manifest["left_out"])
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


def _show_interactions(table: Any, left_out: int) -> None:
    """Print what each of the heaviest numbers decides by itself and with others, and the pairs that work together."""
    if table.empty:
        print("\nno two numbers matter, so none work together")
        return
    found = {(row.outcome, row.figure, row.key): row for row in table[table["other"] == ""].itertuples(index=False)}
    rows = [["number, % of the variance", "wins: alone", "with others", "score: alone", "with others"]]
    columns = [(outcome, figure) for outcome in ("win_share", "score_mean") for figure in ("first_order", "total")]
    for key in dict.fromkeys(table["key"]):
        rows.append([key, *(points(found[(*column, key)]).replace("+", "") for column in columns)])
    print(f"\nthe ten sampled together over a step down, the value and a step up\n{columns_of(rows)}")
    called = {"win_share": "wins", "score_mean": "the score"}
    pairs = table[table["other"] != ""].sort_values("value", ascending=False, kind="stable")
    for row in pairs.head(_MOST_PAIRS).itertuples(index=False):
        print(
            f"{row.key} and {row.other} together: {points(row)} % of the variance of {called[row.outcome]}, beyond what each decides"
        )
    if pairs.empty:
        print("no two of them are known to work together")
    if len(pairs) > _MOST_PAIRS:
        print(f"{len(pairs) - _MOST_PAIRS} more pairs decide less (--json has all)")
    if left_out:
        print(f"{pluralize(left_out, 'sample')} left out: no valid box")


def _show_sweep(results: "Results", given: dict[str, Any]) -> None:
    if finish(results, given):
        return
    if "best" in results.tables:
        _show_best(results)
        return
    from strozzi_sim.reports.sweep_pictures import sweep_of

    caveats = sweep_of(results.manifest, results.tables, results.game).caveats()
    for sentence in (*results.findings, *(f"{line.replace('`', '')}." for line in caveats)):
        print(f"\n{sentence}")
    table = results.tables["sweep"]
    keys = list(results.manifest["report"]["sweep"])
    figures = ("seat_gap", "score_mean", "margin_mean", "decisions_mean")
    cells = [column for column in ("players", "lineup") if table[column].nunique() > 1]
    print(f"\n{figure_rows(table, (*cells, *keys), [figure for figure in figures if figure in set(table['figure'])])}")
    options.print_status("tables/sweep has every figure; --best FIGURE searches the value with the lowest one")


def _show_best(results: "Results") -> None:
    """Print the race for the best value: the finalists, and how many were worse."""
    table = results.tables["best"]
    keys = list(table.columns[1 : list(table.columns).index("status")])
    figure = table["figure"].iloc[0]
    rows = [[*keys, figure.replace("_", " "), "minus the winner", "deals", "status"]]
    for row in table.to_dict("records"):
        less = {"value": row["minus_winner"], "low": row["minus_winner_low"], "high": row["minus_winner_high"]}
        rows.append(
            [
                *(f"{row[key]:g}" for key in keys),
                estimate_text(row),
                estimate_text(less),
                f"{row['deals']:,}",
                row["status"],
            ]
        )
    print(f"\n{columns_of(rows)}\n{pluralize(results.n_games, 'game')}; finalists on deals on which none was chosen")
    if "precision" in results.plan:
        winner = table.iloc[0]
        wanted = results.plan["precision"]
        known = "is" if 50 * (winner["high"] - winner["low"]) <= wanted else "is not"
        print(
            f"the winner's {figure.replace('_', ' ')} {known} known to +- {wanted:g} points, after {pluralize(int(winner['deals']), 'deal')} "
            "(intervals of finalists valid whenever it stops)"
        )


COMMANDS = {
    "sweep": command(sweep, _show_sweep, "Example: strozzi sweep experiments/strozzi_bonus.toml --best seat_gap"),
    "luck": command(luck, _show_luck, "Example: strozzi luck strozzi --players 3-6"),
    "our-table": command(
        our_table, _show_our_table, "Example: strozzi our-table strozzi sheets.csv",
        words={"file": "score sheets (CSV): one line a game, columns `seat 0`, `seat 1`, .. with the final scores"},
    ),
    "weights": command(weights, _show_weights, "Example: strozzi weights strozzi --players 4"),
    "worth": command(worth, _show_worth, "Example: strozzi worth strozzi 'flag:*' --players 4 --deals 2000"),
}  # fmt: skip
