"""The built-in games: one folder each, with the modules that `game.parts` describes."""
