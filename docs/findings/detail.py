"""The text of docs/findings-in-detail.md, made from the kept tables: every figure is read from a row, every statement is tested on it."""

from collections.abc import Iterator
from typing import Any

import fairer
import powers
import reconstructed
import runs
import strategies
from reading import (
    GAMES,
    USUAL,
    command,
    estimate,
    forget,
    grid,
    hold,
    negative,
    percent,
    points,
    row,
    rows,
    shifted,
    worth_lines,
)

from strozzi_sim.declare.printing import format_estimate
from strozzi_sim.declare.significance import ALPHA, corrected_p
from strozzi_sim.facts.figures import DECISIONS
from strozzi_sim.game import load_game
from strozzi_sim.game.restricting import things
from strozzi_sim.game.sentences import listed
from strozzi_sim.game.variants import resolve_variant
from strozzi_sim.play.drama import OF_DRAMA
from strozzi_sim.study.kinds.luck import MINUTES, VARIANCE_SHARE, WORDS
from strozzi_sim.study.restricted import COSTS, SMALL, UNCLEAR, WORTH
from strozzi_sim.study.seats import seat_verdict
from strozzi_sim.study.wording import lineup_words, strengths


def page() -> str:
    """Return the page."""
    forget()
    parts = [
        *_beginning(),
        *_fair(),
        *_worth(),
        *_prices_and_tasks(),
        *_luck(),
        *strategies.section(),
        *fairer.section(),
        *reconstructed.section(),
    ]
    parts += [*_wrong(), *_again()]
    return "\n".join(parts) + "\n"


def _beginning() -> Iterator[str]:
    games = sum(int(rows(f"{game}-worth", "worth", figure="win_share_lost")["n"].sum()) for game in GAMES)
    yield from f"""# What the games teach, in detail

Strozzi, Medici vs Strozzi and Strasbourg, played by the agents of this package: which seat is favoured, what things are worth,
how much is luck, what would be fairer, and which results depend on data that no source gives. Every figure has a 95 % interval and is
read from the tables of the command named beside it. The section on worth rests on {games / 1e6:.1f} million games with a restricted player.

- **Who plays.** Agents only, called weak, usual, trained and strong; the table below says of each how it was made, how it errs and what it wins.
- **Which box.** Rules, prizes and numbers of pieces are the published ones. The ship cards of Strozzi, the tracks of Medici vs Strozzi, and
  Strasbourg's city and points of tasks are reconstructed. A section below plays {runs.boxes.COUNT} other boxes that fit the known facts equally well.
- **Which version.** The first section and the bonus values further down were played with behaviour 2 of all three games, the current one, the rest with
  behaviour 1. Both have the same rules and shuffle differently: the commands of the rest now return other deals, and figures that differ within their
  intervals. Times in parentheses are for two cores, those of behaviour 2 beside other work.""".splitlines()
    yield ""
    yield from grid([["game", "player", "agent", "how it was made, how it errs, what it wins"], *_players()])
    yield ""
    yield (
        "What a player wins is measured alone among usual ones, for example with `strozzi balance strozzi --players 4 --agents "
        "learned,heuristic,heuristic,heuristic --deals 1000`."
    )


def _players() -> Iterator[list[str]]:
    """Yield a line for every player of every game."""
    for game, title in GAMES.items():
        for tier, agent in load_game(game).tiers.items():
            yield [title, tier, f"`{agent}`", load_game(game).tier_notes[tier].sentence]


def _fair() -> Iterator[str]:
    yield from ("", "## Is it fair?", "")
    yield "![Share of wins of each seat above an equal share, at each player count and strength of play](images/findings-seats.png)"
    yield from ("", "*95 % intervals; shares of fewer than 100 games are only in the tables.*", "")
    yield (
        "A seat is named if one test of all seats of a row finds that they differ, corrected for all rows of its game, and its own interval, "
        "widened for the number of all seats in the table, is above or below an equal share. A single interval that "
        "excludes 0 is weaker evidence: with this many intervals, some do so by chance."
    )
    yield ""
    for game, title in GAMES.items():
        run = f"{game}-balance"
        tables = {name: runs.read(run, name) for name in ("balance", "seats")}
        tiers = strengths(load_game(game), tables["balance"]["lineup"])
        yield f"**{title}.** {' '.join(seat_verdict(tables, load_game(game)).lines)} {command(run)}"
        yield ""
        counts = sorted(tables["seats"]["players"].unique())
        lines = [["players", "play", "games", *(f"seat {seat}" for seat in range(max(counts)))]]
        for players in counts:
            for tier, agent in tiers.items():
                wins = rows(run, "seats", players=players, lineup=agent, figure="win_share").sort_values("seat")
                cells = [points(shifted(each, -1 / players)) for _, each in wins.iterrows()]
                n = int(wins["n"].iloc[0])
                lines.append([str(players), tier, f"{n:,}", *cells, *[""] * (max(counts) - players)])
        yield "Points of win share above (+) or below (-) an equal share; seat 0 begins round 1."
        yield ""
        yield from grid(lines)
        yield ""


