"""What a seat knows: all that is public and its own, nothing else; and what is drawn of the rest."""

from collections import Counter
from math import comb, sqrt

import numpy as np
import pytest

from reference_strasbourg import seen_by
from strasbourg_games import BASE, KIT, STRASBOURG, variant
from strozzi_sim.conformance.kernels import kernels
from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.events import EVENTS, cards_of
from strozzi_sim.kernel.record_types import exact_copy
from strozzi_sim.kernel.streams import RANDOM

pytestmark = pytest.mark.slow

KNOWING = ("base", "planning", "hide-money", "all-flipped", "few-cards", "two-values")
FAST = ("base", "all-flipped")  # plans are hidden until all have planned, and open one by one


def known_to(view):
    """A View in the words of the reference's `seen_by`."""
    seats = range(view.players)
    return {
        "start_player": view.start_player, "round_cards": list(view.round_cards), "edifices": list(view.edifices),
        "council": dict(view.council), "members": dict(view.members), "chapels": sorted(view.chapels), "built": dict(view.built),
        "prestige": list(view.prestige), "coins": list(view.coins), "goods": list(view.goods), "privileges": list(view.privileges),
        "decks": [(view.decks[other], list(view.under[other])) for other in seats],
        "stack_sizes": [sorted(view.stack_sizes[other]) for other in seats],
        "bids": list(view.bids), "queue": list(view.queue), "out": [sorted(cards) for cards in view.lost],
        "own_tasks": (list(view.dealt), list(view.kept) or None), "own_stacks": list(view.stacks.values()),
        "own_hand": (sorted(view.hand), sorted(view.pile)), "own_deck": sorted(view.deck),
    }  # fmt: skip


def told(reference, seat):
    seen = seen_by(reference, seat)
    drop = ("round", "step", "guild")  # of the moment, not of what is known
    seen = {name: thing for name, thing in seen.items() if name not in drop}
    hand, pile = seen["own_hand"]
    own = reference.question is not None and reference.question.seat == seat
    sizes = [[] if sizes is None else sizes for sizes in seen["stack_sizes"]]  # none are shown while others plan
    return {**seen, "stack_sizes": sizes, "own_hand": (sorted(hand), sorted(pile)) if own else ([], [])}


@pytest.mark.slow
@pytest.mark.slow_for("all-flipped")
@pytest.mark.parametrize(
    "name", [name if name in FAST else pytest.param(name, marks=pytest.mark.slow) for name in KNOWING]
)
def test_a_view_shows_what_the_reference_lets_the_seat_see(name):
    chosen = variant(name)
    for players in (3, 4, 5):
        for deal in range(3):
            for number, (table, reference) in enumerate(KIT.side_by_side(chosen, players, deal)):
                if table.over:
                    break
                for seat in range(players):
                    mine = known_to(table.view(seat))
                    where = f"{name}, {players} players, deal {deal}, decision {number}, seat {seat}"
                    theirs = told(reference, seat)
                    for what, thing in theirs.items():
                        assert mine[what] == thing, f"{what}: {where}"


def redrawn(table, seat, number, rng=None):
    """Worlds that may be for all that `seat` knows."""
    randoms = np.zeros(1, RANDOM)
    randoms["cursor"] = 77 if rng is None else rng
    for _ in range(number):
        world = exact_copy(table.concealed(seat))
        kernels(STRASBOURG).determinize(world, table.variant.rules, seat, randoms)
        yield world[0]


def unseen(known, rules, other):
    bag = int(rules["all_cards"][0]) - int(known["lost"][other]) - int(known["bid"][other])
    return sorted(
        (Counter(cards_of(bag)) - Counter(known["under"][other][: int(known["under_left"][other])].tolist())).elements()
    )


def hidden(world, other):
    return [cards_of(int(world["stacks"][other][k])) for k in range(int(world["stack_count"][other]))]


@pytest.mark.slow
def test_what_a_rival_may_openly_do_is_the_same_in_every_world():
    openly, phases = set(range(s.TAKE_SEAT, s.OVER)), set()
    for table in KIT.positions(variant("seat-optional"), 4, 4):
        if (phase := int(table.state["phase"][0])) in openly:
            phases.add(phase)
            (world,) = redrawn(table, (table.actor + 1) % 4, 1)
            assert world["legal"] == table.state["legal"][0], phase
    assert phases >= openly - {s.RETURN}


def near(count, trials, share):
    return abs(count - trials * share) < 5 * sqrt(trials * share * (1 - share)) + 1


