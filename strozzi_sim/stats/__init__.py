"""Statistics of play: intervals, differences and tests, from counts by chunk."""
