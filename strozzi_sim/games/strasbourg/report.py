"""The tables and heat maps of a Strasbourg report: figures of facts, block by block; report.toml has their labels."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from strozzi_sim import stats
from strozzi_sim.declare.figure_tables import FigureTable, Tables
from strozzi_sim.declare.pages import QUANTILES
from strozzi_sim.declare.pictures import Board, Place, Shape
from strozzi_sim.facts.blocks import ALL, Block, CountedCell, Difference, Quantiles, amounts, ratio_of, ratios, shares
from strozzi_sim.facts.figures import SCORE, Figure
from strozzi_sim.games.strasbourg.fact_tables import NONE, SOURCES
from strozzi_sim.games.strasbourg.geometry import city_of, column_name, corner_name, space_name
from strozzi_sim.games.strasbourg.tasks import task_names

# Keys of tables: "by" names the division of the rows, such as "round", and "level" a part of it; ALL: undivided.
_WHOLE = {"by": ALL, "level": ALL}
_WON = shares(win_share="win")
_SHARE = shares(share="rows along level")
_IN_A_GAME = shares(taken_share="rows / games")  # of events that happen at most once in a game
_POINTS = {f"points_{source}_mean": source for source in SOURCES}
MIN_KEPT = 0.25  # of the times dealt; a task kept less often is kept only by players whom it suits

# each member in the city scores 1 point, so points for them are their number
_SCORE = (ratio_of(SCORE, "total"), *amounts(**_POINTS), *ratios(members_mean="city", kept_mean="kept"))
_WINNER = {"winner_score_mean": "total", **{f"winner_{name}": source for name, source in _POINTS.items()}}
_WAITED = {"privileges_gained_mean": "privilege / players", "waited_mean": "waited / players"}
_USED = {"influence_bid_share": "bid / influence", "stacks_used_share": "used / stacks"}
_START_WINS = shares(**{"start_{}_wins_share": "win"})
_POSITION = {"position": "position"}

_STEP, _BY_ROUND = {"step": "step"}, {"step": "step", "level": "round"}
_SUCCESS = shares("won_share", "acts_share")
_BIDS, _SPENT = ratios(bids_mean="rows / games"), ratios(spent_mean="sum / players")
BID_BY_SUM = Block("bid", {**_STEP, "level": "sum"}, (*_SUCCESS, *_SHARE), {"by": "bid"}, margins=("step",))
BID_BY_ROUND = Block("bid", _BY_ROUND, (*_BIDS, *_SPENT), {"by": "round"}, margins=("step",))
_WINNING = ratios(winning_bid_mean="sum")
WINNING_BY_ROUND = Block("bid", _BY_ROUND, (*_WINNING, *_IN_A_GAME), {"by": "round"}, where="won == yes")
_OF_STEP = (*_BIDS, *ratios(bid_mean="sum", cards_mean="cards"), *_SPENT)
_NONE_RETURNED: Any = {"exclude": {"level": ("0",)}}  # bids of which no card was returned
_PLANS = ratios("drawn_mean", "influence_mean", "stacks_mean", "used_mean")

_CHAIR, _CHAIR_BY_ROUND = {"chair": "chair"}, {"chair": "chair", "level": "round"}
_CHANGED = shares("changed_share")
HELD_BY_ROUND = Block("council", _CHAIR_BY_ROUND, shares(held_share="rows / games"), {"by": "round"})
CHANGED_BY_ROUND = Block(  # in round 1 all members are new: its rows are not counted, its level is not written
    "council", _CHAIR_BY_ROUND, _CHANGED, {"by": "round"}, where="round > 1", exclude={"level": ("1",)}
)

_NO_GUILD: Any = {"exclude": {"guild": (NONE,)}}  # its rows stay in a margin unless `where` excludes them
_ACTS = (
    *ratios(turns_mean="rows / games"),
    *shares(good_share="good", placed_share="placed", declined_share="declined"),
    *ratios(bid_mean="bid"),
)
_BY_RANK = {"guild": "guild", "rank": "rank"}
USE_BY_RANK = Block("act", _BY_RANK, (*_ACTS, *_WON), where=f"guild != {NONE}", margins=("guild", "rank"), **_NO_GUILD)
_GOODS = (*ratios(goods_mean="rows / games"), *shares(sold_share="good_sold"), *amounts(good_coins_mean="good_coins"))
_MEMBERS = (*ratios(members_mean="rows / games"), *amounts(price_mean="price", points_mean="points"))

_SHARES_OF = {key: shares(**{f"{key}_{{}}_share": f"rows along {key}"}) for key in ("rank", "seat")}
_POINTS_OF_MEMBER = amounts("points_mean", chapel_points_mean="chapels", edifice_points_mean="edifices")
_EARNED = (*_POINTS_OF_MEMBER, *ratios(round_mean="round"))
_OF_SITE = (*_IN_A_GAME, *ratios(pays_mean="points"))

_TASK: Any = {"axes": {"task": "task"}, "levels": _WHOLE}
_WORTH = (*shares("fulfilled_share"), *amounts(worth_mean="points"), *_WON, *amounts(break_even="lost / fulfilled"))
_KEPT = Block("task", figures=_WORTH, where="kept == yes", margins=("task",), **_TASK)
_DEALT = Block("task", figures=shares("kept_share"), margins=("task",), **_TASK)
_KEPT_MINUS_NOT_KEPT = tuple(
    Difference(f"{figure.name}_minus_not_kept", figure, key="level", level="yes")
    for figure in (ratio_of(SCORE, "score"), *_WON)
)
_BY_KEPT = {"task": "task", "level": "kept"}
_NUMBER_KEPT = (*_SHARE, *amounts(worth_mean="tasks"), ratio_of(SCORE, "total"), *_WON)
FAIR_POINTS = Figure("fair_points", "", "amount", "points with which a task is worth the mean of all", lowest=0.0)
FAIR_LESS_PRINTED = Figure("fair_less_printed", "", "amount", "fair points less the printed points")


def add_fair_points(table: FigureTable, cell: CountedCell) -> None:
    """Add the fair points of kept tasks, and these less the printed points.

    W is the mean worth of all kept tasks, in points per time kept. The fair points of a task, with which it would be
    worth W too, are (points lost for it + W * times kept) / times fulfilled. They are missing below 0, and for a task
    kept less than MIN_KEPT of the times dealt; intervals are cut at 0.
    """
    crosstab, cell = _KEPT.crosstab, cell.of_table("task")
    counts = cell.count(crosstab)  # [chunk, task, 1 + sums], the first entry the number of rows
    kept = counts[..., 0]
    fulfilled, points, lost = (counts[..., 1 + crosstab.sums.index(name)] for name in ("fulfilled", "points", "lost"))
    mean_value = points.sum() / kept.sum()  # W
    # The last term adds the error of W to the intervals: each chunk's deviation from W, which is 0 over all chunks.
    owed = lost + mean_value * kept + (points - mean_value * kept).sum(1, keepdims=True) * (kept.sum(0) / kept.sum())
    fair = stats.ratio(owed, fulfilled)
    is_missing = (fair.value < 0) | (kept.sum(0) < MIN_KEPT * cell.count(_DEALT.crosstab)[..., 0].sum(0))
    value, low, high = (np.where(is_missing, np.nan, side) for side in (fair.value, np.maximum(fair.low, 0), fair.high))
    fair = replace(fair, value=value, low=low, high=high)
    tasks = cell.components["tasks"]
    less_printed = fair.minus(np.array([task["points"] for task in tasks]))
    for figure, estimate in ((FAIR_POINTS, fair), (FAIR_LESS_PRINTED, less_printed)):
        table.add(cell, figure, estimate, task=[task["id"] for task in tasks], **_WHOLE)


_BUILT = (*ratios("members_mean"), *amounts("points_mean"), *shares(own_share="own_points / points"), *_WON)

BLOCKS: Mapping[str, tuple[Block | Quantiles, ...]] = {
    "balance": (
        Quantiles("seat", "total", QUANTILES, open_below=True),
        Block("seat", {}, (*_SCORE, *amounts(coins_left_mean="coins"))),
        Block("act", {}, amounts(paid_mean="price / players", earned_mean="coins / players")),
        Block("seat", {}, amounts(**_WINNER), where="win > 0"),
        Block("game", {}, (*amounts("margin_mean"), *shares("tie_share", shared_win_share="shared"))),
        Block("round", {}, (*ratios(**_WAITED), *shares(**_USED))),
        Block("round", {"round": "round"}, _START_WINS, where="starts == yes", named="round"),
    ),
    "positions": (
        Block("seat", _POSITION, (*_WON, *_SCORE)),
        Block("round", _POSITION, ratios(privileges_gained_mean="privilege / games", waited_mean="waited / games")),
        Block("act", _POSITION, amounts(paid_mean="price / games", earned_mean="coins / games")),
    ),
    "auctions": (
        Block("bid", _STEP, _OF_STEP, _WHOLE, margins=("step",)),
        Block("bid", _STEP, shares(spent_share="sum along step"), _WHOLE),
        Block("bid", _STEP, (*_WINNING, *_WON), _WHOLE, where="won == yes", margins=("step",)),
        BID_BY_SUM,
        BID_BY_ROUND,
        WINNING_BY_ROUND,
        Block("bid", {"level": "lap"}, (*_SUCCESS, *ratios(bid_mean="sum")), levels={"step": ALL, "by": "lap"}),
        Block("bid", {"level": "waited"}, (*_SUCCESS, *_SHARE), levels={"step": ALL, "by": "waited"}),
        Block("bid", {"level": "returned"}, _SHARE, {"step": ALL, "by": "returned"}, "acts == no", **_NONE_RETURNED),
        Block("round", {"level": "round"}, _PLANS, levels={"step": ALL, "by": "planning"}),
    ),
    "council": (
        Block("council", _CHAIR, amounts(points_mean="points / games"), _WHOLE, margins=("chair",)),
        Block("council", _CHAIR, _CHANGED, _WHOLE, where="round > 1", margins=("chair",)),
        Block("council", _CHAIR, _WON, _WHOLE, where="last == yes"),
        HELD_BY_ROUND,
        CHANGED_BY_ROUND,
    ),
    "guilds": (
        USE_BY_RANK,
        Block("act", {"guild": "guild"}, _GOODS, {"rank": ALL}, "good == yes", ("guild",), **_NO_GUILD),
        Block("placement", {"guild": "guild"}, _MEMBERS, {"rank": ALL}, margins=("guild",)),
    ),
    "city": (
        Block("placement", {"place": "space"}, (*_IN_A_GAME, *_EARNED, *_WON)),
        *(Block("placement", {"place": "space", key: key}, figures, named=key) for key, figures in _SHARES_OF.items()),
        *(Block(fact, {"place": "site"}, _OF_SITE, exclude={"place": (NONE,)}) for fact in ("edifice", "chapel")),
    ),
    "tasks": (
        _DEALT,
        Block("task", _BY_KEPT, (), {"by": ALL}, margins=("task",), differences=_KEPT_MINUS_NOT_KEPT),
        Block("task", figures=shares(done_anyway_share="done"), where="kept == no", margins=("task",), **_TASK),
        _KEPT,
        Block("seat", {"level": "kept"}, _NUMBER_KEPT, {"task": ALL, "by": "kept"}),
    ),
    "buildings": (
        Block("edifice", {"thing": "edifice"}, shares("built_share"), margins=("thing",)),
        Block("edifice", {"thing": "edifice"}, _BUILT, where="built == yes", margins=("thing",)),
        Block("chapel", {}, shares("built_share"), {"thing": "chapel"}),
        Block("chapel", {}, _BUILT, {"thing": "chapel"}, where="built == yes"),
    ),
}
ADD = {"tasks": add_fair_points}
FIGURES = (FAIR_POINTS, FAIR_LESS_PRINTED)
_SHARE_OF_ROW, _SHARE_OF_COLUMN = shares(share="rows along row"), shares(share="rows along column")
_RETURNED = {"row": "step", "column": "returned"}
MAPS = {
    "winning-bid-by-step": WINNING_BY_ROUND.as_map("step"),
    "spent-by-step": replace(BID_BY_ROUND.as_map("step"), margins=()),  # sums over steps would dominate the scale
    "acts-by-step-and-bid": BID_BY_SUM.as_map("step"),
    "returned-by-step": Block("bid", _RETURNED, _SHARE_OF_COLUMN, where="acts == no", exclude={"column": ("0",)}),
    "drawn-by-round": Block("round", {"row": "drawn", "column": "round"}, _SHARE_OF_ROW, trim=("row",)),
    "held-by-chair": HELD_BY_ROUND.as_map("chair"),
    "changed-by-chair": CHANGED_BY_ROUND.as_map("chair"),
    "placed-by-rank": USE_BY_RANK.as_map("guild", "rank"),
    "win-by-guild-and-price": Block("placement", {"row": "guild", "column": "price"}, _WON),
    "site-by-edifice": Block("edifice", {"row": "edifice", "column": "site"}, _SHARE_OF_COLUMN),
    "space-by-round": Block("placement", {"row": "space", "column": "round"}, _IN_A_GAME),
}


def words(tables: Tables, data: Mapping[str, Any]) -> dict[str, str]:
    """Return labels of tasks and edifices, with their points in this variant."""
    names = {edifice["id"]: edifice["id"] for edifice in data.get("edifices", [])} | task_names(data)
    scored = (*data.get("tasks", []), *data.get("edifices", []))
    return {component["id"]: f"{names[component['id']]} \N{MIDDLE DOT} {component['points']}" for component in scored}


def board(components: Mapping[str, Any]) -> Board:
    """Return the board: city spaces with guild letter and price, building sites as frames, chapel sites as discs."""
    city, letters = city_of(components), components["guilds"]["letters"]
    letter_of = {guild: letter for letter, guild in letters.items()}
    notes = {cell: f"{letter_of[guild]} {city.prices[cell]}" for cell, guild in city.guilds.items()}
    places = {space_name(cell): Place(cell[0] - 0.5, cell[1] - 0.5, note=note) for cell, note in notes.items()}
    places |= {space_name(cell): Place(cell[0] - 0.5, cell[1] - 0.5, "frame") for cell in city.sites}
    places |= {corner_name(cell): Place(float(cell[0]), float(cell[1]), "disc") for cell in city.chapel_sites}
    guilds = ", ".join(f"{letter} {guild}" for letter, guild in letters.items())
    key: dict[Shape, str] = {
        "square": f"space, with its guild ({guilds}) and its price in coins",
        "frame": "building site",
        "disc": "chapel site",
    }
    column_names = [column_name(column) for column in range(1, city.columns + 1)]
    row_names = [str(row) for row in range(1, city.rows + 1)]
    return Board(city.columns, city.rows, places, key, column_names, row_names)
