"""worth, sweep, weights, luck, our-table: what the commands about a game print."""

from collections.abc import Mapping
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


def _show_worth(results: "Results", given: dict[str, Any]) -> None:
    from strozzi_sim.game import find_game
    from strozzi_sim.game.restricting import occasions
    from strozzi_sim.studies.plan import EFFECT
    from strozzi_sim.studies.worth import ranked, verdicts

    if finish(results, given):
        return
    found = list(verdicts(results.tables["worth"], EFFECT))
    counted_of = occasions(find_game(given["game"]), {line["thing"] for line in found})
    for players, agent in dict.fromkeys((line["players"], line["agent"]) for line in found):
        rows = [["thing", "win share lost", "score lost", "used", "wins of its users", "verdict"]]
        lines = [line for line in found if (line["players"], line["agent"]) == (players, agent)]
        for line in ranked(lines):
            mark = " (!)" if line["misleads"] else ""
            rows.append([line["thing"], *_worth_cells(line, counted_of[line["thing"]]), line["verdict"] + mark])
        print(f"\n{players} players, {agent}; a fair share is {100 / players:.1f} %\n{columns_of(rows)}")
    print_without_luck(results.tables["worth"], ("players", "agent", "thing"))
    print(
        "\nLost: by the agent that does without, against the same deals without restrictions; positive: worth "
        "having. Where it then hardly wins "
        "a game, the score lost decides the order. Used: in what share of a seat's rounds, games or other occasions. "
        "Users: the share of "
        "wins of those who use it, each use counted, which also counts what else they do; (!) marks where it points "
        "elsewhere."
    )


def _worth_cells(line: Mapping[str, Any], counted_of: str) -> list[str]:
    """Return the figures of a thing as text: points of win share, score, how often it is used, wins of its users.

    Args:
        line: the thing, as `verdicts` yields it.
        counted_of: what its uses are counted of, in words.
    """
    shares = [line.get("popularity"), line.get("naive_win_share")]
    used, won = ("-" if row is None or row.value != row.value else per_cent(row) for row in shares)
    used += f" of {counted_of}" if counted_of and used != "-" else ""
    return [points(line["win_share_lost"]), estimate_text(line["score_lost"]._asdict()), used, won]


def _list_things(given: Mapping[str, Any]) -> bool:
    """List what can be measured and how to ask for it, where nothing is asked; return whether that is so."""
    if given["things"] or given["every"]:
        return False
    from strozzi_sim.errors import ArgumentError
    from strozzi_sim.game import find_game
    from strozzi_sim.game.restricting import described_things
    from strozzi_sim.studies.lookup import find_variants

    game = find_game(given["game"])
    (variant,) = find_variants(game, given["variant"] or "base")
    known = described_things(game, variant)
    if not known:
        raise ArgumentError("game", f"{game.name} has no restrictions")
    if given["json"]:
        options.print_json([{"thing": name, "about": about} for name, about in known.items()])
        return True
    print(f"{len(known)} things of {game.title} whose worth can be measured, by a player who must do without:\n")
    print(columns_of([["thing", "without it"], *([name, about] for name, about in known.items())]))
    first = next(iter(known))
    print(
        f"\nOne of them: strozzi worth {game.name} {first}; several by name or pattern: '{first.partition(':')[0]}:*'; all: --all."
    )
    return True


def _show_luck(results: "Results", given: dict[str, Any]) -> None:
    if finish(results, given):
        return
    from strozzi_sim.reports.comparisons import SOURCES
    from strozzi_sim.reports.luck import course_sentences, field_name, who_plays

    table = results.tables["luck"]
    print("\n" + "\n".join([who_plays(results.tables, results.game.title), *course_sentences(results.tables)]))
    for (players, lineup), here in table.groupby(["players", "lineup"], sort=False):
        shares = here[here["figure"] == "variance_share"]
        figures = here[here["source"] == "all"].set_index(["outcome", "figure"])
        rows = [["source of variance, %", "wins", "scores"]]
        for source, words in SOURCES.items():
            of = {
                outcome: shares[(shares["outcome"] == outcome) & (shares["source"] == source)].iloc[0]
                for outcome in ("win", "score")
            }
            rows.append([words, *(points(row).replace("+", "") for row in of.values())])
        length, minutes = (figures.loc[("game", name)] for name in ("decisions_mean", "minutes_mean"))
        print(
            f"\n{players} players, {field_name(lineup)}: {estimate_text(length)} decisions in a game, {estimate_text(minutes)} minutes\n{columns_of(rows)}"
        )
    print("\nShares are of these agents; with two players what the deal does cannot be told from chance in play.")
    if "drama" in results.tables:
        _show_drama(results.tables["drama"], given["playouts"])


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


