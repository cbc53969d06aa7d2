"""The heat maps of a Strasbourg report: rows, columns and figures."""

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
    exclude={"column": ("0",)},
)
_BY_ROUND = replace(of.BID_BY_ROUND.as_map("step"), margins=())  # sums over steps would dominate the scale
_SPACES = Block("placement", {"row": "guild", "column": "price"}, (share("win_share", "win"),))
_NUMBERS = Block("round", {"row": "drawn", "column": "round"}, (share_along("share", "row"),), trim=("row",))
HEATMAPS: dict[str, HeatMap] = {
    "winning-bid-by-step": HeatMap(
        "Cost of an auction", "Mean influence of the highest bid, if there is a bid.", "step", "round", _WINNING,
        of.WINNING_BY_ROUND.as_map("step"),
    ),
    "spent-by-step": HeatMap(
        "Influence spent by step", "Mean influence that a player spends in the step, including bids that win nothing.", "step", "round",
        _SPENT, _BY_ROUND,
    ),
    "bids-by-step": HeatMap(
        "Number of bids", "Mean number of stacks turned over in the auction.", "step", "round", _BIDS, _BY_ROUND,
    ),
    "acts-by-step-and-bid": HeatMap(
        "Bids that get a turn", "Share of bids that may act, by their influence.", "step", "influence of the bid", ACTS,
        of.BID_BY_SUM.as_map("step"),
    ),
    "highest-by-step-and-bid": HeatMap(
        "Bids that win the auction", "Share of bids that are the highest of their auction, by their influence.", "step",
        "influence of the bid", HIGHEST, of.BID_BY_SUM.as_map("step"),
    ),
    "returned-by-step": HeatMap(
        "Which card is returned", "Bids too low to act, by the card returned under the deck; rows add up to 100 %.", "step", "card", _SHARE, _CARDS,
    ),
    "drawn-by-round": HeatMap(
        "Number of cards drawn", "Share of players who draw this number of cards in the column's round; columns add up to 100 %.",
        "cards drawn", "round", _SHARE, _NUMBERS,
    ),
    "held-by-chair": HeatMap(
        "Council seats held", "Share of games in which the seat is held in the council phase.", "seat", "round", _HELD,
        of.HELD_BY_ROUND.as_map("chair"),
    ),
    "changed-by-chair": HeatMap(
        "Council seats that change hands", "Share of held seats that were empty or another player's in the previous round.", "seat", "round",
        _CHANGED, of.CHANGED_BY_ROUND.as_map("chair"),
    ),
    "placed-by-rank": HeatMap(
        "Who places members", "Share of turns at the row's guild in which a member is placed.", "guild", "rank", _PLACED,
        of.USE_BY_RANK.as_map("guild", "rank"),
    ),
    "win-by-guild-and-price": HeatMap(
        "Wins by space taken", "Share of games won by the owner of a member, by guild and price of its space.", "guild",
        "price of the space", WON, _SPACES,
    ),
    "site-by-edifice": HeatMap(
        "Where edifices are built", "Share of the row's edifice by building site; rows add up to 100 %.", "edifice", "building site", _SHARE,
        of.EDIFICE_BY_SITE,
    ),
    "space-by-round": HeatMap(
        "When spaces are taken", "Share of games in which a member is placed on the space in the column's round. A row is blank where a variant has no such space.", "space", "round", _MEMBER,
        Block("placement", {"row": "space", "column": "round"}, (Ratio("taken_share", denominator="games", share=True),)),
    ),
}  # fmt: skip
QUESTIONS = {
    "What does it cost to win an auction, round by round?": "winning-bid-by-step",
    "Where does the influence go?": "spent-by-step",
    "How many bids must I beat?": "bids-by-step",
    "How high must I bid to act at all?": "acts-by-step-and-bid",
    "How high must I bid to win the auction?": "highest-by-step-and-bid",
    "Which card comes back when a bid fails?": "returned-by-step",
    "How many cards do players draw, and when?": "drawn-by-round",
    "Which council seats are held?": "held-by-chair",
    "Which council seats change hands?": "changed-by-chair",
    "Who places members: masters or the others?": "placed-by-rank",
    "Do dear spaces win?": "win-by-guild-and-price",
    "Where are edifices built?": "site-by-edifice",
    "When is a space taken?": "space-by-round",
}
