"""The heat maps of a Strasbourg report: rows x columns, and how their figures are counted."""

from dataclasses import replace

from strozzi_sim.facts.blocks import Block, Ratio, share, share_along
from strozzi_sim.facts.pictures import HeatMap
from strozzi_sim.games.strasbourg.report import tables as of
from strozzi_sim.games.strasbourg.report.pictures import ACTS, HIGHEST, WON, figures

_WINNING, _SPENT, _BIDS, _HELD, _CHANGED, _SHARE, _PLACED, _POINTS, _MEMBER = figures({
    "winning_bid_mean": "influence of the highest bid", "spent_mean": "influence a player spends", "bids_mean": "bids",
    "held_share": "seats held", "changed_share": "changes hands", "share": "share",
    "placed_share": "turns that place a member", "points_mean": "points", "taken_share": "games",
})  # fmt: skip
_CARDS = Block(
    "bid",
    {"row": "step", "column": "returned"},
    (share_along("share", "column"),),
    where="acts == no",
    without={"column": ("0",)},
)
_BY_ROUND = replace(of.BID_BY_ROUND.as_map("step"), margins=())  # steps add up to what would drown them in one scale
_SPACES = Block("placement", {"row": "guild", "column": "price"}, (share("win_share", "win"),))
_NUMBERS = Block("round", {"row": "drawn", "column": "round"}, (share_along("share", "row"),), trim=("row",))
HEATMAPS: dict[str, HeatMap] = {
    "winning-bid-by-step": HeatMap(
        "What an auction costs", "Mean influence of the highest bid, where there is one.", "step", "round", _WINNING,
        of.WINNING_BY_ROUND.as_map("step"),
    ),
    "spent-by-step": HeatMap(
        "Where influence goes", "Influence that a player spends in the step on average, bids that win nothing included.", "step", "round",
        _SPENT, _BY_ROUND,
    ),
    "bids-by-step": HeatMap(
        "How many bid", "Stacks turned over in the auction on average.", "step", "round", _BIDS, _BY_ROUND,
    ),
    "acts-by-step-and-bid": HeatMap(
        "What a bid wins: a turn", "Share of bids that may act, by their influence.", "step", "influence of the bid", ACTS,
        of.BID_BY_SUM.as_map("step"),
    ),
    "highest-by-step-and-bid": HeatMap(
        "What a bid wins: the auction", "Share of bids that are the highest of their auction, by their influence.", "step",
        "influence of the bid", HIGHEST, of.BID_BY_SUM.as_map("step"),
    ),
    "returned-by-step": HeatMap(
        "Which card comes back", "Of bids too low to act, the share by the card that goes back under the deck; rows add up to 100 %.", "step", "card", _SHARE, _CARDS,
    ),
    "drawn-by-round": HeatMap(
        "How many cards are drawn", "Share of players who draw so many cards in the column's round; columns add up to 100 %.",
        "cards drawn", "round", _SHARE, _NUMBERS,
    ),
    "held-by-chair": HeatMap(
        "Which seats of the council are held", "Share of games in which somebody sits there in the council phase.", "seat", "round", _HELD,
        of.HELD_BY_ROUND.as_map("chair"),
    ),
    "changed-by-chair": HeatMap(
        "Which seats change hands", "Of the seats held, the share that nobody or another player held in the round before.", "seat", "round",
        _CHANGED, of.CHANGED_BY_ROUND.as_map("chair"),
    ),
    "placed-by-rank": HeatMap(
        "Who places members", "Share of the turns of the row's guild in which a member is placed.", "guild", "rank", _PLACED,
        of.USE_BY_RANK.as_map("guild", "rank"),
    ),
    "win-by-guild-and-price": HeatMap(
        "Who wins with which space", "Share of games won by whoever places a member, by guild and price of the space.", "guild",
        "price of the space", WON, _SPACES,
    ),
    "site-by-edifice": HeatMap(
        "Where edifices are built", "Share of the row's edifice by building site; rows add up to 100 %.", "edifice", "building site", _SHARE,
        of.EDIFICE_BY_SITE,
    ),
    "space-by-round": HeatMap(
        "When spaces are taken", "Share of games in which a member is placed on the space in the column's round. A row is blank where a variant has no such space.", "space", "round", _MEMBER,
        Block("placement", {"row": "space", "column": "round"}, (Ratio("taken_share", under="games", share=True),)),
    ),
}  # fmt: skip
