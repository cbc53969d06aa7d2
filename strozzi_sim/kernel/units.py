"""The unit in which wins are counted, so that a shared win stays a whole number."""

WIN_UNITS = 60  # of a win: one shared by k is WIN_UNITS // k, exact for k up to 6
