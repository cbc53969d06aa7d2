"""A human player's game in the browser: the game's course, and the local server of its page."""
