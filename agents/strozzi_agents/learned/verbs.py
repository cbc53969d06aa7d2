"""Verbs that a game implements for its state record, so that the values of its positions can be learned.

Values are learned for quiet positions only, such as those just after a draw of chance; the features leave its result
out. From any other position the guide, a fast agent of the game, plays on to the next quiet one. Only games whose agent
`learned` has levels implement `level_temperature`; only those where it compares all actions, `value_error`.
"""


def is_quiet(state, rules):
    """Return whether the worth of this position is learned; the game is not over."""
    raise TypeError("is_quiet is a verb of compiled code")


def guide_action(state, rules, guide):
    """Return the action of the guide, a fast deterministic agent whose memory is `guide`."""
    raise TypeError("guide_action is a verb of compiled code")


def describe(state, rules, guide, out):
    """Write the features of a quiet position into float32 `out`: the common ones, then those of each seat, by seat."""
    raise TypeError("describe is a verb of compiled code")


def feature_counts(state):
    """Return (common, own): the numbers of common features and of features of each seat that `describe` writes."""
    raise TypeError("feature_counts is a verb of compiled code")


def level_temperature(state, level):
    """Return the temperature of a level of `learned`, in points; 0: always the best action."""
    raise TypeError("level_temperature is a verb of compiled code")


def plan_events(state, rules, plan, action):
    """Return how many events of a plan a legal action is, float64; plans count from 1 in the order of their `Plan`."""
    raise TypeError("plan_events is a verb of compiled code")


def value_error(state):
    """Return the standard deviation of the error of a difference of two values, in points."""
    raise TypeError("value_error is a verb of compiled code")


def solve(state, rules, weights, memory, prize, beyond, redraws, rng):
    """Return the action of a decision for which the game has a better method, or 0: `choose` then compares all actions.

    Where `memory.temperature` is above 0, worse actions are chosen too. The arguments are as in `learned.choose`.
    """
    raise TypeError("solve is a verb of compiled code")
