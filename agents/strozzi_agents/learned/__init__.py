"""Players whose values are learned from self-play: written once, for each game that describes its positions."""
