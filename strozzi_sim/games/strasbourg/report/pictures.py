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
    """A picture of the table that its name begins with."""
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
            "Mean points of a player and of the winner, with their total. Points lost for tasks that were not fulfilled are taken "
            "off; what is below zero lies to the left of it.",
        ),
        _picture("balance-sources", "table", (*parts, *winners), "Where points come from, in figures",
                 "All players, then winners alone. " + EXACT, "figure"),
        _picture("balance-starts", "intervals", starts, "What the starting player's marker is worth",
                 "Share of games won by whoever has the marker when the round begins: seat 0 in round 1, later whoever won the last "
                 "auction. The broken line is an equal chance.", "players", series="figure", x_label="players", equal=True),
        _picture("balance-figures", "table", (gap, *rest), "The game in figures", EXACT, "figure"),
    ]  # fmt: skip


def _positions(tables: Tables) -> list[Picture]:
    parts = figures({f"points_{source}_mean": source for source in SOURCES})
    rest = figures({
        "win_share": "games won", "members_mean": "members placed", "kept_mean": "tasks kept", "earned_mean": "coins for goods",
        "paid_mean": "coins for spaces", "privileges_gained_mean": "privileges got", "waited_mean": "privileges paid to wait",
    })  # fmt: skip
    who = (
        "Copies of an agent are numbered as the line-up names them; where one agent plays itself, these are its seats."
    )
    return [
        _picture("positions-sources", "bars", parts, "Where each agent, or seat, gets its points", f"Mean points of a player. {who}", "position"),
        _picture("positions-table", "table", parts, "The same in figures", EXACT, "position"),
        _picture("positions-means", "table", rest, "How each agent, or seat, plays", f"Of a player in a game. {who}", "position"),
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
        _picture("auctions-planning", "table", planning, "What a player plans, round by round", EXACT, "level",
                 {**whole, "by": "planning"}, x_label="round"),
        _picture("auctions-bids", "lines", (HIGHEST, ACTS), "What a bid wins",
                 "Share of bids that are the highest of their auction, and of those that may act, by their influence; all steps "
                 "together. The heat map `acts-by-step-and-bid` has the steps.", "level", {**whole, "by": "bid"}, series="figure",
                 x_label="influence of the bid"),
        _picture("auctions-laps", "lines", (HIGHEST, ACTS), "Does it help to bid late?",
                 "By the seat of the bidder, counted from the starting player, who is 0, bids first, and wins ties.", "level",
                 {**whole, "by": "lap"}, series="figure", x_label="seats after the starting player"),
        _picture("auctions-waited", "table", (share, HIGHEST, ACTS), "What waiting wins",
                 "Bids made in turn, and bids made after paying a privilege to wait.", "level", {**whole, "by": "waited"}, x_label="bid made"),
        _picture("auctions-returned", "table", (share,), "Which card comes back",
                 "Of bids too low to act, the share by the card that goes back under the deck.", "level", {**whole, "by": "returned"}, x_label="card"),
    ]  # fmt: skip


def _council(tables: Tables) -> list[Picture]:
    shown = figures({"points_mean": "points it pays in a game", "changed_share": "changes hands in a round"})
    return [
        _picture("council-seats", "table", (*shown, WON), "The seats of the council",
                 "Changes of hands are counted from round 2 on, first holders included. Games won are "
                 "those of whoever sits there at the end: the seat may show who wins rather than be the reason.", "chair", _GROUPED, x_label="seat"),
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
        _picture("guilds-goods", "table", goods, "What the goods of each guild bring", "A good that is never sold brings 0 coins.", "guild",
                 {"rank": ALL}, x_label="guild"),
        _picture("guilds-members", "table", members, "What the spaces of each guild cost and earn",
                 "A member's points: 1 of its own, those of chapels, and those of edifices; tasks are left out.", "guild", {"rank": ALL},
                 x_label="guild"),
        _picture("guilds-ranks", "table", uses, "What each rank does",
                 "All guilds together. Rank 1 is the master, 2 the journeyman, 3 the apprentice; of 3 players, rank 2 is the apprentice.",
                 "rank", {"guild": ALL}, x_label="rank"),
    ]  # fmt: skip


