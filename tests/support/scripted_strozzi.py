"""Scripted games of Strozzi for tests: cards made to measure, positions set by hand, random games."""

import copy
import random
from collections.abc import Iterable, Sequence
from typing import Any

from scripted import lines, shipped, with_switches
from strozzi_sim.games.strozzi.reference import CITIES, FLAGS, Game

BASE = shipped("strozzi")


def base_components(**switches: Any) -> dict[str, Any]:
    """A copy of the shipped components, with some switches of [rules] changed."""
    return with_switches(BASE, "rules", switches)


def card(
    sail: int = 1, venice: int = 0, rome: int = 0, naples: int = 0, scrolls: int = 0, promotion: int = 0
) -> dict[str, int]:
    """A ship card without its id."""
    goods = {"venice": venice, "rome": rome, "naples": naples}
    return {"sail": sail, **goods, "scrolls": scrolls, "promotion": promotion}


def table(
    players: int,
    cards: Iterable[dict[str, int]] = (),
    *,
    tiles: Sequence[str] | None = None,
    start: int = 0,
    rounds: int = 1,
    components: dict[str, Any] | None = None,
    **switches: Any,
) -> Game:
    """A game in which `cards`, called C01, C02, ..., come first in every round; other ships are empty."""
    components = copy.deepcopy(components) if components else base_components(**switches)
    components["setup"]["rounds"] = rounds
    ships = list(cards)
    ships += [card() for _ in range(len(components["ships"]) - len(ships))]
    components["ships"] = [{"id": f"C{number:02}", **ship} for number, ship in enumerate(ships, start=1)]
    deck = [ship["id"] for ship in components["ships"]]
    if tiles is None:
        tiles = [tile["id"] for tile in components["promotion_tiles"]]
    return Game(components, players, [deck] * rounds, tiles, start)


def take(game: Game, seat: int, flag: str, port: str, tile: str | None = None) -> Game:
    """`seat` gets the ship just revealed, since everybody else passes, and puts it at `port`."""
    while game.actor != seat:
        game.play("pass")
    game.play(flag)
    while game.question and game.question.kind == "claim" and game.holder == seat:
        game.play("pass")
    if game.question and game.question.kind == "place":
        game.play(port)
    assert seat in [owner for owner, _, _ in game.ports[port]] or game.over
    if game.question and game.question.kind == "take_tile":
        game.play(tile or game.legal[0])
    return game


def pass_card(game: Game) -> Game:
    """Everybody passes until the ship just revealed is gone."""
    card_left = (game.round, game.deck_left)
    while not game.over and (game.round, game.deck_left) == card_left:
        game.play("pass")
    return game


def pass_round(game: Game) -> Game:
    """Everybody passes until the round is scored."""
    number = game.round
    while not game.over and game.round == number:
        game.play("pass")
    return game


def put_markers(game: Game, city: str, **spaces: list[int]) -> Game:
    """Set markers on a track, `on4=[2, 0]`; those not named keep their order on the start space."""
    moved = [seat for seats in spaces.values() for seat in seats]
    track = game.tracks[city]
    left = [seat for space in track for seat in space if seat not in moved]
    track[:] = [left] + [[] for _ in track[1:]]
    for space, seats in spaces.items():
        track[int(space.removeprefix("on"))] += seats
    return game


def deal(components: dict[str, Any], players: int, seed: int) -> Game:
    """A game with shuffled ships and tiles."""
    dice = random.Random(seed)
    ships = [ship["id"] for ship in components["ships"]]
    tiles = [tile["id"] for tile in components["promotion_tiles"]]
    orders = [dice.sample(ships, len(ships)) for _ in range(components["setup"]["rounds"])]
    return Game(components, players, orders, dice.sample(tiles, len(tiles)))


def choose(game: Game, dice: random.Random, passing: float) -> str | None:
    """A random option that is a pass with the given probability."""
    if game.legal[0] == "pass" and dice.random() < passing:
        return "pass"
    return dice.choice(game.legal)


ALL_FLAGS = list(FLAGS)


def level(game: Game, city: str, seat: int) -> int:
    """The space on which the marker of `seat` stands."""
    return next(index for index, space in enumerate(game.tracks[city]) if seat in space)


def levels(game: Game, seat: int) -> dict[str, int]:
    return {city: level(game, city, seat) for city in CITIES}


def up(**cities: int) -> dict[str, int]:
    """Levels of a marker that has left the start in some cities only."""
    return dict.fromkeys(CITIES, 0) | cities


def seats_asked(game: Game, since: int = 0) -> list[int]:
    return [event["player"] for event in game.events[since:] if event["type"] == "claim"]


def ships_at(game: Game, port: str) -> list[str]:
    return [ship for _, ship, _ in game.ports[port]]


def first_round(game: Game) -> dict[str, Any]:
    return lines(game, "score_round")[0]
