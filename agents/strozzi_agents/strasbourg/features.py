"""The features of Strasbourg for learned values. A position is quiet at the start of a round's planning."""

from numba import float32, float64, int64

from strozzi_agents.learned.features import Features
from strozzi_agents.learned.verbs import describe, feature_counts, guide_action, is_quiet, solve
from strozzi_agents.strasbourg.choices import GUIDE as GUIDE
from strozzi_agents.strasbourg.choices import PARAMS_RECORD, solve_decision
from strozzi_agents.strasbourg.heuristic import cards_drawn, decide
from strozzi_agents.strasbourg.tasks import chapels_to_come, task_chance
from strozzi_agents.strasbourg.worth import best_space, fill_decision, goods_value, value_of_chair
from strozzi_sim.games.strasbourg.cards import sum_values
from strozzi_sim.games.strasbourg.scoring import chairs_held, chapel_neighbours, edifice_points
from strozzi_sim.games.strasbourg.state import DRAW, GUILD_SEAT, STATE
from strozzi_sim.kernel.bits import count_bits, lowest_bit
from strozzi_sim.kernel.jit import jit, register_overload

GUILDS, ROUNDS = 5, 5  # most that are described
_CHAIRS = GUILD_SEAT + GUILDS
# Where blocks of a seat's features begin: chairs held, their points, members by guild, best open space by guild.
_HELD, _LASTING, _MEMBERS, _OPEN = 24, 24 + _CHAIRS, 24 + 2 * _CHAIRS, 24 + 2 * _CHAIRS + GUILDS
FEATURES = Features(ROUNDS + 8 + 2 * GUILDS, 24 + 2 * _CHAIRS + 2 * GUILDS, scale=12.0)
COMMON, OWN = FEATURES.common, FEATURES.own


@jit
def _is_quiet(state, rules):
    """Return whether a seat may draw or stop, and the seats have drawn no more than compulsory cards in total."""
    if state.phase != DRAW:
        return False
    drawn = int64(0)
    for seat in range(state.players):
        drawn += state.drawn[seat]
    return drawn <= rules.min_draw * (1 + count_bits(state.planned))


@jit
def _guide_action(state, rules, guide):
    """Return the action of `heuristic`."""
    return decide(state, rules, PARAMS_RECORD[0], guide.other)


@jit
def _describe_common(state, rules, out):
    for k in range(COMMON):
        out[k] = 0
    out[min(state.round, ROUNDS - 1)] = 1
    first, rounds_left, points = ROUNDS, rules.rounds - state.round, int64(0)
    for number in range(state.round, rules.rounds):
        points += rules.edifice_points[state.round_edifice[number]]
        card = state.round_card[number]
        for k in range(3):
            guild = rules.card_guild[card, k]
            if guild < GUILDS:
                out[first + 8 + guild] += float32(1.0 / 3.0)
                if number == state.round:
                    out[first + 8 + GUILDS + guild] = 1
    out[first] = float32(rounds_left / 5.0)
    out[first + 1] = float32(rules.edifice_points[state.round_edifice[state.round]] / 5.0)
    out[first + 2] = float32(points / 20.0)
    out[first + 3] = float32(chapels_to_come(state, rules) / 5.0)
    out[first + 4] = float32(count_bits(state.empty) / 47.0)
    out[first + 5] = float32(count_bits(state.free_sites) / 7.0)
    coins, cards = int64(0), 0.0
    for seat in range(state.players):
        coins += state.coins[seat] + goods_value(state, rules, seat)
        cards += _cards_left(state, seat)
    out[first + 6] = float32(coins / (10.0 * state.players))
    out[first + 7] = float32(cards / (24.0 * state.players))


@jit
def _cards_left(state, seat):
    """Return the number of cards that a seat may still play, including those just drawn."""
    under = state.under_left[seat] - state.under_taken[seat]
    return float64(state.deck_left[seat] + under + state.drawn[seat])


@jit
def _influence_left(state, seat):
    """Return the sum of the cards that a seat may still play; the state must conceal nothing."""
    total = sum_values(state.deck[seat])
    for k in range(state.under_taken[seat], state.under_left[seat]):
        total += state.under[seat, k]
    if state.actor == seat:
        return total + sum_values(cards_drawn(state, seat))
    for k in range(state.stack_count[seat]):
        total += sum_values(state.stacks[seat, k])
    return total


