"""What a seat may know: items 8 and 19 of the ambiguities, the observation tensor, the words and the picture in text."""

import dataclasses

import numpy as np
import pytest

from medici_games import BASE, KIT, MEDICI_VS_STROZZI, SHIPPED, SWITCHES, variant
from strozzi_sim.conformance.kernels import kernels
from strozzi_sim.games.medici_vs_strozzi import state as s
from strozzi_sim.games.medici_vs_strozzi import view as v
from strozzi_sim.games.medici_vs_strozzi.components import tile_ids
from strozzi_sim.kernel.streams import RANDOM
from strozzi_sim.play.position import Position


def positions(deals=4, played=BASE):
    return KIT.positions(played, 2, deals)


def observation(table, seat, state=None):
    out = np.full(v.OBSERVATION, -1, np.float32)
    kernels(MEDICI_VS_STROZZI).observe(table.state if state is None else state, table.variant.rules, seat, out)
    return out


def read(out, name):
    return v.SLICES[name].of(out)


def seen_by(table, seat, state=None):
    return v.view_of((table.state if state is None else state)[0], table.variant.components, seat)


def test_item_08_the_order_of_the_bag_is_in_no_state():
    """Deals that have shown the same tile give the same bytes, whatever comes next."""
    states, following = {}, {}
    for deal in range(300):
        table = Position(MEDICI_VS_STROZZI, 2, seed=2, deal=deal)
        (tile,) = seen_by(table, 0).lot
        states.setdefault(tile, set()).add(table.state.tobytes())
        table.play(s.REVEAL_MORE)
        following.setdefault(tile, set()).add(seen_by(table, 0).lot[1])
    assert len(states) == 26
    assert {len(each) for each in states.values()} == {1}
    assert sum(map(len, following.values())) > 150  # of 26 * 25


def test_item_19_open_cash_is_seen():
    for table in positions(1):
        cash = table.state["cash"][0].tolist()
        for seat in (0, 1):
            assert seen_by(table, seat).cash == tuple(cash)
            out = observation(table, seat)
            assert read(out, "cash_hidden") == 0
            assert read(out, "seats.cash").tolist() == pytest.approx([cash[seat] / 300, cash[1 - seat] / 300])


def test_item_19_hidden_cash_is_not():
    hidden = variant("hidden-cash")
    asked = 0
    for table in positions(2, hidden):
        for seat in (0, 1):
            known = table.concealed(seat)
            view, out = table.view(seat), observation(table, seat, known)
            own = int(table.state["cash"][0][seat])
            assert view.cash[seat] == own
            assert read(out, "seats.cash")[0] == pytest.approx(own / 300)
            if view.over:
                assert view.cash == tuple(table.state["cash"][0].tolist())  # counted at the end
                continue
            asked += 1
            assert view.cash[1 - seat] is None
            assert (read(out, "cash_hidden"), read(out, "seats.cash")[1]) == (1, 0)
            other = table.copy()
            other.state["cash"][0][1 - seat] += 77
            assert other.concealed(seat).tobytes() == known.tobytes()  # nothing is left of what is hidden
            assert v.render(view, hidden.components, ["a", "b"]).count("? coins") == 1
            kernels(MEDICI_VS_STROZZI).determinize(known, hidden.rules, seat, np.zeros(1, RANDOM))
            assert known["cash"][0].tolist() == [own, own]
    assert asked > 100


def test_item_19_a_person_is_shown_no_hidden_cash():
    (table,) = [table for table in positions(1, variant("hidden-cash")) if table.over]
    shown = [line for line in table.lines(viewer=0) if line["type"] == "score_round"]
    whole = [line for line in table.lines() if line["type"] == "score_round"]
    for mine, all_of_it in zip(shown, whole, strict=True):
        assert mine == {**all_of_it, "cash": [all_of_it["cash"][0], None]}
        words = MEDICI_VS_STROZZI.events.EVENTS.describe(mine, ["a", "b"], table.variant.components)
        rows = [line.split() for line in words.splitlines()]
        assert [rows[1][-1], rows[2][-1]] == [str(all_of_it["cash"][0]), "?"]


@pytest.mark.parametrize("name", ["base", "other-box"])
def test_every_tile_is_in_one_place_of_the_view(name):
    """That the rest of the view is as the rules say, the games beside the reference tell."""
    played, phases = variant(name), set()
    tiles = [tile for tile, *_ in tile_ids(played.components)]
    for table in positions(3, played):
        row, view = table.state[0], seen_by(table, 1)
        phases.add(int(row["phase"]))
        assert (view.seat, view.players, view.over, view.bag_left) == (1, 2, table.over, len(view.unseen))
        assert list(view.unseen) == sorted(view.unseen, key=tiles.index)
        loads = [[load for _, load in fleet.values()] for fleet in view.ships]
        assert [sum(map(len, own)) for own in loads] == row["loaded"].tolist()
        aboard = [tile for own in loads for load in own for tile in load]
        assert sorted([*view.unseen, *view.discards, *aboard, *([] if view.over else view.lot)]) == sorted(tiles)
    assert phases == {s.REVEAL, s.PRICE, s.ANSWER, s.PLACE, s.OVER}


def test_both_seats_see_the_same():
    for table in positions(1):
        assert dataclasses.replace(seen_by(table, 1), seat=0) == seen_by(table, 0)


