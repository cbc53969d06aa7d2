"""An agent for goofspiel."""

from goofspiel.state import ACTIONS
from strozzi_sim.agent import compiled_agent
from strozzi_sim.game.contract import is_legal, kth_legal


@compiled_agent(name="face-value", games=("goofspiel",))
def face_value(state, rules, params, memory, rng):
    """Bids the prize's value, or the next higher card, or else the lowest."""
    for card in range(int(state.prize), ACTIONS):
        if is_legal(state, rules, card):
            return card
    return kth_legal(state, rules, 0)
