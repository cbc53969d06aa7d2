"""What a seat may know: items 4, 71, 73 and 74 of the ambiguities, the observation tensor, the picture in text."""

import numpy as np
import pytest

from strozzi_games import BASE, KIT, STROZZI, variant
from strozzi_sim.agent import load_agent
from strozzi_sim.conformance.kernels import kernels
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.games.strozzi import state as s
from strozzi_sim.games.strozzi import view as v
from strozzi_sim.play.position import Position
from strozzi_sim.simulation.match import Match


def positions(players, deals=5, chosen=BASE):
    return KIT.positions(chosen, players, deals)


def observation(table, seat):
    out = np.full(v.OBSERVATION, -1, np.float32)
    kernels(STROZZI).observe(table.state, table.variant.rules, seat, out)
    return out


def read(out, name):
    return v.SLICES[name].of(out)


@pytest.mark.parametrize("players", [3, 6])
def test_item_4_removed_ships_and_orders_are_in_no_state(players):
    """Two deals that have shown the same cards give the same bytes, whatever is removed and comes next."""
    ships, tiles = set(), set()
    for deal in range(2000):
        state = Position(STROZZI, players, seed=2, deal=deal).state
        if int(state["ship"][0]) == 3 and int(state["display"][0][0]) in (5, 6, 7):
            ships.add(state["unseen_ship"].tobytes())
        tiles.add(tuple(sorted(state["unseen_tile"][0][:33])))
    assert len(ships) == 1
    assert len(tiles) > 300


def test_item_71_all_scores_are_seen():
    for table in positions(4, 1):
        view = v.view_of(table.state[0], BASE.components, 2)
        assert view.coins == tuple(int(coins) for coins in table.state["coins"][0][:4])
        seen = read(observation(table, 2), "seats.coins").tolist()
        assert seen == pytest.approx([*(view.coins[(2 + k) % 4] / 300 for k in range(4)), 0, 0])


def test_item_73_every_ship_is_in_a_round_equally_often():
    """21 of 29 with six players, drawn afresh each round."""
    match = Match(STROZZI, 6, (load_agent("random"),), BASE, 4)
    cards = Crosstab("card", ("card",))
    plan = match.plan([cards])
    shown = plan.read(cards, match.play(0, 3000, plan=plan).counts[None])[0, :, 0] / (3000 * 3)
    # rounds may end before the deck does, but all ships alike
    assert abs(shown - shown.mean()).max() < 5 * np.sqrt(0.25 / 9000)
    assert 0.6 < shown.mean() <= 21 / 29


def test_item_74_public_facts_are_in_the_view_and_nothing_else():
    fields = set(v.View.__dataclass_fields__)
    assert fields == {
        "seat", "players", "round", "start_player", "active", "ship", "holder", "holder_flag", "deck_left", "flags",
        "ports", "tracks", "display", "stack_left", "tiles", "coins", "aside", "over", "unseen_ships", "unseen_tiles",
        "components",
    }  # fmt: skip
    for table in positions(5, 2):
        view = v.view_of(table.state[0], BASE.components, 0)
        placed = [ship for ships in view.ports.values() for _, ship, _ in ships]
        known = {*placed, *view.aside, *view.unseen_ships, *([view.ship] if view.ship else [])}
        if not view.over:
            assert len(known) == 29
        assert list(view.unseen_ships) == sorted(view.unseen_ships)
        assert len(view.display) + len(view.unseen_tiles) + sum(map(len, view.tiles)) == 36
        assert view.stack_left == len(view.unseen_tiles)


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_observations_are_relative_and_bounded(players):
    for table in positions(players, 2, variant("all-flipped")):
        seen = [observation(table, seat) for seat in range(players)]
        for seat, out in enumerate(seen):
            assert np.isfinite(out).all()
            assert out.min() >= 0
            assert out.max() < 4
            for k in range(6):
                block = read(out, "seats")[k]
                if k < players:
                    other = read(seen[(seat + k) % players], "seats")[0]
                    assert block.tolist() == other.tolist()
                else:
                    assert not block.any()
            shared = slice(v.SLICES["display"].start, None)
            assert out[shared].tolist() == seen[0][shared].tolist()


def test_observation_of_a_known_position():
    table = Position(STROZZI, 4, seed=2, deal=0)
    view, out = v.view_of(table.state[0], BASE.components, 1), observation(table, 1)
    ship = next(ship for ship in BASE.components["ships"] if ship["id"] == view.ship)
    assert read(out, "phase").tolist() == [1, 0, 0, 0]
    assert [read(out, name) for name in ("rounds_played", "deck", "players")] == pytest.approx([0, 14 / 15, 4 / 6])
    assert read(out, "active").tolist() == [0, 0, 0, 1, 0, 0]  # seat 0 is active: three to the left of seat 1
    card = [read(out, name).ravel() for name in ("sail", "cargo", "scrolls", "promotion")]
    units = {"sail": 10, "venice": 3, "rome": 3, "naples": 3, "scrolls": 2, "promotion": 1}
    assert np.concatenate(card).tolist() == pytest.approx([ship[name] / unit for name, unit in units.items()])
    assert read(out, "seats.flags")[0].tolist() == read(out, "seats.free_ports")[0].tolist() == [1] * 3
    assert read(out, "seats.ranks")[0].tolist() == pytest.approx([2 / 3] * 4)  # second in every city by turn order
    assert read(out, "unseen_ships").sum() == 28
    assert read(out, "unseen_tiles").sum() == 33


def test_flags_and_free_ports_are_those_of_each_seat():
    for table in positions(4, 2):
        out, ports = observation(table, 2), v.view_of(table.state[0], BASE.components, 2).ports
        for k, seat in enumerate((2, 3, 0, 1)):
            hand = int(table.state["hand"][0][seat])
            flags = [hand >> flag & 1 for flag in range(len(s.FLAG_NAMES))]
            free = [seat not in (owner for owner, _, _ in ports[port]) for port in s.PORT_NAMES]
            seen = read(out, "seats.flags")[k].tolist(), read(out, "seats.free_ports")[k].tolist()
            assert seen == (flags, free)


def test_the_board_in_text():
    for table in positions(4, 1):
        view = v.view_of(table.state[0], BASE.components, 0)
        text = v.render(view, BASE.components, ["a", "bb", "ccc", "dddd"])
        assert text.count("\n") > 15
        for city in s.CITY_NAMES:
            row = next(line for line in reversed(text.splitlines()) if line.startswith(f"  {city}"))
            assert sorted("".join(row.split()[1:]).replace(".", "")) == ["0", "1", "2", "3"]
    assert "Round 3 of 3" in text
