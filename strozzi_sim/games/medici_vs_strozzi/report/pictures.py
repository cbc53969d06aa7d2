"""The pictures and tables that a Medici vs Strozzi report shows, page by page."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from strozzi_sim.facts.pictures import Figure
from strozzi_sim.game.pages import ALL, figures, leaders, score_pictures
from strozzi_sim.game.reporting import SCENARIO, Picture, Tables, first_scenario
from strozzi_sim.games.medici_vs_strozzi.report.labels import BY_LABELS
from strozzi_sim.games.medici_vs_strozzi.report.tables import ESTIMATED, PRICE_QUANTILES, ROLES, SOURCES, WHY

SIZES = ("1", "2", "3", "4", "5", "6")
_MONEY = ("coins", "price", "fair_mean", "score", "margin", "paid", "payout")


_figures = partial(figures, amounts=_MONEY)
WON, PRICE, FAIR, BUYER, SHARE = _figures({
    "win_share": "games won", "price_mean": "mean price in coins", "fair_mean": "estimated fair price",
    "responder_share": "bought by the responder", "share": "share of the lots",
})  # fmt: skip
_PARTS = dict(zip(SOURCES, ("harbors", "monopolies", "bonus spaces"), strict=True))


def _picture(
    name: str, page: str, kind: Any, figures: tuple[Figure, ...], title: str, caption: str, by: Mapping[str, str] | None = None,
    x: str = "level", x_label: str = "", **more: Any,
) -> Picture:  # fmt: skip
    return Picture(name, page, kind, page, figures, title, caption, by or {}, x=x, x_label=x_label, **more)


def compared(tables: Tables) -> list[Picture]:
    """Return pictures of several variants or line-ups side by side, if there are several."""
    if first_scenario(tables["balance"]).equals(tables["balance"]):
        return []
    seats = _figures({
        "margin_mean": "coins of the winner less the loser's", "leader_1_wins_share": "won by the leader of round 1",
    })  # fmt: skip
    bonus, coins = _figures({"bonus_share": "on a bonus space", "coins_mean": "coins"})
    by_round = (
        ("monopolies", {"track": ALL}, bonus, "How many markers reach a bonus space",
         "Share of all markers that are on a bonus space after the round."),
        ("monopolies", {"track": ALL}, coins, "What a marker pays", "Mean coins that a marker brings in the round's scoring."),
        ("prices", {"tiles": ALL}, PRICE, "What a lot costs", "Mean price of all lots of the round."),
    )  # fmt: skip
    return [
        _picture("compared-balance", "balance", "intervals", seats, "The variants and line-ups compared",
                 "Whiskers are 95 % intervals.", x="players", series=SCENARIO, x_label="players"),
        *(_picture(f"compared-{page}-{figure.name.replace('_', '-')}", page, "lines", (figure,), f"{title}, compared", caption,
                   {**where, "by": "round"}, series=SCENARIO, x_label="round")
          for page, where, figure, title, caption in by_round if page in tables),
    ]  # fmt: skip


def _income(who: str = "") -> tuple[Figure, ...]:
    return _figures({f"{who}coins_{name}_mean": label for name, label in _PARTS.items()})


def _balance(tables: Tables) -> list[Picture]:
    before = _figures({
        "medici_win_share": "games won by Medici, ties as halves", "medici_margin_mean": "coins of Medici less Strozzi's",
        "seat_fairness_p": "p-value of equal seats", "score_mean": "coins of a player",
        "winner_score_mean": "mean of the winners", "loser_score_mean": "mean of the losers",
        "margin_mean": "coins of the winner less the loser's", "tie_share": "games with a shared win",
        "lead_changes_mean": "changes of the leader from round to round",
    })  # fmt: skip
    after = _figures({
        "lots_mean": "lots in a round", "tiles_mean": "tiles shown in a round", "tiles_per_lot": "tiles in a lot",
        "full_fleet_share": "rounds that end with a full fleet", "empty_bag_share": "rounds that end with an empty bag",
        "loaded_mean": "tiles a player loads in a round", "paid_mean": "coins a player pays for lots in a game",
        "below_zero_share": "players with less than 0 coins at some time",
        "below_zero_at_end_share": "players with less than 0 coins at the end",
        "price_cap_share": "lots at the highest price an agent can name",
    })  # fmt: skip
    decisions = Figure("decisions_mean", "decisions in a game", "count")
    figures = (*before, *leaders(tables, "games won by the leader after round {}"), decisions, *after)
    return [
        *score_pictures(
            "coins",
            "Thin line: 5 % to 95 % of all players' final coins. Thick line: the middle half. Dot: the median. "
            "Diamond: the mean of the winners.",
            {"a player": _income(), "the winner": _income("winner_"), "the loser": _income("loser_")},
            "Mean coins by source in a game, what was paid for lots not deducted. Tied games are in the first bar only.",
        ),
        _picture("balance-figures", "balance", "table", figures, "The game in figures",
                 "Each figure with its 95 % interval. A round that ends with a full fleet and an empty bag counts as the first.",
                 x="figure"),
    ]  # fmt: skip


def _by_size(name: str, figure: Figure, title: str, caption: str, by: str, **more: Any) -> Picture:
    """Return pictures with a line for each number of tiles."""
    return _picture(name, "prices", "lines", (figure,), title, caption, {"by": by}, series="tiles", series_levels=SIZES,
                    x_label=BY_LABELS[by], **more)  # fmt: skip


def _prices(tables: Tables) -> list[Picture]:
    sizes = (
        Figure("share_of_level", "share of the lots", "share"), PRICE,
        *_figures({name: f"{round(100 * level)} % cost less than" for name, level in PRICE_QUANTILES.items()}), FAIR, BUYER,
    )  # fmt: skip
    half = "Share of lots that the responder buys{}. The line is one half."
    tables_by = {
        "zeros": "Lots by their value-0 tiles", "gold": "Lots by their gold tiles", "order": "Lots in the course of the round",
        "proposer": "Lots by who names the price", "room": "Lots by who could load them",
    }  # fmt: skip
    return [
        _picture("prices-by-size", "prices", "table", sizes, "Lots in figures",
                 "Each figure with its 95 % interval. The fair price is half of the lot's swing. " + ESTIMATED,
                 {"by": ALL}, x="tiles", x_label=BY_LABELS["tiles"]),
        _by_size("prices-by-round", PRICE, "What lots cost, round by round", "Mean price by the number of tiles in the lot.",
                 "round"),
        _by_size("prices-by-value", PRICE, "What lots cost, by their face value",
                 "Mean price by the number of tiles in the lot and by their face values added up. Value-0 tiles are at 0; "
                 "their number of steps differs.", "value"),
        _by_size("prices-spread", SHARE, "How prices are spread", "Share of the lots with that number of tiles, by price.",
                 "price"),
        _picture("prices-and-fair", "prices", "lines", (PRICE, FAIR), "Prices and estimated fair prices",
                 f"Mean price named for lots by their estimated fair price. {ESTIMATED}", {"by": "fair", "tiles": ALL},
                 series="figure", x_label=BY_LABELS["fair"]),
        _by_size("buyers-by-price", BUYER, "Who buys, by price", half.format(""), "price", equal=True),
        _picture("buyers-by-gap", "prices", "lines", (BUYER,), "Who buys, by price above the fair one",
                 half.format(", by the price less the estimated fair price") + f" {ESTIMATED}", {"by": "gap", "tiles": ALL},
                 x_label=BY_LABELS["gap"], equal=True),
        *(_picture(f"prices-by-{by}", "prices", "table", (SHARE, PRICE, FAIR, BUYER), title,
                   f"All sizes together. {ESTIMATED}", {"by": by, "tiles": ALL}, x_label=BY_LABELS[by])
          for by, title in tables_by.items()),
    ]  # fmt: skip


def _tiles(tables: Tables) -> list[Picture]:
    shipped = _figures({
        "loaded_share": "loaded when shown", "traded_share": "loaded where traded", "steps_mean": "steps for each loaded",
    })  # fmt: skip
    fair = _figures({"fair_mean": "fair price", "value_0_price_minus_this_mean": "price of a 0 less its own"})
    return [
        _picture("tile-prices", "tiles", "intervals", (PRICE, FAIR), "What a tile costs that is a lot alone",
                 "Mean price and mean estimated fair price of lots of one tile, by its face value. A tile of value 0 moves its "
                 f"marker by a different number of steps, gold moves none. {ESTIMATED}",
                 x="tile", series="figure", x_label="face value of the tile"),
        _picture("tiles-table", "tiles", "table", (*shipped, PRICE, *fair, BUYER), "Tiles in figures",
                 "Prices are those of lots of one tile. Traded means that its goods have a track at the harbor it went to. "
                 f"{ESTIMATED}", x="tile", x_label="face value"),
    ]  # fmt: skip


def _harbors(tables: Tables) -> list[Picture]:
    (won,) = _figures({"won_share": "share of ships that win their harbor"})
    own = tuple(name for name in tables["harbors"]["harbor"].unique() if name != ALL)
    outcomes = _figures({
        "decided_share": "won against a rival", "tie_share": "tied", "unopposed_share": "won by a lone ship",
        "unopposed_unpaid_share": "lone ship without value", "empty_share": "no ship",
    })  # fmt: skip
    ships = _figures({
        "moored_share": "used in a round", "tiles_mean": "tiles", "full_share": "full", "load_mean": "face value",
        "won_share": "wins its harbor", "tied_share": "tied", "alone_share": "without a rival",
    })  # fmt: skip
    return [
        _picture("harbor-outcomes", "harbors", "table", outcomes, "How harbors are decided",
                 "Share of the scorings of a harbor.", {"by": ALL}, x="harbor", x_label="harbor"),
        _picture("harbor-coins", "harbors", "bars", _income(), "What a harbor pays a player in a game",
                 "Mean coins of a player from the better load, from monopolies on the harbor's tracks, and from bonus spaces.",
                 {"by": ALL}, x="harbor", levels=own),
        _picture("harbor-ships", "harbors", "intervals", (won,), "Which ship wins a harbor",
                 "Share of moored ships that are paid for the better load. Ties and rivals that stay away keep the mean off "
                 "one half.", {"by": "ship"}, series="harbor", series_levels=own, x_label="spaces of the ship"),
        _picture("harbor-loads", "harbors", "lines", (won,), "What load wins a harbor",
                 "Share of ships with that total face value that win their harbor.", {"by": "load", "harbor": ALL},
                 x_label="total face value of the ship's tiles"),
        _picture("ships-table", "harbors", "table", ships, "Ships in figures", "All harbors together.",
                 {"by": "ship", "harbor": ALL}, x_label="spaces of the ship"),
    ]  # fmt: skip


def _monopolies(tables: Tables) -> list[Picture]:
    names = tuple(name for name in tables["monopolies"]["track"].unique() if name != ALL)
    figures = _figures({
        "off_centre_share": "off the centre", "distance_mean": "spaces from it", "bonus_share": "on a bonus space",
        "swapped_share": "changed sides", "coins_mean": "coins paid", "steps_mean": "steps made",
        "effective_share": "of them moved it",
    })  # fmt: skip
    return [
        _picture("markers-by-round", "monopolies", "table", figures, "The markers, round by round",
                 "All tracks together. Steps are those of both players; what does not move the marker cancelled out or went "
                 "beyond the end.", {"by": "round", "track": ALL}, x_label="after round"),
        _picture("markers-end", "monopolies", "lines", _figures({"share": "share of the markers"}), "Where the markers end",
                 "Share of all markers by their last space; positive spaces are Medici's.", {"by": "space", "track": ALL},
                 x_label="space; 0 is the centre"),
        _picture("tracks", "monopolies", "table", figures, "The tracks", "All rounds together.", {"by": ALL},
                 x="track", levels=names, x_label="track"),
        _picture("wins-by-markers", "monopolies", "lines", (WON,), "Who wins, by markers on their side",
                 "Share of games won by players with that number of markers on their side at the end. The line is an equal "
                 "chance.", {"by": "held", "track": ALL}, x_label="markers on their side at the end", equal=True),
    ]  # fmt: skip


def _rounds(tables: Tables) -> list[Picture]:
    names = tuple(name for name in tables["rounds"]["round"].unique() if name != ALL)
    course = _figures({
        "lots_mean": "lots", "tiles_mean": "tiles shown", "price_mean": "mean price", "full_fleet_share": "end with a full fleet",
        "left_mean": "tiles left in the bag", "loaded_mean": "tiles loaded", "full_ships_share": "players with a full fleet",
    })  # fmt: skip
    money = _figures({
        f"{who}{name}_mean": f"{words} {label}"
        for who, words in (("", "a player"), ("winner_", "winner"), ("loser_", "loser"))
        for name, label in (("payout", "earns"), ("paid", "pays"))
    })  # fmt: skip
    return [
        _picture("rounds-course", "rounds", "table", course, "How rounds go and end", "Tiles loaded are those of one player.",
                 x="round", levels=names, x_label="round"),
        _picture("rounds-income", "rounds", "bars", _income(), "What a round brings a player",
                 "Mean coins from harbors, from monopolies and from bonus spaces; what was paid for lots is not deducted.",
                 x="round", levels=names),
        _picture("rounds-money", "rounds", "table", money, "Earned and paid, round by round",
                 "Winner and loser are those of the whole game; ties are left out of their columns.",
                 x="round", levels=(*names, ALL), x_label="round"),
    ]  # fmt: skip


def _discards(tables: Tables) -> list[Picture]:
    discarded, forced, part, paid = _figures({
        "discard_share": "of these lots are discarded", "forced_share": "of the discards for want of room",
        "share": "share of all discards", "price_mean": "mean price paid",
    })  # fmt: skip
    whole = (discarded, forced, part)
    return [
        _picture("discards-by-tiles", "discards", "table", whole, "Discards by size of the lot", "", {"by": "tiles"},
                 x_label=BY_LABELS["tiles"]),
        _picture("discards-by-buyer", "discards", "table", (*whole, paid), "Discards by who bought the lot",
                 "The price is that of the lots discarded.", {"by": "buyer"}, levels=ROLES, x_label=BY_LABELS["buyer"]),
        _picture("discards-by-round", "discards", "table", whole, "Discards by round", "", {"by": "round"}, x_label="round"),
        _picture("discards-why", "discards", "table", (part, paid), "Why lots are discarded",
                 "Intentions are not recorded; the categories are who had room for the lot.", {"by": "why"}, levels=WHY,
                 x_label="discarded because"),
    ]  # fmt: skip


PICTURES = {
    "balance": _balance, "prices": _prices, "tiles": _tiles, "harbors": _harbors, "monopolies": _monopolies,
    "rounds": _rounds, "discards": _discards,
}  # fmt: skip
