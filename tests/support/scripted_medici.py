"""Scripted games of Medici vs Strozzi for tests: bags packed by hand, fleets set by hand, random games."""

import copy
import random
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from scripted import lines, say, shipped, with_switches
from strozzi_sim.games.medici_vs_strozzi.reference import Game, Option, tiles_of

BASE, VARIANTS = (shipped("medici_vs_strozzi", file) for file in ("components.toml", "variants.toml"))
MEDICI, STROZZI = 0, 1
DISCARD = "discard"


def base_components(tracks: str = "base", **switches: Any) -> dict[str, Any]:
    """A copy of the shipped components, with the tracks of a variant and some switches of [switches] changed."""
    components = with_switches(BASE, "switches", switches)
    if tracks != "base":
        components["tracks"].update(VARIANTS[tracks]["tracks"])
    return components


def table(
    *bags: Sequence[str], start: int = 0, rounds: int = 1, components: dict[str, Any] | None = None, **switches: Any
) -> Game:
    """A game in which the tiles of `bags` come first, round by round; then the others, in the order of the file."""
    components = copy.deepcopy(components) if components else base_components(**switches)
    components["rounds"]["count"] = rounds
    components["rounds"]["starter"] = components["rounds"]["starter"][:rounds]
    orders = []
    for number in range(rounds):
        first = list(bags[number]) if number < len(bags) else []
        orders.append(first + [tile for tile in tiles_of(components) if tile not in first])
    return Game(components, orders, start)


def show(game: Game, tiles: int) -> Game:
    """The proposer reveals until `tiles` tiles lie open, and stops, so that the price is asked."""
    while game.question and game.question.kind == "reveal":
        game.play("more" if len(game.lot) < tiles else "stop")
    assert len(game.lot) == tiles
    assert game.question is not None
    assert game.question.kind == "price"
    return game


def sell(game: Game, tiles: int, buyer: int, place: tuple[int, str] | str = DISCARD, price: int = 0) -> Game:
    """A whole turn: `buyer` gets the next `tiles` tiles for `price` and puts them at `place`."""
    proposer, responder = game.proposer, 1 - game.proposer
    say(show(game, tiles), (proposer, price))
    if game.question and game.question.kind == "answer":
        say(game, (responder, buyer == responder))
    if game.question and game.question.kind == "place" and game.price is not None:
        say(game, (buyer, place))
    return game


def buy_one(game: Game, buyer: int, place: tuple[int, str] | str = DISCARD) -> Game:
    """One tile for nothing."""
    return sell(game, 1, buyer, place)


def moor(game: Game, seat: int, **loads: Sequence[str]) -> Game:
    """Set the fleet of a player by hand: `H1=(5, "dye-1", "fur-2")` is the 5-ship at H1; others lie empty."""
    game.ships[seat] = game._fleet()
    for harbor, (capacity, *tiles) in loads.items():
        assert len(tiles) <= int(capacity)
        game.ships[seat][int(capacity)] = (harbor, list(tiles))
    return game


def empty_bag(game: Game) -> Game:
    """Everything left in the bag is bought for nothing and thrown away, which ends the round."""
    number = game.round
    while not game.over and game.round == number:
        buy_one(game, game.proposer)
    return game


def scored(
    medici: Mapping[str, Sequence[Any]],
    strozzi: Mapping[str, Sequence[Any]],
    markers: Mapping[str, int] | None = None,
    components: dict[str, Any] | None = None,
    **switches: Any,
) -> dict[str, Any]:
    """The score line of a round that ends with these fleets, from these positions of markers (`{"H1.dye": 4}`)."""
    game = table(components=components, **switches)
    while game.bag_left:
        buy_one(game, game.proposer)
    show(game, 1)
    for seat, fleet in enumerate((medici, strozzi)):
        moor(game, seat, **fleet)
    for track, position in (markers or {}).items():
        harbor, goods = track.split(".")
        game.markers[harbor][goods] = position
    game.cash = [300, 300]
    say(game, (game.proposer, 0), (1 - game.proposer, False))
    if not game.over:
        say(game, (game.proposer, DISCARD))
    return lines(game, "score_round")[-1]


def deal(components: dict[str, Any], seed: int, start: int = 0) -> Game:
    """A game with well shaken bags."""
    dice = random.Random(seed)
    tiles = list(tiles_of(components))
    return Game(components, [dice.sample(tiles, len(tiles)) for _ in range(components["rounds"]["count"])], start)


def choose(game: Game, dice: random.Random, discarding: float = 0.1, highest: int = 40) -> Option:
    """A random option; prices up to `highest`, and a lot that fits is thrown away with the given probability."""
    if isinstance(game.legal, range):
        return dice.randint(0, highest)
    if game.legal[-1] == DISCARD and dice.random() >= discarding:
        return dice.choice(game.legal[:-1])
    return dice.choice(game.legal)


def random_game(components: dict[str, Any], seed: int, discarding: float = 0.1, highest: int = 40) -> Game:
    """A game played to the end by chance."""
    game, dice = deal(components, seed), random.Random(seed + 1_000_003)
    while not game.over:
        game.play(choose(game, dice, discarding, highest))
    return game


HARBORS = ("H1", "H2", "H3")
TRACKS = [(harbor["id"], goods) for harbor in BASE["harbor"] for goods in harbor["tracks"]]


TILES = list(tiles_of(BASE))
SWITCHES: list[dict[str, Any]] = [
    {},
    {"round_ends_when": "moored"},
    {"lone_worthless_ship_wins": True},
    {"net_marker_movement": False},
    {"buy_without_room": False},
    {"hidden_cash": True},
    {"round_ends_when": "moored", "buy_without_room": False, "net_marker_movement": False},
]


games = settings(max_examples=30, deadline=None)
seeds = st.integers(0, 2**32)


def kind(game: Game) -> str:
    assert game.question is not None
    return game.question.kind


def loads_on(game: Game, seat: int) -> list[int]:
    """Number of tiles on each ship of a player, the smallest ship first."""
    return [len(aboard) for _, aboard in game.ships[seat].values()]


def left_over(game: Game) -> Game:
    """Show lots of one tile until one is left, which lies on the table."""
    while game.bag_left:
        buy_one(game, game.proposer)
    return game


SIX_STEPS = (5, "dye-0", "dye-1", "dye-2", "dye-3", "dye-4a")