def _worth() -> Iterator[str]:
    yield from ("## What is it worth?", "")
    yield (
        "One player does without a thing, and knows it, on the same deals against the same agents: its loss is the worth of the thing to it. "
        "*Used* is the share of its occasions (a player's rounds, games or others) in which a seat used the thing. "
        "*Users win* is the win share of "
        "the seats that used it, each use counted. It also reflects everything else that they did; (!) marks where "
        "it misleads."
    )
    yield from ("", "![Worth of the things of each game](images/findings-worth.png)", "")
    for game, title in GAMES.items():
        yield from _worth_of(game, title)
        if game == powers.GAME:
            yield from (f"**{powers.QUESTION}** {powers.answer()}", "", *powers.table(), "")


def _worth_of(game: str, title: str) -> Iterator[str]:
    run, players, agent = f"{game}-worth", USUAL[game], load_game(game).tiers["usual"]
    found, here = worth_lines(game)
    by = {verdict: [each for each in here if each["verdict"] == verdict] for verdict in (WORTH, COSTS, SMALL, UNCLEAR)}
    most = here[0]
    least = [f"`{each['thing']}`" for each in by[COSTS]]
    misleading = [each for each in here if each["misleads"]]
    yield (
        f"**{title}**, {players} players, `{agent}`: of {len(here)} things {len(by[WORTH])} are worth having, {len(by[SMALL])} are worth less than a "
        f"point of win share either way, and {len(by[UNCLEAR])} are undecided. The most costly to miss is `{most['thing']}`: "
        f"{estimate(most['score_lost'])} points of score. "
        + (
            f"This agent would do better without {listed(least)}. "
            if least
            else "Nothing is shown to harm this agent. "
        )
        + (f"The winners' habits mislead in {len(misleading)} cases. " if misleading else "")
        + command(run)
    )
    yield ""
    uses = things(load_game(game), resolve_variant(load_game(game), "base"))
    counted_of = {name: thing.use.of.words for name, thing in uses.items() if thing.use}
    # a thing that only a variant has is described like the first thing of its kind
    of_kind = {name.partition(":")[0]: words for name, words in reversed(counted_of.items())}
    lines = [["thing", "points of win share lost", "score lost", "used", "users win", "verdict"]]
    shown = [*here[:8], *(each for each in here[8:] if each["misleads"] or each["verdict"] == COSTS)][:16]
    for each in shown:
        shares = [each.get("popularity"), each.get("naive_win_share")]
        used, naive = ("-" if one is None or one.value != one.value else percent(one) for one in shares)
        kind = each["thing"].partition(":")[0]
        used += f" of {counted_of.get(each['thing']) or of_kind.get(kind, '')}" if used != "-" else ""
        lines.append(
            [
                f"`{each['thing']}`",
                points(each["win_share_lost"]),
                estimate(each["score_lost"]),
                used,
                naive + (" (!)" if each["misleads"] else ""),
                each["verdict"],
            ]
        )
    yield from grid(lines)
    if len(here) > len(shown):
        yield from ("", f"The other {len(here) - len(shown)} are in `docs/findings/tables/{run}-worth.csv`.")
    counts = sorted({each["players"] for each in found})
    if len(counts) > 1:
        top = [
            max((each for each in found if (each["players"], each["agent"]) == (count, agent)), key=_score_lost)
            for count in counts
        ]
        names = {each["thing"] for each in top}
        yield ""
        yield (
            f"`{top[0]['thing']}` is the most costly to miss at every player count."
            if len(names) == 1
            else "Most costly to miss: "
            + ", ".join(f"`{each['thing']}` at {each['players']} players" for each in top)
            + "."
        )
    if game == "medici_vs_strozzi":
        never = next(each for each in here if each["thing"] == "buy:any")
        yield ""
        yield hold(
            never["score_lost"].high < 0 < never["win_share_lost"].low,
            f"The score alone misleads: an agent that never buys ends with {estimate(negative(never['score_lost']))} coins more and wins "
            f"{points(never['win_share_lost'])} points less, since its rival earns even more.",
        )
    weak = {each["thing"]: each for each in found if (each["players"], each["agent"]) == (players, "random")}
    turned = [each["thing"] for each in by[WORTH] if weak[each["thing"]]["verdict"] == COSTS]
    yield ""
    yield (
        f"Random players would do better without {listed([f'`{thing}`' for thing in turned])}: this shows how badly they use it, not what it is worth."
        if turned
        else "What is worth having here does not harm random players either."
    )
    yield ""


