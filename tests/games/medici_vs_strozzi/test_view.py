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


def test_both_seats_see_the_same():
    for table in positions(1):
        assert dataclasses.replace(seen_by(table, 1), seat=0) == seen_by(table, 0)


@pytest.mark.parametrize("name", ["base", "all-flipped", "other-box"])
def test_observations_are_relative_and_of_the_view(name):
    """That their bits stay as they are, `test_slices` tells."""
    played, phases = variant(name), set()
    capacities, values = played.components["ships"]["capacities"], {t: v for t, _, v in tile_ids(played.components)}
    for table in positions(2, played):
        views, seen = ([see(table, seat) for seat in (0, 1)] for see in (seen_by, observation))
        for mine, other, view in ((seen[0], seen[1], views[0]), (seen[1], seen[0], views[1])):
            own, rival = read(mine, "seats")
            hidden = played.components["switches"]["hidden_cash"]
            assert own[hidden:].tolist() == read(other, "seats")[1][hidden:].tolist()
            assert rival[hidden:].tolist() == read(other, "seats")[0][hidden:].tolist()
            assert read(mine, "tracks")[..., 0].tolist() == (-read(other, "tracks")[..., 0]).tolist()
            assert read(mine, "tracks")[..., 1:].tolist() == read(other, "tracks")[..., 1:].tolist()
            loads = [load for _, load in view.ships[view.seat].values()]
            free = [(size - len(load)) / 5 for size, load in zip(capacities, loads, strict=True)]
            assert read(mine, "seats.ships")[0, : len(loads), 0].tolist() == pytest.approx(free)
            value = sum(values[tile] for load in loads for tile in load)
            assert read(mine, "seats.values")[0].sum() == pytest.approx(value / 20)
        phases.add(int(table.state["phase"][0]))
    assert phases == {s.REVEAL, s.PRICE, s.ANSWER, s.PLACE, s.OVER}


@pytest.mark.slow
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
