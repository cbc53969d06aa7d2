"""The pictures and tables that a Strasbourg report shows, page by page."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.pages import ALL, score_pictures
from strozzi_sim.game.pages import figures as all_figures
from strozzi_sim.game.reporting import Picture, Tables
from strozzi_sim.games.strasbourg.fact_tables import SOURCES
from strozzi_sim.games.strasbourg.report.city import board
from strozzi_sim.games.strasbourg.report.tables import MIN_KEPT
from strozzi_sim.games.strasbourg.state import MAX_DEALT, MAX_ROUNDS

_AMOUNTS = ("points", "score", "margin", "worth", "fair", "break_even", "coins", "paid", "earned", "price")

figures = partial(all_figures, amounts=_AMOUNTS)
HIGHEST, ACTS, WON = figures({"won_share": "the highest", "acts_share": "enough to act", "win_share": "games won"})
EXACT = "Each figure with its 95 % interval."
_GROUPED = {"by": ALL}


def _picture(
    name: str, kind: Any, shown: tuple[Figure, ...], title: str, caption: str, x: str, where: Mapping[str, str] | None = None, **more: Any,
) -> Picture:  # fmt: skip
    """Return a picture of the table that its name begins with."""
    page = name.split("-")[0]
    return Picture(name, page, kind, page, shown, title, caption, where or {}, x=x, **more)


def _balance(tables: Tables) -> list[Picture]:
    parts = figures({f"points_{source}_mean": source for source in SOURCES})
    winners = tuple(Figure(f"winner_{part.name}", f"{part.label}, winners", part.unit) for part in parts)
    gap = Figure("seat_gap", "win share of the best seat minus that of the worst", "share")
    there = set(tables["balance"]["figure"])
    starts = figures({
        name: f"round {number}" for number in range(1, MAX_ROUNDS + 1) if (name := f"start_{number}_wins_share") in there
    })  # fmt: skip
    rest = figures({
        "seat_fairness_p": "p-value of equal seats", "score_mean": "points of a player", "winner_score_mean": "points of the winner",
        "margin_mean": "points by which the winner leads", "tie_share": "games tied on points at the top",
        "shared_win_share": "games that two or more win together",
        "members_mean": "members that a player places", "kept_mean": "tasks that a player keeps",
        "earned_mean": "coins that a player gets for goods", "paid_mean": "coins that a player pays for spaces",
        "coins_left_mean": "coins that a player has left", "privileges_gained_mean": "privileges that a player gets",
        "waited_mean": "privileges that a player pays to wait", "influence_bid_share": "influence drawn that is bid",
        "stacks_used_share": "stacks that are turned over", "decisions_mean": "decisions in a game",
    })  # fmt: skip
    return [
        *score_pictures(
            "points",
            "Thin line: 5 % to 95 % of all players' points. Thick line: the middle half. Dot: the median. Diamond: the mean of "
            "the winners.",
            {"a player": parts, "the winner": winners},
            "Mean points of a player and of the winner, with their total, net of penalties for unfulfilled tasks. Negative values "
            "are left of zero.",
        ),
        _picture("balance-sources", "table", (*parts, *winners), "Points by source",
                 "All players, then winners alone. " + EXACT, "figure"),
        _picture("balance-starts", "intervals", starts, "Games won by the starting player of a round",
                 "Share of games won by the starting player of the round: seat 0 in round 1, later the winner of the last auction. The "
                 "broken line is an equal share.", "players", series="figure", x_label="players", equal=True),
        _picture("balance-figures", "table", (gap, *rest), "The game in figures", EXACT, "figure"),
    ]  # fmt: skip


def _positions(tables: Tables) -> list[Picture]:
    parts = figures({f"points_{source}_mean": source for source in SOURCES})
    rest = figures({
        "win_share": "games won", "members_mean": "members placed", "kept_mean": "tasks kept", "earned_mean": "coins for goods",
        "paid_mean": "coins for spaces", "privileges_gained_mean": "privileges gained", "waited_mean": "privileges paid to wait",
    })  # fmt: skip
    who = "Copies of an agent are numbered in line-up order; if one agent plays itself, these are its seats."
    return [
        _picture("positions-sources", "bars", parts, "Points by source, for each agent or seat", f"Mean points of a player. {who}", "position"),
        _picture("positions-table", "table", parts, "Points by source in figures", EXACT, "position"),
        _picture("positions-means", "table", rest, "How each agent or seat plays", f"Means per player and game. {who}", "position"),
    ]  # fmt: skip


def _auctions(tables: Tables) -> list[Picture]:
    steps = figures({
        "bids_mean": "bids in a game", "bid_mean": "influence of a bid", "winning_bid_mean": "influence of the highest bid",
        "spent_mean": "influence a player spends in a game",
    })  # fmt: skip
    planning = figures({
        "drawn_mean": "cards drawn", "influence_mean": "influence of these cards", "stacks_mean": "stacks made",
        "used_mean": "stacks turned over",
    })  # fmt: skip
    whole = {"step": ALL}
    (share,) = figures({"share": "share of the bids"})
    return [
        _picture("auctions-steps", "table", steps, "The auctions in figures", EXACT, "step", _GROUPED, x_label="step"),
        _picture("auctions-planning", "table", planning, "Planning by round", EXACT, "level",
                 {**whole, "by": "planning"}, x_label="round"),
        _picture("auctions-bids", "lines", (HIGHEST, ACTS), "What a bid wins",
                 "Share of bids that are the highest of their auction, and of bids that may act, by influence; all steps together. "
                 "The heat map `acts-by-step-and-bid` shows single steps.", "level", {**whole, "by": "bid"}, series="figure",
                 x_label="influence of the bid"),
        _picture("auctions-laps", "lines", (HIGHEST, ACTS), "Does it help to bid late?",
                 "By bidding position: the starting player is 0, bids first and wins ties.", "level",
                 {**whole, "by": "lap"}, series="figure", x_label="seats after the starting player"),
        _picture("auctions-waited", "table", (share, HIGHEST, ACTS), "Deferred bids",
                 "Bids made in turn, and bids deferred by paying a privilege.", "level", {**whole, "by": "waited"}, x_label="bid made"),
        _picture("auctions-returned", "table", (share,), "Which card is returned",
        "Bids too low to act, by the card returned under the deck.", "level", {**whole, "by": "returned"}, x_label="card"),
    ]  # fmt: skip


def _council(tables: Tables) -> list[Picture]:
    shown = figures({"points_mean": "points it pays in a game", "changed_share": "changes hands in a round"})
    return [
        _picture("council-seats", "table", (*shown, WON), "The seats of the council",
                 "Changes of hands are counted from round 2 on, including first holders. Games won are those of the final holder: "
                 "correlation only, not the effect of the seat.", "chair", _GROUPED, x_label="seat"),
    ]  # fmt: skip


def _guilds(tables: Tables) -> list[Picture]:
    goods = figures({
        "goods_mean": "goods taken in a game", "sold_share": "sold later", "good_coins_mean": "coins for a good",
    })  # fmt: skip
    members = figures({
        "members_mean": "members placed in a game", "price_mean": "coins for a space", "points_mean": "points of a member",
    })  # fmt: skip
    uses = figures({
        "turns_mean": "turns in a game", "bid_mean": "influence bid", "good_share": "takes the good", "placed_share": "places a member",
        "declined_share": "leaves a right unused",
    })  # fmt: skip
    return [
        _picture("guilds-goods", "table", goods, "Coins from the goods of each guild", "Unsold goods count as 0 coins.", "guild",
                 {"rank": ALL}, x_label="guild"),
        _picture("guilds-members", "table", members, "Cost and points of each guild's spaces",
                 "A member's points: 1 for itself, plus those of chapels and edifices, without tasks.", "guild", {"rank": ALL},
                 x_label="guild"),
        _picture("guilds-ranks", "table", uses, "What each rank does",
                 "All guilds together. Rank 1 is the master, 2 the journeyman, 3 the apprentice; with 3 players, rank 2 is the apprentice.",
                 "rank", {"guild": ALL}, x_label="rank"),
    ]  # fmt: skip


def _city(tables: Tables) -> list[Picture]:
    maps = {
        "taken": ("taken_share", "taken or built on", "How often each place is taken",
                  "Share of games in which a space gets a member, a building site an edifice, a chapel site a chapel."),
        "points": ("points_mean", "points of a member", "Points of each space",
                   "Mean points of a member there at the end: 1 for itself, plus those of chapels and edifices, without tasks."),
        "buildings": ("pays_mean", "points the building pays", "Points of each building site",
                      "Mean points that an edifice or chapel there pays at the end, all players together."),
        "masters": ("rank_1_share", "placed by the master", "Who takes the spaces",
                    "Share of the members on a space that the guild's master placed; lower ranks placed the others."),
        "rounds": ("round_mean", "round", "When the spaces are taken", "Mean round in which the member is placed."),
        "wins": ("win_share", "games won by the member's owner", "Wins by space",
        "Share of games won by the owner of a member on the space: correlation only, not the effect of the space."),
    }  # fmt: skip
    return [
        _picture(
            f"city-{name}",
            "board",
            figures({figure: label}),
            title,
            caption,
            "place",
            board=board,
            equal=figure == "win_share",
        )
        for name, (figure, label, title, caption) in maps.items()
    ]


def _tasks(tables: Tables) -> list[Picture]:
    kept, done, fulfilled, worth, even, fair, less, score, adds, wins = figures({
        "kept_share": "kept when dealt", "done_anyway_share": "done where not kept", "fulfilled_share": "fulfilled when kept",
        "worth_mean": "net worth when kept", "break_even": "points at which it breaks even", "fair_points": "points proposed",
        "fair_less_printed": "proposed less printed", "score_mean": "points of the player",
        "score_mean_minus_not_kept": "final points, kept less not kept", "win_share_minus_not_kept": "games won, kept less not kept",
    })  # fmt: skip
    share, whole = figures({"share": "share of players", "worth_mean": "points from tasks"})
    fair_words = (
        "With the points proposed, a kept task is worth as much as the mean kept task now, if it is kept and fulfilled as often as "
        f"here. Blank: tasks fulfilled fewer than 30 times, kept less than {MIN_KEPT:.0%} of the times dealt, or worth more than the "
        "mean even at 0 points. Unless all tasks are kept equally often, a task is kept by players whom it suits (selection), and would "
        "need more points for all players. The values depend on the agents: a better player of a task needs fewer points for it."
    )
    return [
        _picture("tasks-kept", "table", (share, whole, score, WON), "How many tasks to keep", "By the number of tasks a player keeps.", "level",
                 {"task": ALL, "by": "kept"}, levels=tuple(map(str, range(1, MAX_DEALT + 1))), x_label="tasks kept"),
        _picture("tasks-dots", "dots", (kept, fulfilled, worth), "Every task: how often it is kept and fulfilled, and its value",
                 "The number after a task is its points. Net worth is its mean points when kept, penalties included. n is in the tables below. "
                 "Whiskers are 95 % intervals.", "task", _GROUPED, series="players", sort="worth_mean"),
        _picture("tasks-points", "table", (kept, fair, less), "Which tasks are worth more or less than their points", f"{fair_words} {EXACT}", "task",
                 _GROUPED, x_label="task and its points", sort="fair_less_printed"),
        _picture("tasks-keeping", "table", (adds, wins), "What keeping a task adds",
                 "Players who were dealt the task and kept it, less those who were dealt it and did not: opportunity costs are included. This "
                 "is the effect of keeping only if tasks are kept at random, as by `heuristic:keep_blindly=0.5`; otherwise it includes "
                 "selection. " + EXACT, "task", _GROUPED, x_label="task and its points", sort="score_mean_minus_not_kept"),
        _picture("tasks-table", "table", (done, even), "Tasks in figures",
                 "Done where not kept: the player met the task's condition without having kept it. A task breaks even at the points that "
                 "compensate its penalties. " + EXACT, "task", _GROUPED,
                 x_label="task and its points", sort="break_even"),
    ]  # fmt: skip


def _buildings(tables: Tables) -> list[Picture]:
    shown = figures({
        "built_share": "built when it can be", "members_mean": "members beside it", "points_mean": "points it pays all players",
        "own_share": "builder's share of them",
    })  # fmt: skip
    return [
        _picture("buildings-table", "table", (*shown, WON), "Points of edifices and chapels",
                 "The number after an edifice is its points per member. Games won are those of the builder.",
                 "thing", x_label="building"),
    ]  # fmt: skip


PICTURES = {
    "balance": _balance, "positions": _positions, "auctions": _auctions, "council": _council, "guilds": _guilds, "city": _city, "tasks": _tasks,
    "buildings": _buildings,
}  # fmt: skip
