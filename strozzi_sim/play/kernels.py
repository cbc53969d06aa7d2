"""Compiled kernels of single games: verbs on arrays of shape (1,), for any game, with random or scripted chance."""

from functools import cache, cached_property
from typing import Any

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
from strozzi_sim.kernel.jit import entry, jit
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
def _ask(seen, rules, address, params, memory, rng):
    return call_at(address, seen[0], rules[0], params, memory, rng[0])


@jit
def _conceal(states, rules, seat):
    conceal(states[0], rules[0], seat)


@jit
def _observe(states, rules, seat, out):
    known = clone(states[0])
    conceal(known, rules[0], seat)
    observe(known, rules[0], seat, out)


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


class Kernels:
    """Kernels of a game, each compiled, or loaded from the cache, at its first use.

    States, rules, chances and journals are arrays of shape (1,).
    """

    def __init__(self, game: Game, scripted: bool) -> None:
        game.register()
        self._game = game
        self._state, self._rules, self._rng = (array_type(dtype) for dtype in (game.state, game.rules, RANDOM))
        self._chance = array_type(SCRIPT if scripted else CHANCE)

    def _entry(self, kernel: Any, returned: Any, *arguments: Any) -> Any:
        return entry(kernel, returned(*arguments), self._game.name)

    @cached_property
    def begin(self) -> Any:
        """(chances, randoms[P], game key, seed, players, deal): seed chance and the streams of all seats."""
        i8 = types.int64
        return self._entry(_begin, types.void, self._chance, self._rng, i8, i8, i8, i8)

    @cached_property
    def deal(self) -> Any:
        """(states, rules, chances, players, start player) -> acting seat or NOBODY."""
        i8 = types.int64
        return self._entry(_deal, i8, self._state, self._rules, self._chance, i8, i8)

    @cached_property
    def step(self) -> Any:
        """(states, rules, chances, action) -> next acting seat, NOBODY or ILLEGAL."""
        return self._entry(_step, types.int64, self._state, self._rules, self._chance, types.int64)

    @cached_property
    def retell(self) -> Any:
        """(states, rules, chances, journals, players, start player, actions int64[D]): replay the game with a journal."""
        i8, journal = types.int64, array_type(self._game.journal)
        return self._entry(_retell, types.void, self._state, self._rules, self._chance, journal, i8, i8, i8[::1])

    @cached_property
    def legal(self) -> Any:
        """(states, rules, out int64[ACTIONS]) -> number of legal actions, which are written to `out`."""
        return self._entry(_legal, types.int64, self._state, self._rules, types.int64[::1])

    @cached_property
    def ask(self) -> Any:
        """(states, rules, address, params, memory, rng) -> action chosen by the agent at `address`."""
        i8 = types.int64
        return self._entry(_ask, i8, self._state, self._rules, i8, i8, i8, self._rng)

    @cached_property
    def conceal(self) -> Any:
        """(states, rules, seat): reduce the state to the knowledge of `seat`."""
        return self._entry(_conceal, types.void, self._state, self._rules, types.int64)

    @cached_property
    def observe(self) -> Any:
        """(states, rules, seat, out float32[F]): write the observation of `seat`; the state is unchanged."""
        return self._entry(_observe, types.void, self._state, self._rules, types.int64, types.float32[::1])

    @cached_property
    def seen(self) -> Any:
        """(states before, states after, rules, action, viewer) -> what the viewer learns of the step; 0: nothing."""
        i8 = types.int64
        return self._entry(_seen, i8, self._state, self._state, self._rules, i8, i8)

    @cached_property
    def results(self) -> Any:
        """(states, out int64[P, 3]): write score, seats placed better, and seats that share the place."""
        return self._entry(_results, types.void, self._state, types.int64[:, ::1])

    @cached_property
    def imagine(self) -> Any:
        """(states, rules, chances, seat, rng) -> acting seat; sample what `seat` cannot know, and all future chance."""
        return self._entry(_imagine, types.int64, self._state, self._rules, self._chance, types.int64, self._rng)


@cache
def kernels(game: Game, *, scripted: bool = False) -> Kernels:
    """Return the kernels of a game, for random or scripted chance."""
    return Kernels(game, scripted)