def test_unseen_cards_are_dealt_evenly():
    """Every hidden place, of a stack or of the deck, holds a value as often as it is among the unseen cards."""
    table = next(
        table
        for table in KIT.positions(BASE, 4, 20)
        if not table.over and table.state["phase"][0] == s.BID and table.state["round"][0] == 2
        and all(table.state["unused"][0][other] for other in range(4))
    )  # fmt: skip
    seat, trials = table.actor, 4_000
    other = (seat + 1) % 4
    pool = unseen(table.concealed(seat)[0], BASE.rules, other)
    in_stacks, in_deck, places = Counter(), Counter(), 0
    for world in redrawn(table, seat, trials):
        cards = [card for stack in hidden(world, other) for card in stack]
        places = len(cards)
        in_stacks.update(cards)
        in_deck.update(cards_of(int(world["deck"][other])))
    left = int(table.state["deck_left"][0][other])
    for value in range(1, 7):
        share = pool.count(value) / len(pool)
        assert abs(in_stacks[value] / trials - places * share) < 0.15, value
        assert abs(in_deck[value] / trials - left * share) < 0.2, value


def test_kept_tasks_are_an_even_choice_of_an_even_deal():
    table = next(table for table in KIT.positions(BASE, 4, 1) if table.state["phase"][0] == s.BID)
    seat, trials, sizes, tasks = table.actor, 4_000, Counter(), Counter()
    for world in redrawn(table, seat, trials):
        kept = int(world["kept"][(seat + 1) % 4])
        sizes[kept.bit_count()] += 1
        tasks.update(task for task in range(25) if int(world["dealt"][(seat + 1) % 4]) >> task & 1)
    for size in range(1, 6):
        assert near(sizes[size], trials, comb(5, size) / 31), size
    others = [task for task in range(25) if not int(table.state["dealt"][0][seat]) >> task & 1]
    assert set(tasks) == set(others)
    assert all(near(tasks[task], trials, 5 / 20) for task in others)


def test_others_secrets_do_not_move_a_byte():
    """Tasks, decks, contents and numbers of stacks; while planning all that others have done (A8, A62, A67)."""
    moved = 0
    for table in KIT.positions(BASE, 4, 4):
        if table.over:
            continue
        for seat in range(4):
            known = table.concealed(seat)
            other = exact_copy(table.state)
            for rival in range(4):
                if rival == seat:
                    continue
                other["dealt"][0, rival] ^= 0b1011
                other["kept"][0, rival] ^= 0b1000001
                other["deck"][0, rival] = 0b11111
                word = other["stacks"][0, rival]
                for k in range(int(other["stack_count"][0, rival])):
                    if int(other["unused"][0, rival]) >> k & 1 and rival != table.actor:
                        word[k] = len(cards_of(int(word[k])))  # as many ones
                        moved += 1
                other["repeated"][0, rival] ^= 0b10
            if table.actor != seat:
                other["legal"][0] ^= 0b110
            kernels(STRASBOURG).conceal(other, BASE.rules, seat)
            assert other.tobytes() == known.tobytes()
    assert moved > 100


def test_lines_for_a_viewer():
    """F9: no tasks, cards or stacks of others, only sizes; money under `hide_money`."""
    table = KIT.position(variant("hide-money"), 3, 0)
    while not table.over:
        table.play(table.legal[-1])
    for line, shown in zip(table.lines(), table.lines(1), strict=True):
        if line["type"] == "keep_tasks" and line["player"] != 1:
            assert shown == {**line, "dealt": None, "tasks": None}
        elif line["type"] == "plan" and line["player"] != 1:
            assert (shown["drawn"], shown["stacks"]) == (None, None)
            assert shown["sizes"] == sorted(map(len, line["stacks"]), reverse=True)
        elif line["type"] == "council":
            assert shown == {**line, **{name: [None, line[name][1], None] for name in ("held", "coins", "goods")}}
        else:
            assert shown == line
        assert EVENTS.visible(line, BASE.components, line.get("player", 0)) == line


def test_the_observation_is_what_the_seat_sees():
    slices = STRASBOURG.slices
    for table in KIT.positions(BASE, 4, 1):
        if table.over:
            continue
        seat, state = table.actor, table.state[0]
        seen = {name: part.of(table.observation(seat)) for name, part in slices.items()}
        assert np.flatnonzero(seen["phase"]).tolist() == [state["phase"]]
        assert np.flatnonzero(seen["step"]).tolist() == [state["step"]]
        assert np.flatnonzero(seen["actor"]).tolist() == [0]
        around = [(seat + k) % 4 for k in range(4)]
        assert seen["seats.exists"].tolist() == [1, 1, 1, 1, 0]
        for name, unit in (("coins", 20), ("prestige", 30)):
            told = [np.float32(state[name][other] / unit) for other in around]
            assert seen[f"seats.{name}"][:4].tolist() == told
        for other, members in zip(around, seen["members"], strict=False):
            assert sum(1 << cell for cell in np.flatnonzero(members).tolist()) == state["members"][other]
        for name in ("dealt", "kept"):
            assert sum(1 << task for task in np.flatnonzero(seen[name]).tolist()) == state[name][seat]
        for k, stack in enumerate(state["stacks"][seat][: int(state["stack_count"][seat])].tolist()):
            assert seen["stacks"][k] == np.float32(sum(cards_of(stack)) / 20)