def expected(view, phase):
    """The observation from the View alone, in the order of the slices, piece by piece."""
    components = view.components
    tiles = {tile: (number, value) for number, (tile, _, value) in enumerate(tile_ids(components))}
    kind_of = {tile: kind for tile, kind, _ in tile_ids(components)}
    capacities, harbors = components["ships"]["capacities"], [harbor["id"] for harbor in components["harbor"]]
    types = [kind["key"] for kind in components["type"]]
    steps = components["marker_steps"]
    pieces = [[float(phase == k) for k in (s.REVEAL, s.PRICE, s.ANSWER, s.PLACE)]]
    pieces.append([(view.round - 1) / components["rounds"]["count"], view.bag_left / len(tiles)])
    pieces.append([view.proposer == view.seat, view.start_player == view.seat])
    pieces.append([len(view.lot) / components["rounds"]["reveal_max"], (view.price or 0) / 100])
    pieces.append([components["switches"]["hidden_cash"], sum(tiles[tile][1] for tile in view.lot) / 10, 0, 0, 0, 0])
    for seat in (view.seat, 1 - view.seat):
        fleet = view.ships[seat]
        free = [capacity - len(load) for capacity, (_, load) in fleet.items()]
        loads = [load for _, load in fleet.values()]
        empty = [0.0] * (s.MAX_SHIPS - len(fleet))
        hidden = components["switches"]["hidden_cash"] and seat != view.seat
        pieces.append([0 if hidden else view.cash[seat] / 300, max(free) / 5])
        pieces.append([sum(map(len, loads)) / sum(capacities), sum(map(bool, loads)) / len(fleet)])
        for room, capacity in zip([*free, *empty], [*capacities, *empty], strict=True):
            pieces.append([room / 5, capacity / 5])
        at = [harbor for harbor, _ in fleet.values()] + [None] * len(empty)
        pieces += [[float(where == harbor) for harbor in padded(harbors)] for where in at]
        there = dict(fleet.values())
        pieces.append([sum(tiles[tile][1] for tile in there.get(harbor, ())) / 20 for harbor in padded(harbors)])
        for harbor in padded(harbors):
            for kind in range(s.MAX_TYPES):
                load = [tiles[tile][1] for tile in there.get(harbor, ()) if kind_of[tile] == kind]
                moves = sum(steps["other_tile"] if value else steps["value_zero_tile"] for value in load)
                pieces.append([moves / 5])
    side = 1 if view.seat == s.MEDICI else -1
    for harbor in padded(harbors):
        for kind in (*types, *["-"] * (s.MAX_TYPES - len(types))):
            if kind not in view.markers.get(harbor, {}):
                pieces.append([0, 0, 0])
                continue
            track = components["tracks"]["per_track"].get(f"{harbor}.{kind}", components["tracks"])
            at, half = view.markers[harbor][kind], track["half_length"]
            pieces.append([side * at / half, half / 10, track["bonus"].get(str(abs(at)), 0) / 20])
    for place in (view.lot, view.unseen):
        pieces.append([float(tile in place) for tile in tiles] + [0.0] * (s.MAX_TILES - len(tiles)))
    return [float(number) for piece in pieces for number in piece]


def padded(harbors):
    return [*harbors, *["-"] * (s.MAX_HARBORS - len(harbors))]


@pytest.mark.parametrize(
    "name", ["base", *(pytest.param(name, marks=pytest.mark.slow) for name in (*SHIPPED[1:], *SWITCHES))]
)
def test_every_index_of_the_observation_is_what_it_says(name):
    phases = set()
    for table in positions(2, variant(name)):
        phase = int(table.state["phase"][0])
        phases.add(phase)
        for seat in (0, 1):
            wanted = expected(seen_by(table, seat), phase)
            assert len(wanted) == v.OBSERVATION
            assert observation(table, seat).tolist() == pytest.approx(wanted, abs=1e-6)
    assert phases == {s.REVEAL, s.PRICE, s.ANSWER, s.PLACE, s.OVER}


@pytest.mark.parametrize("name", [*SHIPPED, *SWITCHES])
def test_questions_and_pictures_are_the_same_of_a_view_and_of_the_rules(name):
    played = variant(name)
    for deal in range(2):
        for table, reference in KIT.side_by_side(played, 2, deal):
            view = v.view_of(table.state[0], {**played.components, "switches": {"hidden_cash": False}}, 0)
            pictures = [v.render(position, played.components, ["a", "bb"]) for position in (view, reference)]
            assert pictures[0] == pictures[1]
            if not table.over:
                phase = int(table.state["phase"][0])
                assert v.question(view, phase) == v.question(reference, phase)


def test_the_board_in_text():
    for table in positions(1):
        view = seen_by(table, 0)
        text = v.render(view, BASE.components, ["ann", "b"])
        rows = text.splitlines()
        assert rows[0].startswith(f"Round {view.round} of 3, {view.bag_left} tiles left in the bag")
        tracks = [line.split(" M ")[1].split(" S ") for line in rows if " M " in line]
        assert len(tracks) == 8
        for (spaces, words), (kind, at) in zip(
            tracks, [pair for row in view.markers.values() for pair in row.items()], strict=True
        ):
            marks = spaces.split()
            assert len(marks) == 11, kind
            assert marks.index("X") == 5 - at  # Medici's side on the left
            assert words.strip() == ("0" if at == 0 else f"{'M' if at > 0 else 'S'}{abs(at)}")
        assert sum(f"{name:>3}" in text for name in ("ann", "b")) == 2
        assert sum("coins   not moored" in line for line in rows) == 2
    assert "Round 3 of 3, " in text
