"""The built-in Strozzi agents: legal everywhere, pure, repeatable, true to their styles, and strong enough."""

from functools import cache, partial

import numpy as np
import pytest

from strozzi_games import BASE, KIT, STROZZI
from strozzi_sim.agent import load_agent
from strozzi_sim.facts.columns import WIN_UNITS
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.game import load_game
from strozzi_sim.games.strozzi.events import PLACE
from strozzi_sim.games.strozzi.state import CATEGORIES, FLORENCE, PIRATE_FLAG
from strozzi_sim.play.position import Position

STYLES = ("eager", "florence", "picky", "pirate-early", "pirate-late", "promoter", "racer", "trader")
AGENTS = ("random", "greedy", "heuristic", *STYLES)


match = partial(KIT.match, players=4)


@pytest.mark.slow
def test_the_strategist_is_the_search_by_another_name():
    settings = "root=halving,backup=selfish,rollout=heuristic,prior=heuristic,bias=50"
    search = match(f"ismcts:{settings},iterations=60", "heuristic").play(0, 3, rows=True)
    preset = match("strategist:iterations=60", "heuristic").play(0, 3, rows=True)
    assert preset.rows.tobytes() == search.rows.tobytes()
    assert preset.playouts == search.playouts
    assert not load_agent("strategist").agent.plays(load_game("medici_vs_strozzi"), 2)


@cache
def traits(name, deals=200):
    """What `name` has more than the three heuristics around it: sail of its ships, spaces, value of its tiles."""
    style, heuristic = load_agent(name), load_agent("heuristic")
    own, all_seats, ships = np.zeros(4), np.zeros(4), np.zeros(2)
    for deal in range(deals):
        table = Position(STROZZI, 4, seed=9, deal=deal)
        seat = deal % 4
        while not table.over:
            table.play(table.ask(style if table.actor == seat else heuristic))
        placed = table.journal[table.journal[:, 0] == PLACE]
        sails = BASE.rules[0]["sail"][placed[:, 2]]
        spaces, values = table.state[0]["position"][:, :4], table.state[0]["tile_total"][:, :4]
        mine = placed[:, 1] == seat
        own += sails[mine].sum(), spaces[:FLORENCE, seat].mean(), spaces[FLORENCE, seat], values[:, seat].sum()
        all_seats += sails.sum(), spaces[:FLORENCE].mean(), spaces[FLORENCE].mean(), values.sum() / 4
        ships += mine.sum(), len(placed)
    own, all_seats = own / [ships[0], deals, deals, deals], all_seats / [ships[1], deals, deals, deals]
    return dict(zip(("sail", "ports", "florence", "tiles"), (own - all_seats).round(2).tolist(), strict=True))


@pytest.mark.slow
@pytest.mark.slow_for("trader", "florence", "racer")
@pytest.mark.parametrize(
    ("name", "trait", "least"),
    [("racer", "sail", 0.5), ("trader", "ports", 0.5), ("florence", "florence", 1.0), ("promoter", "tiles", 1.5)],
)
def test_a_style_has_more_of_what_it_seeks(name, trait, least):
    assert traits(name)[trait] > least


SHIPS = Crosstab("ship", ("order", "flag"))
CARDS = Crosstab("card", (), ("set_aside",))
ROUNDS = Crosstab("round", (), ("unused",))


@cache
def counted(name):
    """Facts of 400 games of four equal seats, by crosstab."""
    own = match(name)
    plan = own.plan([SHIPS, CARDS, ROUNDS])
    counts = own.play(0, 400, plan=plan).counts
    return {crosstab: plan.read(crosstab, counts[None])[0] for crosstab in plan.crosstabs}


def share_of_pirate(name, order):
    """Share of the pirate flag among the `order`-th flags of the rounds."""
    flags = counted(name)[SHIPS][order, :, 0]
    return flags[PIRATE_FLAG] / flags.sum()


def set_aside(name):
    """Ships set aside in a game."""
    return counted(name)[CARDS][1] / 400


def test_pirate_early_and_pirate_late_spend_it_first_and_last():
    assert share_of_pirate("pirate-early", 0) > 0.9
    assert share_of_pirate("heuristic", 0) < 0.8
    assert share_of_pirate("pirate-late", 2) > 0.9
    assert share_of_pirate("heuristic", 2) < 0.8


def test_the_picky_set_aside_more_ships_and_the_eager_hardly_any():
    assert set_aside("picky") > set_aside("heuristic") + 2
    assert set_aside("eager") < 0.5


def win_share(name, opponent, deals):
    """Win share of one seat against three others, in all rotations."""
    played = match(name, opponent, opponent, opponent, seatings="rotate").play(0, deals)
    return played.outcome[0]["wins"][0].sum() / WIN_UNITS / played.games


@pytest.mark.parametrize("name", [name for name in AGENTS if name != "random"])
def test_every_agent_beats_random(name):
    assert win_share(name, "random", 200) > (0.9 if name == "heuristic" else 0.4)


@pytest.mark.parametrize("name", ["greedy", "heuristic"])
def test_a_seat_that_may_take_no_tile_declines(name):
    barred = "".join(f"~category:{category}" for category in CATEGORIES)
    assert match(f"{name}{barred}", variant="tile-optional").play(0, 3).games == 3  # an illegal action would be a fault


def test_the_evaluator_beats_greedy():
    assert win_share("heuristic", "greedy", 200) > 0.6


def test_equals_seldom_leave_flags_unused():
    rounds, unused = counted("heuristic")[ROUNDS]
    assert unused < 0.06 * 3 * rounds
