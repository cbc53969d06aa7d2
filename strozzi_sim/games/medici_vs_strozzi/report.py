"""The tables and heat maps of a Medici vs Strozzi report: blocks of figures; report.toml has their labels."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from strozzi_sim.declare.figure_tables import Tables
from strozzi_sim.declare.pages import LEADERS, QUANTILES
from strozzi_sim.facts.blocks import ALL, Block, Difference, Quantiles, Ratio, amounts, ratio_of, ratios, shares
from strozzi_sim.facts.figures import SCORE, Figure
from strozzi_sim.games.medici_vs_strozzi.fact_tables import FATES, SOURCES
from strozzi_sim.games.medici_vs_strozzi.state import MAX_REVEAL, MAX_ROUNDS, PLAYER_NAMES

WHY = FATES[1:]  # of discarded lots
PRICE_QUANTILES = {"price_q05": 0.05, "price_q50": 0.5, "price_q95": 0.95}
# Columns by which lots are grouped: name in the report -> column.
LOTS_BY = {by: by for by in ("round", "order", "value", "zeros", "gold", "proposer", "room")} | {"price": "price_band"}
FAIR_BY = {"fair": "fair", "gap": "gap"}
_WHOLE = {"by": ALL, "level": ALL}
_EARNED = " + ".join(SOURCES)
_PAY = {f"coins_{source}_mean": source for source in SOURCES}
_PAYOUT = {**_PAY, "payout_mean": _EARNED, "paid_mean": "paid"}
_GAIN = {"gain_mean": f"{_EARNED} - paid"}
_PAID = {**_PAY, "paid_mean": "paid"}
_DECIDED = {"winner_": "win == 1", "loser_": "win == 0"}
_TILES = {"lots_mean": "lots", "tiles_mean": "tiles", "tiles_per_lot": "tiles / lots"}
_COURSE = (*ratios(**_TILES), *shares(full_fleet_share="full_fleet", empty_bag_share="empty_bag"))
_LEVEL = shares(share="rows along level")
_OF_LEVEL = shares(share_of_level="rows along tiles")
_PRICE = amounts("price_mean")
_BOUGHT = (*_PRICE, *shares(responder_share="bought / asked", discard_share="discarded", win_share="win"))
_FAIR = (
    *amounts("fair_mean", price_minus_fair_mean="gap"),
    *ratios(miss_mean="miss"),
    Ratio(Figure("price_to_fair_ratio", unit="amount"), ("price",), "fair", rows_count=True),
)
_WON = shares("won_share", "tied_share")
_LOADED = (*ratios("load_mean", "tiles_mean"), *shares("full_share"))
_ALONE = shares("alone_share", alone_won_share="alone_won / alone", win_share="win")
_MARKER = (
    *shares(off_centre_share="off_centre"),
    *ratios(distance_mean="distance"),
    *shares(bonus_share="on_bonus", swapped_share="swapped"),
    *amounts(coins_mean="monopoly + bonus"),
    *ratios(steps_mean="steps", moved_mean="moved"),
    *shares(effective_share="moved / steps"),
)


def _prefixed(formulas: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {f"{prefix}{name}": formula for name, formula in formulas.items()}


def lots(by: str) -> Block:
    """Return the block of the prices and buyers of lots, grouped by `by`, a key of LOTS_BY."""
    axes = {"tiles": "tiles", "level": LOTS_BY[by]}
    return Block("lot", axes, (*_LEVEL, *_OF_LEVEL, *_BOUGHT), {"by": by}, margins=("tiles",))


def estimates(by: str) -> Block:
    """Return the block of fair prices; by a key of FAIR_BY it also has all figures of `lots`."""
    figures = (*_LEVEL, *_OF_LEVEL, *_BOUGHT, *_FAIR) if by in FAIR_BY else _FAIR
    axes = {"tiles": "tiles", "level": (LOTS_BY | FAIR_BY)[by]}
    trimmed = ("level",) * (by == "fair")
    return Block("price_estimate", axes, figures, {"by": by}, margins=("tiles",), trim=trimmed)


def _harbor(levels: Mapping[str, str], by: Mapping[str, str]) -> tuple[Block, ...]:
    axes = {"harbor": "harbor", **levels}
    outcomes = shares(**{"{}_share": "rows along outcome"})
    ties, contested = shares(tie_of_contested_share="tied"), "outcome == decided or outcome == tie"
    coins = {**_PAY, "coins_mean": _EARNED}
    paid = amounts(**{name: f"{formula} / players" for name, formula in coins.items()})
    return (
        Block("harbor", {**axes, "outcome": "outcome"}, outcomes, by, named="outcome", margins=("harbor",)),
        Block("harbor", axes, ties, by, contested, margins=("harbor",)),
        Block("harbor", axes, paid, by, margins=("harbor",)),
    )


_WITH_HARBOR: Any = {"exclude": {"harbor": ("none",)}}


def ships(axes: Mapping[str, str], levels: Mapping[str, str], margins: tuple[str, ...] = ("harbor",)) -> Block:
    """Return the block of the results of moored ships."""
    return Block("ship", axes, (*_LOADED, *_WON, *_ALONE), levels, "moored == yes", margins, **_WITH_HARBOR)


_BY_LOAD = {"harbor": "harbor", "level": "load"}
LOADS = Block("ship", _BY_LOAD, (*_LEVEL, *_WON), {"by": "load"}, "moored == yes", ("harbor",), **_WITH_HARBOR)
TRACKS = Block("marker", {"track": "track", "level": "round"}, _MARKER, {"by": "round"}, margins=("track",))
_BELOW_ZERO = shares("below_zero_share", "below_zero_at_end_share")
_BY_SIZE = {"tiles": "tiles"}
_BELOW_TILE_0 = Difference("value_0_price_minus_this_mean", _PRICE[0], "tile", "0")
_SINGLE = (*_PRICE, *shares(responder_share="bought"))
_BY_SHIP = {"harbor": "harbor", "level": "ship"}
_HELD = (*_LEVEL, *shares(win_share="win"))
_DISCARDED = shares(discard_share="discarded", forced_share="forced / discarded")
_OF_DISCARDS = (*_DISCARDED, *shares(share="discarded along level"))
_MARGINS = (*amounts("margin_mean", "medici_margin_mean"), *shares("tie_share"), *ratios("lead_changes_mean"))
_SEEN = (*ratios(shown_mean="rows / games"), *shares(loaded_share="loaded", alone_share="alone"))
_TRADED = (*shares("traded_share"), *ratios("steps_mean"), *shares(win_share="win"))
_SHIPS_OF_ROUND = (*ratios(loaded_mean="loaded"), *shares(full_ships_share="full"))
BLOCKS: Mapping[str, tuple[Block | Quantiles, ...]] = {
    "balance": (
        Quantiles("seat", "total", QUANTILES, open_below=True),
        Block("seat", {}, (ratio_of(SCORE, "total"), *amounts(**_PAID), *_BELOW_ZERO)),
        *(
            Block("seat", {}, amounts(**_prefixed({"score_mean": "total", **_PAID}, who)), where=where)
            for who, where in _DECIDED.items()
        ),
        Block("seat", {}, shares(medici_win_share="win"), where="seat == Medici"),
        Block("game", {}, _MARGINS),
        LEADERS,
        Block("round_end", {}, _COURSE),
        Block("round", {}, ratios("loaded_mean")),
        Block("lot", {}, shares(price_cap_share="capped")),
    ),
    "prices": (
        Block("lot", _BY_SIZE, (*_OF_LEVEL, *_BOUGHT), _WHOLE, margins=("tiles",)),
        Block("price_estimate", _BY_SIZE, _FAIR, _WHOLE, margins=("tiles",)),
        Quantiles("lot", "price", PRICE_QUANTILES, _WHOLE, by=_BY_SIZE, open_above=False),
        *(block(by) for by in LOTS_BY for block in (lots, estimates)),
        *(estimates(by) for by in FAIR_BY),
    ),
    "tiles": (
        Block("tile", {"tile": "value"}, _SEEN),
        Block("tile", {"tile": "value"}, _TRADED, where="loaded == yes"),
        Block("lot", {"tile": "face"}, _SINGLE, where="tiles == 1", differences=(_BELOW_TILE_0,)),
        Block("price_estimate", {"tile": "face"}, amounts("fair_mean"), where="tiles == 1"),
    ),
    "harbors": (
        *_harbor({}, _WHOLE),
        *_harbor({"level": "round"}, {"by": "round"}),
        ships({"harbor": "harbor"}, _WHOLE),
        ships(_BY_SHIP, {"by": "ship"}),
        Block("ship", _BY_SHIP, shares(moored_share="rows along harbor"), {"by": "ship"}, **_WITH_HARBOR),
        Block("ship", {"level": "ship"}, shares("moored_share"), {"harbor": ALL, "by": "ship"}),
        LOADS,
    ),
    "monopolies": (
        Block("marker", {"track": "track"}, _MARKER, _WHOLE, margins=("track",)),
        TRACKS,
        Block("marker", {"level": "place"}, _LEVEL, {"track": ALL, "by": "space"}, "last == yes"),
        Block("round", {"level": "held"}, _HELD, {"track": ALL, "by": "held"}, "last == yes"),
    ),
    "rounds": tuple(
        Block(fact, {"round": "round"}, figures, where=where, margins=("round",))
        for fact, figures, where in (
            ("round_end", (*_COURSE, *ratios("left_mean")), ""),
            ("lot", _PRICE, ""),
            ("round", (*_SHIPS_OF_ROUND, *amounts(**_PAYOUT), *ratios(**_GAIN)), ""),
            *(
                ("round", (*amounts(**_prefixed(_PAYOUT, who)), *ratios(**_prefixed(_GAIN, who))), where)
                for who, where in _DECIDED.items()
            ),
        )
    ),
    "discards": (
        Block("lot", {}, (*_DISCARDED, *ratios(discards_mean="discarded / games")), _WHOLE),
        Block("lot", {}, _PRICE, _WHOLE, "discarded == yes"),
        *(Block("lot", {"level": by}, _OF_DISCARDS, {"by": by}) for by in ("tiles", "round", "buyer")),
        Block("lot", {"level": "buyer"}, _PRICE, {"by": "buyer"}, "discarded == yes"),
        Block("lot", {"level": "fate"}, (*_LEVEL, *_PRICE), {"by": "why"}, "discarded == yes", include={"level": WHY}),
    ),
}


def _by_size(block: Block, *, sized: bool = False) -> Block:
    """Return a heat map of lots by size; `sized`: with the share of each size, without the row of all sizes."""
    figures = [figure for figure in block.figures if sized or figure.name != "share_of_level"]
    return replace(block, margins=() if sized else block.margins).as_map("tiles", figures=figures)


_OF_COLUMN = shares(share="rows along column")
_RIVALS, _LOADS_OF = {"row": "ship", "column": "rival"}, {"row": "goods", "column": "harbor"}
_SOMEWHERE: Any = {"exclude": {"column": ("none",)}}
MAPS = {
    "price-by-tiles-round": _by_size(lots("round")),
    "price-by-size-value": _by_size(lots("value")),
    "price-by-size-zeros": _by_size(lots("zeros")),
    "price-by-size-order": _by_size(lots("order")),
    "fair-by-size-value": _by_size(estimates("value")),
    "gap-by-tiles-round": _by_size(estimates("round")),
    "buyer-by-price-size": _by_size(lots("price")),
    "buyer-by-gap-size": _by_size(estimates("gap")),
    "tiles-by-order": _by_size(lots("order"), sized=True),
    "harbor-by-ship": ships(_BY_SHIP, {}, ("harbor", "level")).as_map("harbor"),
    "ship-against-ship": Block("ship", _RIVALS, (*_OF_COLUMN, *_WON), where="moored == yes"),
    "harbor-by-load": LOADS.as_map("harbor", figures=(*_LEVEL, _WON[0])),
    "cargo-by-harbor": Block("tile", _LOADS_OF, _OF_COLUMN, where="loaded == yes", **_SOMEWHERE),
    "position-by-round": Block("marker", {"row": "round", "column": "place"}, _OF_COLUMN),
    "coins-by-track": TRACKS.as_map("track"),
    # in round 1 all markers come from the centre, and none can change sides
    "swapped-by-track": replace(TRACKS, exclude={"level": ("1",)}).as_map("track"),
}


def words(tables: Tables, data: Mapping[str, Any]) -> dict[str, str]:
    """Return labels of seats, sizes of lots, rounds, tracks and negative numbers."""
    labels = {
        f"seat={seat}": f"{order} player ({PLAYER_NAMES[seat]})" for seat, order in enumerate(("first", "second"))
    }
    labels |= {f"tiles={size}": f"{size} tiles" if size > 1 else "1 tile" for size in range(1, MAX_REVEAL + 1)}
    labels |= {f"round={number}": f"round {number}" for number in range(1, MAX_ROUNDS + 1)}
    for harbor in data.get("harbor", []):
        labels |= {f"{harbor['id']}.{kind}": f"{harbor['id']} {kind}" for kind in harbor["tracks"]}
    for name, table in tables.items():
        for column in ("level", "column"):
            if column in table and (name in ("monopolies", "prices") or name.startswith("heat_")):
                negative = {level for level in table[column].unique() if level.startswith(("-", "<-"))}
                labels |= {level: level.replace("-", "\N{MINUS SIGN}") for level in negative}
    return labels
