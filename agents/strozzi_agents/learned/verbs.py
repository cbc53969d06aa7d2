"""Verbs that a game implements for its state record, so that the values of its positions can be learned.

Values are learned for quiet positions only, such as the moment at which chance has decided something new; its result is
ignored. From any other position the guide, a quick agent of the game, plays on to the next quiet one. Only games whose
agent has levels implement `level_temperature`.
"""


def is_quiet(state, rules):
    """Return whether a position, which is not over, is one whose worth is learned."""
    raise TypeError("is_quiet is a verb of compiled code")


def guide_action(state, rules, guide):
    """Return the action of the guide, a quick agent that needs no randomness; `guide` is its memory."""
    raise TypeError("guide_action is a verb of compiled code")


def describe(state, rules, guide, out):
    """Write the features of a quiet position into float32 `out`: the common ones, then those of each seat, by seat."""
    raise TypeError("describe is a verb of compiled code")


def feature_counts(state):
    """Return the numbers of features that `describe` writes: common ones, and those of each seat."""
    raise TypeError("feature_counts is a verb of compiled code")


def level_temperature(state, level):
    """Return the temperature of this level of `learned`, in points; 0: it always chooses the best action."""
    raise TypeError("level_temperature is a verb of compiled code")


def solve(state, rules, weights, memory, prize, beyond, redraws, rng):
    """Return the action of a decision that the game solves by itself; 0: compare all actions.

    The arguments are as in `learned.choose`.
    """
    raise TypeError("solve is a verb of compiled code")
