"""Verbs that a game implements for its state record, so that the values of its positions can be learned.

`level_temperature` is only of games whose agent has levels.

Values are learned for quiet positions alone, such as the moments at which chance has just opened a new question; what was opened is
ignored. From any other position the guide, a quick agent of the game, plays on to the next quiet one.
"""


def is_quiet(state, rules):
    """Return whether the worth of a position, not over, is to be learned and looked up here."""
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
    """Return the points by which an action of `learned` on this level may be worse and still be likely; 0: the best."""
    raise TypeError("level_temperature is a verb of compiled code")


def solve(state, rules, weights, memory, prize, beyond, redraws, rng):
    """Return the action of a decision that the game settles by itself, from values or by the guide; 0: all actions are compared.

    The arguments are those of `learned.choose`.
    """
    raise TypeError("solve is a verb of compiled code")
