"""Restricted play: a restricted seat does without, the others do not notice, and what it does is allowed by the rules."""

import random
from collections import Counter

import pytest

from strozzi_sim.agent import load_agent
from strozzi_sim.errors import InputError
from strozzi_sim.games import load_game
from strozzi_sim.games.restricting import restricted, restrictions
from strozzi_sim.games.variants import resolve_variant
from strozzi_sim.play.position import Position
from strozzi_sim.selfplay.match import Match

PLAYERS = {"strozzi": (3, 6), "medici_vs_strozzi": (2,)}
TILES = {tile["id"]: tile for tile in resolve_variant(load_game("strozzi"), "base").components["promotion_tiles"]}


def uses(line, name):
    """Whether a line of a record does what the restriction `name` forbids, and who does it."""
    kind, _, what = name.partition(":")
    seat = line.get("player")
    above = int(what.removeprefix("above-")) if what.startswith("above-") else None
    if kind == "flag":
        return line["type"] == "claim" and line["flag"] == what, seat
    if kind == "port":
        return line["type"] == "place" and line["port"] == what, seat
    if kind == "category":
        return line["type"] == "take_tile" and TILES[line["tile"]]["category"] == what, seat
    if kind == "price":
        return line["type"] == "price" and line["price"] > above, seat
    if kind == "buy":
        return line["type"] == "answer" and line["buy"], seat
    if kind == "ship":
        return line["type"] == "load" and str(line["ship"]) == what, seat
    return line["type"] == "load" and line["harbor"] == what, seat


def played(game, variant, players, deal, seed=11):
    chooser = random.Random(f"{seed} {deal} {players}")
    position = Position(game, players, seed=seed, deal=deal, variant=variant)
    while not position.over:
        assert len(position.legal) >= 2
        position.play(position.legal[int(chooser.random() * len(position.legal))])
    return position


def verified(game, variant, position):
    """The lines of the game, played again in the reference, which knows of no restriction."""
    lines = position.lines()
    header = {"players": position.players, "components": variant.components}
    game.check.check_game(header, 1, list(enumerate(lines, 2)))
    return lines


def cases():
    for name, counts in PLAYERS.items():
        game = load_game(name)
        for restriction in restrictions(game, resolve_variant(game, "base")):
            for players in counts:
                if not restriction.startswith("lot:"):  # see test_small_lots
                    yield name, players, restriction.replace("-N", "-1")


@pytest.mark.parametrize(("name", "players", "restriction"), list(cases()))
def test_a_restricted_seat_does_without_while_it_can(name, players, restriction):
    game, seat = load_game(name), players - 1
    base = resolve_variant(game, "base")
    limited = restricted(game, base, {seat: [restriction]})
    by, voids = Counter(), 0
    for deal in range(6):
        position = played(game, limited, players, deal)
        lines = verified(game, limited, position)
        for line in lines:
            used, who = uses(line, restriction)
            by[who] += used
        voids += int(position.state["voids"][0][seat]) if "voids" in (game.state.names or ()) else 0
    assert by[seat] <= voids  # a void restriction leaves it free, and is counted
    assert sum(by.values()) > by[seat]  # the others go on as they like
    if restriction.partition(":")[0] in ("flag", "price", "buy", "ship", "harbor"):
        assert voids == 0


def test_small_lots():
    game = load_game("medici_vs_strozzi")
    limited = restricted(game, resolve_variant(game, "base"), {0: ["lot:above-1"]})
    most = Counter()
    for deal in range(6):
        proposer, lot = None, 0
        for line in verified(game, limited, played(game, limited, 2, deal)):
            if line["type"] == "reveal":
                proposer, lot = line["player"], lot + 1
            elif line["type"] == "price":
                most[proposer], lot = max(most[proposer], lot), 0
    assert most[0] == 1 < most[1]


def test_where_nothing_would_be_left_a_restriction_is_void_and_counted():
    game = load_game("strozzi")
    base = resolve_variant(game, "base")
    limited = restricted(game, base, {0: ["port:venice", "port:rome", "port:naples"]})
    position = played(game, limited, 3, deal=0)
    placed = sum(line["type"] == "place" and line["player"] == 0 for line in verified(game, limited, position))
    assert position.state["voids"][0].tolist() == [placed, 0, 0, 0, 0, 0]
    assert placed > 0


def test_a_seat_whose_last_allowed_flag_is_spent_passes_without_being_asked():
    game = load_game("strozzi")
    one = restricted(game, resolve_variant(game, "base"), {0: ["flag:pirate", "flag:plus_one"], 2: ["flag:pirate"]})
    for deal in range(5):
        position = played(game, one, 3, deal, seed=1)  # never asks where one action is left
        lines = [line for line in verified(game, one, position) if line.get("player") == 0]
        placed = [line["flag"] for line in lines if line["type"] == "place"]
        passed = [line for line in lines if line["type"] == "claim" and line["flag"] is None]
        assert placed == ["ware"] * 3  # one a round, then it passes
        assert len(passed) > 3


@pytest.mark.parametrize("name", PLAYERS)
def test_without_a_name_nothing_changes(name):
    game = load_game(name)
    base = resolve_variant(game, "base")
    assert restricted(game, base, {0: []}).rules.tobytes() == base.rules.tobytes()


@pytest.mark.parametrize(
    ("name", "forbidden", "said"),
    [
        ("strozzi", {0: ["flag:pirat"]}, "restriction 'flag:pirat': unknown in strozzi; known: flag:pirate"),
        ("strozzi", {6: ["flag:pirate"]}, "restriction of seat 6: strozzi has the seats 0 to 5"),
        ("strozzi", {0: ["port:N"]}, "restriction 'port:N': unknown"),
        (
            "strozzi",
            {4: ["flag:ware", "flag:pirate", "flag:plus_one"]},
            "restriction flag:plus_one of seat 4: all three flags are forbidden",
        ),
        ("medici_vs_strozzi", {0: ["price:above-0"]}, "expected a whole number above 0"),
        ("medici_vs_strozzi", {0: ["price:above-x"]}, "expected a whole number above 0"),
        (
            "medici_vs_strozzi",
            {1: ["ship:6"]},
            "restriction 'ship:6': unknown in medici_vs_strozzi; known: lot:above-N",
        ),
    ],
)
def test_what_is_unknown_is_refused(name, forbidden, said):
    game = load_game(name)
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        restricted(game, resolve_variant(game, "base"), forbidden)


@pytest.mark.parametrize(
    ("name", "agent"),
    [("strozzi", "greedy"), ("strozzi", "heuristic"), ("strozzi", "flat_mc:playouts=2"), ("medici_vs_strozzi", "fair-price"),
     ("medici_vs_strozzi", "fixed-price:value=30"), ("medici_vs_strozzi", "appraiser:playouts=4")],
)  # fmt: skip
def test_agents_plan_with_their_restrictions(name, agent):
    game = load_game(name)
    base = resolve_variant(game, "base")
    for restriction in restrictions(game, base):
        limited = restricted(game, base, {0: [restriction.replace("-N", "-3")]})
        played = Match(game, game.player_counts[0], (load_agent(agent, game),), limited, 1).play(0, 3)
        assert played.games == 3  # an illegal action would be a fault
