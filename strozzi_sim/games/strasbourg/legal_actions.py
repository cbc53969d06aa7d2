"""Legal actions of each decision (F6), as a bit set counted from the phase's first action.

In the phases BUILD_CHAPEL and BUILD_EDIFICE bit 0 is NONE, whose action number is separate from the others. Actions
that `restrictions.py` forbids are left out, unless none would remain. Agents may call every kernel.
"""

from numba import int64

from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.cards import one_card, select_members, values_in
from strozzi_sim.kernel.bits import lowest_bit
from strozzi_sim.kernel.jit import force_inline, inline_source, jit

ASKED, PLANNING, STEPPING, BIDDING, ACTING, RETURNING = 0, 1, 2, 3, 4, 5  # stages of a game: see `core.run_on`

TWO = 0b11  # the first two actions of a phase
GOOD_OR_NONE = 1 | 1 << (s.GOOD - s.NONE)


@inline_source
def ask(state, phase, seat, legal):
    """Make `seat` the actor, with the set of its legal actions; return ASKED."""
    state.phase = phase
    state.actor = seat
    state.legal = legal
    return ASKED


@inline_source
def cards_left(state, seat):
    """Return the number of cards in a seat's deck, including those put under it."""
    return state.deck_left[seat] + state.under_left[seat] - state.under_taken[seat]


@inline_source
def may_draw(state, rules, seat):
    """Return whether a seat may draw one more card (R4.1)."""
    return cards_left(state, seat) > 0 and state.drawn[seat] < rules.most_drawn[seat]


@jit
def keep_choices(state, rules, seat):
    """Return the KEEP actions (F6.2). If each of them keeps a task forbidden to the seat, all of them are legal."""
    legal = rules.keep & ~rules.no_keep[seat]
    dealt, forbidden = state.dealt[seat], rules.no_task[seat]
    if dealt & forbidden == 0:
        return legal
    allowed, remaining = int64(0), legal
    while remaining != 0:
        choice = lowest_bit(remaining)
        remaining &= remaining - 1
        if select_members(dealt, choice) & forbidden == 0:
            allowed |= int64(1) << choice
    return allowed if allowed != 0 else legal


@inline_source
def splits(state, seat):
    """Return CLOSE and ADD for the values that fit on the stack under construction (F6.4).

    Each division has a single sequence: values within a stack do not rise, and no stack exceeds the previous one.
    """
    count = state.stack_count[seat]
    stack, hand = state.stacks[seat, count], state.hand
    limit = state.stacks[seat, count - 1] if count > 0 else int64(1) << 32
    legal = int64(1)
    for value in range(1, state.last_value + 1):
        card = one_card(value)
        fits = int64((hand & (card * 31)) != 0) & int64(stack + card <= limit)
        legal |= fits << value
    return legal


@inline_source
def closed_steps(state, rules, seat):
    """Return the set of steps of this round in which a seat may not turn over a stack."""
    return rules.no_bid[seat, state.round_card[state.round]]


@inline_source
def bids(state, rules, seat):
    """Return PASS, DEFER (R5.2c, A15, A57) and the first of each group of equal stacks (A66).

    A seat that may not bid in this step can only pass.
    """
    if (closed_steps(state, rules, seat) >> state.step) & 1:
        return int64(1)
    unused = state.unused[seat]
    reveal = unused & ~(state.repeated[seat] & (unused << 1))
    others = state.undecided & state.with_stacks & ~(1 << seat)
    defer = int64(others != 0) & int64(state.privileges[seat] > 0) & int64(rules.no_defer[seat] == 0)
    return 1 | defer << 1 | reveal << s.REVEAL_BIT


@force_inline
def payable(state, rules, seat, guild):
    """Return the guild's empty spaces that the seat can pay for (R7.1, A29), as a set of cells."""
    coins = min(state.coins[seat], s.MAX_PRICE)
    return rules.guild_spaces[guild] & state.empty & rules.affordable[coins]


@force_inline
def placements(state, rules, seat, guild):
    """Return the guild's empty spaces that the seat can pay for and may take, as a set of cells."""
    return payable(state, rules, seat, guild) & ~rules.no_space[seat]


@force_inline
def may_take_good(rules, seat, guild):
    """Return whether a seat may take a good of a guild."""
    return (rules.no_good[seat] >> guild) & 1 == 0


@jit
def may_build(state, rules, seat, site, chapel):
    """Return whether the restrictions allow a seat to build a chapel (or, if not `chapel`, an edifice) on a site."""
    forbidden = rules.no_chapel[seat] if chapel else rules.no_edifice[seat]
    spaces = rules.chapel_spaces[site] if chapel else rules.site_spaces[site]
    return forbidden & s.ANYWHERE == 0 and (forbidden & s.BESIDE_OWN == 0 or spaces & state.members[seat] == 0)


@jit
def building_sites(state, rules, seat, chapel):
    """Return the sites where a seat may build a chapel (or, if not `chapel`, an edifice) (R9.1, R10.1).

    The set is empty if the pool has no chapel left. It holds all free sites if the seat must build but its restrictions
    forbid every site.
    """
    free = state.free_chapel_sites if chapel else state.free_sites
    if chapel and state.chapels == 0:
        return int64(0)
    if (rules.no_chapel[seat] if chapel else rules.no_edifice[seat]) == 0:
        return free
    allowed, remaining = int64(0), free
    while remaining != 0:
        site = lowest_bit(remaining)
        remaining &= remaining - 1
        if may_build(state, rules, seat, site, chapel):
            allowed |= int64(1) << site
    return allowed if allowed != 0 or rules.building_optional else free


@inline_source
def building_choices(state, rules, chapel):
    """Return NONE (if building is optional) and the sites for a chapel or the edifice; 0 without a site (A60)."""
    sites = building_sites(state, rules, state.council[s.CHURCH if chapel else s.NOBILITY], chapel)
    return (sites << 1) | rules.building_optional if sites != 0 else int64(0)


@inline_source
def apprentice_choices(state, rules, seat, guild):
    """Return NONE, GOOD (unless forbidden) and the spaces that the seat may take (F6.6)."""
    good = int64(may_take_good(rules, seat, guild)) << (s.GOOD - s.NONE)
    return 1 | good | placements(state, rules, seat, guild) << s.PLACE_BIT


@jit
def legal_set(state, rules):
    """Return the actor's legal actions, computed from the rest of the state."""
    phase, seat = state.phase, state.actor
    if phase == s.KEEP:
        return keep_choices(state, rules, seat)
    if phase in (s.DRAW, s.TAKE_SEAT):
        return int64(TWO)
    if phase == s.SPLIT:
        return splits(state, seat)
    if phase == s.BID:
        return bids(state, rules, seat)
    if phase == s.TAKE_GOOD:
        return int64(GOOD_OR_NONE)
    if phase == s.PLACE:
        return 1 | placements(state, rules, seat, state.guild) << s.PLACE_BIT
    if phase == s.APPRENTICE:
        return apprentice_choices(state, rules, seat, state.guild)
    if phase == s.SELL:
        return (int64(2) << state.goods[seat, state.guild]) - 1
    if phase == s.RETURN:
        return values_in(state.bid[seat])
    if phase == s.BUILD_CHAPEL:
        return building_choices(state, rules, True)
    return building_choices(state, rules, False) if phase == s.BUILD_EDIFICE else int64(0)