def _show_weights(results: "Results", given: dict[str, Any]) -> None:
    if finish(results, given):
        return
    from strozzi_sim.reports.weights import first_few, weights_sentences
    from strozzi_sim.studies.weights import HEAVY

    table = results.tables["weights"]
    headline, groups = weights_sentences(table)
    print(headline)
    heavy = table[table["status"] == HEAVY]
    if len(heavy):
        print(f"\n{columns_of(_weights_rows(heavy))}")
    for sentence in groups:
        print(f"\n{sentence}")
    refused = results.manifest["refused"]
    if refused:
        print(f"\n{len(refused)} steps make no valid box: {first_few(list(refused))}")
    listed = "; intervals of those listed are 95 %, on deals on which nothing was chosen" if len(heavy) else ""
    print(
        f"\n{pluralize(results.n_games, 'game')} in {results.seconds:.0f} s{listed}; what is said of several "
        "numbers, places included, holds "
        "for all at once (95 %)"
    )


def _weights_rows(heavy: Any) -> list[list[str]]:
    """Return the figures of the numbers that matter most, a row for each step, and the places that they can have."""
    shares = heavy[heavy["figure"] == "win_share"]
    own_columns = (f"{shares['by'].iloc[0]} {level}, points" for level in sorted(shares["level"].unique()))
    rows = [["number", "place", "from", "to", *own_columns, "gap, points", "score", "length"]]
    for key, of_step in heavy.groupby(["key", "from", "to"], sort=False):
        figures = {(row.figure, row.level): row for row in of_step.itertuples(index=False)}
        own = [points(row) for (figure, _), row in figures.items() if figure in ("win_share", "seat_gap")]
        others = [estimate_text(figures[figure, 0]._asdict()) for figure in ("score_mean", "decisions_mean")]
        low, high = of_step["place_low"].iloc[0], of_step["place_high"].iloc[0]
        place = f"{low}" if low == high else f"{low} to {high}"
        rows.append([str(key[0]), place, f"{key[1]:g}", f"{key[2]:g}", *own, *others])
    return rows


def _show_sweep(results: "Results", given: dict[str, Any]) -> None:
    if finish(results, given):
        return
    from strozzi_sim.reports.sweep_pictures import sweep_of

    swept = sweep_of(results.manifest, results.tables, results.game)
    for sentence in (*results.findings, *(f"{line.replace('`', '')}." for line in swept.caveats())):
        print(f"\n{sentence}")
    table = swept.ranked()
    figures = ("seat_gap", "score_mean", "margin_mean", "decisions_mean")
    cells = [column for column in ("players", "lineup") if table[column].nunique() > 1]
    shown = [figure for figure in figures if figure in set(table["figure"])]
    print(f"\n{figure_rows(table, (*cells, *swept.keys, 'seats'), shown)}")
    options.print_status("tables/sweep has every figure")


COMMANDS = {
    "sweep": command(sweep, _show_sweep, "Example: strozzi sweep experiments/strozzi_bonus.toml"),
    "luck": command(luck, _show_luck, "Example: strozzi luck strozzi --players 3-6"),
    "our-table": command(
        our_table, _show_our_table, "Example: strozzi our-table strozzi sheets.csv",
        words={"file": "score sheets (CSV): one line a game, columns `seat 0`, `seat 1`, .. with the final scores"},
    ),
    "weights": command(weights, _show_weights, "Example: strozzi weights strozzi --players 4"),
    "worth": command(
        worth, _show_worth, "Example: strozzi worth strozzi 'flag:*' --players 4 --deals 2000", instead=_list_things
    ),
}  # fmt: skip