def _city(tables: Tables) -> list[Picture]:
    maps = {
        "taken": ("taken_share", "taken, or built on", "How often each place is taken",
                  "Share of games in which a space gets a member, a building site an edifice, a chapel site a chapel."),
        "points": ("points_mean", "points of a member", "What each space earns",
                   "Mean points of a member there at the end: 1 of its own, those of chapels, and those of edifices; tasks are left out."),
        "buildings": ("pays_mean", "points the building pays", "What each site earns",
                      "Mean points that an edifice or a chapel there pays at the end, all players together."),
        "masters": ("rank_1_share", "placed by the master", "Who takes the spaces",
                    "Of the members on a space, the share placed by the guild's master; lower ranks placed the others."),
        "rounds": ("round_mean", "round", "When the spaces are taken", "Mean round in which the member is placed."),
        "wins": ("win_share", "games won by the member's owner", "Who wins with a space",
                 "Share of games won by whoever has a member on the space: it may show who wins rather than be the reason."),
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
        "Points proposed make a task worth as much, when kept, as the mean task kept is now, if it were kept and fulfilled as often as "
        f"here. None are proposed for a task that was fulfilled fewer than 30 times, kept less than {MIN_KEPT:.0%} of the times it was "
        "dealt, or that is worth more than the mean even at 0 points. A task that is not always kept was chosen by those whom it suits, "
        "unless all are kept alike: for everybody it would need more points. They speak of these agents: who plays a task better needs "
        "fewer points for it."
    )
    return [
        _picture("tasks-kept", "table", (share, whole, score, WON), "How many tasks to keep", "By the number of tasks a player keeps.", "level",
                 {"task": ALL, "by": "kept"}, levels=tuple(map(str, range(1, MAX_DEALT + 1))), x_label="tasks kept"),
        _picture("tasks-dots", "dots", (kept, fulfilled, worth), "Every task: how often it is kept and fulfilled, and what it is worth",
                 "The number behind a task is its points. Net worth is what it brings when kept, its points or the points lost, on average. n stands in the tables below. "
                 "Whiskers are 95 % intervals.", "task", _GROUPED, series="players", sort="worth_mean"),
        _picture("tasks-points", "table", (kept, fair, less), "Which tasks are worth more or less than their points", f"{fair_words} {EXACT}", "task",
                 _GROUPED, x_label="task and its points", sort="fair_less_printed"),
        _picture("tasks-keeping", "table", (adds, wins), "What keeping a task adds",
                 "Players who were dealt the task and kept it, less those who were dealt it and did not: all that they left undone for it is "
                 "in the balance. It is what keeping does only where tasks are kept by chance, as by `heuristic:keep_blindly=0.5`; "
                 "elsewhere it also tells who keeps it. " + EXACT, "task", _GROUPED, x_label="task and its points", sort="score_mean_minus_not_kept"),
        _picture("tasks-table", "table", (done, even), "Tasks in figures",
                 "Done where not kept: the player did what the task asks for without having kept it. A task breaks even at the points "
                 "that make up for those lost when it is not fulfilled. " + EXACT, "task", _GROUPED,
                 x_label="task and its points", sort="break_even"),
    ]  # fmt: skip


def _buildings(tables: Tables) -> list[Picture]:
    shown = figures({
        "built_share": "built when it can be", "members_mean": "members beside it", "points_mean": "points it pays all players",
        "own_share": "builder's share of them",
    })  # fmt: skip
    return [
        _picture("buildings-table", "table", (*shown, WON), "What edifices and chapels pay",
                 "The number behind an edifice is what it pays for a member. Games won are those of the builder.",
                 "thing", x_label="building"),
    ]  # fmt: skip


PICTURES = {
    "balance": _balance, "positions": _positions, "auctions": _auctions, "council": _council, "guilds": _guilds, "city": _city, "tasks": _tasks,
    "buildings": _buildings,
}  # fmt: skip
