"""Compiled kernels of single games: verbs on arrays of shape (1,), for any game, with random or scripted chance."""

from functools import cache

from numba import int64, types

from strozzi_sim.game.contract import (
    Game,
    actor,
    apply,
    conceal,
    count_legal,
    deal,
    determinize,
    is_legal,
    is_over,
    kth_legal,
    observe,
    placing,
    score,
    seen_action,
)
from strozzi_sim.kernel.jit import Kernels, jit
from strozzi_sim.kernel.pointers import call_at, clone
from strozzi_sim.kernel.record_types import array_type
from strozzi_sim.kernel.streams import CHANCE, RANDOM, SCRIPT, deal_key, reseed, seat_stream, seed_chance

NOBODY = -1  # acting seat: the game is over
ILLEGAL = -2  # acting seat: the action was illegal, and the state is unchanged


@jit
def _decider(state):
    return int64(NOBODY) if is_over(state) else int64(actor(state))


@jit
def _begin(chances, randoms, game, seed, players, number):
    key = deal_key(seed, game, players, number)
    for seat in range(players):
        randoms[seat].cursor = seat_stream(key, seat)
    seed_chance(chances[0], key)


@jit
def _deal(states, rules, chances, players, start_player):
    deal(states[0], rules[0], players, start_player, chances[0], None)
    return _decider(states[0])


@jit
def _step(states, rules, chances, action):
    state = states[0]
    if is_over(state) or not is_legal(state, rules[0], action):
        return int64(ILLEGAL)
    apply(state, rules[0], action, chances[0], None)
    return _decider(state)


@jit
def _retell(states, rules, chances, journals, players, start_player, actions):
    deal(states[0], rules[0], players, start_player, chances[0], journals[0])
    for k in range(len(actions)):
        apply(states[0], rules[0], actions[k], chances[0], journals[0])


@jit
def _legal(states, rules, out):
    state = states[0]
    if is_over(state):
        return 0
    count = count_legal(state, rules[0])
    for k in range(count):
        out[k] = kth_legal(state, rules[0], k)
    return count


@jit
def _ask(concealed, rules, address, params, memory, rng):
    return call_at(address, concealed[0], rules[0], params, memory, rng[0])


@jit
def _conceal(states, rules, seat):
    conceal(states[0], rules[0], seat)


@jit
def _observe(states, rules, seat, out):
    concealed = clone(states[0])
    conceal(concealed, rules[0], seat)
    observe(concealed, rules[0], seat, out)


@jit
def _seen(before, after, rules, action, viewer):
    return int64(seen_action(before[0], after[0], rules[0], action, viewer))


@jit
def _results(states, out):
    for seat in range(len(out)):
        better, shared = placing(states[0], seat)
        out[seat, 0] = score(states[0], seat)
        out[seat, 1] = better
        out[seat, 2] = shared


@jit
def _imagine(states, rules, chances, seat, rng):
    conceal(states[0], rules[0], seat)
    determinize(states[0], rules[0], seat, rng[0])
    reseed(chances[0], rng[0])
    return _decider(states[0])


@cache
def kernels(game: Game, *, scripted: bool = False) -> Kernels:
    """Return the kernels of a game, for random or scripted chance; `begin` and `imagine` need random chance."""
    game.register()
    state, rules, rng = (array_type(dtype) for dtype in (game.state, game.rules, RANDOM))
    chance, journal, i8 = array_type(SCRIPT if scripted else CHANCE), array_type(game.journal), types.int64
    table = {
        # (chances, randoms[P], game key, seed, players, deal): seed chance and the streams of all seats
        "begin": (_begin, types.void(chance, rng, i8, i8, i8, i8)),
        # (states, rules, chances, players, start player) -> acting seat or NOBODY
        "deal": (_deal, i8(state, rules, chance, i8, i8)),
        # (states, rules, chances, action) -> next acting seat, NOBODY or ILLEGAL
        "step": (_step, i8(state, rules, chance, i8)),
        # (states, rules, chances, journals, players, start player, actions int64[D]): replay with a journal
        "retell": (_retell, types.void(state, rules, chance, journal, i8, i8, i8[::1])),
        # (states, rules, out int64[ACTIONS]) -> number of legal actions, which are written to `out`
        "legal": (_legal, i8(state, rules, i8[::1])),
        # (states, rules, address, params, memory, rng) -> action chosen by the agent at `address`
        "ask": (_ask, i8(state, rules, i8, i8, i8, rng)),
        # (states, rules, seat): reduce the state to the knowledge of `seat`
        "conceal": (_conceal, types.void(state, rules, i8)),
        # (states, rules, seat, out float32[F]): write the observation of `seat`; the state is unchanged
        "observe": (_observe, types.void(state, rules, i8, types.float32[::1])),
        # (states before, states after, rules, action, viewer) -> what the viewer learns from the step; 0: nothing
        "seen": (_seen, i8(state, state, rules, i8, i8)),
        # (states, out int64[P, 3]): write score, seats placed better, seats that share its place (itself too)
        "results": (_results, types.void(state, i8[:, ::1])),
        # (states, rules, chances, seat, rng) -> acting seat; sample what `seat` cannot know, and all future chance
        "imagine": (_imagine, i8(state, rules, chance, i8, rng)),
    }
    return Kernels(game.name, table)
