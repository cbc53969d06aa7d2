"""The heat maps of a Medici vs Strozzi report: rows x columns, and how their figures are counted."""

from dataclasses import replace

from strozzi_sim.facts.blocks import Block, share, share_along
from strozzi_sim.facts.pictures import Figure, HeatMap
from strozzi_sim.games.medici_vs_strozzi.report.labels import BY_LABELS
from strozzi_sim.games.medici_vs_strozzi.report.tables import ESTIMATED, FAIR_BY, LOADS, TRACKS, estimates, lots, ships

PRICE = Figure("price_mean", "mean price in coins", "amount")
FAIR = Figure("fair_mean", "estimated fair price in coins", "amount")
GAP = Figure("price_minus_fair_mean", "price less estimated fair price, coins", "amount")
BUYER = Figure("responder_share", "bought by the responder", "share")
DISCARD = Figure("discard_share", "discarded", "share")
PAID = Figure("won_share", "share of ships that win their harbor", "share")
SIZES = Figure("share_of_level", "share of the column's lots", "share")
_HALF = "At exactly the fair price either answer is as good, so half is what careful play makes of it."
_SPACES = "ship, by its spaces"


def _lot_map(title: str, caption: str, by: str, figure: Figure) -> HeatMap:
    """Return a heat map of lots by size and another column; all sizes together are omitted if they total 1."""
    estimated = figure in (FAIR, GAP) or by in FAIR_BY
    block = estimates(by) if estimated else lots(by)
    sized = figure == SIZES
    figures = [each for each in block.figures if sized or each.name != SIZES.name]
    block = replace(block, margins=() if sized else block.margins).as_map("tiles", figures=figures)
    return HeatMap(
        title, f"{caption} {ESTIMATED}" if estimated else caption, "tiles of the lot", BY_LABELS[by], figure, block
    )


def _track_map(title: str, caption: str, column: str, figure: Figure) -> HeatMap:
    """Return a heat map without round 1, in which all markers come from the centre and none can change sides."""
    known = {"level": ("1",)} if figure.name == "swapped_share" else {}
    return HeatMap(title, caption, "track", column, figure, replace(TRACKS, exclude=known).as_map("track"))


def _ship_map(title: str, caption: str, figure: Figure) -> HeatMap:
    block = ships({"harbor": "harbor", "level": "ship"}, {}, ("harbor", "level")).as_map("harbor")
    return HeatMap(title, caption, "harbor", _SPACES, figure, block)


