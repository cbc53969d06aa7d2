"""The heat maps of a Strozzi report: rows x columns, and how their figures are counted."""

from dataclasses import replace

from strozzi_sim.facts.blocks import Block, mean, share, share_along
from strozzi_sim.facts.pictures import Figure, HeatMap
from strozzi_sim.games.strozzi.report.labels import BY_LABELS
from strozzi_sim.games.strozzi.report.tables import LAST_SPACE, PIRATED_BY_LAP, PIRATED_BY_SAIL, SPACE_BY_ROUND, use

SHARE = Figure("share", "share of the row's ships", "share")
PRIZE = Figure("ship_prize_mean", "coins a ship earns in its port", "amount")
BROUGHT = Figure("coins_brought_mean", "coins a ship brings in the game", "amount")
STEPS = Figure("steps_mean", "spaces the marker moves", "number")
WON = Figure("win_share", "games won by the owner", "share")
_BY_WORDS = {
    "sail": "sail number", "cargo": "wares on the ship", "match": "wares for its port", "round": "round",
    "lap": "seat of the taker", "order": "order in the round", "port": "port",
}  # fmt: skip


def _use_map(axis: str, breakdown: str, figure: Figure) -> HeatMap:
    label = BY_LABELS[breakdown]
    by_words = _BY_WORDS[breakdown]
    title = {
        "share": f"What each flag is used on: {by_words}" if axis == "flag" else f"What goes to each port: {by_words}",
        "ship_prize_mean": f"What ships earn in port, by {axis} and {by_words}",
        "steps_mean": f"How far markers move, by {axis} and {by_words}",
        "win_share": f"Who wins, by {axis} and {by_words}",
    }[figure.name]
    placed = "placed with" if axis == "flag" else "placed in"
    caption = {
        "share": f"Of all ships {placed} the row's {axis}, the share in each column; rows add up to 100 %.",
        "ship_prize_mean": "Mean coins that the ship earns in its port when the round is scored.",
        "steps_mean": "Mean spaces that the ship moves its owner's marker at the port, with the ware flag's step.",
        "win_share": "Share of games that the ship's owner wins. It shows who wins with the ship, not that the ship is the reason.",
    }[figure.name]
    return HeatMap(title, caption, axis, label, figure, use(axis, breakdown).as_map(axis))


_LAST_SPACE = LAST_SPACE.as_map("port")
_CATEGORY_TOTAL = Block("category", {"row": "category", "column": "total"}, (
    share_along("share", "column"), mean("prize_mean", "coins"), share("win_share", "win"),
))  # fmt: skip


def _ship_by(column: str) -> Block:
    return Block("ship", {"row": "card", "column": column}, (share_along("share", "column"),))


