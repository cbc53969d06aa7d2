"""Other boxes that fit what is known: 30 for each game, drawn at random in place of its reconstructed data.

They keep what a source states (numbers of cards and tiles, the documented cards, prizes, the sizes and rules that the notes in
components.toml name) and draw the rest. A conclusion that does not survive them is one about the reconstruction.
"""

import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from itertools import permutations
from random import Random
from typing import Any

import pandas as pd

import strozzi_sim as ss
from strozzi_sim.game import load_game
from strozzi_sim.game.variants import shipped_variants

COUNT = 30
SEED = 1489  # the year in which Filippo Strozzi began to build his palace
DEALS = {"strozzi": 5000, "medici_vs_strozzi": 2000, "strasbourg": 1500}
PLAYERS = {"strozzi": 4, "medici_vs_strozzi": 2, "strasbourg": 4}
THINGS = {  # whose worth is measured in every box
    "strozzi": ("flag:pirate", "flag:plus_one", "flag:ware"),
    "medici_vs_strozzi": ("lot:above-1", "harbor:H1", "harbor:H2", "harbor:H3"),
    "strasbourg": ("good:any", "edifice:any", "chapel:any", "step:B", "step:D", "step:F"),
}
Changes = dict[str, Any]


def player(game: str) -> Callable[[], dict[str, pd.DataFrame]]:
    """Return a function that plays the box, the shipped variants and the other boxes with the game's usual agent."""

    def play() -> dict[str, pd.DataFrame]:
        loaded = load_game(game)
        variants: list[Any] = ["base", *shipped_variants(loaded), *boxes(game)]
        agent = [loaded.default_agent]
        fair = ss.simulate(game, PLAYERS[game], agent, DEALS[game], variant=variants)
        figures = {"seat_gap", "score_mean", "margin_mean", "decisions_mean"}
        balance = fair.tables["balance"]
        worth = [
            ss.worth(game, THINGS[game], PLAYERS[game], agent, DEALS[game] // 2, variant=one).tables["worth"]
            for one in variants
        ]
        wins = fair.tables["seats"].query("figure == 'win_share'")
        columns = ["variant", "figure", "value", "low", "high", "n"]
        return {
            "balance": pd.concat([balance[balance["figure"].isin(figures)][columns], wins[["seat", *columns]]]),
            "worth": pd.concat(worth).query("figure.str.endswith('_lost')")[
                ["variant", "thing", "figure", *columns[2:]]
            ],
        }

    return play


def boxes(game: str) -> Iterator[ss.Variant]:
    """Yield the boxes, the same ones at every call."""
    random, made = Random(SEED), 0
    draw = {"strozzi": _strozzi, "medici_vs_strozzi": _medici_vs_strozzi, "strasbourg": _strasbourg}[game]
    base = ss.Variant.of(game).components
    while made < COUNT:
        changes = draw(random, base)
        if changes is not None:
            made += 1
            yield ss.Variant.of(game, {f"box-{made}": changes})


def _strozzi(random: Random, base: Any) -> Changes | None:
    """Return other ships, wares of tiles and bonus spaces.

    Documented ships stay. Each other one keeps its number of symbols: its wares change ports, and half of them trade one step of sail
    for one ware, up or down. All 29 differ, and sails 1 to 8 all occur. A tile of value 1 shows any ware; bonuses 5, 10
    and 15 lie in this order on spaces from 5 to the last one, the 9th or 10th.
    """
    ships: dict[str, dict[str, int]] = {}
    wares = ("venice", "rome", "naples")
    for ship in base["ships"]:
        card = {key: ship[key] for key in ("sail", *wares, "scrolls", "promotion")}
        if ship["id"] in _reconstructed_ships():
            cargo = [card[ware] for ware in wares]
            random.shuffle(cargo)
            step = random.choice((-1, 0, 0, 1))
            largest = cargo.index(max(cargo))
            if 1 <= card["sail"] + step <= 8 and 0 <= cargo[largest] - step <= 3:
                card["sail"] += step
                cargo[largest] -= step
            card |= dict(zip(wares, cargo, strict=True))
        ships[ship["id"]] = card
    different = {tuple(card.values()) for card in ships.values()}
    if len(different) < len(ships) or {card["sail"] for card in ships.values()} != set(range(1, 9)):
        return None
    top = random.choice((9, 10))
    spaces = [*sorted(random.sample(range(5, top), 2)), top]
    tiles = {tile["id"]: {"ware": random.choice(wares)} for tile in base["promotion_tiles"] if tile["ware"]}
    tracks = {"top_index": top, "bonus": {str(space): pay for space, pay in zip(spaces, (5, 10, 15), strict=True)}}
    return {"ships": ships, "promotion_tiles": tiles, "tracks": tracks}


@cache
def _reconstructed_ships() -> frozenset[str]:
    """Return the ids of the ships that no source describes."""
    data = tomllib.loads(files("strozzi_sim.games.strozzi").joinpath("components.toml").read_text("utf-8"))
    return frozenset(ship["id"] for ship in data["ships"] if ship["provenance"] == "reconstructed")


def _medici_vs_strozzi(random: Random, base: Any) -> Changes:
    """Return other tracks and harbors: half-length 4 to 7, bonuses 10 and 20 on two of the last three spaces; goods as in the notes."""
    half = random.choice((4, 5, 6, 7))
    low, high = sorted(random.sample(range(half - 2, half + 1), 2))
    types = list(random.choice(list(permutations(("dye", "spice", "cloth", "fur")))))
    harbors = {"H1": types[:3], "H2": [*types[:2], types[3]], "H3": types[2:]}
    return {
        "tracks": {"half_length": half, "bonus": {str(low): 10, str(high): 20}},
        "harbor": {name: {"tracks": tracks} for name, tracks in harbors.items()},
    }


def _strasbourg(random: Random, base: Any) -> Changes | None:
    """Return another city, other points of tasks and other round cards.

    The city is mirrored or not, and its districts change guilds; prices follow the rule of the box (the goods value, or one less if no site
    is beside the space); ten to fifteen corners are chapel sites. Tasks pay up to 2 points more or less, at most 12. Each guild is
    auctioned three times, once in each of the steps B, D and F.
    """
    city, letters = base["city"], base["guilds"]["letters"]
    rows = [row.split() if isinstance(row, str) else list(row) for row in city["guild_map"]]
    names = list(letters)
    shuffled = random.sample(names, len(names))
    other = dict(zip(names, shuffled, strict=True))
    mirrored = random.random() < 0.5
    rows = [[other.get(cell, cell) for cell in (row[::-1] if mirrored else row)] for row in rows]
    value = {letter: base["goods"]["value"][guild] for letter, guild in letters.items()}
    prices = [[_price(rows, value, r, c) for c in range(len(rows[0]))] for r in range(len(rows))]
    width = city["columns"]
    sites = [[width - c, r] if mirrored else [c, r] for c, r in city["chapel_sites"]]
    sites = sorted(random.sample(sites, random.randint(10, len(sites))))
    tasks = {task["id"]: {"points": max(1, min(12, task["points"] + random.randint(-2, 2)))} for task in base["tasks"]}
    guilds = random.sample(base["guilds"]["order"], 5)
    shifts = random.sample(range(5), 3)
    cards = {
        card["id"]: {"guilds": {step: guilds[(k + shift) % 5] for step, shift in zip("BDF", shifts, strict=True)}}
        for k, card in enumerate(base["round_cards"])
    }
    return {
        "city": {
            "guild_map": [" ".join(row) for row in rows],
            "price_map": [" ".join(row) for row in prices],
            "chapel_sites": sites,
        },
        "tasks": tasks,
        "round_cards": cards,
    }


def _price(rows: list[list[str]], value: dict[str, int], r: int, c: int) -> str:
    if rows[r][c] == "#":
        return "."
    beside = ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1))
    at_site = any(0 <= i < len(rows) and 0 <= j < len(rows[0]) and rows[i][j] == "#" for i, j in beside)
    return str(value[rows[r][c]] - (not at_site))
