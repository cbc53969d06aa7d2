"""Kernels that measure luck, see `simulation.luck`; the loop calls them after each deal and around each action."""

from numba import float64, int64, uint64

from strozzi_sim.agent.analysis import LEAD, WIN, WORTHS, lead_of, share_of_win
from strozzi_sim.facts.sink import SEATS
from strozzi_sim.game.contract import apply, count_legal, deal, kth_legal, score
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.pointers import assign, call_at, float64_at, int64_at, zero_at
from strozzi_sim.kernel.streams import SOURCES, below, hash_combine, mix, redraw, stream_key
from strozzi_sim.simulation.luck import MOST_REDRAWS

_PURPOSE = 3_000  # of the stream that draws chance anew


@jit
def evaluate(luck, state, rules, word):
    """Let the evaluator write what a position is worth to each seat; `word` begins its random stream."""
    luck.random.cursor = word
    call_at(luck.address, state, rules, luck.params, luck.memory, luck.random)


@jit
def add_worth(luck, players, target, share):
    """Add a share of the worth to `target`, float64[P, 3]."""
    for seat in range(players):
        for k in range(len(WORTHS)):
            target[seat, k] += share * float64_at(luck.worth + 8 * (len(WORTHS) * seat + k))


@jit
def redraw_all(luck, word):
    """Restart every source of `luck.other`, differently for every word."""
    for source in range(SOURCES):
        redraw(luck.other, source, hash_combine(word, source))


@jit
def _measure(luck, state, rules, start, action, count, start_player):
    """Add to `luck.total` the luck of what led to `state`: an action in `luck.before`, or the deal (action 0).

    `count`: the number of legal actions if the action was random, which is drawn anew too, else 1. `start` keys the
    redraws.
    """
    players = state.players
    for seat in range(SEATS):
        for k in range(len(WORTHS)):
            luck.mean[seat, k] = 0.0
    for k in range(luck.redraws):
        if int64_at(luck.stop) != 0:  # the game is discarded
            return
        word = hash_combine(start, k)
        redraw_all(luck, word)
        if action == 0:
            deal(luck.trial, rules, players, start_player, luck.other, None)
        else:
            assign(luck.trial, luck.before)
            other = kth_legal(luck.before, rules, below(mix(word), count)) if count > 1 else action
            apply(luck.trial, rules, other, luck.other, None)
        evaluate(luck, luck.trial, rules, mix(word + uint64(1)))
        add_worth(luck, players, luck.mean, 1.0 / luck.redraws)
    evaluate(luck, state, rules, mix(start))
    add_worth(luck, players, luck.total, 1.0)
    for seat in range(players):
        for k in range(len(WORTHS)):
            luck.total[seat, k] -= luck.mean[seat, k]


@jit
def measure_deal(luck, state, rules, key, start_player):
    """Begin a game that has been dealt to `state`, and measure the luck of the deal."""
    luck.key = stream_key(key, _PURPOSE)
    luck.events = 1
    if luck.memory_size > 0:
        zero_at(luck.memory, luck.memory_size)
    for seat in range(SEATS):
        for k in range(len(WORTHS)):
            luck.total[seat, k] = 0.0
    _measure(luck, state, rules, luck.key, 0, 1, start_player)


@jit
def before_action(luck, state, chance):
    """Store a position before an action."""
    assign(luck.before, state)
    assign(luck.chance, chance)


@jit
def _was_drawn(luck, chance):
    drawn = False
    for source in range(SOURCES):
        drawn |= chance.cursor[source] != luck.chance.cursor[source]
    return drawn


@jit
def after_action(luck, state, rules, action, at_random, chance):
    """Measure the luck of an action that has been played in `state`; `at_random`: the agent `random` chose it."""
    count = count_legal(luck.before, rules) if at_random else 1
    if count == 1 and not _was_drawn(luck, chance):
        return
    luck.events += 1
    start = hash_combine(luck.key, luck.events * (MOST_REDRAWS + 1))  # no word that redraws of the deal have used
    _measure(luck, state, rules, start, action, count, 0)


@jit
def add_luck(luck, state, positions):
    """Add the luck of a finished game to the sums; `positions`: of every seat, its position in the line-up."""
    players = state.players
    for seat in range(players):
        position = int64(positions[seat])
        for k in range(len(WORTHS)):
            result = float64(score(state, seat))
            if k == LEAD:
                result = lead_of(state, seat)
            elif k == WIN:
                result = share_of_win(state, seat)
            luck_of_game = luck.total[seat, k]
            luck.luck[position, seat, k] += luck_of_game
            luck.luck_squares[position, seat, k] += luck_of_game * luck_of_game
            luck.luck_products[position, seat, k] += luck_of_game * result
