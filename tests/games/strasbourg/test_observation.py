"""Observations differ where what a seat knows differs, but for what has no bearing on play any more; by brute force."""

import random
from itertools import groupby

import numpy as np
import pytest

from strasbourg_games import KIT, STRASBOURG, variant
from strozzi_sim.conformance.kernels import kernels
from strozzi_sim.game.variants import from_changes
from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.kernel.record_types import exact_copy

pytestmark = pytest.mark.slow

CHANGED = {"like-edifices": {"edifices": {f"E{k}": {"points": 3} for k in range(2, 7)}}}
RARE = ("return-if-unused", "other-box", "like-edifices")
FLIPPED = pytest.param("all-flipped", marks=pytest.mark.slow)
SOME = ("base", "few-cards", FLIPPED, *(pytest.param(name, marks=pytest.mark.nightly) for name in RARE))
# Fields that follow from the others in every state of a game, so that one alone cannot be another.
FOLLOWS = (
    "legal", "empty", "players", "drawn", "undecided", "with_stacks", "bidders", "rank", "free_sites", "score", "deck_left",
    "under_left", "under_taken", "stack_count", "unused", "repeated",
)  # fmt: skip
PARTS = tuple(name for name in s.STATE.names if name not in (*FOLLOWS, "phase", "actor"))


def played(name):
    return from_changes(STRASBOURG, name, CHANGED[name], name) if name in CHANGED else variant(name)


def branches(chosen, players):
    """Positions of a game at random, and more a few decisions beside them: near ones, which differ in little."""
    chooser = random.Random(chosen.name)
    table = KIT.position(chosen, players, 0)
    while not table.over:
        for _ in range(4):
            branch = table.copy()
            for _ in range(chooser.randrange(1, 8)):
                if not branch.over:
                    branch.play(KIT.choose(chooser, branch.legal))
            yield branch
        table.play(KIT.choose(chooser, table.legal))
        yield table


def observed(known, chosen, seat):
    out = np.full(STRASBOURG.observation_size, np.nan, np.float32)
    kernels(STRASBOURG).observe(known, chosen.rules, seat, out)
    assert np.isfinite(out).all()
    return out


def without_the_past(known, chosen, seat):
    """What a seat knows, without what is lost on purpose (see observation.py) and what is left over in fields out of use."""
    left = exact_copy(known)
    state, rules = left[0], chosen.rules[0]
    phase, now, count = (int(state[name]) for name in ("phase", "round", "players"))
    planning = phase in (s.DRAW, s.SPLIT)
    alike = [
        next(k for k, other in enumerate(rules["card_guild"]) if (other == card).all()) for card in rules["card_guild"]
    ]
    for number in range(s.MAX_ROUNDS):
        if number < now or number >= rules["rounds"] or phase == s.OVER:
            state["round_card"][number] = state["round_edifice"][number] = 0
        else:
            state["round_card"][number] = alike[state["round_card"][number]]
    if not s.TAKE_SEAT <= phase <= s.RETURN:
        state["bidders"] = state["idle"] = state["rank"] = 0
    bidders = [int(other) for other in state["ranking"][: int(state["bidders"])]]
    state["ranking"][len(bidders) :] = 0
    state["idle"] &= sum(1 << other for other in set(bidders))
    state["queue"] &= (1 << 4 * max(int(state["undecided"]).bit_count() - 1, 0)) - 1 if phase == s.BID else 0
    if phase != s.SELL:
        state["proceeds"] = 0
    if state["actor"] != seat:
        state["hand"] = state["last_value"] = 0
    taken = int(state["under_taken"][seat])
    state["under"][seat, :taken] = sorted(state["under"][seat, :taken])
    for other in range(count):
        state["under"][other, int(state["under_left"][other]) :] = 0
        unused = int(state["unused"][other])
        if not planning:  # used stacks beyond the last one that is not
            state["stack_count"][other] = unused.bit_length()
            state["repeated"][other] &= unused & unused << 1
        building = planning and other == seat == state["actor"] and state["last_value"] > 0
        state["stacks"][other, int(state["stack_count"][other]) + building :] = 0
        if phase == s.OVER and other != seat:
            state["kept"][other] = 0
    if phase == s.OVER:
        state["score"] = 0
    return left.tobytes()


def differing(one, other):
    one, other = (np.frombuffer(known, s.STATE)[0] for known in (one, other))
    return {
        name: (one[name].tolist(), other[name].tolist()) for name in s.STATE.names if (one[name] != other[name]).any()
    }


@pytest.mark.slow_for("base")
@pytest.mark.parametrize("name", SOME)
def test_states_that_a_seat_can_tell_apart_differ_in_their_observations_and_no_others(name):
    chosen, players = played(name), 3
    by_observation, by_knowledge = ([{} for _ in range(players)] for _ in range(2))
    for table in branches(chosen, players):
        for seat in range(players):
            known = table.concealed(seat)
            knowledge, observation = without_the_past(known, chosen, seat), observed(known, chosen, seat).tobytes()
            other = by_observation[seat].setdefault(observation, knowledge)
            assert other == knowledge, f"seat {seat} sees no difference between {differing(other, knowledge)}"
            assert by_knowledge[seat].setdefault(knowledge, observation) == observation, "it tells what is lost"
    assert sum(map(len, by_knowledge)) > 500


def exchanged(known, other, name):
    """A state with one field of another, or of a field by seat with one seat's part."""
    value = other[0][name]
    by_seat = np.ndim(value) and len(value) == s.SEATS and name != "ranking"
    for index in range(s.SEATS) if by_seat else [...]:
        world = exact_copy(known)
        np.asarray(world[name])[0, index] = value[index] if by_seat else value
        yield world


def pairs(chosen, players):
    """(seat, two of its states in which the same phase goes on), of two deals."""
    tables = (table.copy() for table in KIT.positions(chosen, players, 2) if not table.over)
    known = [(seat, table.concealed(seat)) for table in tables for seat in range(players)]
    known.sort(key=lambda entry: (entry[0], entry[1]["phase"][0]))
    for (seat, _), group in groupby(known, lambda entry: (entry[0], entry[1]["phase"][0])):
        states = [state for _, state in group]
        for k in range(0, len(states), 5):
            yield seat, states[k], states[(k + len(states) // 2) % len(states)]


@pytest.mark.slow_for("base")
@pytest.mark.parametrize("name", SOME)
def test_every_part_of_what_a_seat_knows_changes_its_observation_by_itself(name):
    chosen, tried = played(name), dict.fromkeys(PARTS, 0)
    for seat, known, other in pairs(chosen, 3):
        knowledge, observation = without_the_past(known, chosen, seat), observed(known, chosen, seat)
        for part in PARTS:
            for world in exchanged(known, other, part):
                changed = without_the_past(world, chosen, seat)
                if changed != knowledge:
                    same = (observed(world, chosen, seat) == observation).all()
                    assert not same, f"seat {seat} sees no difference: {differing(knowledge, changed)}"
                    tried[part] += 1
    assert sum(count > 0 for count in tried.values()) > 20, tried
