"""The tables and heat maps of a Strasbourg report: figures of facts, block by block. What they are called is in report.toml."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from strozzi_sim.facts.blocks import (
    ALL,
    GAMES,
    ROWS,
    Block,
    Difference,
    Quantiles,
    Ratio,
    mean,
    per_game,
    per_player,
    share,
    share_along,
)  # fmt: skip
from strozzi_sim.facts.pictures import Board, Place, Shape
from strozzi_sim.game.pages import QUANTILES
from strozzi_sim.game.reporting import Tables
from strozzi_sim.games.strasbourg.fact_tables import NONE, SOURCES
from strozzi_sim.games.strasbourg.geometry import city_of, corner_name, space_name
from strozzi_sim.games.strasbourg.tasks import task_names

_WHOLE = {"by": ALL, "level": ALL}
_WON = share("win_share", "win")
_IN_A_GAME = Ratio("taken_share", (ROWS,), GAMES, share=True)  # of events that happen at most once in a game
_SOURCES = tuple(mean(f"points_{source}_mean", source) for source in SOURCES)
MIN_KEPT = 0.25  # of the times dealt; a task kept less often is kept only by players whom it suits

BALANCE = (
    Quantiles("seat", "total", QUANTILES, open_below=True),
    Block("seat", {}, (
        mean("score_mean", "total"), *_SOURCES, mean("members_mean", "city"), mean("kept_mean", "kept"),
        mean("coins_left_mean", "coins"),
    )),
    Block("act", {}, (per_player("paid_mean", "price"), per_player("earned_mean", "coins"))),
    Block("seat", {}, (
        mean("winner_score_mean", "total"), *(replace(source, name=f"winner_{source.name}") for source in _SOURCES),
    ), where="win > 0"),
    Block("game", {}, (
        mean("margin_mean", "margin"), share("tie_share", "tie"), share("shared_win_share", "shared"),
    )),
    Block("round", {}, (
        per_player("privileges_gained_mean", "privilege"), per_player("waited_mean", "waited"),
        Ratio("influence_bid_share", ("bid",), "influence", share=True), Ratio("stacks_used_share", ("used",), "stacks", share=True),
    )),
    Block("round", {"round": "round"}, (share("start_{}_wins_share", "win"),), where="starts == yes", named="round"),
)  # fmt: skip

POSITIONS = (
    Block("seat", {"position": "position"}, (
        _WON, mean("score_mean", "total"), *_SOURCES, mean("members_mean", "city"), mean("kept_mean", "kept"),
    )),
    Block("round", {"position": "position"}, (
        per_game("privileges_gained_mean", "privilege"), per_game("waited_mean", "waited"),
    )),
    Block("act", {"position": "position"}, (per_game("paid_mean", "price"), per_game("earned_mean", "coins"))),
)  # fmt: skip

_BEATS = (share("won_share", "won"), share("acts_share", "acts"))
BID_BY_SUM = Block(
    "bid", {"step": "step", "level": "sum"}, (*_BEATS, share_along("share", "level")), {"by": "bid"}, margins=("step",)
)
BID_BY_ROUND = Block(
    "bid", {"step": "step", "level": "round"}, (per_game("bids_mean"), per_player("spent_mean", "sum")), {"by": "round"},
    margins=("step",),
)  # fmt: skip
WINNING_BY_ROUND = Block(
    "bid", {"step": "step", "level": "round"}, (mean("winning_bid_mean", "sum"), _IN_A_GAME), {"by": "round"}, where="won == yes",
)  # fmt: skip
AUCTIONS = (
    Block("bid", {"step": "step"}, (
        per_game("bids_mean"), mean("bid_mean", "sum"), mean("cards_mean", "cards"), per_player("spent_mean", "sum"),
    ), _WHOLE, margins=("step",)),
    Block("bid", {"step": "step"}, (share_along("spent_share", "step", "sum"),), _WHOLE),
    Block("bid", {"step": "step"}, (mean("winning_bid_mean", "sum"), _WON), _WHOLE, where="won == yes", margins=("step",)),
    BID_BY_SUM,
    BID_BY_ROUND,
    WINNING_BY_ROUND,
    Block("bid", {"level": "lap"}, (*_BEATS, mean("bid_mean", "sum")), {"step": ALL, "by": "lap"}),
    Block("bid", {"level": "waited"}, (*_BEATS, share_along("share", "level")), {"step": ALL, "by": "waited"}),
    Block("bid", {"level": "returned"}, (share_along("share", "level"),), {"step": ALL, "by": "returned"}, where="acts == no",
          exclude={"level": ("0",)}),
    Block("round", {"level": "round"}, (
        mean("drawn_mean", "drawn"), mean("influence_mean", "influence"), mean("stacks_mean", "stacks"), mean("used_mean", "used"),
    ), {"step": ALL, "by": "planning"}),
)  # fmt: skip

HELD_BY_ROUND = Block(
    "council", {"chair": "chair", "level": "round"}, (Ratio("held_share", (ROWS,), GAMES, share=True),), {"by": "round"},
)  # fmt: skip
_LATER: Any = {"where": "round > 1", "exclude": {"level": ("1",)}}  # in round 1 all members are new
CHANGED_BY_ROUND = Block(
    "council", {"chair": "chair", "level": "round"}, (share("changed_share", "changed"),), {"by": "round"}, **_LATER,
)  # fmt: skip
COUNCIL = (
    Block("council", {"chair": "chair"}, (per_game("points_mean", "points"),), _WHOLE, margins=("chair",)),
    Block("council", {"chair": "chair"}, (share("changed_share", "changed"),), _WHOLE, where="round > 1", margins=("chair",)),
    Block("council", {"chair": "chair"}, (_WON,), _WHOLE, where="last == yes"),
    HELD_BY_ROUND,
    CHANGED_BY_ROUND,
)  # fmt: skip

USE_BY_RANK = Block("act", {"guild": "guild", "rank": "rank"}, (
    per_game("turns_mean"), share("good_share", "good"), share("placed_share", "placed"), share("declined_share", "declined"),
    mean("bid_mean", "bid"), _WON,
), where=f"guild != {NONE}", margins=("guild", "rank"), exclude={"guild": (NONE,)})  # fmt: skip
GUILDS = (
    USE_BY_RANK,
    Block("act", {"guild": "guild"}, (per_game("goods_mean"), share("sold_share", "good_sold"), mean("good_coins_mean", "good_coins")),
          {"rank": ALL}, where="good == yes", margins=("guild",), exclude={"guild": (NONE,)}),
    Block("placement", {"guild": "guild"}, (per_game("members_mean"), mean("price_mean", "price"), mean("points_mean", "points")),
          {"rank": ALL}, margins=("guild",)),
)  # fmt: skip

CITY = (
    Block("placement", {"place": "space"}, (
        _IN_A_GAME, mean("points_mean", "points"), mean("chapel_points_mean", "chapels"), mean("edifice_points_mean", "edifices"), mean("round_mean", "round"), _WON,
    )),
    *(Block("placement", {"place": "space", key: key}, (share_along(f"{key}_{{}}_share", key),), named=key) for key in ("rank", "seat")),
    *(Block(fact, {"place": "site"}, (_IN_A_GAME, mean("pays_mean", "points")), exclude={"place": (NONE,)})
      for fact in ("edifice", "chapel")),
)  # fmt: skip

_KEPT = Block("task", {"task": "task"}, (
    share("fulfilled_share", "fulfilled"), mean("worth_mean", "points"), _WON, Ratio("break_even", ("lost",), "fulfilled"),
), _WHOLE, where="kept == yes", margins=("task",))  # fmt: skip
_DEALT = Block("task", {"task": "task"}, (share("kept_share", "kept"),), _WHOLE, margins=("task",))
TASKS = (
    _DEALT,
    Block("task", {"task": "task", "level": "kept"}, (), {"by": ALL}, margins=("task",), differences=(
        Difference("score_mean_minus_not_kept", mean("score_mean", "score"), "level", "yes"), Difference("win_share_minus_not_kept", _WON, "level", "yes"),
    )),
    Block("task", {"task": "task"}, (share("done_anyway_share", "done"),), _WHOLE, where="kept == no", margins=("task",)),
    _KEPT,
    Block("seat", {"level": "kept"}, (share_along("share", "level"), mean("worth_mean", "tasks"), mean("score_mean", "total"), _WON),
          {"task": ALL, "by": "kept"}),
)  # fmt: skip


def add_fair_points(table: Any, cell: Any, stats: Any) -> None:
    """Add the points at which a kept task is worth as much as the mean kept task, and their excess over printed points.

    With W the mean value of all kept tasks, that is (points lost for the task + W * times kept) / times fulfilled. The
    value is missing below 0, and for a task kept less than MIN_KEPT of the times dealt; intervals are cut at 0.
    """
    crosstab, cell = _KEPT.crosstab, cell.of_table("task")
    counts = cell.count(crosstab)  # [C, tasks, 1 + sums]
    kept = counts[..., 0]
    fulfilled, points, lost = (counts[..., 1 + crosstab.sums.index(name)] for name in ("fulfilled", "points", "lost"))
    mean_value = points.sum() / kept.sum()
    # The last term sums to 0 over chunks, and adds the sampling error of W to the interval.
    owed = lost + mean_value * kept + (points - mean_value * kept).sum(1, keepdims=True) * (kept.sum(0) / kept.sum())
    fair = stats.ratio(owed, fulfilled)
    is_missing = (fair.value < 0) | (kept.sum(0) < MIN_KEPT * cell.count(_DEALT.crosstab)[..., 0].sum(0))
    value, low, high = (np.where(is_missing, np.nan, side) for side in (fair.value, np.maximum(fair.low, 0), fair.high))
    fair = replace(fair, value=value, low=low, high=high)
    tasks = cell.components["tasks"]
    for figure, estimate in (
        ("fair_points", fair), ("fair_less_printed", fair.minus(np.array([task["points"] for task in tasks]))),
    ):  # fmt: skip
        table.add(cell, figure, estimate, task=[task["id"] for task in tasks], **_WHOLE)


_BUILT = (
    mean("members_mean", "members"), mean("points_mean", "points"), Ratio("own_share", ("own_points",), "points", share=True), _WON,
)  # fmt: skip
BUILDINGS = (
    Block("edifice", {"thing": "edifice"}, (share("built_share", "built"),), margins=("thing",)),
    Block("edifice", {"thing": "edifice"}, _BUILT, where="built == yes", margins=("thing",)),
    Block("chapel", {}, (share("built_share", "built"),), {"thing": "chapel"}),
    Block("chapel", {}, _BUILT, {"thing": "chapel"}, where="built == yes"),
)  # fmt: skip

BLOCKS: Mapping[str, tuple[Block | Quantiles, ...]] = {
    "balance": BALANCE, "positions": POSITIONS, "auctions": AUCTIONS, "council": COUNCIL, "guilds": GUILDS, "city": CITY, "tasks": TASKS,
    "buildings": BUILDINGS,
}  # fmt: skip
ADD = {"tasks": add_fair_points}
MAPS = {
    "winning-bid-by-step": WINNING_BY_ROUND.as_map("step"),
    "spent-by-step": replace(BID_BY_ROUND.as_map("step"), margins=()),  # sums over steps would dominate the scale
    "acts-by-step-and-bid": BID_BY_SUM.as_map("step"),
    "returned-by-step": Block("bid", {"row": "step", "column": "returned"}, (share_along("share", "column"),), where="acts == no",
                              exclude={"column": ("0",)}),
    "drawn-by-round": Block("round", {"row": "drawn", "column": "round"}, (share_along("share", "row"),), trim=("row",)),
    "held-by-chair": HELD_BY_ROUND.as_map("chair"),
    "changed-by-chair": CHANGED_BY_ROUND.as_map("chair"),
    "placed-by-rank": USE_BY_RANK.as_map("guild", "rank"),
    "win-by-guild-and-price": Block("placement", {"row": "guild", "column": "price"}, (_WON,)),
    "site-by-edifice": Block("edifice", {"row": "edifice", "column": "site"}, (share_along("share", "column"),)),
    "space-by-round": Block("placement", {"row": "space", "column": "round"}, (_IN_A_GAME,)),
}  # fmt: skip


def words(tables: Tables, data: Mapping[str, Any]) -> dict[str, str]:
    """Return labels of tasks and edifices, with their points in this variant."""
    names = {edifice["id"]: edifice["id"] for edifice in data.get("edifices", [])} | task_names(data)
    scored = (*data.get("tasks", []), *data.get("edifices", []))
    return {component["id"]: f"{names[component['id']]} \N{MIDDLE DOT} {component['points']}" for component in scored}


def board(components: Mapping[str, Any]) -> Board:
    """Draw city spaces with guild letter and price, building sites as frames, and chapel sites as discs."""
    city, letters = city_of(components), components["guilds"]["letters"]
    letter_of = {guild: letter for letter, guild in letters.items()}
    places = {
        space_name(cell): Place(
            cell[0] - 0.5, cell[1] - 0.5, "square", guild, f"{letter_of[guild]} {city.prices[cell]}"
        )
        for cell, guild in city.guilds.items()
    }
    places |= {space_name(cell): Place(cell[0] - 0.5, cell[1] - 0.5, "frame") for cell in city.sites}
    places |= {corner_name(cell): Place(float(cell[0]), float(cell[1]), "disc") for cell in city.chapel_sites}
    guilds = ", ".join(f"{letter} {guild}" for letter, guild in letters.items())
    key: dict[Shape, str] = {
        "square": f"space, with its guild ({guilds}) and its price in coins", "frame": "building site", "disc": "chapel site",
    }  # fmt: skip
    edges = [[space_name((k, k)) for k in range(1, size + 1)] for size in (city.columns, city.rows)]
    return Board(city.columns, city.rows, places, key, [name[0] for name in edges[0]], [name[1:] for name in edges[1]])