HEATMAPS: dict[str, HeatMap] = {
    "price-by-tiles-round": _lot_map(
        "What lots cost, round by round", "Mean price of lots with that number of tiles, by round.", "round", PRICE
    ),
    "price-by-size-value": _lot_map(
        "What lots cost, by their face value",
        "Mean price of lots with that number of tiles whose face values add up to the column.", "value", PRICE,
    ),
    "price-by-size-zeros": _lot_map(
        "What lots cost, by their value-0 tiles",
        "Mean price of lots by number of tiles and how many of them have value 0.", "zeros", PRICE,
    ),
    "price-by-size-order": _lot_map(
        "Prices of lots in the course of the round", "Mean price of the round's first, second, third lot and so on.", "order", PRICE
    ),
    "fair-by-size-value": _lot_map(
        "What lots are worth, by their face value",
        "Mean of the estimated fair prices of these lots: half of their swing.", "value", FAIR,
    ),
    "gap-by-tiles-round": _lot_map(
        "How far prices are from the estimated fair ones",
        "Mean price less mean estimated fair price; the difference is the proposer's loss against a rival who knows the fair price.",
        "round", GAP,
    ),
    "buyer-by-price-size": _lot_map(
        "Who buys, by price",
        f"Share of lots that the responder buys, by the price named; a column is {BY_LABELS['price']}. {_HALF}",
        "price", BUYER,
    ),
    "buyer-by-gap-size": _lot_map(
        "Who buys, by price above the fair one",
        "Share of lots that the responder buys, by the price less the estimated fair price; a column ranges from its "
        f"number up to the next. {_HALF}",
        "gap", BUYER,
    ),
    "buyer-by-tiles-round": _lot_map(
        "Who buys, round by round", f"Share of lots that the responder buys. {_HALF}", "round", BUYER
    ),
    "tiles-by-order": _lot_map(
        "Tiles shown in the course of the round",
        "Share of the round's first, second, third lot and so on with that number of tiles; columns add up to 100 %.",
        "order", SIZES,
    ),
    "discard-by-tiles-round": _lot_map(
        "What is discarded", "Share of lots that the buyer discards, for want of room or of use.", "round", DISCARD
    ),
    "harbor-by-ship": _ship_map(
        "Who wins a harbor, by ship", "Share of moored ships that are paid for the better load of their harbor.", PAID
    ),
    "load-by-ship": _ship_map(
        "What ships carry", "Mean face value of all tiles on a moored ship when the round is scored.",
        Figure("load_mean", "mean face value", "number"),
    ),
    "ship-against-ship": HeatMap(
        "Which ship beats which",
        "Share of harbors that the row's ship wins against the column's ship of the rival, or against none. With "
        "the ships swapped, the rest up to 100 % are ties.",
        "own ship, by its spaces", "rival's ship there", Figure("won_share", "won by the row's ship", "share"),
        Block("ship", {"row": "ship", "column": "rival"}, (
            share_along("share", "column"), share("won_share", "won"), share("tied_share", "tied"),
        ), where="moored == yes"),
    ),
    "harbor-by-load": HeatMap(
        "What load wins a harbor", "Share of ships with that total face value that win their harbor.",
        "harbor", "total face value of the ship's tiles", PAID, LOADS.as_map("harbor", figures=LOADS.figures[:2]),
    ),
    "cargo-by-harbor": HeatMap(
        "Where goods are shipped", "Of the loaded tiles of the row's goods, the share that goes to each harbor.",
        "goods", "harbor", Figure("share", "share of the row's tiles", "share"),
        Block("tile", {"row": "goods", "column": "harbor"}, (share_along("share", "column"),), where="loaded == yes",
              exclude={"column": ("none",)}),
    ),
    "position-by-round": HeatMap(
        "Positions of the markers",
        "Share of all markers on each space when the round is scored; positive spaces are Medici's, negative ones "
        "Strozzi's. Rows add up to 100 %.",
        "after round", "space; 0 is the centre", Figure("share", "share of markers", "share"),
        Block("marker", {"row": "round", "column": "place"}, (share_along("share", "column"),)),
    ),
    "coins-by-track": _track_map(
        "What each track pays", "Mean coins that the marker brings its owner in that scoring, bonus included.",
        "round", Figure("coins_mean", "coins", "amount"),
    ),
    "distance-by-track": _track_map(
        "How far the markers are", "Mean number of spaces between a marker and the centre when the round is scored.",
        "after round", Figure("distance_mean", "spaces", "number"),
    ),
    "swapped-by-track": _track_map(
        "How often a marker changes sides", "Share of markers that cross the centre in the round's scoring.",
        "round", Figure("swapped_share", "changed sides", "share"),
    ),
}  # fmt: skip
QUESTIONS = {
    "What does a lot cost, round by round?": "price-by-tiles-round",
    "What does face value cost?": "price-by-size-value",
    "What does a tile of value 0 cost?": "price-by-size-zeros",
    "Is it cheaper to buy early in the round?": "price-by-size-order",
    "What is a lot really worth?": "fair-by-size-value",
    "Who pays too much?": "gap-by-tiles-round",
    "Up to which price does the other buy?": "buyer-by-price-size",
    "Does a fair price leave the choice open?": "buyer-by-gap-size",
    "When is one tile shown, when three?": "tiles-by-order",
    "What is thrown away?": "discard-by-tiles-round",
    "Which ship wins which harbor?": "harbor-by-ship",
    "Which ship beats which?": "ship-against-ship",
    "How full must my ship be?": "harbor-by-load",
    "Which track pays, and when?": "coins-by-track",
    "How often does a marker change sides?": "swapped-by-track",
}
