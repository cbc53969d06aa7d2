"""The heat maps of a Medici vs Strozzi report: rows x columns, and how their figures are counted."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from strozzi_sim.games.medici_vs_strozzi.report import scores
from strozzi_sim.games.medici_vs_strozzi.report.words import BY_LABELS
from strozzi_sim.games.pages import ALL
from strozzi_sim.games.reporting import Excerpt, Figure, HeatMap

Cells = dict[str, tuple[Sequence[str], Sequence[str], Any]]

SHARE = Figure("share", "share of the row's lots", "share")
PRICE = Figure("price_mean", "mean price in coins", "amount")
FAIR = Figure("fair_mean", "estimated fair price in coins", "amount")
GAP = Figure("price_minus_fair_mean", "price less estimated fair price, coins", "amount")
BUYER = Figure("responder_share", "bought by the responder", "share")
DISCARD = Figure("discard_share", "discarded", "share")
PAID = Figure("won_share", "share of ships that win their harbor", "share")


def _ships(cell: Any, stats: Any) -> Cells:
    rows, columns = [*scores.harbor_names(cell), ALL], [*scores.ship_names(cell), ALL]
    return {
        name: (rows, columns, estimate)
        for name, estimate in scores.ship_figures(scores.berths(cell), cell.deals, stats).items()
    }


def _duels(cell: Any, stats: Any) -> Cells:
    own, rivals, counts = scores.duel_counts(cell)
    met = counts[..., 0]
    return {
        "share": (own, rivals, stats.ratio(met, met.sum(axis=2, keepdims=True), n_deals=cell.deals)),
        "won_share": (own, rivals, stats.ratio(counts[..., 1], met, n_deals=cell.deals)),
        "tied_share": (own, rivals, stats.ratio(counts[..., 2], met, n_deals=cell.deals)),
    }


def _spaces(cell: Any, stats: Any) -> Cells:
    spaces, counts = scores.space_counts(cell)
    share = stats.ratio(counts, counts.sum(axis=2, keepdims=True), n_deals=cell.deals)
    return {"share": (scores.round_names(cell), spaces, share)}


def _cargo(cell: Any, stats: Any) -> Cells:
    kinds, harbors = [kind["key"] for kind in cell.components["type"]], scores.harbor_names(cell)
    counts = cell.tallies["cargo"]
    own = np.concatenate([counts[:, : len(kinds)], counts[:, -1:]], axis=1)[:, :, : len(harbors)]
    share = stats.ratio(own, own.sum(axis=2, keepdims=True), n_deals=cell.deals)
    return {"share": ([*kinds, cell.components["gold"]["key"]], harbors, share)}


def _of_sizes(rows: pd.DataFrame) -> Any:
    """All but the share of all sizes together in the level, which is always 1."""
    return (rows["figure"] != "share_of_level") | (rows["tiles"] != ALL)


def _lot_map(title: str, caption: str, breakdown: str, figure: Figure) -> HeatMap:
    return HeatMap(
        title,
        caption,
        "tiles of the lot",
        BY_LABELS[breakdown],
        figure,
        Excerpt("prices", "tiles", breakdown, _of_sizes),
    )


# In round 1 all markers come from the centre.
_TRACKS = Excerpt(
    "monopolies", "track", "round", lambda rows: (rows["figure"] != "swapped_share") | (rows["level"] != "1")
)
_HALF = "At exactly the fair price either answer is as good, so half is what careful play makes of it."
HEATMAPS: dict[str, HeatMap] = {
    "price-by-tiles-round": _lot_map(
        "What lots cost, round by round", "Mean price of lots with that number of tiles, by round.", "round", PRICE
    ),
    "price-by-size-value": _lot_map(
        "What lots cost, by their face value",
        "Mean price of lots with that number of tiles whose face values add up to the column.",
        "value", PRICE,
    ),
    "price-by-size-zeros": _lot_map(
        "What lots cost, by their value-0 tiles",
        "Mean price of lots by number of tiles and how many of them have value 0 (two steps of a marker).",
        "zeros", PRICE,
    ),
    "price-by-size-order": _lot_map(
        "What lots cost, as the round goes on", "Mean price of the round's first, second, third lot and so on.",
        "order", PRICE,
    ),
    "fair-by-size-value": _lot_map(
        "What lots are worth, by their face value",
        "Mean of the estimated fair prices of these lots: half of what changes hands with them.", "value", FAIR,
    ),
    "gap-by-tiles-round": _lot_map(
        "How far prices are from the estimated fair ones",
        "Mean price less mean estimated fair price; what is off costs its proposer as much against a rival who knows.",
        "round", GAP,
    ),
    "buyer-by-price-size": _lot_map(
        "Who buys, by price",
        f"Share of lots that the responder buys, by the price named; a column is {BY_LABELS['price']}. {_HALF}",
        "price", BUYER,
    ),
    "buyer-by-gap-size": _lot_map(
        "Who buys, by how dear it is",
        "Share of lots that the responder buys, by the price less the estimated fair price; a column goes from its "
        f"number up to the next. {_HALF}",
        "gap", BUYER,
    ),
    "buyer-by-tiles-round": _lot_map(
        "Who buys, round by round", f"Share of lots that the responder buys. {_HALF}", "round", BUYER
    ),
    "tiles-by-order": _lot_map(
        "How many tiles are shown, as the round goes on",
        "Share of the round's first, second, third lot and so on with that number of tiles; columns add up to 100 %.",
        "order", Figure("share_of_level", "share of the column's lots", "share"),
    ),
    "discard-by-tiles-round": _lot_map(
        "What is discarded", "Share of lots that the buyer discards, for want of room or of use.",
        "round", DISCARD,
    ),
    "harbor-by-ship": HeatMap(
        "Who wins a harbor, by ship", "Share of moored ships that are paid for the better load of their harbor.",
        "harbor", "ship, by its spaces", PAID, _ships,
    ),
    "load-by-ship": HeatMap(
        "What ships carry", "Mean face value of all tiles on a moored ship when the round is scored.",
        "harbor", "ship, by its spaces", Figure("load_mean", "mean face value", "number"), _ships,
    ),
    "ship-against-ship": HeatMap(
        "Which ship beats which",
        "Share of harbors that the row's ship wins when the column's ship of the rival lies there too, or none. With "
        "the ships swapped, the rest up to 100 % are ties.",
        "own ship, by its spaces", "rival's ship there", Figure("won_share", "won by the row's ship", "share"), _duels,
    ),
    "harbor-by-load": HeatMap(
        "What load wins a harbor", "Share of ships with that total face value that win their harbor.",
        "harbor", "total face value of the ship's tiles", PAID,
        Excerpt("harbors", "harbor", "load", lambda rows: rows["figure"] != "tied_share"),
    ),
    "cargo-by-harbor": HeatMap(
        "Where goods are shipped", "Of the loaded tiles of the row's goods, the share that goes to each harbor.",
        "goods", "harbor", Figure("share", "share of the row's tiles", "share"), _cargo,
    ),
    "position-by-round": HeatMap(
        "Where the markers lie",
        "Share of all markers on each space when the round is scored; positive spaces are Medici's, negative ones "
        "Strozzi's. Rows add up to 100 %.",
        "after round", "space; 0 is the centre", Figure("share", "share of markers", "share"), _spaces,
    ),
    "coins-by-track": HeatMap(
        "What each track pays", "Mean coins that the marker brings its owner in that scoring, bonus included.",
        "track", "round", Figure("coins_mean", "coins", "amount"), _TRACKS,
    ),
    "distance-by-track": HeatMap(
        "How far the markers are", "Mean number of spaces between a marker and the centre when the round is scored.",
        "track", "after round", Figure("distance_mean", "spaces", "number"), _TRACKS,
    ),
    "swapped-by-track": HeatMap(
        "How often a marker changes sides", "Share of markers that cross the centre in the round's scoring.",
        "track", "round", Figure("swapped_share", "changed sides", "share"), _TRACKS,
    ),
}  # fmt: skip
