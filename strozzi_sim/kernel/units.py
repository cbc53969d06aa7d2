"""The unit of win counts, chosen so that a shared win is a whole number."""

WIN_UNITS = 60  # units of a win: a win shared by k seats is WIN_UNITS // k, exact for k up to 6
