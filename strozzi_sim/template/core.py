"""The rules as kernels: set-up, legal actions, a turn, scores."""

from strozzi_sim.game.contract import write_scores
from strozzi_sim.kernel.bits import count_items, count_kinds, kth_item, kth_kind
from strozzi_sim.kernel.jit import jit
from strozzi_sim.kernel.journal import write_event
from strozzi_sim.kernel.streams import draw, reset_source
from strozzi_sim.template.events import END, REVEAL, TAKEN
from strozzi_sim.template.state import ACTIONS, OVER, SACK_SOURCE, TAKE, VALUES


@jit
def deal(state, rules, players, start_player, chance, journal):
    """Fill the sack, and turn the first tokens face up."""
    state.players = players
    state.phase = TAKE
    state.actor = start_player
    state.turns_left = rules.turns * players
    for kind in range(VALUES):
        state.sack[kind] = rules.copies[kind]
        state.face_up[kind] = 0
    for seat in range(players):
        state.score[seat] = 0
    reset_source(chance, SACK_SOURCE)
    for _ in range(rules.face_up):
        _reveal(state, chance, journal)
    _play_forced(state, chance, journal)


@jit
def _reveal(state, chance, journal):
    tokens = count_items(state.sack, VALUES)
    if tokens > 0:
        kind = kth_item(state.sack, draw(chance, SACK_SOURCE, tokens))
        state.sack[kind] -= 1
        state.face_up[kind] += 1
        write_event(journal, REVEAL, kind + 1, 0, 0, 0, 0)


@jit
def apply(state, rules, action, chance, journal):
    """Take a token, and continue to the next decision."""
    _take(state, action, chance, journal)
    _play_forced(state, chance, journal)


@jit
def _take(state, value, chance, journal):
    """Give the actor a token of `value` (index `value - 1`) and the next seat the turn; reveal a token."""
    seat = state.actor
    state.face_up[value - 1] -= 1
    state.score[seat] += value
    state.turns_left -= 1
    state.actor = (seat + 1) % state.players
    write_event(journal, TAKEN, seat, value, 0, 0, 0)
    _reveal(state, chance, journal)


@jit
def _play_forced(state, chance, journal):
    """Take tokens while all face-up tokens are equal; end the game after the last turn or the last token."""
    while state.turns_left > 0 and count_kinds(state.face_up, VALUES) == 1:
        _take(state, kth_kind(state.face_up, 0) + 1, chance, journal)
    if state.turns_left == 0 or count_kinds(state.face_up, VALUES) == 0:
        state.phase = OVER
        write_scores(state, journal, END)


@jit
def is_legal(state, rules, action):
    """Return whether `action`, any int64, is legal; `count_legal` and `kth_legal` follow from it by default."""
    return state.phase == TAKE and 0 < action < ACTIONS and state.face_up[action - 1] > 0