@jit
def _describe_tasks(state, rules, memory, seat, at, out):
    """Write five features of a seat's tasks from `out[at]` on; return the points that the guide expects from them."""
    params = PARAMS_RECORD[0]
    members, coins, kept = state.members[seat], state.coins[seat], state.kept[seat]
    worth, certain_points, failed, likely = 0.0, int64(0), int64(0), 0.0
    while kept != 0:
        task = lowest_bit(kept)
        kept &= kept - 1
        points = rules.task_points[task] + rules.penalty
        chance = task_chance(state, rules, params, seat, task, members, state.empty, coins, memory.left)
        worth += points * chance - rules.penalty
        certain_points += points * int64(chance >= 1.0)
        failed += int64(chance <= 0.0)
        likely += chance * (1.0 - chance) * points
    out[at] = float32(worth / 10.0)
    out[at + 1] = float32(certain_points / 10.0)
    out[at + 2] = float32(failed / 3.0)
    out[at + 3] = float32(likely / 3.0)
    out[at + 4] = float32(count_bits(state.kept[seat]) / 3.0)
    return worth


@jit
def _describe_seat(state, rules, memory, seat, mean, at, out):
    params = PARAMS_RECORD[0]
    fill_decision(state, rules, params, memory, seat)
    for k in range(OWN):
        out[at + k] = 0
    players, members = state.players, state.members[seat]
    out[at] = float32((state.score[seat] - mean) / 10.0)
    out[at + 1] = float32(state.coins[seat] / 10.0)
    out[at + 2] = float32(goods_value(state, rules, seat) / 10.0)
    out[at + 3] = float32(state.privileges[seat] / 3.0)
    turn = seat - state.start_player
    out[at + 4] = float32(turn == 0)
    out[at + 5] = float32((turn if turn >= 0 else turn + players) / (players - 1.0))
    cards, influence = _cards_left(state, seat), _influence_left(state, seat)
    out[at + 6] = float32(cards / 24.0)
    out[at + 7] = float32(influence / 84.0)
    out[at + 8] = float32(influence / (20.0 * (rules.rounds - state.round)))
    out[at + 9] = float32(chairs_held(state, rules, seat) / 4.0)
    out[at + 10] = float32(count_bits(members) / 10.0)
    beside, chapels = edifice_points(state, rules, seat), chapel_neighbours(state, rules, seat) * rules.chapel_points
    out[at + 11] = float32(beside / 20.0)
    out[at + 12] = float32(chapels / 5.0)
    expected, remaining = 0.0, members
    while remaining != 0:
        expected += memory.space[lowest_bit(remaining)]
        remaining &= remaining - 1
    out[at + 13] = float32(expected / 20.0)
    out[at + 14] = float32(memory.left / 15.0)
    out[at + 15] = float32(memory.coin[0])
    worth = _describe_tasks(state, rules, memory, seat, at + 16, out)
    board_points = count_bits(members) + beside + chapels + state.privileges[seat]
    out[at + 21] = float32(board_points / 20.0)
    lasting = 0.0
    for chair in range(min(GUILD_SEAT + rules.guilds, _CHAIRS)):
        if state.council[chair] == seat:
            chair_points = value_of_chair(state, rules, params, seat, int64(chair))
            lasting += chair_points
            out[at + _HELD + chair] = 1
            out[at + _LASTING + chair] = float32(chair_points / 3.0)
    out[at + 22] = float32(lasting / 5.0)
    out[at + 23] = float32((state.score[seat] - mean + expected + worth + lasting) / 20.0)
    for guild in range(min(rules.guilds, GUILDS)):
        out[at + _MEMBERS + guild] = float32(count_bits(members & rules.guild_spaces[guild]) / 3.0)
        _, points = best_space(state, rules, params, memory, seat, int64(guild), state.coins[seat], memory.coin[0])
        out[at + _OPEN + guild] = float32(points / 5.0)


@jit
def _describe(state, rules, guide, out):
    _describe_common(state, rules, out)
    mean = 0.0
    for seat in range(state.players):
        mean += state.score[seat]
    mean /= state.players
    for seat in range(state.players):
        _describe_seat(state, rules, guide.own, seat, mean, COMMON + seat * OWN, out)


@jit
def _feature_counts(state):
    return COMMON, OWN


register_overload(feature_counts, STATE, _feature_counts, force_inline=True)
register_overload(is_quiet, STATE, _is_quiet)
register_overload(guide_action, STATE, _guide_action)
register_overload(describe, STATE, _describe)
register_overload(solve, STATE, solve_decision)