def _score_lost(each: Any) -> float:
    return float(each["score_lost"].value)


def _prices_and_tasks() -> Iterator[str]:
    run = "medici_vs_strozzi-prices"
    yield from ("## Prices and tasks", "")
    parts = []
    for tiles in (1, 2, 3):
        price = row(run, "prices", lineup="fair-price", tiles=str(tiles), level="all", figure="price_mean")
        parts.append(f"{estimate(price)} for {tiles} tile{'s' * (tiles > 1)}")
    yield (
        f"**Medici vs Strozzi.** Lots of `fair-price` cost {listed(parts)} on average: the price at which buying and "
        f"selling are worth the same by this agent's estimate. {command(run)}"
    )
    run, agent = "strasbourg-tasks", "heuristic"
    printed = rows(
        run, "tasks", players=4, variant="base", lineup=agent, figure="fair_less_printed", level="all"
    ).dropna(subset=["low"])
    significant = printed[corrected_p(printed) < ALPHA]
    dear, cheap = (significant.loc[end] for end in (significant["value"].idxmax(), significant["value"].idxmin()))
    more, less = (significant["value"] > 0).sum(), (significant["value"] < 0).sum()
    usual, fair, even = (
        estimate(row(run, "tasks", players=4, variant="base", lineup=agent, figure=figure, task=task, by="all", level="all"))
        for figure, task in (("worth_mean", "all"), ("fair_points", dear["task"]), ("break_even", dear["task"]))
    )  # fmt: skip
    yield ""
    yield (
        f"**Strasbourg.** A task's fair points are those at which keeping it is worth as much as the mean kept task, {usual} points net of penalties, "
        f"if it is kept and fulfilled as often as by `{agent}` with 4 players. Of {len(printed)} tasks that it keeps often enough {more} "
        f"should pay more than in the reconstructed box and {less} less: `{dear['task']}` {estimate(dear)} points more, "
        f"`{cheap['task']}` {estimate(negative(cheap))} fewer. At the points at which a task breaks even, keeping it neither gains nor "
        f"loses: `{dear['task']}` is fair at {fair} points and breaks even at {even}. Tasks are kept by hands that suit them, so this is a price, not "
        f"a worth. {command(run)}"
    )
    yield ""


def _luck() -> Iterator[str]:
    yield from ("## What is luck?", "")
    yield (
        "A field of different agents plays every deal in every rotation. The table divides the variance of who wins, in per cent. Its shares are those of "
        "the field, not of the game: how much is who plays follows from who plays, so each game has the range over several fields below. With two players, what the deal gives a player cannot be separated from how the games went."
    )
    yield ""
    columns = [
        (game, int(players)) for game in GAMES for players in sorted(rows(f"{game}-luck", "luck")["players"].unique())
    ]
    lines = [["source of variance", *(f"{GAMES[game]}, {players}" for game, players in columns)]]
    lines.append(["the field", *(_field(game, players) for game, players in columns)])
    for source, words in WORDS.items():
        cells = []
        for game, players in columns:
            share = rows(f"{game}-luck", "luck", players=players, outcome="win", source=source, figure="variance_share")
            cells.append(points(share.iloc[0]).replace("+", "") if len(share) else "")
        lines.append([words, *cells])
    yield from grid(lines)
    yield ""
    for game, title in GAMES.items():
        yield from _drama(game, title)


def _field(game: str, players: int) -> str:
    """Return the agents of a column of the table."""
    lineup = rows(f"{game}-luck", "luck", players=players)["lineup"].iloc[0]
    return ", ".join(f"`{agent}`" for agent in lineup.split(","))


