"""A model of rivals: its choices where they agree with all that is known, else the even deal."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from agent_files import agents_file
from strasbourg_games import BASE, KIT, STRASBOURG, variant
from strozzi_sim.agent import load_agent
from strozzi_sim.agent.compile import compile_agent
from strozzi_sim.conformance.kernels import kernels
from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.events import cards_of
from strozzi_sim.games.strasbourg.rival_model import TRIES
from strozzi_sim.kernel.record_types import exact_copy
from strozzi_sim.kernel.streams import RANDOM

pytestmark = pytest.mark.slow

# `declining` chooses what is not there. `pairing` keeps the first task (another one if it is not told the
# order of the edifices), draws up to a sum of 7, and lays 4s singly, all else together.
MODELS = """
    from strozzi_sim.agent import compiled_agent
    from strozzi_sim.game.contract import count_legal, kth_legal
    from strozzi_sim.games.strasbourg.cards import sum_values
    from strozzi_sim.games.strasbourg.state import CLOSE, DRAW, DRAW_CARD, KEEP, SPLIT, STOP

    @compiled_agent(name="declining", games=("strasbourg",))
    def declining(state, rules, params, memory, rng):
        '''Chooses what is not there.'''
        return 0

    @compiled_agent(name="pairing", games=("strasbourg",))
    def pairing(state, rules, params, memory, rng):
        '''Draws up to a sum, lays high cards singly.'''
        if state.phase == DRAW:
            return DRAW_CARD if sum_values(state.hand) < 7 else STOP
        if state.phase == SPLIT:
            return CLOSE if state.last_value == 4 else kth_legal(state, rules, count_legal(state, rules) - 1)
        if state.phase == KEEP and state.round_edifice[0] == state.round_edifice[1]:
            return kth_legal(state, rules, 1)
        return kth_legal(state, rules, 0)