_LAST = "space at the end (0 = never moved)"
_TOTAL = "total value of a player's tiles in the category"
HEATMAPS: dict[str, HeatMap] = {
    "flag-by-sail": _use_map("flag", "sail", SHARE),
    "flag-by-cargo": _use_map("flag", "cargo", SHARE),
    "flag-by-match": _use_map("flag", "match", SHARE),
    "flag-by-port": _use_map("flag", "port", SHARE),
    "flag-by-round": _use_map("flag", "round", PRIZE),
    "flag-by-lap": _use_map("flag", "lap", SHARE),
    "flag-by-order": _use_map("flag", "order", SHARE),
    "port-by-sail": _use_map("port", "sail", PRIZE),
    "port-by-cargo": _use_map("port", "cargo", SHARE),
    "port-by-match": _use_map("port", "match", SHARE),
    "port-by-round": _use_map("port", "round", PRIZE),
    "port-by-lap": _use_map("port", "lap", SHARE),
    "port-by-order": _use_map("port", "order", SHARE),
    "prize-by-flag-and-sail": _use_map("flag", "sail", PRIZE),
    "prize-by-flag-and-order": _use_map("flag", "order", PRIZE),
    "prize-by-port-and-match": _use_map("port", "match", PRIZE),
    "coins-by-port-and-match": HeatMap(
        "What ships bring in all, by port and wares for it",
        "Mean coins that the ship brings its owner in the whole game: for its rank in port, for the spaces that it moves markers, in its round "
        "and later ones, and for its promotion tile. Ships with more wares for a port are slower and fuller in other ways too.",
        "port", BY_LABELS["match"], BROUGHT,
        Block("ship", {"row": "port", "column": "match"}, (
            mean("coins_brought_mean", "brought"), mean("ship_prize_mean", "prize"), mean("coins_track_mean", "track"), share("win_share", "win"),
        ), margins=("row",)),
    ),
    "steps-by-flag-and-cargo": _use_map("flag", "cargo", STEPS),
    "win-by-flag-and-sail": _use_map("flag", "sail", WON),
    "win-by-flag-and-order": _use_map("flag", "order", WON),
    "win-by-flag-and-round": _use_map("flag", "round", WON),
    "pirated-by-sail": HeatMap(
        "How often a claim is taken over by a pirate",
        "Share of claims laid with the row's flag on a ship of the column's sail number that end with a pirate "
        "taking the ship.",
        "claim laid with", "sail number of the ship", Figure("pirated_share", "share taken over", "share"),
        PIRATED_BY_SAIL.as_map("flag"),
    ),
    "pirated-by-lap": HeatMap(
        "From which seat pirates strike",
        "Share of claims laid with the row's flag that a pirate takes over, by seats after the active player.",
        "claim laid with", BY_LABELS["lap"], Figure("pirated_share", "share taken over", "share"),
        replace(PIRATED_BY_LAP.as_map("flag"), exclude={"column": ("0",)}),  # a pirate is another seat
    ),
    "marker-by-round": HeatMap(
        "How far the markers have come",
        "Mean space of a player's marker when the round is scored; 0 is the start space.",
        "city", "after round", Figure("space_mean", "mean space", "number"),
        SPACE_BY_ROUND.as_map("port"),
    ),
    "last-space": HeatMap(
        "Where the markers end", "Share of players whose marker ends on the column's space; rows add up to 100 %.",
        "city", _LAST, Figure("share", "share of players", "share"), _LAST_SPACE,
    ),
    "coins-by-last-space": HeatMap(
        "What the last space pays",
        "Mean coins, bonus included, that a marker on the column's space earns in the last scoring.",
        "city", _LAST, Figure("coins_mean", "coins", "amount"), _LAST_SPACE,
    ),
    "win-by-last-space": HeatMap(
        "Who wins, by where the markers end", "Share of games won by players whose marker ends on the column's space.",
        "city", _LAST, Figure("win_share", "games won", "share"), _LAST_SPACE,
    ),
    "prize-by-category-total": HeatMap(
        "What promotion tiles pay",
        "Mean prize of a player whose tiles of the row's category add up to the column's value.",
        "category", _TOTAL, Figure("prize_mean", "coins", "amount"), _CATEGORY_TOTAL,
    ),
    "win-by-category-total": HeatMap(
        "Who wins, by promotion tiles",
        "Share of games won by players whose tiles of the category add up to the column's value.",
        "category", _TOTAL, Figure("win_share", "games won", "share"), _CATEGORY_TOTAL,
    ),
    "ship-by-flag": HeatMap(
        "Which flag takes which ship", "Of the ship's takings, the share with each flag; rows add up to 100 %.",
        "ship", "flag", Figure("share", "share of its takings", "share"), _ship_by("flag"),
    ),
    "ship-by-port": HeatMap(
        "Which ship goes where", "Of the ship's takings, the share placed in each port; rows add up to 100 %.",
        "ship", "port", Figure("share", "share of its takings", "share"), _ship_by("port"),
    ),
}  # fmt: skip
QUESTIONS = {
    "Which flag takes which ship?": "flag-by-sail",
    "What does each flag earn in port, by speed?": "prize-by-flag-and-sail",
    "When I take a fast ship with the pirate flag, do I win?": "win-by-flag-and-sail",
    "Is it better to use a flag early or late in the round?": "win-by-flag-and-order",
    "Which flags win in which round?": "win-by-flag-and-round",
    "How safe is my claim from pirates?": "pirated-by-sail",
    "From which seat do pirates strike?": "pirated-by-lap",
    "What does speed pay in each port?": "port-by-sail",
    "Do matching wares pay?": "coins-by-port-and-match",
    "How far do full ships move my marker?": "steps-by-flag-and-cargo",
    "How far must my marker come to win?": "win-by-last-space",
    "What does the last space pay?": "coins-by-last-space",
    "How many promotion tiles are enough?": "win-by-category-total",
    "Which ship goes where?": "ship-by-port",
}
