"""What a seat may do at each decision (F6), as a set of bits counted from the phase's first action.

In the phases BUILD_CHAPEL and BUILD_EDIFICE bit 0 is NONE, whose number is not beside the others'. A seat with one legal action
is not asked. Agents may call all of these.
"""

from numba import int64

from strozzi_sim.games.strasbourg.cards import one_card, values_in
from strozzi_sim.games.strasbourg.state import (
    APPRENTICE,
    BID,
    BUILD_CHAPEL,
    BUILD_EDIFICE,
    DRAW,
    GOOD,
    KEEP,
    MAX_PRICE,
    NONE,
    PLACE,
    PLACE_BIT,
    RETURN,
    REVEAL_BIT,
    SEAT,
    SELL,
    SPLIT,
    TAKE_GOOD,
    TAKE_SEAT,
)
from strozzi_sim.kernel.jit import force_inline, inline_source, jit

ASKED, PLANNING, STEPPING, BIDDING, ACTING, RETURNING = 0, 1, 2, 3, 4, 5  # how a game goes on: see `core.run_on`

TWO = 0b11  # both of two actions
_GOOD_BIT, _SEAT_BIT = 1 << (GOOD - NONE), 1 << (SEAT - NONE)


@inline_source
def ask(state, phase, seat, legal):
    """Let a seat decide."""
    state.phase = phase
    state.actor = seat
    state.legal = legal
    return ASKED


@inline_source
def cards_left(state, seat):
    """Cards in a seat's deck, those put under it included."""
    return state.deck_left[seat] + state.under_left[seat] - state.under_taken[seat]


@inline_source
def splits(state, seat):
    """CLOSE, and each value that may be put on the stack under construction (F6.4): one sequence for each division.

    Values do not rise, and no stack is greater than the one before.
    """
    count = state.stack_count[seat]
    stack, hand = state.stacks[seat, count], state.hand
    greatest = state.stacks[seat, count - 1] if count > 0 else int64(1) << 32
    found = int64(1)
    for value in range(1, state.last_value + 1):
        card = one_card(value)
        fits = int64((hand & (card * 31)) != 0) & int64(stack + card <= greatest)
        found |= fits << value
    return found


@inline_source
def bids(state, seat):
    """PASS, DEFER (R5.2c, A15, A57), and the first of each group of equal stacks (A66)."""
    unused = state.unused[seat]
    reveal = unused & ~(state.repeated[seat] & (unused << 1))
    others = state.undecided & state.with_stacks & ~(1 << seat)
    defer = int64(others != 0) & int64(state.privileges[seat] > 0)
    return 1 | defer << 1 | reveal << REVEAL_BIT


@force_inline
def placements(state, rules, seat, guild):
    """The guild's empty spaces that the seat can pay for (R7.1, A29): a set of cells."""
    coins = min(state.coins[seat], MAX_PRICE)
    return rules.guild_spaces[guild] & state.empty & rules.affordable[coins]


@inline_source
def chapel_choices(state, rules):
    """NONE if it may be declined, and the free sites; 0 if there is nothing to build or no site (A60)."""
    free = state.free_chapel_sites
    return (free << 1) | rules.building_optional if state.chapels > 0 and free != 0 else int64(0)


@inline_source
def edifice_choices(state, rules):
    """The same for the edifice of the round."""
    free = state.free_sites
    return (free << 1) | rules.building_optional if free != 0 else int64(0)


@jit
def legal_set(state, rules):
    """The legal actions of the actor, worked out from the rest of the state."""
    phase, seat = state.phase, state.actor
    if phase == KEEP:
        return rules.keep
    if phase in (DRAW, TAKE_SEAT):
        return int64(TWO)
    if phase == SPLIT:
        return splits(state, seat)
    if phase == BID:
        return bids(state, seat)
    if phase == TAKE_GOOD:
        return int64(1 | _GOOD_BIT)
    if phase == PLACE:
        return 1 | placements(state, rules, seat, state.guild) << PLACE_BIT
    if phase == APPRENTICE:
        return 1 | _GOOD_BIT | placements(state, rules, seat, state.guild) << PLACE_BIT
    if phase == SELL:
        return (int64(2) << state.goods[seat, state.guild]) - 1
    if phase == RETURN:
        return values_in(state.bid[seat])
    if phase == BUILD_CHAPEL:
        return chapel_choices(state, rules)
    return edifice_choices(state, rules) if phase == BUILD_EDIFICE else int64(0)