"""


models = agents_file(MODELS)


class Model:
    """An agent, as `imagine` wants it, with a memory that is new each time."""

    def __init__(self, name):
        self.compiled = compile_agent(load_agent(name, STRASBOURG), STRASBOURG)
        self.memory = np.zeros(1, self.compiled.memory)

    def imagine(self, world, rules, seat, randoms):
        self.memory[:] = np.zeros(1, self.compiled.memory)
        policy = np.array([self.compiled.address, self.compiled.params.ctypes.data, self.memory.ctypes.data])
        kernels(STRASBOURG).imagine(world, rules, seat, policy, randoms)


def drawn(table, seat, rng, known=None):
    """(a world as chance would have it, the stream behind it)."""
    randoms = np.zeros(1, RANDOM)
    randoms["cursor"] = rng
    world = exact_copy(table.concealed(seat) if known is None else known)
    kernels(STRASBOURG).determinize(world, table.variant.rules, seat, randoms)
    return world, randoms


def played(chosen, players, deals):
    """Every decision of games between seats that plan as the model does."""
    agent = load_agent("heuristic", STRASBOURG)
    for deal in range(deals):
        table = KIT.position(chosen, players, deal)
        while not table.over:
            yield table
            table.play(table.ask(agent))


def stacks_of(world, seat):
    return [cards_of(int(word)) for word in world["stacks"][0, seat] if word]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) for name in ("few-cards", "base", "planning", "all-flipped")]
)
def test_imagined_worlds_agree_with_all_that_is_known(name):
    """Those that chance alone draws, too."""
    chosen, model, moved, kept = variant(name), Model("heuristic"), 0, 0
    for number, table in enumerate(played(chosen, 4, 2)):
        if number % 3:
            continue
        seat = number % 4
        known = table.concealed(seat)
        world, randoms = drawn(table, seat, number)
        even = exact_copy(world)
        model.imagine(world, chosen.rules, seat, randoms)
        for each, other in product((even, world), set(range(4)) - {seat}):
            stacks, deck = stacks_of(each, other), cards_of(int(each["deck"][0, other]))
            assert stacks == sorted(stacks, reverse=True)
            assert len(deck) == int(each["deck_left"][0, other])
            hidden = Counter(card for stack in stacks for card in stack)
            seen = int(known["lost"][0, other]) + int(known["bid"][0, other])
            under = known["under"][0, other][: int(known["under_left"][0, other])].tolist()
            everything = Counter(cards_of(int(chosen.rules["all_cards"][0]) - seen))
            assert not hidden + Counter(deck) + Counter(under) - everything
            must = Counter(cards_of(int(known["known"][0, other]))) - Counter(cards_of(int(known["shown"][0, other])))
            assert not must - hidden
            kept_tasks, dealt = int(each["kept"][0, other]), int(each["dealt"][0, other])
            assert kept_tasks & ~dealt == dealt & int(known["dealt"][0, seat]) == 0
            assert dealt.bit_count() == int(chosen.rules["dealt"][0])
            moved += stacks != stacks_of(even, other)
            kept += kept_tasks != even["kept"][0, other]
        if table.actor == seat:
            assert world["legal"][0] == table.state["legal"][0]
        kernels(STRASBOURG).conceal(world, chosen.rules, seat)
        assert world.tobytes() == known.tobytes()
    assert moved > 10
    assert kept > 10


@pytest.mark.slow
def test_others_secrets_do_not_move_what_is_imagined():
    model, looked = Model("heuristic"), 0
    for number, table in enumerate(played(BASE, 3, 1)):
        if int(table.state["phase"][0]) in (s.DRAW, s.SPLIT):
            continue
        seat, worlds = (table.actor + 1) % 3, []
        for secret in (False, True):
            state = exact_copy(table.state)
            for rival in range(3):
                if rival != seat and secret:
                    state["dealt"][0, rival] ^= 0b1011
                    state["kept"][0, rival] ^= 0b1000001
                    state["deck"][0, rival] = 0b11111
                    for k in range(int(state["stack_count"][0, rival])):
                        if int(state["unused"][0, rival]) >> k & 1:
                            state["stacks"][0, rival, k] = len(
                                cards_of(int(state["stacks"][0, rival, k]))
                            )  # as many ones
            kernels(STRASBOURG).conceal(state, BASE.rules, seat)
            world, randoms = drawn(table, seat, number, state)
            model.imagine(world, BASE.rules, seat, randoms)
            worlds.append(world.tobytes())
        assert worlds[0] == worlds[1]
        looked += 1
    assert looked > 20


def test_a_model_that_declines_leaves_the_even_deal(models):
    model = Model(f"{models}::declining")
    for number, table in enumerate(KIT.positions(variant("planning"), 3, 1)):
        if table.over:
            continue
        world, randoms = drawn(table, table.actor, number)
        even = world.tobytes()
        model.imagine(world, table.variant.rules, table.actor, randoms)
        assert world.tobytes() == even


def test_tasks_are_those_the_model_keeps(models):
    model = Model(f"{models}::pairing")
    table = next(table for table in KIT.positions(BASE, 4, 1) if int(table.state["phase"][0]) == s.BID)
    seat, dealt = table.actor, Counter()
    for number in range(300):
        world, randoms = drawn(table, seat, number)
        model.imagine(world, BASE.rules, seat, randoms)
        for other in set(range(4)) - {seat}:
            tasks = int(world["dealt"][0, other])
            assert int(world["kept"][0, other]) == tasks & -tasks
            dealt.update(task for task in range(25) if tasks >> task & 1)
    assert len(dealt) == 20  # the deal is as even as before


def sums_of(stacks):
    """Sums of stacks, the largest stack first."""
    return np.array([sum(stack) for stack in sorted(stacks, key=lambda stack: (len(stack), sum(stack)), reverse=True)])


def test_among_seats_that_plan_like_the_model_imagined_stacks_are_nearer_to_the_truth():
    model, error = Model("heuristic"), np.zeros(2)
    for number, table in enumerate(played(BASE, 4, 2)):
        if int(table.state["phase"][0]) != s.BID:
            continue
        seat = table.actor
        world, randoms = drawn(table, seat, number)
        even = exact_copy(world)
        model.imagine(world, BASE.rules, seat, randoms)
        for other in set(range(4)) - {seat}:
            unused = int(table.state["unused"][0, other])
            true = sums_of([stack for k, stack in enumerate(stacks_of_all(table.state, other)) if unused >> k & 1])
            error += [np.abs(sums_of(stacks_of(each, other)) - true).sum() for each in (even, world)]
    assert error[1] < 0.8 * error[0]


def stacks_of_all(world, seat):
    """Used ones as empty."""
    return [cards_of(int(word)) for word in world["stacks"][0, seat]]


def divided(cards):
    """The stacks that `pairing` makes."""
    single = [(4,)] * cards.count(4)
    rest = tuple(sorted((card for card in cards if card != 4), reverse=True))
    return tuple(sorted([*single, rest] if rest else single, reverse=True))


def draws_as(order):
    """Whether `pairing` draws these cards, in this order, and no more."""
    return all(sum(order[:k]) < 7 for k in range(1, len(order))) and sum(order) >= 7


def expected(deck, sizes):
    """Chance of every way in which the hidden stacks may lie: as the model plans, or after TRIES tries as an even deal has it."""
    total, accepted, even = 0, Counter(), Counter()
    for order in permutations(deck, sum(sizes)):
        total += 1
        places, at = [], 0
        for size in sizes:
            places.append(tuple(sorted(order[at : at + size], reverse=True)))
            at += size
        even[tuple(sorted(places, reverse=True))] += 1
        plan = divided(order)
        if draws_as(order) and sorted(map(len, plan)) == sorted(sizes):
            accepted[plan] += 1
    agrees = Fraction(sum(accepted.values()), total)
    fails = (1 - agrees) ** TRIES
    ways = {way: fails * Fraction(number, total) for way, number in even.items()}
    for plan, number in accepted.items():
        ways[plan] += (1 - fails) * Fraction(number, total) / agrees
    return agrees, ways


def test_hidden_stacks_are_distributed_as_the_model_plans_them(models):
    """At the first auction, against all orders in which nine cards may come."""
    chosen = variant("few-cards")
    agent, model = load_agent(f"{models}::pairing", STRASBOURG), Model(f"{models}::pairing")
    trials, compared = 3_000, 0
    for deal in range(8):
        table = KIT.position(chosen, 3, deal)
        while int(table.state["phase"][0]) != s.BID:
            table.play(table.ask(agent))
        seat = table.actor
        other = (seat + 1) % 3
        sizes = [int(word) - s.UNKNOWN_STACK for word in table.concealed(seat)["stacks"][0, other] if word]
        agrees, ways = expected([1, 1, 1, 2, 2, 2, 4, 4, 4], sizes)
        if compared and agrees > Fraction(1, 2):
            continue  # the even deal should matter as well
        assert agrees > 0
        assert sum(ways.values()) == 1
        found = Counter()
        for number in range(trials):
            world, randoms = drawn(table, seat, 1000 * deal + number)
            model.imagine(world, chosen.rules, seat, randoms)
            found[tuple(tuple(stack) for stack in stacks_of(world, other))] += 1
        assert set(found) <= set(ways)
        for way, chance in ways.items():
            share = float(chance)
            assert abs(found[way] - trials * share) < 5 * (trials * share * (1 - share)) ** 0.5 + 1, (deal, way)
        compared += 1
        if compared == 3:
            break
    assert compared > 1