def _drama(game: str, title: str) -> Iterator[str]:
    run, players = f"{game}-luck", USUAL[game]
    tables = {name: runs.read(run, name) for name in ("luck", "drama")}
    yield f"**{title}.** {who_plays(runs.read(f'{game}-fields', 'luck'), title, game)} {command(f'{game}-fields')}"
    yield ""
    yield f"{length(tables['luck'], players, game)} {course(tables['drama'], players)} {command(run)}"
    yield ""


def who_plays(table: Any, title: str, game: str) -> str:
    """Return the share of wins that the agents of each field explain."""
    shares = table.query("figure == 'variance_share' and outcome == 'win' and source == 'agents'")
    shares = shares[shares["players"] == USUAL[game]].sort_values("value", kind="stable")
    parts = [
        f"{format_estimate(row, VARIANCE_SHARE)} in games of {lineup_words(load_game(game), row.lineup)}"
        for row in shares.itertuples(index=False)
    ]
    return f"Who plays explains, of who wins {title} at {USUAL[game]} players: {listed(parts)}; among equal players, nothing."


def length(table: Any, players: int, game: str) -> str:
    """Return the length of a game of the first field."""
    decisions, minutes, *_ = table[(table["players"] == players) & (table["outcome"] == "game")].itertuples(index=False)
    words, length = lineup_words(load_game(game), decisions.lineup), format_estimate(decisions, DECISIONS)
    return f"A game of {words} has {length} decisions: {format_estimate(minutes, MINUTES)} minutes at 20 seconds each (an assumption)."


def course(drama: Any, players: int) -> str:
    """Return how games of usual players alone go."""
    middle = drama[(drama["players"] == players) & (drama["strength"] == "usual")]
    by_name = {row.figure: row for row in middle.itertuples(index=False)}
    texts = {
        figure.name: format_estimate(by_name[figure.name], figure) for figure in OF_DRAMA if figure.name in by_name
    }
    course = (
        f"Among usual players {texts['runaway_share']} of games are decided in their first half. On average "
        f"a game is decided after {texts['decided_mean']} of its decisions, and its clear leader changes {texts['lead_changes_mean']} times "
        f"({by_name['decided_mean'].n} games followed)."
    )
    kings = texts.get("kingmaking_share")
    return (
        f"{course} At {kings} of the decisions a seat that can no longer win picks which rival does."
        if kings
        else course
    )


def _wrong() -> Iterator[str]:
    yield from ("## What is easily misread?", "")
    for game, title in GAMES.items():
        agent, players = load_game(game).tiers["usual"], USUAL[game]
        found = [each for each in worth_lines(game)[1] if each["misleads"]]
        if not found:
            yield f"- **{title}.** No win share of `{agent}` is shown to mislead."
            continue
        naive = max(found, key=lambda each: abs(each["naive_win_share"].value - 1 / players))
        costly = max(found, key=lambda each: each["win_share_lost"].value)
        told = [
            f"users of `{each['thing']}` win {percent(each['naive_win_share'])} (fair: {100 / players:.0f} %), and doing without costs `{agent}` "
            f"{points(each['win_share_lost'])} points of win share: {each['verdict']}"
            for each in found
            if each["thing"] in (costly["thing"], naive["thing"])
        ]
        text = "; ".join(told)
        yield f"- **{title}.** {text[0].upper()}{text[1:]}."
    first = {
        tier: row(
            "strozzi-balance", "seats", players=4, lineup=load_game("strozzi").tiers[tier], seat=0, figure="win_share"
        )
        for tier in ("usual", "trained")
    }
    more = {tier: points(shifted(each, -1 / 4)) for tier, each in first.items()}
    yield hold(
        first["trained"].high < first["usual"].low,
        f"- **An advantage of a seat is not the game's alone.** It depends on how the game is played: the first of four usual players of Strozzi wins {more['usual']} "
        f"points more than an equal share, the first of four trained ones {more['trained']}.",
    )
    yield "- **One evening does not show who plays best.** The shares of variance say how much of one game is due to the agents."
    yield ""


def _again() -> Iterator[str]:
    minutes = runs.seconds().sum() / 60
    yield from ("## Reproducing this page", "")
    yield (
        f"`python docs/findings/write.py --play` runs all commands again and writes this page. Their times add up to {minutes:.0f} minutes, on two cores and beside "
        "other work. Without `--play` the page is written from `docs/findings/tables`. Every figure is a row of those tables, and the figures choose the sentences. "
        "The few fixed statements are tested when the page is written; one that no longer holds stops the script."
    )
